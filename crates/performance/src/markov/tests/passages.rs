//! How long it takes from when something begins to hold until something else does.

use narrows_graph::Random;

use super::super::{Accuracy, Begun, Chain, Interval, Requests, mean_time, steady};
use super::{Builder, chain, queue};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// Bounds the mean time from where something begins to hold until something else does.
fn passage(chain: &Chain, from: impl Fn(u32) -> bool, to: impl Fn(u32) -> bool) -> Option<Interval> {
    let over = chain.states() as u32;
    let followed = |state: u32| (!to(state)).then_some(state);
    let (mut begun, mut rows) = (Vec::new(), Builder::new(0, 0));
    for state in 0..over {
        for (target, rate) in chain.row(state as usize).filter(|(target, _)| !from(state) && from(*target)) {
            begun.push(Begun { state, rate, followed: followed(target) });
        }
        rows.row(chain.row(state as usize).map(|(target, rate)| (followed(target).unwrap_or(over), rate)));
    }
    rows.row([]);
    let first = chain.initial().iter().filter(|(state, _)| from(*state));
    let first = first.map(|(state, weight)| (*weight, followed(*state))).collect();
    let open = vec![0.0; chain.states()];
    let followed = rows.build([(over, 1.0)]).unwrap();
    let requests = Requests { base: chain.clone(), open, begun, first, followed };
    Some(requests.recurrent().unwrap()?.0.mean(ACCURACY))
}

#[test]
fn a_queue_is_busy_for_a_while() {
    for room in [1_u32, 5, 60, 700] {
        // From when the first comes until the last goes: a sum of ratios.
        let chain = queue(room, 0.9, 1.0);
        let mut expected = 1.0;
        for _ in 1..room {
            expected = 1.0 + 0.9 * expected;
        }
        let found = passage(&chain, |length| length > 0, |length| length == 0).unwrap();
        assert!(ACCURACY.is_met(found), "{room} {found}");
        assert!(found.widened(1e-12 * expected).contains(expected), "{room} {found} {expected}");
    }
}

#[test]
fn starts_are_weighed_as_they_come() {
    // From 0 it goes to 1 in two of three cases, and otherwise to 2; there it takes 1/4 and 1/8 on average.
    let chain = chain(&[&[(1, 2.0), (2, 1.0)], &[(0, 4.0)], &[(0, 8.0)]]);
    let found = passage(&chain, |state| state > 0, |state| state == 0).unwrap();
    let expected = 2.0 / 3.0 / 4.0 + 1.0 / 3.0 / 8.0;
    assert!(found.widened(1e-15).contains(expected) && ACCURACY.is_met(found), "{found}");
}

#[test]
fn what_begins_once_begins_at_the_start() {
    let chain = chain(&[&[(1, 2.0)], &[(2, 1.0)], &[(1, 1.0)]]);
    let found = passage(&chain, |state| state == 0, |state| state == 2).unwrap();
    assert!(found.widened(1e-14).contains(1.5), "{found}");
    assert_eq!(passage(&chain, |state| state > 5, |state| state == 2), None);
    assert_eq!(passage(&chain, |state| state == 1, |state| state == 0), Some(Interval::INFINITE));
}

#[test]
fn random_chains_as_before() {
    // Starts with weights that were solved, not proved.
    let mut random = Random::new(3);
    for _ in 0..500 {
        let size = 3 + random.below(6) as u32;
        let mut builder = Builder::new(0, 0);
        for state in 0..size {
            let others = (0..size).filter(|_| random.below(3) == 0).collect::<Vec<_>>();
            let next = (state + 1) % size;
            let rates: Vec<(u32, f64)> =
                others.into_iter().chain([next]).map(|to| (to, (1 + random.below(9)) as f64)).collect();
            builder.row(rates);
        }
        let chain = builder.build([(0, 1.0)]).unwrap();
        let from = |state: u32| state % 2 == 1;
        let to = |state: u32| state == 0;
        let shares = steady(&chain, ACCURACY);
        let mut entered = vec![0.0; size as usize];
        for state in (0..size).filter(|state| !from(*state)) {
            for (target, rate) in chain.row(state as usize).filter(|(target, _)| from(*target)) {
                entered[target as usize] += rate * shares[state as usize];
            }
        }
        let total: f64 = entered.iter().sum();
        let starts = (0..).zip(&entered).filter(|(_, share)| **share > 0.0);
        let started = chain.starting(starts.map(|(state, share)| (state, share / total))).unwrap();
        let expected = mean_time(&started, to, ACCURACY).middle();
        let found = passage(&chain, from, to).unwrap();
        assert!(ACCURACY.is_met(found), "{found}");
        assert!(found.widened(1e-11 * expected).contains(expected), "{found} {expected}");
    }
}
