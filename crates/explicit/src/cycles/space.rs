//! State spaces whose states have colours, and parts of them.

use narrows_model::{
    Colour, Expansion, ProcessSet, Scratch, StateSpace, Successor, Violation, Visit, Watched,
};

use crate::Store;

/// A state space whose states mean something to a search for cycles.
pub(super) trait Coloured: StateSpace {
    fn colour(&self, state: &[u8]) -> Colour;

    /// Returns whether a state is a barrier, if that is easily seen.
    fn is_aside(&self, state: &[u8]) -> bool {
        let _ = state;
        false
    }

    /// Returns the system's part of a state.
    fn system_state<'b>(&self, state: &'b [u8]) -> &'b [u8];
}

/// A system and its watcher, as a search for cycles sees them.
#[derive(Clone)]
pub(super) struct Joint<'w> {
    watched: &'w Watched<'w>,
    /// For each place of the watcher, whether it is on no cycle that is a violation; nothing if that is not
    /// known.
    hopeless: Vec<bool>,
    /// Whether states that differ in hidden bytes are different.
    exact: bool,
}

impl<'w> Joint<'w> {
    pub(super) fn new(watched: &'w Watched<'w>, exact: bool) -> Joint<'w> {
        Joint { watched, hopeless: Vec::new(), exact }
    }

    /// Makes barriers of all states in which the watcher is on no cycle that is a violation, so that they
    /// need not be searched depth first.
    pub(super) fn with_barriers(&self) -> Joint<'w> {
        Joint { hopeless: self.watched.hopeless(), ..*self }
    }
}

impl Coloured for Joint<'_> {
    fn colour(&self, state: &[u8]) -> Colour {
        if self.is_aside(state) { Colour::Barrier } else { self.watched.colour(state) }
    }

    fn is_aside(&self, state: &[u8]) -> bool {
        !self.hopeless.is_empty() && self.hopeless[self.watched.place(state)]
    }

    fn system_state<'b>(&self, state: &'b [u8]) -> &'b [u8] {
        self.watched.system_state(state)
    }
}

impl StateSpace for Joint<'_> {
    fn hidden_bytes(&self) -> usize {
        if self.exact { 0 } else { self.watched.hidden_bytes() }
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        self.watched.initial()
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        self.watched.successors(state, scratch, visit)
    }

    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        self.watched.successors_of(processes, state, scratch, visit);
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        self.watched.control(state, control);
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        self.watched.parts(state, ends);
        if self.exact && self.watched.hidden_bytes() > 0 {
            ends.push(state.len() as u32);
        }
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

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        self.space.successors(state, scratch, &mut |successor| {
            // Who moves is told also for a step that leads outside: it shows who is enabled.
            let target = successor.target.filter(|target| self.store.contains(target));
            visit(Successor { target, ..successor })
        })
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        self.space.parts(state, ends);
    }
}

impl<S: Coloured + ?Sized> Coloured for Within<'_, S> {
    fn colour(&self, state: &[u8]) -> Colour {
        self.space.colour(state)
    }

    fn is_aside(&self, state: &[u8]) -> bool {
        self.space.is_aside(state)
    }

    fn system_state<'b>(&self, state: &'b [u8]) -> &'b [u8] {
        self.space.system_state(state)
    }
}
