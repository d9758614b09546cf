//! Runs in a timed view.

use std::collections::VecDeque;

use super::{Edge, Timed};
use crate::Time;

/// A run from the initial node, and which part of it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// The nodes that are left, and which of their edges is taken.
    pub steps: Vec<(u32, u32)>,
    /// The step at which what is measured begins.
    pub begins: usize,
    /// The step that comes again after the last, if the run is endless.
    pub cycle: Option<usize>,
}

impl Walk {
    /// Returns the edges.
    pub fn edges<'t>(&'t self, timed: &'t Timed<'_>) -> impl Iterator<Item = &'t Edge> {
        self.steps.iter().map(|(node, edge)| &timed.edges(*node)[*edge as usize])
    }

    /// Returns which successor is taken at each step.
    pub fn choices(&self, timed: &Timed<'_>) -> Vec<u32> {
        self.edges(timed).map(|edge| edge.choice).collect()
    }

    /// Returns when each step ends, counted from the initial node, in the unit of the study or in steps.
    pub fn times(&self, timed: &Timed<'_>) -> Vec<Time> {
        let tick = timed.tick().unwrap_or_else(|| Time::from_integer(1));
        let mut ticks = 0;
        let ends = self.edges(timed).map(|edge| {
            ticks += i128::from(edge.ticks);
            tick * Time::from_integer(ticks)
        });
        ends.collect()
    }
}

impl Timed<'_> {
    /// Finds a way with the fewest steps from one of some nodes to a goal, through nodes that are allowed;
    /// the goal itself needs no leave. `None` if there is none.
    pub(crate) fn way(
        &self,
        from: impl IntoIterator<Item = u32>,
        is_goal: impl Fn(u32) -> bool,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<Vec<(u32, u32)>> {
        let leads_on = |_: u32, edge: &Edge| is_goal(edge.target) || is_allowed(edge.target);
        self.way_along(from, &is_goal, leads_on)
    }

    /// Finds a way with the fewest steps from one of some nodes to a goal, along edges that are allowed.
    pub(super) fn way_along(
        &self,
        from: impl IntoIterator<Item = u32>,
        is_goal: impl Fn(u32) -> bool,
        is_allowed: impl Fn(u32, &Edge) -> bool,
    ) -> Option<Vec<(u32, u32)>> {
        let mut parents: Vec<Option<(u32, u32)>> = vec![None; self.nodes() as usize];
        let mut is_start = vec![false; self.nodes() as usize];
        let mut queue = VecDeque::new();
        for node in from {
            if is_goal(node) {
                return Some(Vec::new());
            }
            is_start[node as usize] = true;
            queue.push_back(node);
        }
        while let Some(node) = queue.pop_front() {
            for (number, edge) in self.edges(node).iter().enumerate() {
                let there = edge.target as usize;
                if is_start[there] || parents[there].is_some() || !is_allowed(node, edge) {
                    continue;
                }
                parents[there] = Some((node, number as u32));
                if is_goal(edge.target) {
                    return Some(trace_back(edge.target, &parents));
                }
                queue.push_back(edge.target);
            }
        }
        None
    }

    /// Returns a way with the fewest steps from the initial node.
    pub(crate) fn way_to(&self, node: u32) -> Vec<(u32, u32)> {
        self.way([0], |goal| goal == node, |_| true).unwrap_or_default()
    }

    /// Finds a cycle that begins with an edge of a node, through nodes that are allowed.
    pub(crate) fn cycle_with(
        &self,
        node: u32,
        edge: u32,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Option<Vec<(u32, u32)>> {
        let next = self.edges(node)[edge as usize].target;
        let mut cycle = vec![(node, edge)];
        cycle.extend(self.way([next], |goal| goal == node, is_allowed)?);
        Some(cycle)
    }
}

/// Follows parents back from a node to one that has none.
pub(super) fn trace_back(mut node: u32, parents: &[Option<(u32, u32)>]) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    while let Some((parent, edge)) = parents[node as usize] {
        steps.push((parent, edge));
        node = parent;
    }
    steps.reverse();
    steps
}
