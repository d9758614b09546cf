//! Formulas of linear temporal logic.
//!
//! Precedences are SPIN's: `->` and `<->` bind weakest, then `||`, `&&`, the binary temporal operators, and
//! then the operators of expressions; all binary ones group to the left, and `[]`, `<>`, `X` and `!` bind
//! tightest. Words such as `U` are operators only where an operator may stand, so a variable may be called
//! `U` too.

use narrows_source::{Diagnostic, Span};

use super::expressions::binary_operator;
use super::{Parsed, Parser, Reported};
use crate::promela::ast::{BinaryOperator, Expr, ExprKind, Ltl, LtlBinary, LtlUnary, UnaryOperator};
use crate::promela::lexer::TokenKind;

/// A part of a formula: an expression as long as nothing in it is temporal.
enum Operand {
    Plain(Expr),
    Temporal(Ltl),
}

impl Operand {
    fn formula(self) -> Ltl {
        match self {
            Operand::Plain(expression) => Ltl::Atom(expression),
            Operand::Temporal(formula) => formula,
        }
    }
}

/// An operator between two parts.
#[derive(Clone, Copy)]
enum Operator {
    Logic(LtlBinary),
    Plain(BinaryOperator),
}

impl Parser<'_> {
    /// Parses a formula.
    pub(super) fn formula(&mut self) -> Parsed<Ltl> {
        Ok(self.formula_part(0)?.formula())
    }

    #[inline(never)]
    fn formula_part(&mut self, minimum: u8) -> Parsed<Operand> {
        let start = self.position;
        let mut left = self.formula_unary()?;
        while let Some((operator, strength, length)) = self.formula_operator() {
            if strength < minimum {
                break;
            }
            self.count_operator()?;
            let span = self.span();
            for _ in 0..length {
                self.bump();
            }
            let right = self.nested(|parser| parser.formula_part(strength + 1))?;
            left = self.combine(operator, left, right, start, span)?;
        }
        Ok(left)
    }

    /// Returns the binary operator here, how strongly it binds and how many tokens it has.
    fn formula_operator(&self) -> Option<(Operator, u8, usize)> {
        let logic = |operator, strength, length| Some((Operator::Logic(operator), strength, length));
        match self.kind() {
            TokenKind::Arrow => logic(LtlBinary::Implies, 0, 1),
            TokenKind::Less if self.ahead(1) == TokenKind::Arrow => logic(LtlBinary::Equivalent, 0, 2),
            TokenKind::OrOr => logic(LtlBinary::Or, 1, 1),
            TokenKind::Backslash if self.ahead(1) == TokenKind::Slash => logic(LtlBinary::Or, 1, 2),
            TokenKind::AndAnd => logic(LtlBinary::And, 2, 1),
            TokenKind::Slash if self.ahead(1) == TokenKind::Backslash => logic(LtlBinary::And, 2, 2),
            TokenKind::Name => match &*self.token().text {
                "implies" => logic(LtlBinary::Implies, 0, 1),
                "equivalent" => logic(LtlBinary::Equivalent, 0, 1),
                "U" | "until" | "stronguntil" => logic(LtlBinary::Until, 3, 1),
                "W" | "weakuntil" => logic(LtlBinary::WeakUntil, 3, 1),
                "V" | "R" | "release" => logic(LtlBinary::Release, 3, 1),
                _ => None,
            },
            kind => {
                let (operator, strength) = binary_operator(kind)?;
                Some((Operator::Plain(operator), strength + 1, 1))
            }
        }
    }

    #[inline(never)]
    fn combine(
        &mut self,
        operator: Operator,
        left: Operand,
        right: Operand,
        start: usize,
        span: Span,
    ) -> Parsed<Operand> {
        let plain = match operator {
            Operator::Plain(operator) => operator,
            Operator::Logic(LtlBinary::And) => BinaryOperator::And,
            Operator::Logic(LtlBinary::Or) => BinaryOperator::Or,
            Operator::Logic(operator) => {
                let formula = Ltl::Binary(operator, Box::new(left.formula()), Box::new(right.formula()));
                return Ok(Operand::Temporal(formula));
            }
        };
        match (operator, left, right) {
            (_, Operand::Plain(left), Operand::Plain(right)) => {
                let kind = ExprKind::Binary(plain, Box::new(left), Box::new(right));
                Ok(Operand::Plain(Expr { kind, span: self.span_from(start) }))
            }
            (Operator::Logic(operator), left, right) => Ok(Operand::Temporal(Ltl::Binary(
                operator,
                Box::new(left.formula()),
                Box::new(right.formula()),
            ))),
            (Operator::Plain(_), left, right) => self.plain_on_formula(plain, left, right, span),
        }
    }

    /// Makes sense of `[] x == 1` and `p & <> q`, which SPIN accepts but turns into claims that mean nothing.
    fn plain_on_formula(
        &mut self,
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Parsed<Operand> {
        let logic = match operator {
            BinaryOperator::BitAnd => Some((LtlBinary::And, "use `&&`: `&` works on the bits of numbers")),
            BinaryOperator::BitOr => Some((LtlBinary::Or, "use `||`: `|` works on the bits of numbers")),
            _ => None,
        };
        let title = "a formula is used as a number";
        let label = "this operator takes expressions without temporal operators";
        if let Some((operator, help)) = logic {
            self.report(Diagnostic::warning("P0116", span, title).label(label).help(help));
            let formula = Ltl::Binary(operator, Box::new(left.formula()), Box::new(right.formula()));
            return Ok(Operand::Temporal(formula));
        }
        let help = "temporal operators bind tightest: write `[] (x == 1)`, not `[] x == 1`";
        if let (Operand::Temporal(formula), Operand::Plain(right)) = (left, right)
            && let Some(formula) = pushed_in(formula, operator, &right)
        {
            let note = "it is read as if the comparison stood in parentheses";
            self.report(Diagnostic::warning("P0116", span, title).label(label).note(note).help(help));
            return Ok(Operand::Temporal(formula));
        }
        self.report(Diagnostic::error("P0116", span, title).label(label).help(help));
        Err(Reported)
    }

    #[inline(never)]
    fn formula_unary(&mut self) -> Parsed<Operand> {
        let start = self.position;
        let (operator, length) = match self.kind() {
            TokenKind::LeftBracket if self.ahead(1) == TokenKind::RightBracket => (LtlUnary::Always, 2),
            TokenKind::Less if self.ahead(1) == TokenKind::Greater => (LtlUnary::Eventually, 2),
            TokenKind::Name => match &*self.token().text {
                "always" => (LtlUnary::Always, 1),
                "eventually" => (LtlUnary::Eventually, 1),
                "X" | "next" => (LtlUnary::Next, 1),
                _ => return Ok(Operand::Plain(self.named()?)),
            },
            TokenKind::LeftParen => {
                self.bump();
                let mut part = self.enclosed(|parser| parser.nested(|parser| parser.formula_part(0)))?;
                self.expect(TokenKind::RightParen, "`)` or an operator")?;
                if let Operand::Plain(expression) = &mut part {
                    expression.span = self.span_from(start);
                }
                return Ok(part);
            }
            TokenKind::Bang | TokenKind::BangBang => return self.formula_not(),
            TokenKind::Minus | TokenKind::Tilde => {
                let operator =
                    if self.at(TokenKind::Minus) { UnaryOperator::Minus } else { UnaryOperator::Complement };
                let span = self.span();
                self.bump();
                return match self.nested(Parser::formula_unary)? {
                    Operand::Plain(operand) => {
                        let kind = ExprKind::Unary(operator, Box::new(operand));
                        Ok(Operand::Plain(Expr { kind, span: self.span_from(start) }))
                    }
                    Operand::Temporal(_) => {
                        let diagnostic = Diagnostic::error("P0116", span, "a formula is used as a number")
                            .label("this operator takes an expression without temporal operators");
                        self.report(diagnostic);
                        Err(Reported)
                    }
                };
            }
            _ => return Ok(Operand::Plain(self.unary()?)),
        };
        for _ in 0..length {
            self.bump();
        }
        let operand = self.nested(Parser::formula_unary)?;
        Ok(Operand::Temporal(Ltl::Unary(operator, Box::new(operand.formula()))))
    }

    #[inline(never)]
    fn formula_not(&mut self) -> Parsed<Operand> {
        let start = self.position;
        let times = if self.at(TokenKind::BangBang) { 2 } else { 1 };
        self.bump();
        let mut part = self.nested(Parser::formula_unary)?;
        for _ in 0..times {
            part = match part {
                Operand::Plain(operand) => {
                    let kind = ExprKind::Unary(UnaryOperator::Not, Box::new(operand));
                    Operand::Plain(Expr { kind, span: self.span_from(start) })
                }
                Operand::Temporal(formula) => Operand::Temporal(Ltl::Not(Box::new(formula))),
            };
        }
        Ok(part)
    }
}

/// Moves a comparison inside of the unary operators that stand before its left side.
fn pushed_in(formula: Ltl, operator: BinaryOperator, right: &Expr) -> Option<Ltl> {
    Some(match formula {
        Ltl::Unary(unary, operand) => Ltl::Unary(unary, Box::new(pushed_in(*operand, operator, right)?)),
        Ltl::Not(operand) => Ltl::Not(Box::new(pushed_in(*operand, operator, right)?)),
        Ltl::Atom(left) => {
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right.clone()));
            Ltl::Atom(Expr { kind, span })
        }
        Ltl::Binary(..) => return None,
    })
}
