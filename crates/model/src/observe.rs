//! What an observer sees in a state: it stands beside the processes, and changes nothing.

use crate::evaluator::{Context, Frame, OBSERVER};
use crate::{Evaluator, Expr, Leaf, System, Violation};

/// A state that is looked at.
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

    /// Returns whether an expression holds in a state; whatever goes wrong on the way is an error.
    pub fn holds(&self, expr: &Expr, state: &[u8]) -> Result<bool, Violation> {
        self.observe(state).holds(expr)
    }
}
