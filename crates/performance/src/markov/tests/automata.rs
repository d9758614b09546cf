//! Automata with few states, against all schedulers that always decide alike in a state.

use narrows_graph::Random;

use super::super::automaton::Builder;
use super::super::{
    Accuracy, Aim, Automaton, Interval, Reward, average, find_zeno, landings, long_run, uniform, until,
    until_over, vanish,
};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// Two servers, one choice: a slow one without loss, or a fast one that breaks down now and then.
pub(super) fn routing() -> (Automaton, Reward) {
    let mut builder = Builder::default();
    builder.waiting([(1, 1.0)]);
    builder.deciding();
    builder.choice([(2, 1.0)]);
    builder.choice([(3, 0.9), (4, 0.1)]);
    builder.waiting([(0, 2.0)]);
    builder.waiting([(0, 10.0)]);
    builder.waiting([(0, 0.5)]);
    let automaton = builder.build(0).unwrap();
    let mut reward = Reward::none(&automaton);
    reward.rates[0] = 1.0;
    (automaton, reward)
}

#[test]
fn routing_by_hand() {
    let (automaton, reward) = routing();
    // Cycles last 1 + 1/2, or 1 + 0.09 + 0.2.
    let greatest = average(&automaton, &reward, Aim::Greatest, ACCURACY).unwrap();
    let least = average(&automaton, &reward, Aim::Least, ACCURACY).unwrap();
    assert!(greatest.widened(1e-15).contains(1.0 / 1.29), "{greatest}");
    assert!(least.widened(1e-15).contains(1.0 / 1.5), "{least}");
    assert!(ACCURACY.is_met(greatest) && ACCURACY.is_met(least), "{greatest} {least}");
    let even = uniform(&automaton, std::slice::from_ref(&reward)).unwrap();
    let found = long_run(&even.chain, &even.rewards, ACCURACY)[0];
    assert!(found.widened(1e-15).contains(1.0 / 1.395), "{found}");
    assert_eq!(even.states, [0, 2, 3, 4]);
    let time = Reward::time(&automaton);
    let slow = until_over(&automaton, &time, |state| state == 0, Aim::Greatest, ACCURACY).unwrap();
    assert_eq!(slow, Interval::exactly(0.0));
    let back = |aim| until_over(&automaton, &time, |state| state == 4, aim, ACCURACY).unwrap();
    assert_eq!(back(Aim::Greatest), Interval::INFINITE);
    // Ten rounds: nine times 1.1, and once 1.
    assert!(back(Aim::Least).widened(1e-12).contains(9.0 * 1.1 + 1.0), "{}", back(Aim::Least));
}

#[test]
fn endless_decisions_are_found() {
    let mut builder = Builder::default();
    builder.waiting([(1, 1.0)]);
    builder.deciding();
    builder.choice([(2, 1.0)]);
    builder.deciding();
    builder.choice([(1, 0.5), (0, 0.5)]);
    builder.choice([(3, 1.0)]);
    builder.deciding();
    builder.choice([(2, 1.0)]);
    let automaton = builder.build(0).unwrap();
    let mut cycle = find_zeno(&automaton).unwrap().cycle;
    cycle.sort_unstable();
    assert_eq!(cycle, [2, 3]);
    assert!(average(&automaton, &Reward::time(&automaton), Aim::Least, ACCURACY).is_err());
}

#[test]
fn choices_that_agree_are_no_choices() {
    let mut builder = Builder::default();
    builder.waiting([(1, 1.0)]);
    builder.deciding();
    builder.choice([(2, 1.0)]);
    builder.choice([(3, 1.0)]);
    builder.deciding();
    builder.choice([(4, 0.5), (0, 0.5)]);
    builder.deciding();
    builder.choice([(0, 0.25), (3, 0.5), (4, 0.25)]);
    builder.waiting([(0, 1.0)]);
    let automaton = builder.build(0).unwrap();
    let near: Vec<(u32, f64)> =
        landings(&automaton).unwrap()[1].iter().map(|(to, share)| (*to, share.near())).collect();
    assert_eq!(near, [(0, 0.5), (4, 0.5)]);
    let (routing, _) = routing();
    assert!(landings(&routing).is_err());
}

/// A random automaton; targets are mostly ahead, so that few decisions go round.
pub(super) fn random_automaton(random: &mut Random) -> Automaton {
    let size = 3 + random.below(5) as u32;
    let mut builder = Builder::default();
    for state in 0..size {
        let anywhere = |random: &mut Random| random.below(u64::from(size)) as u32;
        let target = |random: &mut Random| {
            let ahead = state + 1 + random.below(3) as u32;
            if ahead < size && random.below(4) > 0 { ahead } else { anywhere(random) }
        };
        if state == size - 1 || random.below(2) == 0 {
            let count = random.below(4);
            let row: Vec<(u32, f64)> =
                (0..count).map(|_| (target(random), (1 + random.below(8)) as f64 / 2.0)).collect();
            builder.waiting(row);
            continue;
        }
        builder.deciding();
        for _ in 0..=random.below(3) {
            if random.below(2) == 0 {
                builder.choice([(target(random), 1.0)]);
            } else {
                builder.choice([(target(random), 0.25), (target(random), 0.75)]);
            }
        }
    }
    builder.build(0).unwrap()
}

pub(super) fn random_reward(automaton: &Automaton, random: &mut Random) -> Reward {
    let mut reward = Reward::none(automaton);
    reward.rates.iter_mut().for_each(|rate| *rate = random.below(4) as f64);
    reward.impulses.iter_mut().for_each(|impulse| *impulse = random.below(3) as f64);
    reward
}

/// All ways to fix a choice in each state that decides.
pub(super) fn policies(automaton: &Automaton) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for state in 0..automaton.states() {
        let longer = |policy: &Vec<usize>| -> Vec<Vec<usize>> {
            automaton.choices(state).map(|choice| policy.iter().copied().chain([choice]).collect()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The least and the greatest of some values.
pub(super) fn ends(values: &[Interval]) -> (f64, f64) {
    let middles = || values.iter().map(Interval::middle);
    (middles().fold(f64::INFINITY, f64::min), middles().fold(f64::NEG_INFINITY, f64::max))
}

#[track_caller]
pub(super) fn agree(found: Interval, expected: f64, what: &str) {
    if expected.is_infinite() {
        assert_eq!(found, Interval::exactly(expected), "{what}");
        return;
    }
    assert!(found.widened(1e-10 * (1.0 + expected.abs())).contains(expected), "{what}: {found} {expected}");
}

#[test]
fn averages_of_random_automata() {
    let mut random = Random::new(11);
    let (mut tried, mut open, mut narrow) = (0, 0, 0);
    for round in 0..6000 {
        let automaton = random_automaton(&mut random);
        let reward = random_reward(&automaton, &mut random);
        if find_zeno(&automaton).is_some() {
            continue;
        }
        tried += 1;
        let under = |policy: &Vec<usize>| {
            let fixed =
                vanish(&automaton, std::slice::from_ref(&reward), |state| vec![policy[state]]).unwrap();
            long_run(&fixed.chain, &fixed.rewards, ACCURACY)[0]
        };
        let values: Vec<Interval> = policies(&automaton).iter().map(under).collect();
        let (least, greatest) = ends(&values);
        open += usize::from(least < greatest - 1e-9);
        let found = average(&automaton, &reward, Aim::Greatest, ACCURACY).unwrap();
        agree(found, greatest, &format!("greatest of {round}"));
        narrow += usize::from(ACCURACY.is_met(found) || found.width() < 1e-11);
        let found = average(&automaton, &reward, Aim::Least, ACCURACY).unwrap();
        agree(found, least, &format!("least of {round}"));
        narrow += usize::from(ACCURACY.is_met(found) || found.width() < 1e-11);
    }
    assert!(tried > 3000 && open > 500, "{tried} {open}");
    assert_eq!(narrow, 2 * tried);
}

#[test]
fn totals_of_random_automata() {
    let mut random = Random::new(5);
    let (mut finite, mut wide) = (0, 0);
    for round in 0..6000 {
        let automaton = random_automaton(&mut random);
        let reward =
            if round % 2 == 0 { Reward::time(&automaton) } else { random_reward(&automaton, &mut random) };
        if find_zeno(&automaton).is_some() {
            continue;
        }
        let goal = automaton.states() as u32 - 1;
        let under = |policy: &Vec<usize>| {
            let fixed =
                vanish(&automaton, std::slice::from_ref(&reward), |state| vec![policy[state]]).unwrap();
            let found = until(
                &fixed.chain,
                &fixed.rewards[0],
                |state| fixed.states[state as usize] == goal,
                ACCURACY,
            );
            found.plus(Interval::exactly(fixed.before[0]))
        };
        let values: Vec<Interval> = policies(&automaton).iter().map(under).collect();
        let (least, greatest) = ends(&values);
        let of = |aim| until_over(&automaton, &reward, |state| state == goal, aim, ACCURACY).unwrap();
        let found = [of(Aim::Least), of(Aim::Greatest)];
        agree(found[0], least, &format!("least of {round}"));
        agree(found[1], greatest, &format!("greatest of {round}"));
        finite += found.iter().filter(|found| found.high.is_finite()).count();
        wide += found.iter().filter(|found| !ACCURACY.is_met(**found) && found.width() > 1e-11).count();
    }
    assert!(finite > 1000 && wide == 0, "{finite} {wide}");
}
