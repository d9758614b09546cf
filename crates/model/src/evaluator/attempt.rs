//! The execution of one statement of one process, for engines that compute successors their own way.

use super::channels::Offer;
use super::execute::Outcome;
use super::expressions::Context;
use super::frame::Frame;
use super::steps::execute;
use crate::{Communication, Evaluator, Transition, Violation};

/// A transition to be executed by a process.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The process.
    pub pid: usize,
    /// The transition, one that leaves the process's location.
    pub transition: &'a Transition,
    /// The message offered to it, in the middle of a rendezvous.
    pub offer: Option<&'a Offer>,
    /// Whether an earlier edge of the location was taken.
    pub taken: bool,
    /// Whether nothing else can move.
    pub timeout: bool,
}

/// Violations and communications of a step; an attempt adds to them.
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// What went wrong.
    pub violations: Vec<Violation>,
    /// What was sent and received, if the evaluator records it.
    pub events: Vec<Communication>,
}

/// Reusable memory for attempts; it holds the state after the last one.
#[derive(Debug, Default)]
pub struct Workspace {
    frame: Frame,
}

impl Workspace {
    /// Writes the state after the last attempt; the process is still where it was.
    pub fn save(&self, state: &mut Vec<u8>) {
        self.frame.save(state);
    }
}

impl Evaluator<'_> {
    /// Executes one statement of one process; the error is a fault after which there is no state.
    pub fn attempt(
        &self,
        state: &[u8],
        attempt: &Attempt<'_>,
        workspace: &mut Workspace,
        record: &mut StepRecord,
    ) -> Result<Outcome, Violation> {
        workspace.frame.load(self.system, state);
        execute(self, &mut workspace.frame, attempt, &mut record.violations, &mut record.events)
    }

    /// Returns whether a process may move: its `provided` clause holds, and no process of higher priority can
    /// move.
    pub fn may_move(
        &self,
        state: &[u8],
        pid: usize,
        timeout: bool,
        workspace: &mut Workspace,
        record: &mut StepRecord,
    ) -> bool {
        workspace.frame.load(self.system, state);
        let mut context = Context::new(self.system, &mut workspace.frame, pid, &mut record.violations);
        context.timeout = timeout;
        // A fault in a `provided` clause blocks the process.
        context.may_move().unwrap_or(false)
    }
}
