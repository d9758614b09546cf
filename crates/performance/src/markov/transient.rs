//! Transient values, by uniformisation (Jensen 1953).
//!
//! With Λ above all exit rates, `P = I + Q/Λ` is a discrete-time chain, and the number of steps until time t
//! has a Poisson distribution with mean Λ·t. So the distribution at t is `Σ weight(n)·π₀·Pⁿ`, and the
//! expected reward there is `Σ weight(n)·π₀·Pⁿr`.
//!
//! Steps need not all be done: P makes no difference larger. If a step changes nothing by more than d, the
//! next n steps change nothing by more than n·d, which bounds what is left out; and values stay between their
//! least and their greatest.
//!
//! Rounding: a step adds at most `rounding(terms, 2·max|r|)` to each value of `Pⁿr`, and P makes that no
//! larger either; so n steps add at most n times as much. For distributions the same holds of the sum of
//! absolute values.

use super::chain::Chain;
use super::interval::{Accuracy, Interval, rounding};
use super::poisson::Weights;

/// A distribution that is close to the true one.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The probability of each state.
    pub probabilities: Vec<f64>,
    /// More than the sum of all differences to the true probabilities.
    pub error: f64,
}

/// Returns a uniformisation rate above all exit rates, so that every state has a self-loop and the chain is
/// aperiodic.
pub(super) fn pace(chain: &Chain) -> f64 {
    1.02 * (0..chain.states()).map(|state| chain.exit(state)).fold(0.0, f64::max)
}

/// Returns how many transitions a state has at most, in and out, and how often their rates were rounded.
pub(super) fn most_terms(chain: &Chain) -> usize {
    let mut terms = vec![0_u32; chain.states()];
    for state in 0..chain.states() {
        terms[state] += chain.targets(state).len() as u32;
        for target in chain.targets(state) {
            terms[*target as usize] += 1;
        }
    }
    terms.into_iter().max().unwrap_or(0) as usize + chain.roundings()
}

/// Returns how many steps are done at most: they are cheaper than sweeps in one thing only, that they need no
/// bounds.
fn most_steps(accuracy: Accuracy<'_>) -> u64 {
    accuracy.sweeps as u64 * 100
}

/// Asks whether to stop, but not after each of many small steps.
struct Watched<'a> {
    accuracy: Accuracy<'a>,
    /// How many transitions a step looks at.
    each: usize,
    since: usize,
}

impl Watched<'_> {
    fn is_over(&mut self) -> bool {
        self.since += self.each + 1;
        if self.since < 1 << 16 {
            return false;
        }
        self.since = 0;
        self.accuracy.is_stopped()
    }
}

/// Computes the distribution at a time.
pub fn distribution_at(chain: &Chain, time: f64, accuracy: Accuracy<'_>) -> Distribution {
    let mut now = vec![0.0; chain.states()];
    for (state, probability) in chain.initial() {
        now[*state as usize] = *probability;
    }
    let pace = pace(chain);
    if time <= 0.0 || pace == 0.0 {
        return Distribution { probabilities: now, error: 0.0 };
    }
    let weights = Weights::new(pace * time, accuracy.relative / 4.0);
    let step_error = 2.0 * rounding(most_terms(chain), 2.0);
    let mut sum = vec![0.0; chain.states()];
    let mut next = vec![0.0; chain.states()];
    let mut left = 1.0;
    let mut number = 0;
    let mut watched = Watched { accuracy, each: chain.transitions(), since: 0 };
    let error = loop {
        let weight = weights.of(number);
        for (sum, now) in sum.iter_mut().zip(&now) {
            *sum += weight * now;
        }
        left -= weight;
        let done = number as f64 * step_error;
        if number == weights.last() {
            break done + weights.missing;
        }
        next.copy_from_slice(&now);
        for state in 0..chain.states() {
            let share = now[state] / pace;
            if share == 0.0 {
                continue;
            }
            for (target, rate) in chain.row(state) {
                next[target as usize] += share * rate;
                next[state] -= share * rate;
            }
        }
        let change: f64 = now.iter().zip(&next).map(|(now, next)| (now - next).abs()).sum();
        std::mem::swap(&mut now, &mut next);
        number += 1;
        let remaining = (weights.last() - number) as f64;
        let settled = remaining * (change + step_error);
        if settled <= accuracy.relative / 4.0
            || change <= step_error
            || number >= most_steps(accuracy)
            || watched.is_over()
        {
            for (sum, now) in sum.iter_mut().zip(&now) {
                *sum += left * now;
            }
            break done + step_error + weights.missing + settled.min(2.0 * left.max(0.0) + f64::EPSILON);
        }
    };
    Distribution {
        probabilities: sum,
        error: error * (1.0 + 1e-9) + chain.states() as f64 * f64::MIN_POSITIVE,
    }
}

/// Bounds the expected reward rate at a time.
pub fn reward_at(chain: &Chain, reward: &[f64], time: f64, accuracy: Accuracy<'_>) -> Interval {
    let largest = reward.iter().fold(0.0_f64, |largest, reward| largest.max(reward.abs()));
    let mut found = reward_once(chain, reward, time, accuracy);
    let mut relative = accuracy.relative;
    // What is left out is compared with the largest reward, beside which the worth may be small.
    while !accuracy.is_met(found) && !accuracy.is_stopped() && found.high < 0.01 * largest && relative > LEAST
    {
        let wanted = accuracy.relative * found.low.max(found.high * 1e-3) / largest;
        relative = wanted.min(relative / 10.0).max(LEAST);
        found = found.and(reward_once(chain, reward, time, Accuracy { relative, ..accuracy }));
    }
    found
}

/// Less than this is lost to rounding anyway.
const LEAST: f64 = 1e-16;

fn reward_once(chain: &Chain, reward: &[f64], time: f64, accuracy: Accuracy<'_>) -> Interval {
    let pace = pace(chain);
    let start = |values: &[f64]| -> f64 {
        chain.initial().iter().map(|(state, weight)| weight * values[*state as usize]).sum()
    };
    let largest = reward.iter().fold(0.0_f64, |largest, reward| largest.max(reward.abs()));
    // Rewards may have been computed with rates that were rounded, and so be off as much.
    let off = |end: f64| end.abs() * chain.roundings() as f64 * f64::EPSILON;
    let start_error = rounding(chain.initial().len(), largest) + off(largest);
    let low = reward.iter().copied().fold(f64::INFINITY, f64::min);
    let high = reward.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let given = Interval { low, high };
    let known = Interval { low: low - off(low), high: high + off(high) };
    if time <= 0.0 || pace == 0.0 || given.is_exact() {
        let here = Interval::exactly(start(reward));
        let is_exact = chain.initial().len() == 1 && chain.roundings() == 0;
        return known.and(if is_exact { here } else { here.widened(start_error) });
    }
    let weights = Weights::new(pace * time, accuracy.relative / 8.0);
    let step_error = rounding(most_terms(chain), 2.0 * largest);
    let mut now = reward.to_vec();
    let mut next = vec![0.0; chain.states()];
    let (mut sum, mut left, mut number) = (0.0, 1.0, 0);
    let mut watched = Watched { accuracy, each: chain.transitions(), since: 0 };
    loop {
        let weight = weights.of(number);
        sum += weight * start(&now);
        left -= weight;
        let done = number as f64 * step_error + start_error + weights.missing * largest;
        if number == weights.last() {
            return known.and(Interval::exactly(sum).widened(done));
        }
        let (mut change, mut least, mut greatest) = (0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
        for (state, next) in next.iter_mut().enumerate() {
            let here = now[state];
            let drift =
                chain.row(state).fold(0.0, |sum, (target, rate)| sum + rate * (now[target as usize] - here));
            *next = here + drift / pace;
            change = change.max((*next - here).abs());
            (least, greatest) = (least.min(*next), greatest.max(*next));
        }
        std::mem::swap(&mut now, &mut next);
        number += 1;
        let settled = (greatest - least).min((weights.last() - number) as f64 * (change + step_error));
        let is_close = settled <= accuracy.relative / 8.0 * sum.abs().max(left * start(&now).abs());
        if is_close || change <= step_error || number >= most_steps(accuracy) || watched.is_over() {
            let off = done + step_error + settled.min(2.0 * largest * (left.max(0.0) + f64::EPSILON));
            return known.and(Interval::exactly(sum + left * start(&now)).widened(off));
        }
    }
}
