//! From a stochastic view to a Markov chain or a Markov automaton, and rewards on it.

use super::{Arrival, Stochastic, Target};
use crate::fine::Fine;
use crate::markov::automaton::{self, Automaton, Reward};
use crate::markov::chain::{self, Chain, ChainError};
use crate::markov::double_double::Double;

/// Rates of the usual precision are rounded once, and once more where several are added.
const RATE_ROUNDINGS: usize = 2;

/// Rewards are sums of products that are rounded once, after each of their factors.
pub(super) const REWARD_ROUNDINGS: usize = 8;

impl Stochastic<'_> {
    /// Returns whether there is no nondeterminism.
    pub fn is_chain(&self) -> bool {
        self.decisions() == 0
    }

    /// Returns the Markov chain of the tangible states, in their order. There must be no decisions.
    pub fn chain(&self) -> Result<Chain, ChainError> {
        let mut builder =
            chain::Builder::new(self.tangible_states() as usize, self.transition_count() as usize);
        let mut room = Vec::new();
        for state in 0..self.tangible_states() {
            let row = self.transitions.sorted(state, &mut room);
            builder.row(row.map(|(target, rate)| (target, rate.near())));
        }
        builder.rounded(self.rate_roundings());
        builder.rounded_sums(REWARD_ROUNDINGS);
        builder.build(self.begins())
    }

    /// Returns the same chain with rates of twice the usual precision, for times at which rate × time is
    /// large, and for rewards that are exact. Rates are multiplied by a factor: what a time lost when it was
    /// rounded.
    pub fn fine_chain(&self, factor: Fine) -> Result<Chain, ChainError> {
        let mut builder =
            chain::Builder::new(self.tangible_states() as usize, self.transition_count() as usize);
        let mut room = Vec::new();
        for state in 0..self.tangible_states() {
            let row = self.transitions.sorted(state, &mut room);
            builder.fine_row(row.map(|(target, rate)| (target, rate.times(factor).double())));
        }
        builder.rounded_fine(self.fine_off(factor));
        builder.exact_rewards();
        builder.build(self.begins())
    }

    fn begins(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.initial().filter_map(|arrival| match arrival.target {
            Target::Tangible(state) => Some((state, arrival.probability.near())),
            Target::Decision(_) => None,
        })
    }

    /// Returns how often rates of the usual precision are rounded.
    pub(super) fn rate_roundings(&self) -> usize {
        if self.transitions.are_exact() { 0 } else { RATE_ROUNDINGS }
    }

    /// Returns how much rates times a factor may be off, compared with themselves.
    pub(super) fn fine_off(&self, factor: Fine) -> f64 {
        // A product is off by both, and by a little of its own.
        if self.transitions.are_exact() && factor == Fine::ONE {
            return 0.0;
        }
        2.0 * (self.transitions.off() + factor.off() + f64::EPSILON * f64::EPSILON)
    }

    /// Returns the Markov automaton: first the tangible states, then the decisions, then an initial state.
    pub fn automaton(&self) -> Result<Automaton, ChainError> {
        let number = |target: Target| match target {
            Target::Tangible(state) => state,
            Target::Decision(decision) => self.tangible_states() + decision,
        };
        let row = |state: u32| self.transitions(state).map(|one| (number(one.target), one.rate));
        let to = |arrival: Arrival| (number(arrival.target), arrival.probability);
        let mut builder = automaton::Builder::default();
        builder.rounded_sums(REWARD_ROUNDINGS);
        builder.rounded_fine(self.fine_off(Fine::ONE));
        for state in 0..self.tangible_states() {
            builder.fine_waiting(row(state));
        }
        for decision in 0..self.decisions() {
            builder.deciding();
            for choice in self.choices(decision) {
                builder.fine_choice(&choice.map(to).collect::<Vec<_>>());
            }
        }
        builder.deciding();
        builder.fine_choice(&self.initial().map(to).collect::<Vec<_>>());
        builder.build(self.tangible_states() + self.decisions())
    }

    /// Returns the rate of an event in each tangible state.
    pub fn frequencies(&self, event: u16) -> Vec<f64> {
        self.transitions.sums(|tally| Double::from(f64::from(self.count(tally, event))))
    }

    /// Returns the reward that counts an event, for the automaton.
    pub fn event_reward(&self, event: u16) -> Reward {
        let mut rates = self.frequencies(event);
        rates.resize(self.tangible_states() as usize + self.decisions() as usize + 1, 0.0);
        // Tangible states have one choice each.
        let mut impulses = vec![0.0; self.tangible_states() as usize];
        for decision in 0..self.decisions() {
            for choice in self.choices(decision) {
                let counted = |arrival: Arrival| {
                    arrival.probability.double() * Double::from(f64::from(self.count(arrival.tally, event)))
                };
                impulses.push(choice.map(counted).fold(Double::default(), |sum, one| sum + one).high);
            }
        }
        impulses.push(0.0);
        Reward { rates, impulses }
    }

    /// Returns what some events gain in each tangible state, per time.
    pub fn gains(&self, events: &[(u16, f64)]) -> Vec<f64> {
        self.transitions.sums(|tally| self.amount(tally, events))
    }

    /// Returns how much the events of a tally gain.
    pub(super) fn amount(&self, tally: u32, events: &[(u16, f64)]) -> Double {
        let gained =
            |(event, amount): &(u16, f64)| Double::product(f64::from(self.count(tally, *event)), *amount);
        events.iter().map(gained).fold(Double::default(), |sum, one| sum + one)
    }

    /// Returns the reward with these rates in tangible states, for the automaton.
    pub fn state_reward(&self, mut rates: Vec<f64>) -> Reward {
        rates.resize(self.tangible_states() as usize + self.decisions() as usize + 1, 0.0);
        let choices: usize = (0..self.decisions()).map(|decision| self.choices(decision).count()).sum();
        Reward { rates, impulses: vec![0.0; self.tangible_states() as usize + choices + 1] }
    }
}
