//! Solves linear equations about a chain by relaxation, and speeds it up by extrapolation.
//!
//! An equation is `right(s) − gain·time(s) + Σ rate(s,t)·(x(t) − x(s)) = 0` for the states of a list; elsewhere x is
//! given. A sweep solves it in one state after the other (Gauss–Seidel). A sweep is an affine map, so that the changes
//! u₀, u₁, … of sweeps in a row say where they lead: the combination of iterates with the smallest change is taken as the
//! next iterate (reduced rank extrapolation: Eddy 1979, Mešina 1977; the same as restarted GMRES on what a sweep leaves).
//! If the gain is unknown, its change is found by the same least squares: a sweep is affine in the gain too.
//!
//! Nothing here is trusted: what comes out is a guess, which `certify` turns into bounds.
//!
//! Memory: besides x, for each state of the list, 8 bytes, and 4 for each change that is kept.

use super::chain::Chain;

/// The equations of some states of a chain.
pub(super) struct Equations<'a, T> {
    pub(super) chain: &'a Chain,
    /// The chain whose states are left: the same, unless transitions are taken backwards.
    pub(super) leaving: &'a Chain,
    /// The states, in the order in which a sweep visits them.
    pub(super) order: &'a [u32],
    pub(super) right: &'a [f64],
    /// How much the gain counts in a state; nowhere if there is none.
    pub(super) time: Option<T>,
}

/// An iteration that goes on where it stopped.
pub(super) struct Iteration {
    pub(super) gain: f64,
    /// How many sweeps there were.
    pub(super) sweeps: usize,
    /// By how much the last sweep changed a value at most.
    pub(super) change: f64,
    /// One over the rate with which each state is left.
    inverse: Vec<f64>,
    /// The last change of each state of the list.
    last: Vec<f64>,
    /// What one unit of gain changes in a sweep.
    slope: Vec<f32>,
    /// Differences of changes.
    kept: Vec<Vec<f32>>,
    /// The smallest change before an extrapolation, and how often extrapolation made it much worse.
    best: f64,
    failures: usize,
}

/// Sweeps between two extrapolations that are not kept: they make what remains smooth.
const PLAIN: usize = 3;
/// How many differences of changes are kept.
const KEPT: usize = 8;

impl<T: Fn(usize) -> f64 + Copy> Equations<'_, T> {
    /// Starts an iteration at a guess of the gain.
    pub(super) fn start(&self, gain: f64) -> Iteration {
        let inverse = self.order.iter().map(|state| 1.0 / self.leaving.exit(*state as usize)).collect();
        let mut iteration = Iteration {
            gain,
            sweeps: 0,
            change: f64::INFINITY,
            inverse,
            last: vec![0.0; self.order.len()],
            slope: Vec::new(),
            kept: Vec::new(),
            best: f64::INFINITY,
            failures: 0,
        };
        if let Some(time) = self.time {
            let mut values = vec![0.0; self.chain.states()];
            iteration.slope.reserve_exact(self.order.len());
            for (state, inverse) in self.order.iter().zip(&iteration.inverse) {
                let state = *state as usize;
                values[state] = self.chain.gather(state, time(state), &values) * inverse;
                iteration.slope.push(values[state] as f32);
            }
        }
        iteration
    }

    /// Visits each state once; returns the largest change.
    fn sweep(&self, iteration: &mut Iteration, values: &mut [f64]) {
        let mut change = 0.0_f64;
        for (state, inverse) in self.order.iter().zip(&iteration.inverse) {
            let state = *state as usize;
            let right = match self.time {
                Some(time) => self.right[state] - iteration.gain * time(state),
                None => self.right[state],
            };
            let value = self.chain.gather(state, right, values) * inverse;
            change = change.max((value - values[state]).abs());
            values[state] = value;
        }
        iteration.change = change;
        iteration.sweeps += 1;
    }

    /// Visits each state once and keeps by how much the change differs from the last one, in units of `scale`.
    fn sweep_and_keep(
        &self,
        iteration: &mut Iteration,
        values: &mut [f64],
        scale: f64,
        mut kept: Option<&mut Vec<f32>>,
    ) {
        let mut largest = 0.0_f64;
        for ((state, inverse), last) in self.order.iter().zip(&iteration.inverse).zip(&mut iteration.last) {
            let state = *state as usize;
            let right = match self.time {
                Some(time) => self.right[state] - iteration.gain * time(state),
                None => self.right[state],
            };
            let value = self.chain.gather(state, right, values) * inverse;
            let change = value - values[state];
            if let Some(kept) = &mut kept {
                kept.push(((change - *last) * scale) as f32);
            }
            *last = change;
            largest = largest.max(change.abs());
            values[state] = value;
        }
        iteration.change = largest;
        iteration.sweeps += 1;
    }

    /// Does some sweeps, and then extrapolates.
    pub(super) fn cycle(&self, iteration: &mut Iteration, values: &mut [f64]) {
        for _ in 0..PLAIN {
            self.sweep(iteration, values);
        }
        let before = iteration.change;
        if before > 100.0 * iteration.best {
            iteration.failures += 1;
        }
        iteration.best = iteration.best.min(before);
        if before == 0.0 || !before.is_finite() || iteration.failures > 5 {
            for _ in 0..KEPT {
                self.sweep(iteration, values);
            }
            return;
        }
        let scale = 1.0 / before;
        self.sweep_and_keep(iteration, values, scale, None);
        let mut kept = std::mem::take(&mut iteration.kept);
        kept.resize_with(KEPT, || Vec::with_capacity(self.order.len()));
        for difference in &mut kept {
            difference.clear();
            self.sweep_and_keep(iteration, values, scale, Some(difference));
        }
        self.extrapolate(iteration, values, scale, &kept);
        iteration.kept = kept;
    }

    /// Takes the combination of iterates whose next change is smallest.
    ///
    /// With `dᵢ = uᵢ − uᵢ₋₁` the change of a combination is `u_k − Σ θᵢ·dᵢ − β·slope`; one sweep after it, the combination is
    /// `x − Σ θᵢ·uᵢ − β·slope`, and `uᵢ = u_k − Σ_{j>i} dⱼ`.
    fn extrapolate(&self, iteration: &mut Iteration, values: &mut [f64], scale: f64, kept: &[Vec<f32>]) {
        let last: Vec<f32> = iteration.last.iter().map(|change| (change * scale) as f32).collect();
        let mut columns: Vec<&[f32]> = kept.iter().map(Vec::as_slice).collect();
        if !iteration.slope.is_empty() {
            columns.push(&iteration.slope);
        }
        let Some(weights) = least_squares(&columns, &last) else { return };
        let (theta, beta) = weights.split_at(kept.len());
        let total: f64 = theta.iter().sum();
        let beta = beta.first().copied().unwrap_or(0.0) / scale;
        if !(total.is_finite() && beta.is_finite()) {
            iteration.failures += 1;
            return;
        }
        // Together: x − total·u_k + Σ_j (Σ_{i<j} θᵢ)·dⱼ − β·slope.
        let mut partial = 0.0;
        let factors: Vec<f64> = theta.iter().map(|theta| std::mem::replace(&mut partial, partial + theta) / scale).collect();
        for (place, state) in self.order.iter().enumerate() {
            let mut correction = -total * iteration.last[place];
            for (column, factor) in kept.iter().zip(&factors) {
                correction += factor * f64::from(column[place]);
            }
            if let Some(slope) = iteration.slope.get(place) {
                correction -= beta * f64::from(*slope);
            }
            values[*state as usize] += correction;
        }
        iteration.gain += beta;
    }
}

/// Finds the weights with which columns come closest to a vector, by the normal equations. Columns that depend on
/// others get no weight.
fn least_squares(columns: &[&[f32]], vector: &[f32]) -> Option<Vec<f64>> {
    let size = columns.len();
    let mut lengths = Vec::with_capacity(size);
    let mut matrix = vec![vec![0.0; size]; size];
    let mut right = vec![0.0; size];
    for i in 0..size {
        for j in 0..=i {
            matrix[i][j] = dot(columns[i], columns[j]);
        }
        right[i] = dot(columns[i], vector);
        lengths.push(matrix[i][i].sqrt());
    }
    if lengths.iter().any(|length| !length.is_finite()) {
        return None;
    }
    let inverse: Vec<f64> = lengths.iter().map(|length| if *length > 0.0 { 1.0 / length } else { 0.0 }).collect();
    for i in 0..size {
        for j in 0..=i {
            matrix[i][j] *= inverse[i] * inverse[j];
        }
        right[i] *= inverse[i];
    }
    let solution = cholesky(&mut matrix, right);
    Some(solution.iter().zip(&inverse).map(|(weight, inverse)| weight * inverse).collect())
}

/// Solves equations with a symmetric matrix, of which the lower half is given; unknowns with a pivot that is lost in
/// rounding are 0.
fn cholesky(matrix: &mut [Vec<f64>], mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    let mut used = vec![true; size];
    for i in 0..size {
        for j in 0..=i {
            let mut sum = matrix[i][j];
            for k in 0..j {
                sum -= matrix[i][k] * matrix[j][k];
            }
            if i == j {
                used[i] = sum > 1e-11;
                matrix[i][i] = if used[i] { sum.sqrt() } else { 1.0 };
            } else {
                matrix[i][j] = if used[j] { sum / matrix[j][j] } else { 0.0 };
            }
        }
        if !used[i] {
            matrix[i][..i].fill(0.0);
        }
    }
    for i in 0..size {
        for k in 0..i {
            right[i] -= matrix[i][k] * right[k];
        }
        right[i] = if used[i] { right[i] / matrix[i][i] } else { 0.0 };
    }
    for i in (0..size).rev() {
        for k in i + 1..size {
            right[i] -= matrix[k][i] * right[k];
        }
        right[i] = if used[i] { right[i] / matrix[i][i] } else { 0.0 };
    }
    right
}

/// The sum of products, in eight sums that the processor can do at once.
fn dot(left: &[f32], right: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (lefts, rights) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f64 =
        lefts.remainder().iter().zip(rights.remainder()).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    for (xs, ys) in lefts.zip(rights) {
        for ((sum, x), y) in sums.iter_mut().zip(xs).zip(ys) {
            *sum += f64::from(*x) * f64::from(*y);
        }
    }
    sums.iter().sum::<f64>() + rest
}
