//! Formulas whose atoms are texts.

use narrows_logic::Ltl;

use super::ast::{BinaryOperator, Expr, ExprKind, UnaryOperator};
use super::text;

/// Turns the atoms of a formula into text, for automata that are made without a model.
///
/// Atoms are taken apart at `!`, `&&` and `||`, so that parts that occur in several atoms are seen to be the
/// same.
pub fn atoms_as_text(formula: &Ltl<Expr>) -> Ltl<String> {
    formula.replace(&mut condition)
}

fn condition(expr: &Expr) -> Ltl<String> {
    let inside = |operand: &Expr| Box::new(condition(operand));
    match &expr.kind {
        ExprKind::Number(value) => Ltl::Constant(*value != 0),
        ExprKind::Unary(UnaryOperator::Not, operand) => Ltl::Not(inside(operand)),
        ExprKind::Binary(BinaryOperator::And, left, right) => Ltl::And(inside(left), inside(right)),
        ExprKind::Binary(BinaryOperator::Or, left, right) => Ltl::Or(inside(left), inside(right)),
        _ => Ltl::Atom(text::expr(expr)),
    }
}
