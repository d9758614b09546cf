//! Chains in which equal parts count once, against the chains of all states.

use narrows_explicit::{Asked, Budget, Quotient, Symmetry, Unwatched};
use narrows_graph::random::Random;
use narrows_model::{Evaluator, StateSpace, System};

use super::build;
use crate::markov::{Accuracy, Interval, long_run};
use crate::samples::{drive, system, timing};
use crate::{Delay, StateGraph, Time, Timing};

/// Returns how many states there are, and how often something happens in the long run.
fn solve(space: &dyn StateSpace, of_orbits: bool, system: &System, timing: &Timing) -> (u32, Interval) {
    let rows = StateGraph::new(space, Some(system), timing, Budget::unlimited(Unwatched)).unwrap();
    solve_rows(if of_orbits { rows.of_orbits() } else { rows })
}

fn solve_rows(rows: StateGraph<'_>) -> (u32, Interval) {
    let view = build(rows).unwrap();
    assert!(view.is_chain());
    let chain = view.chain().unwrap();
    let accuracy = Accuracy::relative(1e-9);
    (view.tangible_states(), long_run(&chain, &[view.frequencies(0)], accuracy).remove(0))
}

#[test]
fn chains_of_orbits_have_the_same_means() {
    let mut random = Random::new(7);
    let mut smaller = 0;
    for _ in 0..12 {
        let (text, channels) = drive(&mut random);
        let system = system(&text);
        let mean = |random: &mut Random| Delay::Exponential(Time::new(random.between(1, 9) as i128, 2));
        let delays = ["slot:submit", "engine:fetch", "engine:back", "channel:flash"];
        let delays = delays.map(|name| (name, mean(&mut random)));
        let mut timing = timing(&system, &delays, &["slot:complete"]);
        timing.weights(&Timing::sites(&system, "engine", "page"), &vec![1; channels]);
        let label = |proctype, transition| timing.label_of(proctype, transition);
        let asked = Asked { label: &label, ..Asked::NOTHING };
        let evaluator = Evaluator::new(&system);
        let symmetry = Symmetry::find(evaluator, &asked).unwrap();
        assert_eq!(symmetry.words().len(), 2, "{text}");
        let meant = if symmetry.forgets() { evaluator.forgetting() } else { evaluator };
        let (all, exact) = solve(&evaluator, false, &system, &timing);
        let quotient = Quotient::new(&meant, &symmetry);
        let (orbits, found) = solve(&quotient, true, &system, &timing);
        // Both are certain to contain the mean, and are narrow.
        assert!(found.low <= exact.high && exact.low <= found.high, "{found:?} {exact:?} in {text}");
        assert!(exact.high - exact.low < 1e-8 && found.high - found.low < 1e-8, "{found:?} {exact:?}");
        smaller += u32::from(orbits < all);
        // Where the choice of a channel is weighted, they are not equal.
        timing.weights(&Timing::sites(&system, "engine", "page"), &(1..=channels as u32).collect::<Vec<_>>());
        let label = |proctype, transition| timing.label_of(proctype, transition);
        let uneven = Symmetry::find(evaluator, &Asked { label: &label, ..Asked::NOTHING }).unwrap();
        assert_eq!(uneven.words().len(), 1, "{text}");
    }
    assert_eq!(smaller, 12);
}

/// Stages are clocks: they go with their processes.
#[test]
fn stages_are_exchanged_with_their_processes() {
    let mut random = Random::new(21);
    let mut smaller = 0;
    for _ in 0..8 {
        let (text, channels) = drive(&mut random);
        let system = system(&text);
        let delays = ["slot:submit", "engine:fetch", "engine:back", "channel:flash"].map(|name| {
            let mean = Time::new(random.between(1, 9) as i128, 2);
            let is_staged = name == "channel:flash" || random.percent(30);
            (name, if is_staged { Delay::Erlang(2, mean) } else { Delay::Exponential(mean) })
        });
        let mut timing = timing(&system, &delays, &["slot:complete"]);
        timing.weights(&Timing::sites(&system, "engine", "page"), &vec![1; channels]);
        let label = |proctype, transition| timing.label_of(proctype, transition);
        let evaluator = Evaluator::new(&system);
        let symmetry = Symmetry::find(evaluator, &Asked { label: &label, ..Asked::NOTHING }).unwrap();
        let meant = if symmetry.forgets() { evaluator.forgetting() } else { evaluator };
        let rows = || StateGraph::new(&meant, Some(&system), &timing, Budget::unlimited(Unwatched)).unwrap();
        let (all, exact) = solve_rows(rows());
        let (once, found) = solve_rows(rows().exchanging(&symmetry));
        assert!(found.low <= exact.high && exact.low <= found.high, "{found:?} {exact:?} in {text}");
        assert!(exact.high - exact.low < 1e-8 && found.high - found.low < 1e-8, "{found:?} {exact:?}");
        smaller += u32::from(once < all);
    }
    assert_eq!(smaller, 8);
}
