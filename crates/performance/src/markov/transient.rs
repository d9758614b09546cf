//! Transient values, by uniformisation (Jensen 1953).
//!
//! With Λ above all exit rates, `P = I + Q/Λ` is a discrete-time chain, and the number of steps until time t
//! has a Poisson distribution with mean Λ·t. So the distribution at t is `Σ weight(n)·π₀·Pⁿ`, and the
//! expected reward there is `Σ weight(n)·π₀·Pⁿr`.
//!
//! Steps need not all be done: P makes no difference larger. If a step changes nothing by more than d, the
//! next n steps change nothing by more than n·d, which bounds what is left out; and values stay between their
//! least and their greatest. Where many steps would not be enough, `squaring.rs` needs none, and
//! `collocation.rs` few.
//!
//! Rounding: a step adds at most `rounding(terms, 2·max|r|)` to each value of `Pⁿr`, and P makes that no
//! larger either; so n steps add at most n times as much. For distributions the same holds of the sum of
//! absolute values. If no reward is negative, nothing is ever subtracted, and n steps change each value by at
//! most n times a small part of it: so even what hardly ever happens comes with all digits.
//!
//! The mean Λ·t is rounded too, by a part δ of itself: that changes the weights by at most 2·δ·Λ·t together,
//! and the weight of n by at most (n + Λ·t)·δ of itself.

use super::chain::Chain;
use super::collocation;
use super::double_double::Double;
use super::interval::{Accuracy, Interval, rounding};
use super::lumping::lump;
use super::poisson::Weights;
use super::squaring::{self, MAX_SQUARED, Squared};

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

/// Returns how many steps are done before another method is tried that costs about as much.
fn few_steps(chain: &Chain, jumps: f64, accuracy: Accuracy<'_>) -> u64 {
    if chain.states() > FEW {
        return most_steps(accuracy).min(AS_COLLOCATION);
    }
    let size = chain.states() as f64;
    // Where numbers are too large for it, nothing is squared after all.
    let squarings = f64::from(squaring::squarings(jumps).min(MAX_SQUARINGS)) + 8.0;
    let operations = COSTLY * size * size * size * squarings;
    let steps = (operations / (chain.transitions() + chain.states()) as f64) as u64;
    most_steps(accuracy).min(steps).max(LEAST_STEPS)
}

/// Returns how many steps are done at most: they are cheaper than sweeps in one thing only, that they need no
/// bounds.
fn most_steps(accuracy: Accuracy<'_>) -> u64 {
    accuracy.sweeps as u64 * 100
}

/// More jumps than so many squarings stand for are not asked about.
const MAX_SQUARINGS: i32 = 250;

/// Chains with so many states are squared at once.
const FEW: usize = 48;

/// Implicit steps cost about as much as so many explicit ones.
const AS_COLLOCATION: u64 = 100_000;

/// Computes a distribution without a step for each jump, off by not much more than `wanted`.
fn without_jumps(chain: &Chain, time: f64, wanted: f64, accuracy: Accuracy<'_>) -> Option<Squared> {
    let squared = || squaring::distribution(chain, time, accuracy);
    if chain.states() <= FEW {
        return squared();
    }
    let found = collocation::distribution(chain, time, wanted, accuracy);
    found.or_else(|| if chain.states() <= MAX_SQUARED { squared() } else { None })
}

/// An operation with twice the precision costs so many times as much.
const COSTLY: f64 = 12.0;

/// So many steps are always tried.
const LEAST_STEPS: u64 = 10_000;

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
    let few = few_steps(chain, pace * time, accuracy);
    let stepped = stepped_distribution(chain, now.clone(), pace, time, few, accuracy);
    if stepped.error <= accuracy.relative || accuracy.is_stopped() {
        return stepped;
    }
    let found = without_jumps(chain, time, accuracy.relative / 4.0, accuracy);
    let Some(Squared { probabilities, error }) = found else {
        let most = most_steps(accuracy);
        let further = most > few && !accuracy.is_stopped();
        return if further { stepped_distribution(chain, now, pace, time, most, accuracy) } else { stepped };
    };
    let probabilities: Vec<f64> = probabilities.iter().map(|one| one.high).collect();
    // One rounding for each, and all together are 1.
    let error = error + 2.0 * f64::EPSILON;
    if error < stepped.error { Distribution { probabilities, error } } else { stepped }
}

fn stepped_distribution(
    chain: &Chain,
    mut now: Vec<f64>,
    pace: f64,
    time: f64,
    most: u64,
    accuracy: Accuracy<'_>,
) -> Distribution {
    let mean = pace * time;
    let weights = Weights::within(mean, accuracy.relative / 4.0, most);
    let step_error = 2.0 * rounding(most_terms(chain), 2.0);
    let start_error = rounding(chain.initial().len() + chain.states(), 1.0) + weights.missing();
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
        let done = number as f64 * step_error + start_error + mean_error(mean, number);
        if number == weights.last() {
            break done;
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
        if settled <= accuracy.relative / 4.0 || change <= step_error || number >= most || watched.is_over() {
            for (sum, now) in sum.iter_mut().zip(&now) {
                *sum += left * now;
            }
            break done + step_error + settled.min(2.0 * left.max(0.0) + f64::EPSILON);
        }
    };
    Distribution {
        probabilities: sum,
        error: error * (1.0 + 1e-9) + chain.states() as f64 * f64::MIN_POSITIVE,
    }
}

/// Bounds what rounding of the mean does to the weights, of which those up to a number were used: not more
/// than to all of them, and not more than to each.
fn mean_error(mean: f64, number: u64) -> f64 {
    let each = (number as f64 + mean) * f64::EPSILON;
    each.min(2.0 * mean * f64::EPSILON).min(2.0)
}

/// Bounds the expected reward rate at a time.
pub fn reward_at(chain: &Chain, reward: &[f64], time: f64, accuracy: Accuracy<'_>) -> Interval {
    let rewards = std::slice::from_ref(&reward);
    bound_all(chain, rewards, time, accuracy).first().copied().unwrap_or(Interval::ANY)
}

/// Bounds several expected reward rates at a time. Together they cost less than one by one.
pub fn rewards_at(chain: &Chain, rewards: &[Vec<f64>], time: f64, accuracy: Accuracy<'_>) -> Vec<Interval> {
    let rewards: Vec<&[f64]> = rewards.iter().map(Vec::as_slice).collect();
    bound_all(chain, &rewards, time, accuracy)
}

fn bound_all(chain: &Chain, rewards: &[&[f64]], time: f64, accuracy: Accuracy<'_>) -> Vec<Interval> {
    let reached = reached(chain);
    let few = few_steps(chain, pace(chain) * time, accuracy);
    let mut of_all = None;
    let mut found = Vec::new();
    for reward in rewards {
        let mut interval = stepped(chain, &reached, reward, time, few, accuracy);
        if !accuracy.is_met(interval) && !accuracy.is_stopped() {
            let lumped = if chain.states() > FEW { lump(chain, &[reward]) } else { None };
            // Rates that are sums may have been told apart by rounding.
            let enough = 4.0 * chain.fine_off().max(LEAST_OFF);
            let lumped = lumped.filter(|it| it.chain.fine_off() <= enough);
            let further = match &lumped {
                Some(lumped) => {
                    let reward = lumped.reward(reward);
                    narrowed(interval, &lumped.chain, &reward, time, &mut None, accuracy)
                }
                None => narrowed(interval, chain, reward, time, &mut of_all, accuracy),
            };
            interval = match further {
                Some(further) => further,
                None if most_steps(accuracy) > few && !accuracy.is_stopped() => {
                    let most = most_steps(accuracy);
                    interval.and(stepped(chain, &reached, reward, time, most, accuracy))
                }
                None => interval,
            };
        }
        found.push(interval);
    }
    found
}

/// How often a distribution is computed for a reward, each time with more digits.
const ATTEMPTS: usize = 4;

/// A distribution that is known, and how close to the true one it was meant to be.
type Known = Option<(f64, Squared)>;

/// Narrows what is known of a mean by the distribution. `None` if there is none.
fn narrowed(
    known: Interval,
    chain: &Chain,
    reward: &[f64],
    time: f64,
    distribution: &mut Known,
    accuracy: Accuracy<'_>,
) -> Option<Interval> {
    let largest = reward.iter().fold(0.0_f64, |largest, reward| largest.max(reward.abs()));
    let (mut interval, mut wanted) = (known, accuracy.relative / 16.0);
    for attempt in 0..ATTEMPTS {
        if !distribution.as_ref().is_some_and(|(meant, _)| *meant <= wanted) {
            let found = without_jumps(chain, time, wanted, accuracy);
            *distribution = match found {
                Some(found) => Some((wanted, found)),
                None if attempt == 0 => return None,
                None => return Some(interval),
            };
        }
        interval = tightened(interval, chain, distribution.as_ref().map(|(_, found)| found), reward);
        // What hardly ever happens needs more digits.
        let size = interval.high.abs().max(interval.low.abs()) / largest;
        let next = accuracy.relative * size / 16.0;
        if accuracy.is_met(interval) || next > wanted / 2.0 || next < LEAST_WANTED {
            break;
        }
        wanted = next;
    }
    Some(interval)
}

/// Rates of twice the usual precision that are off by less than this part of themselves are as good as exact.
const LEAST_OFF: f64 = 1e-24;

/// Twice the usual precision has no more digits than that.
const LEAST_WANTED: f64 = 1e-19;

/// Returns what is known of a mean if the distribution is known as well.
fn tightened(known: Interval, chain: &Chain, squared: Option<&Squared>, reward: &[f64]) -> Interval {
    let Some(squared) = squared else { return known };
    let largest = reward.iter().fold(0.0_f64, |largest, reward| largest.max(reward.abs()));
    let products = squared.probabilities.iter().zip(reward);
    let sum = products.fold(Double::default(), |sum, (share, reward)| sum + *share * Double::from(*reward));
    // Negative rewards cancel; by how much a sum is off is bounded by the largest reward all the same.
    let rounded = (chain.states() + 2) as f64 * f64::EPSILON * f64::EPSILON;
    let rewards = chain.reward_roundings() as f64 * f64::EPSILON;
    let off = largest * (squared.error + rounded + rewards) * (1.0 + 1e-9) + f64::MIN_POSITIVE;
    known.and(Interval::exactly(sum.high).widened(off).widened(sum.low.abs()))
}

/// Returns which states can be reached.
fn reached(chain: &Chain) -> Vec<bool> {
    let mut reached = vec![false; chain.states()];
    let mut open: Vec<u32> = chain.initial().iter().map(|(state, _)| *state).collect();
    for state in &open {
        reached[*state as usize] = true;
    }
    while let Some(state) = open.pop() {
        for target in chain.targets(state as usize) {
            if !std::mem::replace(&mut reached[*target as usize], true) {
                open.push(*target);
            }
        }
    }
    reached
}

fn stepped(
    chain: &Chain,
    reached: &[bool],
    reward: &[f64],
    time: f64,
    most: u64,
    accuracy: Accuracy<'_>,
) -> Interval {
    let largest = reward.iter().fold(0.0_f64, |largest, reward| largest.max(reward.abs()));
    let mut relative = accuracy.relative;
    let jumps = pace(chain) * time;
    let is_within = jumps < most as f64;
    let steps = |missing: f64| Steps { chain, reached, reward, time, missing, most, accuracy }.bound();
    let mut found = steps(relative / 1024.0);
    // What is left out is compared with the largest reward, beside which the worth may be small.
    while is_within
        && !accuracy.is_met(found)
        && !accuracy.is_stopped()
        && found.high < 0.01 * largest
        && relative > LEAST
    {
        let wanted = if found.low > 0.0 {
            accuracy.relative * found.low / largest
        } else {
            relative * (accuracy.relative * found.high / largest).min(1e-6)
        };
        relative = wanted.min(relative / 10.0).max(LEAST);
        found = found.and(steps(relative / 1024.0));
    }
    found
}

/// Less than this has few digits left.
const LEAST: f64 = 1e-290;

/// What is followed step by step: rewards, backwards from a time.
struct Steps<'a> {
    chain: &'a Chain,
    reached: &'a [bool],
    reward: &'a [f64],
    time: f64,
    /// What weights may leave out.
    missing: f64,
    /// How many steps are done at most.
    most: u64,
    accuracy: Accuracy<'a>,
}

impl Steps<'_> {
    fn start(&self, values: &[f64]) -> f64 {
        self.chain.initial().iter().map(|(state, weight)| weight * values[*state as usize]).sum()
    }

    fn bound(&self) -> Interval {
        let Steps { chain, reward, accuracy, .. } = *self;
        let pace = pace(chain);
        let begins = chain.initial().len();
        let largest = reward.iter().fold(0.0_f64, |largest, reward| largest.max(reward.abs()));
        let rewards =
            || reward.iter().zip(self.reached).filter(|(_, reached)| **reached).map(|(one, _)| *one);
        let low = rewards().fold(f64::INFINITY, f64::min);
        let high = rewards().fold(f64::NEG_INFINITY, f64::max);
        let given = Interval { low, high };
        // Rewards may have been computed with rates that were rounded, and so be off as much.
        let known = given.off_by_roundings(chain.reward_roundings());
        let rewards_off = largest * chain.reward_roundings() as f64 * f64::EPSILON;
        let start_error = rounding(begins, largest) + rewards_off;
        if self.time <= 0.0 || pace == 0.0 || given.is_exact() {
            let here = Interval::exactly(self.start(reward));
            let is_exact = begins == 1 && chain.reward_roundings() == 0;
            return known.and(if is_exact { here } else { here.widened(start_error) });
        }
        let mean = pace * self.time;
        let most = self.most;
        let weights = Weights::within(mean, self.missing, most);
        let terms = most_terms(chain);
        let step_error = rounding(terms, 2.0 * largest);
        // What stays is the rest of what leaves, of which 0.02 is the least: there a step is off the most,
        // compared with the value.
        let step_relative = 52.0 * rounding(terms, 1.0);
        // Weights were divided by their sum, from which those beyond are missing.
        let start_relative = rounding(begins + chain.roundings(), 2.0) + weights.missing();
        let stays: Vec<f64> = (0..chain.states()).map(|state| 1.0 - chain.exit(state) / pace).collect();
        let mut now = reward.to_vec();
        let mut next = vec![0.0; chain.states()];
        let (mut sum, mut left, mut number) = (0.0, 1.0, 0);
        let mut watched = Watched { accuracy, each: chain.transitions(), since: 0 };
        loop {
            let weight = weights.of(number);
            sum += weight * self.start(&now);
            left -= weight;
            let off = mean_error(mean, number);
            let done = number as f64 * step_error + start_error + (weights.missing() + off) * largest;
            // If nothing is negative, each value is off by a part of itself.
            let each = (number as f64 + mean) * f64::EPSILON;
            let relative = number as f64 * (step_relative + f64::EPSILON) + start_relative + each;
            let underflow = (number + 1) as f64 * terms as f64 * f64::MIN_POSITIVE;
            let is_precise = low >= 0.0 && relative < 0.1;
            if number == weights.last() {
                let found = known.and(Interval::exactly(sum).widened(done));
                let part = Interval {
                    low: sum * (1.0 - 2.0 * relative) - underflow,
                    high: sum * (1.0 + 2.0 * relative) + weights.beyond * largest * 1.001 + underflow,
                };
                return if is_precise { found.and(part) } else { found };
            }
            let (mut change, mut least, mut greatest) = (0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
            for (state, next) in next.iter_mut().enumerate() {
                let here = now[state];
                let comes = chain.gather(state, 0.0, &now);
                *next = here * stays[state] + comes / pace;
                change = change.max((*next - here).abs());
                (least, greatest) = (least.min(*next), greatest.max(*next));
            }
            std::mem::swap(&mut now, &mut next);
            number += 1;
            let settled = (greatest - least).min((weights.last() - number) as f64 * (change + step_error));
            let here = self.start(&now);
            let is_last = number == weights.last();
            let is_close = !is_last && settled <= accuracy.relative / 8.0 * sum.abs().max(left * here.abs());
            if is_close || change <= step_error.min(here.abs() * 1e-6) || number >= most || watched.is_over()
            {
                let value = sum + left * here;
                let off = done + step_error + settled.min(2.0 * largest * (left.max(0.0) + f64::EPSILON));
                let found = known.and(Interval::exactly(value).widened(off));
                let relative = 2.0 * (relative + step_relative);
                let off = value * relative + settled + (number + 8) as f64 * f64::EPSILON * here;
                let part = Interval::exactly(value).widened(off + weights.beyond * largest + underflow);
                return if is_precise { found.and(part) } else { found };
            }
        }
    }
}
