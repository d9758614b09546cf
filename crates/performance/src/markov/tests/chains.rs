//! Chains whose long run is known.

use std::sync::atomic::{AtomicUsize, Ordering};

use narrows_graph::Random;

use super::super::{Accuracy, Interval, long_run, reward_at, steady};
use super::{Builder, chain, queue, tandem};

fn close(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

/// The probabilities of a queue with room for so many.
fn geometric(room: u32, ratio: f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..=room).map(|length| ratio.powi(length as i32)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

#[track_caller]
fn average(chain: &super::Chain, reward: Vec<f64>) -> Interval {
    let accuracy = Accuracy::default();
    let found = long_run(chain, &[reward], accuracy)[0];
    assert!(accuracy.is_met(found), "{found}");
    found
}

#[test]
fn queues_of_all_sizes() {
    for room in [1, 5, 100, 398, 400, 1000] {
        for ratio in [0.5, 0.9, 1.0, 1.1] {
            let chain = queue(room, ratio, 1.0);
            let expected = geometric(room, ratio);
            let length: f64 = expected.iter().enumerate().map(|(length, share)| length as f64 * share).sum();
            let found = average(&chain, (0..=room).map(f64::from).collect());
            assert!(found.contains(length) || close(found.middle(), length, 1e-12), "{room} {ratio} {found}");
            let throughput = 1.0 - expected[0];
            let found = average(&chain, (0..=room).map(|length| f64::from(u8::from(length > 0))).collect());
            assert!(found.contains(throughput) || close(found.middle(), throughput, 1e-12), "{room} {ratio}");
        }
    }
}

#[test]
fn what_is_rare_is_computed_as_well() {
    // The queue is full once in 2^60.
    let chain = queue(60, 0.5, 1.0);
    let full = geometric(60, 0.5)[60];
    let reward = (0..=60).map(|length| f64::from(u8::from(length == 60))).collect();
    let found = average(&chain, reward);
    assert!(found.contains(full) || close(found.middle(), full, 1e-12), "{found}");
}

#[test]
fn distributions_of_queues() {
    for room in [3, 50, 700] {
        let found = steady(&queue(room, 0.8, 1.0), Accuracy::default());
        for (found, expected) in found.iter().zip(geometric(room, 0.8)) {
            assert!((found - expected).abs() < 1e-10, "{room}");
        }
    }
}

#[test]
fn queues_in_a_row() {
    // Both directions of counting agree: what arrives also leaves.
    let room = 40;
    let chain = tandem(room, 1.0, 1.2, 1.1);
    let by = |of: &dyn Fn(u32, u32) -> f64| -> Vec<f64> {
        (0..=room)
            .flat_map(|one| (0..=room).map(move |other| (one, other)))
            .map(|(one, other)| of(one, other))
            .collect()
    };
    let accuracy = Accuracy { relative: 1e-9, ..Accuracy::default() };
    let arrivals = by(&|one, _| if one < room { 1.0 } else { 0.0 });
    let departures = by(&|_, other| if other > 0 { 1.1 } else { 0.0 });
    let found = long_run(&chain, &[arrivals.clone(), departures], accuracy);
    assert!(accuracy.is_met(found[0]) && accuracy.is_met(found[1]), "{found:?}");
    assert!(found[0].low <= found[1].high && found[1].low <= found[0].high, "{found:?}");
    let by_share: f64 = steady(&chain, accuracy).iter().zip(arrivals).map(|(share, rate)| share * rate).sum();
    assert!(found[0].widened(1e-12).contains(by_share), "{by_share} {}", found[0]);
}

#[test]
fn one_state_and_absorbing_states() {
    assert_eq!(average(&chain(&[&[]]), vec![3.5]), Interval::exactly(3.5));
    assert_eq!(average(&chain(&[&[(0, 2.0)]]), vec![1.0]), Interval::exactly(1.0));
    // From 0 to 1 with probability 1/4, to 2 otherwise.
    let found = average(&chain(&[&[(1, 1.0), (2, 3.0)], &[], &[]]), vec![9.0, 4.0, 0.0]);
    assert!(found.contains(1.0) && found.width() < 1e-12, "{found}");
}

#[test]
fn several_components() {
    // A gambler: up or down until 0 or 600, then pairs that take turns.
    let size = 600_u32;
    let mut builder = Builder::new(0, 0);
    builder.row([(size + 1, 1.0)]);
    for state in 1..size {
        builder.row([(state - 1, 1.0), (state + 1, 1.0)]);
    }
    builder.row([(size + 2, 3.0)]);
    builder.row([(0, 1.0)]);
    builder.row([(size, 1.0)]);
    let chain = builder.build([(150, 1.0)]).unwrap();
    let mut reward = vec![0.0; size as usize + 3];
    // Half the time in the left pair, a quarter in the right one.
    (reward[0], reward[size as usize]) = (1.0, 8.0);
    let found = average(&chain, reward);
    assert!(found.contains(0.75 * 0.5 + 0.25 * 2.0), "{found}");
    let shares = steady(&chain, Accuracy::default());
    assert!((shares[0] - 0.375).abs() < 1e-6 && (shares[size as usize + 2] - 0.1875).abs() < 1e-6);
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
}

#[test]
fn rings_in_any_order() {
    for size in [3_u32, 500, 2000] {
        let mut random = Random::new(u64::from(size));
        let mut names: Vec<u32> = (0..size).collect();
        for place in (1..size as usize).rev() {
            names.swap(place, random.below(place as u64 + 1) as usize);
        }
        for name in [(0..size).collect(), (0..size).rev().collect(), names] {
            let name: Vec<u32> = name;
            let mut rows = vec![(0, 0.0); size as usize];
            let mut expected = 0.0;
            for place in 0..size as usize {
                let rate = f64::from(1 + place as u32 % 3);
                expected += 1.0 / rate;
                rows[name[place] as usize] = (name[(place + 1) % size as usize], rate);
            }
            let mut builder = Builder::new(0, 0);
            for row in rows {
                builder.row([row]);
            }
            let chain = builder.build([(0, 1.0)]).unwrap();
            let mut reward = vec![0.0; size as usize];
            reward[name[0] as usize] = 1.0;
            let found = average(&chain, reward);
            let expected = 1.0 / expected;
            assert!(found.contains(expected) || close(found.middle(), expected, 1e-12), "{size} {found}");
        }
    }
}

#[test]
fn random_chains_with_unlike_rates() {
    let mut random = Random::new(3);
    for _ in 0..30 {
        let size = 420 + random.below(300) as u32;
        let mut builder = Builder::new(0, 0);
        for state in 0..size {
            let mut row = vec![((state + 1) % size, 1.0)];
            for _ in 0..random.below(4) {
                let rate = 2.0_f64.powi(random.below(12) as i32 - 6);
                row.push((random.below(u64::from(size)) as u32, rate));
            }
            builder.row(row);
        }
        let chain = builder.build([(0, 1.0)]).unwrap();
        let reward: Vec<f64> = (0..size).map(|state| f64::from(state % 7)).collect();
        let found = average(&chain, reward.clone());
        let columns = vec![vec![0.0; size as usize]];
        let all: Vec<u32> = (0..size).collect();
        let shares = super::super::elimination::Dense::new(&chain, &all, columns, &[]).distribution();
        let expected: f64 = shares.iter().zip(reward).map(|(share, reward)| share * reward).sum();
        assert!(found.widened(1e-13 * expected).contains(expected), "{found} {expected}");
    }
}

#[test]
fn solving_stops_when_told_and_stays_right() {
    let room = 60;
    let chain = tandem(room, 1.0, 1.05, 1.02);
    let states = chain.states();
    let reward: Vec<f64> = (0..states).map(|state| f64::from(u8::from(state % 61 > 0))).collect();
    let full = Accuracy { relative: 1e-12, ..Accuracy::default() };
    let whole =
        (long_run(&chain, std::slice::from_ref(&reward), full)[0], reward_at(&chain, &reward, 90.0, full));
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 0;
    let accuracy = Accuracy { stop: Some(&stop), ..full };
    let cut = long_run(&chain, std::slice::from_ref(&reward), accuracy)[0];
    assert!(asked.swap(0, Ordering::Relaxed) <= 6, "it went on");
    assert!(!full.is_met(cut) && cut.low <= whole.0.low && whole.0.high <= cut.high, "{cut} {}", whole.0);
    let cut = reward_at(&chain, &reward, 90.0, accuracy);
    assert!(asked.load(Ordering::Relaxed) <= 4, "it went on");
    assert!(!full.is_met(cut) && cut.low <= whole.1.low && whole.1.high <= cut.high, "{cut} {}", whole.1);
}
