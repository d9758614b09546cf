//! The execution of one statement of one process, for engines that compute successors their own way.

use std::ops::ControlFlow;

use super::channels::Offer;
use super::execute::Outcome;
use super::expressions::Context;
use super::frame::Frame;
use super::steps::{Walk, execute};
use crate::{Communication, Evaluator, Scratch, Transition, Violation, Visit};

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

impl StepRecord {
    /// Moves what another has told to the end.
    pub(super) fn append(&mut self, other: &mut StepRecord) {
        self.violations.append(&mut other.violations);
        self.events.append(&mut other.events);
    }

    /// Takes away what was told after so many violations and events.
    pub(super) fn split_off(&mut self, violations: usize, events: usize) -> StepRecord {
        StepRecord {
            violations: self.violations.split_off(violations),
            events: self.events.split_off(events),
        }
    }
}

/// Memory for attempts, to use again and again; it holds the state after the last one.
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
    /// Executes one statement of one process; the error is a fault after which there is no state. `pulse` is
    /// asked now and then whether a long `d_step` is to go on.
    pub fn attempt(
        &self,
        state: &[u8],
        attempt: &Attempt<'_>,
        workspace: &mut Workspace,
        told: &mut StepRecord,
        pulse: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Outcome, Violation> {
        workspace.frame.load(self.system, state);
        execute(self, &mut workspace.frame, attempt, told, pulse)
    }

    /// Visits what follows from a state inside an atomic sequence, in which a process has control; the path
    /// there is that of the scratch memory. Returns whether the visitor broke off.
    pub fn successors_inside(
        &self,
        state: &[u8],
        pid: usize,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> bool {
        Walk::resumed(self, scratch, visit).expand_inside(state, pid)
    }

    /// Returns whether a process may move at all: what it is `provided` with, and that nobody more important
    /// can move.
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
