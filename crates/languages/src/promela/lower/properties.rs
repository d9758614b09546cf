//! What a text claims: formulas, never claims, traces.

use std::rc::Rc;

use narrows_logic::Ltl;
use narrows_model::{Atom, Claim, Expr, Property};

use super::Lowering;
use crate::promela::ast::{self, Program, UnaryOperator};
use crate::promela::text;

impl Lowering<'_> {
    pub(super) fn never(&mut self, never: &ast::Claim) {
        let name = never.name.as_ref().map_or_else(String::new, |name| name.name.to_string());
        let watcher = self.claim(if name.is_empty() { "never" } else { &name }, never.head, &never.body);
        self.system.properties.push(Property {
            name,
            claim: Claim::Never(Box::new(watcher)),
            span: never.head,
        });
    }

    pub(super) fn trace(&mut self, trace: &ast::Trace) {
        let pattern = self.claim("trace", trace.head, &trace.body);
        let claim = Claim::Trace { pattern: Box::new(pattern), forbidden: trace.forbidden };
        self.system.properties.push(Property { name: String::new(), claim, span: trace.head });
    }

    pub(super) fn ltl(&mut self, block: &ast::LtlBlock) {
        let name = block.name.as_ref().map_or_else(String::new, |name| name.name.to_string());
        let formula = block.formula.replace(&mut |atom| self.proposition(atom));
        self.system.properties.push(Property { name, claim: Claim::Ltl(formula), span: block.head });
    }

    pub(super) fn ctl(&mut self, block: &ast::CtlBlock) {
        let name = block.name.name.to_string();
        let formula = block.formula.map(&mut |atom| self.atom(atom));
        self.system.properties.push(Property { name, claim: Claim::Ctl(formula), span: block.head });
    }

    fn atom(&mut self, atom: &ast::Expr) -> Atom {
        Atom { expr: self.expr(atom), text: text::expr(atom), span: atom.span }
    }

    /// Takes negations off a proposition, so that `p` and `!p` are about the same atom.
    fn proposition(&mut self, atom: &ast::Expr) -> Ltl<Atom> {
        match &atom.kind {
            ast::ExprKind::Unary(UnaryOperator::Not, operand) => {
                Ltl::Not(Box::new(self.proposition(operand)))
            }
            _ => match self.atom(atom) {
                Atom { expr: Expr::Constant(value), .. } => Ltl::Constant(value != 0),
                atom => Ltl::Atom(atom),
            },
        }
    }
}

/// Returns the labels that remote references name, as pairs of proctype and label.
pub(super) fn watched_labels(program: &Program) -> Vec<(Rc<str>, Rc<str>)> {
    let mut labels = Vec::new();
    program.each_expression(&mut |expr| {
        if let ast::ExprKind::RemoteLabel { process, label, .. } = &expr.kind {
            labels.push((process.name.clone(), label.name.clone()));
        }
    });
    labels
}
