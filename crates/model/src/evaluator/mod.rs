//! The reference evaluator: what a [`System`] means, state by state.
//!
//! It follows SPIN's semantics to the letter, order of evaluation included; every other engine is checked against it.
//!
//! A state is a string of bytes:
//!
//! ```text
//! processes u8 | channels u8 | last u8 (if tracked) | globals | components … | hidden globals
//! component, in order of creation:
//!   process   tag u16 = kind          | location u16 | priority u8 (if used) | locals
//!   channel   tag u16 = kind | 0x8000 | length u16   | messages, unused ones zero
//! ```

mod channels;
mod execute;
mod expressions;
mod frame;
mod processes;
mod steps;

use std::ops::ControlFlow;

use crate::{Expansion, Proctype, Scratch, StateSpace, Successor, System, Violation};

pub(crate) use execute::Outcome;
pub(crate) use expressions::Context;
pub(crate) use frame::{Frame, Frames, OBSERVER};
use steps::Walk;

/// Walks over the states of a [`System`].
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'s> {
    system: &'s System,
    records_events: bool,
}

impl<'s> Evaluator<'s> {
    /// Makes an evaluator.
    pub fn new(system: &'s System) -> Self {
        Evaluator { system, records_events: false }
    }

    /// Makes every step tell what was sent and received.
    #[must_use]
    pub fn recording_events(self) -> Self {
        Evaluator { records_events: true, ..self }
    }

    /// Returns the system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Visits what each process could do by itself, ignoring that atomic sequences run through: for replaying runs that
    /// other tools recorded move by move.
    pub fn single_moves(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        Walk::new(self, scratch, visit).single().expand(state)
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
        let mut state = Vec::new();
        frame.save(&mut state);
        Ok((state, violations))
    }

    fn successors(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        Walk::new(self, scratch, visit).expand(state)
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        let frame = self.load(state);
        for pid in 0..frame.process_count() {
            control.extend_from_slice(&frame.proctype(pid).0.to_le_bytes());
            control.extend_from_slice(&frame.location(pid).0.to_le_bytes());
        }
    }
}
