//! Stiff chains of many states at a time: implicit steps against what is known otherwise.

use narrows_graph::Random;

use super::super::collocation;
use super::super::double_double::Double;
use super::super::squaring;
use super::super::{Accuracy, distribution_at, reward_at};
use super::{Builder, Chain};
use crate::fine::Fine;

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// Rates of very different sizes, some of them sums that are rounded. A ring keeps it in one piece.
fn random(random: &mut Random, size: usize) -> Chain {
    let mut builder = Builder::new(size, 0);
    for state in 0..size {
        let rate = |random: &mut Random| {
            (1 + random.below(99)) as f64 / 10.0 * 10.0_f64.powi(random.below(12) as i32 - 6)
        };
        let mut row = vec![(((state + 1) % size) as u32, rate(random))];
        for _ in 0..random.below(4) {
            let near = (state + 1 + random.index(6)) % size;
            row.push((near as u32, rate(random)));
        }
        builder.row(row);
    }
    builder.build([(0, 1.0)]).unwrap()
}

#[test]
fn implicit_steps_agree_with_squaring() {
    let mut numbers = Random::new(21);
    let mut jumps = 0.0_f64;
    for round in 0..24 {
        let size = 2 + numbers.index(40);
        let chain = random(&mut numbers, size);
        let time = 10.0_f64.powi(numbers.below(9) as i32 - 4);
        let wanted = [1e-7, 1e-12, 1e-18][round % 3];
        let found = collocation::distribution(&chain, time, wanted, ACCURACY).expect("a small chain");
        let known = squaring::distribution(&chain, time, ACCURACY).expect("a small chain");
        let both = found.probabilities.iter().zip(&known.probabilities);
        let off: f64 = both.map(|(one, other)| (*one - *other).high.abs()).sum();
        assert!(off <= found.error + known.error, "{round} {off} {} {}", found.error, known.error);
        assert!(found.error <= 3.0 * wanted, "{round} {size} {time} {}", found.error);
        let fastest = (0..size).map(|state| chain.exit(state)).fold(0.0, f64::max);
        jumps = jumps.max(fastest * time);
    }
    assert!(jumps > 1e9, "{jumps:e}");
}

/// Two components beside each other: the product of a fast and a slow queue, whose distribution is a product.
#[test]
fn many_states_need_no_step_for_each_jump() {
    let (fast, slow) = (24, 25);
    let queue = |size: u32, arrive: f64, serve: f64| {
        let mut builder = Builder::new(size as usize, 0);
        for length in 0..size {
            let up = (length + 1 < size).then_some((length + 1, arrive));
            let down = (length > 0).then(|| (length - 1, serve));
            builder.row(up.into_iter().chain(down));
        }
        builder.build([(0, 1.0)]).unwrap()
    };
    let (one, other) = (queue(fast, 0.8e9, 1e9), queue(slow, 0.3, 0.4));
    let mut builder = Builder::new((fast * slow) as usize, 0);
    for first in 0..fast {
        for second in 0..slow {
            let moves = one.row(first as usize).map(|(to, rate)| (to * slow + second, rate));
            let others = other.row(second as usize).map(|(to, rate)| (first * slow + to, rate));
            builder.row(moves.chain(others).collect::<Vec<_>>());
        }
    }
    let chain = builder.build([(0, 1.0)]).unwrap();
    for time in [1e-8, 1.0, 37.0, 1e4] {
        let at = |chain: &Chain| squaring::distribution(chain, time, ACCURACY).unwrap();
        let (one, other) = (at(&one), at(&other));
        let product = |first: usize, second: usize| one.probabilities[first] * other.probabilities[second];
        let found = distribution_at(&chain, time, ACCURACY);
        assert!(found.error < 1e-6, "{time} {}", found.error);
        let states =
            (0..fast as usize).flat_map(|first| (0..slow as usize).map(move |second| (first, second)));
        let off: f64 = states
            .map(|(first, second)| {
                (found.probabilities[first * slow as usize + second] - product(first, second).high).abs()
            })
            .sum();
        assert!(off <= found.error, "{time} {off} {}", found.error);
        // A corner that is hardly ever seen early, and one that often is.
        for (first, second) in [(23, 24), (0, 0), (5, 3)] {
            let mut reward = vec![0.0; chain.states()];
            reward[first * slow as usize + second] = 2.5;
            let found = reward_at(&chain, &reward, time, ACCURACY);
            let truth = product(first, second).high * 2.5;
            assert!(
                found.widened(truth * 1e-13).contains(truth),
                "{time} {first} {second} {found} {truth:e}"
            );
            assert!(ACCURACY.is_met(found) || truth < 1e-12, "{time} {first} {second} {found} {truth:e}");
        }
    }
}

/// A time that is no floating-point number is met by rates that are larger by what it lost.
#[test]
fn times_keep_their_digits() {
    let mut builder = Builder::new(2, 2);
    builder.row([(1, 1.0)]);
    builder.row([]);
    let chain = builder.build([(0, 1.0)]).unwrap();
    // 10⁹ jumps of a fast pair beside it would take a time of 0.1 that is off by 5·10⁻¹⁸ for 5·10⁻⁹ more.
    let (near, factor) = Fine::as_written(0.1).split_near();
    let scaled = chain.scaled(factor);
    assert_eq!(near.to_bits(), 0.1_f64.to_bits());
    assert!(factor != Fine::ONE && scaled.fine_off() < 1e-28);
    let rate = scaled.fine_row(0).next().unwrap().1;
    let product = rate * Double::from(near) - Double { high: 0.1, low: -5.551_115_123_125_783e-18 };
    assert!((product.high + product.low).abs() < 1e-32, "{product:?}");
    assert_eq!(*chain.scaled(Fine::as_written(0.5).split_near().1), chain);
}
