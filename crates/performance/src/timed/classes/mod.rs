//! State classes: all runs of a model with exact times, whatever the common divisor of its delays.
//!
//! The graph of the timed view has a node for each valuation of the clocks, so that a range of delays beside
//! an odd one has thousands of edges. A class is a state with a zone: all dates at which the running delays
//! may expire (the state class graph of time Petri nets; `zone.rs`). [`build`](Classes::build) finds all
//! classes, without those that lie within others: that is enough for what can be reached. Delays, counts and
//! frequencies are each found by a search of their own (`search.rs`, `frequency.rs`), in which a class also
//! knows what was measured so far. A run through classes has dates of its own: `schedule.rs` finds them, and
//! makes a [`Timed`](super::Timed) of the run alone, so that it is shown like any other. Where a class stands
//! for all that exchanges of equal processes make of it (`exchanged.rs`), there are no such runs.

mod build;
mod cycle;
mod exchanged;
mod frequency;
mod overlap;
mod schedule;
mod search;
mod steps;
#[cfg(test)]
mod tests;
mod zone;

use std::rc::Rc;

use super::{Timed, Walk};
use crate::exchange::Exchange;
use crate::{StateGraph, Time};
use steps::Clocks;
use zone::Zone;

pub use frequency::ClassFrequency;
pub use search::{ClassBound, ClassCost};

/// All classes of a model.
#[derive(Debug)]
pub struct Classes<'a> {
    state_graph: Rc<StateGraph<'a>>,
    clocks: Clocks,
    rests: Vec<Rest>,
    found: Vec<Class>,
    transitions: u64,
    /// How long a tick is, the unit of bounds.
    tick: Time,
    /// Finds the class that stands for all that exchanges of equal processes make of it.
    exchange: Option<Box<Exchange<'a>>>,
}

/// Whether time passes in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// It was not found out yet.
    Unknown,
    /// Never: the state is left at once.
    Never,
    /// Always: nothing happens at once.
    Always,
    /// If the immediate steps of busy waiting leave all dates as they are.
    Waiting,
}

/// A state with a zone.
#[derive(Debug)]
struct Class {
    state: u32,
    zone: Zone,
    /// The class it was found from, and which successor of its state it is.
    parent: (u32, u32),
    /// Whether another class stands for it.
    is_dominated: bool,
}

/// A run with dates, as a view that consists of it alone.
#[derive(Debug)]
pub struct DatedRun<'a> {
    /// The view.
    pub timed: Timed<'a>,
    /// The run through it.
    pub walk: Walk,
}

impl<'a> Classes<'a> {
    /// Returns the state graph of the model.
    pub fn state_graph(&self) -> &StateGraph<'a> {
        &self.state_graph
    }

    /// Returns how many classes were found.
    pub fn nodes(&self) -> u64 {
        self.found.len() as u64
    }

    /// Returns how many steps lead from class to class.
    pub fn edge_count(&self) -> u64 {
        self.transitions
    }

    /// Returns how long a tick is.
    pub fn tick(&self) -> Time {
        self.tick
    }

    /// Returns the choices on the way to a class.
    fn choices_to(&self, class: u32) -> Vec<u32> {
        let parents: Vec<(u32, u32)> = self.found.iter().map(|class| class.parent).collect();
        crate::state_graph::choices_to(&parents, class)
    }
}
