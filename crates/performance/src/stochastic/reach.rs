//! A stochastic view on the way to an event, and rewards on it.

use super::{Arrival, Stochastic, Target};
use crate::markov::automaton::{self, Automaton, Reward};
use crate::markov::chain::ChainError;

impl Stochastic<'_> {
    /// Returns the Markov automaton in which nothing happens any more after an event: the states of
    /// [`Stochastic::automaton`], and at last the target. It is reached at once if it is there already.
    ///
    /// # Errors
    ///
    /// If it is no automaton.
    pub fn reaching(&self, event: u16, is_there: bool) -> Result<Automaton, ChainError> {
        let over = self.tangible_states() + self.decisions() + 1;
        let place = |target: Target, tally: u32| match target {
            _ if self.count(tally, event) > 0 => over,
            Target::Tangible(state) => state,
            Target::Decision(decision) => self.tangible_states() + decision,
        };
        let to = |one: Arrival| (place(one.target, one.tally), one.probability);
        let mut builder = automaton::Builder::default();
        for state in 0..self.tangible_states() {
            builder.waiting(self.transitions(state).map(|one| (place(one.target, one.tally), one.rate)));
        }
        for decision in 0..self.decisions() {
            builder.deciding();
            for choice in self.choices(decision) {
                builder.choice(choice.map(to));
            }
        }
        builder.deciding();
        if is_there {
            builder.choice([(over, 1.0)]);
        } else {
            builder.choice(self.initial().map(to));
        }
        builder.waiting([]);
        builder.build(over - 1)
    }

    /// Returns the reward with these rates in tangible states and these amounts for events, for the automaton
    /// that [`Stochastic::reaching`] returns. All of an instant counts, also what follows the target in it.
    pub fn reaching_reward(&self, mut rates: Vec<f64>, events: &[(u16, f64)], is_there: bool) -> Reward {
        let amount = |tally: u32| -> f64 {
            events.iter().map(|(event, amount)| f64::from(self.count(tally, *event)) * amount).sum()
        };
        rates.resize(self.tangible_states() as usize, 0.0);
        for (sum, more) in rates.iter_mut().zip(self.transitions.sums(|rate, tally| rate * amount(tally))) {
            *sum += more;
        }
        rates.resize(self.tangible_states() as usize + self.decisions() as usize + 2, 0.0);
        let gained = |arrival: Arrival| arrival.probability * amount(arrival.tally);
        // Tangible states have one choice each.
        let mut impulses = vec![0.0; self.tangible_states() as usize];
        for decision in 0..self.decisions() {
            impulses.extend(self.choices(decision).map(|choice| choice.map(gained).sum::<f64>()));
        }
        impulses.push(if is_there { 0.0 } else { self.initial().map(gained).sum() });
        impulses.push(0.0);
        Reward { rates, impulses }
    }
}
