//! A walk over all states that numbers them, for those who want the whole graph.
//!
//! Breadth-first search numbers states in the order they come, the initial one 0; the store keeps the number
//! in place of a state's link, and is the queue too. Each edge is shown once, with what it does.

use std::ops::ControlFlow;

use narrows_model::{Limit, Scratch, StateSpace, Successor};

use crate::search::Counts;
use crate::{Budget, End, Entry, Exploration, Full, Shape, StateId, Store};

/// An edge between two states.
#[derive(Clone, Copy, Debug)]
pub struct NumberedEdge<'a> {
    /// The number of the state it leaves.
    pub from: u32,
    /// That state.
    pub before: &'a [u8],
    /// What happens, and the state it leads to.
    pub successor: Successor<'a>,
    /// The number of that state.
    pub target: u32,
}

/// What a numbered walk came to.
#[derive(Clone, Debug)]
pub struct NumberedWalk {
    /// How it ended, and what it covered.
    pub exploration: Exploration,
    /// How many steps end in a fault, and so lead nowhere.
    pub faults: u64,
    /// The first state that has such a step.
    pub broken: Option<Vec<u8>>,
}

/// Visits all states breadth first, and shows every edge. `visit` returns how many bytes it has taken in all:
/// they count as those of the walk do.
pub fn numbered_walk(
    space: &dyn StateSpace,
    budget: &Budget,
    visit: &mut dyn FnMut(&NumberedEdge<'_>) -> u64,
) -> NumberedWalk {
    let shape = Shape { hidden: space.hidden_bytes(), linked: true };
    let store = Store::new(shape, budget.memory);
    let mut walk = Walk { budget, store, counts: Counts::default(), others: 0, faults: 0, broken: None };
    let end = walk.run(space, visit);
    let coverage = walk.counts.coverage(&walk.store, walk.others);
    let (findings, labels) = (Vec::new(), Vec::new());
    let exploration = Exploration { end, coverage, findings, partial: 0, profile: None, labels };
    NumberedWalk { exploration, faults: walk.faults, broken: walk.broken }
}

struct Walk<'a> {
    budget: &'a Budget,
    store: Store,
    counts: Counts,
    /// What the visitor has taken.
    others: u64,
    faults: u64,
    broken: Option<Vec<u8>>,
}

impl Walk<'_> {
    fn run<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        visit: &mut dyn FnMut(&NumberedEdge<'_>) -> u64,
    ) -> End {
        let Ok((initial, _)) = space.initial() else { return End::Fault };
        if self.store.insert_linked(&initial, Some(StateId::from_number(0))).is_err() {
            return End::Limit(Limit::Memory);
        }
        let mut before = Vec::new();
        let mut scratch = Scratch::with_pulses();
        let mut next = self.store.first();
        let mut from = 0;
        // One past the last state of the level that is being visited.
        let mut level_end = 1;
        while let Some(id) = next {
            if u64::from(from) == level_end {
                level_end = self.store.len();
                self.counts.depth += 1;
            }
            before.clear();
            before.extend_from_slice(self.store.get(id));
            let mut stop = None;
            space.successors(&before, &mut scratch, &mut |successor| {
                stop = self.edge(from, &before, successor, visit);
                if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if let Some(limit) = stop {
                return End::Limit(limit);
            }
            next = self.store.next(id);
            from += 1;
        }
        End::Complete
    }

    fn edge(
        &mut self,
        from: u32,
        before: &[u8],
        successor: Successor<'_>,
        visit: &mut dyn FnMut(&NumberedEdge<'_>) -> u64,
    ) -> Option<Limit> {
        if successor.pulse.is_some() {
            let memory = self.store.memory() + self.others;
            return self.counts.pulse(&successor, self.budget, self.store.len(), memory);
        }
        self.counts.mark(&successor);
        if let Some(state) = successor.target {
            self.counts.transitions += 1;
            self.store.set_limit(self.budget.memory.saturating_sub(self.others));
            match self.number(state) {
                Ok(target) => {
                    self.others = visit(&NumberedEdge { from, before, successor, target });
                }
                Err(Full) => return Some(Limit::Memory),
            }
        } else if successor.violations.iter().any(|violation| violation.kind.is_fatal()) {
            self.faults += 1;
            self.broken.get_or_insert_with(|| before.to_vec());
        }
        let memory = self.store.memory() + self.others;
        if memory > self.budget.memory {
            return Some(Limit::Memory);
        }
        self.counts.ask(self.budget, self.store.len(), memory)
    }

    /// Returns the number of a state, a new one if it is not known.
    fn number(&mut self, state: &[u8]) -> Result<u32, Full> {
        let number = self.store.len();
        match self.store.insert_linked(state, Some(StateId::from_number(number)))? {
            Entry::New(_) => u32::try_from(number).ok().filter(|number| *number < u32::MAX - 1).ok_or(Full),
            Entry::Known(id) => self.store.link(id).map(|link| link.number() as u32).ok_or(Full),
        }
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Evaluator, Limit};

    use super::numbered_walk;
    use crate::samples::counters;
    use crate::{Budget, End, Engine, Faults, SearchScope, Unwatched, depth_first};

    #[test]
    fn every_edge_is_shown_once_and_states_are_numbered_in_order() {
        let system = counters(3, 5);
        let budget = Budget::unlimited(Unwatched);
        let expected =
            depth_first(&Evaluator::new(&system), Faults::Stop, &SearchScope::within(&budget)).coverage;
        let (mut edges, mut known) = (0, 0);
        let walk = numbered_walk(&Engine::automatic(Evaluator::new(&system)), &budget, &mut |edge| {
            assert!(edge.from <= known && edge.target <= known + 1, "a state comes out of turn");
            known = known.max(edge.target);
            edges += 1;
            0
        });
        assert_eq!(walk.exploration.end, End::Complete);
        assert_eq!((u64::from(known) + 1, edges), (expected.states, expected.transitions));
        assert_eq!(walk.faults, 0);
    }

    #[test]
    fn what_the_visitor_takes_counts() {
        let system = counters(3, 5);
        let budget = Budget { memory: 10 << 20, ..Budget::unlimited(Unwatched) };
        let mut taken = 0;
        let walk = numbered_walk(&Evaluator::new(&system), &budget, &mut |_| {
            taken += 1 << 20;
            taken
        });
        assert_eq!(walk.exploration.end, End::Limit(Limit::Memory));
        assert!(taken <= 11 << 20);
    }
}
