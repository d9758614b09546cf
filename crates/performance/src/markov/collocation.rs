//! The distribution at a time for stiff chains of many states, by implicit steps whose error is proved.
//!
//! In a step of length h, `y' = h·y·Q` is solved by collocation at the eight Radau points (Radau IIA): the
//! polynomial u with `u(0) = y` whose residual `u' − h·u·Q` is a multiple of φ = P₈ − P₇, with Legendre
//! polynomials on [0, 1]. Solving that for u gives
//!
//! ```text
//! u(x) = y·N(x, h·Q)·den(h·Q)⁻¹,  N(x, z) = Σ φ⁽ʲ⁾(x)·z⁸⁻ʲ,  den(z) = N(0, z),
//! ```
//!
//! and by partial fractions four solutions of sparse complex systems, one for each pair of roots of den. It
//! is L-stable, so a step may be far longer than what happens fastest, and there are a few for each doubling
//! of the time that has passed.
//!
//! **Invariant: nothing of that has to be right.** `exp(Q·t)` never makes a sum of absolute values larger. So
//! any path that is a polynomial in each step differs from the true one by at most the integral of the sum of
//! absolute values of its residual, and what it jumps between steps. Both are computed from the polynomial,
//! in Legendre's basis, with twice the usual precision and a bound of its rounding: the integral of |Pₗ| is
//! at most 1/√(2l + 1). Rates that are only known up to a part δ add δ times what flows.

use super::chain::Chain;
use super::double_double::{Double, FineComplex, UNIT};
use super::interval::Accuracy;
use super::sparse_factors::{Complex, Factors, Ordering};
use super::squaring::Squared;
use super::transient::most_terms;

/// The degree of the polynomials.
const DEGREE: usize = 8;

/// Coefficients of a polynomial in Legendre's basis.
type Coefficients<T> = [T; DEGREE + 1];

/// A step is at most halved so often, compared with the fastest rate.
const MAX_HALVINGS: i32 = 12;

/// No time is divided more often.
const MAX_DIVISIONS: i32 = 120;

/// Where more steps would be needed, rounding keeps them from being longer.
const MAX_STEPS: u32 = 5_000;

/// So many steps share what may be lost, beside what they have by their length.
const SHARES: f64 = 500.0;

/// What does not depend on the chain.
struct Formula {
    /// One of each pair of roots of the denominator.
    poles: Vec<FineComplex>,
    /// For each of them, the polynomial that is multiplied with the solution.
    weights: Vec<Coefficients<FineComplex>>,
}

impl Formula {
    fn new() -> Formula {
        let derivatives = derivatives();
        // The coefficient of z⁸⁻ʲ is φ⁽ʲ⁾(0), and Pₗ(0) is 1 or −1 in turn.
        let mut denominator = [0.0; DEGREE + 1];
        for (order, derivative) in derivatives.iter().enumerate() {
            let signed = derivative.iter().enumerate();
            denominator[DEGREE - order] =
                signed.map(|(degree, one)| if degree % 2 == 0 { *one } else { -*one }).sum();
        }
        let mut poles = roots(&denominator);
        poles.retain(|pole| pole.imaginary.high > 0.0);
        let weight = |pole: &FineComplex| {
            let (_, slope) = value_and_slope(&denominator, *pole);
            let slope = slope.reciprocal();
            let mut weights = [FineComplex::default(); DEGREE + 1];
            for derivative in &derivatives {
                for (weight, one) in weights.iter_mut().zip(derivative) {
                    *weight = *weight * *pole + FineComplex::new(*one, 0.0);
                }
            }
            weights.map(|weight| weight * slope)
        };
        let weights = poles.iter().map(weight).collect();
        Formula { poles, weights }
    }
}

/// Returns φ and its derivatives, of which all coefficients are whole numbers.
fn derivatives() -> Vec<Coefficients<f64>> {
    let mut now = [0.0; DEGREE + 1];
    (now[DEGREE], now[DEGREE - 1]) = (1.0, -1.0);
    let mut all = vec![now];
    for _ in 0..DEGREE {
        now = slope(&now, 0.0, |sum, factor, one| sum + factor * one);
        all.push(now);
    }
    all
}

/// Returns the derivative of a polynomial: that of Pₙ is 2·Σ (2l + 1)·Pₗ over l = n − 1, n − 3, …
fn slope<T: Copy>(of: &Coefficients<T>, zero: T, add: impl Fn(T, f64, T) -> T) -> Coefficients<T> {
    let mut slope = [zero; DEGREE + 1];
    for (degree, coefficient) in slope.iter_mut().enumerate() {
        let factor = (4 * degree + 2) as f64;
        for one in of.iter().skip(degree + 1).step_by(2) {
            *coefficient = add(*coefficient, factor, *one);
        }
    }
    slope
}

/// Returns the value and the derivative of a polynomial, given by its coefficients from the constant one on.
fn value_and_slope(coefficients: &[f64], at: FineComplex) -> (FineComplex, FineComplex) {
    let (mut value, mut slope) = (FineComplex::default(), FineComplex::default());
    for coefficient in coefficients.iter().rev() {
        slope = slope * at + value;
        value = value * at + FineComplex::new(*coefficient, 0.0);
    }
    (value, slope)
}

/// Returns all roots of a polynomial, which are simple (Durand and Kerner, then Newton).
fn roots(coefficients: &[f64]) -> Vec<FineComplex> {
    let degree = coefficients.len() - 1;
    let leading = 1.0 / coefficients[degree];
    let size = (coefficients[0] * leading).abs().powf(1.0 / degree as f64);
    let mut roots: Vec<FineComplex> = (0..degree)
        .map(|number| {
            let angle = 0.4 + std::f64::consts::TAU * number as f64 / degree as f64;
            FineComplex::new(size * angle.cos(), size * angle.sin())
        })
        .collect();
    for _ in 0..100 {
        for number in 0..degree {
            let here = roots[number];
            let others = roots.iter().enumerate().filter(|(other, _)| *other != number);
            let product =
                others.fold(FineComplex::new(1.0, 0.0), |product, (_, other)| product * (here - *other));
            let (value, _) = value_and_slope(coefficients, here);
            roots[number] = here - value.times(leading) * product.reciprocal();
        }
    }
    for root in &mut roots {
        for _ in 0..2 {
            let (value, slope) = value_and_slope(coefficients, *root);
            *root = *root - value * slope.reciprocal();
        }
    }
    roots
}

/// Computes the distribution at a time, off by not much more than `wanted`. `None` if it was stopped, if
/// factors of the chain's matrix would fill up, or if numbers would be too large.
pub(super) fn distribution(chain: &Chain, time: f64, wanted: f64, accuracy: Accuracy<'_>) -> Option<Squared> {
    let fastest = (0..chain.states()).map(|state| chain.exit(state)).fold(0.0, f64::max);
    let jumps = fastest * time;
    if !(jumps.is_finite() && jumps > 0.0) {
        return None;
    }
    let first = (jumps.log2().ceil() as i32).max(0);
    let finest = first + MAX_HALVINGS;
    if finest > MAX_DIVISIONS || time * 2.0_f64.powi(-finest) < f64::MIN_POSITIVE {
        return None;
    }
    let ordering = Ordering::new(chain, &|| accuracy.is_stopped())?;
    let mut path = Path {
        chain,
        ordering,
        formula: Formula::new(),
        time,
        fastest,
        terms: most_terms(chain),
        now: vec![Double::default(); chain.states()],
        factors: Vec::new(),
        factors_are_of: None,
    };
    for (state, weight) in chain.initial() {
        path.now[*state as usize] = Double::from(*weight);
    }
    let begins = chain.initial().len();
    // Several weights were scaled to 1 together.
    let mut error = if begins == 1 { 0.0 } else { (begins + 8) as f64 * f64::EPSILON };
    // The place is counted in the finest steps.
    let (mut place, end) = (0_u128, 1_u128 << finest);
    let mut division = first;
    let mut steps = 0;
    while place < end {
        steps += 1;
        if accuracy.is_stopped() || steps > MAX_STEPS {
            return None;
        }
        let share = wanted * (2.0_f64.powi(-division) + 1.0 / SHARES);
        let (next, Off { all: off, rounding }) = path.step(division, share);
        if !off.is_finite() {
            return None;
        }
        if off > share && division < finest {
            division += 1;
            continue;
        }
        path.now = next;
        error += off;
        place += 1 << (finest - division);
        let is_aligned = division > 0 && place.is_multiple_of(1 << (finest - division + 1));
        // What rounding does grows with the length of a step, the rest with a power of it.
        let longer = (off - rounding) * 2.0_f64.powi(DEGREE as i32 + 2) + 4.0 * rounding;
        if is_aligned && longer < share {
            division -= 1;
        }
    }
    let error = error * (1.0 + 1e-9) + f64::MIN_POSITIVE;
    (error < 1.0).then_some(Squared { probabilities: path.now, error })
}

/// By how much a step is off, and the part of it that is due to rounding.
struct Off {
    all: f64,
    rounding: f64,
}

/// A path that is made step by step.
struct Path<'a> {
    chain: &'a Chain,
    ordering: Ordering,
    formula: Formula,
    time: f64,
    /// The greatest exit rate.
    fastest: f64,
    /// How many terms a sum has at most.
    terms: usize,
    /// The distribution so far.
    now: Vec<Double>,
    /// Factors for each pole, for steps of this division.
    factors: Vec<Factors>,
    factors_are_of: Option<i32>,
}

impl Path<'_> {
    /// Takes a step of `time/2^division`. Returns what comes out, and by how much more it is off.
    fn step(&mut self, division: i32, share: f64) -> (Vec<Double>, Off) {
        let step = self.time * 2.0_f64.powi(-division);
        if self.factors_are_of != Some(division) {
            let shift = |pole: &FineComplex| Complex { real: pole.real.high, imaginary: pole.imaginary.high };
            let factors = |pole| self.ordering.factors(self.chain, step, shift(pole));
            self.factors = self.formula.poles.iter().map(factors).collect();
            self.factors_are_of = Some(division);
        }
        let path = self.polynomial(step, share);
        let Off { all, rounding } = self.off(&path, step);
        let size = self.chain.states();
        let mut end = vec![Double::default(); size];
        let (mut jump, mut magnitude) = (0.0, 0.0);
        for state in 0..size {
            let mut begin = -self.now[state];
            for (degree, values) in path.iter().enumerate() {
                let value = values[state];
                end[state] += value;
                begin += if degree % 2 == 0 { value } else { -value };
                magnitude += value.high.abs();
            }
            jump += begin.high.abs();
            magnitude += self.now[state].high.abs();
        }
        // Twice: where it begins, and where it ends.
        let rounding = rounding + 8.0 * (DEGREE + 4) as f64 * UNIT * magnitude;
        (end, Off { all: all + jump * (1.0 + 1e-9) + rounding, rounding })
    }

    /// Returns a polynomial for a step: by degree, numbers by state.
    fn polynomial(&self, step: f64, share: f64) -> Vec<Vec<Double>> {
        let size = self.chain.states();
        let mut path = vec![vec![Double::default(); size]; DEGREE + 1];
        // φ divided by φ(0), which is 2.
        for (state, now) in self.now.iter().enumerate() {
            let half = *now * Double::from(0.5);
            path[DEGREE][state] = half;
            path[DEGREE - 1][state] = -half;
        }
        let poles = self.formula.poles.iter().zip(&self.factors).zip(&self.formula.weights);
        for ((pole, factors), weights) in poles {
            let (real, imaginary) = self.solve(factors, *pole, step, share);
            for (values, weight) in path.iter_mut().zip(weights) {
                let (weight_real, weight_imaginary) =
                    (weight.real * Double::from(2.0), weight.imaginary * Double::from(-2.0));
                for (value, (real, imaginary)) in values.iter_mut().zip(real.iter().zip(&imaginary)) {
                    *value += weight_real * *real + weight_imaginary * *imaginary;
                }
            }
        }
        path
    }

    /// Solves `x·(step·Q − pole) = now`, refining until that hardly matters.
    fn solve(
        &self,
        factors: &Factors,
        pole: FineComplex,
        step: f64,
        share: f64,
    ) -> (Vec<Double>, Vec<Double>) {
        let size = self.chain.states();
        let (mut real, mut imaginary) = (vec![Double::default(); size], vec![Double::default(); size]);
        // What is still to be reached, with the other sign: factors are of pole − step·Q.
        let mut rest: Vec<Complex> =
            self.now.iter().map(|now| Complex { real: -now.high, imaginary: 0.0 }).collect();
        let mut before = f64::INFINITY;
        for _ in 0..MAX_REFINEMENTS {
            let more = self.ordering.solve(factors, &rest);
            for ((real, imaginary), more) in real.iter_mut().zip(&mut imaginary).zip(&more) {
                *real += Double::from(more.real);
                *imaginary += Double::from(more.imaginary);
            }
            let flows = [self.flow(&real, step), self.flow(&imaginary, step)];
            let mut size = 0.0;
            for (state, rest) in rest.iter_mut().enumerate() {
                let (real, imaginary) = (real[state], imaginary[state]);
                let shifted = [
                    pole.real * real - pole.imaginary * imaginary,
                    pole.real * imaginary + pole.imaginary * real,
                ];
                let [off, other] =
                    [flows[0][state] - shifted[0] - self.now[state], flows[1][state] - shifted[1]];
                (rest.real, rest.imaginary) = (off.high, other.high);
                size += off.high.abs() + other.high.abs();
            }
            // Weights are below a hundred million.
            if size * 1e9 < share || size > before / 2.0 {
                break;
            }
            before = size;
        }
        (real, imaginary)
    }

    /// Returns `values·step·Q`.
    fn flow(&self, values: &[Double], step: f64) -> Vec<Double> {
        let mut flow = vec![Double::default(); values.len()];
        for (state, value) in values.iter().enumerate() {
            let value = *value * Double::from(step);
            let mut leaves = Double::default();
            for (target, rate) in self.chain.fine_row(state) {
                let moves = value * rate;
                leaves += moves;
                flow[target as usize] += moves;
            }
            flow[state] += -leaves;
        }
        flow
    }

    /// Bounds the integral of the sum of absolute values of the residual of a polynomial.
    fn off(&self, path: &[Vec<Double>], step: f64) -> Off {
        let flows: Vec<Vec<Double>> = path.iter().map(|values| self.flow(values, step)).collect();
        let mut residual = [0.0; DEGREE + 1];
        for state in 0..self.chain.states() {
            let own: Coefficients<Double> = std::array::from_fn(|degree| path[degree][state]);
            let slope = slope(&own, Double::default(), |sum, factor, one| sum + Double::from(factor) * one);
            for (degree, residual) in residual.iter_mut().enumerate() {
                *residual += (slope[degree] - flows[degree][state]).high.abs();
            }
        }
        // What flows in a step, and how much the slope's terms are, for what rounding does to them.
        let mut flowing = [0.0; DEGREE + 1];
        let mut sloping = [0.0; DEGREE + 1];
        for (degree, values) in path.iter().enumerate() {
            for (state, value) in values.iter().enumerate() {
                flowing[degree] += value.high.abs() * self.chain.exit(state) * step * 2.0;
                sloping[degree] += value.high.abs();
            }
        }
        let sloping = slope(&sloping, 0.0, |sum, factor, one| sum + factor * one);
        let rounding = (2 * self.terms + 2 * DEGREE + 32) as f64 * UNIT;
        let rates = self.chain.fine_off();
        // Products that are so small that they have few digits left.
        let small = (self.chain.states() + self.chain.transitions()) as f64
            * (1.0 + self.fastest * step)
            * f64::MIN_POSITIVE;
        let mut off = Off { all: 0.0, rounding: 0.0 };
        for degree in 0..=DEGREE {
            let integral = (1.0 + 1e-9) / ((2 * degree + 1) as f64).sqrt();
            let rounded = small + (rounding + rates) * flowing[degree] + rounding * sloping[degree];
            off.all += residual[degree] * integral;
            off.rounding += rounded * integral;
        }
        off
    }
}

/// How often a solution is refined at most.
const MAX_REFINEMENTS: usize = 8;

#[cfg(test)]
mod tests {
    use super::{DEGREE, FineComplex, Formula};

    #[test]
    fn one_state_that_is_left_has_a_small_residual() {
        // y' = −x·y in one step of length 1: the formula with a number in the place of the matrix.
        let formula = Formula::new();
        assert_eq!(formula.poles.len(), DEGREE / 2);
        for rate in [0.1, 1.0, 3.0] {
            let mut end = FineComplex::default();
            for (pole, weights) in formula.poles.iter().zip(&formula.weights) {
                let part = (FineComplex::new(-rate, 0.0) - *pole).reciprocal().times(2.0);
                end = weights.iter().fold(end, |end, weight| end + *weight * part);
            }
            let end = end.real.high;
            assert!((end - f64::exp(-rate)).abs() < 1e-10, "{rate} {end}");
        }
    }
}
