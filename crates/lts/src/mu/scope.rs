//! Whether variables are bound, stand under an even number of negations, and do not alternate.
//!
//! A formula alternates if the value of a `mu` depends on a `nu` within it that depends on the `mu` in turn,
//! or the other way round. `<R*> F` is a `mu` too, and `[R*] F` a `nu`. Without alternation, time is linear
//! in the graph.

use narrows_source::{Diagnostic, Diagnostics, Span, closest};

use super::parser::WORDS;
use super::syntax::{Formula, Operator, Sign};

/// Looks at all variables of a formula, and at what means nothing.
pub(super) fn check(formula: &Formula, diagnostics: &mut Diagnostics) {
    let mut scope = Scope { frames: Vec::new(), used: Vec::new(), diagnostics };
    scope.visit(formula, false);
}

/// What stands around a part of a formula.
enum Frame<'f> {
    /// `mu` or `nu`.
    Binder { name: &'f str, span: Span, sign: Sign, negated: bool },
    /// Something that repeats, and so is a `mu` or a `nu` without a name.
    Repetition { span: Span, sign: Sign },
    /// `equ`, whose operands count both as they are and negated.
    Equivalence,
}

struct Scope<'f, 'd> {
    frames: Vec<Frame<'f>>,
    /// For each frame, whether it is a variable that is used.
    used: Vec<bool>,
    diagnostics: &'d mut Diagnostics,
}

impl<'f> Scope<'f, '_> {
    fn visit(&mut self, formula: &'f Formula, negated: bool) {
        match formula {
            Formula::True | Formula::False => {}
            Formula::Variable(name) => self.variable(&name.text, name.span, negated),
            Formula::Not(operand) => self.visit(operand, !negated),
            Formula::Binary(Operator::Equivalent, left, right) => {
                self.within(Frame::Equivalence, |scope| {
                    scope.visit(left, negated);
                    scope.visit(right, negated);
                });
            }
            Formula::Binary(operator, left, right) => {
                self.visit(left, negated != (*operator == Operator::Implies));
                self.visit(right, negated);
            }
            Formula::Possible(regular, operand) | Formula::Necessary(regular, operand) => {
                let is_possible = matches!(formula, Formula::Possible(..));
                let sign = if is_possible { Sign::Least } else { Sign::Greatest }.flipped(negated);
                match regular.repetition() {
                    Some(span) => {
                        let frame = Frame::Repetition { span, sign };
                        self.within(frame, |scope| scope.visit(operand, negated));
                    }
                    None => self.visit(operand, negated),
                }
            }
            Formula::Endless(regular, span) | Formula::Bounded(regular, span) => {
                if regular.fits_nothing() {
                    let value = if matches!(formula, Formula::Endless(..)) { "true" } else { "false" };
                    let title = format!("this is always {value}");
                    Diagnostic::warning("M0103", *span, title)
                        .label("the path without edges fits, and it can be repeated for ever")
                        .help("`R+` in place of `R*` asks for one edge at least")
                        .emit(self.diagnostics);
                }
            }
            Formula::Fixpoint(sign, name, body) => {
                let frame =
                    Frame::Binder { name: &name.text, span: name.span, sign: sign.flipped(negated), negated };
                let used = self.within(frame, |scope| scope.visit(body, negated));
                if !used {
                    let title = format!("the variable `{}` is never used", name.text);
                    Diagnostic::warning("M0101", name.span, title)
                        .label("the formula means the same without it")
                        .emit(self.diagnostics);
                }
            }
        }
    }

    /// Visits what stands within something; returns whether the variable that it binds is used.
    fn within(&mut self, frame: Frame<'f>, visit: impl FnOnce(&mut Self)) -> bool {
        self.frames.push(frame);
        self.used.push(false);
        visit(self);
        self.frames.pop();
        self.used.pop().unwrap_or(false)
    }

    fn variable(&mut self, name: &str, span: Span, negated: bool) {
        let binder = self.frames.iter().enumerate().rev().find_map(|(place, frame)| match frame {
            Frame::Binder { name: other, span, sign, negated } if *other == name => {
                Some((place, *span, *sign, *negated))
            }
            _ => None,
        });
        let Some((place, bound, sign, bound_negated)) = binder else {
            self.unknown(name, span);
            return;
        };
        self.used[place] = true;
        let inner = &self.frames[place + 1..];
        if negated != bound_negated || inner.iter().any(|frame| matches!(frame, Frame::Equivalence)) {
            let title = format!("`{name}` stands under an odd number of negations");
            Diagnostic::error("M0007", span, title)
                .label("so a larger set for it could make the formula hold in fewer states")
                .also(bound, "it is bound here")
                .note("`not`, the left side of `implies` and both sides of `equ` negate")
                .emit(self.diagnostics);
            return;
        }
        let crossed = inner.iter().find_map(|frame| match frame {
            Frame::Binder { span, sign: other, .. } if *other != sign => Some((*span, *other, false)),
            Frame::Repetition { span, sign: other } if *other != sign => Some((*span, *other, true)),
            _ => None,
        });
        if let Some((crossing, other, is_repetition)) = crossed {
            self.alternates(name, span, (bound, sign), (crossing, other), is_repetition);
        }
    }

    fn alternates(
        &mut self,
        name: &str,
        span: Span,
        (bound, sign): (Span, Sign),
        (crossing, other): (Span, Sign),
        is_repetition: bool,
    ) {
        let kind = |sign| if sign == Sign::Least { "least" } else { "greatest" };
        let (outer, inner) = (kind(sign), kind(other));
        let within = if is_repetition {
            format!("this repetition is a {inner} fixpoint")
        } else {
            format!("a {inner} fixpoint within")
        };
        let help = match (is_repetition, sign) {
            (true, Sign::Greatest) => "if the body is `<R> X`, write `<R> @`: `R` can be repeated for ever",
            (true, Sign::Least) => "if the body is `[R] X`, write `[R] -|`: `R` can't be repeated for ever",
            (false, _) => "write the inner formula without the outer variable, if you can",
        };
        Diagnostic::error("M0008", span, "least and greatest fixpoints depend on each other")
            .label(format!("`{name}` is used within the other kind"))
            .also(bound, format!("a {outer} fixpoint"))
            .also(crossing, within)
            .note("only formulas without such alternation are checked: in time linear in the graph")
            .help(help)
            .emit(self.diagnostics);
    }

    fn unknown(&mut self, name: &str, span: Span) {
        let bound = self.frames.iter().filter_map(|frame| match frame {
            Frame::Binder { name, .. } => Some(*name),
            _ => None,
        });
        let near = closest(name, bound.chain(WORDS));
        let diagnostic = Diagnostic::error("M0006", span, format!("unknown variable `{name}`"))
            .label("no `mu` or `nu` around it binds it");
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("bind it with `mu {name} . …` or `nu {name} . …`; an action stands in `<…>` or `[…]`")
            }
        };
        self.diagnostics.push(diagnostic.help(help));
    }
}
