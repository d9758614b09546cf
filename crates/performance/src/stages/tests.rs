//! Random graphs whose delays have stages, in two ways: as a graph with more states, and as a view of their
//! states.

use std::sync::Arc;

use narrows_explicit::{Budget, Unwatched};
use narrows_graph::Random;
use narrows_lts::{Builder, Graph, LabelPattern};

use super::{Stages, spread};
use crate::actions::{Actions, ambiguous, timing};
use crate::busy_waiting::{LabelKind, without_busy_waiting};
use crate::graphs::GraphAutomaton;
use crate::labelled::{ActionRates, RatedGraph};
use crate::markov::{self, Accuracy, Aim, Interval};
use crate::{BuildError, Delay, Phases, StateGraph, Time, as_f64, stochastic};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-8);

/// A graph of a few states, each with a step to the next, and further ones. `N` takes no time.
fn random_graph(random: &mut Random) -> Graph {
    let states = 2 + random.below(5) as u32;
    let mut builder = Builder::new(0, 0);
    let mut names: Vec<u32> = ["A", "B", "C", "N"].iter().map(|name| builder.label(name)).collect();
    names.truncate(3 + random.below(2) as usize);
    for state in 0..states {
        for number in 0..=random.below(3) {
            let target = if number == 0 { (state + 1) % states } else { random.below(states.into()) as u32 };
            builder.edge(state, names[random.below(names.len() as u64) as usize], target);
        }
    }
    builder.build().expect("a small graph")
}

fn pattern(name: &str) -> LabelPattern {
    LabelPattern::new(name).expect("a pattern")
}

/// How often `A`, `B` and `C` happen, by the view of states: the least and the greatest over all
/// schedulers, and whether there is something to choose. `None` if time stands still.
fn by_states(graph: &Graph, delays: &[(LabelPattern, Delay)]) -> Option<(Vec<[Interval; 2]>, bool)> {
    let names: Vec<String> = ["A", "B", "C"].iter().map(|name| (*name).to_owned()).collect();
    let events: Vec<_> = names.iter().map(|name| (name.clone(), vec![pattern(name)])).collect();
    let timing = timing(graph, delays, &events).expect("few labels");
    let actions = Actions::new(graph);
    let state_graph = StateGraph::new(&actions, None, &timing, Budget::unlimited(Unwatched));
    let view = match state_graph.and_then(stochastic::build) {
        Ok(view) => view,
        Err(BuildError::Zeno(..)) => return None,
        Err(other) => panic!("{other:?}"),
    };
    let graph = view.graph(&names).expect("a small graph");
    let timed = GraphAutomaton::new(&graph).expect("an automaton");
    let reward = |name: &String| {
        let action = timed.actions.iter().position(|action| action == name);
        action.map_or_else(|| markov::Reward::none(&timed.automaton), |action| timed.reward(&graph, action))
    };
    let rewards: Vec<_> = names.iter().map(reward).collect();
    let bound = |reward, aim| markov::average(&timed.automaton, reward, aim, ACCURACY).expect("time passes");
    let bounds = |reward| [bound(reward, Aim::Least), bound(reward, Aim::Greatest)];
    Some((rewards.iter().map(bounds).collect(), view.decisions() > 0))
}

#[test]
fn stages_are_the_same_in_a_graph_and_in_a_view() {
    let mut random = Random::new(11);
    let (mut compared, mut with_memory, mut with_waiting, mut with_choice, mut still) = (0, 0, 0, 0, 0);
    for _ in 0..6_000 {
        let graph = random_graph(&mut random);
        let mut delays = Vec::new();
        let mut tempo = ActionRates::default();
        let mut stages = vec![Stages::None; graph.labels().len()];
        for name in ["A", "B", "C"] {
            let (count, mean) = (1 + random.below(3) as u32, 1 + random.below(4) as u32);
            let mean_time = Time::from_integer(mean.into());
            let delay = match random.below(4) {
                0 => {
                    let (part, other) = (Time::new(1, 3), Time::from_integer(mean_time.to_integer() + 2));
                    let branches = [(part, count, mean_time), (Time::new(2, 3), 1, other)];
                    Delay::Phases(Arc::new(Phases::mixture(&branches).expect("a mixture")), Time::new(1, 2))
                }
                1 => {
                    let means = vec![mean_time; count as usize];
                    let further = vec![Time::new(3, 4); count as usize - 1];
                    Delay::Phases(Arc::new(Phases::row(&means, &further).expect("a row")), Time::new(3, 1))
                }
                _ => Delay::Erlang(count, mean_time),
            };
            let rate = f64::from(delay.stages()) / as_f64(delay.mean());
            tempo.rates.push((pattern(name), Some(rate)));
            tempo.events.push(vec![pattern(name)]);
            if let Some(label) = graph.labels().iter().position(|label| label == name) {
                stages[label] = Stages::Some(delay.phases());
            }
            delays.push((pattern(name), delay));
        }
        if ambiguous(
            &graph,
            |label| stages[label as usize] == Stages::None,
            |label| stages[label as usize] != Stages::None,
        )
        .is_some()
        {
            continue;
        }
        let kind = |stages: &Stages| LabelKind {
            is_now: *stages == Stages::None,
            is_counted: *stages != Stages::None,
        };
        let kinds: Vec<LabelKind> = stages.iter().map(kind).collect();
        let without_busy_waiting = without_busy_waiting(&graph, &kinds);
        let expected = by_states(&graph, &delays);
        // Where time stands still, both ways say so.
        assert_eq!(without_busy_waiting.is_err(), expected.is_none(), "{graph:?}");
        let (Ok(without_busy_waiting), Some((expected, is_open))) = (without_busy_waiting, expected) else {
            still += 1;
            continue;
        };
        with_waiting += u32::from(without_busy_waiting.is_some());
        let graph = without_busy_waiting.unwrap_or(graph);
        let stages: Vec<Stages> = (0..graph.labels().len())
            .map(|label| stages.get(label).cloned().unwrap_or(Stages::None))
            .collect();
        let spread = spread(&graph, &stages, &Budget::unlimited(Unwatched)).expect("a small graph");
        let paced = RatedGraph::new(&spread, &tempo).expect("a chain");
        let found = paced.throughputs(ACCURACY).expect("time passes");
        for (found, expected) in found.iter().zip(&expected) {
            let [least, greatest] = found.open.unwrap_or([found.even; 2]);
            for (one, other) in [(least, expected[0]), (greatest, expected[1])] {
                let near = (one.middle() - other.middle()).abs() <= 1e-6 * (1e-6 + other.middle());
                assert!(near, "{one:?} {other:?} {graph:?} {delays:?}");
            }
        }
        with_choice += u32::from(is_open);
        compared += 1;
        with_memory += u32::from(spread.states() > graph.states() + 4);
    }
    let all = [compared, with_memory, with_waiting, with_choice, still];
    assert!(all.iter().zip([1_000, 200, 50, 50, 50]).all(|(count, least)| *count > least), "{all:?}");
}
