//! The way to a target, against all schedulers that always decide alike in a state, and against matrices.

use narrows_graph::Random;

use super::super::automaton::Builder;
use super::super::{
    Accuracy, Aim, Automaton, Interval, Reach, average, before_step, find_zeno, long_run, ratio, reach,
    reward_at, uniform, vanish,
};
use super::automata::{agree, ends, policies, random_automaton, random_reward};
use crate::fine::Fine;

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// Makes the last state absorbing.
fn with_target(automaton: &Automaton) -> (Automaton, u32) {
    let target = automaton.states() as u32 - 1;
    let mut builder = Builder::default();
    for state in 0..automaton.states() - 1 {
        if automaton.waits(state) {
            builder.waiting(automaton.row(automaton.choices(state).start));
        } else {
            builder.deciding();
            for choice in automaton.choices(state) {
                builder.choice(automaton.row(choice));
            }
        }
    }
    builder.waiting([]);
    (builder.build(0).unwrap(), target)
}

/// A lottery by hand: one choice wins surely in the end, the other at once or never.
#[test]
fn a_lottery() {
    let mut builder = Builder::default();
    builder.deciding();
    builder.choice([(1, 1.0)]);
    builder.choice([(2, 0.25), (3, 0.75)]);
    builder.waiting([(0, 1.0), (2, 1.0)]);
    builder.waiting([]);
    builder.waiting([]);
    let lottery = builder.build(0).unwrap();
    let ever = reach(&lottery, 2, Reach::Ever, ACCURACY).unwrap();
    let [least, greatest] = ever.open.unwrap();
    assert!(least.widened(1e-12).contains(0.25) && greatest.widened(1e-12).contains(1.0), "{ever:?}");
    // With equally likely choices: p = (p + 1)/4 + 1/8.
    assert!(ever.even.widened(1e-12).contains(0.5), "{ever:?}");
    let mut reward = super::super::Reward::time(&lottery);
    let time = reach(&lottery, 2, Reach::Total(&reward), ACCURACY).unwrap().open.unwrap();
    // Only the first choice is sure to win, after a mean of 1.
    assert!(time[0].widened(1e-9).contains(1.0) && time[1] == Interval::INFINITE, "{time:?}");
    reward.rates.fill(0.0);
    let nothing = reach(&lottery, 2, Reach::Total(&reward), ACCURACY).unwrap().open.unwrap();
    assert!(nothing[0].high < 1e-12, "{nothing:?}");
}

#[test]
fn probabilities_and_quotients_of_random_automata() {
    let mut random = Random::new(23);
    let (mut open, mut between, mut quotients, mut narrow) = (0, 0, 0, 0);
    for round in 0..3000 {
        let (automaton, target) = with_target(&random_automaton(&mut random));
        if find_zeno(&automaton).is_some() {
            continue;
        }
        let [over, under] = [0; 2].map(|_| random_reward(&automaton, &mut random));
        let time = (1 + random.below(8)) as f64 / 4.0;
        let mut ever = Vec::new();
        let mut shares = Vec::new();
        let mut soon = Vec::new();
        for policy in policies(&automaton) {
            let rewards = [over.clone(), under.clone()];
            let fixed = vanish(&automaton, &rewards, |state| vec![policy[state]]).unwrap();
            let is_there = |state: &u32| f64::from(u8::from(*state == target));
            let there: Vec<f64> = fixed.states.iter().map(is_there).collect();
            soon.push(reward_at(&fixed.chain, &there, time, ACCURACY));
            ever.push(long_run(&fixed.chain, &[there], ACCURACY)[0]);
            let found = long_run(&fixed.chain, &fixed.rewards, ACCURACY);
            shares.push((found[0], found[1]));
        }
        let (least, greatest) = ends(&ever);
        let found = reach(&automaton, target, Reach::Ever, ACCURACY).unwrap();
        let both = found.open.unwrap_or([found.even; 2]);
        agree(both[0], least, &format!("least of {round}"));
        agree(both[1], greatest, &format!("greatest of {round}"));
        open += usize::from(least < greatest - 1e-9);
        between += usize::from(least > 1e-9 && greatest < 1.0 - 1e-9);
        narrow += usize::from(both.iter().all(|one| one.width() < 1e-9));
        // Schedulers that look at the clock may do better than these.
        let before = reach(&automaton, target, Reach::Before(Fine::from(time)), ACCURACY).unwrap();
        let before = before.open.unwrap_or([before.even; 2]);
        let (least, greatest) = ends(&soon);
        assert!(before[0].low <= least + 1e-6 && greatest <= before[1].high + 1e-6, "{round}");
        assert!(before[1].low <= both[1].high + 1e-6 && before[0].low <= both[0].high + 1e-6, "{round}");
        // Averages of several end components mix, and so do not make a quotient of one scheduler's own.
        let is_one = shares.iter().all(|(_, under)| under.low > 0.0) && greatest == 0.0;
        if is_one {
            let values: Vec<f64> =
                shares.iter().map(|(over, under)| over.middle() / under.middle()).collect();
            for aim in [Aim::Least, Aim::Greatest] {
                let pick = if aim == Aim::Least { f64::min } else { f64::max };
                let best = values.iter().copied().reduce(pick).unwrap();
                let found = ratio(&automaton, &over, &under, aim, ACCURACY).unwrap();
                assert!(found.low <= best + 1e-9 && best <= found.high + 1e-9, "{round} {found} {best}");
                quotients += usize::from(found.width() < 1e-5 * (1.0 + best));
            }
        }
    }
    assert!(open > 150 && between > 100 && quotients > 300, "{open} {between} {quotients}");
    assert!(narrow > 1500, "{narrow}");
}

/// Random schedulers, also those that decide by chance, stay within the least and the greatest.
#[test]
fn random_policies_stay_in_range() {
    let mut random = Random::new(31);
    let (mut compared, mut inside) = (0, 0);
    for round in 0..400 {
        let (automaton, target) = with_target(&random_automaton(&mut random));
        if find_zeno(&automaton).is_some() {
            continue;
        }
        let reward = random_reward(&automaton, &mut random);
        let mean =
            [Aim::Least, Aim::Greatest].map(|aim| average(&automaton, &reward, aim, ACCURACY).unwrap());
        let total = reach(&automaton, target, Reach::Total(&reward), ACCURACY).unwrap();
        let total = total.open.unwrap_or([total.even; 2]);
        for _ in 0..10 {
            // A random subset of the choices of each state, equally likely.
            let kept: Vec<Vec<usize>> = (0..automaton.states())
                .map(|state| {
                    let some: Vec<usize> =
                        automaton.choices(state).filter(|_| random.below(2) == 0).collect();
                    if some.is_empty() { vec![automaton.choices(state).start] } else { some }
                })
                .collect();
            let fixed =
                vanish(&automaton, std::slice::from_ref(&reward), |state| kept[state].clone()).unwrap();
            let found = long_run(&fixed.chain, &fixed.rewards, ACCURACY)[0];
            let slack = 1e-9 * (1.0 + found.high.abs());
            assert!(mean[0].low <= found.high + slack && found.low <= mean[1].high + slack, "{round}");
            compared += 1;
            inside += usize::from(mean[0].high < found.low - 1e-9 && found.high < mean[1].low - 1e-9);
            let is_there = |state: u32| fixed.states[state as usize] == target;
            let gained = super::super::until(&fixed.chain, &fixed.rewards[0], is_there, ACCURACY);
            let gained = gained.plus(Interval::exactly(fixed.before[0]));
            assert!(total[0].low <= gained.high + slack && gained.low <= total[1].high + slack, "{round}");
        }
    }
    assert!(compared > 2000 && inside > 50, "{compared} {inside}");
}

/// Steps of chance against powers of a matrix.
#[test]
fn steps_are_powers() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let size = 2 + random.below(4) as usize;
        let mut matrix = vec![vec![0.0; size]; size];
        let mut builder = Builder::default();
        for (state, row) in matrix.iter_mut().enumerate() {
            if state == size - 1 {
                row[state] = 1.0;
                builder.waiting([]);
                continue;
            }
            let parts: Vec<u64> = (0..size).map(|_| random.below(4)).collect();
            let all = parts.iter().sum::<u64>().max(1) as f64;
            for (to, part) in parts.iter().enumerate() {
                row[to] = *part as f64 / all;
            }
            if parts.iter().all(|part| *part == 0) {
                row[state] = 1.0;
            }
            let row = (0..).zip(row.iter().copied()).filter(|(_, share)| *share > 0.0);
            builder.waiting(row.collect::<Vec<_>>());
        }
        let automaton = builder.build(0).unwrap();
        let steps = random.below(30);
        let mut now = vec![0.0; size];
        now[0] = 1.0;
        for _ in 0..steps {
            let next = (0..size).map(|to| (0..size).map(|from| now[from] * matrix[from][to]).sum());
            now = next.collect();
        }
        let found = before_step(&automaton, size as u32 - 1, steps, ACCURACY).unwrap();
        assert_eq!(found.open, None);
        assert!(found.even.widened(1e-13).contains(now[size - 1]) && found.even.width() < 1e-10, "{found:?}");
        // Ever is where many steps lead.
        let ever = reach(&automaton, size as u32 - 1, Reach::Ever, ACCURACY).unwrap().even;
        let late = before_step(&automaton, size as u32 - 1, 1 << 16, ACCURACY).unwrap().even;
        assert!(late.low <= ever.high && ever.low <= late.high + 1e-6, "{late} {ever}");
    }
}

/// Choices in discrete time: the best of two ways within so many steps, by hand.
#[test]
fn steps_with_choices() {
    let mut builder = Builder::default();
    builder.deciding();
    builder.choice([(1, 1.0)]);
    builder.choice([(2, 1.0)]);
    builder.waiting([(3, 0.3), (4, 0.7)]);
    builder.waiting([(0, 0.9), (3, 0.1)]);
    builder.waiting([]);
    builder.waiting([]);
    let automaton = builder.build(0).unwrap();
    let at = |steps| before_step(&automaton, 3, steps, ACCURACY).unwrap().open.unwrap();
    assert!(at(0)[1].high < 1e-12);
    assert!(at(1)[1].contains(0.3) && at(1)[0].contains(0.1));
    // Once the patient way, then the quick one.
    assert!(at(2)[1].contains(0.1 + 0.9 * 0.3));
    // The least waits for another try until there is none.
    assert!(at(2)[0].contains(0.1 + 0.9 * 0.1));
    let even = uniform(&automaton, &[]).unwrap();
    assert_eq!(even.states, [1, 2, 3, 4]);
}
