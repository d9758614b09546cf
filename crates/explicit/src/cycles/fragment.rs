//! The states near the initial one, in the order of their distance.

use std::ops::ControlFlow;

use narrows_model::{Limit, Scratch, StateSpace, Violation};

use super::lasso::{Step, steps_between};
use super::space::Coloured;
use crate::search::Counts;
use crate::{End, Full, SearchScope, Shape, StateId, Store};

/// A part of a state space, and why it is not larger.
pub(super) struct Fragment {
    pub(super) store: Store,
    pub(super) counts: Counts,
    pub(super) edge: Edge,
    /// The violations that the watcher saw, in the order of their distance.
    pub(super) seen: Vec<Seen>,
}

/// A violation that the watcher sees in a state, or on a step from there.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) id: StateId,
    pub(super) violation: Violation,
    pub(super) last: Option<Step>,
}

/// Where a fragment ends.
pub(super) enum Edge {
    /// There is nothing beyond it.
    Complete,
    /// The watcher has seen as many violations as were wanted.
    Seen,
    /// This state was looked for.
    Reached(StateId),
    /// It is as large as it may be.
    Limit(End),
}

/// Visits states breadth first until one is reached that is looked for, or the watcher has seen `most`
/// violations.
pub(super) fn fragment<S: StateSpace + ?Sized>(
    space: &S,
    scope: &SearchScope<'_>,
    most: usize,
    looked_for: impl Fn(&[u8]) -> bool,
) -> Fragment {
    let shape = Shape { hidden: space.hidden_bytes(), linked: true };
    let mut fragment = Fragment {
        store: Store::new(shape, scope.budget.memory),
        counts: Counts::default(),
        edge: Edge::Complete,
        seen: Vec::new(),
    };
    fragment.edge = match fragment.grow(space, scope, most, looked_for) {
        Ok(()) => Edge::Complete,
        Err(edge) => edge,
    };
    fragment
}

impl Fragment {
    fn grow<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        scope: &SearchScope<'_>,
        most: usize,
        looked_for: impl Fn(&[u8]) -> bool,
    ) -> Result<(), Edge> {
        let Ok((initial, _)) = space.initial() else { return Ok(()) };
        let full = |_: Full| Edge::Limit(End::Limit(Limit::Memory));
        self.store.insert_linked(&initial, None).map_err(full)?;
        let mut scratch = Scratch::with_pulses();
        let mut state = Vec::new();
        let mut next = self.store.first();
        while let Some(id) = next {
            state.clear();
            state.extend_from_slice(self.store.get(id));
            if looked_for(&state) {
                return Err(Edge::Reached(id));
            }
            if self.store.len() > scope.states {
                return Err(Edge::Limit(End::Enough));
            }
            self.expand(space, id, &state, &mut scratch, scope)?;
            if self.seen.len() >= most {
                return Err(Edge::Seen);
            }
            next = self.store.next(id);
        }
        Ok(())
    }

    fn expand<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        id: StateId,
        state: &[u8],
        scratch: &mut Scratch,
        scope: &SearchScope<'_>,
    ) -> Result<(), Edge> {
        let mut stop = None;
        let (store, counts, seen) = (&mut self.store, &mut self.counts, &mut self.seen);
        space.successors(state, scratch, &mut |successor| {
            if successor.pulse.is_some() {
                let limit = counts.pulse(&successor, scope.budget, store.len(), store.memory());
                stop = limit.map(|limit| Edge::Limit(End::Limit(limit)));
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(&successor);
            if let Some(violation) = successor.violations.first() {
                seen.push(Seen { id, violation: *violation, last: Step::of(&successor) });
            } else if let Some(target) = successor.target {
                counts.transitions += 1;
                if store.insert_linked(target, Some(id)).is_err() {
                    stop = Some(Edge::Limit(End::Limit(Limit::Memory)));
                }
            }
            if let Some(limit) = counts.ask(scope.budget, store.len(), store.memory()) {
                stop = Some(Edge::Limit(End::Limit(limit)));
            }
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        stop.map_or(Ok(()), Err)
    }

    /// Returns the steps to a violation that the watcher saw.
    pub(super) fn steps_to<S: Coloured + ?Sized>(&self, space: &S, seen: &Seen) -> Vec<Step> {
        let mut steps = steps_between(space, &self.way_to(seen.id));
        steps.extend(seen.last.clone());
        steps
    }

    /// Returns how many steps a state is away.
    pub(super) fn distance(&self, id: StateId) -> usize {
        std::iter::successors(self.store.link(id), |id| self.store.link(*id)).count()
    }

    /// Returns the states on the shortest way to a state.
    pub(super) fn way_to(&self, id: StateId) -> Vec<Vec<u8>> {
        let mut way: Vec<Vec<u8>> = std::iter::successors(Some(id), |id| self.store.link(*id))
            .map(|id| self.store.get(id).to_vec())
            .collect();
        way.reverse();
        way
    }
}
