//! From a state to its successors: interleaving, atomicity, rendezvous, `else`, `timeout`, escapes,
//! priorities.
//!
//! The order is SPIN's: processes from the youngest to the oldest, edges as the text has them. States inside
//! an atomic sequence and in the middle of a rendezvous are passed through, not visited; a sequence that
//! blocks is visited there.

use std::ops::ControlFlow;

use super::Evaluator;
use super::attempt::Attempt;
use super::channels::Offer;
use super::execute::Outcome;
use super::expressions::Context;
use super::frame::Frame;
use crate::{
    Communication, Difference, Expansion, Move, MoveKind, ProcessSet, Scratch, Statement, Successor,
    Transition, Violation, ViolationKind,
};

/// Executes a statement, and says of everything that goes wrong where it is written.
pub(super) fn execute(
    evaluator: &Evaluator<'_>,
    frame: &mut Frame,
    attempt: &Attempt<'_>,
    violations: &mut Vec<Violation>,
    events: &mut Vec<Communication>,
) -> Result<Outcome, Violation> {
    let before = violations.len();
    let span = attempt.transition.span;
    let mut context = Context::new(evaluator.system, frame, attempt.pid, violations);
    context.timeout = attempt.timeout;
    context.offer = attempt.offer;
    context.events = evaluator.records_events.then_some(events);
    let processes = context.frame.process_count();
    let mut outcome = context.execute(&attempt.transition.statement, attempt.taken);
    if evaluator.forgets {
        evaluator.forget_at_start(context.frame, processes);
    }
    if let Err(fault) = &mut outcome
        && fault.span == narrows_source::Span::default()
    {
        fault.span = span;
    }
    // An assertion's place is its statement's; the statement itself does not know it.
    for violation in &mut violations[before..] {
        if violation.span == narrows_source::Span::default() {
            violation.span = span;
        }
    }
    outcome
}

pub(super) struct Walk<'w, 's> {
    evaluator: &'w Evaluator<'s>,
    scratch: &'w mut Scratch,
    visit: &'w mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    stopped: bool,
    timeout: bool,
    /// How many moves deep inside an atomic sequence.
    inside: usize,
    /// Whether every move is an edge of its own, also inside an atomic sequence.
    single: bool,
}

/// After this many moves an atomic sequence is watched for coming back to where it was.
const WATCH_FROM: usize = 200;

/// An atomic sequence of more moves than this counts as endless: each one is a level of recursion.
const MAX_SEQUENCE: usize = 100_000;

/// Likewise one whose states, all of which are kept on the way, have more bytes than this.
const MAX_SEQUENCE_BYTES: usize = 256 << 20;

impl<'w, 's> Walk<'w, 's> {
    pub(super) fn new(
        evaluator: &'w Evaluator<'s>,
        scratch: &'w mut Scratch,
        visit: &'w mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Self {
        scratch.moves.clear();
        scratch.violations.clear();
        scratch.events.clear();
        scratch.atomic_path.clear();
        Walk { evaluator, scratch, visit, stopped: false, timeout: false, inside: 0, single: false }
    }

    /// Makes every move an edge of its own.
    pub(super) fn single(mut self) -> Self {
        self.single = true;
        self
    }

    pub(super) fn expand(mut self, state: &[u8]) -> Expansion {
        let mut frame = self.scratch.frames.blank();
        frame.load(self.evaluator.system, state);
        let mut moved = false;
        for timeout in [false, true] {
            self.timeout = timeout;
            for pid in (0..frame.process_count()).rev() {
                moved |= self.process(&frame, pid, None);
                if self.stopped {
                    break;
                }
            }
            if moved || self.stopped {
                break;
            }
        }
        let expansion = if moved || self.stopped {
            Expansion::Moves
        } else if (0..frame.process_count()).all(|pid| self.may_end(&frame, pid)) {
            Expansion::Ended
        } else {
            Expansion::Deadlock
        };
        self.scratch.frames.give_back(frame);
        expansion
    }

    /// Visits what some processes do, unless that takes a timeout.
    pub(super) fn expand_some(mut self, processes: ProcessSet, state: &[u8]) {
        let mut frame = self.scratch.frames.blank();
        frame.load(self.evaluator.system, state);
        for pid in (0..frame.process_count()).rev().filter(|pid| processes.contains(*pid)) {
            self.process(&frame, pid, None);
            if self.stopped {
                break;
            }
        }
        self.scratch.frames.give_back(frame);
    }

    fn may_end(&self, frame: &Frame, pid: usize) -> bool {
        self.evaluator.proctype_of(frame, pid).location(frame.location(pid)).is_end
    }

    /// Tries every edge of a process; returns whether any could be taken.
    fn process(&mut self, frame: &Frame, pid: usize, offer: Option<&Offer>) -> bool {
        if !self.may_move(frame, pid) {
            return false;
        }
        let proctype = self.evaluator.proctype_of(frame, pid);
        let from = frame.location(pid);
        let mut escape = 0;
        let mut moved = false;
        for edge in &proctype.location(from).edges {
            if escape > 0 && edge.escape != escape {
                break;
            }
            let transition = proctype.transition(edge.transition);
            let kind = if offer.is_some() { MoveKind::Accept } else { MoveKind::Alone };
            let step = Move {
                pid: pid as u8,
                proctype: frame.proctype(pid),
                from,
                transition: edge.transition,
                kind,
            };
            let marks = (self.scratch.moves.len(), self.scratch.violations.len(), self.scratch.events.len());
            let mut next = self.scratch.frames.copy_of(frame);
            let attempt = Attempt { pid, transition, offer, taken: moved, timeout: self.timeout };
            let Scratch { violations, events, .. } = &mut *self.scratch;
            let outcome = execute(self.evaluator, &mut next, &attempt, violations, events);
            match outcome {
                Err(fault) => {
                    // The run ends here, but the process did move: this is no deadlock.
                    self.scratch.violations.push(fault);
                    self.scratch.moves.push(step);
                    self.emit(None);
                    moved = true;
                    escape = edge.escape;
                }
                Ok(Outcome::Blocked) => {
                    // With the timeout everything is tried once more; what is wrong was said before.
                    if self.scratch.violations.len() > marks.1 && !self.timeout {
                        self.scratch.moves.push(step);
                        self.emit(None);
                    }
                }
                Ok(Outcome::Done) => {
                    if proctype.deterministic && moved && transition.statement != Statement::Else {
                        let kind = ViolationKind::Nondeterminism;
                        let violation = Violation { kind, span: transition.span, pid: pid as u8 };
                        self.scratch.violations.push(violation);
                    }
                    self.scratch.moves.push(step);
                    moved = true;
                    escape = edge.escape;
                    if transition.statement != Statement::End {
                        self.arrive(&mut next, pid, transition);
                    }
                    next.set_last(pid);
                    if transition.atomic && !self.single {
                        self.stay_inside(&next, pid, transition);
                    } else {
                        self.emit(Some(&next));
                    }
                }
                Ok(Outcome::Offered(offer)) => {
                    self.scratch.moves.push(Move { kind: MoveKind::Offer, ..step });
                    self.arrive(&mut next, pid, transition);
                    next.set_last(pid);
                    let taken = self.hold_out(&next, pid, &offer);
                    moved |= taken;
                    escape = if taken { edge.escape } else { 0 };
                }
            }
            self.scratch.frames.give_back(next);
            self.scratch.moves.truncate(marks.0);
            self.scratch.violations.truncate(marks.1);
            self.scratch.events.truncate(marks.2);
            if self.stopped {
                break;
            }
        }
        moved
    }

    /// Puts a process where a transition leads.
    fn arrive(&self, frame: &mut Frame, pid: usize, transition: &Transition) {
        frame.set_location(pid, transition.target);
        if self.evaluator.forgets {
            frame.forget(pid, &transition.dead);
            frame.forget_globals(&transition.unread);
        }
    }

    fn context<'c>(&'c mut self, frame: &'c mut Frame, pid: usize) -> Context<'c, 's> {
        let mut context = Context::new(self.evaluator.system, frame, pid, &mut self.scratch.violations);
        context.timeout = self.timeout;
        context
    }

    fn may_move(&mut self, frame: &Frame, pid: usize) -> bool {
        let system = self.evaluator.system;
        if !system.has_priorities && self.evaluator.proctype_of(frame, pid).provided.is_none() {
            return true;
        }
        let mut copy = self.scratch.frames.copy_of(frame);
        let may = self.context(&mut copy, pid).may_move();
        self.scratch.frames.give_back(copy);
        // A fault in a `provided` clause blocks the process.
        may.unwrap_or(false)
    }

    /// Lets someone else take a message that a process holds out; returns whether anyone could.
    fn hold_out(&mut self, frame: &Frame, sender: usize, offer: &Offer) -> bool {
        let timeout = std::mem::replace(&mut self.timeout, false);
        let mut taken = false;
        for pid in (0..frame.process_count()).rev().filter(|pid| *pid != sender) {
            taken |= self.process(frame, pid, Some(offer));
            if self.stopped {
                break;
            }
        }
        self.timeout = timeout;
        taken
    }

    /// Goes on inside an atomic sequence; where it blocks, the state is visited like any other.
    fn stay_inside(&mut self, frame: &Frame, pid: usize, transition: &Transition) {
        let watched = self.inside > WATCH_FROM;
        let too_long = self.inside > MAX_SEQUENCE || self.inside * frame.size() > MAX_SEQUENCE_BYTES;
        if too_long || watched && !self.scratch.atomic_path.insert(frame.to_state()) {
            let kind = ViolationKind::EndlessAtomic;
            self.scratch.violations.push(Violation { kind, span: transition.span, pid: pid as u8 });
            self.emit(None);
            return;
        }
        let timeout = std::mem::replace(&mut self.timeout, false);
        self.inside += 1;
        if !self.process(frame, pid, None) && !self.stopped {
            self.emit(Some(frame));
        }
        self.inside -= 1;
        if watched {
            self.scratch.atomic_path.remove(&frame.to_state());
        }
        self.timeout = timeout;
    }

    fn emit(&mut self, target: Option<&Frame>) {
        let scratch = &mut *self.scratch;
        if let Some(frame) = target {
            frame.save(&mut scratch.output);
        }
        let successor = Successor {
            moves: &scratch.moves,
            violations: &scratch.violations,
            events: &scratch.events,
            label: &[],
            target: target.map(|_| scratch.output.as_slice()),
            difference: Difference::Unknown,
        };
        if (self.visit)(successor).is_break() {
            self.stopped = true;
        }
    }
}
