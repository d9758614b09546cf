//! The value of an expression in a state.

use std::ops::ControlFlow;

use narrows_source::Span;

use super::channels::Offer;
use super::frame::Frame;
use crate::{Binary, Communication, Expr, Place, System, Unary, Violation, ViolationKind};

/// A violation after which the step can't be finished.
pub(crate) type Fault = Violation;

/// What an expression or a statement is evaluated in.
pub(crate) struct Context<'c, 's> {
    pub(crate) system: &'s System,
    pub(crate) frame: &'c mut Frame,
    /// The process that runs.
    pub(crate) pid: usize,
    /// Whether nothing else can move.
    pub(crate) timeout: bool,
    /// The message that is held out, in the middle of a rendezvous.
    pub(super) offer: Option<&'c Offer>,
    /// What the `run` of this statement gave.
    pub(crate) run_result: i32,
    /// What went wrong so far.
    pub(crate) violations: &'c mut Vec<Violation>,
    /// What was sent and received, if anybody wants to know.
    pub(crate) events: Option<&'c mut Vec<Communication>>,
    /// What is printed, if anybody wants to know.
    pub(crate) output: Option<String>,
    /// Who is told now and then that a long `d_step` goes on, and says whether it is to.
    pub(super) pulse: Option<&'c mut dyn FnMut() -> ControlFlow<()>>,
}

impl<'c, 's> Context<'c, 's> {
    pub(crate) fn new(
        system: &'s System,
        frame: &'c mut Frame,
        pid: usize,
        violations: &'c mut Vec<Violation>,
    ) -> Self {
        Context {
            system,
            frame,
            pid,
            timeout: false,
            offer: None,
            run_result: 0,
            violations,
            events: None,
            output: None,
            pulse: None,
        }
    }

    pub(super) fn fault(&self, kind: ViolationKind, span: Span) -> Fault {
        Violation { kind, span, pid: self.pid as u8 }
    }

    pub(super) fn report(&mut self, kind: ViolationKind, span: Span) {
        let violation = self.fault(kind, span);
        self.violations.push(violation);
    }

    /// Returns whether an expression is true.
    pub(crate) fn holds(&mut self, expr: &Expr) -> Result<bool, Fault> {
        Ok(self.value(expr)? != 0)
    }

    /// Returns the value of an expression.
    pub(crate) fn value(&mut self, expr: &Expr) -> Result<i32, Fault> {
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(place) => self.load(place)?,
            Expr::Unary(operator, operand) => {
                let value = self.value(operand)?;
                match operator {
                    Unary::Minus => value.wrapping_neg(),
                    Unary::Not => i32::from(value == 0),
                    Unary::Complement => !value,
                }
            }
            Expr::Binary(operator, left, right, span) => self.binary(*operator, left, right, *span)?,
            Expr::Conditional(condition, yes, no) => {
                if self.holds(condition)? {
                    self.value(yes)?
                } else {
                    self.value(no)?
                }
            }
            Expr::Pid => self.pid as i32,
            Expr::ProcessCount => self.frame.process_count() as i32,
            Expr::Last => i32::from(self.frame.last()),
            Expr::Timeout => i32::from(self.timeout),
            Expr::NonProgress => i32::from(!self.is_progress()),
            Expr::RunResult => self.run_result,
            Expr::Channel(query, channel, span) => self.query(*query, channel, *span)?,
            Expr::Poll(receive) => self.poll(receive)?,
            Expr::Enabled(pid, span) => self.enabled(pid, *span)?,
            Expr::LocationOf(pid) => match self.process(pid)? {
                Some(pid) => i32::from(self.frame.location(pid).0),
                None => 0,
            },
            Expr::PriorityOf(pid) => match self.process(pid)? {
                Some(pid) => i32::from(self.frame.priority(pid)),
                None => 0,
            },
            Expr::Priority => i32::from(self.frame.priority(self.pid)),
            Expr::AtLocation { proctype, pid, location } => match self.remote(*proctype, pid.as_deref())? {
                Some(pid) => i32::from(self.frame.location(pid).0 == *location),
                None => 0,
            },
            Expr::Remote { proctype, pid, place } => match self.remote(*proctype, pid.as_deref())? {
                Some(pid) => match self.offset(place)? {
                    Some(offset) => self.frame.read(place.area, pid, offset, place.scalar),
                    None => 0,
                },
                None => 0,
            },
        })
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Result<i32, Fault> {
        let left = self.value(left)?;
        match operator {
            Binary::And if left == 0 => return Ok(0),
            Binary::Or if left != 0 => return Ok(1),
            _ => {}
        }
        let right = self.value(right)?;
        operator.apply(left, right).map_err(|kind| self.fault(kind, span))
    }

    /// Returns the number of the process that an expression names, if there is one.
    fn process(&mut self, pid: &Expr) -> Result<Option<usize>, Fault> {
        let pid = self.value(pid)?;
        Ok(usize::try_from(pid).ok().filter(|pid| *pid < self.frame.process_count()))
    }

    fn remote(&mut self, proctype: crate::ProctypeId, pid: Option<&Expr>) -> Result<Option<usize>, Fault> {
        match pid {
            Some(pid) => Ok(self.process(pid)?.filter(|pid| self.frame.proctype(*pid) == proctype)),
            None => Ok((0..self.frame.process_count()).find(|pid| self.frame.proctype(*pid) == proctype)),
        }
    }

    fn is_progress(&self) -> bool {
        (0..self.frame.process_count()).any(|pid| {
            let proctype = self.system.proctype(self.frame.proctype(pid));
            proctype.location(self.frame.location(pid)).is_progress
        })
    }

    /// Returns where a place is within its area; `None` if an index is out of range, which is reported.
    fn offset(&mut self, place: &Place) -> Result<Option<u32>, Fault> {
        let mut offset = place.offset;
        for index in &place.indices {
            let value = self.value(&index.value)?;
            match u32::try_from(value) {
                Ok(value) if value < index.length => offset += value * index.stride,
                _ => {
                    self.report(ViolationKind::IndexOutOfRange, place.span);
                    return Ok(None);
                }
            }
        }
        Ok(Some(offset))
    }

    fn load(&mut self, place: &Place) -> Result<i32, Fault> {
        Ok(match self.offset(place)? {
            Some(offset) => self.frame.read(place.area, self.pid, offset, place.scalar),
            None => 0,
        })
    }

    pub(super) fn store(&mut self, place: &Place, value: i32) -> Result<(), Fault> {
        if let Some(offset) = self.offset(place)? {
            self.frame.write(place.area, self.pid, offset, place.scalar, value);
        }
        Ok(())
    }
}

impl Binary {
    /// Applies it as C does to two `int`s; what goes wrong is an error.
    pub fn apply(self, left: i32, right: i32) -> Result<i32, ViolationKind> {
        Ok(match self {
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide | Binary::Remainder => {
                if right == 0 {
                    return Err(ViolationKind::DivisionByZero);
                }
                let result =
                    if self == Binary::Divide { left.checked_div(right) } else { left.checked_rem(right) };
                result.ok_or(ViolationKind::DivisionOverflow)?
            }
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::ShiftLeft => left.wrapping_shl(right as u32),
            Binary::ShiftRight => left.wrapping_shr(right as u32),
            Binary::Less => i32::from(left < right),
            Binary::LessEqual => i32::from(left <= right),
            Binary::Greater => i32::from(left > right),
            Binary::GreaterEqual => i32::from(left >= right),
            Binary::Equal => i32::from(left == right),
            Binary::NotEqual => i32::from(left != right),
            Binary::BitAnd => left & right,
            Binary::BitXor => left ^ right,
            Binary::BitOr => left | right,
            Binary::And | Binary::Or => i32::from(right != 0),
        })
    }
}
