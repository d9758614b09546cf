//! The total reward until transient states are left for ever, with bounds.
//!
//! The equation is `r(s) + Σ rate(s,t)·(x(t) − x(s)) = 0`, with x given outside. Let y be more than the
//! expected number of steps until the states are left: `E(s) + Σ rate(s,t)·(y(t) − y(s)) ≤ 0` with `E(s)` the
//! rate of leaving s, and y = 0 outside. If x misses its equation by at most η·E(s) in every state, it
//! differs from the solution by at most η·y (the matrix is an M-matrix: Ogita, Rump and Oishi 2005). If r is
//! positive and x comes within the factors a and b of r, then x/b and x/a are bounds too. Both are one sum
//! for each state.

use super::chain::Chain;
use super::elimination::{self, Dense, MAX_ELIMINATED, MAX_ELIMINATED_IF_SLOW, MAX_SWEEPS};
use super::interval::{Accuracy, Interval, rounding};
use super::relaxation::{Equations, Iteration};

/// Bounds `Σ weight·x(state)` over the given starts. `members` are all states that can be left for ever, in
/// ascending order; `values` has x outside and room inside.
pub(super) fn total(
    chain: &Chain,
    members: &[u32],
    reward: &[f64],
    values: &mut [f64],
    starts: &[(u32, f64)],
    accuracy: Accuracy<'_>,
) -> Interval {
    let is_inside = |state: u32| members.binary_search(&state).is_ok();
    let outside: Vec<(u32, f64)> = starts.iter().filter(|(state, _)| !is_inside(*state)).copied().collect();
    let inside: Vec<(u32, f64)> = starts.iter().filter(|(state, _)| is_inside(*state)).copied().collect();
    let given = weighted(&outside, |state| Interval::exactly(values[state]));
    if inside.is_empty() {
        return given;
    }
    let found = if members.len() <= MAX_ELIMINATED {
        small(chain, members, reward, values, &inside)
    } else {
        let is_medium = members.len() <= MAX_ELIMINATED_IF_SLOW;
        let sweeps = if is_medium { accuracy.sweeps.min(MAX_SWEEPS) } else { accuracy.sweeps };
        let found = large(chain, members, reward, values, &inside, Accuracy { sweeps, ..accuracy });
        if is_medium && !accuracy.is_met(found) && !accuracy.is_stopped() {
            found.and(small(chain, members, reward, values, &inside))
        } else {
            found
        }
    };
    if given == Interval::exactly(0.0) { found } else { given.plus(found) }
}

/// Finds how long it takes from each of some states until they are left for ever. The true times lie between
/// the values divided by the second number and the values divided by the first.
pub(super) fn times(
    chain: &Chain,
    members: &[u32],
    values: &mut [f64],
    accuracy: Accuracy<'_>,
) -> (f64, f64) {
    let ones = vec![1.0; chain.states()];
    let bounds = |values: &[f64]| {
        let (low, high) = factors(chain, members, &ones, values);
        if low > 0.0 { Interval { low: 1.0 / high, high: 1.0 / low } } else { Interval::ANY }
    };
    if members.len() > MAX_ELIMINATED {
        let is_medium = members.len() <= MAX_ELIMINATED_IF_SLOW;
        let sweeps = if is_medium { accuracy.sweeps.min(MAX_SWEEPS) } else { accuracy.sweeps };
        let order: Vec<u32> = members.iter().rev().copied().collect();
        let (leaving, time) = (chain, None::<fn(usize) -> f64>);
        let equations =
            Equations { chain, leaving, order: &order, right: &ones, time, closed: false, accuracy };
        cycles(&equations, values, Accuracy { sweeps, ..accuracy }, bounds);
        if !is_medium || accuracy.is_met(bounds(values)) {
            return factors(chain, members, &ones, values);
        }
    }
    let solved = Dense::new(chain, members, vec![vec![1.0; members.len()]], values).totals();
    for (state, value) in members.iter().zip(solved) {
        values[*state as usize] = value;
    }
    let relative = elimination::relative_error(members.len(), chain.roundings());
    let (low, high) = factors(chain, members, &ones, values);
    let nearly = if relative < 0.5 { (1.0 - relative, 1.0 + 2.0 * relative) } else { (0.0, f64::INFINITY) };
    (low.max(nearly.0), high.min(nearly.1))
}

/// Adds weighted intervals. Several weights were scaled to 1 together, and may be off by what rounding did
/// there.
pub(super) fn weighted(entries: &[(u32, f64)], of: impl Fn(usize) -> Interval) -> Interval {
    let slack = if entries.len() == 1 { 0.0 } else { (entries.len() + 8) as f64 * f64::EPSILON };
    let mut parts = entries.iter().map(|(state, weight)| {
        let part = of(*state as usize).times(*weight);
        let largest = part.low.abs().max(part.high.abs());
        if slack > 0.0 && largest.is_finite() { part.widened(slack * largest) } else { part }
    });
    let Some(first) = parts.next() else { return Interval::exactly(0.0) };
    parts.fold(first, |sum, part| sum.plus(part))
}

fn small(
    chain: &Chain,
    members: &[u32],
    reward: &[f64],
    values: &mut [f64],
    starts: &[(u32, f64)],
) -> Interval {
    let rewards: Vec<f64> = members.iter().map(|state| reward[*state as usize]).collect();
    let boundary = members.iter().flat_map(|state| chain.targets(*state as usize));
    let positive = rewards.iter().all(|reward| *reward >= 0.0)
        && boundary
            .filter(|target| members.binary_search(target).is_err())
            .all(|target| values[*target as usize] >= 0.0);
    let solve = |columns, values: &[f64]| Dense::new(chain, members, columns, values).totals();
    let solved = solve(vec![rewards], values);
    let relative = elimination::relative_error(members.len(), chain.roundings());
    for (state, value) in members.iter().zip(&solved) {
        values[*state as usize] = *value;
    }
    if positive {
        return weighted(starts, |state| Interval::exactly(values[state]).widened(values[state] * relative));
    }
    let exits = members.iter().map(|state| chain.exit(*state as usize)).collect();
    let solved = solve(vec![exits], &vec![0.0; values.len()]);
    let mut steps = vec![0.0; values.len()];
    for (state, value) in members.iter().zip(solved) {
        steps[*state as usize] = value;
    }
    let missed = miss(chain, members, reward, values);
    let factor = 1.0 / pace(chain, members, &steps);
    weighted(starts, |state| around(values[state], missed, steps[state] * factor))
}

/// The interval around a value that is off by so much with each of so many steps.
fn around(value: f64, missed: f64, steps: f64) -> Interval {
    let off = missed * steps * (1.0 + 4.0 * f64::EPSILON);
    if off.is_finite() && steps >= 0.0 { Interval::exactly(value).widened(off) } else { Interval::ANY }
}

/// Returns by how much the equations are missed at most, compared with the rate of leaving.
fn miss(chain: &Chain, members: &[u32], reward: &[f64], values: &[f64]) -> f64 {
    let mut missed = 0.0_f64;
    for state in members {
        let state = *state as usize;
        let (drift, error) = chain.drift(state, reward[state], values);
        let exit = chain.exit(state);
        let exit = exit - rounding(chain.targets(state).len() + chain.roundings(), exit);
        let off = (drift.abs() + error) / exit;
        // What is no number is no bound either.
        if off.is_nan() {
            return f64::INFINITY;
        }
        missed = missed.max(off);
    }
    missed * (1.0 + 4.0 * f64::EPSILON)
}

/// Returns the largest factor such that `factor·E + Σ rate·(y(t) − y) ≤ 0` everywhere; below 0 if y says
/// nothing.
fn pace(chain: &Chain, members: &[u32], steps: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    for state in members {
        let state = *state as usize;
        let (drift, error) = chain.drift(state, 0.0, steps);
        let exit = chain.exit(state);
        let exit = exit + rounding(chain.targets(state).len() + chain.roundings(), exit);
        let here = (-drift - error) / exit;
        if here.is_nan() {
            return f64::NEG_INFINITY;
        }
        least = least.min(here);
    }
    least * (1.0 - 4.0 * f64::EPSILON)
}

fn large(
    chain: &Chain,
    members: &[u32],
    reward: &[f64],
    values: &mut [f64],
    starts: &[(u32, f64)],
    accuracy: Accuracy<'_>,
) -> Interval {
    let order: Vec<u32> = members.iter().rev().copied().collect();
    let equations = |right| Equations {
        chain,
        leaving: chain,
        order: &order,
        right,
        time: None::<fn(usize) -> f64>,
        closed: false,
        accuracy,
    };
    let positive = members.iter().all(|state| reward[*state as usize] > 0.0);
    for state in members {
        values[*state as usize] = 0.0;
    }
    let is_zero =
        members.iter().flat_map(|state| chain.targets(*state as usize)).all(|to| values[*to as usize] == 0.0);
    if positive && is_zero {
        return cycles(&equations(reward), values, accuracy, |values| {
            let (low, high) = factors(chain, members, reward, values);
            let scaled = |state: usize| Interval {
                low: (values[state] / high).next_down(),
                high: (values[state] / low).next_up(),
            };
            if low > 0.0 { weighted(starts, scaled) } else { Interval::ANY }
        });
    }
    let exits: Vec<f64> = (0..chain.states()).map(|state| chain.exit(state)).collect();
    let mut steps = vec![0.0; values.len()];
    let mut factor = 0.0;
    let enough = Accuracy { relative: 0.0, ..accuracy };
    cycles(&equations(&exits), &mut steps, enough, |steps| {
        factor = pace(chain, members, steps);
        if factor > 0.5 { Interval::exactly(0.0) } else { Interval::ANY }
    });
    if factor <= 0.0 {
        return Interval::ANY;
    }
    cycles(&equations(reward), values, accuracy, |values| {
        let missed = miss(chain, members, reward, values);
        weighted(starts, |state| around(values[state], missed, steps[state] / factor))
    })
}

/// Returns between which multiples of r the sums lie.
fn factors(chain: &Chain, members: &[u32], reward: &[f64], values: &[f64]) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for state in members {
        let state = *state as usize;
        let (drift, error) = chain.drift(state, 0.0, values);
        let here = ((-drift - error) / reward[state], (-drift + error) / reward[state]);
        if here.0.is_nan() || here.1.is_nan() {
            return (0.0, f64::INFINITY);
        }
        (low, high) = (low.min(here.0), high.max(here.1));
    }
    let off = (chain.roundings() + 8) as f64 * f64::EPSILON;
    (low * (1.0 - off), high * (1.0 + off))
}

/// Goes on until the bounds are narrow, do not get narrower, or enough has been done.
fn cycles<T: Fn(usize) -> f64 + Copy>(
    equations: &Equations<'_, T>,
    values: &mut [f64],
    accuracy: Accuracy<'_>,
    mut bounds: impl FnMut(&[f64]) -> Interval,
) -> Interval {
    let mut iteration: Iteration = equations.start(0.0);
    let mut best = Interval::ANY;
    let mut stuck = 0;
    loop {
        equations.cycle(&mut iteration, values, 0.0);
        let found = bounds(values);
        let narrower = found.width() < 0.9 * best.width();
        best = best.and(found);
        stuck = if narrower || best.width().is_infinite() { 0 } else { stuck + 1 };
        if accuracy.is_met(best) || stuck >= 8 || iteration.sweeps >= accuracy.sweeps || accuracy.is_stopped()
        {
            return best;
        }
    }
}
