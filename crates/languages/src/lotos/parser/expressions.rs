//! Expressions and conditions.

use super::super::ast::{Condition, Expr, Ident};
use super::super::lexer::TokenKind;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// Parses an expression; names between operands are operations, all equally tight, from left to right.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let mut left = self.nested(Self::operand)?;
        while matches!(self.kind(), TokenKind::Name | TokenKind::Special) {
            let name = Ident { name: self.token().text.clone(), span: self.span() };
            self.bump();
            let right = self.nested(Self::operand)?;
            let span = self.span_from(start);
            left = Expr { name, arguments: vec![left, right], infix: true, applied: true, sort: None, span };
        }
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let mut expr = if self.eat("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            inner
        } else {
            if !matches!(self.kind(), TokenKind::Name | TokenKind::Digits | TokenKind::Special) {
                return Err(self.unexpected("a value"));
            }
            let name = Ident { name: self.token().text.clone(), span: self.span() };
            self.bump();
            let mut arguments = Vec::new();
            let applied = self.eat("(");
            if applied {
                arguments.push(self.expression()?);
                while self.eat(",") {
                    arguments.push(self.expression()?);
                }
                self.expect(")")?;
            }
            Expr { name, arguments, infix: false, applied, sort: None, span: self.span_from(start) }
        };
        if self.eat("of") {
            expr.sort = Some(self.name("the name of a sort")?);
            expr.span = self.span_from(start);
        }
        Ok(expr)
    }

    /// Parses `e` or `e = f`.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let left = self.expression()?;
        if self.eat("=") {
            return Ok(Condition::Equal(left, self.expression()?));
        }
        Ok(Condition::True(left))
    }
}
