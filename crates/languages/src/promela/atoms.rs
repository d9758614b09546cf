//! Formulas whose atoms are texts: for automata that are made without a model.

use narrows_logic::Ltl;

use super::ast::{self, BinaryOperator, Expr, ExprKind, LtlBinary, LtlUnary, UnaryOperator};
use super::text;

/// Turns the atoms of a formula into text.
///
/// Atoms are taken apart at `!`, `&&` and `||`, so that parts that occur in several atoms are seen to be the same.
pub fn atoms_as_text(formula: &ast::Ltl) -> Ltl<String> {
    let inside = |operand: &ast::Ltl| Box::new(atoms_as_text(operand));
    match formula {
        ast::Ltl::Atom(atom) => condition(atom),
        ast::Ltl::Not(operand) => Ltl::Not(inside(operand)),
        ast::Ltl::Unary(LtlUnary::Always, operand) => Ltl::Always(inside(operand)),
        ast::Ltl::Unary(LtlUnary::Eventually, operand) => Ltl::Eventually(inside(operand)),
        ast::Ltl::Unary(LtlUnary::Next, operand) => Ltl::Next(inside(operand)),
        ast::Ltl::Binary(operator, left, right) => {
            let (left, right) = (inside(left), inside(right));
            match operator {
                LtlBinary::And => Ltl::And(left, right),
                LtlBinary::Or => Ltl::Or(left, right),
                LtlBinary::Implies => Ltl::Implies(left, right),
                LtlBinary::Equivalent => Ltl::Equivalent(left, right),
                LtlBinary::Until => Ltl::Until(left, right),
                LtlBinary::WeakUntil => Ltl::WeakUntil(left, right),
                LtlBinary::Release => Ltl::Release(left, right),
            }
        }
    }
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
