//! The timed view: all runs of a model, with exact times.
//!
//! A node is a state of the model with a clock valuation: for each running delay, the time elapsed. Immediate
//! steps take no time; time passes only where none is enabled ([`build`]). Without delays, every step takes
//! one tick. On this graph, [`bounds`] finds shortest and longest paths, [`ratio`] the extreme long-run
//! frequencies of events (cycle ratios), and [`activity`] the critical chain of delays along a run.

pub mod activity;
pub mod bounds;
#[cfg(test)]
mod bracket_tests;
mod build;
mod classes;
#[cfg(test)]
mod exchange_tests;
mod howard;
mod paths;
pub mod ratio;
mod reachability;
mod requests;
mod span;
#[cfg(test)]
mod tests;
mod work;
#[cfg(test)]
mod work_tests;

use std::rc::Rc;

use crate::{StateGraph, Time};

pub use build::{Unscalable, build, build_clocked, build_untimed, build_within, widest_range};
pub use classes::{ClassBound, ClassCost, ClassFrequency, Classes, DatedRun};
pub use paths::Walk;
pub use requests::{FollowError, Followed};
pub use span::Span;
pub use work::{Unclocked, WorkBounds, Workers};

/// The graph of a timed view.
#[derive(Debug)]
pub struct Timed<'a> {
    pub(crate) state_graph: Rc<StateGraph<'a>>,
    /// The state of each node.
    pub(crate) states: Vec<u32>,
    /// The first edge of each node, and at last the number of edges.
    pub(crate) starts: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    /// How long a tick is; `None` if steps are counted.
    pub(crate) tick: Option<Time>,
}

/// An edge of a timed view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node it leads to.
    pub target: u32,
    /// How many ticks it takes.
    pub ticks: u32,
    /// Its [`StepEffect`](crate::StepEffect), by number.
    pub effect: u32,
    /// Which successor of the state it is.
    pub choice: u32,
}

impl<'a> Timed<'a> {
    /// Returns the state graph of the model.
    pub fn state_graph(&self) -> &StateGraph<'a> {
        &self.state_graph
    }

    /// Returns how many nodes there are; the first is the initial one.
    pub fn nodes(&self) -> u32 {
        self.states.len() as u32
    }

    /// Returns how many edges there are.
    pub fn edge_count(&self) -> u64 {
        self.edges.len() as u64
    }

    /// Returns the state of a node.
    pub fn state(&self, node: u32) -> u32 {
        self.states[node as usize]
    }

    /// Returns the edges of a node.
    pub fn edges(&self, node: u32) -> &[Edge] {
        &self.edges[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Returns the same view, in which steps and states are counted.
    #[must_use]
    pub fn in_steps(self) -> Timed<'a> {
        Timed { tick: None, ..self }
    }

    /// Returns what is known of states by node.
    pub fn by_node(&self, states: &[bool]) -> Vec<bool> {
        self.states.iter().map(|state| states[*state as usize]).collect()
    }

    /// Returns how long a tick is; `None` if steps are counted.
    pub fn tick(&self) -> Option<Time> {
        self.tick
    }

    /// Returns how many times an edge is an event.
    pub fn count(&self, edge: &Edge, event: u16) -> u32 {
        let events = &self.state_graph.effect(edge.effect).events;
        events.iter().find(|(number, _)| *number == event).map_or(0, |(_, count)| *count)
    }
}
