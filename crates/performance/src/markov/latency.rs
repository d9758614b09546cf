//! How long requests take: mean, distribution and quantiles.
//!
//! Requests begin with transitions of one chain, in which the number of open ones is known. Each is followed
//! in another chain until it ends there. Each request counts alike: a start is weighted by how often requests
//! begin there. Where they do not begin again and again, the chain starts anew whenever it has come to where
//! none begins any more; by renewal that weights each start by how many requests are expected to begin there.
//!
//! The mean is a quotient of two long-run averages: each transition counts the requests that begin with it in
//! the denominator, and the expected time from there in the numerator. The distribution is that of the time
//! to absorption, by uniformisation: with the Poisson probabilities of n steps until t, the probability not
//! to have ended by then is Σ weight(n)·survivors(n). Survivors are computed once and serve all t. They are
//! off by what the stationary distribution is off, and by what rounding does in n steps, both in the sum of
//! absolute values.

use narrows_graph::components::find_in_lists;

use super::automaton::{Automaton, Reward};
use super::chain::{self, Chain, ChainError};
use super::end_components::{Zeno, end_components, reachable};
use super::interval::{Accuracy, Interval, rounding};
use super::long_run::{Parts, long_run};
use super::lumping::lump;
use super::optimal_total::{Aim, until_over};
use super::poisson::Weights;
use super::steady::{Stationary, stationary};
use super::total_reward::times;
use super::transient::{most_terms, pace};

/// Requests that begin with a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Begun {
    /// The state before.
    pub state: u32,
    /// How often, per time in that state.
    pub rate: f64,
    /// Where it is followed; `None` if it has ended.
    pub followed: Option<u32>,
}

/// Chains of requests.
#[derive(Clone, Debug)]
pub struct Requests {
    /// What happens, with how many requests are open.
    pub base: Chain,
    /// How many, by state.
    pub open: Vec<f64>,
    /// Where requests begin.
    pub begun: Vec<Begun>,
    /// Those that begin at the start, with their probabilities.
    pub first: Vec<(f64, Option<u32>)>,
    /// What happens to a request. In the last state it has ended.
    pub followed: Chain,
}

/// Automata of requests.
#[derive(Clone, Debug)]
pub struct OpenRequests {
    /// What happens, with how many requests are open.
    pub base: Automaton,
    /// The choices with which requests begin, and where each is followed; `None` if it has ended.
    pub begun: Vec<(u32, Option<u32>)>,
    /// What happens to a request. In the last state it has ended.
    pub followed: Automaton,
}

/// What Little's law says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Little {
    /// How many requests are open on average.
    pub open: Interval,
    /// How many begin per time.
    pub often: Interval,
}

impl Little {
    /// Returns the mean time of a request.
    pub fn mean(&self) -> Interval {
        quotient((1.0, 1.0), self.open, self.often, 0)
    }
}

impl Requests {
    /// Makes requests begin again and again, and what is followed small. `None` if none begins.
    ///
    /// # Errors
    ///
    /// If the chain that starts anew is none.
    pub fn recurrent(mut self) -> Result<Option<(Requests, bool)>, ChainError> {
        let mut is_last = vec![false; self.base.states()];
        let bottoms = Parts::new(&self.base).bottoms;
        bottoms.iter().flatten().for_each(|state| is_last[*state as usize] = true);
        let comes_again = self.begun.iter().any(|begun| is_last[begun.state as usize]);
        if comes_again {
            self.begun.retain(|begun| is_last[begun.state as usize]);
        } else {
            let mut builder = chain::Builder::new(self.base.states(), self.base.transitions());
            let initial: Vec<(u32, f64)> = self.base.initial().to_vec();
            for (state, is_last) in is_last.iter().enumerate() {
                if *is_last {
                    builder.row(initial.iter().copied());
                    let first = self.first.iter();
                    self.begun.extend(first.map(|(rate, followed)| Begun {
                        state: state as u32,
                        rate: *rate,
                        followed: *followed,
                    }));
                } else {
                    builder.row(self.base.row(state));
                }
            }
            builder.rounded(self.base.roundings() + initial.len());
            self.base = builder.build(initial)?;
        }
        let over = self.followed.states() - 1;
        let ended: Vec<f64> = (0..=over).map(|state| if state == over { 1.0 } else { 0.0 }).collect();
        if let Some(lumped) = lump(&self.followed, &[&ended]) {
            // What ends is still the last: it is the last to be found, as no other is like it.
            let last = lumped.of[over];
            let swap = |state: u32, count: u32| match state {
                state if state == last => count - 1,
                state if state == count - 1 => last,
                state => state,
            };
            let count = lumped.chain.states() as u32;
            let mut builder = chain::Builder::new(count as usize, lumped.chain.transitions());
            for state in 0..count {
                let row = lumped.chain.fine_row(swap(state, count) as usize);
                builder.fine_row(row.map(|(target, rate)| (swap(target, count), rate)));
            }
            builder.rounded_before(&lumped.chain, 0.0);
            self.followed = builder.build([(count - 1, 1.0)])?;
            for begun in &mut self.begun {
                begun.followed = begun.followed.map(|state| swap(lumped.of[state as usize], count));
            }
        }
        Ok((!self.begun.is_empty()).then_some((self, comes_again)))
    }

    fn over(&self) -> u32 {
        self.followed.states() as u32 - 1
    }

    /// Returns how often requests begin, per time in each state.
    fn often(&self) -> Vec<f64> {
        let mut often = vec![0.0; self.base.states()];
        self.begun.iter().for_each(|begun| often[begun.state as usize] += begun.rate);
        often
    }

    /// Returns how many requests begin with the transitions of one state, at most.
    fn terms(&self) -> usize {
        let mut terms = vec![0_usize; self.base.states()];
        self.begun.iter().for_each(|begun| terms[begun.state as usize] += 1);
        terms.into_iter().max().unwrap_or(0)
    }

    /// Bounds averages of rewards in the long run.
    fn averages(&self, rewards: &[Vec<f64>], accuracy: Accuracy<'_>) -> Vec<Interval> {
        match lump(&self.base, &rewards.iter().map(Vec::as_slice).collect::<Vec<_>>()) {
            Some(lumped) => {
                let rewards: Vec<_> = rewards.iter().map(|reward| lumped.reward(reward)).collect();
                long_run(&lumped.chain, &rewards, accuracy)
            }
            None => long_run(&self.base, rewards, accuracy),
        }
    }

    /// Bounds the mean time of a request.
    pub fn mean(&self, accuracy: Accuracy<'_>) -> Interval {
        let over = self.over();
        let starts: Vec<u32> = self.begun.iter().filter_map(|begun| begun.followed).collect();
        if starts.is_empty() {
            return Interval::exactly(0.0);
        }
        let chain = &self.followed;
        let found = find_in_lists(chain.states(), starts.iter().copied(), |state| chain.targets(state));
        let bottom = found.bottoms(|state| chain.targets(state));
        if found.finished.iter().any(|state| bottom[found.of[*state as usize] as usize] && *state != over) {
            return Interval::INFINITE;
        }
        let mut members = found.finished;
        members.retain(|state| *state != over);
        members.sort_unstable();
        let finer = Accuracy { relative: accuracy.relative / 4.0, ..accuracy };
        let mut values = vec![0.0; chain.states()];
        let factors = times(chain, &members, &mut values, finer);
        let mut taken = vec![0.0; self.base.states()];
        for begun in &self.begun {
            let time = begun.followed.map_or(0.0, |state| values[state as usize]);
            taken[begun.state as usize] += begun.rate * time;
        }
        let averages = self.averages(&[taken, self.often()], finer);
        quotient(factors, averages[0], averages[1], self.terms() + self.base.roundings())
    }

    /// Bounds how many requests are open, and how many begin per time.
    pub fn little(&self, accuracy: Accuracy<'_>) -> Little {
        let averages = self.averages(&[self.open.clone(), self.often()], accuracy);
        let slack = (self.terms() + self.base.roundings() + 8) as f64 * f64::EPSILON;
        let Interval { low, high } = averages[1];
        Little { open: averages[0], often: Interval { low: low * (1.0 - slack), high: high * (1.0 + slack) } }
    }

    /// Finds the distribution of the time of a request, up to where no more than `rest` of all take longer.
    pub fn distribution(&self, rest: f64, accuracy: Accuracy<'_>) -> Passage {
        let Stationary { probabilities, relative, absolute } = stationary(&self.base, accuracy);
        let chain = &self.followed;
        let over = self.over() as usize;
        let mut now = vec![0.0; chain.states()];
        for begun in &self.begun {
            let weight = probabilities[begun.state as usize] * begun.rate;
            now[begun.followed.map_or(over, |state| state as usize)] += weight;
        }
        let total: f64 = now.iter().sum();
        for weight in &mut now {
            *weight /= total;
        }
        // Both what survives and all there is are off, absolutely by no more than if all that is off were
        // where requests begin most often.
        let most = self.often().into_iter().fold(0.0, f64::max) * (1.0 + 1e-9);
        let absolute = absolute * most;
        let terms = (self.begun.len() + self.base.roundings() + 16) as f64 * f64::EPSILON;
        let start_error = if absolute < 0.5 * total {
            4.0 * (relative + terms) + 2.0 * absolute / (total - absolute) * (1.0 + 1e-9)
        } else {
            1.0
        };
        let pace = pace(chain);
        let step_error = 2.0 * rounding(most_terms(chain), 2.0);
        let mut survivors = vec![(1.0 - now[over]).clamp(0.0, 1.0)];
        let mut next = vec![0.0; chain.states()];
        let mut since = 0;
        while let Some(last) = survivors.last().filter(|_| pace > 0.0) {
            since += chain.transitions() + 1;
            let is_over = since >= 1 << 20 && accuracy.is_stopped();
            since %= 1 << 20;
            let before = survivors.len().checked_sub(STUCK).map(|place| survivors[place].to_bits());
            let is_stuck = before == Some(last.to_bits());
            if *last <= rest || survivors.len() >= MAX_STEPS || is_over || is_stuck {
                break;
            }
            next.copy_from_slice(&now);
            for state in 0..over {
                let share = now[state] / pace;
                if share == 0.0 {
                    continue;
                }
                for (target, rate) in chain.row(state) {
                    next[target as usize] += share * rate;
                    next[state] -= share * rate;
                }
            }
            std::mem::swap(&mut now, &mut next);
            survivors.push(now[..over].iter().sum::<f64>().clamp(0.0, 1.0));
        }
        let start_error = start_error + rounding(chain.states(), 2.0);
        Passage { pace, survivors, start_error, step_error }
    }
}

/// So many steps are done at most.
const MAX_STEPS: usize = 1 << 22;

/// If so many steps change nothing, no more are done.
const STUCK: usize = 1 << 10;

/// The distribution of a time to absorption, with bounds.
#[derive(Clone, Debug)]
pub struct Passage {
    /// How many steps there are per time.
    pace: f64,
    /// How likely it is not to have ended after so many steps.
    survivors: Vec<f64>,
    /// How far each of them may be off.
    start_error: f64,
    /// By how much more with each step.
    step_error: f64,
}

impl Passage {
    /// Bounds how likely it is to have ended at a time.
    pub fn at(&self, time: f64) -> Interval {
        let mean = self.pace * time;
        let weights = Weights::new(mean, MISSING);
        let last = self.survivors.len() as u64 - 1;
        let (mut survive, mut beyond) = (0.0, 0.0);
        for (number, weight) in (weights.first..).zip(&weights.list) {
            match self.survivors.get(number as usize) {
                Some(survivors) => survive += weight * survivors,
                None => beyond += weight,
            }
        }
        if weights.list.is_empty() {
            beyond = 1.0;
        }
        let steps = weights.last().min(last) as f64;
        let off = self.start_error + steps * self.step_error + weights.missing() + 4.0 * mean * f64::EPSILON;
        let off = off + rounding(weights.list.len(), 1.0);
        let rest = beyond * self.survivors.last().copied().unwrap_or(1.0);
        let ended = Interval { low: 1.0 - survive - rest, high: 1.0 - survive };
        ended.widened(off).and(Interval { low: 0.0, high: 1.0 })
    }

    /// Bounds the time within which such a part of all has ended.
    pub fn quantile(&self, part: f64) -> Interval {
        let is_over = |time: f64| self.at(time).low >= part;
        let is_not_over = |time: f64| self.at(time).high < part;
        if is_over(0.0) || self.pace <= 0.0 {
            let high = if is_over(0.0) { 0.0 } else { f64::INFINITY };
            return Interval { low: 0.0, high };
        }
        let far = 4.0 * (self.survivors.len() as f64 + 100.0) / self.pace;
        let mut high = 1.0 / self.pace;
        while !is_over(high) {
            high *= 2.0;
            if high > far {
                high = f64::INFINITY;
                break;
            }
        }
        let mut low = 0.0;
        if is_not_over(low) {
            let mut above = high.min(far);
            while above - low > FINE * above {
                let middle = f64::midpoint(low, above);
                if is_not_over(middle) { low = middle } else { above = middle }
            }
        }
        let mut below = low;
        while high.is_finite() && high - below > FINE * high {
            let middle = f64::midpoint(below, high);
            if is_over(middle) { high = middle } else { below = middle }
        }
        Interval { low, high }
    }
}

/// Bounds a quotient of averages whose numerator is off by a factor between two, and both by some roundings.
fn quotient((low, high): (f64, f64), time: Interval, often: Interval, roundings: usize) -> Interval {
    // Sums of positive numbers, and what is done with them below.
    let slack = (roundings + 16) as f64 * f64::EPSILON;
    let least = time.low.max(0.0) / (high * often.high) * (1.0 - 2.0 * slack);
    let greatest = time.high / (low * often.low.max(0.0)) * (1.0 + 2.0 * slack);
    let known = Interval { low: 0.0, high: f64::INFINITY };
    known.and(Interval {
        low: if least.is_nan() { 0.0 } else { least },
        high: if greatest.is_nan() { f64::INFINITY } else { greatest },
    })
}

/// What Poisson weights leave out, at most.
const MISSING: f64 = 1e-14;

/// How close quantiles are looked for, compared with themselves.
const FINE: f64 = 1e-9;

impl OpenRequests {
    /// Bounds the least or the greatest mean time of a request, over all schedulers and all requests that may
    /// begin again and again. If none does, over all requests; `None` if none begins at all.
    ///
    /// # Errors
    ///
    /// If choices may follow each other for ever in no time.
    pub fn mean_over(&self, aim: Aim, accuracy: Accuracy<'_>) -> Result<Option<Interval>, Zeno> {
        let reached = reachable(&self.base);
        let parts = end_components(&self.base, |state| reached[state]);
        let mut kept: Vec<u32> = parts.into_iter().flat_map(|part| part.choices).collect();
        kept.sort_unstable();
        let again: Vec<_> =
            self.begun.iter().filter(|(choice, _)| kept.binary_search(choice).is_ok()).collect();
        let begun = if again.is_empty() { self.begun.iter().collect() } else { again };
        let mut starts: Vec<u32> = begun.iter().filter_map(|(_, followed)| *followed).collect();
        starts.sort_unstable();
        starts.dedup();
        let is_at_once = begun.iter().any(|(_, followed)| followed.is_none());
        let nothing = is_at_once.then(|| Interval::exactly(0.0));
        if starts.is_empty() {
            return Ok(nothing);
        }
        let over = self.followed.states() as u32 - 1;
        let begins = self.followed.beginning_with(&starts);
        let found = until_over(&begins, &Reward::time(&begins), |state| state == over, aim, accuracy)?;
        Ok(Some(if aim == Aim::Least { nothing.unwrap_or(found) } else { found }))
    }
}
