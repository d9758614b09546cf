//! Evaluation of expressions in a state from outside, without side effects.

use std::ops::Range;
use std::sync::Arc;

use crate::evaluator::{Context, Frame, OBSERVER, ReadLog};
use crate::{Area, Evaluator, Expr, Leaf, System, Violation};

/// A state in which expressions are evaluated.
#[derive(Debug)]
pub struct Observation<'s> {
    system: &'s System,
    frame: Frame,
    violations: Vec<Violation>,
}

impl Observation<'_> {
    /// Returns the value of an expression; whatever goes wrong on the way is an error.
    pub fn value(&mut self, expr: &Expr) -> Result<i32, Violation> {
        self.violations.clear();
        let value = Context::new(self.system, &mut self.frame, OBSERVER, &mut self.violations).value(expr)?;
        match self.violations.first() {
            Some(violation) => Err(*violation),
            None => Ok(value),
        }
    }

    /// Returns whether an expression holds; whatever goes wrong on the way is an error.
    pub fn holds(&mut self, expr: &Expr) -> Result<bool, Violation> {
        self.violations.clear();
        let holds = Context::new(self.system, &mut self.frame, OBSERVER, &mut self.violations).holds(expr)?;
        match self.violations.first() {
            Some(violation) => Err(*violation),
            None => Ok(holds),
        }
    }
}

impl<'s> Evaluator<'s> {
    /// Looks at a state.
    pub fn observe(&self, state: &[u8]) -> Observation<'s> {
        Observation { system: self.system(), frame: self.load(state), violations: Vec::new() }
    }

    /// Returns where in a state a global variable begins.
    pub fn global_place(&self, leaf: &Leaf) -> usize {
        Frame::first_global(self.system()) + leaf.offset as usize
    }

    /// Returns the bytes of a state that alone decide about an expression: those of global variables. `None`
    /// if it looks at anything else.
    pub fn global_bytes(&self, expr: &Expr) -> Option<Vec<Range<u32>>> {
        let mut bytes = Vec::new();
        add_globals(expr, Frame::first_global(self.system()) as u32, &mut bytes).then_some(bytes)
    }

    /// Returns whether an expression holds in a state; whatever goes wrong on the way is an error.
    pub fn holds(&self, expr: &Expr, state: &[u8]) -> Result<bool, Violation> {
        self.observe(state).holds(expr)
    }

    /// Returns whether an expression holds in a state, and which bytes of it that depends on, those apart
    /// that tell which components it has.
    pub fn holds_reading(&self, expr: &Expr, state: &[u8]) -> (Result<bool, Violation>, Arc<ReadLog>) {
        let log = Arc::new(ReadLog::new(state.len()));
        let mut observation = self.observe(state);
        observation.frame.log_reads(Some(Arc::clone(&log)));
        (observation.holds(expr), log)
    }
}

/// Adds the bytes of all global variables that an expression reads; returns whether it reads nothing else.
fn add_globals(expr: &Expr, first: u32, bytes: &mut Vec<Range<u32>>) -> bool {
    let mut all = |parts: &[&Expr]| parts.iter().all(|part| add_globals(part, first, bytes));
    match expr {
        Expr::Constant(_) => true,
        Expr::Unary(_, operand) => all(&[operand]),
        Expr::Binary(_, left, right, _) => all(&[left, right]),
        Expr::Conditional(condition, yes, no) => all(&[condition, yes, no]),
        Expr::Load(place) if place.area == Area::Global => {
            let extent = place.extent();
            bytes.push(first + extent.start as u32..first + extent.end as u32);
            place.indices.iter().all(|index| add_globals(&index.value, first, bytes))
        }
        _ => false,
    }
}
