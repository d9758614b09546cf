//! What kind of value an expression has, and what goes with what.

use narrows_model::synchronous::{Display, ExprId};
use narrows_source::{Diagnostic, Span};

use super::{Lowering, Typed};
use crate::smv::ast::Id;

/// What kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Boolean,
    Number,
    Symbol,
    /// Numbers and symbols.
    Mixed,
    Word {
        width: u32,
        signed: bool,
    },
    /// An array whose indices are words of so many bits.
    Memory {
        index: u32,
        element: Element,
    },
}

/// What kind of element of an array whose indices are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Boolean,
    Word { width: u32, signed: bool },
}

impl Sort {
    pub(super) fn display(self) -> Display {
        match self {
            Sort::Boolean => Display::Boolean,
            Sort::Word { width, signed: false } => Display::Unsigned(width),
            Sort::Word { width, signed: true } => Display::Signed(width),
            _ => Display::Plain,
        }
    }

    pub(super) fn name(self) -> String {
        match self {
            Sort::Boolean => "a truth value".to_owned(),
            Sort::Number => "a number".to_owned(),
            Sort::Symbol => "a symbol".to_owned(),
            Sort::Mixed => "a number or a symbol".to_owned(),
            Sort::Word { width, signed } => {
                format!("{} word of {width} bits", if signed { "a signed" } else { "an unsigned" })
            }
            Sort::Memory { index, .. } => format!("an array with words of {index} bits as indices"),
        }
    }

    fn is_plain(self) -> bool {
        matches!(self, Sort::Number | Sort::Symbol | Sort::Mixed)
    }
}

impl Lowering<'_> {
    /// Makes sure of a truth value.
    pub(super) fn boolean(&mut self, typed: Typed, expr: Id) -> Option<ExprId> {
        let span = self.tree.span(expr);
        self.single(typed, span)?;
        match typed.sort {
            Sort::Boolean => Some(typed.id),
            Sort::Number if matches!(self.interval(typed.id), Some((0.., ..=1))) => {
                self.warn_of_numbers(span);
                Some(typed.id)
            }
            sort => {
                self.mismatch(span, "a truth value", &sort.name(), None);
                None
            }
        }
    }

    /// Makes sure of a number.
    pub(super) fn number(&mut self, typed: Typed, expr: Id) -> Option<ExprId> {
        let span = self.tree.span(expr);
        self.single(typed, span)?;
        match typed.sort {
            Sort::Number => Some(typed.id),
            Sort::Boolean => {
                self.warn_of_numbers(span);
                Some(typed.id)
            }
            sort => {
                self.mismatch(span, "a number", &sort.name(), None);
                None
            }
        }
    }

    /// Makes sure of a single value.
    pub(super) fn single(&mut self, typed: Typed, span: Span) -> Option<()> {
        if !typed.is_set {
            return Some(());
        }
        let diagnostic = Diagnostic::error("V0217", span, "a set stands where a value is needed")
            .label("this can be any of several values")
            .help("assign it to a variable first, or use `in` to ask whether a value is a member");
        self.report(diagnostic);
        None
    }

    pub(super) fn mismatch(&mut self, span: Span, wanted: &str, found: &str, help: Option<&str>) {
        let title = format!("{wanted} is needed here, and this is {found}");
        let mut diagnostic = Diagnostic::error("V0208", span, title).label(format!("this is {found}"));
        if let Some(help) = help {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }

    /// Says once that numbers are taken for truth values, as in older texts.
    pub(super) fn warn_of_numbers(&mut self, span: Span) {
        if std::mem::replace(&mut self.warned_of_numbers, true) {
            return;
        }
        let diagnostic =
            Diagnostic::warning("V0301", span, "numbers are used as truth values, as in old SMV")
                .label("here, and maybe further on")
                .note("0 is read as FALSE and 1 as TRUE")
                .help("write `TRUE :` for `1 :` in a case, and TRUE and FALSE elsewhere");
        self.report(diagnostic);
    }

    /// Returns what two values have in common: of the branches of a choice, the members of a set, or two
    /// sides.
    pub(super) fn join(&mut self, left: Sort, right: Sort, span: Span) -> Option<Sort> {
        match (left, right) {
            _ if left == right => Some(left),
            (Sort::Boolean, Sort::Number) | (Sort::Number, Sort::Boolean) => {
                self.warn_of_numbers(span);
                Some(Sort::Number)
            }
            _ if left.is_plain() && right.is_plain() => Some(Sort::Mixed),
            _ => {
                let title = format!("{} and {} do not go together", left.name(), right.name());
                self.report(Diagnostic::error("V0208", span, title).label("both are used here"));
                None
            }
        }
    }

    /// Returns between which numbers an expression, or every member of a set, lies, if that is easily known.
    pub(super) fn interval(&mut self, root: ExprId) -> Option<(i128, i128)> {
        use narrows_model::synchronous::{Domain, Node, Operator, SynchronousSystem};
        if let Some(known) = self.intervals.get(&root) {
            return *known;
        }
        // Only what is new: the rest has been looked at.
        let mut new = std::collections::BTreeSet::new();
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            if !self.intervals.contains_key(&id) && new.insert(id) {
                waiting.extend(self.builder.system.operands(id));
            }
        }
        for id in new {
            let system = &self.builder.system;
            let of = |id: &ExprId| self.intervals.get(id).copied().flatten();
            let both = |left: &ExprId, right: &ExprId| Some((of(left)?, of(right)?));
            let found = match system.node(id) {
                Node::Constant(value) if *value >= SynchronousSystem::SYMBOLS => None,
                Node::Constant(value) => Some((*value, *value)),
                Node::Current(variable) | Node::Next(variable) => match &system.variable(*variable).domain {
                    Domain::Range(low, high) => Some((*low, *high)),
                    Domain::Values(values) => {
                        let (low, high) = (values.iter().min().copied(), values.iter().max().copied());
                        low.zip(high.filter(|high| *high < SynchronousSystem::SYMBOLS))
                    }
                },
                Node::Not(_) | Node::In(..) | Node::Within(..) => Some((0, 1)),
                Node::Binary(Operator::Equal | Operator::Less | Operator::LessEqual, ..) => Some((0, 1)),
                Node::Negate(operand) => of(operand).map(|(low, high)| (-high, -low)),
                Node::Invert(operand) => of(operand).map(|(low, high)| (!high, !low)),
                Node::Choose(_, then, otherwise) => {
                    both(then, otherwise).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)))
                }
                Node::Set(members) => members
                    .iter()
                    .map(of)
                    .reduce(|left, right| {
                        let (left, right) = (left?, right?);
                        Some((left.0.min(right.0), left.1.max(right.1)))
                    })
                    .flatten(),
                Node::Wrap { width, signed: false, .. } => Some((0, (1 << width) - 1)),
                Node::Wrap { width, signed: true, .. } => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
                Node::Binary(operator, left, right) => {
                    both(left, right).and_then(|(left, right)| arithmetic(*operator, left, right))
                }
            };
            self.intervals.insert(id, found);
        }
        self.intervals.get(&root).copied().flatten()
    }
}

/// Returns between which numbers the result of an operator lies.
fn arithmetic(
    operator: narrows_model::synchronous::Operator,
    left: (i128, i128),
    right: (i128, i128),
) -> Option<(i128, i128)> {
    use narrows_model::synchronous::Operator;
    let is_truth = left.0 >= 0 && left.1 <= 1 && right.0 >= 0 && right.1 <= 1;
    let corners = |make: fn(i128, i128) -> Option<i128>| {
        let all = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
        let all: Option<Vec<i128>> = all.iter().map(|(left, right)| make(*left, *right)).collect();
        let all = all?;
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match operator {
        Operator::And | Operator::Or | Operator::Xor if is_truth => Some((0, 1)),
        Operator::Add => Some((left.0.checked_add(right.0)?, left.1.checked_add(right.1)?)),
        Operator::Subtract => Some((left.0.checked_sub(right.1)?, left.1.checked_sub(right.0)?)),
        Operator::Multiply => corners(i128::checked_mul),
        Operator::Divide => {
            let largest = left.0.abs().max(left.1.abs());
            let low = if left.0 >= 0 && right.0 >= 0 { 0 } else { -largest };
            Some((low, if right.0 > 0 { left.1.max(0) / right.0 } else { largest }))
        }
        Operator::Remainder => {
            let most = (right.0.abs().max(right.1.abs()) - 1).max(0);
            let low = if left.0 >= 0 { 0 } else { left.0.max(-most) };
            Some((low, if left.1 <= 0 { 0 } else { left.1.min(most) }))
        }
        _ => None,
    }
}
