//! Operators, choices and sets.

use narrows_model::synchronous::{ExprId, HazardKind, Node, Operator};
use narrows_source::Diagnostic;
use rustc_hash::FxHashMap;

use super::scopes::ScopeId;
use super::sorts::Sort;
use super::wide_words::is_wide;
use super::{Lowering, Typed};
use crate::smv::ast::{Binary, ExprKind, Id, Unary};

fn plain(id: ExprId, sort: Sort) -> Typed {
    Typed { id, sort, is_set: false }
}

impl Lowering<'_> {
    /// Lowers what is no path of names.
    pub(super) fn compute(&mut self, expr: Id, scope: ScopeId) -> Option<Typed> {
        let span = self.tree.span(expr);
        match &self.tree.expr(expr).kind {
            ExprKind::Number(number) => Some(plain(self.builder.constant(*number), Sort::Number)),
            ExprKind::Truth(truth) => Some(plain(self.builder.truth(*truth), Sort::Boolean)),
            ExprKind::Word { limbs, width, signed } => Some(self.wide_constant(limbs, *width, *signed)),
            ExprKind::Unary(operator, operand) => self.unary(*operator, *operand, scope),
            ExprKind::Binary(..) => self.chain(expr, scope),
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.predicate(*condition, scope)?;
                let opposite = self.builder.not(condition);
                let then = self.guarded(condition, |this| this.value(*then, scope));
                let otherwise = self.guarded(opposite, |this| this.value(*otherwise, scope));
                let (then, otherwise) = (then?, otherwise?);
                let sort = self.join(then.sort, otherwise.sort, span)?;
                let id = self.choose(condition, then, otherwise);
                Some(Typed { id, sort, is_set: then.is_set || otherwise.is_set })
            }
            ExprKind::Case(branches) => self.case(expr, branches, scope),
            ExprKind::Set(members) => {
                let mut sort = None;
                let mut ids = Vec::new();
                for member in members {
                    let member = self.value(*member, scope)?;
                    sort = Some(match sort {
                        None => member.sort,
                        Some(other) => self.join(other, member.sort, span)?,
                    });
                    ids.push(member.id);
                }
                if sort.is_some_and(is_wide) {
                    if let [id] = ids.as_slice() {
                        return Some(plain(*id, sort?));
                    }
                    self.no_wide_set(expr);
                    return None;
                }
                // The set of one value is that value.
                if let ([id], false) = (ids.as_slice(), self.builder.system.is_set(ids[0])) {
                    return Some(plain(*id, sort?));
                }
                let id = self.builder.node(Node::Set(ids));
                Some(Typed { id, sort: sort?, is_set: true })
            }
            ExprKind::Range(low, high) => {
                let (low, high) = (self.constant(*low, scope)?, self.constant(*high, scope)?);
                self.range_size(low, high, expr)?;
                let members = (low..=high).map(|value| self.builder.constant(value)).collect();
                let id = self.builder.node(Node::Set(members));
                Some(Typed { id, sort: Sort::Number, is_set: true })
            }
            ExprKind::Next(operand) => {
                let hazards = self.hazards.len();
                let typed = self.value(*operand, scope)?;
                self.hazards.truncate(hazards);
                if !self.allows_no_input(typed.id, *operand, "`next`") {
                    return None;
                }
                let Some(id) = self.builder.shifted(typed.id) else {
                    let diagnostic = Diagnostic::error("V0211", span, "`next` stands within `next`")
                        .label("only one step ahead can be looked at");
                    self.report(diagnostic);
                    return None;
                };
                Some(Typed { id, ..typed })
            }
            ExprKind::Bits(operand, high, low) => {
                let typed = self.value(*operand, scope)?;
                let (high, low) = (self.constant(*high, scope)?, self.constant(*low, scope)?);
                let Sort::Word { width, .. } = typed.sort else {
                    self.mismatch(self.tree.span(*operand), "a word", &typed.sort.name(), None);
                    return None;
                };
                self.bits(typed, width, (high, low), *operand)
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, expr, scope),
            ExprKind::Temporal(..)
            | ExprKind::TemporalPair(..)
            | ExprKind::Bounded(..)
            | ExprKind::BoundedUntil { .. } => {
                self.temporal_here(expr);
                None
            }
            ExprKind::Name(_)
            | ExprKind::Own
            | ExprKind::Dot(..)
            | ExprKind::Index(..)
            | ExprKind::Type(_)
            | ExprKind::List(_) => None,
        }
    }

    /// Says that a temporal operator has no place here.
    pub(super) fn temporal_here(&mut self, expr: Id) {
        let diagnostic =
            Diagnostic::error("V0212", self.tree.span(expr), "a temporal operator has no place here")
                .label("this is about whole runs, not about one state or step")
                .help("temporal operators stand in CTLSPEC and LTLSPEC");
        self.report(diagnostic);
    }

    fn unary(&mut self, operator: Unary, operand: Id, scope: ScopeId) -> Option<Typed> {
        let typed = self.value(operand, scope)?;
        self.single(typed, self.tree.span(operand))?;
        match (operator, typed.sort) {
            (_, sort @ Sort::Memory { .. }) => {
                self.mismatch(self.tree.span(operand), "a single value", &sort.name(), None);
                None
            }
            (_, sort) if is_wide(sort) => self.wide_unary(typed, operator == Unary::Minus),
            (Unary::Not, Sort::Word { width, signed }) => {
                let inverted = self.builder.invert(typed.id);
                Some(plain(self.builder.wrap(inverted, width, signed), typed.sort))
            }
            (Unary::Not, Sort::Symbol | Sort::Mixed) => {
                let help = "`!` binds tightest: write `!(x = y)`, or `x != y`";
                self.mismatch(self.tree.span(operand), "a truth value", &typed.sort.name(), Some(help));
                None
            }
            (Unary::Not, _) => {
                let id = self.boolean(typed, operand)?;
                Some(plain(self.builder.not(id), Sort::Boolean))
            }
            (Unary::Minus, Sort::Word { width, signed }) => {
                let negated = self.builder.negate(typed.id);
                Some(plain(self.builder.wrap(negated, width, signed), typed.sort))
            }
            (Unary::Minus, _) => {
                let id = self.number(typed, operand)?;
                Some(plain(self.builder.negate(id), Sort::Number))
            }
        }
    }

    /// Lowers operators that stand one after the other, without going deep: long texts have thousands of
    /// them.
    fn chain(&mut self, expr: Id, scope: ScopeId) -> Option<Typed> {
        let mut spine = Vec::new();
        let mut left = expr;
        while let ExprKind::Binary(operator, first, second) = &self.tree.expr(left).kind {
            spine.push((left, *operator, *first, *second));
            left = *first;
        }
        let mut result = self.value(left, scope);
        for (whole, operator, first, second) in spine.into_iter().rev() {
            // Where the left side decides, the right one does not count.
            let guard = result.filter(|typed| typed.sort == Sort::Boolean && !typed.is_set);
            let guard = match (operator, guard) {
                (Binary::And | Binary::Implies, Some(typed)) => Some(typed.id),
                (Binary::Or, Some(typed)) => Some(self.builder.not(typed.id)),
                _ => None,
            };
            let right = match guard {
                Some(guard) => self.guarded(guard, |this| this.value(second, scope)),
                None => self.value(second, scope),
            };
            result = match (result, right) {
                (Some(left), Some(right)) => self.binary(whole, operator, (left, first), (right, second)),
                _ => None,
            };
        }
        result
    }

    fn binary(
        &mut self,
        whole: Id,
        operator: Binary,
        left: (Typed, Id),
        right: (Typed, Id),
    ) -> Option<Typed> {
        let span = self.tree.span(whole);
        let is_array = |typed: Typed| matches!(typed.sort, Sort::Memory { .. });
        if is_array(left.0) || is_array(right.0) {
            return self.memory_binary(operator, left, right, whole);
        }
        match operator {
            Binary::Union => {
                let sort = self.join(left.0.sort, right.0.sort, span)?;
                if is_wide(sort) {
                    self.no_wide_set(whole);
                    return None;
                }
                let id = self.builder.node(Node::Set(vec![left.0.id, right.0.id]));
                return Some(Typed { id, sort, is_set: true });
            }
            Binary::In => {
                if is_wide(self.join(left.0.sort, right.0.sort, span)?) {
                    return self.wide_binary(Binary::Equal, left, right, whole);
                }
                return Some(plain(self.subset(left.0.id, right.0.id), Sort::Boolean));
            }
            _ => {}
        }
        self.single(left.0, self.tree.span(left.1))?;
        self.single(right.0, self.tree.span(right.1))?;
        let is_shifted = matches!(operator, Binary::ShiftLeft | Binary::ShiftRight);
        let are_words = matches!((left.0.sort, right.0.sort), (Sort::Word { .. }, Sort::Word { .. }));
        let is_joined = are_words && operator == Binary::Concatenate;
        let has_wide = is_wide(left.0.sort) || (is_wide(right.0.sort) && !is_shifted);
        if is_joined || (has_wide && (is_shifted || are_words)) {
            return self.wide_binary(operator, left, right, whole);
        }
        match operator {
            Binary::Equal | Binary::NotEqual => {
                self.join(left.0.sort, right.0.sort, span)?;
                let id = self.builder.equal(left.0.id, right.0.id);
                let id = if operator == Binary::Equal { id } else { self.builder.not(id) };
                Some(plain(id, Sort::Boolean))
            }
            Binary::And | Binary::Or | Binary::Xor | Binary::Xnor | Binary::Implies | Binary::Equivalent => {
                self.logical(operator, left, right, whole)
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                let (_, (left, right)) = self.numeric(left, right, whole)?;
                let id = match operator {
                    Binary::Less => self.builder.binary(Operator::Less, left, right),
                    Binary::LessEqual => self.builder.binary(Operator::LessEqual, left, right),
                    Binary::Greater => self.builder.binary(Operator::Less, right, left),
                    _ => self.builder.binary(Operator::LessEqual, right, left),
                };
                Some(plain(id, Sort::Boolean))
            }
            Binary::ShiftLeft | Binary::ShiftRight | Binary::Concatenate => {
                self.word_operator(operator, left, right)
            }
            _ => self.arithmetic(operator, left, right, whole),
        }
    }

    /// Makes the claim that all members of a set, or a value, are members of another.
    fn subset(&mut self, left: ExprId, right: ExprId) -> ExprId {
        // Sets have parts that are sets, and so on: smaller numbers come first.
        let mut parts = std::collections::BTreeSet::new();
        let mut waiting = vec![left];
        while let Some(id) = waiting.pop() {
            if parts.insert(id) {
                match self.builder.system.node(id) {
                    Node::Set(members) => waiting.extend(members),
                    Node::Choose(_, then, otherwise) => waiting.extend([*then, *otherwise]),
                    _ => {}
                }
            }
        }
        let is_set = self.builder.system.is_set(right);
        let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in parts {
            let claim = match self.builder.system.node(id).clone() {
                Node::Set(members) => {
                    let all = self.builder.truth(true);
                    members.iter().fold(all, |all, member| self.builder.and(all, made[member]))
                }
                Node::Choose(condition, then, otherwise) => {
                    self.builder.choose(condition, made[&then], made[&otherwise])
                }
                _ if is_set => self.builder.node(Node::In(id, right)),
                _ => self.builder.equal(id, right),
            };
            made.insert(id, claim);
        }
        made[&left]
    }

    fn logical(
        &mut self,
        operator: Binary,
        left: (Typed, Id),
        right: (Typed, Id),
        whole: Id,
    ) -> Option<Typed> {
        if let (Sort::Word { width, signed }, Sort::Word { .. }) = (left.0.sort, right.0.sort) {
            let sort = self.join(left.0.sort, right.0.sort, self.tree.span(whole))?;
            let (a, b) = (left.0.id, right.0.id);
            let id = match operator {
                Binary::And => self.builder.binary(Operator::And, a, b),
                Binary::Or => self.builder.binary(Operator::Or, a, b),
                Binary::Xor => self.builder.binary(Operator::Xor, a, b),
                Binary::Xnor | Binary::Equivalent => {
                    let id = self.builder.binary(Operator::Xor, a, b);
                    self.builder.invert(id)
                }
                _ => {
                    let a = self.builder.invert(a);
                    self.builder.binary(Operator::Or, a, b)
                }
            };
            return Some(plain(self.builder.wrap(id, width, signed), sort));
        }
        let (a, b) = (self.boolean(left.0, left.1)?, self.boolean(right.0, right.1)?);
        let id = match operator {
            Binary::And => self.builder.and(a, b),
            Binary::Or => self.builder.or(a, b),
            Binary::Xor => {
                let same = self.builder.equal(a, b);
                self.builder.not(same)
            }
            Binary::Xnor | Binary::Equivalent => self.builder.equal(a, b),
            _ => {
                let a = self.builder.not(a);
                self.builder.or(a, b)
            }
        };
        Some(plain(id, Sort::Boolean))
    }

    /// Makes sure of two numbers, or two words of the same kind.
    #[allow(clippy::type_complexity)]
    fn numeric(
        &mut self,
        left: (Typed, Id),
        right: (Typed, Id),
        whole: Id,
    ) -> Option<(Sort, (ExprId, ExprId))> {
        if let (Sort::Word { .. }, Sort::Word { .. }) = (left.0.sort, right.0.sort) {
            let sort = self.join(left.0.sort, right.0.sort, self.tree.span(whole))?;
            return Some((sort, (left.0.id, right.0.id)));
        }
        let both = (self.number(left.0, left.1)?, self.number(right.0, right.1)?);
        Some((Sort::Number, both))
    }

    fn arithmetic(
        &mut self,
        operator: Binary,
        left: (Typed, Id),
        right: (Typed, Id),
        whole: Id,
    ) -> Option<Typed> {
        let (sort, (a, b)) = self.numeric(left, right, whole)?;
        let operator = match operator {
            Binary::Add => Operator::Add,
            Binary::Subtract => Operator::Subtract,
            Binary::Multiply => Operator::Multiply,
            Binary::Divide => Operator::Divide,
            _ => Operator::Remainder,
        };
        if matches!(operator, Operator::Divide | Operator::Remainder)
            && !matches!(self.interval(b), Some((1.., _) | (_, ..=-1)))
        {
            let zero = self.builder.constant(0);
            let is_zero = self.builder.equal(b, zero);
            self.division_by_zero(is_zero, right.1);
        }
        let id = self.builder.binary(operator, a, b);
        let id = match sort {
            Sort::Word { width, signed } => self.builder.wrap(id, width, signed),
            _ => id,
        };
        if sort == Sort::Number
            && !matches!(self.interval(id), Some((-0x8000_0000_0000_0000.., ..=0x7fff_ffff_ffff_ffff)))
        {
            let title = "the numbers that this can be are too large";
            let diagnostic = Diagnostic::error("V0210", self.tree.span(whole), title)
                .label("numbers have at most 64 bits")
                .help("use `mod`, smaller ranges, or words");
            self.report(diagnostic);
            return None;
        }
        Some(plain(id, sort))
    }

    pub(super) fn division_by_zero(&mut self, is_zero: ExprId, at: Id) {
        self.hazard(is_zero, HazardKind::DivisionByZero, self.tree.span(at));
    }

    fn case(&mut self, expr: Id, branches: &[(Id, Id)], scope: ScopeId) -> Option<Typed> {
        let span = self.tree.span(expr);
        let depth = self.guards.len();
        let mut lowered = Vec::new();
        let mut is_fine = true;
        let mut open = self.builder.truth(true);
        let mut sort: Option<Sort> = None;
        for (condition, value) in branches {
            let condition = self.predicate(*condition, scope);
            let guard = condition.unwrap_or(open);
            self.guards.push(guard);
            let value = self.value(*value, scope);
            self.guards.pop();
            let (Some(condition), Some(value)) = (condition, value) else {
                is_fine = false;
                continue;
            };
            let opposite = self.builder.not(condition);
            open = self.builder.and(open, opposite);
            // Further conditions count only where none before holds.
            self.guards.push(opposite);
            sort = match sort {
                None => Some(value.sort),
                Some(other) => {
                    let joined = self.join(other, value.sort, span);
                    is_fine &= joined.is_some();
                    joined.or(Some(other))
                }
            };
            lowered.push((condition, value));
        }
        self.guards.truncate(depth);
        if !is_fine {
            return None;
        }
        self.hazard(open, HazardKind::NoBranch, span);
        let is_set = lowered.iter().any(|(_, value)| value.is_set);
        let (_, last) = lowered.pop()?;
        let sort = sort?;
        let id = lowered.into_iter().rev().fold(last.id, |rest, (condition, value)| {
            let rest = Typed { id: rest, sort, is_set };
            self.choose(condition, value, rest)
        });
        Some(Typed { id, sort, is_set: is_set && self.builder.system.is_set(id) })
    }
}
