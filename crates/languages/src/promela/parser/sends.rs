//! Sends and receives.

use super::{Parsed, Parser};
use crate::promela::ast::{Expr, Place, ReceiveArgument, StatementKind};
use crate::promela::lexer::Kind;

impl Parser<'_> {
    /// Parses the rest of `c ! a, b`, `c ! a(b, c)` or `c !! …`; the operator stands here.
    #[inline(never)]
    pub(super) fn send(&mut self, channel: Place) -> Parsed<StatementKind> {
        let sorted = self.at(Kind::BangBang);
        self.bump();
        let arguments = self.send_arguments()?;
        Ok(StatementKind::Send { channel, arguments, sorted })
    }

    fn send_arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = vec![self.expression()?];
        if self.at(Kind::LeftParen) && !self.line_ended() {
            self.bump();
            arguments.extend(self.enclosed(|parser| parser.expression_list(Kind::RightParen))?);
            self.expect(Kind::RightParen, "`,` or `)`")?;
            return Ok(arguments);
        }
        while self.eat(Kind::Comma) {
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    /// Parses the rest of `c ? a, b`, `c ? <a, b>` or `c ?? …`; the operator stands here.
    #[inline(never)]
    pub(super) fn receive(&mut self, channel: Place) -> Parsed<StatementKind> {
        let random = self.at(Kind::QueryQuery);
        self.bump();
        let peek = self.eat(Kind::Less);
        let arguments = self.receive_arguments()?;
        if peek {
            self.expect(Kind::Greater, "`,` or `>`")?;
        }
        Ok(StatementKind::Receive { channel, arguments, random, peek })
    }

    /// Parses `a, b`, `a(b, c)` or `(a, b)`.
    #[inline(never)]
    pub(super) fn receive_arguments(&mut self) -> Parsed<Vec<ReceiveArgument>> {
        let mut arguments = Vec::new();
        loop {
            if arguments.is_empty() && self.at(Kind::LeftParen) {
                self.bump();
                arguments = self.enclosed(|parser| parser.nested(Parser::receive_arguments))?;
                self.expect(Kind::RightParen, "`,` or `)`")?;
                return Ok(arguments);
            }
            arguments.push(self.receive_argument()?);
            if self.at(Kind::LeftParen) && !self.line_ended() {
                self.bump();
                arguments.extend(self.enclosed(|parser| parser.nested(Parser::receive_arguments))?);
                self.expect(Kind::RightParen, "`,` or `)`")?;
                return Ok(arguments);
            }
            if !self.eat(Kind::Comma) {
                return Ok(arguments);
            }
        }
    }

    #[inline(never)]
    fn receive_argument(&mut self) -> Parsed<ReceiveArgument> {
        let span = self.span();
        let constant = match self.kind() {
            Kind::Number | Kind::Character => self.token().value,
            Kind::True | Kind::Skip => 1,
            Kind::False => 0,
            Kind::Minus if matches!(self.ahead(1), Kind::Number | Kind::Character) => {
                let start = self.position;
                self.bump();
                let value = self.token().value.wrapping_neg();
                self.bump();
                return Ok(ReceiveArgument::Constant(value, self.span_from(start)));
            }
            Kind::Eval => {
                self.bump();
                self.expect(Kind::LeftParen, "`(`")?;
                let value = self.enclosed(|parser| parser.nested(Parser::expression))?;
                self.expect(Kind::RightParen, "`)`")?;
                return Ok(ReceiveArgument::Eval(value));
            }
            Kind::Name => return Ok(ReceiveArgument::Variable(self.place()?)),
            _ => return Err(self.unexpected("a variable, a constant or `eval(…)`")),
        };
        self.bump();
        Ok(ReceiveArgument::Constant(constant, span))
    }
}
