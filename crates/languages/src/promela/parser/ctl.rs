//! Formulas of computation tree logic. `U` and `W` stand within the brackets of `A[p U q]` and bind weakest
//! there. Words such as `AG` are operators only where an operator may stand, so a variable may be called
//! `AG`, and an array `A`.

use narrows_logic::{Ctl, Paths};
use narrows_source::Diagnostic;

use super::formulas::{Formula, Join, Operand, Position};
use super::{Parsed, Parser, Reported};
use crate::promela::ast::{BinaryOperator, Expr};
use crate::promela::lexer::TokenKind;

const UNTIL: [&str; 3] = ["U", "until", "stronguntil"];
const WEAK_UNTIL: [&str; 2] = ["W", "weakuntil"];

impl Formula for Ctl<Expr> {
    const HELP: &'static str = "temporal operators bind tightest: write `AG (x == 1)`, not `AG x == 1`";
    const AND: Join<Self> = Ctl::And;
    const OR: Join<Self> = Ctl::Or;
    const IMPLIES: Join<Self> = Ctl::Implies;
    const EQUIVALENT: Join<Self> = Ctl::Equivalent;

    fn atom(expression: Expr) -> Self {
        Ctl::Atom(expression)
    }

    fn not(operand: Box<Self>) -> Self {
        Ctl::Not(operand)
    }

    fn innermost(&mut self) -> Option<&mut Expr> {
        match self {
            Ctl::Atom(expression) => Some(expression),
            Ctl::Not(operand)
            | Ctl::Next(_, operand)
            | Ctl::Eventually(_, operand)
            | Ctl::Always(_, operand) => operand.innermost(),
            _ => None,
        }
    }

    fn word(_: &str) -> Option<Join<Self>> {
        None
    }

    fn instead_of(_: BinaryOperator) -> Option<(Join<Self>, &'static str)> {
        None
    }

    fn temporal(parser: &mut Parser<'_>, place: Position) -> Parsed<Option<Operand<Self>>> {
        match parser.kind() {
            TokenKind::LeftBracket if parser.ahead(1) == TokenKind::RightBracket => {
                Err(parser.without_paths("`AG p` or `EG p`"))
            }
            TokenKind::Less if parser.ahead(1) == TokenKind::Greater => {
                Err(parser.without_paths("`AF p` or `EF p`"))
            }
            TokenKind::Name => parser.ctl_word(place),
            _ => Ok(None),
        }
    }

    fn end(parser: &mut Parser<'_>, place: Position) -> Parsed<()> {
        if place == Position::Elsewhere && parser.at_until() {
            return Err(parser.without_paths("`A[p U q]` or `E[p U q]`"));
        }
        Ok(())
    }
}

impl Parser<'_> {
    /// Parses what starts with a name: an operator if something follows that it may stand before.
    #[inline(never)]
    fn ctl_word(&mut self, place: Position) -> Parsed<Option<Operand<Ctl<Expr>>>> {
        let make: fn(Box<Ctl<Expr>>) -> Ctl<Expr> = match &*self.token().text {
            "AG" => |operand| Ctl::Always(Paths::All, operand),
            "EG" => |operand| Ctl::Always(Paths::Some, operand),
            "AF" => |operand| Ctl::Eventually(Paths::All, operand),
            "EF" => |operand| Ctl::Eventually(Paths::Some, operand),
            "AX" => |operand| Ctl::Next(Paths::All, operand),
            "EX" => |operand| Ctl::Next(Paths::Some, operand),
            "A" if self.until_follows() => return self.ctl_until(Paths::All).map(Some),
            "E" if self.until_follows() => return self.ctl_until(Paths::Some).map(Some),
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
            _ => return Ok(None),
        };
        if !self.operand_follows(place) {
            return Ok(None);
        }
        self.bump();
        let operand = self.nested(|parser| parser.formula_unary(place))?;
        Ok(Some(Operand::Temporal(make(operand.boxed()))))
    }

    /// Parses `A[p U q]`, or with `E`, `W` or parentheses.
    #[inline(never)]
    fn ctl_until(&mut self, paths: Paths) -> Parsed<Operand<Ctl<Expr>>> {
        self.bump();
        let (close, expected) = match self.kind() {
            TokenKind::LeftBracket => (TokenKind::RightBracket, "`]` or an operator"),
            _ => (TokenKind::RightParen, "`)` or an operator"),
        };
        self.bump();
        let formula = self.enclosed(|parser| {
            parser.nested(|parser| {
                let left = parser.formula_part(0, Position::Until)?.boxed();
                let is_weak = WEAK_UNTIL.iter().any(|word| parser.at_word(word));
                if !parser.at_until() {
                    return Err(parser.unexpected("`U` or `W`"));
                }
                parser.bump();
                let right = parser.formula_part(0, Position::Until)?.boxed();
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
