//! Trace assertions: the messages sent to and received from some channels must, or must not, follow a
//! pattern.
//!
//! A pattern names the sends and receives that it watches by having them anywhere. Each such event must fit
//! one way on from where the pattern is; fields that are constants must be equal, others may be anything. A
//! pattern that is forbidden is followed from the first event on, and given up at the first that does not
//! fit.

use crate::evaluator::{Context, OBSERVER};
use crate::{
    Communication, Evaluator, Expr, LocationId, Pattern, Proctype, Statement, Violation, ViolationKind,
};

/// Where a forbidden pattern is once an event did not fit.
const GIVEN_UP: LocationId = LocationId(u16::MAX);

/// A pattern and whether following it is the violation.
#[derive(Clone, Copy)]
pub(super) struct Events<'s> {
    pub(super) pattern: &'s Proctype,
    pub(super) forbidden: bool,
}

impl Events<'_> {
    /// Follows the pattern over the events of a step that leaves a state.
    pub(super) fn follow(
        self,
        evaluator: &Evaluator<'_>,
        state: &[u8],
        from: LocationId,
        events: &[Communication],
    ) -> Result<LocationId, Violation> {
        let mut here = from;
        for event in events {
            if here == GIVEN_UP || !self.watches(evaluator, state, event) {
                continue;
            }
            here = self.step(evaluator, state, here, event)?;
        }
        Ok(here)
    }

    /// Returns the violation of ending where the pattern is, if it is one.
    pub(super) fn at_end(self, here: LocationId) -> Option<Violation> {
        if self.forbidden || here == GIVEN_UP || self.pattern.location(here).is_end {
            return None;
        }
        Some(violation(ViolationKind::TraceNotCompleted, self.pattern.location(here).span))
    }

    fn step(
        self,
        evaluator: &Evaluator<'_>,
        state: &[u8],
        from: LocationId,
        event: &Communication,
    ) -> Result<LocationId, Violation> {
        let location = self.pattern.location(from);
        let mut fitting = location
            .edges
            .iter()
            .map(|edge| self.pattern.transition(edge.transition))
            .filter(|transition| fits(evaluator, state, &transition.statement, event));
        let Some(first) = fitting.next() else {
            if self.forbidden {
                return Ok(GIVEN_UP);
            }
            return Err(violation(ViolationKind::TraceMismatch, location.span));
        };
        if let Some(second) = fitting.next() {
            return Err(violation(ViolationKind::TraceAmbiguous, second.span));
        }
        let target = self.pattern.location(first.target);
        let over = target
            .edges
            .iter()
            .all(|edge| self.pattern.transition(edge.transition).statement == Statement::End);
        if self.forbidden && over {
            return Err(violation(ViolationKind::TraceMatched, first.span));
        }
        Ok(first.target)
    }

    fn watches(self, evaluator: &Evaluator<'_>, state: &[u8], event: &Communication) -> bool {
        self.pattern.transitions.iter().any(|transition| {
            channel_of(&transition.statement, event.sent)
                .is_some_and(|channel| value(evaluator, state, channel) == Some(event.channel))
        })
    }
}

fn violation(kind: ViolationKind, span: narrows_source::Span) -> Violation {
    Violation { kind, span, pid: OBSERVER as u8 }
}

fn channel_of(statement: &Statement, sent: bool) -> Option<&Expr> {
    match statement {
        Statement::Send(send) if sent => Some(&send.channel),
        Statement::Receive(receive) if !sent => Some(&receive.channel),
        _ => None,
    }
}

fn fits<'p>(
    evaluator: &Evaluator<'_>,
    state: &[u8],
    statement: &'p Statement,
    event: &Communication,
) -> bool {
    let Some(channel) = channel_of(statement, event.sent) else { return false };
    if value(evaluator, state, channel) != Some(event.channel) {
        return false;
    }
    let constants: Vec<Option<&Expr>> = match statement {
        Statement::Send(send) => {
            let constant = |expr: &Expr| matches!(expr, Expr::Constant(_));
            send.arguments.iter().map(|argument| Some(argument).filter(|expr| constant(expr))).collect()
        }
        Statement::Receive(receive) => {
            let constant = |pattern: &'p Pattern| match pattern {
                Pattern::Match(expr) => Some(expr),
                Pattern::Store(_) | Pattern::Discard => None,
            };
            receive.patterns.iter().map(constant).collect()
        }
        _ => return false,
    };
    constants.iter().enumerate().all(|(field, constant)| {
        constant.is_none_or(|expr| value(evaluator, state, expr) == event.message.get(field).copied())
    })
}

fn value(evaluator: &Evaluator<'_>, state: &[u8], expr: &Expr) -> Option<i32> {
    if let Expr::Constant(value) = expr {
        return Some(*value);
    }
    let mut frame = evaluator.load(state);
    Context::new(evaluator.system(), &mut frame, OBSERVER, &mut Vec::new()).value(expr).ok()
}
