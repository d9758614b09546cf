//! What is kept from one state to the next: values, results, and what processes can do where they stand.

use rustc_hash::FxHashMap;

use super::data::{OperationId, SortId};
use super::points::{GateId, PointId};
use super::values::{Value, Values};
use narrows_source::Span;

/// What belongs to one thread.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) values: Values,
    pub(super) results: FxHashMap<(OperationId, Box<[Value]>), Value>,
    /// What can be done in the leaves of states that have been seen.
    pub(super) leaves: Vec<Box<[u32]>>,
    pub(super) known: FxHashMap<Box<[u8]>, u32>,
    pub(super) acts: Vec<Act>,
    /// The steps of the state at hand.
    pub(super) table: Table,
    /// The successors of the state at hand.
    pub(super) found: Found,
}

/// What one part of a state can do.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) gate: GateId,
    /// The sorts, and the values that are decided.
    pub(super) offers: Box<[Given]>,
    pub(super) then: Then,
    pub(super) span: Span,
}

/// A value's sort, and the value if it is decided.
pub(super) type Given = (SortId, Option<Value>);

/// What becomes of a part of a state.
#[derive(Debug)]
pub(super) enum Then {
    /// This.
    To(Box<[u8]>),
    /// It depends on the values.
    Bound(Start, FxHashMap<Box<[Value]>, Option<Box<[u8]>>>),
}

/// Where an act begins whose values are open.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// At an action.
    Prefix(PointId, Box<[Value]>),
    /// Within several processes side by side.
    Within(Box<[u8]>, Box<[Part]>),
}

/// What happens to a range of bytes.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) by: By,
}

/// What takes the place of bytes.
#[derive(Clone, Debug)]
pub(super) enum By {
    /// What an act leads to.
    Act(u32),
    /// This.
    Bytes(Box<[u8]>),
    /// Nothing.
    Nothing,
}

/// A step that some parts of a state take together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combined {
    pub(super) gate: GateId,
    pub(super) offers: (u32, u32),
    pub(super) parts: (u32, u32),
}

/// Steps while they are put together.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) steps: Vec<Combined>,
    pub(super) offers: Vec<Given>,
    pub(super) parts: Vec<Part>,
}

impl Table {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.offers.clear();
        self.parts.clear();
    }

    pub(super) fn offers(&self, step: Combined) -> &[Given] {
        &self.offers[step.offers.0 as usize..step.offers.1 as usize]
    }

    pub(super) fn parts(&self, step: Combined) -> &[Part] {
        &self.parts[step.parts.0 as usize..step.parts.1 as usize]
    }

    /// Adds offers, and says where they are.
    pub(super) fn add_offers(&mut self, offers: impl IntoIterator<Item = Given>) -> (u32, u32) {
        let start = self.offers.len() as u32;
        self.offers.extend(offers);
        (start, self.offers.len() as u32)
    }

    /// Adds the parts of steps, one after the other, and says where they are.
    pub(super) fn join_parts(&mut self, ranges: &[(u32, u32)]) -> (u32, u32) {
        let start = self.parts.len() as u32;
        for (from, to) in ranges {
            for index in *from..*to {
                let part = self.parts[index as usize].clone();
                self.parts.push(part);
            }
        }
        (start, self.parts.len() as u32)
    }
}

/// Labels and targets that were found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) bytes: Vec<u8>,
    /// Where each label begins, where it ends and the target begins, and where that ends.
    pub(super) ends: Vec<(u32, u32, u32)>,
    pub(super) seen: rustc_hash::FxHashSet<u64>,
}
