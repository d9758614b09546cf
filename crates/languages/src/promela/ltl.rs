//! From parsed formulas to those of the logic, whatever their atoms become.

use narrows_logic::Ltl;

use super::ast::{self, BinaryOperator, Expr, ExprKind, LtlBinary, LtlUnary, UnaryOperator};
use super::text;

/// Turns a formula into one of the logic; `atom` says what becomes of an expression.
pub(super) fn convert<A>(formula: &ast::Ltl, atom: &mut impl FnMut(&Expr) -> Ltl<A>) -> Ltl<A> {
    match formula {
        ast::Ltl::Atom(expr) => atom(expr),
        ast::Ltl::Not(operand) => Ltl::Not(Box::new(convert(operand, atom))),
        ast::Ltl::Unary(operator, operand) => {
            let operand = Box::new(convert(operand, atom));
            match operator {
                LtlUnary::Always => Ltl::Always(operand),
                LtlUnary::Eventually => Ltl::Eventually(operand),
                LtlUnary::Next => Ltl::Next(operand),
            }
        }
        ast::Ltl::Binary(operator, left, right) => {
            let (left, right) = (Box::new(convert(left, atom)), Box::new(convert(right, atom)));
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

/// Turns the atoms of a formula into text, for automata that are made without a model.
///
/// Atoms are taken apart at `!`, `&&` and `||`, so that parts that occur in several atoms are seen to be the
/// same.
pub fn atoms_as_text(formula: &ast::Ltl) -> Ltl<String> {
    convert(formula, &mut condition)
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
