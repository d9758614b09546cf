//! Chains that are made smaller: nothing is lost, and nothing is left together that differs.

use narrows_graph::Random;

use super::super::{Accuracy, long_run, lump, mean_time, reward_at};
use super::{Builder, Chain, queue, tandem};

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-9);

/// Copies of a machine that fails and is repaired, each on its own.
fn machines(count: u32) -> Chain {
    let mut builder = Builder::new(0, 0);
    for broken in 0..1_u32 << count {
        let rate = |machine: u32| if broken >> machine & 1 == 0 { 0.1 } else { 0.7 };
        builder.row((0..count).map(|machine| (broken ^ (1 << machine), rate(machine))));
    }
    builder.build([(0, 1.0)]).unwrap()
}

fn broken(chain: &Chain) -> Vec<f64> {
    (0..chain.states() as u32).map(|state| f64::from(state.count_ones())).collect()
}

#[test]
fn machines_that_are_alike_are_counted() {
    for count in [3, 6, 10] {
        let chain = machines(count);
        let reward = broken(&chain);
        let lumped = lump(&chain, &[&reward]).unwrap();
        assert_eq!(lumped.chain.states(), count as usize + 1);
        assert_eq!(lumped.of[0b110], lumped.of[0b011]);
        // Three times a tenth is not three tenths, but nearly.
        let (_, rate) = lumped.chain.row(0).next().unwrap();
        assert!((rate - 0.1 * f64::from(count)).abs() < 1e-15);
        let small = long_run(&lumped.chain, &[lumped.reward(&reward)], ACCURACY)[0];
        let expected = f64::from(count) / 8.0;
        assert!(small.contains(expected) || (small.middle() - expected).abs() < 1e-14, "{small}");
    }
    // StepRecord apart one by one, nothing is alike.
    let chain = machines(4);
    let numbers: Vec<f64> = (0..16).map(f64::from).collect();
    assert_eq!(lump(&chain, &[&numbers]), None);
    // Without any reward, all states are.
    assert_eq!(lump(&chain, &[]).unwrap().chain.states(), 1);
}

#[test]
fn what_does_not_matter_is_left_out() {
    // How long the first queue of two is has nothing to do with the second, and arrivals alone decide about
    // it.
    let chain = tandem(30, 1.0, 3.0, 1e9);
    let first = |state: u32| f64::from(state / 31);
    let rewards: Vec<f64> = (0..31 * 31).map(first).collect();
    // The second queue may be full, which stops the first one.
    assert_eq!(lump(&chain, &[&rewards]), None);
    // A queue is as long as it is.
    assert_eq!(lump(&queue(50, 1.0, 2.0), &[&(0..=50).map(f64::from).collect::<Vec<_>>()]), None);
}

/// A chain that is made larger: each state of a small one becomes several that share its rates somehow.
fn copied(random: &mut Random, small: &[Vec<u64>]) -> (Chain, Vec<u32>) {
    let counts: Vec<u64> = small.iter().map(|_| 2 + random.below(3)).collect();
    let mut of = Vec::new();
    for (state, count) in (0..).zip(&counts) {
        of.extend((0..*count).map(|_| state as u32));
    }
    let begins: Vec<u64> = counts
        .iter()
        .scan(0, |sum, count| {
            let begin = *sum;
            *sum += count;
            Some(begin)
        })
        .collect();
    let mut builder = Builder::new(of.len(), 0);
    for own in &of {
        let mut row = Vec::new();
        for (target, rate) in small[*own as usize].iter().enumerate() {
            // Tenths, in pieces: whole numbers of them add up, though their floating-point sums may not be
            // equal.
            for _ in 0..*rate {
                let copy = begins[target] + random.below(counts[target]);
                row.push((copy as u32, 0.125));
            }
        }
        // Steps between copies do not matter.
        row.push((begins[*own as usize] as u32 + random.below(counts[*own as usize]) as u32, 1.0));
        builder.row(row);
    }
    (builder.build([(0, 1.0)]).unwrap(), of)
}

#[test]
fn random_chains_have_the_same_figures() {
    let mut random = Random::new(23);
    let mut smaller = 0;
    for _ in 0..1000 {
        let size = 2 + random.below(4) as usize;
        let mut rates = vec![vec![0; size]; size];
        for (state, row) in rates.iter_mut().enumerate() {
            for (target, rate) in row.iter_mut().enumerate() {
                if target != state && (target == (state + 1) % size || random.below(3) == 0) {
                    *rate = 1 + random.below(5);
                }
            }
        }
        let (chain, of) = copied(&mut random, &rates);
        let values: Vec<f64> = (0..size).map(|_| random.below(3) as f64).collect();
        let reward: Vec<f64> = of.iter().map(|state| values[*state as usize]).collect();
        let Some(lumped) = lump(&chain, &[&reward]) else { panic!("{rates:?}") };
        assert!(lumped.chain.states() <= size, "{rates:?}");
        smaller += usize::from(lumped.chain.states() < size);
        let small = lumped.reward(&reward);
        let agree = |one: super::super::Interval, other: super::super::Interval| {
            assert!(one.low <= other.high && other.low <= one.high, "{one} {other} {rates:?}");
            assert!(one.width().max(other.width()) < 1e-8 * (1.0 + one.high), "{one} {other}");
        };
        agree(
            long_run(&chain, std::slice::from_ref(&reward), ACCURACY)[0],
            long_run(&lumped.chain, std::slice::from_ref(&small), ACCURACY)[0],
        );
        agree(reward_at(&chain, &reward, 0.7, ACCURACY), reward_at(&lumped.chain, &small, 0.7, ACCURACY));
        let goal = values[size - 1];
        agree(
            mean_time(&chain, |state| (reward[state as usize] - goal).abs() < 0.5, ACCURACY),
            mean_time(&lumped.chain, |state| (small[state as usize] - goal).abs() < 0.5, ACCURACY),
        );
    }
    assert!(smaller > 50, "{smaller}");
}
