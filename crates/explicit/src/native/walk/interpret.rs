//! What the reference evaluator does for a walk.

use std::ops::ControlFlow;

use narrows_model::{AtomicPath, Attempt, MoveKind, Outcome, Statement, Successor};

use super::super::plan::Gate;
use super::super::undo_log::{BLOCKED, DONE};
use super::{Memory, Try, Walk, Went};

impl Walk<'_, '_> {
    /// Lets the reference evaluator execute a statement, and goes on with what it leads to on a level of its
    /// own.
    pub(super) fn interpret(&mut self, attempt: Try<'_>, taken: bool) -> Went {
        let transition = self.transition(attempt);
        let Memory { undo_log, level, path, offers, workspace, .. } = &mut *self.memory;
        let AtomicPath { moves, told, .. } = path;
        let timeout = undo_log.timeout != 0;
        let (moves_before, said, events) = (moves.len(), told.violations.len(), told.events.len());
        let offer = attempt.offer.map(|offer| &offers[offer]);
        let statement = Attempt { pid: attempt.pid, transition, offer, taken, timeout };
        let (visit, stopped) = (&mut *self.visit, &mut self.stopped);
        let wants_pulses = self.walks.with_pulses;
        let mut pulse = || {
            if wants_pulses && visit(Successor::pulse(moves, 0)).is_break() {
                *stopped = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let outcome = self.space.evaluator.attempt(level.state(), &statement, workspace, told, &mut pulse);
        let went = match outcome {
            Err(fault) => {
                // The run ends here, but the process did move: this is no deadlock.
                told.violations.push(fault);
                moves.push(Self::alone(attempt));
                self.emit(false);
                Went::Moved
            }
            Ok(Outcome::BrokenOff) => Went::Moved,
            Ok(Outcome::Blocked) => {
                // With the timeout everything is tried once more; what is wrong was said before.
                if told.violations.len() > said && !timeout {
                    moves.push(Self::alone(attempt));
                    self.emit(false);
                }
                Went::Blocked
            }
            Ok(Outcome::Done) => {
                self.push_result();
                let is_else = transition.statement == Statement::Else;
                let attempt = Try { deterministic: attempt.deterministic && !is_else, ..attempt };
                let went = if transition.statement == Statement::End {
                    self.after_end(attempt)
                } else {
                    self.done(attempt)
                };
                self.pop_level();
                went
            }
            Ok(Outcome::Offered(offer)) => {
                let place = self.offers;
                if offers.len() == place {
                    offers.push(offer);
                } else {
                    offers[place] = offer;
                }
                moves.push(Self::move_of(attempt, MoveKind::Offer));
                self.push_result();
                let mark = self.put(attempt);
                let taken = self.hold_out(attempt.pid);
                self.undo(mark);
                self.pop_level();
                if taken { Went::Moved } else { Went::Refused }
            }
        };
        self.memory.path.moves.truncate(moves_before);
        self.memory.path.told.events.truncate(events);
        went
    }

    pub(super) fn may_move(&mut self, gate: Gate, pid: usize, at: usize) -> bool {
        if let Gate::Provided(code) = gate {
            self.memory.undo_log.offer_channel = 0;
            match self.call(code, pid, at) {
                BLOCKED => return false,
                DONE => return true,
                _ => {}
            }
        }
        let Memory { undo_log, level, path, workspace, .. } = &mut *self.memory;
        let timeout = undo_log.timeout != 0;
        self.space.evaluator.may_move(level.state(), pid, timeout, workspace, &mut path.told)
    }
}
