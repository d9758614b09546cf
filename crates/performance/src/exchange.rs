//! Exchanges of equal processes together with their clocks.
//!
//! A state with clocks is turned into one that stands for all that an exchange of equal processes makes of
//! it. The state comes first: its canonical one is found once. Exchanges that leave that as it is are then
//! free to put clocks in order: each process has a *tag* that says all about its clocks, and equal parts are
//! sorted by their tags. Exchanges are automorphisms of the state graph, and delays, weights and events are
//! the same for processes that are exchanged: so times, counts and rates are those of the graph of all
//! states.

use std::cell::RefCell;

use narrows_explicit::{CanonicalScratch, Symmetry};
use rustc_hash::FxHashMap;

use crate::{BuildError, StateGraph};

/// Where each process goes, by its number.
pub(crate) type Moved = Box<[u8]>;

/// The canonical state of a state, and where its processes go.
#[derive(Clone, Debug)]
pub(crate) struct Canon {
    pub(crate) state: u32,
    /// `None` if all stay where they are.
    pub(crate) moved: Option<Moved>,
}

/// Finds canonical states, and remembers them.
pub(crate) struct Exchange<'a> {
    symmetry: &'a Symmetry,
    known: FxHashMap<u32, Canon>,
    room: RefCell<(CanonicalScratch, Vec<u8>)>,
}

impl std::fmt::Debug for Exchange<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Exchange {{ {:?}, {} states }}", self.symmetry.words(), self.known.len())
    }
}

/// Returns where a process goes.
pub(crate) fn place(moved: Option<&Moved>, pid: u8) -> u8 {
    moved.and_then(|moved| moved.get(usize::from(pid))).copied().unwrap_or(pid)
}

impl<'a> Exchange<'a> {
    pub(crate) fn new(symmetry: &'a Symmetry) -> Exchange<'a> {
        Exchange { symmetry, known: FxHashMap::default(), room: RefCell::default() }
    }

    fn moved(&self, scratch: &CanonicalScratch) -> Option<Moved> {
        let moved = self.symmetry.processes(scratch);
        let stays = moved.iter().enumerate().all(|(pid, to)| pid == usize::from(*to));
        (!stays).then(|| moved.into())
    }

    /// Finds the canonical state of a state, whose steps are computed.
    pub(crate) fn note(&mut self, graph: &mut StateGraph<'_>, state: u32) -> Result<Canon, BuildError> {
        if let Some(canon) = self.known.get(&state) {
            return Ok(canon.clone());
        }
        let bytes = graph.state(state);
        let (number, moved) = {
            let (scratch, output) = &mut *self.room.borrow_mut();
            self.symmetry.canonical(&bytes, scratch, output);
            (graph.number(output), self.moved(scratch))
        };
        graph.expand(number)?;
        let canon = Canon { state: number, moved };
        self.known.insert(state, canon.clone());
        Ok(canon)
    }

    /// Returns the canonical state of a state that was noted.
    pub(crate) fn of(&self, state: u32) -> Option<&Canon> {
        self.known.get(&state)
    }

    /// Puts the clocks of a canonical state in order: returns where processes go, by an exchange that leaves
    /// the state as it is; `None` if they may stay.
    pub(crate) fn settle(&self, graph: &StateGraph<'_>, state: u32, tags: &[(u8, Vec<u8>)]) -> Option<Moved> {
        let bytes = graph.state(state);
        let count = tags.iter().map(|(pid, _)| usize::from(*pid) + 1).max()?;
        let mut all: Vec<Vec<u8>> = vec![Vec::new(); count.max(self.symmetry.process_count())];
        for (pid, tag) in tags {
            all[usize::from(*pid)].extend_from_slice(tag);
        }
        let (scratch, output) = &mut *self.room.borrow_mut();
        self.symmetry.canonical_with(&bytes, &all, scratch, output);
        // Should the order of clocks lead to another state, they stay as they are: that is right, too.
        if *output == bytes { self.moved(scratch) } else { None }
    }

    /// Returns about how many bytes it takes.
    pub(crate) fn memory(&self) -> u64 {
        let moved = self.known.values().next().and_then(|canon| canon.moved.as_ref());
        self.known.len() as u64 * (48 + moved.map_or(16, |moved| moved.len() as u64))
    }
}
