//! Types to domains.

use narrows_model::synchronous::{Domain, SynchronousSystem};
use narrows_source::Diagnostic;

use super::scopes::ScopeId;
use super::sorts::Sort;
use super::wide_words::LIMB;
use super::{Bound, Lowering};
use crate::smv::MAX_BITS;
use crate::smv::ast::{ExprKind, Id, Type, TypeKind, Unary};

impl Lowering<'_> {
    /// Returns the values of a type that is no array and no module.
    pub(super) fn simple_type(&mut self, kind: &Type, scope: ScopeId) -> Option<(Domain, Sort)> {
        match &kind.kind {
            TypeKind::Boolean => Some((Domain::Range(0, 1), Sort::Boolean)),
            TypeKind::Range(low, high) => {
                let (low, high) = (self.constant(*low, scope)?, self.constant(*high, scope)?);
                if low > high {
                    let title = format!("there is no number from {low} to {high}");
                    let diagnostic = Diagnostic::error("V0210", kind.span, title)
                        .label("the range is empty")
                        .help(format!("write `{high}..{low}`"));
                    self.report(diagnostic);
                    return None;
                }
                Some((Domain::Range(low, high), Sort::Number))
            }
            TypeKind::Enumeration(values) => self.enumeration(values, scope),
            TypeKind::Word(signed, width) => {
                let bits = self.constant(*width, scope)?;
                let width = u32::try_from(bits).ok().filter(|bits| (1..=MAX_BITS).contains(bits));
                let Some(width) = width else {
                    let title = format!("a word can't have {bits} bits");
                    let label = format!("1 to {MAX_BITS} bits are read");
                    self.report(Diagnostic::error("V0210", kind.span, title).label(label));
                    return None;
                };
                let domain = if width > LIMB {
                    // Of each limb; the first may have less.
                    Domain::Range(0, (1 << LIMB) - 1)
                } else if *signed {
                    Domain::Range(-(1 << (width - 1)), (1 << (width - 1)) - 1)
                } else {
                    Domain::Range(0, (1 << width) - 1)
                };
                Some((domain, Sort::Word { width, signed: *signed }))
            }
            TypeKind::Infinite(name) => {
                let title = format!("a variable of type `{name}` has no end of values");
                let diagnostic = Diagnostic::error("V0216", kind.span, title)
                    .label("only finite types can be checked")
                    .help("give it a range, such as `0..255`, or a word, such as `signed word[16]`");
                self.report(diagnostic);
                None
            }
            TypeKind::Array(..) | TypeKind::Memory(..) | TypeKind::Instance { .. } => None,
        }
    }

    fn enumeration(&mut self, written: &[Id], scope: ScopeId) -> Option<(Domain, Sort)> {
        let mut values: Vec<i128> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let mut truths = 0;
        for id in written {
            let value = match &self.tree.expr(*id).kind {
                ExprKind::Number(number) => *number,
                ExprKind::Unary(Unary::Minus, _) | ExprKind::Range(..) => {
                    for value in self.constants(*id, scope)? {
                        if seen.insert(value) {
                            values.push(value);
                        }
                    }
                    continue;
                }
                ExprKind::Truth(truth) => {
                    truths += 1;
                    i128::from(*truth)
                }
                ExprKind::Name(name) => {
                    self.symbol_spans.entry(name.clone()).or_insert(self.tree.span(*id));
                    self.symbol(&name.clone())
                }
                ExprKind::Dot(..) => {
                    let name = self.tree.flat_name(*id).unwrap_or_else(|| self.text(*id)).into();
                    self.symbol(&name)
                }
                _ => self.constant(*id, scope)?,
            };
            if seen.insert(value) {
                values.push(value);
            } else {
                let title = format!("`{}` stands twice in this enumeration", self.text(*id));
                self.report(Diagnostic::warning("V0303", self.tree.span(*id), title).label("again"));
            }
        }
        let symbols = values.iter().filter(|value| **value >= SynchronousSystem::SYMBOLS).count();
        let sort = match symbols {
            0 if truths == written.len() => Sort::Boolean,
            0 => Sort::Number,
            _ if symbols == values.len() => Sort::Symbol,
            _ => Sort::Mixed,
        };
        let domain = if sort == Sort::Boolean && values.len() == 2 {
            Domain::Range(0, 1)
        } else {
            Domain::Values(values)
        };
        Some((domain, sort))
    }

    /// Returns the value of a constant number.
    pub(super) fn constant(&mut self, expr: Id, scope: ScopeId) -> Option<Bound> {
        let typed = self.value(expr, scope)?;
        let id = self.number(typed, expr)?;
        if let Some(value) = self.builder.constant_value(id) {
            return Some(value);
        }
        let diagnostic = Diagnostic::error("V0209", self.tree.span(expr), "this is not a constant")
            .label("its value must be known before anything runs");
        self.report(diagnostic);
        None
    }

    /// Returns the values of a constant number or range.
    fn constants(&mut self, expr: Id, scope: ScopeId) -> Option<Vec<Bound>> {
        match self.tree.expr(expr).kind {
            ExprKind::Range(low, high) => {
                let (low, high) = (self.constant(low, scope)?, self.constant(high, scope)?);
                self.range_size(low, high, expr)?;
                Some((low..=high).collect())
            }
            _ => Some(vec![self.constant(expr, scope)?]),
        }
    }

    /// Makes sure that a range that is written out is neither empty nor endless.
    pub(super) fn range_size(&mut self, low: Bound, high: Bound, expr: Id) -> Option<()> {
        if low <= high && high - low < 1 << 20 {
            return Some(());
        }
        let title = "a set of numbers has at least one member, and at most a million";
        let label = format!("from {low} to {high}");
        self.report(Diagnostic::error("V0210", self.tree.span(expr), title).label(label));
        None
    }
}
