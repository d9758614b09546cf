//! The long-run average of a reward in a bottom component, with bounds.
//!
//! For any values h whatever, `min (r + Q·h) ≤ gain ≤ max (r + Q·h)`: weighted by the stationary
//! distribution, the term with Q vanishes. The bounds meet if h solves Poisson's equation `r + Q·h = gain`.
//! So h may come from anywhere; here it comes from elimination in small components and from relaxation in
//! others. Only the last evaluation has to be right, and it is one sum per state, whose rounding errors are
//! bounded by [`rounding`](super::interval::rounding). There, a rate that is the result of roundings counts
//! as one that may be off by them.

use narrows_graph::components::find_in_lists;

use super::chain::Chain;
use super::elimination::{self, Dense, MAX_ELIMINATED, MAX_ELIMINATED_IF_SLOW, MAX_SWEEPS};
use super::interval::{Accuracy, Interval};
use super::relaxation::Equations;

/// What `r + Q·h` says about the gain, and how much of the width may be due to rounding.
struct Bounds {
    interval: Interval,
    noise: f64,
}

fn bounds(chain: &Chain, members: &[u32], reward: &[f64], values: &[f64]) -> Bounds {
    let mut interval = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
    let mut noise = 0.0_f64;
    for state in members {
        let (drift, error) = chain.drift(*state as usize, reward[*state as usize], values);
        // What is no number is no bound either, and `min` would not see it.
        if !(drift.is_finite() && error.is_finite()) {
            return Bounds { interval: Interval::ANY, noise: 0.0 };
        }
        interval.low = interval.low.min(drift - error);
        interval.high = interval.high.max(drift + error);
        noise = noise.max(error);
    }
    Bounds { interval, noise }
}

/// Bounds the average of a reward in a component. States come in ascending order, or are all of the chain;
/// `values` is scratch memory, one value per state of the chain.
pub(super) fn gain(
    chain: &Chain,
    members: &[u32],
    reward: &[f64],
    values: &mut [f64],
    accuracy: Accuracy<'_>,
) -> Interval {
    let known = range(members, reward, chain.roundings());
    if members.len() == 1 || known.width() == 0.0 {
        return known;
    }
    if members.len() <= MAX_ELIMINATED {
        return known.and(small(chain, members, reward, values));
    }
    if members.len() <= MAX_ELIMINATED_IF_SLOW {
        let patient = Accuracy { sweeps: accuracy.sweeps.min(MAX_SWEEPS), ..accuracy };
        let found = known.and(large(chain, members, reward, values, patient));
        let is_enough = accuracy.is_met(found) || accuracy.is_stopped();
        return if is_enough { found } else { found.and(small(chain, members, reward, values)) };
    }
    known.and(large(chain, members, reward, values, accuracy))
}

/// An average lies between the least and the greatest reward.
fn range(members: &[u32], reward: &[f64], roundings: usize) -> Interval {
    let rewards = members.iter().map(|state| reward[*state as usize]);
    let (low, high) = rewards
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), reward| (low.min(reward), high.max(reward)));
    Interval { low, high }.off_by_roundings(roundings)
}

fn small(chain: &Chain, members: &[u32], reward: &[f64], values: &mut [f64]) -> Interval {
    let rewards: Vec<f64> = members.iter().map(|state| reward[*state as usize]).collect();
    let positive = rewards.iter().all(|reward| *reward >= 0.0);
    let columns = vec![rewards, vec![1.0; members.len()]];
    let solved = Dense::new(chain, members, columns, values).gains();
    let Some((gain, advance)) = solved.into_iter().next() else { return Interval::ANY };
    for (state, value) in members.iter().zip(advance) {
        values[*state as usize] = value;
    }
    let found = bounds(chain, members, reward, values).interval;
    if !positive {
        return found;
    }
    let off = gain * elimination::relative_error(members.len(), chain.roundings());
    found.and(Interval { low: (gain - off).max(0.0), high: gain + off })
}

/// Bounds the average by relaxation.
pub(super) fn large(
    chain: &Chain,
    members: &[u32],
    reward: &[f64],
    values: &mut [f64],
    accuracy: Accuracy<'_>,
) -> Interval {
    for state in members {
        values[*state as usize] = 0.0;
    }
    let order = visiting_order(chain, members);
    let equations = Equations {
        chain,
        leaving: chain,
        order: &order,
        right: reward,
        time: Some(|_: usize| 1.0),
        closed: true,
        accuracy,
    };
    let mean = members.iter().map(|state| reward[*state as usize]).sum::<f64>() / members.len() as f64;
    let mut iteration = equations.start(mean);
    let mut best = Interval::ANY;
    // How narrow the bounds were, and how much of that may be left next.
    let (mut least, mut enough) = (f64::INFINITY, 0.0);
    loop {
        equations.cycle(&mut iteration, values, enough);
        let found = bounds(chain, &order, reward, values);
        best = best.and(found.interval);
        let width = found.interval.width();
        let done = accuracy.is_met(best) || width <= 4.0 * found.noise;
        if done || iteration.sweeps >= accuracy.sweeps || accuracy.is_stopped() {
            return best;
        }
        if width > ASTRAY * least {
            iteration.gain = mean;
            for state in members {
                values[*state as usize] = 0.0;
            }
        }
        if width >= least && iteration.has_help() {
            equations.get_help(&mut iteration);
        }
        least = least.min(width);
        // The sweeps before the next search do their share, so it may leave more than would be enough.
        enough = 2.0 * accuracy.relative * iteration.gain.abs() / width;
    }
}

/// If bounds become so many times as wide as they were, a guess has gone astray.
const ASTRAY: f64 = 10.0;

/// So many states, or twice as many, tell whether numbers say what is near.
const SAMPLE: usize = 4096;

/// A value depends on those of successors, which mostly have higher numbers: they come first. If numbers say
/// nothing about what is near, a depth-first search says it.
fn visiting_order(chain: &Chain, members: &[u32]) -> Vec<u32> {
    let mut distance = 0.0;
    let mut transitions = 0_usize;
    for state in members.iter().step_by(members.len() / SAMPLE + 1) {
        for target in chain.targets(*state as usize) {
            distance += f64::from(target.abs_diff(*state));
            transitions += 1;
        }
    }
    if distance / transitions as f64 > chain.states() as f64 / 5.0 {
        let root = members.iter().take(1).copied();
        return find_in_lists(chain.states(), root, |state| chain.targets(state)).finished;
    }
    members.iter().rev().copied().collect()
}
