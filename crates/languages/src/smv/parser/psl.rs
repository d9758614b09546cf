//! Specifications in PSL, as far as they are formulas of linear or branching time in other words: `always`,
//! `never`, `eventually!`, `next`, `until`, `before` and their relatives. Regular expressions are not read.
//!
//! Operators bind as PSL has it: `always` and `never` most weakly, then `->` and `<->`, then `until` and
//! `before`, then `next` and `eventually!`, then those of expressions.

use narrows_source::Span;

use super::{Parsed, Parser};
use crate::smv::ast::{Binary, Bounded, ExprKind, Id, Temporal, TemporalPair, Unary};
use crate::smv::lexer::{SECTIONS, TokenKind};

/// The words of PSL that stand before a formula and are names elsewhere.
const PREFIXES: &[&str] = &["always", "never", "eventually", "next", "next_a", "next_e"];

impl Parser<'_> {
    /// Parses a formula of PSL; tells whether it is one of branching time.
    pub(super) fn psl(&mut self) -> Parsed<(Id, bool)> {
        self.in_psl = true;
        let formula = self.expression();
        self.in_psl = false;
        let formula = formula?;
        Ok((formula, self.is_branching(formula)))
    }

    /// Returns where a specification goes beyond what is read: the brace of a regular expression, or
    /// `forall`.
    pub(super) fn psl_beyond(&self) -> Option<Span> {
        let rest = self.tokens[self.position..].iter();
        let own =
            rest.take_while(|token| !SECTIONS.contains(&&*token.text) && token.kind != TokenKind::Semicolon);
        let mut before = "";
        for token in own {
            let opens = token.kind == TokenKind::LeftBrace && !matches!(before, "in" | "union" | "=" | "!=");
            if opens || matches!(&*token.text, "forall" | "abort") {
                return Some(token.span);
            }
            before = &token.text;
        }
        None
    }

    /// Skips a specification; semicolons in braces belong to it.
    pub(super) fn psl_skip(&mut self) {
        let mut depth = 0_usize;
        while !self.at(TokenKind::End) && !self.at_section() {
            match self.kind() {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && self.eat(TokenKind::Semicolon) {
                return;
            }
            self.bump();
        }
    }

    /// Parses what may stand in parentheses.
    pub(super) fn psl_invariance(&mut self) -> Parsed<Id> {
        let start = self.position;
        let is_never = self.at_word("never");
        if is_never
            || self.at_word("always")
            || self.at_keyword("G") && self.ahead(1) != TokenKind::LeftBracket
        {
            self.bump();
            self.eat_strong();
            let mut operand = self.nested(Self::psl_invariance)?;
            if is_never {
                operand = self.add(ExprKind::Unary(Unary::Not, operand), start, &[operand]);
            }
            return Ok(self.add(ExprKind::Temporal(Temporal::Always, operand), start, &[operand]));
        }
        let left = self.psl_bounding()?;
        let operator = match self.kind() {
            TokenKind::Arrow => Binary::Implies,
            TokenKind::DoubleArrow => Binary::Equivalent,
            _ => return Ok(left),
        };
        self.bump();
        let right = self.nested(Self::psl_invariance)?;
        Ok(self.add(ExprKind::Binary(operator, left, right), start, &[left, right]))
    }

    /// Parses `until`, `before` and what binds as they do.
    fn psl_bounding(&mut self) -> Parsed<Id> {
        let start = self.position;
        let left = self.psl_occurrence()?;
        let word = self.token().text.clone();
        let is_until = match &*word {
            "until" | "until_" | "U" | "W" => true,
            "before" | "before_" => false,
            _ => return Ok(left),
        };
        if !matches!(self.kind(), TokenKind::Name | TokenKind::Keyword) {
            return Ok(left);
        }
        self.bump();
        let mut is_strong = &*word == "U";
        let mut includes_end = word.ends_with('_');
        if &*word != "U" && &*word != "W" && self.eat_strong() {
            is_strong = true;
            includes_end |= self.eat_adjacent("_");
        }
        let right = self.nested(Self::psl_bounding)?;
        let (hold, end) = if is_until {
            let end = if includes_end { self.both(left, right, start) } else { right };
            (left, end)
        } else {
            // Before the one comes, the other has come; or with it, if the end is included.
            let not_right = self.add(ExprKind::Unary(Unary::Not, right), start, &[right]);
            let end = if includes_end { left } else { self.both(left, not_right, start) };
            (not_right, end)
        };
        let until = self.add(ExprKind::TemporalPair(TemporalPair::Until, hold, end), start, &[hold, end]);
        if is_strong {
            return Ok(until);
        }
        let forever = self.add(ExprKind::Temporal(Temporal::Always, hold), start, &[hold]);
        Ok(self.add(ExprKind::Binary(Binary::Or, until, forever), start, &[until, forever]))
    }

    /// Parses `next`, `eventually!` and what binds as they do.
    fn psl_occurrence(&mut self) -> Parsed<Id> {
        let start = self.position;
        let word = self.token().text.clone();
        let is_next = match (self.kind(), &*word) {
            (TokenKind::Keyword, "next" | "X") => true,
            (TokenKind::Keyword, "F") if self.ahead(1) != TokenKind::LeftBracket => false,
            (TokenKind::Name, "eventually") => false,
            (TokenKind::Name, "next_a" | "next_e") => return self.psl_next_within(start, &*word == "next_a"),
            _ => return self.psl_operand(),
        };
        self.bump();
        if !self.eat_strong() && &*word == "eventually" {
            return Err(self.unexpected("`!` right after `eventually`"));
        }
        let count = if is_next && self.at(TokenKind::LeftBracket) { Some(self.psl_count()?) } else { None };
        let operand = self.nested(Self::psl_occurrence)?;
        let kind = match count {
            Some(count) => ExprKind::Bounded(Bounded::Eventually, count, count, operand),
            None if is_next => ExprKind::Temporal(Temporal::Next, operand),
            None => ExprKind::Temporal(Temporal::Eventually, operand),
        };
        Ok(self.add(kind, start, &[operand]))
    }

    fn psl_count(&mut self) -> Parsed<Id> {
        self.bump();
        let count = self.bound()?;
        self.expect(TokenKind::RightBracket, "`]`")?;
        Ok(count)
    }

    /// Parses `next_a[i:j] p` and `next_e[i:j] p`: in all, or in some, of these steps.
    fn psl_next_within(&mut self, start: usize, in_all: bool) -> Parsed<Id> {
        self.bump();
        self.eat_strong();
        self.expect(TokenKind::LeftBracket, "`[`")?;
        let low = self.bound()?;
        self.expect(TokenKind::Colon, "`:`")?;
        let high = self.bound()?;
        self.expect(TokenKind::RightBracket, "`]`")?;
        let operand = self.nested(Self::psl_occurrence)?;
        let operator = if in_all { Bounded::Always } else { Bounded::Eventually };
        Ok(self.add(ExprKind::Bounded(operator, low, high, operand), start, &[operand]))
    }

    /// Returns whether a formula of PSL begins here that is no expression.
    pub(super) fn at_psl_prefix(&self) -> bool {
        self.in_psl
            && matches!(self.kind(), TokenKind::Name | TokenKind::Keyword)
            && PREFIXES.contains(&&*self.token().text)
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Name) && &*self.token().text == word
    }

    /// Takes the `!` that makes an operator strong: it stands right after the word, as in `until! q`, not
    /// `until !q`.
    fn eat_strong(&mut self) -> bool {
        self.eat_adjacent("!")
    }

    fn eat_adjacent(&mut self, text: &str) -> bool {
        let before = self.tokens[self.position - 1].span;
        let found = &*self.token().text == text && before.end == self.span().start;
        if found {
            self.bump();
        }
        found
    }

    fn both(&mut self, left: Id, right: Id, start: usize) -> Id {
        self.add(ExprKind::Binary(Binary::And, left, right), start, &[left, right])
    }

    /// Returns whether a formula chooses among paths.
    fn is_branching(&self, formula: Id) -> bool {
        let any = |operands: &[Id]| operands.iter().any(|operand| self.is_branching(*operand));
        let expr = self.tree.expr(formula);
        expr.is_temporal
            && match &expr.kind {
                ExprKind::Temporal(operator, operand) => operator.is_branching() || any(&[*operand]),
                ExprKind::TemporalPair(operator, left, right) => {
                    matches!(operator, TemporalPair::AllUntil | TemporalPair::SomeUntil)
                        || any(&[*left, *right])
                }
                ExprKind::Bounded(operator, _, _, operand) => operator.is_branching() || any(&[*operand]),
                ExprKind::BoundedUntil { .. } => true,
                ExprKind::Unary(_, operand) => any(&[*operand]),
                ExprKind::Binary(_, left, right) => any(&[*left, *right]),
                _ => false,
            }
    }
}
