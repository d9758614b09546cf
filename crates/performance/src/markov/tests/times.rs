//! How long something takes, and what holds at a time.

use super::super::{Accuracy, Interval, distribution_at, mean_time, reward_at, until};
use super::{Builder, chain, queue};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

#[test]
fn phases_in_a_row() {
    for phases in [1_u32, 7, 2000] {
        let mut builder = Builder::new(0, 0);
        for phase in 0..phases {
            builder.row([(phase + 1, 4.0)]);
        }
        builder.row([(0, 1.0)]);
        let chain = builder.build([(0, 1.0)]).unwrap();
        let found = mean_time(&chain, |state| state == phases, ACCURACY);
        assert!(found.contains(f64::from(phases) / 4.0) && ACCURACY.is_met(found), "{found}");
        let passed = vec![4.0; phases as usize + 1];
        let found = until(&chain, &passed, |state| state == phases, ACCURACY);
        assert!(found.contains(f64::from(phases)) && ACCURACY.is_met(found), "{found}");
    }
}

#[test]
fn a_target_that_may_be_missed_takes_for_ever() {
    let chain = chain(&[&[(1, 1.0), (2, 1e-9)], &[(0, 1.0)], &[(2, 1.0)]]);
    assert_eq!(mean_time(&chain, |state| state == 1, ACCURACY), Interval::INFINITE);
    assert_eq!(mean_time(&chain, |state| state == 0, ACCURACY), Interval::exactly(0.0));
    assert_eq!(mean_time(&chain, |_| false, ACCURACY), Interval::INFINITE);
    let found = mean_time(&chain, |state| state == 2, ACCURACY);
    // 1 + 1e9 rounds of 2, and the last half.
    assert!(found.contains(2e9 + 1.0 - 1.0) || (found.middle() / 2e9 - 1.0).abs() < 1e-8, "{found}");
}

#[test]
fn a_queue_fills_up() {
    // The time from n to n + 1 is the sum of ratios of earlier ones.
    for room in [10_u32, 450] {
        let chain = queue(room, 1.0, 0.9);
        let (mut step, mut expected) = (1.0, 1.0);
        for _ in 1..room {
            step = 1.0 + 0.9 * step;
            expected += step;
        }
        let found = mean_time(&chain, |state| state == room, ACCURACY);
        assert!(ACCURACY.is_met(found), "{found}");
        assert!(found.widened(1e-12 * expected).contains(expected), "{found} {expected}");
        // Only some states count.
        let count: Vec<f64> = (0..=room).map(|length| if length == 0 { 1.0 } else { 0.0 }).collect();
        let found = until(&chain, &count, |state| state == room, ACCURACY);
        let idle: f64 = (0..room).map(|length| 0.9_f64.powi(length as i32)).sum();
        assert!(ACCURACY.is_met(found), "{found}");
        assert!(found.widened(1e-12 * idle).contains(idle), "{found} {idle}");
    }
}

#[test]
fn two_states_at_a_time() {
    // On for 1/2 on average, off for 1/3: back to on with 3/5 + 2/5·e^(−5t).
    let chain = chain(&[&[(1, 2.0)], &[(0, 3.0)]]);
    for time in [0.0, 1e-6, 0.1, 1.0, 30.0, 1e6, 1e12] {
        let expected = 0.6 + 0.4 * f64::exp(-5.0 * time);
        let found = distribution_at(&chain, time, ACCURACY);
        assert!((found.probabilities[0] - expected).abs() <= found.error + 1e-15, "{time} {found:?}");
        // Later than that, it is not proved that nothing will change.
        assert!(found.error < 1e-6 || time > 1e9, "{time} {}", found.error);
        let found = reward_at(&chain, &[1.0, 0.0], time, ACCURACY);
        assert!(found.widened(1e-15).contains(expected), "{time} {found} {expected}");
        assert!(found.width() < 1e-6, "{time} {found}");
    }
}

#[test]
fn phases_at_a_time() {
    // After an Erlang time with three phases of rate 2.
    let chain = chain(&[&[(1, 2.0)], &[(2, 2.0)], &[(3, 2.0)], &[]]);
    for time in [0.2, 1.0, 4.0, 100.0] {
        let x = 2.0 * time;
        let expected = 1.0 - (1.0 + x + x * x / 2.0) * f64::exp(-x);
        let found = distribution_at(&chain, time, ACCURACY);
        assert!((found.probabilities[3] - expected).abs() <= found.error + 1e-15);
        let found = reward_at(&chain, &[0.0, 0.0, 0.0, 5.0], time, ACCURACY);
        assert!(found.widened(1e-14).contains(5.0 * expected), "{found} {expected}");
    }
}
