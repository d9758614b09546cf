//! The timed view beside an observer of requests: all runs on which one request is followed.

use std::rc::Rc;

use narrows_model::Limit;
use rustc_hash::FxHashMap;

use super::{Edge, Span, Timed, Walk};
use crate::requests::{Change, RequestEvents};
use crate::{StateGraph, Step};

/// What the observer knows in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Seen {
    /// So many requests are open, and none is followed.
    Open(u32),
    /// The request that is followed has just begun, at this place.
    Begins(u32),
    /// It is at this place.
    Follows(u32),
    /// It has ended.
    Over,
    /// It has begun and ended with the same step.
    AtOnce,
}

impl Seen {
    /// Returns whether a request is followed.
    pub(super) fn has_begun(self) -> bool {
        !matches!(self, Seen::Open(_))
    }

    /// Returns whether it has ended.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Seen::Over | Seen::AtOnce)
    }
}

/// A timed view in which one request is followed on each run, any of them.
#[derive(Debug)]
pub struct Followed<'a> {
    /// The view.
    pub timed: Timed<'a>,
    /// Whether a request begins, by node.
    pub begins: Vec<bool>,
    /// Whether it has ended, by node.
    pub ends: Vec<bool>,
}

/// Why requests can't be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowError {
    /// More are open at the same time than can be.
    TooManyOpen,
    /// A limit was reached.
    Limit(Limit),
}

impl Walk {
    /// Returns from when to when, in ticks from the beginning of the run, each request on it is open, in the
    /// order in which they begin. Which end belongs to which beginning is what the observer says that follows
    /// one request; those that do not end on the run are left out.
    pub fn requests(&self, timed: &Timed<'_>, kinds: &[RequestEvents]) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for ends in kinds {
            let (mut now, mut count) = (0, 0);
            let mut open: Vec<(u64, u32)> = Vec::new();
            for edge in self.edges(timed) {
                now += u64::from(edge.ticks);
                let change = ends.step(|event| timed.count(edge, event));
                if change == Change::default() {
                    continue;
                }
                open.retain_mut(|(from, place)| match ends.place(*place, change) {
                    Some(next) => {
                        *place = next;
                        true
                    }
                    None => {
                        found.push((*from, now));
                        false
                    }
                });
                for place in ends.begun(count, change) {
                    match place {
                        Some(place) => open.push((now, place)),
                        None => found.push((now, now)),
                    }
                }
                count = ends.open(count, change);
            }
        }
        found.sort_unstable();
        found
    }
}

impl StateGraph<'_> {
    /// Returns what a step does to requests.
    pub fn change(&self, ends: RequestEvents, step: &Step) -> Change {
        let events = &self.effect(step.effect).events;
        ends.step(|event| events.iter().find(|(number, _)| *number == event).map_or(0, |(_, count)| *count))
    }
}

impl<'a> Timed<'a> {
    /// Follows what is measured on each run, any that there is.
    ///
    /// # Errors
    ///
    /// If too many requests are open at the same time, or the view with the observer is too large.
    pub fn follow(&self, span: &Span<'_>) -> Result<Followed<'a>, FollowError> {
        let mut product = Product { nodes: Vec::new(), numbers: FxHashMap::default() };
        span.begin(&mut |seen| _ = product.number(0, seen));
        let (mut starts, mut edges) = (vec![0], Vec::new());
        let mut next = 0;
        while let Some((node, seen)) = product.nodes.get(next).copied() {
            next += 1;
            for edge in self.edges(node) {
                let step = Step { target: self.state(edge.target), effect: edge.effect };
                span.after(seen, self.state(node), &step, &mut |seen| {
                    let target = product.number(edge.target, seen);
                    edges.push(Edge { target, ..*edge });
                })?;
            }
            starts.push(edges.len() as u32);
            if next.is_multiple_of(1 << 10) {
                let bytes = product.nodes.len() * 48 + edges.capacity() * size_of::<Edge>();
                self.state_graph.watch(bytes as u64).map_err(FollowError::Limit)?;
            }
        }
        let is = |kinds: fn(Seen) -> bool| product.nodes.iter().map(|(_, seen)| kinds(*seen)).collect();
        let begins = is(|seen| matches!(seen, Seen::Begins(_) | Seen::AtOnce));
        let over = is(Seen::is_over);
        let states = product.nodes.iter().map(|(node, _)| self.state(*node)).collect();
        let state_graph = Rc::clone(&self.state_graph);
        let timed = Timed { state_graph, states, starts, edges, tick: self.tick };
        Ok(Followed { timed, begins, ends: over })
    }
}

/// Nodes of the view, each with what the observer knows.
struct Product {
    nodes: Vec<(u32, Seen)>,
    numbers: FxHashMap<(u32, Seen), u32>,
}

impl Product {
    fn number(&mut self, node: u32, seen: Seen) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry((node, seen)).or_insert(next);
        if number == next {
            self.nodes.push((node, seen));
        }
        number
    }
}
