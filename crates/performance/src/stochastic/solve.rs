//! From a stochastic view to a Markov chain or a Markov automaton, and rewards on it.

use super::{Place, Stochastic};
use crate::markov::automaton::{self, Automaton, Reward};
use crate::markov::chain::{self, Chain, Wrong};

/// Rates are computed from means, stages, speeds and chances: so many roundings each, at most.
const ROUNDINGS: usize = 8;

impl Stochastic<'_> {
    /// Returns whether nothing is left open.
    pub fn is_chain(&self) -> bool {
        self.decisions() == 0
    }

    /// Returns the Markov chain of the rests, in their order. Nothing may be left open.
    pub fn chain(&self) -> Result<Chain, Wrong> {
        let mut builder = chain::Builder::new(self.rests() as usize, self.arrow_count() as usize);
        let mut room = Vec::new();
        for rest in 0..self.rests() {
            builder.row(self.arrows.sorted(rest, &mut room));
        }
        builder.rounded(ROUNDINGS);
        let initial = self.initial().filter_map(|arrival| match arrival.place {
            Place::Rest(rest) => Some((rest, arrival.probability)),
            Place::Decision(_) => None,
        });
        builder.build(initial)
    }

    /// Returns the Markov automaton: first the rests, then the decisions, then a beginning.
    pub fn automaton(&self) -> Result<Automaton, Wrong> {
        let number = |place: Place| match place {
            Place::Rest(rest) => rest,
            Place::Decision(decision) => self.rests() + decision,
        };
        let mut builder = automaton::Builder::default();
        for rest in 0..self.rests() {
            builder.waiting(self.arrows(rest).map(|arrow| (number(arrow.place), arrow.rate)));
        }
        for decision in 0..self.decisions() {
            builder.deciding();
            for choice in self.choices(decision) {
                builder.choice(choice.map(|arrival| (number(arrival.place), arrival.probability)));
            }
        }
        builder.deciding();
        builder.choice(self.initial().map(|arrival| (number(arrival.place), arrival.probability)));
        let last = builder.states() as u32 - 1;
        builder.build(last)
    }

    /// Returns how often an event happens in each rest, per time.
    pub fn frequencies(&self, event: u16) -> Vec<f64> {
        self.arrows.sums(|rate, tally| rate * f64::from(self.count(tally, event)))
    }

    /// Returns the reward that counts an event, for the automaton.
    pub fn event_reward(&self, event: u16) -> Reward {
        let mut rates = self.frequencies(event);
        rates.resize(self.rests() as usize + self.decisions() as usize + 1, 0.0);
        // The rests have one choice each.
        let mut impulses = vec![0.0; self.rests() as usize];
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

    /// Returns the reward that is gained per time in each rest, for the automaton.
    pub fn state_reward(&self, mut rates: Vec<f64>) -> Reward {
        rates.resize(self.rests() as usize + self.decisions() as usize + 1, 0.0);
        let choices: usize = (0..self.decisions()).map(|decision| self.choices(decision).count()).sum();
        Reward { rates, impulses: vec![0.0; self.rests() as usize + choices + 1] }
    }
}
