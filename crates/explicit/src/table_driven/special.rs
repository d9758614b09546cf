//! States that are the host's: those in which something goes wrong, nothing can move, or more happens than a
//! table tells. They are evaluated on all threads.

use std::ops::ControlFlow;

use narrows_model::{Expansion, Limit, Progress, Scratch, StateSpace, Violation};

use super::batches::{self, in_batches};
use crate::Budget;
use crate::search::Counts;

/// What a state does.
pub(super) struct Visited {
    pub(super) targets: Vec<Vec<u8>>,
    /// The numbers of the steps in which something goes wrong, and what.
    pub(super) violations: Vec<(u32, Vec<Violation>)>,
    pub(super) is_deadlock: bool,
}

/// What a thread needs for it.
struct Visitor {
    scratch: Scratch,
    counts: Counts,
}

impl batches::Worker for Visitor {
    fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// Visits states; the results are in their order.
pub(super) fn visit(
    space: &dyn StateSpace,
    states: &[Vec<u8>],
    of: (&Budget, &Progress),
    counts: &mut Counts,
) -> Result<Vec<Visited>, Limit> {
    let visitor = || Visitor { scratch: Scratch::with_pulses(), counts: Counts::default() };
    in_batches(states.len(), of, counts, visitor, |number, visitor| {
        visit_one(space, &states[number], of, visitor)
    })
}

fn visit_one(
    space: &dyn StateSpace,
    state: &[u8],
    (budget, progress): (&Budget, &Progress),
    Visitor { scratch, counts }: &mut Visitor,
) -> Result<Visited, Limit> {
    let mut visited = Visited { targets: Vec::new(), violations: Vec::new(), is_deadlock: false };
    let (mut choice, mut stop) = (0, None);
    let expansion = space.successors(state, scratch, &mut |successor| {
        if successor.pulse.is_some() {
            stop = counts.pulse(&successor, budget, progress.states, progress.memory);
            return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        counts.mark(&successor);
        if !successor.violations.is_empty() {
            visited.violations.push((choice, successor.violations.to_vec()));
        }
        choice += 1;
        visited.targets.extend(successor.target.map(<[u8]>::to_vec));
        ControlFlow::Continue(())
    });
    visited.is_deadlock = expansion == Expansion::Deadlock;
    stop.map_or(Ok(visited), Err)
}
