//! Continuous-time Markov chains, as sparse rows of rates.

use std::borrow::Cow;
use std::ops::Range;

use super::double_double::Double;
use super::interval::adds_exactly;
use crate::fine::Fine;

/// A continuous-time Markov chain with an initial distribution. Twelve bytes per transition, twenty if
/// sums of rates were rounded; four per state.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The first transition of each state, and at last the number of transitions.
    starts: Vec<u32>,
    targets: Vec<u32>,
    rates: Vec<f64>,
    /// What is missing from each rate that is a sum; empty if nothing is.
    rests: Vec<f64>,
    initial: Vec<(u32, f64)>,
    /// How many rounding errors a rate may have accumulated before it was stored.
    roundings: usize,
    /// How much rates may be off, compared with themselves, if what is missing from them is added.
    fine_off: f64,
    /// Whether rewards have nothing to do with rates, and are exact.
    has_exact_rewards: bool,
}

/// Why something is not a Markov chain.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// There is no state at all.
    #[error("there are no states")]
    Empty,
    /// There are more states or transitions than fit.
    #[error("there are more than 4 294 967 294 states or transitions")]
    TooLarge,
    /// A state that is mentioned does not exist.
    #[error("there is no state {0}")]
    NoSuchState(u32),
    /// A rate or a probability of this state is not above 0, or not finite.
    #[error("`{1}` in state {0} is not above 0 and finite")]
    NoRate(u32, f64),
    /// Probabilities should add up to 1: those to begin with, or those of a choice of this state.
    #[error("probabilities {whose} add up to {sum}, not to 1", whose = of_state(*.0), sum = .1)]
    NoDistribution(Option<u32>, f64),
    /// This vanishing state has no choice.
    #[error("state {0} has no choices")]
    NoChoice(u32),
}

fn of_state(state: Option<u32>) -> String {
    state.map_or_else(|| "to begin with".to_owned(), |state| format!("of state {state}"))
}

/// How far probabilities that were written with few digits may be from 1 together; they are scaled to it.
pub(super) const TOLERANCE: f64 = 1e-5;

/// Makes a [`Chain`], one state after the other.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    starts: Vec<u32>,
    targets: Vec<u32>,
    rates: Vec<f64>,
    rests: Vec<f64>,
    row: Vec<(u32, Double)>,
    roundings: usize,
    fine_off: f64,
    has_exact_rewards: bool,
    wrong: Option<ChainError>,
}

impl Builder {
    /// Starts with room for so many states and transitions.
    pub fn new(states: usize, transitions: usize) -> Builder {
        Builder {
            starts: Vec::with_capacity(states + 1),
            targets: Vec::with_capacity(transitions),
            rates: Vec::with_capacity(transitions),
            ..Builder::default()
        }
    }

    /// Adds the next state: where it goes, with which rates. Rates to the same state are added; those from a
    /// state to itself change nothing and are dropped.
    pub fn row(&mut self, transitions: impl IntoIterator<Item = (u32, f64)>) {
        self.fine_row(transitions.into_iter().map(|(target, rate)| (target, Double::from(rate))));
    }

    /// Adds the next state, with rates of twice the usual precision.
    pub(crate) fn fine_row(&mut self, transitions: impl IntoIterator<Item = (u32, Double)>) {
        let state = self.starts.len() as u32;
        self.starts.push(self.targets.len() as u32);
        self.row.clear();
        self.row.extend(transitions);
        if !self.row.is_sorted_by_key(|(target, _)| *target) {
            self.row.sort_by_key(|(target, _)| *target);
        }
        let mut merged = 0;
        let begin = self.targets.len();
        for (target, rate) in self.row.drain(..) {
            if !(rate.high > 0.0 && rate.high.is_finite()) {
                self.wrong.get_or_insert(ChainError::NoRate(state, rate.high));
            }
            if target == state {
                continue;
            }
            let last = self.targets.len();
            let mut sum = rate;
            if last > begin && self.targets[last - 1] == target {
                let known = Double { high: self.rates[last - 1], low: rest(&self.rests, last - 1) };
                merged += usize::from(!adds_exactly(known.high, rate.high));
                sum = known + rate;
                self.rates[last - 1] = sum.high;
            } else {
                self.targets.push(target);
                self.rates.push(rate.high);
            }
            if sum.low != 0.0 || !self.rests.is_empty() {
                self.rests.resize(self.rates.len(), 0.0);
                self.rests[self.rates.len() - 1] = sum.low;
            }
        }
        self.roundings = self.roundings.max(merged);
        if self.targets.len() >= u32::MAX as usize || self.starts.len() >= u32::MAX as usize {
            self.wrong.get_or_insert(ChainError::TooLarge);
        }
    }

    /// Returns how many states there are so far.
    pub fn states(&self) -> usize {
        self.starts.len()
    }

    /// Declares how many roundings rates have been through; bounds allow for them.
    pub fn rounded(&mut self, roundings: usize) {
        self.roundings = self.roundings.max(roundings);
        self.fine_off = self.fine_off.max(roundings as f64 * f64::EPSILON);
    }

    /// Declares how much rates of twice the usual precision may be off, compared with themselves.
    pub(crate) fn rounded_fine(&mut self, off: f64) {
        if off > 0.0 || !self.rests.is_empty() {
            // Most computations take the usual precision, which is one rounding.
            self.roundings = self.roundings.max(1);
        }
        self.fine_off = self.fine_off.max(off);
    }

    /// Declares that rewards are exact, whatever was done to rates.
    pub(crate) fn exact_rewards(&mut self) {
        self.has_exact_rewards = true;
    }

    /// Declares how many roundings rewards have been through that are sums of rates which are exact
    /// themselves.
    pub(crate) fn rounded_sums(&mut self, roundings: usize) {
        self.roundings = self.roundings.max(roundings);
    }

    /// Declares that rates of another chain were added here, each state standing for others whose rates
    /// differ by at most a part of themselves.
    pub(super) fn rounded_before(&mut self, other: &Chain, apart: f64) {
        self.roundings += other.roundings;
        self.fine_off += other.fine_off + apart;
        self.has_exact_rewards = other.has_exact_rewards;
    }

    /// Finishes the chain, given its initial distribution.
    pub fn build(mut self, initial: impl IntoIterator<Item = (u32, f64)>) -> Result<Chain, ChainError> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let states = self.starts.len() as u32;
        if states == 0 {
            return Err(ChainError::Empty);
        }
        if let Some(target) = self.targets.iter().find(|target| **target >= states) {
            return Err(ChainError::NoSuchState(*target));
        }
        self.starts.push(self.targets.len() as u32);
        let initial = distribution(initial, states)?;
        if !self.rests.is_empty() {
            self.rests.resize(self.rates.len(), 0.0);
        }
        Ok(Chain {
            starts: self.starts,
            targets: self.targets,
            rates: self.rates,
            rests: self.rests,
            initial,
            roundings: self.roundings,
            fine_off: self.fine_off,
            has_exact_rewards: self.has_exact_rewards,
        })
    }
}

/// Returns what is missing from a rate.
fn rest(rests: &[f64], place: usize) -> f64 {
    rests.get(place).copied().unwrap_or(0.0)
}

/// Puts probabilities in order, and scales them to 1.
fn distribution(
    entries: impl IntoIterator<Item = (u32, f64)>,
    states: u32,
) -> Result<Vec<(u32, f64)>, ChainError> {
    let mut entries: Vec<(u32, f64)> = entries.into_iter().collect();
    entries.sort_unstable_by_key(|(state, _)| *state);
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    for (state, probability) in &entries {
        if *state >= states {
            return Err(ChainError::NoSuchState(*state));
        }
        if !(*probability > 0.0 && probability.is_finite()) {
            return Err(ChainError::NoRate(*state, *probability));
        }
    }
    let sum: f64 = entries.iter().map(|(_, probability)| probability).sum();
    if (sum - 1.0).abs() > TOLERANCE {
        return Err(ChainError::NoDistribution(None, sum));
    }
    for (_, probability) in &mut entries {
        *probability /= sum;
    }
    Ok(entries)
}

impl Chain {
    /// Returns how many states there are; they are numbered from 0.
    pub fn states(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns how many transitions there are.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// Returns the initial distribution, in the order of states.
    pub fn initial(&self) -> &[(u32, f64)] {
        &self.initial
    }

    /// Returns the same chain with another initial distribution.
    pub fn starting(&self, initial: impl IntoIterator<Item = (u32, f64)>) -> Result<Chain, ChainError> {
        Ok(Chain { initial: distribution(initial, self.states() as u32)?, ..self.clone() })
    }

    /// Returns the states that a state goes to.
    pub fn targets(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// Returns where a state goes, with which rates.
    pub fn row(&self, state: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[state] as usize..self.starts[state + 1] as usize;
        self.targets[range.clone()].iter().copied().zip(self.rates[range].iter().copied())
    }

    /// Returns where a state goes, with rates of twice the usual precision.
    pub(super) fn fine_row(&self, state: usize) -> impl Iterator<Item = (u32, Double)> + '_ {
        let range = self.starts[state] as usize..self.starts[state + 1] as usize;
        range.map(|place| {
            (self.targets[place], Double { high: self.rates[place], low: rest(&self.rests, place) })
        })
    }

    /// Returns how much a rate of twice the usual precision may be off, compared with itself.
    pub(crate) fn fine_off(&self) -> f64 {
        self.fine_off
    }

    /// Returns whether something is missing from rates of the usual precision.
    pub(super) fn has_rests(&self) -> bool {
        !self.rests.is_empty()
    }

    /// Returns the chain with all rates multiplied by a factor: what a time lost when it was rounded.
    pub fn scaled(&self, factor: Fine) -> Cow<'_, Chain> {
        if factor == Fine::ONE {
            return Cow::Borrowed(self);
        }
        let mut scaled = self.clone();
        scaled.rests.resize(self.rates.len(), 0.0);
        for (rate, rest) in scaled.rates.iter_mut().zip(&mut scaled.rests) {
            let product = Fine::known(Double { high: *rate, low: *rest }, self.fine_off).times(factor);
            scaled.fine_off = scaled.fine_off.max(product.off());
            Double { high: *rate, low: *rest } = product.double();
        }
        scaled.roundings = self.roundings.max(1);
        Cow::Owned(scaled)
    }

    /// Returns the exit rate of a state.
    pub fn exit(&self, state: usize) -> f64 {
        self.rates[self.starts[state] as usize..self.starts[state + 1] as usize].iter().sum()
    }

    /// Returns `right + Σ rate·values[target]` of a state.
    #[expect(clippy::inline_always, reason = "sweeps are little else, and a tenth slower where it is called")]
    #[inline(always)]
    pub(super) fn gather(&self, state: usize, right: f64, values: &[f64]) -> f64 {
        self.gather_some(self.starts[state]..self.starts[state + 1], right, values)
    }

    /// Returns the same, for transitions to states with lower numbers; `middle` is where the others begin.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn gather_below(&self, state: usize, middle: u32, right: f64, values: &[f64]) -> f64 {
        self.gather_some(self.starts[state]..middle, right, values)
    }

    /// Returns the same, for transitions to states with higher numbers; `middle` is where they begin.
    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    pub(super) fn gather_above(&self, state: usize, middle: u32, right: f64, values: &[f64]) -> f64 {
        self.gather_some(middle..self.starts[state + 1], right, values)
    }

    #[expect(clippy::inline_always, reason = "as above")]
    #[inline(always)]
    fn gather_some(&self, range: Range<u32>, right: f64, values: &[f64]) -> f64 {
        let range = range.start as usize..range.end as usize;
        let rates = &self.rates[range.clone()];
        self.targets[range]
            .iter()
            .zip(rates)
            .fold(right, |sum, (target, rate)| sum + rate * values[*target as usize])
    }

    /// Returns where the transitions of a state to states with higher numbers begin.
    pub(super) fn middle(&self, state: usize) -> u32 {
        let lower = self.targets(state).partition_point(|target| (*target as usize) < state);
        self.starts[state] + lower as u32
    }

    /// Returns `right + Σ rate·(values[target] − values[state])`, and a bound of what rounding did to it.
    #[inline]
    pub(super) fn drift(&self, state: usize, right: f64, values: &[f64]) -> (f64, f64) {
        let here = values[state];
        let (mut sum, mut magnitude) = (right, right.abs());
        let range = self.starts[state] as usize..self.starts[state + 1] as usize;
        let terms = range.len();
        let rates = &self.rates[range.clone()];
        for (target, rate) in self.targets[range].iter().zip(rates) {
            let term = rate * (values[*target as usize] - here);
            sum += term;
            magnitude += term.abs();
        }
        (sum, super::interval::rounding(terms + self.roundings, magnitude))
    }

    /// Returns how many roundings a rate, or a reward that was computed with it, has been through at most.
    pub(super) fn roundings(&self) -> usize {
        self.roundings
    }

    /// Returns how many roundings a reward has been through at most.
    pub(super) fn reward_roundings(&self) -> usize {
        if self.has_exact_rewards { 0 } else { self.roundings }
    }

    /// Returns the transposed matrix with rates of the usual precision, as a chain without an initial
    /// distribution.
    pub(super) fn transposed(&self) -> Chain {
        let states = self.states();
        let mut starts = vec![0_u32; states + 1];
        for target in &self.targets {
            starts[*target as usize + 1] += 1;
        }
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut targets = vec![0_u32; self.targets.len()];
        let mut rates = vec![0.0; self.targets.len()];
        for state in 0..states {
            for (target, rate) in self.row(state) {
                let place = &mut next[target as usize];
                targets[*place as usize] = state as u32;
                rates[*place as usize] = rate;
                *place += 1;
            }
        }
        let (roundings, fine_off) = (self.roundings, self.roundings as f64 * f64::EPSILON);
        let (rests, initial, has_exact_rewards) = (Vec::new(), Vec::new(), self.has_exact_rewards);
        Chain { starts, targets, rates, rests, initial, roundings, fine_off, has_exact_rewards }
    }
}

#[cfg(test)]
mod tests {
    use super::{Builder, ChainError};

    #[test]
    fn rows_are_sorted_and_merged() {
        let mut builder = Builder::new(2, 3);
        builder.row([(1, 2.0), (0, 5.0), (1, 1.0)]);
        builder.row([(0, 0.5)]);
        let chain = builder.build([(0, 0.25), (1, 0.5), (0, 0.25)]).unwrap();
        assert_eq!(chain.row(0).collect::<Vec<_>>(), [(1, 3.0)]);
        assert_eq!((chain.states(), chain.transitions()), (2, 2));
        assert_eq!(chain.initial(), [(0, 0.5), (1, 0.5)]);
        assert_eq!(chain.transposed().row(0).collect::<Vec<_>>(), [(1, 0.5)]);
    }

    #[test]
    fn what_is_no_chain_is_refused() {
        assert_eq!(Builder::default().build([]).err(), Some(ChainError::Empty));
        let one = |row: &[(u32, f64)], initial: &[(u32, f64)]| {
            let mut builder = Builder::default();
            builder.row(row.iter().copied());
            builder.build(initial.iter().copied()).err()
        };
        assert_eq!(one(&[(1, 1.0)], &[(0, 1.0)]), Some(ChainError::NoSuchState(1)));
        assert_eq!(one(&[(0, -1.0)], &[(0, 1.0)]), Some(ChainError::NoRate(0, -1.0)));
        assert_eq!(one(&[], &[(0, 0.5)]), Some(ChainError::NoDistribution(None, 0.5)));
        assert_eq!(one(&[], &[(1, 1.0)]), Some(ChainError::NoSuchState(1)));
        assert_eq!(one(&[], &[(0, 1.0)]), None);
    }
}
