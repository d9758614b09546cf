//! How a move ends: where the process stands then, and what the visitor is told.

use super::{Task, Walk};
use crate::evaluator::expressions::Context;
use crate::evaluator::frame::Frame;
use crate::{Scratch, Statement, Successor, Transition, Violation, ViolationKind};

impl Walk<'_, '_> {
    pub(super) fn say_endless(&mut self, span: narrows_source::Span, pid: usize) {
        let kind = ViolationKind::EndlessAtomic;
        self.scratch.path.told.violations.push(Violation { kind, span, pid: pid as u8 });
        self.emit(None);
    }

    /// Puts a process where a transition leads; one that ends is gone.
    pub(super) fn arrive(&self, frame: &mut Frame, pid: usize, transition: &Transition) {
        if transition.statement != Statement::End {
            frame.set_location(pid, transition.target);
            if self.evaluator.forgets {
                frame.forget(pid, &transition.dead);
                frame.forget_globals(&transition.unread);
            }
        }
        frame.set_last(pid);
    }

    pub(super) fn may_move(&mut self, frame: &Frame, pid: usize, timeout: bool) -> bool {
        let system = self.evaluator.system;
        if !system.has_priorities && self.evaluator.proctype_of(frame, pid).provided.is_none() {
            return true;
        }
        let mut copy = self.scratch.frames.copy_of(frame);
        let mut context = Context::new(system, &mut copy, pid, &mut self.scratch.path.told.violations);
        context.timeout = timeout;
        let may = context.may_move();
        self.scratch.frames.give_back(copy);
        // A fault in a `provided` clause blocks the process.
        may.unwrap_or(false)
    }

    /// Tells the visitor that the walk goes on, with the moves from a place on.
    pub(super) fn pulse(&mut self, first: usize, state_bytes: usize) {
        let scratch = &*self.scratch;
        let tasks = scratch.tasks.len() * (size_of::<Task>() + state_bytes);
        let held = scratch.path.memory() + tasks as u64;
        if (self.visit)(Successor::pulse(&scratch.path.moves[first..], held)).is_break() {
            self.stopped = true;
        }
    }

    pub(super) fn emit(&mut self, target: Option<&Frame>) {
        let Scratch { path, output, .. } = &mut *self.scratch;
        if let Some(frame) = target {
            frame.save(output);
        }
        let successor = Successor {
            moves: &path.moves,
            violations: &path.told.violations,
            events: &path.told.events,
            target: target.map(|_| output.as_slice()),
            ..Successor::default()
        };
        if (self.visit)(successor).is_break() {
            self.stopped = true;
        }
    }
}
