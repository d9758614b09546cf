//! Random graphs whose delays have stages, in two ways: as a graph with more states, and as a view of their states.

use narrows_explicit::{Budget, Unwatched};
use narrows_lts::{Builder, Graph, LabelPattern};

use super::{Stages, spread};
use crate::actions::{Actions, ambiguous, timing};
use crate::graphs::Timed;
use crate::labelled::{Paced, Tempo};
use crate::markov::{self, Accuracy, Interval};
use crate::random::Random;
use crate::waiting::{Kind, settled};
use crate::{Delay, Rows, Time, Trouble, stochastic};

const ACCURACY: Accuracy = Accuracy { relative: 1e-8, sweeps: 100_000 };

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

/// How often `A`, `B` and `C` happen, by the view of states; `None` if choices are left open, or time stands still.
fn by_states(graph: &Graph, delays: &[(LabelPattern, Delay)]) -> Option<Vec<Interval>> {
    let names: Vec<String> = ["A", "B", "C"].iter().map(|name| (*name).to_owned()).collect();
    let events: Vec<_> = names.iter().map(|name| (name.clone(), vec![pattern(name)])).collect();
    let timing = timing(graph, delays, &events).expect("few labels");
    let actions = Actions::new(graph);
    let rows = Rows::new(&actions, None, &timing, Budget::unlimited(&Unwatched));
    let view = match rows.and_then(stochastic::build) {
        Ok(view) => view,
        Err(Trouble::Zeno(..)) => return None,
        Err(other) => panic!("{other:?}"),
    };
    if view.decisions() > 0 {
        return None;
    }
    let graph = view.graph(&names).expect("a small graph");
    let timed = Timed::new(&graph).expect("an automaton");
    let reward = |name: &String| {
        let action = timed.actions.iter().position(|action| action == name);
        action.map_or_else(|| markov::Reward::none(&timed.automaton), |action| timed.reward(&graph, action))
    };
    let rewards: Vec<_> = names.iter().map(reward).collect();
    let chain = markov::uniform(&timed.automaton, &rewards).expect("time passes");
    Some(markov::long_run(&chain.chain, &chain.rewards, ACCURACY))
}

#[test]
fn stages_are_the_same_in_a_graph_and_in_a_view() {
    let mut random = Random::new(11);
    let (mut compared, mut with_memory, mut with_waiting) = (0, 0, 0);
    for _ in 0..6_000 {
        let graph = random_graph(&mut random);
        let mut delays = Vec::new();
        let mut tempo = Tempo::default();
        let mut stages = vec![Stages::None; graph.labels().len()];
        for name in ["A", "B", "C"] {
            let (count, mean) = (1 + random.below(3) as u32, 1 + random.below(4) as u32);
            let rate = f64::from(count) / f64::from(mean);
            delays.push((pattern(name), Delay::Erlang(count, Time::from_integer(mean.into()))));
            tempo.rates.push((pattern(name), Some(rate)));
            tempo.events.push(vec![pattern(name)]);
            if let Some(label) = graph.labels().iter().position(|label| label == name) {
                stages[label] = Stages::Some(count, rate);
            }
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
        let Some(expected) = by_states(&graph, &delays) else { continue };
        let kind =
            |stages: &Stages| Kind { is_now: *stages == Stages::None, is_counted: *stages != Stages::None };
        let kinds: Vec<Kind> = stages.iter().map(kind).collect();
        let settled = settled(&graph, &kinds).expect("time passes");
        with_waiting += u32::from(settled.is_some());
        let graph = settled.unwrap_or(graph);
        let stages: Vec<Stages> = (0..graph.labels().len())
            .map(|label| stages.get(label).copied().unwrap_or(Stages::None))
            .collect();
        let spread = spread(&graph, &stages, &Budget::unlimited(&Unwatched)).expect("a small graph");
        let paced = Paced::new(&spread, &tempo).expect("a chain");
        let found = paced.throughputs(ACCURACY).expect("time passes");
        for (found, expected) in found.iter().zip(&expected) {
            let (one, other) = (found.uniform, *expected);
            assert!(found.open.is_none(), "{graph:?}");
            let near = (one.middle() - other.middle()).abs() <= 1e-6 * (1e-6 + other.middle());
            assert!(near, "{one:?} {other:?} {graph:?} {delays:?}");
        }
        compared += 1;
        with_memory += u32::from(spread.states() > graph.states() + 4);
    }
    assert!(
        compared > 800 && with_memory > 200 && with_waiting > 50,
        "{compared} {with_memory} {with_waiting}"
    );
}
