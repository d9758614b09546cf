//! State spaces whose states have colours, and parts of them.

use std::ops::ControlFlow;

use narrows_model::{Colour, Expansion, Scratch, StateSpace, Successor, Violation, Watched};

use crate::Store;

/// A state space whose states mean something to a search for cycles.
pub(super) trait Coloured: StateSpace {
    fn colour(&self, state: &[u8]) -> Colour;
}

impl Coloured for Watched<'_> {
    fn colour(&self, state: &[u8]) -> Colour {
        Watched::colour(self, state)
    }
}

/// The part of a state space whose states are in a store. Its runs are runs of the whole.
pub(super) struct Within<'a, S: ?Sized> {
    pub(super) space: &'a S,
    pub(super) store: &'a Store,
}

impl<S: StateSpace + ?Sized> StateSpace for Within<'_, S> {
    fn hidden_bytes(&self) -> usize {
        self.space.hidden_bytes()
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        self.space.initial()
    }

    fn successors(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        self.space.successors(state, scratch, &mut |successor| {
            // Who moves is told also for a step that leads outside: it shows who is enabled.
            let target = successor.target.filter(|target| self.store.contains(target));
            visit(Successor { target, ..successor })
        })
    }
}

impl<S: Coloured + ?Sized> Coloured for Within<'_, S> {
    fn colour(&self, state: &[u8]) -> Colour {
        self.space.colour(state)
    }
}
