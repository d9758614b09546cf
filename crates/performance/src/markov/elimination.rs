//! Small systems, by GTH elimination: without subtraction (Grassmann, Taksar and Heyman 1985).
//!
//! Eliminating a state hands on its rates, times and rewards to those that go there. Only positive numbers
//! are added, multiplied and divided, so that no digits cancel, however unlike the rates are.
//!
//! Error: eliminating one of m states leaves a system whose every number is off by at most a factor (1 +
//! u)^(m + 3), u = 2⁻⁵³. By the matrix-tree theorem, what is asked is a quotient of sums of products of at
//! most m such numbers, all positive. So it is off by at most a factor of about 1 + 2·m·(m + 3)·u, and after
//! all eliminations by less than 1 + n·(n + 1)·(n + 4)·2u (O'Cinneide 1993 has the argument for
//! distributions). Going back adds less than that again.

use super::chain::Chain;

/// Up to this many states, elimination is quick.
pub(super) const MAX_ELIMINATED: usize = 400;

/// Up to this many states, elimination is possible: for what relaxation has not solved after [`MAX_SWEEPS`]
/// sweeps.
pub(super) const MAX_ELIMINATED_IF_SLOW: usize = 3000;

/// How many sweeps there are before elimination.
pub(super) const MAX_SWEEPS: usize = 4000;

/// A system of equations about a few states.
pub(super) struct Dense {
    size: usize,
    /// Rates from each state to each, row by row.
    rates: Vec<f64>,
    /// Rates out of the system.
    outside: Vec<f64>,
    /// What is gained in each state, per time; one column for each question.
    columns: Vec<Vec<f64>>,
}

impl Dense {
    /// Takes some states of a chain, in ascending order; states outside have the given values in the first
    /// column.
    pub(super) fn new(chain: &Chain, members: &[u32], columns: Vec<Vec<f64>>, values: &[f64]) -> Dense {
        let size = members.len();
        let mut dense = Dense { size, rates: vec![0.0; size * size], outside: vec![0.0; size], columns };
        for (place, state) in members.iter().enumerate() {
            for (target, rate) in chain.row(*state as usize) {
                match members.binary_search(&target) {
                    Ok(other) => dense.rates[place * size + other] += rate,
                    Err(_) => {
                        dense.outside[place] += rate;
                        dense.columns[0][place] += rate * values[target as usize];
                    }
                }
            }
        }
        dense
    }

    /// Eliminates all states but so many; returns the rate with which each was left then.
    fn eliminate(&mut self, remaining: usize) -> Vec<f64> {
        let size = self.size;
        let mut exits = vec![0.0; size];
        for state in (remaining..size).rev() {
            let (above, row) = self.rates.split_at_mut(state * size);
            let row = &row[..state];
            let exit = self.outside[state] + row.iter().sum::<f64>();
            exits[state] = exit;
            for other in 0..state {
                let rate = above[other * size + state];
                if rate == 0.0 {
                    continue;
                }
                let factor = rate / exit;
                for (to, from) in above[other * size..other * size + state].iter_mut().zip(row) {
                    *to += factor * from;
                }
                self.outside[other] += factor * self.outside[state];
                for column in &mut self.columns {
                    column[other] += factor * column[state];
                }
            }
        }
        exits
    }

    /// Solves an irreducible system whose last column are times: for each other column, the gain, and the
    /// bias of each state relative to the first one.
    pub(super) fn gains(mut self) -> Vec<(f64, Vec<f64>)> {
        let exits = self.eliminate(1);
        let Some(times) = self.columns.pop() else { return Vec::new() };
        let solve = |column: &Vec<f64>| {
            let gain = column[0] / times[0];
            let mut values = vec![0.0; self.size];
            for state in 1..self.size {
                let row = &self.rates[state * self.size..state * self.size + state];
                let sum: f64 = row.iter().zip(&values).map(|(rate, value)| rate * value).sum();
                values[state] = (column[state] - gain * times[state] + sum) / exits[state];
            }
            (gain, values)
        };
        self.columns.iter().map(solve).collect()
    }

    /// Eliminates all states but the first of an irreducible system whose only column are times.
    pub(super) fn eliminated(mut self) -> Eliminated {
        let exits = self.eliminate(1);
        let times = self.columns.pop().unwrap_or_default();
        Eliminated { dense: self, exits, times }
    }

    /// Solves a transient system: the total reward from each state.
    pub(super) fn totals(mut self) -> Vec<f64> {
        let exits = self.eliminate(0);
        let mut values = vec![0.0; self.size];
        for state in 0..self.size {
            let row = &self.rates[state * self.size..state * self.size + state];
            let sum: f64 = row.iter().zip(&values).map(|(rate, value)| rate * value).sum();
            values[state] = (self.columns[0][state] + sum) / exits[state];
        }
        values
    }

    /// Computes the stationary distribution of an irreducible system, in which each state is weighted by the
    /// last column.
    pub(super) fn distribution(mut self) -> Vec<f64> {
        let exits = self.eliminate(1);
        let mut weights = vec![0.0; self.size];
        weights[0] = 1.0;
        for state in 1..self.size {
            let sum: f64 =
                (0..state).map(|other| weights[other] * self.rates[other * self.size + state]).sum();
            weights[state] = sum / exits[state];
        }
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }
}

/// An irreducible system that is solved for one reward after the other.
pub(super) struct Eliminated {
    dense: Dense,
    exits: Vec<f64>,
    /// How long each state counts once those with greater numbers are gone.
    times: Vec<f64>,
}

impl Eliminated {
    /// Computes the bias of each state relative to the first one; the rewards are consumed. There may be
    /// negative ones: then digits may cancel.
    pub(super) fn advance(&self, rewards: &mut [f64], values: &mut [f64]) {
        let size = self.dense.size;
        let rates = &self.dense.rates;
        for state in (1..size).rev() {
            let factor = rewards[state] / self.exits[state];
            for other in 0..state {
                rewards[other] += factor * rates[other * size + state];
            }
        }
        let gain = rewards[0] / self.times[0];
        values[0] = 0.0;
        for state in 1..size {
            let row = &rates[state * size..state * size + state];
            let sum: f64 = row.iter().zip(&*values).map(|(rate, value)| rate * value).sum();
            values[state] = (rewards[state] - gain * self.times[state] + sum) / self.exits[state];
        }
    }
}

/// Returns by how much a result may be off, relatively, if all numbers were at least 0 and had been through
/// so many roundings before.
pub(super) fn relative_error(size: usize, roundings: usize) -> f64 {
    let size = size as f64;
    2.0 * f64::EPSILON * (size * (size + 1.0) * (size + 4.0) + 2.0 * size * roundings as f64 + 8.0)
}

#[cfg(test)]
mod tests {
    use super::super::chain::Builder;
    use super::Dense;

    #[test]
    fn two_states_by_hand() {
        let mut builder = Builder::new(2, 2);
        builder.row([(1, 2.0)]);
        builder.row([(0, 1.0)]);
        let chain = builder.build([(0, 1.0)]).unwrap();
        let columns = || vec![vec![3.0, 0.0], vec![1.0, 1.0]];
        let gains = Dense::new(&chain, &[0, 1], columns(), &[]).gains();
        assert!((gains[0].0 - 1.0).abs() < 1e-15);
        // 0 − 1 + 1·(0 − h) = 0.
        assert!((gains[0].1[1] + 1.0).abs() < 1e-15);
        let distribution = Dense::new(&chain, &[0, 1], columns(), &[]).distribution();
        assert!((distribution[0] - 1.0 / 3.0).abs() < 1e-15);
        let totals = Dense::new(&chain, &[0], vec![vec![1.0]], &[0.0, 7.0]).totals();
        assert!((totals[0] - 7.5).abs() < 1e-15);
    }
}
