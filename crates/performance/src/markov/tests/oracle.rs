//! Exact answers for small chains with whole rates: the matrix-tree theorem with determinants of whole
//! numbers.

use std::cmp::Ordering;

use narrows_graph::Random;

use super::super::{Accuracy, long_run, steady};
use super::Builder;

/// The determinant, without fractions (Bareiss 1968).
fn determinant(mut matrix: Vec<Vec<i128>>) -> i128 {
    let size = matrix.len();
    let (mut sign, mut last) = (1, 1);
    for pivot in 0..size {
        let Some(row) = (pivot..size).find(|row| matrix[*row][pivot] != 0) else { return 0 };
        if row != pivot {
            matrix.swap(row, pivot);
            sign = -sign;
        }
        for i in pivot + 1..size {
            for j in pivot + 1..size {
                matrix[i][j] =
                    (matrix[i][j] * matrix[pivot][pivot] - matrix[i][pivot] * matrix[pivot][j]) / last;
            }
        }
        last = matrix[pivot][pivot];
    }
    sign * last
}

/// How often each state is visited, but for a common factor.
fn visits(rates: &[Vec<i128>]) -> Vec<i128> {
    let size = rates.len();
    let without = |left_out: usize| {
        let kept: Vec<usize> = (0..size).filter(|state| *state != left_out).collect();
        let entry = |i: usize, j: usize| if i == j { rates[i].iter().sum() } else { -rates[i][j] };
        determinant(kept.iter().map(|i| kept.iter().map(|j| entry(*i, *j)).collect()).collect())
    };
    (0..size).map(without).collect()
}

/// Compares a number with a fraction, exactly.
fn compare(number: f64, numerator: i128, denominator: i128) -> Ordering {
    let (mut mantissa, mut shift) = (number, 0);
    while mantissa.fract() != 0.0 {
        (mantissa, shift) = (mantissa * 2.0, shift + 1);
    }
    (mantissa as i128 * denominator).cmp(&(numerator << shift))
}

fn random_rates(random: &mut Random, size: usize, limit: u64) -> Vec<Vec<i128>> {
    let mut rates = vec![vec![0; size]; size];
    for state in 0..size {
        // A ring keeps it in one piece.
        rates[state][(state + 1) % size] = 1 + random.below(limit) as i128;
        for (other, rate) in rates[state].iter_mut().enumerate() {
            if other != state && random.below(3) == 0 {
                *rate = 1 + random.below(limit) as i128;
            }
        }
    }
    rates
}

#[test]
fn bounds_of_random_chains_hold_exactly() {
    let mut random = Random::new(7);
    for round in 0..3000 {
        let size = 2 + random.below(5) as usize;
        let rates = random_rates(&mut random, size, if round % 2 == 0 { 3 } else { 40 });
        let rewards: Vec<i128> = (0..size).map(|_| random.below(4) as i128).collect();
        let mut builder = Builder::new(size, 0);
        for row in &rates {
            let row = (0..).zip(row).filter(|(_, rate)| **rate > 0).map(|(to, rate)| (to, *rate as f64));
            builder.row(row);
        }
        let chain = builder.build([(0, 1.0)]).unwrap();
        let visits = visits(&rates);
        let all: i128 = visits.iter().sum();
        let gained: i128 = visits.iter().zip(&rewards).map(|(visits, reward)| visits * reward).sum();
        let reward = rewards.iter().map(|reward| *reward as f64).collect();
        let found = long_run(&chain, &[reward], Accuracy::default())[0];
        assert_ne!(compare(found.low, gained, all), Ordering::Greater, "{rates:?} {rewards:?} {found}");
        assert_ne!(compare(found.high, gained, all), Ordering::Less, "{rates:?} {rewards:?} {found}");
        assert!(found.width() <= 1e-11 * found.high, "{found}");
        for (share, visits) in steady(&chain, Accuracy::default()).iter().zip(&visits) {
            assert!((share / (*visits as f64 / all as f64) - 1.0).abs() < 1e-12);
        }
    }
}
