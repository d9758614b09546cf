//! The reference evaluator: what a [`System`] means, state by state.
//!
//! It follows SPIN's semantics to the letter, order of evaluation included; every other engine is checked
//! against it.
//!
//! A state is a string of bytes:
//!
//! ```text
//! processes u8 | channels u8 | last u8 (if tracked) | globals | components … | hidden globals
//! component, in order of creation:
//!   process   tag u16 = kind          | location u16 | priority u8 (if used) | locals
//!   channel   tag u16 = kind | 0x8000 | length u16   | messages, unused ones zero
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `frame.rs` | the layout of a state |
//! | `steps.rs` | successors: interleaving, `atomic`, rendezvous, `else`, `timeout`, `unless`, priorities |
//! | `execute.rs`, `expressions.rs` | statements and expressions |
//! | `channels.rs`, `processes.rs` | send and receive; creation and termination of processes |
//! | `attempt.rs` | one statement by itself, for compiled code |
//! | `read_log.rs` | which bytes a step depends on |

mod attempt;
mod channels;
mod execute;
mod expressions;
mod frame;
mod processes;
mod read_log;
mod sequence;
mod steps;

use std::sync::Arc;

use crate::{Expansion, ProcessSet, Proctype, Scratch, StateSpace, System, Violation, Visit};

pub use attempt::{Attempt, StepRecord, Workspace};
pub use channels::Offer;
pub use execute::Outcome;
pub(crate) use expressions::Context;
pub(crate) use frame::{Frame, Frames, OBSERVER};
pub use read_log::{Partner, ReadLog, StepPart};
pub use sequence::AtomicPath;
pub(crate) use steps::Task;
use steps::Walk;

/// Walks over the states of a [`System`].
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'s> {
    system: &'s System,
    records_events: bool,
    forgets: bool,
}

impl<'s> Evaluator<'s> {
    /// Makes an evaluator.
    pub fn new(system: &'s System) -> Self {
        Evaluator { system, records_events: false, forgets: false }
    }

    /// Makes every step tell what was sent and received.
    #[must_use]
    pub fn recording_events(self) -> Self {
        Evaluator { records_events: true, ..self }
    }

    /// Returns whether every step tells what was sent and received.
    pub fn records_events(&self) -> bool {
        self.records_events
    }

    /// Makes every step set to 0 the local variables that nobody reads afterwards. Successors are otherwise
    /// the same, and in the same order.
    #[must_use]
    pub fn forgetting(self) -> Self {
        Evaluator { forgets: true, ..self }
    }

    /// Makes no step do so.
    #[must_use]
    pub fn remembering(self) -> Self {
        Evaluator { forgets: false, ..self }
    }

    /// Returns whether every step sets variables to 0 that nobody reads afterwards.
    pub fn forgets(&self) -> bool {
        self.forgets
    }

    /// Returns the system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Visits what each process could do by itself, ignoring that atomic sequences run through: for replaying
    /// runs that other tools recorded move by move.
    pub fn single_moves(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        Walk::new(self, scratch, visit).single().expand(state)
    }

    /// Visits what a process does, as [`StateSpace::successors_of`] does, or a part of that; tells which
    /// bytes of the state that depends on, those apart that tell which components it has.
    ///
    /// In every other state with the same components and the same values in these bytes, there are as many
    /// successors, which change the same bytes to the same values.
    pub fn successors_reading(
        &self,
        (pid, part): (usize, StepPart),
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> Arc<ReadLog> {
        let log = Arc::new(ReadLog::new(state.len() - self.hidden_bytes()));
        let alone: ProcessSet = [pid].into_iter().collect();
        Walk::new(self, scratch, visit).logging(&log, part).expand_some(alone, state);
        log
    }

    /// Sets to 0 what nobody reads of processes that have just started: those from a number on.
    fn forget_at_start(&self, frame: &mut Frame, first: usize) {
        for pid in first..frame.process_count() {
            frame.forget(pid, &self.proctype_of(frame, pid).dead);
        }
    }

    pub(crate) fn load(&self, state: &[u8]) -> Frame {
        let mut frame = Frame::default();
        frame.load(self.system, state);
        frame
    }

    pub(crate) fn proctype_of(&self, frame: &Frame, pid: usize) -> &'s Proctype {
        self.system.proctype(frame.proctype(pid))
    }
}

impl StateSpace for Evaluator<'_> {
    fn hidden_bytes(&self) -> usize {
        self.system.hidden_bytes as usize
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let mut violations = Vec::new();
        let mut frame = Frame::empty(self.system);
        execute::set_up(self.system, &mut frame, &mut violations)?;
        if self.forgets {
            self.forget_at_start(&mut frame, 0);
            frame.forget_globals(&self.system.unread);
        }
        let mut state = Vec::new();
        frame.save(&mut state);
        Ok((state, violations))
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        Walk::new(self, scratch, visit).expand(state)
    }

    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        Walk::new(self, scratch, visit).expand_some(processes, state);
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        let frame = self.load(state);
        for pid in 0..frame.process_count() {
            control.extend_from_slice(&frame.proctype(pid).0.to_le_bytes());
            control.extend_from_slice(&frame.location(pid).0.to_le_bytes());
        }
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        frame::component_ends(self.system, state, ends);
    }
}
