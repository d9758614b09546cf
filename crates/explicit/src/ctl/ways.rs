//! Ways through a graph: the nearest goal, and the nearest cycle.

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
        means: &mut Means<'_>,
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
        means: &mut Means<'_>,
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
        means: &mut Means<'_>,
    ) -> Result<Option<Lasso>, Limit> {
        // All that can be reached within, nearest first.
        self.search(start, &within, |_| false, means)?;
        let component = components(self.graph, start, &within, means)?;
        let graph = self.graph;
        let is_on_cycle = |state: u32| {
            let mine = component[state as usize];
            graph.successors.of(state).iter().any(|next| within(*next) && component[*next as usize] == mine)
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

/// Numbers the strongly connected components of what can be reached within a set (Tarjan, 1972), without
/// recursion. A state on a cycle has a successor with its own number.
fn components(
    graph: &Graph,
    start: u32,
    within: impl Fn(u32) -> bool,
    means: &mut Means<'_>,
) -> Result<Vec<u32>, Limit> {
    // While a state waits for its component, this is the lowest place on the path that it is known to lead
    // to; then it is the component's number, counted down from the top.
    let mut low = vec![NONE; graph.len() as usize];
    let mut next_place = 0;
    let mut next_component = NONE - 1;
    // States whose components are not complete, in the order they were reached.
    let mut open: Vec<u32> = Vec::new();
    // The path: a state, its place, and how many of its successors were looked at.
    let mut path: Vec<(u32, u32, u32)> = vec![(start, 0, 0)];
    low[start as usize] = 0;
    open.push(start);
    while let Some((state, place, done)) = path.last_mut() {
        means.tick()?;
        let (state, place) = (*state, *place);
        if let Some(next) = graph.successors.of(state).get(*done as usize).copied() {
            *done += 1;
            if !within(next) {
                continue;
            }
            if low[next as usize] == NONE {
                next_place += 1;
                low[next as usize] = next_place;
                open.push(next);
                path.push((next, next_place, 0));
            } else {
                // A complete component has a number above all places.
                low[state as usize] = low[state as usize].min(low[next as usize]);
            }
            continue;
        }
        path.pop();
        if low[state as usize] == place {
            while let Some(member) = open.pop() {
                low[member as usize] = next_component;
                if member == state {
                    break;
                }
            }
            next_component -= 1;
        } else if let Some((before, ..)) = path.last() {
            low[*before as usize] = low[*before as usize].min(low[state as usize]);
        }
    }
    Ok(low)
}
