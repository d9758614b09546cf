//! Processes: creation, and which of them may move.

use narrows_source::Span;

use super::expressions::{Context, Fault};
use super::frame::Frame;
use crate::{ProctypeId, Setup, Statement, System, Violation, ViolationKind};

/// SPIN's limit, and ours: numbers of processes and channels are bytes.
const MOST: usize = 255;

/// More bytes than this are no state: every step copies it.
const LARGEST_STATE: usize = 16 << 20;

/// Creates a process and gives its variables their first values.
pub(super) fn create(
    system: &System,
    frame: &mut Frame,
    proctype: ProctypeId,
    priority: u8,
    arguments: &[i32],
    fault: Fault,
    violations: &mut Vec<Violation>,
) -> Result<usize, Fault> {
    if frame.process_count() >= MOST {
        return Err(Violation { kind: ViolationKind::TooManyProcesses, ..fault });
    }
    let kind = system.proctype(proctype);
    if frame.size() + kind.local_bytes as usize > LARGEST_STATE {
        return Err(Violation { kind: ViolationKind::StateTooLarge, ..fault });
    }
    let pid = frame.add_process(system, proctype, kind.start, priority);
    for (parameter, value) in kind.parameters.iter().zip(arguments) {
        frame.write(parameter.area, pid, parameter.offset, parameter.scalar, *value);
    }
    let mut context = Context::new(system, frame, pid, violations);
    context.set_up(&kind.setup, kind.span)?;
    Ok(pid)
}

impl Context<'_, '_> {
    /// Gives variables their first values.
    pub(crate) fn set_up(&mut self, setup: &[Setup], span: Span) -> Result<(), Fault> {
        for step in setup {
            match step {
                Setup::Value(place, value) => {
                    let value = self.value(value)?;
                    self.store(place, value)?;
                }
                Setup::Channel(place, kind) => {
                    if self.frame.channel_count() >= MOST {
                        return Err(self.fault(ViolationKind::TooManyChannels, span));
                    }
                    let size = &self.system.channel_kinds[usize::from(*kind)];
                    let more = usize::from(size.capacity) * size.message_bytes() as usize;
                    if self.frame.size() + more > LARGEST_STATE {
                        return Err(self.fault(ViolationKind::StateTooLarge, span));
                    }
                    let channel = self.frame.add_channel(self.system, *kind);
                    self.store(place, channel as i32 + 1)?;
                }
            }
        }
        Ok(())
    }

    /// Returns whether the process may move at all: what it is `provided` with, and nobody more important can
    /// move.
    pub(super) fn may_move(&mut self) -> Result<bool, Fault> {
        if !self.is_provided()? {
            return Ok(false);
        }
        if !self.system.has_priorities {
            return Ok(true);
        }
        let (me, timeout) = (self.pid, self.timeout);
        let mine = self.frame.priority(me);
        let mut may = true;
        for other in 0..self.frame.process_count() {
            if other != me && self.frame.priority(other) > mine {
                self.pid = other;
                if self.is_provided()? && self.has_executable()? {
                    may = false;
                    break;
                }
            }
        }
        (self.pid, self.timeout) = (me, timeout);
        Ok(may)
    }

    fn is_provided(&mut self) -> Result<bool, Fault> {
        let proctype = self.system.proctype(self.frame.proctype(self.pid));
        match &proctype.provided {
            Some(condition) => self.holds(condition),
            None => Ok(true),
        }
    }

    /// Answers `enabled(p)`.
    pub(super) fn enabled(&mut self, pid: &crate::Expr, span: Span) -> Result<i32, Fault> {
        let other = self.value(pid)?;
        let me = self.pid;
        if other == me as i32 {
            return Err(self.fault(ViolationKind::EnabledSelf, span));
        }
        let Some(other) = usize::try_from(other).ok().filter(|pid| *pid < self.frame.process_count()) else {
            return Ok(0);
        };
        self.pid = other;
        let enabled = self.has_executable();
        self.pid = me;
        Ok(i32::from(enabled?))
    }

    /// Returns whether the process has a statement that does not block by itself.
    fn has_executable(&mut self) -> Result<bool, Fault> {
        let system = self.system;
        let proctype = system.proctype(self.frame.proctype(self.pid));
        for edge in &proctype.location(self.frame.location(self.pid)).edges {
            let executable = match &proctype.transition(edge.transition).statement {
                Statement::Receive(receive) => self.can_receive(receive)?,
                _ if self.offer.is_some() => false,
                Statement::Condition(condition) => self.holds(condition)?,
                Statement::Send(send) => self.can_send(send)?,
                Statement::Run(..) => self.frame.process_count() < MOST,
                Statement::End => self.pid + 1 == self.frame.process_count(),
                Statement::DStep(step) => self.may_start(step, false)?,
                _ => true,
            };
            if executable {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
