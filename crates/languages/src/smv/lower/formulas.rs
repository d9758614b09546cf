//! Specifications.

use std::hash::Hash;

use narrows_logic::Paths;
use narrows_model::synchronous::{
    Branching, BranchingId, ExprId, Linear, LinearId, Specification, SynchronousClaim as Claim,
};
use narrows_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::Lowering;
use super::scopes::ScopeId;
use crate::smv::ast::{Binary, Bounded, ExprKind, Id, Ident, Item, SpecKind, Temporal, TemporalPair, Unary};

/// Formulas that a specification consists of, and the propositions in it.
struct Parts<F> {
    formulas: Vec<F>,
    /// Where each formula stands: what is said twice is looked at once.
    known: FxHashMap<F, u32>,
    atoms: Vec<(ExprId, String, Span)>,
}

impl<F: Copy + Eq + Hash> Parts<F> {
    fn new() -> Self {
        Parts { formulas: Vec::new(), known: FxHashMap::default(), atoms: Vec::new() }
    }

    fn add(&mut self, formula: F) -> u32 {
        let formulas = &mut self.formulas;
        *self.known.entry(formula).or_insert_with(|| {
            formulas.push(formula);
            formulas.len() as u32 - 1
        })
    }

    /// Returns the formulas with a certain one as the last.
    fn ending_with(mut self, root: u32, same: impl Fn(u32) -> F) -> Vec<F> {
        if root as usize + 1 != self.formulas.len() {
            self.formulas.push(same(root));
        }
        self.formulas
    }

    /// Notes a proposition; constants are not worth it.
    fn note(&mut self, id: ExprId, text: String, span: Span) {
        if !self.atoms.iter().any(|(other, _, _)| *other == id) {
            self.atoms.push((id, text, span));
        }
    }
}

/// Bounds of operators are written out: at most so many steps.
const MAX_BOUND: u32 = 10_000;

impl Lowering<'_> {
    pub(super) fn specifications(&mut self, main: ScopeId, more: &[(SpecKind, Id)]) {
        for (scope, item) in self.items() {
            match item {
                Item::Specification { kind, name, formula, context } => {
                    if let Some(scope) = self.context(*context, scope) {
                        self.specification(*kind, name.as_ref(), *formula, scope);
                    }
                }
                Item::Compute { longest, from, to, name, context, span } => {
                    let Some(scope) = self.context(*context, scope) else { continue };
                    let ends = (
                        self.state_predicate(*from, scope, "COMPUTE"),
                        self.state_predicate(*to, scope, "COMPUTE"),
                    );
                    let (Some(start), Some(end)) = ends else { continue };
                    let claim =
                        if *longest { Claim::Maximum(start, end) } else { Claim::Minimum(start, end) };
                    let text = format!("{}, {}", self.text(*from), self.text(*to));
                    let name = self.spec_name(name.as_ref(), &text, scope);
                    let atoms = vec![
                        (start, self.text(*from), self.tree.span(*from)),
                        (end, self.text(*to), self.tree.span(*to)),
                    ];
                    self.builder.system.specifications.push(Specification {
                        name,
                        claim,
                        atoms,
                        span: *span,
                    });
                }
                _ => {}
            }
        }
        for (kind, formula) in more {
            self.specification(*kind, None, *formula, main);
        }
    }

    /// Returns the instance that a specification is about.
    fn context(&mut self, context: Option<Id>, scope: ScopeId) -> Option<ScopeId> {
        let Some(path) = context else { return Some(scope) };
        let found = self.locate(path, scope);
        if found.is_none() {
            let title = format!("`{}` is not an instance of a module", self.text(path));
            let diagnostic = Diagnostic::error("V0201", self.tree.span(path), title)
                .label("the specification is about what stands behind `IN`");
            self.report(diagnostic);
        }
        found
    }

    fn spec_name(&self, name: Option<&Ident>, text: &str, scope: ScopeId) -> String {
        let prefix = self.scopes[scope.0].prefix.trim_end_matches('.');
        match (name, prefix) {
            (Some(name), "") => name.name.to_string(),
            (Some(name), prefix) => format!("{prefix}.{}", name.name),
            (None, "") => text.to_owned(),
            (None, prefix) => format!("{text} (in {prefix})"),
        }
    }

    fn specification(&mut self, kind: SpecKind, name: Option<&Ident>, formula: Id, scope: ScopeId) {
        let found = match kind {
            SpecKind::Invariant => self.predicate(formula, scope).map(|id| {
                let atoms = vec![(id, self.text(formula), self.tree.span(formula))];
                (Claim::Invariant(id), atoms)
            }),
            SpecKind::Branching => {
                let mut parts = Parts::new();
                let root = self.branching(formula, scope, &mut parts);
                root.map(|root| {
                    let atoms = std::mem::take(&mut parts.atoms);
                    let same = |id| Branching::And(BranchingId(id), BranchingId(id));
                    (Claim::Branching(parts.ending_with(root.0, same)), atoms)
                })
            }
            SpecKind::Linear => {
                let mut parts = Parts::new();
                let root = self.linear(formula, scope, &mut parts);
                root.map(|root| {
                    let atoms = std::mem::take(&mut parts.atoms);
                    let same = |id| Linear::And(LinearId(id), LinearId(id));
                    (Claim::Linear(parts.ending_with(root.0, same)), atoms)
                })
            }
        };
        let Some((claim, atoms)) = found else { return };
        let text = self.text(formula);
        let name = self.spec_name(name, &text, scope);
        let span = self.tree.span(formula);
        self.builder.system.specifications.push(Specification { name, claim, atoms, span });
    }

    /// Returns a bound of an operator.
    fn steps(&mut self, expr: Id, scope: ScopeId) -> Option<u32> {
        let value = self.constant(expr, scope)?;
        let steps = u32::try_from(value).ok().filter(|steps| *steps <= MAX_BOUND);
        if steps.is_none() {
            let title = format!("a bound is a number from 0 to {MAX_BOUND}");
            self.report(
                Diagnostic::error("V0210", self.tree.span(expr), title).label(format!("this is {value}")),
            );
        }
        steps
    }

    fn wrong_logic(&mut self, expr: Id, needs: &str, help: &str) {
        let title = format!("this operator does not belong to {needs}");
        let diagnostic = Diagnostic::error("V0212", self.tree.span(expr), title)
            .label("an operator of the other logic")
            .help(help);
        self.report(diagnostic);
    }

    fn branching(&mut self, expr: Id, scope: ScopeId, parts: &mut Parts<Branching>) -> Option<BranchingId> {
        use Branching as B;
        if !self.tree.expr(expr).is_temporal {
            let id = self.state_predicate(expr, scope, "CTLSPEC")?;
            parts.note(id, self.text(expr), self.tree.span(expr));
            return Some(BranchingId(parts.add(B::Atom(id))));
        }
        let formula = match &self.tree.expr(expr).kind {
            ExprKind::Unary(Unary::Not, operand) => B::Not(self.branching(*operand, scope, parts)?),
            ExprKind::Binary(..) => return self.branching_chain(expr, scope, parts),
            ExprKind::Temporal(operator, operand) => {
                if !operator.is_branching() {
                    let help = "in CTL, `A` (all paths) or `E` (some path) stands before `X`, `F` and `G`";
                    self.wrong_logic(expr, "CTL", help);
                    return None;
                }
                let operand = self.branching(*operand, scope, parts)?;
                match operator {
                    Temporal::AllNext => B::Next(Paths::All, operand),
                    Temporal::AllEventually => B::Eventually(Paths::All, operand),
                    Temporal::AllAlways => B::Always(Paths::All, operand),
                    Temporal::SomeNext => B::Next(Paths::Some, operand),
                    Temporal::SomeEventually => B::Eventually(Paths::Some, operand),
                    _ => B::Always(Paths::Some, operand),
                }
            }
            ExprKind::TemporalPair(operator, left, right) => {
                let paths = match operator {
                    TemporalPair::AllUntil => Paths::All,
                    TemporalPair::SomeUntil => Paths::Some,
                    _ => {
                        self.wrong_logic(expr, "CTL", "in CTL, write `A [p U q]` or `E [p U q]`");
                        return None;
                    }
                };
                let left = self.branching(*left, scope, parts)?;
                B::Until(paths, left, self.branching(*right, scope, parts)?)
            }
            ExprKind::Bounded(operator, low, high, operand) => {
                let (low, high) = (self.steps(*low, scope)?, self.steps(*high, scope)?);
                let operand = self.branching(*operand, scope, parts)?;
                match operator {
                    Bounded::AllEventually => B::EventuallyWithin(Paths::All, low, high, operand),
                    Bounded::SomeEventually => B::EventuallyWithin(Paths::Some, low, high, operand),
                    Bounded::AllAlways => B::AlwaysWithin(Paths::All, low, high, operand),
                    Bounded::SomeAlways => B::AlwaysWithin(Paths::Some, low, high, operand),
                    _ => {
                        self.wrong_logic(expr, "CTL", "in CTL, write `ABF 0..3 p` and so on");
                        return None;
                    }
                }
            }
            ExprKind::BoundedUntil { for_all, bounds, left, right } => {
                let (low, high) = (self.steps(bounds.0, scope)?, self.steps(bounds.1, scope)?);
                let paths = if *for_all { Paths::All } else { Paths::Some };
                let left = self.branching(*left, scope, parts)?;
                B::UntilWithin(paths, low, high, left, self.branching(*right, scope, parts)?)
            }
            _ => {
                self.formula_as_value(expr);
                return None;
            }
        };
        Some(BranchingId(parts.add(formula)))
    }

    /// Returns operators that stand one after the other, from the first to the last, with what stands on
    /// their right, and what stands on the left of all: there may be thousands.
    fn spine(&self, expr: Id) -> (Id, Vec<(Id, Binary, Id)>) {
        let mut spine = Vec::new();
        let mut left = expr;
        while let (ExprKind::Binary(operator, first, second), true) =
            (&self.tree.expr(left).kind, self.tree.expr(left).is_temporal)
        {
            spine.push((left, *operator, *second));
            left = *first;
        }
        spine.reverse();
        (left, spine)
    }

    fn branching_chain(
        &mut self,
        expr: Id,
        scope: ScopeId,
        parts: &mut Parts<Branching>,
    ) -> Option<BranchingId> {
        use Branching as B;
        let (first, spine) = self.spine(expr);
        let mut left = self.branching(first, scope, parts)?;
        for (whole, operator, second) in spine {
            let right = self.branching(second, scope, parts)?;
            let not = |parts: &mut Parts<B>, one| BranchingId(parts.add(B::Not(one)));
            let formula = match operator {
                Binary::And => B::And(left, right),
                Binary::Or => B::Or(left, right),
                Binary::Implies => B::Or(not(parts, left), right),
                Binary::Equivalent | Binary::Xnor | Binary::Equal | Binary::Xor | Binary::NotEqual => {
                    let (no_left, no_right) = (not(parts, left), not(parts, right));
                    let is_same = !matches!(operator, Binary::Xor | Binary::NotEqual);
                    let (first, second) = if is_same { (right, no_right) } else { (no_right, right) };
                    let both = BranchingId(parts.add(B::And(left, first)));
                    let neither = BranchingId(parts.add(B::And(no_left, second)));
                    B::Or(both, neither)
                }
                _ => {
                    self.formula_as_value(whole);
                    return None;
                }
            };
            left = BranchingId(parts.add(formula));
        }
        Some(left)
    }

    fn linear_chain(&mut self, expr: Id, scope: ScopeId, parts: &mut Parts<Linear>) -> Option<LinearId> {
        use Linear as L;
        let (first, spine) = self.spine(expr);
        let mut left = self.linear(first, scope, parts)?;
        for (whole, operator, second) in spine {
            let right = self.linear(second, scope, parts)?;
            let formula = match operator {
                Binary::And => L::And(left, right),
                Binary::Or => L::Or(left, right),
                Binary::Implies => L::Or(not(parts, left), right),
                Binary::Equivalent | Binary::Xnor | Binary::Equal | Binary::Xor | Binary::NotEqual => {
                    let (no_left, no_right) = (not(parts, left), not(parts, right));
                    let is_same = !matches!(operator, Binary::Xor | Binary::NotEqual);
                    let (first, second) = if is_same { (right, no_right) } else { (no_right, right) };
                    let both = LinearId(parts.add(L::And(left, first)));
                    let neither = LinearId(parts.add(L::And(no_left, second)));
                    L::Or(both, neither)
                }
                _ => {
                    self.formula_as_value(whole);
                    return None;
                }
            };
            left = LinearId(parts.add(formula));
        }
        Some(left)
    }

    fn formula_as_value(&mut self, expr: Id) {
        let diagnostic = Diagnostic::error("V0212", self.tree.span(expr), "a formula is used as a value")
            .label("formulas are joined by `!`, `&`, `|`, `xor`, `->` and `<->` alone");
        self.report(diagnostic);
    }

    fn linear(&mut self, expr: Id, scope: ScopeId, parts: &mut Parts<Linear>) -> Option<LinearId> {
        use Linear as L;
        if !self.tree.expr(expr).is_temporal {
            let id = self.predicate(expr, scope)?;
            parts.note(id, self.text(expr), self.tree.span(expr));
            return Some(LinearId(parts.add(L::Atom(id))));
        }
        match &self.tree.expr(expr).kind {
            ExprKind::Unary(Unary::Not, operand) => {
                let operand = self.linear(*operand, scope, parts)?;
                Some(not(parts, operand))
            }
            ExprKind::Binary(..) => self.linear_chain(expr, scope, parts),
            ExprKind::Temporal(operator, operand) => {
                if operator.is_branching() {
                    let help = "in LTL, write `G`, `F` and `X`; paths are not chosen, all runs are meant";
                    self.wrong_logic(expr, "LTL", help);
                    return None;
                }
                let operand = self.linear(*operand, scope, parts)?;
                Some(self.linear_operator(*operator, operand, parts))
            }
            ExprKind::TemporalPair(operator, left, right) => {
                if matches!(operator, TemporalPair::AllUntil | TemporalPair::SomeUntil) {
                    self.wrong_logic(expr, "LTL", "in LTL, write `p U q`");
                    return None;
                }
                let (left, right) = (self.linear(*left, scope, parts)?, self.linear(*right, scope, parts)?);
                Some(match operator {
                    TemporalPair::Until => LinearId(parts.add(L::Until(left, right))),
                    TemporalPair::Since => LinearId(parts.add(L::Since(left, right))),
                    _ => {
                        let (left, right) = (not(parts, left), not(parts, right));
                        let inner = if *operator == TemporalPair::Release {
                            L::Until(left, right)
                        } else {
                            L::Since(left, right)
                        };
                        let inner = LinearId(parts.add(inner));
                        not(parts, inner)
                    }
                })
            }
            ExprKind::Bounded(operator, low, high, operand) => {
                let (low, high) = (self.steps(*low, scope)?, self.steps(*high, scope)?);
                let operand = self.linear(*operand, scope, parts)?;
                let (is_past, is_some) = match operator {
                    Bounded::Eventually => (false, true),
                    Bounded::Always => (false, false),
                    Bounded::Once => (true, true),
                    Bounded::Historically => (true, false),
                    _ => {
                        self.wrong_logic(expr, "LTL", "in LTL, write `F [0, 3] p` and so on");
                        return None;
                    }
                };
                Some(within(parts, operand, (low, high.max(low)), is_past, is_some))
            }
            _ => {
                self.formula_as_value(expr);
                None
            }
        }
    }

    fn linear_operator(&mut self, operator: Temporal, one: LinearId, parts: &mut Parts<Linear>) -> LinearId {
        use Linear as L;
        let truth = self.builder.truth(true);
        match operator {
            Temporal::Next => LinearId(parts.add(L::Next(one))),
            Temporal::Previous => LinearId(parts.add(L::Previous(one))),
            Temporal::WeakPrevious => {
                let opposite = not(parts, one);
                let before = LinearId(parts.add(L::Previous(opposite)));
                not(parts, before)
            }
            Temporal::Eventually | Temporal::Once => {
                let truth = LinearId(parts.add(L::Atom(truth)));
                let is_past = operator == Temporal::Once;
                LinearId(parts.add(if is_past { L::Since(truth, one) } else { L::Until(truth, one) }))
            }
            _ => {
                let truth = LinearId(parts.add(L::Atom(truth)));
                let opposite = not(parts, one);
                let is_past = operator == Temporal::Historically;
                let inner = if is_past { L::Since(truth, opposite) } else { L::Until(truth, opposite) };
                let inner = LinearId(parts.add(inner));
                not(parts, inner)
            }
        }
    }
}

fn not(parts: &mut Parts<Linear>, one: LinearId) -> LinearId {
    match parts.formulas[one.0 as usize] {
        Linear::Not(inner) => inner,
        _ => LinearId(parts.add(Linear::Not(one))),
    }
}

/// Writes out an operator with bounds, from the last step to the first.
fn within(
    parts: &mut Parts<Linear>,
    operand: LinearId,
    (low, high): (u32, u32),
    is_past: bool,
    is_some: bool,
) -> LinearId {
    // Before the start nothing was: `H` does not mind, `O` does.
    let one_step = |parts: &mut Parts<Linear>, formula: LinearId| {
        if !is_past {
            LinearId(parts.add(Linear::Next(formula)))
        } else if is_some {
            LinearId(parts.add(Linear::Previous(formula)))
        } else {
            let opposite = not(parts, formula);
            let before = LinearId(parts.add(Linear::Previous(opposite)));
            not(parts, before)
        }
    };
    let mut formula = operand;
    for _ in low..high {
        let later = one_step(parts, formula);
        let joined = if is_some { Linear::Or(operand, later) } else { Linear::And(operand, later) };
        formula = LinearId(parts.add(joined));
    }
    for _ in 0..low {
        formula = one_step(parts, formula);
    }
    formula
}
