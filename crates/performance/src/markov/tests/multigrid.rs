//! Coarser chains: they leave solutions alone, and help where relaxation is slow.

use narrows_graph::Random;

use super::super::Accuracy;
use super::super::elimination::Dense;
use super::super::gain::large;
use super::super::multigrid::{Multigrid, WAYS};
use super::{Builder, Chain, queue, tandem};

/// A chain in which states lead to some that are near, at very different rates, and back to the one before.
fn stiff(random: &mut Random, states: u32) -> Chain {
    let mut builder = Builder::new(states as usize, 0);
    for state in 0..states {
        let mut row = vec![((state + states - 1) % states, 0.5), ((state + 1) % states, 0.4)];
        for _ in 0..random.below(3) {
            let near = (state + 1 + random.below(9) as u32) % states;
            row.push((near, [0.001, 0.1, 3.0, 1000.0][random.below(4) as usize]));
        }
        builder.row(row);
    }
    builder.build([(0, 1.0)]).unwrap()
}

fn exact(chain: &Chain, reward: &[f64]) -> (f64, Vec<f64>) {
    let members: Vec<u32> = (0..chain.states() as u32).collect();
    let columns = vec![reward.to_vec(), vec![1.0; members.len()]];
    Dense::new(chain, &members, columns, &[]).gains().remove(0)
}

#[test]
fn one_elimination_serves_all_rewards() {
    let mut random = Random::new(5);
    let chain = stiff(&mut random, 60);
    let members: Vec<u32> = (0..60).collect();
    let eliminated = Dense::new(&chain, &members, vec![vec![1.0; 60]], &[]).eliminated();
    for _ in 0..20 {
        let reward: Vec<f64> = (0..60).map(|_| random.below(7) as f64).collect();
        let (_, expected) = exact(&chain, &reward);
        let mut found = vec![0.0; 60];
        eliminated.advance(&mut reward.clone(), &mut found);
        let size = expected.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-9 * size));
    }
}

#[test]
fn what_is_solved_stays_as_it_is() {
    let mut random = Random::new(9);
    for way in WAYS {
        let chain = stiff(&mut random, 700);
        let reward: Vec<f64> = (0..700).map(|_| random.below(5) as f64).collect();
        let (gain, solution) = exact(&chain, &reward);
        let order: Vec<u32> = (0..700).rev().collect();
        let inverse: Vec<f64> = order.iter().map(|state| 1.0 / chain.exit(*state as usize)).collect();
        let visited = vec![1.0; 700];
        let mut levels = Multigrid::new(&chain, &order, &visited, way).unwrap();
        let mut values = solution.clone();
        levels.correct(&chain, &order, &inverse, |state| reward[state] - gain, &mut values);
        let size = solution.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
        // All may be changed by the same.
        let change = values[0] - solution[0];
        let same = |(value, expected): (&f64, &f64)| (value - expected - change).abs() < 1e-6 * size;
        assert!(values.iter().zip(&solution).all(same), "{way:?}");
    }
}

#[test]
fn slow_chains_are_solved_as_elimination_does() {
    let mut random = Random::new(1);
    let check = |chain: &Chain, reward: Vec<f64>| {
        let (expected, _) = exact(chain, &reward);
        let accuracy = Accuracy { sweeps: 3000, ..Accuracy::default() };
        let members: Vec<u32> = (0..chain.states() as u32).collect();
        let found = large(chain, &members, &reward, &mut vec![0.0; chain.states()], accuracy);
        assert!(accuracy.is_met(found), "{found}");
        assert!(found.widened(1e-9 * expected).contains(expected), "{found} {expected}");
    };
    for (room, first) in [(30, 2.0), (36, 0.9), (40, 1.0)] {
        for arrive in [0.7, 1.0, 100.0] {
            let chain = tandem(room, arrive, first, 1.0);
            let busy = |state: u32| f64::from(u8::from(!state.is_multiple_of(room + 1)));
            check(&chain, (0..chain.states() as u32).map(busy).collect());
        }
    }
    check(&queue(1500, 1.0, 1.0), (0..=1500).map(|length| f64::from(u8::from(length > 0))).collect());
    for states in [500, 900, 1300] {
        let chain = stiff(&mut random, states);
        let reward = (0..states).map(|_| 1.0 + random.below(5) as f64).collect();
        check(&chain, reward);
    }
}
