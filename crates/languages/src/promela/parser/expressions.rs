//! Expressions, with SPIN's precedences: C's, but all unary operators bind tightest and `->` only separates.

use std::rc::Rc;

use narrows_source::Diagnostic;
use rustc_hash::FxHashSet;

use super::{MAX_OPERATORS, Parsed, Parser, Reported};
use crate::promela::ast::{
    BinaryOperator, ChannelQuery, Expr, ExprKind, Ident, Place, PlacePart, UnaryOperator,
};
use crate::promela::lexer::TokenKind;

/// Returns the operator and how strongly it binds.
pub(super) fn binary_operator(kind: TokenKind) -> Option<(BinaryOperator, u8)> {
    Some(match kind {
        TokenKind::OrOr => (BinaryOperator::Or, 1),
        TokenKind::AndAnd => (BinaryOperator::And, 2),
        TokenKind::Pipe => (BinaryOperator::BitOr, 3),
        TokenKind::Caret => (BinaryOperator::BitXor, 4),
        TokenKind::Ampersand => (BinaryOperator::BitAnd, 5),
        TokenKind::Equal => (BinaryOperator::Equal, 6),
        TokenKind::NotEqual => (BinaryOperator::NotEqual, 6),
        TokenKind::Less => (BinaryOperator::Less, 7),
        TokenKind::LessEqual => (BinaryOperator::LessEqual, 7),
        TokenKind::Greater => (BinaryOperator::Greater, 7),
        TokenKind::GreaterEqual => (BinaryOperator::GreaterEqual, 7),
        TokenKind::ShiftLeft => (BinaryOperator::ShiftLeft, 8),
        TokenKind::ShiftRight => (BinaryOperator::ShiftRight, 8),
        TokenKind::Plus => (BinaryOperator::Add, 9),
        TokenKind::Minus => (BinaryOperator::Subtract, 9),
        TokenKind::Star => (BinaryOperator::Multiply, 10),
        TokenKind::Slash => (BinaryOperator::Divide, 10),
        TokenKind::Percent => (BinaryOperator::Remainder, 10),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let left = self.unary()?;
        self.expression_from(left, start)
    }

    /// Parses the rest of an expression that starts with `left`, which began at position `start`.
    pub(super) fn expression_from(&mut self, left: Expr, start: usize) -> Parsed<Expr> {
        self.binary(left, start, 0)
    }

    #[inline(never)]
    fn binary(&mut self, mut left: Expr, start: usize, minimum: u8) -> Parsed<Expr> {
        while let Some((operator, strength)) = binary_operator(self.kind()) {
            if strength < minimum || (self.at(TokenKind::Minus) && self.line_ended()) {
                break;
            }
            self.count_operator()?;
            self.bump();
            let right_start = self.position;
            let mut right = self.unary()?;
            if binary_operator(self.kind()).is_some_and(|(_, next)| next > strength) {
                right = self.nested(|parser| parser.binary(right, right_start, strength + 1))?;
            }
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.span_from(start) };
        }
        Ok(left)
    }

    /// Counts an operator of the statement at hand: the tree of an expression must not get too deep.
    pub(super) fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            let diagnostic = Diagnostic::error("P0107", self.span(), "the expression is too long")
                .label(format!("more than {MAX_OPERATORS} operators"));
            self.report(diagnostic);
            return Err(Reported);
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let operator = match self.kind() {
            TokenKind::Minus => UnaryOperator::Minus,
            TokenKind::Bang | TokenKind::BangBang => UnaryOperator::Not,
            TokenKind::Tilde => UnaryOperator::Complement,
            _ => return self.primary(),
        };
        let twice = self.at(TokenKind::BangBang);
        self.bump();
        let mut operand = self.nested(Parser::unary)?;
        if twice {
            let kind = ExprKind::Unary(operator, Box::new(operand));
            operand = Expr { kind, span: self.span_from(start) };
        }
        let kind = ExprKind::Unary(operator, Box::new(operand));
        Ok(Expr { kind, span: self.span_from(start) })
    }

    #[inline(never)]
    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let kind = match self.kind() {
            TokenKind::Name => return self.named(),
            TokenKind::LeftParen => return self.parenthesised(),
            TokenKind::Number | TokenKind::Character => {
                let value = self.token().value;
                self.bump();
                ExprKind::Number(value)
            }
            TokenKind::True | TokenKind::Skip | TokenKind::EmbeddedC => {
                self.bump();
                ExprKind::Number(1)
            }
            TokenKind::False => {
                self.bump();
                ExprKind::Number(0)
            }
            TokenKind::Timeout => {
                self.bump();
                ExprKind::Timeout
            }
            TokenKind::Np => {
                self.bump();
                ExprKind::NonProgress
            }
            TokenKind::Run => return self.run(),
            TokenKind::Len => ExprKind::Channel(ChannelQuery::Length, self.channel_argument()?),
            TokenKind::Full => ExprKind::Channel(ChannelQuery::Full, self.channel_argument()?),
            TokenKind::Empty => ExprKind::Channel(ChannelQuery::Empty, self.channel_argument()?),
            TokenKind::Nfull => ExprKind::Channel(ChannelQuery::NotFull, self.channel_argument()?),
            TokenKind::Nempty => ExprKind::Channel(ChannelQuery::NotEmpty, self.channel_argument()?),
            TokenKind::Enabled => ExprKind::Enabled(Box::new(self.call_argument()?)),
            TokenKind::PcValue => ExprKind::PcValue(Box::new(self.call_argument()?)),
            TokenKind::GetPriority => ExprKind::GetPriority(Box::new(self.call_argument()?)),
            _ => return Err(self.no_expression()),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    #[cold]
    fn no_expression(&mut self) -> Reported {
        if self.at(TokenKind::Eval) {
            let diagnostic = Diagnostic::error("P0100", self.span(), "`eval` stands only in a receive")
                .label("not in an expression")
                .help("write the expression without `eval`");
            self.report(diagnostic);
            return Reported;
        }
        self.unexpected("an expression")
    }

    /// Parses `(e)` or `(c -> a : b)`.
    #[inline(never)]
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let start = self.position;
        self.bump();
        let kind = self.enclosed(|parser| {
            parser.nested(|parser| {
                let first = parser.expression_with_slip()?;
                if !parser.eat(TokenKind::Arrow) {
                    return Ok(first.kind);
                }
                let yes = parser.expression()?;
                parser.expect(TokenKind::Colon, "`:` and the value if the condition is false")?;
                let no = parser.expression()?;
                Ok(ExprKind::Conditional(Box::new(first), Box::new(yes), Box::new(no)))
            })
        })?;
        self.expect(TokenKind::RightParen, "`)`")?;
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// Parses an expression within parentheses, where `=` can only be a slip for `==`.
    #[inline(never)]
    fn expression_with_slip(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let left = self.expression()?;
        if !self.at(TokenKind::Assign) {
            return Ok(left);
        }
        self.assignment_in_expression();
        self.bump();
        let right = self.expression()?;
        let kind = ExprKind::Binary(BinaryOperator::Equal, Box::new(left), Box::new(right));
        Ok(Expr { kind, span: self.span_from(start) })
    }

    #[cold]
    #[inline(never)]
    fn assignment_in_expression(&mut self) {
        let diagnostic = Diagnostic::error("P0108", self.span(), "an assignment is not an expression")
            .label("`=` assigns")
            .help("use `==` to compare");
        self.report(diagnostic);
    }

    /// Parses `word (e)`.
    #[inline(never)]
    fn call_argument(&mut self) -> Parsed<Expr> {
        self.bump();
        self.expect(TokenKind::LeftParen, "`(`")?;
        let argument = self.enclosed(|parser| parser.nested(Parser::expression))?;
        self.expect(TokenKind::RightParen, "`)`")?;
        Ok(argument)
    }

    /// Parses `word (channel)`.
    #[inline(never)]
    fn channel_argument(&mut self) -> Parsed<Place> {
        self.bump();
        self.expect(TokenKind::LeftParen, "`(` and a channel")?;
        let place = self.enclosed(Parser::place)?;
        self.expect(TokenKind::RightParen, "`)`")?;
        Ok(place)
    }

    #[inline(never)]
    fn run(&mut self) -> Parsed<Expr> {
        let start = self.position;
        self.bump();
        let name = self.name("the name of a proctype")?;
        self.expect(TokenKind::LeftParen, "`(` and the arguments")?;
        let arguments =
            self.enclosed(|parser| parser.nested(|parser| parser.expression_list(TokenKind::RightParen)))?;
        self.expect(TokenKind::RightParen, "`,` or `)`")?;
        let priority = self.priority()?;
        Ok(Expr { kind: ExprKind::Run { name, arguments, priority }, span: self.span_from(start) })
    }

    /// Parses what starts with a name: a variable, a poll, a label or a variable of another process.
    #[inline(never)]
    pub(super) fn named(&mut self) -> Parsed<Expr> {
        let start = self.position;
        let place = self.place()?;
        let kind = match self.kind() {
            TokenKind::At => match remote_process(place) {
                Ok((process, pid)) => {
                    self.bump();
                    let label = self.name("a label")?;
                    ExprKind::RemoteLabel { process, pid, label }
                }
                Err(_) => return Err(self.unexpected("an operator")),
            },
            TokenKind::Colon if self.is_process(&place) => match remote_process(place) {
                Ok((process, pid)) => {
                    self.bump();
                    let variable = self.place()?;
                    ExprKind::RemoteVariable { process, pid, variable }
                }
                Err(place) => ExprKind::Place(place),
            },
            TokenKind::Query | TokenKind::QueryQuery if self.ahead(1) == TokenKind::LeftBracket => {
                let random = self.at(TokenKind::QueryQuery);
                self.bump();
                self.bump();
                let arguments = self.enclosed(Parser::receive_arguments)?;
                self.expect(TokenKind::RightBracket, "`]`")?;
                ExprKind::Poll { channel: place, arguments, random }
            }
            _ => ExprKind::Place(place),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// Returns the proctypes that `P:x` may refer to: those above, and for formulas and claims those below
    /// too.
    pub(super) fn known_proctypes(&self) -> &FxHashSet<Rc<str>> {
        if self.in_property { &self.all_proctypes } else { &self.proctypes }
    }

    fn is_process(&self, place: &Place) -> bool {
        place.parts.len() == 1 && self.known_proctypes().contains(&place.parts[0].name.name)
    }

    /// Parses `a[i].b`.
    #[inline(never)]
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let start = self.position;
        let mut parts = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            let mut index = None;
            if self.at(TokenKind::LeftBracket) {
                self.bump();
                let expression = self.enclosed(|parser| parser.nested(Parser::expression_with_slip))?;
                self.expect(TokenKind::RightBracket, "`]`")?;
                index = Some(Box::new(expression));
            }
            parts.push(PlacePart { name, index });
            if !self.eat(TokenKind::Dot) {
                break;
            }
        }
        Ok(Place { parts, span: self.span_from(start) })
    }
}

/// Splits `P` or `P[i]`; gives the place back if it is neither.
fn remote_process(mut place: Place) -> Result<(Ident, Option<Box<Expr>>), Place> {
    if place.parts.len() != 1 {
        return Err(place);
    }
    match place.parts.pop() {
        Some(part) => Ok((part.name, part.index)),
        None => Err(place),
    }
}
