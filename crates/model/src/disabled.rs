//! Why a statement can't be executed.

use crate::evaluator::Context;
use crate::{
    Evaluator, Expr, Pattern, Problem, Receive, Scalar, Statement, TraceStep, Unary, Violation, Waiting,
};

/// An edge that is disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// The process.
    pub pid: usize,
    /// What the text says.
    pub text: String,
    /// Where.
    pub span: narrows_source::Span,
    /// Why it can't be executed.
    pub reason: String,
}

impl Evaluator<'_> {
    /// Returns for each process of a state where it waits, and why it can't go on.
    pub fn waiting(&self, state: &[u8]) -> Vec<Waiting> {
        let disabled = self.disabled(state);
        let waiting = self.describe(state).processes.into_iter().map(|process| {
            let edges = disabled.iter().filter(|edge| edge.pid == process.pid);
            Waiting {
                process: process.label(),
                span: process.span,
                may_end: process.may_end,
                statements: edges.map(|edge| (edge.span, edge.text.clone(), edge.reason.clone())).collect(),
            }
        });
        waiting.collect()
    }

    /// Describes a deadlock in so many states, of which this is one.
    pub fn deadlock(&self, state: &[u8], count: u64) -> Problem {
        Problem::deadlock(&self.waiting(state), "no process can move", count)
    }

    /// Returns every edge of the state's processes that is in no step of [`Evaluator::steps`], and why.
    pub fn disabled(&self, state: &[u8]) -> Vec<Disabled> {
        let (steps, _) = self.steps(state);
        let mut frame = self.load(state);
        let mut list = Vec::new();
        for pid in 0..frame.process_count() {
            let proctype = self.proctype_of(&frame, pid);
            let from = frame.location(pid);
            for edge in &proctype.location(from).edges {
                let taken = steps.iter().flat_map(TraceStep::moves).any(|step| {
                    usize::from(step.pid) == pid && step.from == from && step.transition == edge.transition
                });
                if taken {
                    continue;
                }
                let transition = proctype.transition(edge.transition);
                let mut violations: Vec<Violation> = Vec::new();
                let mut context = Context::new(self.system(), &mut frame, pid, &mut violations);
                let reason = context
                    .why_not(&transition.statement)
                    .unwrap_or_else(|fault| format!("evaluating it is a fault: {}", fault.kind.message()));
                list.push(Disabled { pid, text: transition.text.clone(), span: transition.span, reason });
            }
        }
        list
    }
}

impl Context<'_, '_> {
    fn why_not(&mut self, statement: &Statement) -> Result<String, Violation> {
        let proctype = self.system.proctype(self.frame.proctype(self.pid));
        if let Some(provided) = &proctype.provided
            && !self.holds(provided)?
        {
            return Ok("the process's provided clause is false".to_owned());
        }
        Ok(match statement {
            Statement::Condition(Expr::Timeout) => {
                "something else can move, so there is no timeout".to_owned()
            }
            Statement::Condition(condition) => {
                if self.holds(condition)? {
                    blocked_by_others()
                } else {
                    format!("the condition is false: {}", self.with_values(condition)?)
                }
            }
            Statement::Else => "another option of the same choice can be taken".to_owned(),
            Statement::Send(send) => {
                let channel = self.channel_index(&send.channel, send.span)?;
                let kind = &self.system.channel_kinds[self.frame.channel_kind(channel)];
                if kind.capacity == 0 {
                    "no other process is ready to receive this message".to_owned()
                } else if self.frame.channel_length(channel) >= usize::from(kind.capacity) {
                    format!("the channel is full ({} of {} messages)", kind.capacity, kind.capacity)
                } else {
                    blocked_by_others()
                }
            }
            Statement::Receive(receive) => self.why_no_receive(receive)?,
            Statement::End => "a process that was created later is still alive".to_owned(),
            Statement::DStep(_) => "its first statement can't be executed".to_owned(),
            _ => blocked_by_others(),
        })
    }

    fn channel_index(&mut self, channel: &Expr, span: narrows_source::Span) -> Result<usize, Violation> {
        let number = self.value(channel)?;
        usize::try_from(number - 1)
            .ok()
            .filter(|index| *index < self.frame.channel_count())
            .ok_or(Violation { kind: crate::ViolationKind::NoChannel, span, pid: self.pid as u8 })
    }

    fn why_no_receive(&mut self, receive: &Receive) -> Result<String, Violation> {
        let channel = self.channel_index(&receive.channel, receive.span)?;
        let kind = &self.system.channel_kinds[self.frame.channel_kind(channel)];
        if kind.capacity == 0 {
            return Ok("no other process offers a message that matches".to_owned());
        }
        if self.frame.channel_length(channel) == 0 {
            return Ok("the channel is empty".to_owned());
        }
        let mut expected = Vec::new();
        for (field, pattern) in receive.patterns.iter().enumerate() {
            expected.push(match pattern {
                Pattern::Match(value) => self.shown(value, kind.fields.get(field).copied())?,
                _ => "_".to_owned(),
            });
        }
        let which = if receive.random { "no message" } else { "the first message does not" };
        let verb = if receive.random { " matches " } else { " match " };
        Ok(format!("{which}{verb}({})", expected.join(", ")))
    }

    /// Writes an expression with the values of its variables in their places.
    fn with_values(&mut self, expr: &Expr) -> Result<String, Violation> {
        Ok(match expr {
            Expr::Binary(operator, left, right, _) => {
                let scalar = named_scalar(left).or(named_scalar(right));
                let left = self.operand(left, scalar)?;
                let right = self.operand(right, scalar)?;
                format!("{left} {} {right}", operator.symbol())
            }
            Expr::Unary(Unary::Not, operand) => format!("!{}", self.operand(operand, None)?),
            _ => self.shown(expr, None)?,
        })
    }

    fn operand(&mut self, expr: &Expr, scalar: Option<Scalar>) -> Result<String, Violation> {
        match expr {
            Expr::Binary(..) => Ok(format!("({})", self.with_values(expr)?)),
            Expr::Unary(Unary::Not, _) => self.with_values(expr),
            _ => self.shown(expr, scalar),
        }
    }

    fn shown(&mut self, expr: &Expr, scalar: Option<Scalar>) -> Result<String, Violation> {
        let value = self.value(expr)?;
        let evaluator = Evaluator::new(self.system);
        Ok(named_scalar(expr).or(scalar).map_or_else(|| value.to_string(), |s| evaluator.show(s, value)))
    }
}

/// Returns the type of a variable, if it is one whose values have names.
fn named_scalar(expr: &Expr) -> Option<Scalar> {
    match expr {
        Expr::Load(place) => Some(place.scalar).filter(|s| matches!(s, Scalar::Mtype(_) | Scalar::Bool)),
        _ => None,
    }
}

fn blocked_by_others() -> String {
    "an escape, an earlier choice or a process of higher priority goes first".to_owned()
}
