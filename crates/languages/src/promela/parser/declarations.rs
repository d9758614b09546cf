//! Declarations of variables.

use narrows_source::{Diagnostic, Span, closest};

use super::{Parsed, Parser, Reported};
use crate::promela::ast::{ChannelInit, Declaration, Expr, Initial, Type, Variable, Visibility};
use crate::promela::lexer::{KEYWORDS, TokenKind};

const TYPES: &[TokenKind] = &[
    TokenKind::Bit,
    TokenKind::Bool,
    TokenKind::Byte,
    TokenKind::Pid,
    TokenKind::Short,
    TokenKind::Int,
    TokenKind::Unsigned,
    TokenKind::Mtype,
    TokenKind::Chan,
];

/// Words before a name that may be meant where a type is unknown.
const WORDS: &[TokenKind] = &[
    TokenKind::Bit,
    TokenKind::Bool,
    TokenKind::Byte,
    TokenKind::Pid,
    TokenKind::Short,
    TokenKind::Int,
    TokenKind::Unsigned,
    TokenKind::Mtype,
    TokenKind::Chan,
    TokenKind::Hidden,
    TokenKind::Local,
    TokenKind::Show,
    TokenKind::Goto,
    TokenKind::Run,
    TokenKind::Assert,
];

impl Parser<'_> {
    /// Parses `hidden byte a, b[3] = 1`; a type stands here.
    #[inline(never)]
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let visibility = match self.kind() {
            TokenKind::Hidden => Visibility::Hidden,
            TokenKind::Show => Visibility::Show,
            TokenKind::Local => Visibility::Local,
            _ => Visibility::Normal,
        };
        if visibility != Visibility::Normal {
            self.bump();
        }
        if self.at(TokenKind::Name) && !self.at_type() {
            let mut declaration = self.unknown_type()?;
            declaration.visibility = visibility;
            return Ok(declaration);
        }
        let start = self.position;
        let (kind, _) = self.type_name()?;
        let kind_span = self.span_from(start);
        let variables = self.variable_list()?;
        Ok(Declaration { visibility, kind, kind_span, variables })
    }

    /// Parses a type; `mtype:set` is one.
    pub(super) fn type_name(&mut self) -> Parsed<(Type, Span)> {
        let start = self.position;
        let kind = match self.kind() {
            TokenKind::Bit => Type::Bit,
            TokenKind::Bool => Type::Bool,
            TokenKind::Byte => Type::Byte,
            TokenKind::Pid => Type::Pid,
            TokenKind::Short => Type::Short,
            TokenKind::Int => Type::Int,
            TokenKind::Unsigned => Type::Unsigned,
            TokenKind::Chan => Type::Chan,
            TokenKind::Mtype => Type::Mtype(None),
            TokenKind::Name if self.at_type() => Type::Named(self.name("a type")?),
            TokenKind::Name => {
                self.report_unknown_type();
                Type::Int
            }
            _ => return Err(self.unexpected("a type")),
        };
        if !matches!(kind, Type::Named(_)) {
            self.bump();
        }
        if !self.at(TokenKind::Colon) {
            return Ok((kind, self.span_from(start)));
        }
        if kind != Type::Mtype(None) {
            let diagnostic = Diagnostic::error("P0120", self.span(), "only `mtype` has sets")
                .label("a set can't stand here")
                .help("a width stands after the name, as in `unsigned x : 3`");
            self.report(diagnostic);
            return Err(Reported);
        }
        self.bump();
        let set = self.name("the name of a set of mtypes")?;
        Ok((Type::Mtype(Some(set)), self.span_from(start)))
    }

    fn variable_list(&mut self) -> Parsed<Vec<Variable>> {
        let mut variables = vec![self.variable()?];
        while self.at(TokenKind::Comma) {
            // `byte a, byte b` between parentheses: the list of parameters says what is wrong.
            if self.parens > 0 && self.calls.is_empty() && TYPES.contains(&self.ahead(1)) {
                break;
            }
            self.bump();
            variables.push(self.variable()?);
        }
        Ok(variables)
    }

    fn variable(&mut self) -> Parsed<Variable> {
        let name = self.name("the name of a variable")?;
        let mut width = None;
        let mut length = None;
        if self.eat(TokenKind::Colon) {
            if !self.at(TokenKind::Number) {
                return Err(self.no_number("a number of bits"));
            }
            width = Some((self.token().value, self.span()));
            self.bump();
        } else if self.eat(TokenKind::LeftBracket) {
            length = Some(self.enclosed(Parser::expression)?);
            self.expect(TokenKind::RightBracket, "`]`")?;
        }
        let initial = if self.eat(TokenKind::Assign) { Some(self.initial()?) } else { None };
        Ok(Variable { name, width, length, initial })
    }

    #[inline(never)]
    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.position;
        if self.eat(TokenKind::LeftBrace) {
            let values = self.enclosed(|parser| parser.expression_list(TokenKind::RightBrace))?;
            self.expect(TokenKind::RightBrace, "`}`")?;
            return Ok(Initial::List(values, self.span_from(start)));
        }
        if self.eat(TokenKind::LeftBracket) {
            let capacity = self.enclosed(Parser::expression)?;
            self.expect(TokenKind::RightBracket, "`]`")?;
            self.expect(TokenKind::Of, "`of`")?;
            self.expect(TokenKind::LeftBrace, "`{` and the types of a message")?;
            let mut fields = vec![self.type_name()?];
            while self.eat(TokenKind::Comma) {
                fields.push(self.type_name()?);
            }
            self.expect(TokenKind::RightBrace, "`,` or `}`")?;
            let span = self.span_from(start);
            return Ok(Initial::Channel(ChannelInit { capacity, fields, span }));
        }
        Ok(Initial::Value(self.expression()?))
    }

    /// Parses expressions separated by commas, up to but without `end`.
    pub(super) fn expression_list(&mut self, end: TokenKind) -> Parsed<Vec<Expr>> {
        let mut list = Vec::new();
        if self.at(end) {
            return Ok(list);
        }
        loop {
            list.push(self.expression()?);
            if !self.eat(TokenKind::Comma) {
                return Ok(list);
            }
        }
    }

    /// Reports a name that stands where a type should, and parses the declaration all the same.
    #[inline(never)]
    pub(super) fn unknown_type(&mut self) -> Parsed<Declaration> {
        let kind_span = self.span();
        self.report_unknown_type();
        self.bump();
        if !self.at(TokenKind::Name) {
            return Err(Reported);
        }
        let variables = self.variable_list()?;
        let ended = matches!(
            self.kind(),
            TokenKind::Semicolon
                | TokenKind::Arrow
                | TokenKind::RightBrace
                | TokenKind::RightParen
                | TokenKind::Comma
                | TokenKind::End
        );
        if !ended && !self.token().newline && !self.at_unit() {
            return Err(Reported);
        }
        Ok(Declaration { visibility: Visibility::Normal, kind: Type::Int, kind_span, variables })
    }

    /// Reports the name here as an unknown type, once per name.
    #[cold]
    fn report_unknown_type(&mut self) {
        let word = self.token().text.clone();
        let keywords = KEYWORDS.iter().filter(|(_, kind)| WORDS.contains(kind)).map(|(text, _)| *text);
        let known: Vec<_> = self.typedefs.clone();
        let meant = closest(&word, keywords.chain(known.iter().map(|name| &**name)));
        let diagnostic = Diagnostic::error("P0105", self.span(), format!("unknown type `{word}`"))
            .label("neither a type nor a typedef above")
            .did_you_mean(meant);
        if self.unknown_types.insert(word) {
            self.report(diagnostic);
        }
    }
}
