//! The stochastic view: every delay is a random one without memory, or a sum of such.
//!
//! Its places are of two kinds. In a *rest*, time passes until one of the delays ends, each with its rate. A *decision*
//! takes no time: what happens is open, and each choice leads on by chance. States between which nothing but steps
//! without delay happens are left out as they are found ([`build`]): where all of them lead to the same, whoever moves
//! first, there is no decision. A view without decisions is a Markov chain.

mod arrows;
mod build;
mod graph;
mod outcomes;
mod solve;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::Rows;
use arrows::Arrows;
use outcomes::Outcomes;

pub use arrows::Arrow;
pub use build::build;
pub use outcomes::{Arrival, Place};

/// The places of a stochastic view, and what leads from each to the next.
#[derive(Debug)]
pub struct Stochastic<'a> {
    rows: Rows<'a>,
    /// The state of each rest; of one that busy waiting runs round, the first.
    rests: Vec<u32>,
    /// All states of those rests that have several.
    members: FxHashMap<u32, Vec<u32>>,
    arrows: Arrows,
    /// The choices of each decision: numbers of outcomes.
    decisions: Vec<Vec<u32>>,
    outcomes: Outcomes,
    initial: u32,
}

impl<'a> Stochastic<'a> {
    /// Returns the states of the model, and their steps.
    pub fn rows(&self) -> &Rows<'a> {
        &self.rows
    }

    /// Returns how many rests there are.
    pub fn rests(&self) -> u32 {
        self.rests.len() as u32
    }

    /// Returns the states of a rest; there are several if busy waiting runs round them.
    pub fn states(&self, rest: u32) -> &[u32] {
        match self.members.get(&rest) {
            Some(members) => members,
            None => std::slice::from_ref(&self.rests[rest as usize]),
        }
    }

    /// Returns what may happen in a rest.
    pub fn arrows(&self, rest: u32) -> impl Iterator<Item = Arrow> + Clone + '_ {
        self.arrows.of(rest)
    }

    /// Returns how many arrows there are.
    pub fn arrow_count(&self) -> u64 {
        self.arrows.len() as u64
    }

    /// Returns how many decisions there are.
    pub fn decisions(&self) -> u32 {
        self.decisions.len() as u32
    }

    /// Returns where each choice of a decision leads.
    pub fn choices(&self, decision: u32) -> impl Iterator<Item = impl Iterator<Item = Arrival> + '_> {
        self.decisions[decision as usize].iter().map(|outcome| self.outcomes.get(*outcome))
    }

    /// Returns where it begins.
    pub fn initial(&self) -> impl Iterator<Item = Arrival> + '_ {
        self.outcomes.get(self.initial)
    }

    /// Returns how many times an event is counted on the way.
    pub fn count(&self, tally: u32, event: u16) -> u32 {
        let events = self.outcomes.tally(tally);
        events.iter().find(|(number, _)| *number == event).map_or(0, |(_, count)| *count)
    }
}
