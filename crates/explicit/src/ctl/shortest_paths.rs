//! Ways through a graph: the nearest goal, and the nearest cycle.

use narrows_graph::components::{Components, try_find};
use narrows_model::Limit;

use super::graph::Graph;
use super::label::Means;

const NONE: u32 = u32::MAX;

/// A path to a cycle, and the cycle.
pub(super) type Lasso = (Vec<u32>, Vec<u32>);

/// Searches in a graph, with lists that are used again.
pub(super) struct Ways<'g> {
    graph: &'g Graph,
    /// From where each state was reached; itself for the first.
    from: Vec<u32>,
    /// The states that were reached, in order.
    order: Vec<u32>,
}

impl<'g> Ways<'g> {
    pub(super) fn new(graph: &'g Graph) -> Ways<'g> {
        Ways { graph, from: vec![NONE; graph.len() as usize], order: Vec::new() }
    }

    fn forget(&mut self) {
        for state in self.order.drain(..) {
            self.from[state as usize] = NONE;
        }
    }

    /// Returns the states of a shortest path to a goal, without the first; all of them but the last are
    /// `within`.
    pub(super) fn nearest(
        &mut self,
        start: u32,
        within: impl Fn(u32) -> bool,
        goal: impl Fn(u32) -> bool,
        means: &mut Means,
    ) -> Result<Option<Vec<u32>>, Limit> {
        if goal(start) {
            return Ok(Some(Vec::new()));
        }
        let found = self.search(start, within, goal, means)?;
        Ok(found.map(|goal| self.way_to(goal)))
    }

    /// Visits what can be reached, nearest first, until a goal is; a goal may be the start, if an edge leads
    /// there.
    fn search(
        &mut self,
        start: u32,
        within: impl Fn(u32) -> bool,
        goal: impl Fn(u32) -> bool,
        means: &mut Means,
    ) -> Result<Option<u32>, Limit> {
        self.forget();
        self.from[start as usize] = start;
        self.order.push(start);
        let mut index = 0;
        while index < self.order.len() {
            let state = self.order[index];
            index += 1;
            if !within(state) {
                continue;
            }
            for next in self.graph.successors.of(state) {
                means.tick()?;
                let is_new = self.from[*next as usize] == NONE;
                if is_new {
                    self.from[*next as usize] = state;
                    self.order.push(*next);
                }
                if (is_new || *next == start) && goal(*next) {
                    self.from[*next as usize] = state;
                    return Ok(Some(*next));
                }
            }
        }
        Ok(None)
    }

    /// Returns the states on the way that was found, without the first.
    fn way_to(&self, goal: u32) -> Vec<u32> {
        let start = self.order.first().copied().unwrap_or(goal);
        let mut way = vec![goal];
        let mut state = self.from[goal as usize];
        while state != start {
            way.push(state);
            state = self.from[state as usize];
        }
        way.reverse();
        way
    }

    /// Returns a shortest path to a cycle, and a shortest cycle from there, all `within`; both without their
    /// first states, the second up to where it began. The cycle is empty if the run just stays there.
    pub(super) fn nearest_cycle(
        &mut self,
        start: u32,
        within: impl Fn(u32) -> bool,
        means: &mut Means,
    ) -> Result<Option<Lasso>, Limit> {
        // All that can be reached within, nearest first.
        self.search(start, &within, |_| false, means)?;
        let found = components(self.graph, start, &within, means)?;
        let graph = self.graph;
        let is_on_cycle = |state: u32| {
            let together = |next: u32| found.are_together(state as usize, next as usize);
            graph.successors.of(state).iter().any(|next| within(*next) && together(*next))
        };
        let Some(entry) = self.order.iter().copied().find(|state| within(*state) && is_on_cycle(*state))
        else {
            return Ok(None);
        };
        let stem = if entry == start { Vec::new() } else { self.way_to(entry) };
        if self.graph.stays.contains(entry) {
            return Ok(Some((stem, Vec::new())));
        }
        let back = self.search(entry, &within, |state| state == entry, means)?;
        Ok(back.map(|entry| (stem, self.way_to(entry))))
    }
}

/// Finds the strongly connected components of what can be reached within a set. A state on a cycle has a
/// successor in its own component.
fn components(
    graph: &Graph,
    start: u32,
    within: impl Fn(u32) -> bool,
    means: &mut Means,
) -> Result<Components, Limit> {
    try_find(graph.len() as usize, [start], |state, done| {
        means.tick()?;
        let successors = &graph.successors.of(state)[*done as usize..];
        let skipped = successors.iter().take_while(|next| !within(**next)).count();
        *done += skipped as u32 + 1;
        Ok(successors.get(skipped).copied())
    })
}
