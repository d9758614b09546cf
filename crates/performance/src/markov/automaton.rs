//! Markov automata: tangible states wait for an exponential time, vanishing states choose at once between
//! distributions (Eisentraut, Hermanns and Zhang 2010).

use super::chain::{ChainError, TOLERANCE};
use super::double_double::Double;
use super::interval::rounding;
use crate::fine::Fine;

/// A Markov automaton with its initial state.
#[derive(Clone, Debug, PartialEq)]
pub struct Automaton {
    initial: u32,
    /// Whether a state is tangible: then its only choice has rates. Otherwise its choices have probabilities.
    waits: Vec<bool>,
    /// The first choice of each state, and at last the number of choices.
    choices: Vec<u32>,
    /// The first transition of each choice, and at last the number of transitions.
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// What is missing from each weight; empty if nothing is.
    rests: Vec<f64>,
    /// How many roundings rates, and rewards that were computed with them, have been through at most.
    roundings: usize,
    /// How much weights may be off, compared with themselves, if what is missing from them is added.
    fine_off: f64,
}

/// A reward structure: rates in tangible states, and impulses on choices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reward {
    /// For each state, the reward per time; irrelevant in vanishing states.
    pub rates: Vec<f64>,
    /// For each choice, the reward each time it is taken; irrelevant in tangible states.
    pub impulses: Vec<f64>,
}

impl Reward {
    /// Makes a reward that is 0 everywhere.
    pub fn none(automaton: &Automaton) -> Reward {
        Reward { rates: vec![0.0; automaton.states()], impulses: vec![0.0; automaton.choice_count()] }
    }

    /// Makes the reward that counts time.
    pub fn time(automaton: &Automaton) -> Reward {
        Reward { rates: vec![1.0; automaton.states()], impulses: vec![0.0; automaton.choice_count()] }
    }
}

/// Makes an [`Automaton`], one state after the other.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    waits: Vec<bool>,
    choices: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    rests: Vec<f64>,
    roundings: usize,
    fine_off: f64,
    wrong: Option<ChainError>,
}

impl Builder {
    /// Adds a tangible state with its transitions and rates. Without any, it is absorbing.
    pub fn waiting(&mut self, rates: impl IntoIterator<Item = (u32, f64)>) {
        self.fine_waiting(rates.into_iter().map(|(target, rate)| (target, Fine::from(rate))));
    }

    /// Adds a tangible state, with rates of twice the usual precision.
    pub fn fine_waiting(&mut self, rates: impl IntoIterator<Item = (u32, Fine)>) {
        self.choices.push(self.starts.len() as u32);
        self.waits.push(true);
        self.row(rates);
    }

    /// Adds a vanishing state; its choices follow.
    pub fn deciding(&mut self) {
        self.choices.push(self.starts.len() as u32);
        self.waits.push(false);
    }

    /// Adds a choice to the last state: a distribution. Returns its number among all choices.
    pub fn choice(&mut self, probabilities: impl IntoIterator<Item = (u32, f64)>) -> u32 {
        let fine = probabilities.into_iter().map(|(target, probability)| (target, Fine::from(probability)));
        self.fine_choice(&fine.collect::<Vec<_>>())
    }

    /// Adds a choice to the last state: a distribution, of twice the usual precision.
    pub fn fine_choice(&mut self, probabilities: &[(u32, Fine)]) -> u32 {
        let number = self.starts.len() as u32;
        let sum = probabilities.iter().fold(Fine::ZERO, |sum, (_, probability)| sum.plus(*probability));
        if (sum.near() - 1.0).abs() > TOLERANCE {
            let state = self.waits.len().saturating_sub(1) as u32;
            self.wrong.get_or_insert(ChainError::NoDistribution(Some(state), sum.near()));
        }
        let scale = if sum.may_be_one() { Fine::ONE } else { sum };
        self.row(probabilities.iter().map(|(target, probability)| (*target, probability.over(scale))));
        number
    }

    /// Declares how many roundings rates, and rewards computed with them, have been through; bounds allow for
    /// them.
    pub fn rounded(&mut self, roundings: usize) {
        self.roundings = self.roundings.max(roundings);
        self.fine_off = self.fine_off.max(roundings as f64 * f64::EPSILON);
    }

    /// Declares how much weights of twice the usual precision may be off, compared with themselves.
    pub(crate) fn rounded_fine(&mut self, off: f64) {
        self.fine_off = self.fine_off.max(off);
    }

    /// Declares that weights and rewards were computed from those of another automaton.
    pub(super) fn rounded_as(&mut self, other: &Automaton) {
        self.roundings = self.roundings.max(other.roundings);
        self.fine_off = self.fine_off.max(other.fine_off);
    }

    /// Declares how many roundings rewards have been through that are sums of rates which are exact
    /// themselves.
    pub fn rounded_sums(&mut self, roundings: usize) {
        self.roundings = self.roundings.max(roundings);
    }

    /// Returns how many choices there are so far, of all states.
    pub fn choices(&self) -> usize {
        self.starts.len()
    }

    /// Returns how many states there are so far.
    pub fn states(&self) -> usize {
        self.waits.len()
    }

    fn row(&mut self, entries: impl IntoIterator<Item = (u32, Fine)>) {
        let state = self.waits.len().saturating_sub(1) as u32;
        self.starts.push(self.targets.len() as u32);
        for (target, weight) in entries {
            let Double { high, low } = weight.double();
            if !(high > 0.0 && high.is_finite()) {
                self.wrong.get_or_insert(ChainError::NoRate(state, high));
            }
            self.targets.push(target);
            self.weights.push(high);
            if low != 0.0 || !self.rests.is_empty() {
                self.rests.resize(self.weights.len() - 1, 0.0);
                self.rests.push(low);
            }
            if !weight.is_exact() {
                // Most computations take the usual precision, which is one rounding.
                self.roundings = self.roundings.max(1);
                self.fine_off = self.fine_off.max(weight.off());
            }
        }
        if self.targets.len() >= u32::MAX as usize || self.starts.len() >= u32::MAX as usize {
            self.wrong.get_or_insert(ChainError::TooLarge);
        }
    }

    /// Finishes the automaton, given its initial state.
    pub fn build(mut self, initial: u32) -> Result<Automaton, ChainError> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let states = self.waits.len();
        if states == 0 {
            return Err(ChainError::Empty);
        }
        if let Some(state) = self.targets.iter().chain([&initial]).find(|state| **state as usize >= states) {
            return Err(ChainError::NoSuchState(*state));
        }
        self.choices.push(self.starts.len() as u32);
        self.starts.push(self.targets.len() as u32);
        let empty = (0..states).find(|state| self.choices[*state] == self.choices[*state + 1]);
        if let Some(state) = empty {
            return Err(ChainError::NoChoice(state as u32));
        }
        Ok(Automaton {
            initial,
            waits: self.waits,
            choices: self.choices,
            starts: self.starts,
            targets: self.targets,
            weights: self.weights,
            rests: self.rests,
            roundings: self.roundings,
            fine_off: self.fine_off,
        })
    }
}

impl Automaton {
    /// Returns the initial state.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// Returns the same automaton with a new initial state, which chooses one of some states.
    pub(super) fn beginning_with(&self, states: &[u32]) -> Automaton {
        let mut automaton = self.clone();
        automaton.initial = self.states() as u32;
        automaton.waits.push(false);
        automaton.targets.extend(states);
        automaton.weights.extend(states.iter().map(|_| 1.0));
        if !automaton.rests.is_empty() {
            automaton.rests.resize(automaton.weights.len(), 0.0);
        }
        // The last entry of each list is where the next one begins.
        automaton.starts.extend((self.targets.len() as u32 + 1..).take(states.len()));
        automaton.choices.push(automaton.starts.len() as u32 - 1);
        automaton
    }

    /// Returns how many states there are; they are numbered from 0.
    pub fn states(&self) -> usize {
        self.waits.len()
    }

    /// Returns how many choices there are, of all states. A tangible state counts as one.
    pub fn choice_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether a state is tangible; otherwise it is vanishing.
    pub fn waits(&self, state: usize) -> bool {
        self.waits[state]
    }

    /// Returns the numbers of a state's choices.
    pub fn choices(&self, state: usize) -> std::ops::Range<usize> {
        self.choices[state] as usize..self.choices[state + 1] as usize
    }

    /// Returns where a choice leads.
    pub fn targets(&self, choice: usize) -> &[u32] {
        &self.targets[self.starts[choice] as usize..self.starts[choice + 1] as usize]
    }

    /// Returns where a choice leads, with which rates or probabilities.
    pub fn row(&self, choice: usize) -> impl Iterator<Item = (u32, f64)> + Clone + '_ {
        let range = self.starts[choice] as usize..self.starts[choice + 1] as usize;
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Returns where a choice leads, with rates or probabilities of twice the usual precision.
    pub(crate) fn fine_row(&self, choice: usize) -> impl Iterator<Item = (u32, Fine)> + Clone + '_ {
        let range = self.starts[choice] as usize..self.starts[choice + 1] as usize;
        let weight = |place: usize| Double {
            high: self.weights[place],
            low: self.rests.get(place).copied().unwrap_or(0.0),
        };
        range.map(move |place| (self.targets[place], Fine::known(weight(place), self.fine_off)))
    }

    /// Returns the states that any choice of a state may lead to, some more than once.
    pub fn successors(&self, state: usize) -> &[u32] {
        let (first, last) = (self.choices[state] as usize, self.choices[state + 1] as usize);
        &self.targets[self.starts[first] as usize..self.starts[last] as usize]
    }

    /// Returns the exit rate of a tangible state, or 1 for a vanishing one.
    pub(super) fn exit(&self, state: usize) -> f64 {
        if self.waits[state] { self.row(self.choices(state).start).map(|(_, rate)| rate).sum() } else { 1.0 }
    }

    /// Returns the drift of a choice, `right + Σ weight·(values[target] − values[state])`, and a bound on its
    /// rounding error. Probabilities were scaled by one division, which counts as rounding.
    pub(super) fn drift(&self, state: usize, choice: usize, right: f64, values: &[f64]) -> (f64, f64) {
        let here = values[state];
        let (mut sum, mut magnitude) = (right, right.abs());
        for (target, weight) in self.row(choice) {
            let term = weight * (values[target as usize] - here);
            sum += term;
            magnitude += term.abs();
        }
        (sum, rounding(2 * self.targets(choice).len() + 2 + self.roundings, magnitude))
    }

    /// Returns how many roundings a rate, or a reward that was computed with it, has been through at most.
    pub(crate) fn roundings(&self) -> usize {
        self.roundings
    }

    /// Returns how much a weight of twice the usual precision may be off, compared with itself.
    pub(crate) fn fine_off(&self) -> f64 {
        self.fine_off
    }

    /// Returns the reward of a choice: per time, or each time.
    pub(super) fn gained(&self, reward: &Reward, state: usize, choice: usize) -> f64 {
        if self.waits[state] { reward.rates[state] } else { reward.impulses[choice] }
    }
}
