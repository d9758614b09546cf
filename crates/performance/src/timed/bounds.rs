//! Shortest and longest paths, by time or by the number of events.
//!
//! A path begins in any node where `from` holds, and ends at the first node where `to` holds. The least cost
//! is found by Dijkstra's algorithm. The greatest is the longest path through nodes where `to` does not hold:
//! infinite if a cycle among them has positive cost, otherwise found in topological order of their
//! components.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use narrows_graph::components::{self, Components};

use super::paths::{Walk, trace_back};
use super::{Edge, Timed};

/// The cost of a path.
#[derive(Clone, Copy, Debug)]
pub enum Cost<'c> {
    /// Ticks.
    Time,
    /// Ticks that pass while something holds in the state; where steps are counted, the nodes where it holds,
    /// both ends included.
    While(&'c [bool]),
    /// So much for each tick that passes in the state; for long-run frequencies alone.
    Worth(&'c [u32]),
    /// How many times an event happens.
    Event(u16),
}

/// The endpoints of paths, by node.
#[derive(Clone, Copy, Debug)]
pub struct Endpoints<'b> {
    /// Where it may begin.
    pub from: &'b [bool],
    /// Where it ends.
    pub to: &'b [bool],
}

/// A bound, with a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// There is no path: `from` never holds.
    NeverBegins,
    /// So much, in ticks or as a number.
    Finite(u64, Walk),
    /// Unbounded: the witness cycles for ever, or stops before `to`.
    Infinite(Walk),
}

impl Bound {
    /// Returns the lesser of two bounds, or the greater; one that never begins does not count.
    #[must_use]
    pub fn extreme(self, other: Bound, least: bool) -> Bound {
        let rank = |bound: &Bound| match bound {
            Bound::NeverBegins => None,
            Bound::Finite(value, _) => Some(Some(*value)),
            Bound::Infinite(_) => Some(None),
        };
        let is_less = match (rank(&self), rank(&other)) {
            (_, None) => return self,
            (None, _) => return other,
            (Some(Some(one)), Some(Some(two))) => one <= two,
            (Some(one), _) => one.is_some(),
        };
        if is_less == least { self } else { other }
    }
}

impl Timed<'_> {
    /// Returns what an edge adds.
    pub(super) fn cost(&self, cost: Cost<'_>, node: u32, edge: &Edge) -> u64 {
        match cost {
            Cost::Time => u64::from(edge.ticks),
            Cost::While(holds) if self.tick.is_none() => u64::from(holds[self.state(edge.target) as usize]),
            Cost::While(holds) if holds[self.state(node) as usize] => u64::from(edge.ticks),
            Cost::While(_) => 0,
            Cost::Worth(worth) => u64::from(worth[self.state(node) as usize]) * u64::from(edge.ticks),
            Cost::Event(event) => u64::from(self.count(edge, event)),
        }
    }

    /// Returns what the node costs that a way begins with.
    fn cost_of_start(&self, cost: Cost<'_>, node: u32) -> u64 {
        match cost {
            Cost::While(holds) if self.tick.is_none() => u64::from(holds[self.state(node) as usize]),
            _ => 0,
        }
    }

    fn starts_of(&self, between: Endpoints<'_>) -> Vec<u32> {
        (0..self.nodes()).filter(|node| between.from[*node as usize]).collect()
    }

    /// Puts the way to a node before what is measured.
    fn walk(&self, start: u32, measured: Vec<(u32, u32)>) -> Walk {
        let mut steps = self.way_to(start);
        let begins = steps.len();
        steps.extend(measured);
        Walk { steps, begins, cycle: None }
    }

    /// Finds the least cost over all paths.
    pub fn least(&self, between: Endpoints<'_>, cost: Cost<'_>) -> Bound {
        let starts = self.starts_of(between);
        if starts.is_empty() {
            return Bound::NeverBegins;
        }
        let mut best = vec![u64::MAX; self.nodes() as usize];
        let mut parents = vec![None; self.nodes() as usize];
        let mut queue = BinaryHeap::new();
        for node in &starts {
            best[*node as usize] = self.cost_of_start(cost, *node);
            queue.push(Reverse((best[*node as usize], *node)));
        }
        while let Some(Reverse((so_far, node))) = queue.pop() {
            if so_far > best[node as usize] {
                continue;
            }
            if between.to[node as usize] {
                let steps = trace_back(node, &parents);
                let start = steps.first().map_or(node, |(first, _)| *first);
                return Bound::Finite(so_far, self.walk(start, steps));
            }
            for (number, edge) in self.edges(node).iter().enumerate() {
                let next = so_far + self.cost(cost, node, edge);
                if next < best[edge.target as usize] {
                    best[edge.target as usize] = next;
                    parents[edge.target as usize] = Some((node, number as u32));
                    queue.push(Reverse((next, edge.target)));
                }
            }
        }
        // No way ends: any that begins shows it, as it is never over.
        Bound::Infinite(self.endless(starts[0]))
    }

    /// Goes on from a node until it comes back to where it was, or stops.
    fn endless(&self, start: u32) -> Walk {
        let mut walk = self.walk(start, Vec::new());
        let mut seen = vec![usize::MAX; self.nodes() as usize];
        let mut node = start;
        while seen[node as usize] == usize::MAX && !self.edges(node).is_empty() {
            seen[node as usize] = walk.steps.len();
            walk.steps.push((node, 0));
            node = self.edges(node)[0].target;
        }
        walk.cycle = Some(seen[node as usize]).filter(|step| *step != usize::MAX);
        walk
    }

    /// Finds the greatest cost over all paths. A run that never ends the path has infinite time; one that
    /// counts for ever has an infinite count.
    pub fn most(&self, between: Endpoints<'_>, cost: Cost<'_>) -> Bound {
        let starts = self.starts_of(between);
        if starts.is_empty() {
            return Bound::NeverBegins;
        }
        let is_end = |node: u32| between.to[node as usize];
        let open: Vec<u32> = starts.iter().copied().filter(|node| !is_end(*node)).collect();
        let found = components::find_among(self.nodes() as usize, open.iter().copied(), |node, edge| {
            let edge = self.edges(node).get(edge as usize)?;
            Some((!is_end(edge.target)).then_some(edge.target))
        });
        if let Some(walk) = self.unbounded(&open, cost, &found) {
            return Bound::Infinite(walk);
        }
        let longest = self.longest(cost, &found);
        let value = |node: u32| {
            let rest = longest.get(found.of[node as usize] as usize).map_or(0, |(value, _)| *value);
            self.cost_of_start(cost, node) + if is_end(node) { 0 } else { rest }
        };
        let Some(start) = starts.iter().copied().max_by_key(|node| (value(*node), Reverse(*node))) else {
            return Bound::NeverBegins;
        };
        let mut steps = Vec::new();
        let mut node = start;
        while !is_end(node) {
            let component = found.of[node as usize];
            let Some((_, Some((leaves, edge)))) = longest.get(component as usize) else { break };
            let inside = |other: u32| found.of[other as usize] == component;
            steps.extend(self.way([node], |goal| goal == *leaves, inside).unwrap_or_default());
            steps.push((*leaves, *edge));
            node = self.edges(*leaves)[*edge as usize].target;
        }
        Bound::Finite(value(start), self.walk(start, steps))
    }

    /// Finds a run on which what is added up grows for ever, among nodes where the way is not over.
    fn unbounded(&self, open: &[u32], cost: Cost<'_>, found: &Components) -> Option<Walk> {
        let inside = |node: u32, component: u32| found.of[node as usize] == component;
        // A component that nothing leaves, and where time does not pass, is where a run stops.
        let mut is_left = vec![false; found.count as usize];
        let mut stops = None;
        for node in (0..self.nodes()).filter(|node| found.of[*node as usize] != components::OUTSIDE) {
            let component = found.of[node as usize];
            for (number, edge) in self.edges(node).iter().enumerate() {
                if !inside(edge.target, component) {
                    is_left[component as usize] = true;
                } else if self.cost(cost, node, edge) > 0 {
                    let cycle = self.cycle_with(node, number as u32, |other| inside(other, component))?;
                    let before = self.way(
                        open.iter().copied(),
                        |goal| goal == node,
                        |other| found.of[other as usize] != components::OUTSIDE,
                    )?;
                    let start = before.first().map_or(node, |(first, _)| *first);
                    let mut walk = self.walk(start, before);
                    walk.cycle = Some(walk.steps.len());
                    walk.steps.extend(cycle);
                    return Some(walk);
                }
            }
        }
        if matches!(cost, Cost::Time) {
            let is_stop = |node: &u32| {
                let component = found.of[*node as usize];
                component != components::OUTSIDE && !is_left[component as usize]
            };
            stops = (0..self.nodes()).find(is_stop);
        }
        let stop = stops?;
        let before = self.way(
            open.iter().copied(),
            |goal| goal == stop,
            |other| found.of[other as usize] != components::OUTSIDE,
        )?;
        let start = before.first().map_or(stop, |(first, _)| *first);
        Some(self.walk(start, before))
    }

    /// For each component, the most that can be added up from there on, and the edge by which it is left for
    /// that.
    fn longest(&self, cost: Cost<'_>, found: &Components) -> Vec<(u64, Option<(u32, u32)>)> {
        let mut longest: Vec<(u64, Option<(u32, u32)>)> = vec![(0, None); found.count as usize];
        let mut nodes: Vec<u32> =
            (0..self.nodes()).filter(|node| found.of[*node as usize] != components::OUTSIDE).collect();
        // Edges lead to components with smaller numbers.
        nodes.sort_by_key(|node| found.of[*node as usize]);
        for node in nodes {
            let component = found.of[node as usize];
            for (number, edge) in self.edges(node).iter().enumerate() {
                let next = found.of[edge.target as usize];
                if next == component {
                    continue;
                }
                let rest = longest.get(next as usize).map_or(0, |(value, _)| *value);
                let value = self.cost(cost, node, edge) + rest;
                let best = &mut longest[component as usize];
                if value > best.0 || best.1.is_none() {
                    *best = (value, Some((node, number as u32)));
                }
            }
        }
        longest
    }
}
