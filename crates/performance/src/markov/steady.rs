//! Stationary distributions.

use super::chain::Chain;
use super::elimination::{Dense, MAX_ELIMINATED, relative_error};
use super::interval::{Accuracy, Interval, rounding};
use super::long_run::Parts;
use super::relaxation::Equations;
use super::total_reward::times;

/// Computes the fraction of time that each state has in the long run.
///
/// In components of a few hundred states each number is right in nearly all digits (elimination); in larger
/// ones, and where several components may be reached, they are those of an iteration that went on until
/// nothing changed: [`steady_bounds`] says how far they may be off.
pub fn steady(chain: &Chain, accuracy: Accuracy<'_>) -> Vec<f64> {
    let parts = Parts::new(chain);
    let mut values = vec![0.0; chain.states()];
    let reached = parts.reached(chain, &mut values, accuracy);
    values.fill(0.0);
    let backwards =
        parts.bottoms.iter().any(|members| members.len() > MAX_ELIMINATED).then(|| chain.transposed());
    for (members, reached) in parts.bottoms.iter().zip(reached) {
        match &backwards {
            Some(backwards) if members.len() > MAX_ELIMINATED => {
                relax(chain, backwards, members, &mut values, accuracy);
            }
            _ => {
                let columns = vec![vec![0.0; members.len()]];
                let found = Dense::new(chain, members, columns, &[]).distribution();
                for (state, share) in members.iter().zip(found) {
                    values[*state as usize] = share;
                }
            }
        }
        for state in members {
            values[*state as usize] *= reached.middle();
        }
    }
    for state in parts.passing {
        values[state as usize] = 0.0;
    }
    values
}

/// Bounds the fraction of time that each state has in the long run.
pub fn steady_bounds(chain: &Chain, accuracy: Accuracy<'_>) -> Vec<Interval> {
    let Stationary { probabilities, relative, absolute } = stationary(chain, accuracy);
    let known = Interval { low: 0.0, high: 1.0 };
    let of = |share: &f64| known.and(Interval::exactly(*share).widened(share * relative + absolute));
    let mut bounds: Vec<Interval> = probabilities.iter().map(of).collect();
    for state in Parts::new(chain).passing {
        bounds[state as usize] = Interval::exactly(0.0);
    }
    bounds
}

/// A stationary distribution with bounds: each probability is off by a factor, and all together by a sum of
/// absolute values.
pub(super) struct Stationary {
    pub(super) probabilities: Vec<f64>,
    pub(super) relative: f64,
    pub(super) absolute: f64,
}

/// Computes the stationary distribution, with bounds.
///
/// For any f with |f| ≤ 1 and any state z of a component, `f + Q·h` is constant for an h with |h| ≤ 2·M,
/// where M is the greatest mean time to z. So a distribution p that misses its equation by `‖p·Q‖` differs
/// from the true one by at most 2·M·‖p·Q‖ in the sum of absolute values.
pub(super) fn stationary(chain: &Chain, accuracy: Accuracy<'_>) -> Stationary {
    let probabilities = steady(chain, accuracy);
    let parts = Parts::new(chain);
    let mut values = vec![0.0; chain.states()];
    let reached = parts.reached(chain, &mut values, accuracy);
    let (mut relative, mut absolute) = (0.0_f64, 0.0);
    for (members, reached) in parts.bottoms.iter().zip(&reached) {
        absolute += reached.width() + 4.0 * members.len() as f64 * f64::EPSILON;
        if members.len() <= MAX_ELIMINATED {
            relative = relative.max(2.0 * relative_error(members.len(), chain.roundings()));
            continue;
        }
        let largest = |one: &&u32, other: &&u32| {
            probabilities[**one as usize].total_cmp(&probabilities[**other as usize])
        };
        let Some(goal) = members.iter().max_by(largest) else { continue };
        let others: Vec<u32> = members.iter().copied().filter(|state| state != goal).collect();
        values.fill(0.0);
        let (low, _) = times(chain, &others, &mut values, Accuracy { relative: 0.1, ..accuracy });
        let longest = others.iter().map(|state| values[*state as usize]).fold(0.0, f64::max) / low;
        let missed = residual(chain, members, &probabilities);
        let off = 2.0 * longest * missed * (1.0 + 1e-9);
        absolute += if off.is_finite() && low > 0.0 { off } else { f64::INFINITY };
    }
    Stationary { probabilities, relative, absolute }
}

/// Bounds for what part of the time a reward has each of its values, in ascending order.
pub fn occupancy(chain: &Chain, reward: &[f64], accuracy: Accuracy<'_>) -> Vec<(f64, Interval)> {
    let Stationary { probabilities, relative, absolute } = stationary(chain, accuracy);
    let mut states: Vec<usize> = (0..chain.states()).collect();
    states.sort_by(|one, other| reward[*one].total_cmp(&reward[*other]));
    let same = |one: &usize, other: &usize| reward[*one].total_cmp(&reward[*other]).is_eq();
    let part = |group: &[usize]| {
        let sum: f64 = group.iter().map(|state| probabilities[*state]).sum();
        let off = sum * relative + absolute + rounding(group.len(), sum);
        let found = if off.is_finite() { Interval::exactly(sum).widened(off) } else { Interval::ANY };
        (reward[group[0]], found.and(Interval { low: 0.0, high: 1.0 }))
    };
    let parts = states.chunk_by(same).map(part);
    parts.filter(|(_, found)| found.high > Accuracy::NOTHING).collect()
}

/// Bounds by how much a distribution misses its equation, and 1, in the sum of absolute values.
fn residual(chain: &Chain, members: &[u32], probabilities: &[f64]) -> f64 {
    let mut flows = vec![0.0; chain.states()];
    let mut magnitudes = vec![0.0; chain.states()];
    let mut terms = vec![0_usize; chain.states()];
    for state in members.iter().map(|state| *state as usize) {
        for (target, rate) in chain.row(state) {
            let flow = probabilities[state] * rate;
            flows[target as usize] += flow;
            flows[state] -= flow;
            for state in [target as usize, state] {
                magnitudes[state] += flow;
                terms[state] += 1;
            }
        }
    }
    let missed = |state: &u32| {
        let state = *state as usize;
        flows[state].abs() + rounding(terms[state] + chain.roundings(), magnitudes[state])
    };
    members.iter().map(missed).sum::<f64>() * (1.0 + members.len() as f64 * f64::EPSILON)
}

/// Solves `π·Q = 0` in a component: the same relaxation, with transitions taken backwards.
fn relax(chain: &Chain, backwards: &Chain, members: &[u32], values: &mut [f64], accuracy: Accuracy<'_>) {
    let nothing = vec![0.0; chain.states()];
    let equations = Equations {
        chain: backwards,
        leaving: chain,
        order: members,
        right: &nothing,
        time: None::<fn(usize) -> f64>,
        closed: false,
        accuracy,
    };
    for state in members {
        values[*state as usize] = 1.0 / members.len() as f64;
    }
    let mut iteration = equations.start(0.0);
    let (mut least, mut stuck) = (f64::INFINITY, 0);
    loop {
        equations.cycle(&mut iteration, values, 0.0);
        let total: f64 = members.iter().map(|state| values[*state as usize]).sum();
        let largest = members.iter().map(|state| values[*state as usize].abs()).fold(0.0, f64::max);
        if total <= 0.0 || !total.is_finite() {
            return;
        }
        // What rounding does cannot be relaxed away.
        stuck = if iteration.change < 0.5 * least { 0 } else { stuck + 1 };
        least = least.min(iteration.change);
        let done = iteration.change <= 1e-14 * largest || (stuck > 20 && iteration.change <= 1e-10 * largest);
        if done || iteration.sweeps >= accuracy.sweeps || accuracy.is_stopped() {
            for state in members {
                values[*state as usize] = (values[*state as usize] / total).max(0.0);
            }
            return;
        }
    }
}
