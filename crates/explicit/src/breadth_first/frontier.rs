//! A search between two levels, for another one to go on with it.

use narrows_model::StateSpace;
use rustc_hash::FxHashSet;

use super::{Search, Totals};
use crate::Run;
use crate::findings::Findings;
use crate::search::Counts;
use crate::store::{Components, KeySet, Outline, Tree};

/// What a search has found at the end of a level.
pub(crate) struct Frontier {
    components: Components,
    keys: KeySet,
    /// The states that wait to be visited, in the order in which they were found.
    waiting: Vec<u64>,
    /// How many states were visited.
    visited: u64,
    tree: Tree,
    /// What was counted, and what goes wrong.
    pub(crate) counts: Counts,
    pub(crate) findings: Findings,
}

impl Frontier {
    /// Takes everything out of a search whose next level is this one.
    pub(super) fn take<S: StateSpace + ?Sized>(search: Search<'_, S>, waiting: Vec<u64>) -> Frontier {
        let Search { components, keys, tree, mut totals, findings, workers, .. } = search;
        for worker in &workers {
            totals.counts.absorb(&worker.counts);
        }
        let Totals { counts, visited, .. } = totals;
        Frontier { components, keys, waiting, visited, tree, counts, findings }
    }

    /// Returns how many of its states were visited.
    pub(crate) fn visited(&self) -> u64 {
        self.visited
    }

    /// Returns all states, as what [`Frontier::decode`] takes: those that were visited, in some order, and
    /// then those that wait.
    pub(crate) fn states(&self) -> Vec<u64> {
        let waits: FxHashSet<u64> = self.waiting.iter().copied().collect();
        let visited = self.keys.iter().filter(|key| !waits.contains(key));
        visited.chain(self.waiting.iter().copied()).collect()
    }

    /// Finds the bytes of a state.
    pub(crate) fn decode(&self, state: u64, outline: &mut Outline) {
        self.components.decode(state, outline);
    }

    /// Returns the states of the run that has found a state which waits; `None` if it does not wait.
    pub(crate) fn run_to(&self, space: &dyn StateSpace, state: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut outline = Outline::default();
        let place = self.waiting.iter().position(|key| {
            self.components.decode(*key, &mut outline);
            outline.state() == state
        })?;
        let run = Run { choices: self.tree.choices_to(self.visited + place as u64) };
        run.states(space, false)
    }
}
