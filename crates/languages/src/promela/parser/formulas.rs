//! What formulas of all temporal logics have in common: operators between parts, expressions within them.
//!
//! `->` and `<->` bind weakest, then `||`, `&&`, binary temporal operators, and then the operators of
//! expressions; all binary ones group to the left, and unary ones bind tightest.

use narrows_source::{Diagnostic, Span};

use super::expressions::binary_operator;
use super::{Parsed, Parser, Reported};
use crate::promela::ast::{BinaryOperator, Expr, ExprKind, UnaryOperator};
use crate::promela::lexer::TokenKind;

/// Makes a formula out of two.
pub(super) type Join<F> = fn(Box<F>, Box<F>) -> F;

/// Where a part of a formula stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Directly within the brackets of `A[p U q]`.
    Until,
    Elsewhere,
}

/// Formulas of a temporal logic over expressions.
pub(super) trait Formula: Sized {
    /// How a comparison below a temporal operator is written, and how it is not.
    const HELP: &'static str;
    const AND: Join<Self>;
    const OR: Join<Self>;
    const IMPLIES: Join<Self>;
    const EQUIVALENT: Join<Self>;

    fn atom(expression: Expr) -> Self;

    fn not(operand: Box<Self>) -> Self;

    /// Returns the expression that nothing but unary operators stand before.
    fn innermost(&mut self) -> Option<&mut Expr>;

    /// Returns the operator between formulas that a word stands for.
    fn word(word: &str) -> Option<Join<Self>>;

    /// Returns what an operator on the bits of numbers is taken for between formulas, and what to write.
    fn instead_of(operator: BinaryOperator) -> Option<(Join<Self>, &'static str)>;

    /// Parses what begins with a temporal operator, if one stands here.
    fn temporal(parser: &mut Parser<'_>, place: Position) -> Parsed<Option<Operand<Self>>>;

    /// Reports an operator that can't follow on a part.
    fn end(parser: &mut Parser<'_>, place: Position) -> Parsed<()>;
}

/// A part of a formula: an expression as long as nothing in it is temporal.
pub(super) enum Operand<F> {
    Plain(Expr),
    Temporal(F),
}

impl<F: Formula> Operand<F> {
    pub(super) fn formula(self) -> F {
        match self {
            Operand::Plain(expression) => F::atom(expression),
            Operand::Temporal(formula) => formula,
        }
    }

    pub(super) fn boxed(self) -> Box<F> {
        Box::new(self.formula())
    }
}

/// An operator between two parts.
#[derive(Clone, Copy)]
enum Operator<F> {
    /// One of formulas; it is one of expressions too if there is an operator for that.
    Logic(Join<F>, Option<BinaryOperator>),
    Plain(BinaryOperator),
}

impl Parser<'_> {
    /// Parses a formula.
    pub(super) fn formula<F: Formula>(&mut self) -> Parsed<F> {
        Ok(self.formula_part(0, Position::Elsewhere)?.formula())
    }

    #[inline(never)]
    pub(super) fn formula_part<F: Formula>(&mut self, minimum: u8, place: Position) -> Parsed<Operand<F>> {
        let start = self.position;
        let mut left = self.formula_unary(place)?;
        while let Some((operator, strength, length)) = self.formula_operator() {
            if strength < minimum {
                break;
            }
            self.count_operator()?;
            let span = self.span();
            for _ in 0..length {
                self.bump();
            }
            let right = self.nested(|parser| parser.formula_part(strength + 1, place))?;
            left = self.combine(operator, (left, right), start, span)?;
        }
        F::end(self, place)?;
        Ok(left)
    }

    /// Returns the binary operator here, how strongly it binds and how many tokens it has.
    fn formula_operator<F: Formula>(&self) -> Option<(Operator<F>, u8, usize)> {
        let and = Operator::Logic(F::AND, Some(BinaryOperator::And));
        let or = Operator::Logic(F::OR, Some(BinaryOperator::Or));
        let implies = Operator::Logic(F::IMPLIES, None);
        let equivalent = Operator::Logic(F::EQUIVALENT, None);
        Some(match self.kind() {
            TokenKind::Arrow => (implies, 0, 1),
            TokenKind::Less if self.ahead(1) == TokenKind::Arrow => (equivalent, 0, 2),
            TokenKind::OrOr => (or, 1, 1),
            TokenKind::Backslash if self.ahead(1) == TokenKind::Slash => (or, 1, 2),
            TokenKind::AndAnd => (and, 2, 1),
            TokenKind::Slash if self.ahead(1) == TokenKind::Backslash => (and, 2, 2),
            TokenKind::Name => match &*self.token().text {
                "implies" => (implies, 0, 1),
                "equivalent" => (equivalent, 0, 1),
                word => (Operator::Logic(F::word(word)?, None), 3, 1),
            },
            kind => {
                let (operator, strength) = binary_operator(kind)?;
                (Operator::Plain(operator), strength + 1, 1)
            }
        })
    }

    #[inline(never)]
    fn combine<F: Formula>(
        &mut self,
        operator: Operator<F>,
        parts: (Operand<F>, Operand<F>),
        start: usize,
        span: Span,
    ) -> Parsed<Operand<F>> {
        Ok(match (operator, parts) {
            (
                Operator::Logic(_, Some(operator)) | Operator::Plain(operator),
                (Operand::Plain(left), Operand::Plain(right)),
            ) => {
                let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
                Operand::Plain(Expr { kind, span: self.span_from(start) })
            }
            (Operator::Logic(join, _), (left, right)) => Operand::Temporal(join(left.boxed(), right.boxed())),
            (Operator::Plain(operator), (left, right)) => {
                Operand::Temporal(self.plain_on_formula(operator, left, right, span)?)
            }
        })
    }

    /// Makes sense of `[] x == 1` and `p & <> q`, which SPIN accepts but turns into claims that mean nothing.
    fn plain_on_formula<F: Formula>(
        &mut self,
        operator: BinaryOperator,
        left: Operand<F>,
        right: Operand<F>,
        span: Span,
    ) -> Parsed<F> {
        let title = "a formula is used as a number";
        let label = "this operator takes expressions without temporal operators";
        if let Some((join, help)) = F::instead_of(operator) {
            self.report(Diagnostic::warning("P0116", span, title).label(label).help(help));
            return Ok(join(left.boxed(), right.boxed()));
        }
        if let (Operand::Temporal(mut formula), Operand::Plain(right)) = (left, right)
            && let Some(place) = formula.innermost()
        {
            let note = "it is read as if the comparison stood in parentheses";
            self.report(Diagnostic::warning("P0116", span, title).label(label).note(note).help(F::HELP));
            let left = std::mem::replace(place, Expr { kind: ExprKind::Timeout, span });
            let span = left.span.to(right.span);
            *place = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span };
            return Ok(formula);
        }
        self.report(Diagnostic::error("P0116", span, title).label(label).help(F::HELP));
        Err(Reported)
    }

    #[inline(never)]
    pub(super) fn formula_unary<F: Formula>(&mut self, place: Position) -> Parsed<Operand<F>> {
        let start = self.position;
        if let Some(operand) = F::temporal(self, place)? {
            return Ok(operand);
        }
        match self.kind() {
            TokenKind::Name => Ok(Operand::Plain(self.named()?)),
            TokenKind::LeftParen => {
                self.bump();
                let inner = |parser: &mut Self| parser.formula_part(0, Position::Elsewhere);
                let mut part = self.enclosed(|parser| parser.nested(inner))?;
                self.expect(TokenKind::RightParen, "`)` or an operator")?;
                if let Operand::Plain(expression) = &mut part {
                    expression.span = self.span_from(start);
                }
                Ok(part)
            }
            TokenKind::Bang | TokenKind::BangBang => self.formula_not(place),
            TokenKind::Minus | TokenKind::Tilde => {
                let operator =
                    if self.at(TokenKind::Minus) { UnaryOperator::Minus } else { UnaryOperator::Complement };
                let span = self.span();
                self.bump();
                match self.nested(|parser| parser.formula_unary(place))? {
                    Operand::Plain(operand) => {
                        let kind = ExprKind::Unary(operator, Box::new(operand));
                        Ok(Operand::Plain(Expr { kind, span: self.span_from(start) }))
                    }
                    Operand::<F>::Temporal(_) => {
                        let diagnostic = Diagnostic::error("P0116", span, "a formula is used as a number")
                            .label("this operator takes an expression without temporal operators");
                        self.report(diagnostic);
                        Err(Reported)
                    }
                }
            }
            _ => Ok(Operand::Plain(self.unary()?)),
        }
    }

    #[inline(never)]
    fn formula_not<F: Formula>(&mut self, place: Position) -> Parsed<Operand<F>> {
        let start = self.position;
        let times = if self.at(TokenKind::BangBang) { 2 } else { 1 };
        self.bump();
        let mut part = self.nested(|parser| parser.formula_unary(place))?;
        for _ in 0..times {
            part = match part {
                Operand::Plain(operand) => {
                    let kind = ExprKind::Unary(UnaryOperator::Not, Box::new(operand));
                    Operand::Plain(Expr { kind, span: self.span_from(start) })
                }
                Operand::Temporal(formula) => Operand::Temporal(F::not(Box::new(formula))),
            };
        }
        Ok(part)
    }
}
