//! The stochastic view: every delay is exponentially or Erlang distributed.
//!
//! Its states are of two kinds. In a *tangible* state, time passes until one of the running delays expires,
//! each with its rate. A *decision* takes no time: it is a nondeterministic choice between distributions over
//! next states. All other vanishing states, those between which only immediate steps happen, are eliminated
//! as they are found ([`build`]): where every interleaving leads to the same distribution, there is no
//! decision. A view without decisions is a continuous-time Markov chain, one with decisions a Markov
//! automaton.

mod build;
mod graph;
#[cfg(test)]
mod latency_tests;
#[cfg(test)]
mod orbit_tests;
mod outcomes;
mod reach;
mod requests;
mod solve;
#[cfg(test)]
mod tests;
mod transitions;

use rustc_hash::FxHashMap;

use crate::StateGraph;
use outcomes::Outcomes;
use transitions::Transitions;

pub use build::{build, build_ordered};
pub use outcomes::{Arrival, Target};
pub use requests::{Latencies, LatencyError};
pub use transitions::Transition;

/// The states of a stochastic view, and the transitions between them.
#[derive(Debug)]
pub struct Stochastic<'a> {
    state_graph: StateGraph<'a>,
    /// The model state of each tangible state; of busy waiting, the first state of the cycle.
    tangible: Vec<u32>,
    /// All model states of those tangible states that stand for several.
    members: FxHashMap<u32, Vec<u32>>,
    transitions: Transitions,
    /// The choices of each decision, as outcomes.
    decisions: Vec<Vec<u32>>,
    outcomes: Outcomes,
    initial: u32,
}

impl<'a> Stochastic<'a> {
    /// Returns the state graph of the model.
    pub fn state_graph(&self) -> &StateGraph<'a> {
        &self.state_graph
    }

    /// Returns how many tangible states there are.
    pub fn tangible_states(&self) -> u32 {
        self.tangible.len() as u32
    }

    /// Returns the model states of a tangible state; there are several if they are a cycle of busy waiting.
    pub fn states(&self, state: u32) -> &[u32] {
        match self.members.get(&state) {
            Some(members) => members,
            None => std::slice::from_ref(&self.tangible[state as usize]),
        }
    }

    /// Returns the transitions of a tangible state.
    pub fn transitions(&self, state: u32) -> impl Iterator<Item = Transition> + Clone + '_ {
        self.transitions.of(state)
    }

    /// Returns how many transitions there are.
    pub fn transition_count(&self) -> u64 {
        self.transitions.len() as u64
    }

    /// Returns how many decisions there are.
    pub fn decisions(&self) -> u32 {
        self.decisions.len() as u32
    }

    /// Returns the distribution of each choice of a decision.
    pub fn choices(&self, decision: u32) -> impl Iterator<Item = impl Iterator<Item = Arrival> + '_> {
        self.decisions[decision as usize].iter().map(|outcome| self.outcomes.get(*outcome))
    }

    /// Returns the initial distribution.
    pub fn initial(&self) -> impl Iterator<Item = Arrival> + '_ {
        self.outcomes.get(self.initial)
    }

    /// Returns how many times a tally counts an event.
    pub fn count(&self, tally: u32, event: u16) -> u32 {
        outcomes::count(self.outcomes.tally(tally), event)
    }
}
