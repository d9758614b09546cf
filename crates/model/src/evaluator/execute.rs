//! What a statement does to a state.

use std::ops::ControlFlow;

use narrows_source::Span;

use super::channels::{Offer, Sent};
use super::expressions::{Context, Fault};
use super::frame::Frame;
use super::processes;
use crate::{DStep, Guard, Node, Run, Statement, System, Violation, ViolationKind, print};

/// How a statement went.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It can't be executed now.
    Blocked,
    /// It was executed.
    Done,
    /// It holds out a message: someone must take it at once.
    Offered(Offer),
    /// It was broken off by whoever was told that it takes long.
    BrokenOff,
}

/// Whoever asked for it hears of a `d_step` after so many jumps.
const PULSE_EVERY: u64 = 1 << 16;

/// Makes the initial state out of an empty one.
pub(super) fn set_up(
    system: &System,
    frame: &mut Frame,
    violations: &mut Vec<Violation>,
) -> Result<(), Fault> {
    let mut context = Context::new(system, frame, 0, violations);
    context.set_up(&system.setup, Span::default())?;
    for process in &system.initial_processes {
        let span = system.proctype(process.proctype).span;
        let pid = frame.process_count() as u8;
        let fault = Violation { kind: ViolationKind::TooManyProcesses, span, pid };
        processes::create(system, frame, process.proctype, process.priority, &[], fault, violations)?;
    }
    Ok(())
}

impl Context<'_, '_> {
    /// Executes a statement; `taken` says whether an earlier edge of the location was.
    pub(crate) fn execute(&mut self, statement: &Statement, taken: bool) -> Result<Outcome, Fault> {
        if self.offer.is_some() && !matches!(statement, Statement::Receive(_) | Statement::DStep(_)) {
            return Ok(Outcome::Blocked);
        }
        let done = match statement {
            Statement::Skip => true,
            Statement::Else => !taken,
            Statement::Condition(condition) => self.holds(condition)?,
            Statement::Assign(place, value) => {
                let value = self.value(value)?;
                self.store(place, value)?;
                true
            }
            Statement::Run(run, assign) => {
                self.run_result = self.run(run)?;
                match assign {
                    Some((place, value)) => {
                        let value = self.value(value)?;
                        self.store(place, value)?;
                        true
                    }
                    None => self.run_result != 0,
                }
            }
            Statement::Send(send) => match self.send(send)? {
                Sent::Blocked => false,
                Sent::Stored => true,
                Sent::Offered(offer) => return Ok(Outcome::Offered(offer)),
            },
            Statement::Receive(receive) => self.receive(receive)?,
            Statement::Assert(condition) => {
                if !self.holds(condition)? {
                    self.report(ViolationKind::Assertion, Span::default());
                }
                true
            }
            Statement::Print(format, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.value(argument)?);
                }
                if let Some(output) = &mut self.output {
                    output.push_str(&print::formatted(self.system, format, &values));
                }
                true
            }
            Statement::PrintMtype(value, set) => {
                let value = self.value(value)?;
                if let Some(output) = &mut self.output {
                    output.push_str(&print::symbolic(self.system, *set, value));
                }
                true
            }
            Statement::SetPriority(pid, priority) => {
                let (pid, priority) = (self.value(pid)?, self.value(priority)?);
                self.set_priority(pid, priority)?;
                true
            }
            Statement::End => {
                let youngest = self.pid + 1 == self.frame.process_count();
                if youngest {
                    self.frame.remove_youngest();
                }
                youngest
            }
            Statement::DStep(step) => {
                let may = self.may_start(step, taken)?;
                if may && self.run_d_step(step)?.is_break() {
                    return Ok(Outcome::BrokenOff);
                }
                may
            }
        };
        Ok(if done { Outcome::Done } else { Outcome::Blocked })
    }

    fn run(&mut self, run: &Run) -> Result<i32, Fault> {
        let mut arguments = Vec::with_capacity(run.arguments.len());
        for argument in &run.arguments {
            arguments.push(self.value(argument)?);
        }
        let fault = self.fault(ViolationKind::TooManyProcesses, run.span);
        let (system, violations) = (self.system, &mut *self.violations);
        let pid =
            processes::create(system, self.frame, run.proctype, run.priority, &arguments, fault, violations)?;
        Ok(pid as i32)
    }

    fn set_priority(&mut self, pid: i32, priority: i32) -> Result<(), Fault> {
        let Some(pid) = usize::try_from(pid).ok().filter(|pid| *pid < self.frame.process_count()) else {
            return Ok(());
        };
        match u8::try_from(priority) {
            Ok(priority) if priority > 0 => {
                self.frame.set_priority(pid, priority);
                Ok(())
            }
            _ => Err(self.fault(ViolationKind::BadPriority, Span::default())),
        }
    }

    /// Returns whether a `d_step` may begin.
    pub(super) fn may_start(&mut self, step: &DStep, taken: bool) -> Result<bool, Fault> {
        let free = self.offer.is_none();
        if step.guards.is_empty() {
            return Ok(free);
        }
        for guard in &step.guards {
            let holds = match guard {
                Guard::Else => free && !taken,
                Guard::Always => free,
                Guard::Condition(condition) => free && self.holds(condition)?,
                Guard::Send(send) => free && self.can_send(send)?,
                Guard::Receive(receive) => self.can_receive(receive)?,
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs a `d_step` to its end, unless it is broken off.
    fn run_d_step(&mut self, step: &DStep) -> Result<ControlFlow<()>, Fault> {
        let mut at = step.start;
        let mut jumps: u64 = 0;
        let mut checkpoint = None;
        let mut here = Vec::new();
        loop {
            jumps += 1;
            // It is deterministic: the same place with the same state again means for ever. Compared is with
            // the state at the last power of two, which lies on the circle sooner or later (Brent's
            // algorithm).
            if let Some((place, state)) = &checkpoint
                && *place == at
            {
                self.frame.save(&mut here);
                if here == *state {
                    return Err(self.fault(ViolationKind::EndlessDStep, step.span));
                }
            }
            if jumps >= 1024 && jumps.is_power_of_two() {
                checkpoint = Some((at, self.frame.to_state()));
            }
            if jumps.is_multiple_of(PULSE_EVERY)
                && let Some(pulse) = &mut self.pulse
                && pulse().is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
            at = match &step.nodes[at.0 as usize] {
                Node::Leave => return Ok(ControlFlow::Continue(())),
                Node::Jump(next) => *next,
                Node::Execute(statement, next, span) => {
                    if !self.executed(statement, *span)? {
                        return Err(self.fault(ViolationKind::BlockedDStep, *span));
                    }
                    *next
                }
                Node::Choose(options, span) => {
                    let mut chosen = None;
                    for option in options {
                        match &step.nodes[option.0 as usize] {
                            Node::Execute(statement, next, span) => {
                                if self.executed(statement, *span)? {
                                    chosen = Some(*next);
                                    break;
                                }
                            }
                            _ => {
                                chosen = Some(*option);
                                break;
                            }
                        }
                    }
                    chosen.ok_or_else(|| self.fault(ViolationKind::BlockedDStep, *span))?
                }
            };
        }
    }

    /// Executes a statement inside a `d_step`; false if it blocks.
    fn executed(&mut self, statement: &Statement, span: Span) -> Result<bool, Fault> {
        let is_receive = matches!(statement, Statement::Receive(_));
        let before = self.violations.len();
        let outcome = self.execute(statement, false)?;
        for violation in &mut self.violations[before..] {
            if violation.kind == ViolationKind::Assertion {
                violation.span = span;
            }
        }
        match outcome {
            Outcome::Blocked => Ok(false),
            Outcome::Done => {
                if is_receive {
                    self.offer = None;
                }
                Ok(true)
            }
            Outcome::Offered(_) => Err(self.fault(ViolationKind::RendezvousInDStep, span)),
            // No d_step stands inside another.
            Outcome::BrokenOff => Ok(false),
        }
    }
}
