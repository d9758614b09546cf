//! A stochastic view on the way to an event, and rewards on it.

use super::solve::REWARD_ROUNDINGS;
use super::{Arrival, Stochastic, Target};
use crate::fine::Fine;
use crate::markov::automaton::{self, Automaton, Reward};
use crate::markov::chain::{self, Chain, ChainError};
use crate::markov::double_double::Double;

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
        builder.rounded_sums(REWARD_ROUNDINGS);
        builder.rounded_fine(self.fine_off(Fine::ONE));
        for state in 0..self.tangible_states() {
            builder.fine_waiting(self.transitions(state).map(|one| (place(one.target, one.tally), one.rate)));
        }
        for decision in 0..self.decisions() {
            builder.deciding();
            for choice in self.choices(decision) {
                builder.fine_choice(&choice.map(to).collect::<Vec<_>>());
            }
        }
        builder.deciding();
        if is_there {
            builder.choice([(over, 1.0)]);
        } else {
            builder.fine_choice(&self.initial().map(to).collect::<Vec<_>>());
        }
        builder.waiting([]);
        builder.build(over - 1)
    }

    /// Returns the Markov chain in which nothing happens any more after an event, with rates of twice the
    /// usual precision: the tangible states, and at last the target. Rates are multiplied by a factor: what a
    /// time lost when it was rounded. There must be no decisions.
    ///
    /// # Errors
    ///
    /// If it is no chain.
    pub fn fine_chain_reaching(&self, event: u16, is_there: bool, factor: Fine) -> Result<Chain, ChainError> {
        let over = self.tangible_states();
        let place = |target: Target, tally: u32| match target {
            Target::Tangible(state) if self.count(tally, event) == 0 => state,
            _ => over,
        };
        let mut builder = chain::Builder::new(over as usize + 1, self.transition_count() as usize);
        for state in 0..over {
            let row = self.transitions(state);
            builder.fine_row(row.map(|one| (place(one.target, one.tally), one.rate.times(factor).double())));
        }
        builder.row([]);
        builder.rounded_fine(self.fine_off(factor));
        builder.exact_rewards();
        let begins = |one: Arrival| (place(one.target, one.tally), one.probability.near());
        let there = is_there.then_some((over, 1.0));
        let others = self.initial().filter(|_| !is_there).map(begins);
        builder.build(there.into_iter().chain(others))
    }

    /// Returns the reward with these rates in tangible states and these amounts for events, for the automaton
    /// that [`Stochastic::reaching`] returns. All of an instant counts, also what follows the target in it.
    pub fn reaching_reward(&self, mut rates: Vec<f64>, events: &[(u16, f64)], is_there: bool) -> Reward {
        rates.resize(self.tangible_states() as usize, 0.0);
        for (sum, more) in rates.iter_mut().zip(self.gains(events)) {
            *sum += more;
        }
        rates.resize(self.tangible_states() as usize + self.decisions() as usize + 2, 0.0);
        let gained = |arrivals: &mut dyn Iterator<Item = Arrival>| {
            let one = |arrival: Arrival| arrival.probability.double() * self.amount(arrival.tally, events);
            arrivals.map(one).fold(Double::default(), |sum, one| sum + one).high
        };
        // Tangible states have one choice each.
        let mut impulses = vec![0.0; self.tangible_states() as usize];
        for decision in 0..self.decisions() {
            impulses.extend(self.choices(decision).map(|mut choice| gained(&mut choice)));
        }
        impulses.push(if is_there { 0.0 } else { gained(&mut self.initial()) });
        impulses.push(0.0);
        Reward { rates, impulses }
    }
}
