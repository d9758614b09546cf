//! What a text claims: formulas, never claims, traces.

use std::rc::Rc;

use narrows_logic::Ltl;
use narrows_model::{Atom, Claim, Property};

use super::Lowering;
use crate::promela::ast::{self, LtlBinary, LtlUnary, Program};
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
        let formula = self.formula(&block.formula);
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

    fn formula(&mut self, formula: &ast::Ltl) -> Ltl<Atom> {
        match formula {
            ast::Ltl::Atom(atom) => Ltl::Atom(self.atom(atom)),
            ast::Ltl::Not(operand) => Ltl::Not(Box::new(self.formula(operand))),
            ast::Ltl::Unary(operator, operand) => {
                let operand = Box::new(self.formula(operand));
                match operator {
                    LtlUnary::Always => Ltl::Always(operand),
                    LtlUnary::Eventually => Ltl::Eventually(operand),
                    LtlUnary::Next => Ltl::Next(operand),
                }
            }
            ast::Ltl::Binary(operator, left, right) => {
                let (left, right) = (Box::new(self.formula(left)), Box::new(self.formula(right)));
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
