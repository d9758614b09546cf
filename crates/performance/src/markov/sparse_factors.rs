//! Sparse LU factors of `z·I − h·Q` for complex z with a positive real part.
//!
//! In each row, the absolute value on the diagonal is more than the sum of all others: so no pivot is ever
//! small, and the order of elimination may be chosen for sparsity alone, once for all z and h (minimum
//! degree, Tinney and Walker 1967). Nothing here is proved about rounding: solutions are refined and judged
//! by their residuals.
//!
//! Cost: what fills up, which for chains with little structure is the square of their size; [`MAX_FILL`] is
//! the limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Mul, Sub};

use super::chain::Chain;

/// How many entries a factor has at most, above the diagonal: 64 MB each.
const MAX_FILL: usize = 1 << 21;

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Complex {
    pub(super) real: f64,
    pub(super) imaginary: f64,
}

impl Sub for Complex {
    type Output = Complex;

    #[inline]
    fn sub(self, other: Complex) -> Complex {
        Complex { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }
}

impl Mul for Complex {
    type Output = Complex;

    #[inline]
    fn mul(self, other: Complex) -> Complex {
        Complex {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }
}

impl Complex {
    fn reciprocal(self) -> Complex {
        // Numbers may be so large that squares overflow.
        let scale = self.real.abs().max(self.imaginary.abs());
        let (real, imaginary) = (self.real / scale, self.imaginary / scale);
        let size = (real * real + imaginary * imaginary) * scale;
        Complex { real: real / size, imaginary: -imaginary / size }
    }
}

/// The order in which states are eliminated, and what fills up.
pub(super) struct Ordering {
    /// The place of each state in the order.
    place: Vec<u32>,
    /// The state at each place.
    order: Vec<u32>,
    /// For each place, where its entries begin.
    starts: Vec<usize>,
    /// The later places that are connected with each place when it is eliminated, in ascending order.
    later: Vec<u32>,
    /// For each place, where its entries in `earlier` begin.
    earlier_starts: Vec<usize>,
    /// The earlier places that are connected with each place, with their entries' numbers.
    earlier: Vec<(u32, usize)>,
}

/// The factors of a matrix.
pub(super) struct Factors {
    upper: Vec<Complex>,
    lower: Vec<Complex>,
    inverse: Vec<Complex>,
}

impl Ordering {
    /// Finds an order. `None` if too much fills up, or if it was stopped.
    pub(super) fn new(chain: &Chain, is_stopped: &dyn Fn() -> bool) -> Option<Ordering> {
        let size = chain.states();
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); size];
        for state in 0..size {
            for target in chain.targets(state) {
                near[state].push(*target);
                near[*target as usize].push(state as u32);
            }
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let mut queue: BinaryHeap<Reverse<(usize, u32)>> =
            near.iter().enumerate().map(|(state, list)| Reverse((list.len(), state as u32))).collect();
        let (mut order, mut patterns) = (Vec::with_capacity(size), Vec::with_capacity(size));
        let mut is_done = vec![false; size];
        let mut seen = vec![u32::MAX; size];
        let (mut fill, mut work) = (0, 0_usize);
        while let Some(Reverse((degree, state))) = queue.pop() {
            let at = state as usize;
            if is_done[at] || near[at].len() != degree {
                continue;
            }
            is_done[at] = true;
            order.push(state);
            let own = std::mem::take(&mut near[at]);
            fill += own.len();
            if fill > MAX_FILL {
                return None;
            }
            for other in &own {
                let list = &mut near[*other as usize];
                list.retain(|one| *one != state);
                for one in list.iter() {
                    seen[*one as usize] = *other;
                }
                seen[*other as usize] = *other;
                list.extend(own.iter().filter(|one| seen[**one as usize] != *other));
                work += list.len() + own.len();
                queue.push(Reverse((list.len(), *other)));
            }
            patterns.push(own);
            if work > 1 << 22 {
                work = 0;
                if is_stopped() {
                    return None;
                }
            }
        }
        Some(Ordering::of(order, patterns))
    }

    fn of(order: Vec<u32>, patterns: Vec<Vec<u32>>) -> Ordering {
        let mut place = vec![0; order.len()];
        for (number, state) in (0..).zip(&order) {
            place[*state as usize] = number;
        }
        let (mut starts, mut later) = (vec![0], Vec::new());
        let mut earlier: Vec<Vec<(u32, usize)>> = vec![Vec::new(); order.len()];
        for (number, pattern) in (0..).zip(patterns) {
            let mut places: Vec<u32> = pattern.iter().map(|state| place[*state as usize]).collect();
            places.sort_unstable();
            for (entry, other) in places.iter().enumerate() {
                earlier[*other as usize].push((number, later.len() + entry));
            }
            later.extend(places);
            starts.push(later.len());
        }
        let (mut earlier_starts, mut flat) = (vec![0], Vec::with_capacity(later.len()));
        for list in earlier {
            flat.extend(list);
            earlier_starts.push(flat.len());
        }
        Ordering { place, order, starts, later, earlier_starts, earlier: flat }
    }

    /// Factors `z·I − step·Q`, row by row.
    pub(super) fn factors(&self, chain: &Chain, step: f64, shift: Complex) -> Factors {
        let size = self.order.len();
        let mut factors = Factors {
            upper: vec![Complex::default(); self.later.len()],
            lower: vec![Complex::default(); self.later.len()],
            inverse: vec![Complex::default(); size],
        };
        let mut row = vec![Complex::default(); size];
        for place in 0..size {
            let state = self.order[place] as usize;
            let mut exit = 0.0;
            for (target, rate) in chain.row(state) {
                row[self.place[target as usize] as usize].real -= rate * step;
                exit += rate * step;
            }
            row[place] = Complex { real: shift.real + exit, imaginary: shift.imaginary };
            for (other, entry) in &self.earlier[self.earlier_starts[place]..self.earlier_starts[place + 1]] {
                let factor = row[*other as usize] * factors.inverse[*other as usize];
                row[*other as usize] = Complex::default();
                factors.lower[*entry] = factor;
                let range = self.starts[*other as usize]..self.starts[*other as usize + 1];
                for (column, upper) in self.later[range.clone()].iter().zip(&factors.upper[range]) {
                    let column = &mut row[*column as usize];
                    *column = *column - factor * *upper;
                }
            }
            factors.inverse[place] = row[place].reciprocal();
            row[place] = Complex::default();
            for entry in self.starts[place]..self.starts[place + 1] {
                factors.upper[entry] = std::mem::take(&mut row[self.later[entry] as usize]);
            }
        }
        factors
    }

    /// Solves `x·(z·I − step·Q) = right`, numbers by state.
    pub(super) fn solve(&self, factors: &Factors, right: &[Complex]) -> Vec<Complex> {
        let size = self.order.len();
        let mut row: Vec<Complex> = self.order.iter().map(|state| right[*state as usize]).collect();
        for place in 0..size {
            let value = row[place] * factors.inverse[place];
            row[place] = value;
            for entry in self.starts[place]..self.starts[place + 1] {
                let other = &mut row[self.later[entry] as usize];
                *other = *other - value * factors.upper[entry];
            }
        }
        for place in (0..size).rev() {
            let mut value = row[place];
            for entry in self.starts[place]..self.starts[place + 1] {
                value = value - row[self.later[entry] as usize] * factors.lower[entry];
            }
            row[place] = value;
        }
        self.place.iter().map(|place| row[*place as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use narrows_graph::Random;

    use super::super::chain::Builder;
    use super::{Complex, Ordering};

    #[test]
    fn solutions_have_small_residuals() {
        let mut random = Random::new(5);
        for size in [1, 2, 7, 40, 300] {
            let mut builder = Builder::new(size, 0);
            for state in 0..size {
                let rates: Vec<(u32, f64)> = (0..random.below(5))
                    .map(|_| {
                        let near = (state + 1 + random.index(5)) % size;
                        (near as u32, 10.0_f64.powi(random.below(8) as i32 - 4))
                    })
                    .collect();
                builder.row(rates);
            }
            let chain = builder.build([(0, 1.0)]).unwrap();
            let ordering = Ordering::new(&chain, &|| false).unwrap();
            let (step, shift) = (3.0, Complex { real: 2.0, imaginary: 5.0 });
            let factors = ordering.factors(&chain, step, shift);
            let right: Vec<Complex> =
                (0..size).map(|_| Complex { real: random.fraction(), imaginary: 0.0 }).collect();
            let found = ordering.solve(&factors, &right);
            let mut rest: Vec<Complex> =
                found.iter().zip(&right).map(|(one, right)| *right - shift * *one).collect();
            for (state, value) in found.iter().enumerate() {
                for (target, rate) in chain.row(state) {
                    let flow = *value * Complex { real: rate * step, imaginary: 0.0 };
                    rest[state] = rest[state] - flow;
                    let other = &mut rest[target as usize];
                    *other = *other - Complex { real: -flow.real, imaginary: -flow.imaginary };
                }
            }
            let off: f64 = rest.iter().map(|one| one.real.abs() + one.imaginary.abs()).sum();
            assert!(off < 1e-9, "{size} {off}");
        }
    }
}
