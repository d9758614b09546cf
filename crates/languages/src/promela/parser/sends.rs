//! Sends and receives.

use super::{Parsed, Parser};
use crate::promela::ast::{Expr, Place, ReceiveArgument, StatementKind};
use crate::promela::lexer::TokenKind;

impl Parser<'_> {
    /// Parses the rest of `c ! a, b`, `c ! a(b, c)` or `c !! …`; the operator stands here.
    #[inline(never)]
    pub(super) fn send(&mut self, channel: Place) -> Parsed<StatementKind> {
        let sorted = self.at(TokenKind::BangBang);
        self.bump();
        let arguments = self.send_arguments()?;
        Ok(StatementKind::Send { channel, arguments, sorted })
    }

    fn send_arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = vec![self.expression()?];
        if self.at(TokenKind::LeftParen) && !self.line_ended() {
            self.bump();
            arguments.extend(self.enclosed(|parser| parser.expression_list(TokenKind::RightParen))?);
            self.expect(TokenKind::RightParen, "`,` or `)`")?;
            return Ok(arguments);
        }
        while self.eat(TokenKind::Comma) {
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    /// Parses the rest of `c ? a, b`, `c ? <a, b>` or `c ?? …`; the operator stands here.
    #[inline(never)]
    pub(super) fn receive(&mut self, channel: Place) -> Parsed<StatementKind> {
        let random = self.at(TokenKind::QueryQuery);
        self.bump();
        let peek = self.eat(TokenKind::Less);
        let arguments = self.receive_arguments()?;
        if peek {
            self.expect(TokenKind::Greater, "`,` or `>`")?;
        }
        Ok(StatementKind::Receive { channel, arguments, random, peek })
    }

    /// Parses `a, b`, `a(b, c)` or `(a, b)`.
    #[inline(never)]
    pub(super) fn receive_arguments(&mut self) -> Parsed<Vec<ReceiveArgument>> {
        let mut arguments = Vec::new();
        loop {
            if arguments.is_empty() && self.at(TokenKind::LeftParen) {
                self.bump();
                arguments = self.enclosed(|parser| parser.nested(Parser::receive_arguments))?;
                self.expect(TokenKind::RightParen, "`,` or `)`")?;
                return Ok(arguments);
            }
            arguments.push(self.receive_argument()?);
            if self.at(TokenKind::LeftParen) && !self.line_ended() {
                self.bump();
                arguments.extend(self.enclosed(|parser| parser.nested(Parser::receive_arguments))?);
                self.expect(TokenKind::RightParen, "`,` or `)`")?;
                return Ok(arguments);
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(arguments);
            }
        }
    }

    #[inline(never)]
    fn receive_argument(&mut self) -> Parsed<ReceiveArgument> {
        let span = self.span();
        let constant = match self.kind() {
            TokenKind::Number | TokenKind::Character => self.token().value,
            TokenKind::True | TokenKind::Skip => 1,
            TokenKind::False => 0,
            TokenKind::Minus if matches!(self.ahead(1), TokenKind::Number | TokenKind::Character) => {
                let start = self.position;
                self.bump();
                let value = self.token().value.wrapping_neg();
                self.bump();
                return Ok(ReceiveArgument::Constant(value, self.span_from(start)));
            }
            TokenKind::Eval => {
                self.bump();
                self.expect(TokenKind::LeftParen, "`(`")?;
                let value = self.enclosed(|parser| parser.nested(Parser::expression))?;
                self.expect(TokenKind::RightParen, "`)`")?;
                return Ok(ReceiveArgument::Eval(value));
            }
            TokenKind::Name => return Ok(ReceiveArgument::Variable(self.place()?)),
            _ => return Err(self.unexpected("a variable, a constant or `eval(…)`")),
        };
        self.bump();
        Ok(ReceiveArgument::Constant(constant, span))
    }
}
