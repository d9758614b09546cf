//! The distribution at a time by repeated squaring, for small chains of which the rates differ much.
//!
//! With h = t/2ᵏ so short that hardly anything happens in it, `exp(Q·h)` is a short series, and squared k
//! times it is `exp(Q·t)`: the cost grows with the logarithm of rate × time, where uniformisation takes a
//! step for each jump. Squaring doubles errors, so that in all they grow with rate × time: with twice the
//! usual precision, 10⁹ times as many jumps as anything lasts leave 20 digits.
//!
//! Invariant: all matrices are nearly stochastic, and `error` bounds the largest sum of absolute differences
//! of a row to the true one. If P' is off by e from a stochastic P, then P'·P' is off from P·P by at most
//! e·(2 + e), and rounding adds `(n + 2)·UNIT·(1 + e)²` for rows of n terms that are not negative.
//!
//! Cost: n³·k operations of twice the precision, 32·n² bytes.

use super::chain::Chain;
use super::double_double::{Double, UNIT};
use super::interval::Accuracy;

/// Chains with more states are not squared.
pub(super) const MAX_SQUARED: usize = 256;

/// A distribution of twice the usual precision.
pub(super) struct Squared {
    pub(super) probabilities: Vec<Double>,
    /// More than the sum of all differences to the true probabilities.
    pub(super) error: f64,
}

/// Terms of the series: with an argument of at most 1/2, the rest is below 10⁻³⁸.
const TERMS: usize = 28;

/// Returns how often a matrix is squared for so many jumps.
pub(super) fn squarings(jumps: f64) -> i32 {
    (jumps.log2().ceil() as i32).saturating_add(2).max(0)
}

/// A square matrix of numbers that are not negative, in rows.
struct Matrix {
    size: usize,
    entries: Vec<Double>,
    error: f64,
}

/// Computes the distribution at a time. `None` if it was stopped, or if numbers would be too large.
pub(super) fn distribution(chain: &Chain, time: f64, accuracy: Accuracy<'_>) -> Option<Squared> {
    let size = chain.states();
    let fastest = (0..size).map(|state| chain.exit(state)).fold(0.0, f64::max) * (1.0 + 1e-9);
    let jumps = fastest * time;
    if !(jumps.is_finite() && jumps > 0.0 && jumps < 1e60) {
        return None;
    }
    let count = squarings(jumps);
    let mut matrix = Matrix::series(chain, fastest, time * 2.0_f64.powi(-count));
    for _ in 0..count {
        if accuracy.is_stopped() || matrix.error > 0.5 {
            return None;
        }
        matrix = matrix.squared();
    }
    let mut probabilities = vec![Double::default(); size];
    for (state, weight) in chain.initial() {
        for (sum, entry) in probabilities.iter_mut().zip(matrix.row(*state as usize)) {
            *sum += Double::from(*weight) * *entry;
        }
    }
    // Several weights were scaled to 1 together.
    let begins = chain.initial().len();
    let scaled = if begins == 1 { 0.0 } else { (begins + 8) as f64 * f64::EPSILON };
    // Rates that were rounded change what happens in all that time.
    let rates = 2.0 * jumps * chain.fine_off();
    let error = (matrix.error + scaled + rates + (begins + 2) as f64 * UNIT) * (1.0 + 1e-9);
    (error < 1.0).then_some(Squared { probabilities, error: error + f64::MIN_POSITIVE })
}

impl Matrix {
    fn row(&self, row: usize) -> &[Double] {
        &self.entries[row * self.size..][..self.size]
    }

    /// Computes `exp(Q·h)` with all exit rates times h at most 1/4: with c above them and `A = Q·h + c·h·I`,
    /// which is not negative, it is `exp(−c·h)·Σ Aᵐ/m!`.
    fn series(chain: &Chain, fastest: f64, step: f64) -> Matrix {
        let size = chain.states();
        let shift = Double::product(fastest, step);
        let stays: Vec<Double> = (0..size)
            .map(|state| {
                let leaves = chain
                    .fine_row(state)
                    .fold(Double::default(), |sum, (_, rate)| sum + rate * Double::from(step));
                shift - leaves
            })
            .collect();
        // From the last term to the first: T = I + A·T/m.
        let identity = || {
            let mut entries = vec![Double::default(); size * size];
            (0..size).for_each(|state| entries[state * size + state] = Double::from(1.0));
            Matrix { size, entries, error: 0.0 }
        };
        let mut sum = identity();
        for term in (1..=TERMS).rev() {
            let mut next = identity();
            let part = reciprocal(term as f64);
            for (state, stay) in stays.iter().enumerate() {
                let row = &mut next.entries[state * size..][..size];
                let stay = std::iter::once((state, *stay));
                let moves = chain.fine_row(state).map(|(to, rate)| (to as usize, rate * Double::from(step)));
                for (to, weight) in stay.chain(moves) {
                    let weight = weight * part;
                    for (entry, more) in row.iter_mut().zip(sum.row(to)) {
                        *entry += weight * *more;
                    }
                }
            }
            sum = next;
        }
        let minus = Double { high: -shift.high, low: -shift.low };
        let mut scale = Double::from(1.0);
        for term in (1..=TERMS).rev() {
            scale = Double::from(1.0) + scale * minus * reciprocal(term as f64);
        }
        sum.entries.iter_mut().for_each(|entry| *entry = *entry * scale);
        // Each entry of A is off by a few units of its row's sum, as is each of the stages, which count ever
        // less; `exp(1/2)` bounds all sums.
        let terms = (0..size).map(|state| chain.targets(state).len()).max().unwrap_or(0);
        sum.error = 64.0 * (terms + 16) as f64 * UNIT;
        sum
    }

    fn squared(&self) -> Matrix {
        let size = self.size;
        let mut entries = vec![Double::default(); size * size];
        for (row, sums) in entries.chunks_mut(size).enumerate() {
            for (weight, others) in self.row(row).iter().zip(self.entries.chunks(size)) {
                // What is so small that it has few digits left counts for little, but would be off by more.
                if weight.high < TINY {
                    continue;
                }
                for (sum, other) in sums.iter_mut().zip(others) {
                    *sum += *weight * *other;
                }
            }
        }
        let rounding = (size + 2) as f64 * UNIT * (1.0 + self.error) * (1.0 + self.error);
        let small = size as f64 * TINY * 4.0;
        let error = (self.error * (2.0 + self.error) + rounding + small) * (1.0 + 1e-12);
        Matrix { size, entries, error }
    }
}

/// Entries below this are left out: products with them would underflow.
const TINY: f64 = 1e-100;

/// One over a small whole number.
fn reciprocal(number: f64) -> Double {
    let high = 1.0 / number;
    let product = Double::product(high, number);
    Double { high, low: ((1.0 - product.high) - product.low) / number }
}
