//! From a stochastic view to a Markov chain or a Markov automaton, and rewards on it.

use super::{Stochastic, Target};
use crate::markov::automaton::{self, Automaton, Reward};
use crate::markov::chain::{self, Chain, ChainError};

/// Rates are computed from means, stages, speeds and chances: so many roundings each, at most.
pub(super) const ROUNDINGS: usize = 8;

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
            builder.row(self.transitions.sorted(state, &mut room));
        }
        builder.rounded(ROUNDINGS);
        let initial = self.initial().filter_map(|arrival| match arrival.target {
            Target::Tangible(state) => Some((state, arrival.probability)),
            Target::Decision(_) => None,
        });
        builder.build(initial)
    }

    /// Returns the Markov automaton: first the tangible states, then the decisions, then an initial state.
    pub fn automaton(&self) -> Result<Automaton, ChainError> {
        let number = |target: Target| match target {
            Target::Tangible(state) => state,
            Target::Decision(decision) => self.tangible_states() + decision,
        };
        let row = |state: u32| self.transitions(state).map(|one| (number(one.target), one.rate));
        let mut builder = automaton::Builder::default();
        builder.rounded(ROUNDINGS);
        for state in 0..self.tangible_states() {
            builder.waiting(row(state));
        }
        for decision in 0..self.decisions() {
            builder.deciding();
            for choice in self.choices(decision) {
                builder.choice(choice.map(|arrival| (number(arrival.target), arrival.probability)));
            }
        }
        builder.deciding();
        builder.choice(self.initial().map(|arrival| (number(arrival.target), arrival.probability)));
        builder.build(self.tangible_states() + self.decisions())
    }

    /// Returns the rate of an event in each tangible state.
    pub fn frequencies(&self, event: u16) -> Vec<f64> {
        self.transitions.sums(|rate, tally| rate * f64::from(self.count(tally, event)))
    }

    /// Returns the reward that counts an event, for the automaton.
    pub fn event_reward(&self, event: u16) -> Reward {
        let mut rates = self.frequencies(event);
        rates.resize(self.tangible_states() as usize + self.decisions() as usize + 1, 0.0);
        // Tangible states have one choice each.
        let mut impulses = vec![0.0; self.tangible_states() as usize];
        for decision in 0..self.decisions() {
            for choice in self.choices(decision) {
                let counted =
                    choice.map(|arrival| arrival.probability * f64::from(self.count(arrival.tally, event)));
                impulses.push(counted.sum());
            }
        }
        impulses.push(0.0);
        Reward { rates, impulses }
    }

    /// Returns the reward with these rates in tangible states, for the automaton.
    pub fn state_reward(&self, mut rates: Vec<f64>) -> Reward {
        rates.resize(self.tangible_states() as usize + self.decisions() as usize + 1, 0.0);
        let choices: usize = (0..self.decisions()).map(|decision| self.choices(decision).count()).sum();
        Reward { rates, impulses: vec![0.0; self.tangible_states() as usize + choices + 1] }
    }
}
