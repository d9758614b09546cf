//! Formulas of computation tree logic.
//!
//! Precedences are those of LTL: `->` and `<->` bind weakest, then `||`, `&&`, and then the operators of
//! expressions; all binary ones group to the left, and `!`, `AG` and its relatives bind tightest. `U` and `W`
//! stand within the brackets of `A[p U q]` and bind weakest there. Words such as `AG` are operators only
//! where an operator may stand, so a variable may be called `AG`, and an array `A`.

use narrows_logic::{Ctl, Paths};
use narrows_source::{Diagnostic, Span};

use super::expressions::binary_operator;
use super::{Parsed, Parser, Reported};
use crate::promela::ast::{BinaryOperator, Expr, ExprKind, UnaryOperator};
use crate::promela::lexer::TokenKind;

type Formula = Ctl<Expr>;

/// A part of a formula: an expression as long as nothing in it is temporal.
enum Operand {
    Plain(Expr),
    Temporal(Formula),
}

impl Operand {
    fn formula(self) -> Formula {
        match self {
            Operand::Plain(expression) => Ctl::Atom(expression),
            Operand::Temporal(formula) => formula,
        }
    }

    fn boxed(self) -> Box<Formula> {
        Box::new(self.formula())
    }
}

/// Makes a formula out of two.
type Join = fn(Box<Formula>, Box<Formula>) -> Formula;

/// An operator between two parts.
#[derive(Clone, Copy)]
enum Operator {
    /// One of formulas; it is one of expressions too if there is an operator for that.
    Logic(Join, Option<BinaryOperator>),
    Plain(BinaryOperator),
}

/// Where a part of a formula stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Directly within the brackets of `A[p U q]`.
    Until,
    Elsewhere,
}

const UNTIL: [&str; 3] = ["U", "until", "stronguntil"];
const WEAK_UNTIL: [&str; 2] = ["W", "weakuntil"];

impl Parser<'_> {
    /// Parses a formula.
    pub(super) fn ctl(&mut self) -> Parsed<Formula> {
        Ok(self.ctl_part(0, Position::Elsewhere)?.formula())
    }

    #[inline(never)]
    fn ctl_part(&mut self, minimum: u8, place: Position) -> Parsed<Operand> {
        let start = self.position;
        let mut left = self.ctl_unary(place)?;
        while let Some((operator, strength, length)) = self.ctl_operator() {
            if strength < minimum {
                break;
            }
            self.count_operator()?;
            let span = self.span();
            for _ in 0..length {
                self.bump();
            }
            let right = self.nested(|parser| parser.ctl_part(strength + 1, place))?;
            left = self.ctl_combine(operator, left, right, start, span)?;
        }
        if place == Position::Elsewhere && self.at_until() {
            return Err(self.without_paths("`A[p U q]` or `E[p U q]`"));
        }
        Ok(left)
    }

    /// Returns the binary operator here, how strongly it binds and how many tokens it has.
    fn ctl_operator(&self) -> Option<(Operator, u8, usize)> {
        let and = Operator::Logic(Ctl::And, Some(BinaryOperator::And));
        let or = Operator::Logic(Ctl::Or, Some(BinaryOperator::Or));
        let implies = Operator::Logic(Ctl::Implies, None);
        let equivalent = Operator::Logic(Ctl::Equivalent, None);
        Some(match self.kind() {
            TokenKind::Arrow => (implies, 0, 1),
            TokenKind::Less if self.ahead(1) == TokenKind::Arrow => (equivalent, 0, 2),
            TokenKind::OrOr => (or, 1, 1),
            TokenKind::Backslash if self.ahead(1) == TokenKind::Slash => (or, 1, 2),
            TokenKind::AndAnd => (and, 2, 1),
            TokenKind::Slash if self.ahead(1) == TokenKind::Backslash => (and, 2, 2),
            TokenKind::Name if self.at_word("implies") => (implies, 0, 1),
            TokenKind::Name if self.at_word("equivalent") => (equivalent, 0, 1),
            kind => {
                let (operator, strength) = binary_operator(kind)?;
                (Operator::Plain(operator), strength + 1, 1)
            }
        })
    }

    #[inline(never)]
    fn ctl_combine(
        &mut self,
        operator: Operator,
        left: Operand,
        right: Operand,
        start: usize,
        span: Span,
    ) -> Parsed<Operand> {
        match (operator, left, right) {
            (
                Operator::Logic(_, Some(operator)) | Operator::Plain(operator),
                Operand::Plain(left),
                Operand::Plain(right),
            ) => {
                let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
                Ok(Operand::Plain(Expr { kind, span: self.span_from(start) }))
            }
            (Operator::Logic(join, _), left, right) => {
                Ok(Operand::Temporal(join(left.boxed(), right.boxed())))
            }
            (Operator::Plain(operator), left, right) => {
                self.ctl_plain_on_formula(operator, left, right, span)
            }
        }
    }

    /// Reads `AG x == 1` as `AG (x == 1)`, with a warning: the same as in LTL.
    fn ctl_plain_on_formula(
        &mut self,
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
        span: Span,
    ) -> Parsed<Operand> {
        let title = "a formula is used as a number";
        let label = "this operator takes expressions without temporal operators";
        let help = "temporal operators bind tightest: write `AG (x == 1)`, not `AG x == 1`";
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
    fn ctl_unary(&mut self, place: Position) -> Parsed<Operand> {
        let start = self.position;
        match self.kind() {
            TokenKind::LeftBracket if self.ahead(1) == TokenKind::RightBracket => {
                Err(self.without_paths("`AG p` or `EG p`"))
            }
            TokenKind::Less if self.ahead(1) == TokenKind::Greater => {
                Err(self.without_paths("`AF p` or `EF p`"))
            }
            TokenKind::Name => self.ctl_word(place),
            TokenKind::LeftParen => {
                self.bump();
                let mut part =
                    self.enclosed(|parser| parser.nested(|parser| parser.ctl_part(0, Position::Elsewhere)))?;
                self.expect(TokenKind::RightParen, "`)` or an operator")?;
                if let Operand::Plain(expression) = &mut part {
                    expression.span = self.span_from(start);
                }
                Ok(part)
            }
            TokenKind::Bang | TokenKind::BangBang => self.ctl_not(place),
            TokenKind::Minus | TokenKind::Tilde => {
                let operator =
                    if self.at(TokenKind::Minus) { UnaryOperator::Minus } else { UnaryOperator::Complement };
                let span = self.span();
                self.bump();
                match self.nested(|parser| parser.ctl_unary(place))? {
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
                }
            }
            _ => Ok(Operand::Plain(self.unary()?)),
        }
    }

    #[inline(never)]
    fn ctl_not(&mut self, place: Position) -> Parsed<Operand> {
        let start = self.position;
        let times = if self.at(TokenKind::BangBang) { 2 } else { 1 };
        self.bump();
        let mut part = self.nested(|parser| parser.ctl_unary(place))?;
        for _ in 0..times {
            part = match part {
                Operand::Plain(operand) => {
                    let kind = ExprKind::Unary(UnaryOperator::Not, Box::new(operand));
                    Operand::Plain(Expr { kind, span: self.span_from(start) })
                }
                Operand::Temporal(formula) => Operand::Temporal(Ctl::Not(Box::new(formula))),
            };
        }
        Ok(part)
    }

    /// Parses what starts with a name: an operator if something follows that it may stand before.
    #[inline(never)]
    fn ctl_word(&mut self, place: Position) -> Parsed<Operand> {
        let make: fn(Box<Formula>) -> Formula = match &*self.token().text {
            "AG" => |operand| Ctl::Always(Paths::All, operand),
            "EG" => |operand| Ctl::Always(Paths::Some, operand),
            "AF" => |operand| Ctl::Eventually(Paths::All, operand),
            "EF" => |operand| Ctl::Eventually(Paths::Some, operand),
            "AX" => |operand| Ctl::Next(Paths::All, operand),
            "EX" => |operand| Ctl::Next(Paths::Some, operand),
            "A" if self.until_follows() => return self.ctl_until(Paths::All),
            "E" if self.until_follows() => return self.ctl_until(Paths::Some),
            "A" | "E" if self.operand_follows(place) => {
                return Err(self.without_paths("`A[p U q]`, `E[p U q]`, `AG p` and so on"));
            }
            "G" | "always" if self.operand_follows(place) => {
                return Err(self.without_paths("`AG p` or `EG p`"));
            }
            "F" | "eventually" if self.operand_follows(place) => {
                return Err(self.without_paths("`AF p` or `EF p`"));
            }
            "X" | "next" if self.operand_follows(place) => {
                return Err(self.without_paths("`AX p` or `EX p`"));
            }
            _ => return Ok(Operand::Plain(self.named()?)),
        };
        if !self.operand_follows(place) {
            return Ok(Operand::Plain(self.named()?));
        }
        self.bump();
        let operand = self.nested(|parser| parser.ctl_unary(place))?;
        Ok(Operand::Temporal(make(operand.boxed())))
    }

    /// Parses `A[p U q]`, or with `E`, `W` or parentheses.
    #[inline(never)]
    fn ctl_until(&mut self, paths: Paths) -> Parsed<Operand> {
        self.bump();
        let (close, expected) = match self.kind() {
            TokenKind::LeftBracket => (TokenKind::RightBracket, "`]` or an operator"),
            _ => (TokenKind::RightParen, "`)` or an operator"),
        };
        self.bump();
        let formula = self.enclosed(|parser| {
            parser.nested(|parser| {
                let left = parser.ctl_part(0, Position::Until)?.boxed();
                let is_weak = WEAK_UNTIL.iter().any(|word| parser.at_word(word));
                if !parser.at_until() {
                    return Err(parser.unexpected("`U` or `W`"));
                }
                parser.bump();
                let right = parser.ctl_part(0, Position::Until)?.boxed();
                let join = if is_weak { Ctl::WeakUntil } else { Ctl::Until };
                Ok(join(paths, left, right))
            })
        })?;
        self.expect(close, expected)?;
        Ok(Operand::Temporal(formula))
    }

    fn at_until(&self) -> bool {
        UNTIL.iter().chain(&WEAK_UNTIL).any(|word| self.at_word(word))
    }

    /// Returns whether the token after this one starts an operand, so that this one is an operator.
    fn operand_follows(&self, place: Position) -> bool {
        match self.ahead(1) {
            TokenKind::Name => {
                // `AG U q` within `A[…]`: there the variable comes first.
                let next = &self.tokens[self.position + 1].text;
                let is_until = UNTIL.iter().chain(&WEAK_UNTIL).any(|word| **word == **next);
                !(is_until && place == Position::Until) && &**next != "implies" && &**next != "equivalent"
            }
            TokenKind::LeftBracket => self.ahead(2) == TokenKind::RightBracket,
            TokenKind::Less => self.ahead(2) == TokenKind::Greater,
            TokenKind::LeftParen
            | TokenKind::Bang
            | TokenKind::BangBang
            | TokenKind::Tilde
            | TokenKind::Number
            | TokenKind::Character
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Skip
            | TokenKind::Timeout
            | TokenKind::Np
            | TokenKind::Len
            | TokenKind::Full
            | TokenKind::Empty
            | TokenKind::Nfull
            | TokenKind::Nempty
            | TokenKind::Enabled
            | TokenKind::PcValue
            | TokenKind::GetPriority => true,
            _ => false,
        }
    }

    /// Returns whether the brackets after this token hold `p U q`, and no index; nothing else can be meant by
    /// parentheses.
    fn until_follows(&self) -> bool {
        match self.ahead(1) {
            TokenKind::LeftParen => return true,
            TokenKind::LeftBracket => {}
            _ => return false,
        }
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(self.position + 1) {
            match token.kind {
                TokenKind::LeftBracket | TokenKind::LeftParen => depth += 1,
                TokenKind::RightBracket | TokenKind::RightParen => depth -= 1,
                TokenKind::Name if depth == 1 && index > self.position + 2 => {
                    let is_until = UNTIL.iter().chain(&WEAK_UNTIL).any(|word| **word == *token.text);
                    let before = self.tokens[index - 1].kind;
                    let is_between = matches!(
                        before,
                        TokenKind::Name
                            | TokenKind::Number
                            | TokenKind::Character
                            | TokenKind::RightParen
                            | TokenKind::RightBracket
                            | TokenKind::True
                            | TokenKind::False
                            | TokenKind::Skip
                            | TokenKind::Timeout
                            | TokenKind::Np
                    );
                    if is_until && is_between {
                        return true;
                    }
                }
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }

    #[cold]
    fn without_paths(&mut self, instead: &str) -> Reported {
        let title = "a temporal operator that does not say which paths it means";
        let diagnostic = Diagnostic::error("P0123", self.span(), title)
            .label("`A` for all paths or `E` for some path is missing")
            .help(format!("write {instead}; for a formula over single runs, use LTL"));
        self.report(diagnostic);
        Reported
    }
}

/// Moves a comparison inside of the unary operators that stand before its left side.
fn pushed_in(formula: Formula, operator: BinaryOperator, right: &Expr) -> Option<Formula> {
    let inside = |operand: Box<Formula>| Some(Box::new(pushed_in(*operand, operator, right)?));
    Some(match formula {
        Ctl::Not(operand) => Ctl::Not(inside(operand)?),
        Ctl::Next(paths, operand) => Ctl::Next(paths, inside(operand)?),
        Ctl::Eventually(paths, operand) => Ctl::Eventually(paths, inside(operand)?),
        Ctl::Always(paths, operand) => Ctl::Always(paths, inside(operand)?),
        Ctl::Atom(left) => {
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right.clone()));
            Ctl::Atom(Expr { kind, span })
        }
        _ => return None,
    })
}
