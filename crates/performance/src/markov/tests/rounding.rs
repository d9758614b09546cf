//! Bounds against exact fractions: whatever is rounded, what is true lies inside.

use narrows_graph::Random;
use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, Signed, Zero};

use super::super::{
    Accuracy, Interval, distribution_at, long_run, mean_time, reward_at, rewards_at, steady, steady_bounds,
};
use super::{Builder, Chain};

type Fraction = Ratio<BigInt>;

const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// The fraction that a floating-point number is.
fn exact(number: f64) -> Fraction {
    let (bits, sign) = (number.abs().to_bits(), if number < 0.0 { -1 } else { 1 });
    let exponent = (bits >> 52) as i32;
    let mantissa = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if exponent == 0 { (mantissa, 1) } else { (mantissa | 1 << 52, exponent) };
    let mantissa = BigInt::from(mantissa) * sign;
    let shift = exponent - 1075;
    if shift >= 0 { Ratio::from(mantissa << shift) } else { Ratio::new(mantissa, BigInt::one() << -shift) }
}

fn holds(found: Interval, truth: &Fraction, slack: &Fraction) -> bool {
    exact(found.low) <= truth + slack && truth - slack <= exact(found.high)
}

/// Rates as they were given, loops included.
struct Rates(Vec<Vec<(usize, f64)>>);

impl Rates {
    /// Decimals of one or two digits, or numbers of very different sizes. A ring keeps it in one piece.
    fn random(random: &mut Random, size: usize, is_stiff: bool) -> Rates {
        let rate = |random: &mut Random| {
            let digits = (1 + random.below(99)) as f64 / 10.0;
            if is_stiff { digits * 10.0_f64.powi(random.below(14) as i32 - 5) } else { digits }
        };
        let row = |state: usize, random: &mut Random| {
            let mut row = vec![((state + 1) % size, rate(random))];
            for _ in 0..random.below(5) {
                row.push((random.index(size), rate(random)));
            }
            row
        };
        Rates((0..size).map(|state| row(state, random)).collect())
    }

    fn chain(&self) -> Chain {
        let mut builder = Builder::new(self.0.len(), 0);
        for row in &self.0 {
            builder.row(row.iter().map(|(to, rate)| (*to as u32, *rate)));
        }
        builder.build([(0, 1.0)]).unwrap()
    }

    /// The generator.
    fn matrix(&self) -> Vec<Vec<Fraction>> {
        let size = self.0.len();
        let mut matrix = vec![vec![Fraction::zero(); size]; size];
        for (state, row) in self.0.iter().enumerate() {
            for (to, rate) in row.iter().filter(|(to, _)| *to != state) {
                matrix[state][*to] += exact(*rate);
                matrix[state][state] -= exact(*rate);
            }
        }
        matrix
    }
}

/// Solves `matrix·x = right`.
fn solved(mut matrix: Vec<Vec<Fraction>>, mut right: Vec<Fraction>) -> Vec<Fraction> {
    let size = right.len();
    for pivot in 0..size {
        let row = (pivot..size).find(|row| !matrix[*row][pivot].is_zero()).expect("a regular matrix");
        matrix.swap(pivot, row);
        right.swap(pivot, row);
        for other in (0..size).filter(|other| *other != pivot) {
            let factor = &matrix[other][pivot] / &matrix[pivot][pivot];
            if factor.is_zero() {
                continue;
            }
            let above = matrix[pivot].clone();
            for (entry, above) in matrix[other].iter_mut().zip(&above) {
                *entry -= &factor * above;
            }
            let part = &factor * &right[pivot];
            right[other] -= part;
        }
    }
    (0..size).map(|row| &right[row] / &matrix[row][row]).collect()
}

/// The stationary distribution.
fn stationary(rates: &Rates) -> Vec<Fraction> {
    let matrix = rates.matrix();
    let size = matrix.len();
    let mut turned: Vec<Vec<Fraction>> =
        (0..size).map(|row| (0..size).map(|column| matrix[column][row].clone()).collect()).collect();
    turned[0] = vec![Fraction::one(); size];
    let mut right = vec![Fraction::zero(); size];
    right[0] = Fraction::one();
    solved(turned, right)
}

/// Digits after the point of the numbers below.
const BITS: usize = 420;

/// The distribution at a time from state 0, by a power series and squaring in fixed point: each operation is
/// off by 2⁻⁴²⁰, and squaring makes that at most 2⁸⁰ times as much.
fn distribution(rates: &Rates, time: f64) -> Vec<Fraction> {
    let generator = rates.matrix();
    let size = generator.len();
    let fastest = generator.iter().enumerate().map(|(state, row)| row[state].abs()).max().unwrap();
    let (mut step, mut squarings) = (exact(time), 0);
    while &step * &fastest > Fraction::new(1.into(), 4.into()) {
        step /= BigInt::from(2);
        squarings += 1;
    }
    assert!(squarings < 80);
    let fixed = |number: &Fraction| (number * (BigInt::one() << BITS)).floor().to_integer();
    let times = |one: &[Vec<BigInt>], other: &[Vec<BigInt>]| -> Vec<Vec<BigInt>> {
        let entry = |row: usize, column: usize| {
            (0..size).fold(BigInt::zero(), |sum, place| sum + &one[row][place] * &other[place][column])
                >> BITS
        };
        (0..size).map(|row| (0..size).map(|column| entry(row, column)).collect()).collect()
    };
    let scaled: Vec<Vec<BigInt>> =
        generator.iter().map(|row| row.iter().map(|rate| fixed(&(rate * &step))).collect()).collect();
    let unit = |row: usize, column: usize| if row == column { BigInt::one() << BITS } else { BigInt::zero() };
    let mut sum: Vec<Vec<BigInt>> =
        (0..size).map(|row| (0..size).map(|column| unit(row, column)).collect()).collect();
    for term in (1..100_i32).rev() {
        sum = times(&scaled, &sum);
        for (row, entries) in sum.iter_mut().enumerate() {
            for (column, entry) in entries.iter_mut().enumerate() {
                *entry = &*entry / term + unit(row, column);
            }
        }
    }
    for _ in 0..squarings {
        sum = times(&sum, &sum);
    }
    sum[0].iter().map(|entry| Fraction::new(entry.clone(), BigInt::one() << BITS)).collect()
}

fn random_reward(random: &mut Random, size: usize) -> Vec<f64> {
    (0..size).map(|_| random.below(30) as f64 / 10.0).collect()
}

fn mean(distribution: &[Fraction], reward: &[f64]) -> Fraction {
    distribution
        .iter()
        .zip(reward)
        .fold(Fraction::zero(), |sum, (share, reward)| sum + share * exact(*reward))
}

#[test]
fn averages_and_times_contain_the_exact_fractions() {
    let mut random = Random::new(11);
    let mut narrow = 0;
    for round in 0..400 {
        let size = 2 + random.index(5);
        let rates = Rates::random(&mut random, size, round % 2 == 1);
        let (chain, stationary) = (rates.chain(), stationary(&rates));
        let reward = random_reward(&mut random, size);
        let truth = mean(&stationary, &reward);
        let found = long_run(&chain, &[reward], ACCURACY)[0];
        assert!(holds(found, &truth, &Fraction::zero()), "{round} {found} {:?}", rates.0);
        narrow += usize::from(Accuracy::relative(1e-11).is_met(found));
        for (share, truth) in steady(&chain, ACCURACY).iter().zip(&stationary) {
            let off = (exact(*share) - truth).abs() / truth;
            assert!(off < exact(1e-12), "{round}");
        }
        for (found, truth) in steady_bounds(&chain, ACCURACY).iter().zip(&stationary) {
            assert!(holds(*found, truth, &Fraction::zero()), "{round} {found}");
        }
        // From each state to the last one.
        let matrix = rates.matrix();
        let inside: Vec<Vec<Fraction>> =
            matrix[..size - 1].iter().map(|row| row[..size - 1].to_vec()).collect();
        let times = solved(inside, vec![-Fraction::one(); size - 1]);
        let found = mean_time(&chain, |state| state as usize == size - 1, ACCURACY);
        assert!(holds(found, &times[0], &Fraction::zero()), "{round} {found} {:?}", rates.0);
        narrow += usize::from(Accuracy::relative(1e-11).is_met(found));
    }
    assert!(narrow >= 780, "{narrow}");
}

#[test]
fn values_at_a_time_contain_the_exact_fractions() {
    let mut random = Random::new(12);
    let slack = Fraction::new(BigInt::one(), BigInt::one() << 320);
    let (mut jumps, mut narrow, mut tried) = (0.0_f64, 0, 0);
    for round in 0..160 {
        let size = 2 + random.index(4);
        let is_stiff = round % 2 == 1;
        let rates = Rates::random(&mut random, size, is_stiff);
        let chain = rates.chain();
        let time =
            if is_stiff { 10.0_f64.powi(random.below(9) as i32 - 3) } else { random.fraction() * 20.0 };
        let truth = distribution(&rates, time);
        let reward = random_reward(&mut random, size);
        let found = reward_at(&chain, &reward, time, ACCURACY);
        assert!(holds(found, &mean(&truth, &reward), &slack), "{round} {time} {found} {:?}", rates.0);
        let all = distribution_at(&chain, time, ACCURACY);
        let shares = all.probabilities.iter().zip(&truth);
        let off = shares.fold(Fraction::zero(), |sum, (share, truth)| sum + (exact(*share) - truth).abs());
        assert!(off <= exact(all.error) + &slack, "{round} {time} {}", all.error);
        let fastest = (0..size).map(|state| chain.exit(state)).fold(0.0, f64::max);
        jumps = jumps.max(fastest * time);
        tried += 1;
        narrow += usize::from(ACCURACY.is_met(found) && all.error < 1e-6);
        // All states at once, each with the accuracy that was asked for, however rare it is.
        let each: Vec<Vec<f64>> =
            (0..size).map(|one| (0..size).map(|state| f64::from(u8::from(state == one))).collect()).collect();
        for (found, truth) in rewards_at(&chain, &each, time, ACCURACY).iter().zip(&truth) {
            assert!(holds(*found, truth, &slack), "{round} {time} {found}");
        }
    }
    // Rates with several parts are sums that are rounded: that must not count in so many jumps.
    assert!(jumps > 1e12 && narrow == tried, "{jumps:e} {narrow} of {tried}");
}

#[test]
fn a_stiff_chain_needs_no_step_for_each_jump() {
    // Two states that change places quickly, and a slow way out: 1e9 · 1e3 jumps.
    let rates = Rates(vec![vec![(1, 1e9)], vec![(0, 1e9), (2, 2e-3)], vec![(2, 5.0)]]);
    let truth = distribution(&rates, 1e3);
    let found = reward_at(&rates.chain(), &[1e6, 1e6, 0.0], 1e3, ACCURACY);
    let truth = mean(&truth, &[1e6, 1e6, 0.0]);
    assert!(holds(found, &truth, &Fraction::zero()) && ACCURACY.is_met(found), "{found}");
}

#[test]
fn what_hardly_ever_happens_comes_with_its_digits() {
    // Twelve jumps in a very short time.
    let mut rates: Vec<Vec<(usize, f64)>> = (0..12).map(|state| vec![(state + 1, 0.7)]).collect();
    rates.push(vec![(0, 0.3)]);
    let rates = Rates(rates);
    for time in [1e-3, 1e-6, 1e-12, 1e-20] {
        let truth = distribution_series(&rates, time);
        let mut reward = vec![0.0; 13];
        reward[12] = 1.0;
        let found = reward_at(&rates.chain(), &reward, time, ACCURACY);
        let slack = &truth * exact(1e-30);
        assert!(found.high < 1e-40 && ACCURACY.is_met(found), "{time} {found}");
        assert!(holds(found, &truth, &slack), "{time} {found}");
    }
    // What cannot happen is 0, and no more.
    let chain = Rates(vec![vec![(1, 0.1)], vec![(1, 0.1)], vec![(0, 1.0)]]).chain();
    assert_eq!(reward_at(&chain, &[0.0, 0.0, 1.0], 3.0, ACCURACY), Interval::exactly(0.0));
}

/// The probability of the last of thirteen states in a row after a short time: a power series in exact
/// fractions, of which 20 terms are enough.
fn distribution_series(rates: &Rates, time: f64) -> Fraction {
    let matrix = rates.matrix();
    let size = matrix.len();
    let step = exact(time);
    let mut term: Vec<Fraction> =
        (0..size).map(|state| if state == 0 { One::one() } else { Zero::zero() }).collect();
    let mut sum = Fraction::zero();
    for number in 1..=20_i32 {
        let next = |to: usize| {
            let parts =
                (0..size).filter(|from| !term[*from].is_zero()).map(|from| &term[from] * &matrix[from][to]);
            parts.fold(Fraction::zero(), |sum, part| sum + part) * &step / BigInt::from(number)
        };
        term = (0..size).map(next).collect();
        sum += &term[size - 1];
    }
    sum
}
