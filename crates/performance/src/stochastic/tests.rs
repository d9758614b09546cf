//! Stochastic views of small models.

use narrows_explicit::{Budget, Unwatched};
use narrows_model::{Evaluator, System};
use num_bigint::BigInt;
use num_traits::Signed;

use super::{Stochastic, Target, build};
use crate::fine::Fine;
use crate::fine::tests::{Fraction, fraction, value};
use crate::samples::{system, timing};
use crate::{BuildError, Delay, StateGraph, Time, Timing};

fn exponential(mean: i128) -> Delay {
    Delay::Exponential(Time::from_integer(mean))
}

fn with_view<R>(
    system: &System,
    timing: &Timing,
    use_it: impl FnOnce(Result<Stochastic<'_>, BuildError>) -> R,
) -> R {
    let evaluator = Evaluator::new(system);
    let state_graph =
        StateGraph::new(&evaluator, Some(system), timing, Budget::unlimited(Unwatched)).unwrap();
    use_it(build(state_graph))
}

const QUEUE: &str = "byte n;
    active proctype arrival() { do :: arrive: d_step { n < 3 -> n++ } od }
    active proctype server() { do :: serve: d_step { n > 0 -> n-- } od }";

#[test]
fn a_queue_is_a_chain() {
    let system = system(QUEUE);
    let timing = timing(
        &system,
        &[("arrival:arrive", exponential(2)), ("server:serve", exponential(1))],
        &["server:serve"],
    );
    with_view(&system, &timing, |view| {
        let view = view.unwrap();
        assert_eq!((view.tangible_states(), view.decisions(), view.transition_count()), (4, 0, 6));
        assert_eq!(view.initial().next().unwrap().target, Target::Tangible(0));
        let transitions = view.transitions(1);
        let rates: Vec<f64> = transitions.clone().map(|transition| transition.rate.near()).collect();
        assert!(rates.contains(&0.5) && rates.contains(&1.0));
        for transition in transitions {
            assert_eq!(view.count(transition.tally, 0), u32::from(transition.rate.near() > 0.7));
        }
    });
}

#[test]
fn stages_are_states() {
    let system = system(QUEUE);
    let erlang = Delay::Erlang(3, Time::from_integer(1));
    let timing =
        timing(&system, &[("arrival:arrive", exponential(2)), ("server:serve", erlang)], &["server:serve"]);
    with_view(&system, &timing, |view| {
        let view = view.unwrap();
        // Empty, or one to three customers with three stages each.
        assert_eq!((view.tangible_states(), view.decisions()), (10, 0));
    });
}

#[test]
fn steps_without_delay_are_left_out() {
    // After each service two processes do something at once, in either order.
    let text = "byte n, x, y; bit a, b;
        active proctype arrival() { do :: arrive: d_step { n < 2 -> n++ } od }
        active proctype server() { do :: serve: d_step { n > 0 && !a && !b -> n--; a = 1; b = 1 } od }
        active proctype left() { do :: a -> a = 0 od }
        active proctype right() { do :: b -> b = 0 od }";
    let system = system(text);
    let timing =
        timing(&system, &[("arrival:arrive", exponential(2)), ("server:serve", exponential(1))], &[]);
    with_view(&system, &timing, |view| {
        let view = view.unwrap();
        assert_eq!((view.tangible_states(), view.decisions(), view.transition_count()), (3, 0, 4));
    });
}

#[test]
fn open_choices_are_decisions_and_weights_are_chance() {
    let text = "byte n; bit up;
        active proctype source() {
          do :: come: n == 0 -> if :: n = 1 :: n = 2 fi od
        }
        active proctype sink() { do :: go: d_step { n > 0 -> n = 0 } od }";
    let system = system(text);
    let delays = [("source:come", exponential(1)), ("sink:go", exponential(1))];
    let mut given = timing(&system, &delays, &[]);
    with_view(&system, &given, |view| {
        let view = view.unwrap();
        assert_eq!((view.tangible_states(), view.decisions()), (3, 1));
        assert_eq!(view.choices(0).count(), 2);
    });
    // The same choice by chance.
    let labelled = self::system(&text.replace("-> if", "-> pick: if"));
    given = timing(&labelled, &delays, &[]);
    given.weights(&Timing::sites(&labelled, "source", "pick"), &[1, 3]);
    with_view(&labelled, &given, |view| {
        let view = view.unwrap();
        assert_eq!((view.tangible_states(), view.decisions()), (3, 0));
        let rates: Vec<f64> = view.transitions(0).map(|transition| transition.rate.near()).collect();
        assert_eq!(rates, [0.25, 0.75]);
    });
}

#[test]
fn busy_waiting_is_one_rest() {
    let text = "bit ready; byte got;
        active proctype engine() { do :: !ready -> done: ready = 1 od }
        active proctype main() { do :: ready -> ready = 0; got = 1 - got :: else -> skip; skip od }";
    let system = system(text);
    let timing = timing(&system, &[("engine:done", exponential(7))], &["engine:done"]);
    with_view(&system, &timing, |view| {
        let view = view.unwrap();
        assert_eq!((view.tangible_states(), view.decisions(), view.transition_count()), (2, 0, 2));
        assert!(view.states(0).len() > 1);
    });
}

/// Twelve choices in a row, in no time: rates are products of as many chances, added up over many ways.
#[test]
fn rates_are_as_close_to_exact_fractions_as_they_say() {
    let text = "byte n, k;
        active proctype source() { do :: come: n = 0; k = 0;
            do :: k < 12 -> pick: if :: n++ :: skip fi; k++ :: k == 12 -> break od od }";
    let system = system(text);
    let mut given = timing(&system, &[("source:come", Delay::Exponential(Time::new(7, 3)))], &[]);
    given.weights(&Timing::sites(&system, "source", "pick"), &[1, 2]);
    with_view(&system, &given, |view| {
        let view = view.unwrap();
        assert_eq!(view.decisions(), 0);
        let power = |base: i32, exponent: usize| BigInt::from(base).pow(exponent as u32);
        let mut found: Vec<_> = view.transitions(0).map(|transition| transition.rate).collect();
        found.sort_by(|one, other| one.near().total_cmp(&other.near()));
        let mut expected: Vec<Fraction> = Vec::new();
        let mut ways = BigInt::from(1);
        for heads in 0..=12 {
            // 3/7 · ways · 2¹²⁻ʰ / 3¹²
            expected.push(Fraction::new(BigInt::from(3) * &ways * power(2, 12 - heads), 7 * power(3, 12)));
            ways = ways * (12 - heads) / (heads + 1);
        }
        expected.sort();
        assert_eq!(found.len(), expected.len());
        for (rate, expected) in found.iter().zip(&expected) {
            let off = (value(*rate) - expected).abs() / expected;
            assert!(off <= fraction(rate.off()) && rate.off() < 1e-20, "{rate:?} {expected}");
            assert!(!rate.is_exact());
        }
        let chain = view.fine_chain(Fine::ONE).unwrap();
        let sum: Fraction = found.iter().fold(fraction(0.0), |sum, rate| sum + value(*rate));
        assert!((sum / Fraction::new(3.into(), 7.into()) - fraction(1.0)).abs() < fraction(1e-20));
        // In the first one, nothing was counted yet.
        assert_eq!(chain.states(), 14);
    });
}
