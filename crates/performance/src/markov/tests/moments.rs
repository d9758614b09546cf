//! What holds at a time, over all schedulers.

use narrows_graph::Random;

use super::super::automaton::Builder;
use super::super::{Accuracy, Aim, Automaton, Interval, find_zeno, reward_at, reward_at_over, vanish};
use super::automata::{policies, random_automaton};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// Follows `v' = max Q·v` in many small steps of order four.
fn followed(automaton: &Automaton, reward: &[f64], time: f64, greatest: bool, steps: usize) -> f64 {
    // Decisions are worth what the best choice leads to.
    let decided = |values: &[f64]| -> Vec<f64> {
        let mut values = values.to_vec();
        for _ in 0..60 {
            let mut change = 0.0_f64;
            for state in (0..values.len()).rev().filter(|state| !automaton.waits(*state)) {
                let sums = automaton.choices(state).map(|choice| -> f64 {
                    automaton.row(choice).map(|(to, weight)| weight * values[to as usize]).sum()
                });
                let best = if greatest { sums.reduce(f64::max) } else { sums.reduce(f64::min) };
                let best = best.unwrap();
                change = change.max((best - values[state]).abs());
                values[state] = best;
            }
            if change < 1e-14 {
                break;
            }
        }
        values
    };
    let slope = |values: &[f64]| -> Vec<f64> {
        let all = decided(values);
        let of = |state: usize| {
            if !automaton.waits(state) {
                return 0.0;
            }
            let row = automaton.row(automaton.choices(state).start);
            row.map(|(to, rate)| rate * (all[to as usize] - all[state])).sum()
        };
        (0..automaton.states()).map(of).collect()
    };
    let plus = |values: &[f64], slope: &[f64], by: f64| -> Vec<f64> {
        values.iter().zip(slope).map(|(value, slope)| value + by * slope).collect()
    };
    let step = time / steps as f64;
    let mut values = reward.to_vec();
    for _ in 0..steps {
        let first = slope(&values);
        let second = slope(&plus(&values, &first, step / 2.0));
        let third = slope(&plus(&values, &second, step / 2.0));
        let fourth = slope(&plus(&values, &third, step));
        for state in 0..values.len() {
            values[state] +=
                step / 6.0 * (first[state] + 2.0 * second[state] + 2.0 * third[state] + fourth[state]);
        }
    }
    decided(&values)[automaton.initial() as usize]
}

/// Whether a decision may come back before time passes.
fn goes_round(automaton: &Automaton) -> bool {
    let mut depth = vec![0; automaton.states()];
    for _ in 0..=automaton.states() {
        for state in (0..automaton.states()).filter(|state| !automaton.waits(*state)) {
            let behind = automaton.successors(state).iter().map(|to| depth[*to as usize]);
            depth[state] = 1 + behind.max().unwrap_or(0);
        }
    }
    depth.iter().any(|depth| *depth > automaton.states())
}

/// A race: one way is quick but may fail, the other is slow and sure. Which is better depends on the time
/// that is left.
fn race() -> (Automaton, Vec<f64>) {
    let mut builder = Builder::default();
    builder.deciding();
    builder.choice([(1, 1.0)]);
    builder.choice([(2, 1.0)]);
    builder.waiting([(4, 3.0), (5, 1.0)]);
    builder.waiting([(3, 4.0)]);
    builder.waiting([(4, 4.0)]);
    builder.waiting([]);
    builder.waiting([]);
    (builder.build(0).unwrap(), vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
}

#[test]
fn the_better_way_depends_on_the_time() {
    let (automaton, reward) = race();
    for time in [0.0, 0.1, 0.5, 1.0, 3.0, 50.0] {
        let quick = 0.75 * (1.0 - f64::exp(-4.0 * time));
        let sure = 1.0 - f64::exp(-4.0 * time) * (1.0 + 4.0 * time);
        for (aim, expected) in [(Aim::Greatest, quick.max(sure)), (Aim::Least, quick.min(sure))] {
            let found = reward_at_over(&automaton, &reward, time, aim, ACCURACY).unwrap();
            assert!(found.widened(1e-14).contains(expected), "{time} {aim:?} {found} {expected}");
            assert!(ACCURACY.is_met(found) || found.width() < 1e-12, "{time} {aim:?} {found}");
        }
    }
}

/// The same again and again: when there is little time left, the quick way is better.
fn repeated() -> (Automaton, Vec<f64>) {
    let mut builder = Builder::default();
    builder.waiting([(1, 2.0)]);
    builder.deciding();
    builder.choice([(2, 0.5), (3, 0.5)]);
    builder.choice([(4, 1.0)]);
    builder.waiting([(5, 5.0)]);
    builder.waiting([(0, 0.2)]);
    builder.waiting([(2, 1.5)]);
    builder.waiting([(0, 0.1)]);
    (builder.build(0).unwrap(), vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
}

#[test]
fn schedulers_that_look_at_the_clock_are_better() {
    let (automaton, reward) = repeated();
    for time in [0.3, 2.0, 9.0] {
        let found = reward_at_over(&automaton, &reward, time, Aim::Greatest, ACCURACY).unwrap();
        let expected = followed(&automaton, &reward, time, true, 20_000);
        assert!(ACCURACY.is_met(found), "{found}");
        assert!(found.widened(1e-8).contains(expected), "{time} {found} {expected}");
        let of_policy = |policy: &Vec<usize>| {
            let fixed = vanish(&automaton, &[], |state| vec![policy[state]]).unwrap();
            let rewards: Vec<f64> = fixed.states.iter().map(|state| reward[*state as usize]).collect();
            reward_at(&fixed.chain, &rewards, time, ACCURACY).middle()
        };
        let best = policies(&automaton).iter().map(of_policy).fold(0.0, f64::max);
        assert!(best < found.low + 1e-9, "{time} {best} {found}");
        // In the middle it pays to change.
        assert!((time - 2.0).abs() > 0.1 || best < found.low - 1e-4, "{best} {found}");
    }
}

#[test]
fn random_automata_at_a_time() {
    let mut random = Random::new(31);
    let (mut tried, mut open, mut followed_too) = (0, 0, 0);
    for round in 0..400 {
        let automaton = random_automaton(&mut random);
        let reward: Vec<f64> = (0..automaton.states()).map(|_| random.below(3) as f64).collect();
        let time = [0.2, 1.0, 6.0][random.below(3) as usize];
        if find_zeno(&automaton).is_some() {
            continue;
        }
        tried += 1;
        let of = |aim| reward_at_over(&automaton, &reward, time, aim, ACCURACY).unwrap();
        let (least, greatest): (Interval, Interval) = (of(Aim::Least), of(Aim::Greatest));
        // Where it is not met, the bound on rounding is what is left: it adds up over 85 steps with 14
        // decisions per time to 4e-11 in round 17, and stays the same however small the tolerance is.
        let narrow = |found: Interval| ACCURACY.is_met(found) || found.width() < 1e-10;
        assert!(narrow(least) && narrow(greatest), "{round}: {least} {greatest}");
        open += usize::from(least.high < greatest.low - 1e-6);
        for policy in policies(&automaton) {
            let fixed = vanish(&automaton, &[], |state| vec![policy[state]]).unwrap();
            let rewards: Vec<f64> = fixed.states.iter().map(|state| reward[*state as usize]).collect();
            let one = reward_at(&fixed.chain, &rewards, time, ACCURACY);
            assert!(least.low <= one.high && one.low <= greatest.high, "{round}: {least} {one} {greatest}");
        }
        // Where decisions go round for long, small steps take too long.
        if goes_round(&automaton) {
            continue;
        }
        followed_too += 1;
        for (found, is_greatest) in [(least, false), (greatest, true)] {
            let expected = followed(&automaton, &reward, time, is_greatest, 1500);
            assert!(found.widened(1e-5).contains(expected), "{round}: {found} {expected}");
        }
    }
    assert!(tried > 200 && open > 50 && followed_too > 100, "{tried} {open} {followed_too}");
}
