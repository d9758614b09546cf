//! The parts of a text at the top level.

use narrows_source::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::promela::ast::{
    ActiveCount, Claim, Declaration, Init, LtlBlock, Mtype, Proctype, Program, Trace, Typedef, Unit,
};
use crate::promela::lexer::TokenKind;

/// What a part of the top level may start with, for suggestions.
const UNITS: &[TokenKind] = &[
    TokenKind::Active,
    TokenKind::Proctype,
    TokenKind::DProctype,
    TokenKind::Init,
    TokenKind::Never,
    TokenKind::Trace,
    TokenKind::Notrace,
    TokenKind::Ltl,
    TokenKind::Typedef,
    TokenKind::Inline,
    TokenKind::Hidden,
    TokenKind::Show,
    TokenKind::Local,
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

impl Parser<'_> {
    /// Parses the whole text.
    pub(super) fn program(&mut self) -> Program {
        let mut units = Vec::new();
        while !self.at(TokenKind::End) {
            if self.eat(TokenKind::Semicolon) || self.eat(TokenKind::Arrow) {
                continue;
            }
            let start = self.position;
            self.open.clear();
            self.operators = 0;
            match self.unit() {
                Ok(Some(unit)) => units.push(unit),
                Ok(None) => {}
                Err(Reported) => self.synchronise_unit(start),
            }
            if self.position == start {
                self.bump();
            }
        }
        Program { units }
    }

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        Ok(Some(match self.kind() {
            TokenKind::Active | TokenKind::Proctype | TokenKind::DProctype => {
                Unit::Proctype(self.proctype()?)
            }
            TokenKind::Init => {
                let head = self.span();
                self.bump();
                let priority = self.priority()?;
                Unit::Init(Init { priority, body: self.block()?, head })
            }
            TokenKind::Never => {
                let head = self.span();
                self.bump();
                let name = if self.at(TokenKind::Name) { Some(self.name("a name")?) } else { None };
                self.in_property = true;
                let body = self.block();
                self.in_property = false;
                Unit::Never(Claim { name, body: body?, head })
            }
            TokenKind::Trace | TokenKind::Notrace => {
                let forbidden = self.at(TokenKind::Notrace);
                let head = self.span();
                self.bump();
                Unit::Trace(Trace { forbidden, body: self.block()?, head })
            }
            TokenKind::Ltl => Unit::Ltl(self.ltl_block()?),
            TokenKind::Typedef => Unit::Typedef(self.typedef()?),
            TokenKind::Inline => {
                self.inline_definition()?;
                return Ok(None);
            }
            TokenKind::EmbeddedC => {
                self.bump();
                return Ok(None);
            }
            _ if self.at_mtype_names(0) => Unit::Mtype(self.mtype()?),
            _ if self.at_type() => Unit::Variables(self.variables()?),
            TokenKind::Name => return self.misspelt_unit(),
            _ => {
                self.unexpected("a declaration or a process");
                return Err(Reported);
            }
        }))
    }

    /// Parses a declaration of global variables and asks for its `;` where the next part is not on a new
    /// line.
    fn variables(&mut self) -> Parsed<Declaration> {
        let declaration = self.declaration()?;
        let separated = self.at(TokenKind::Semicolon)
            || self.at(TokenKind::Arrow)
            || self.at(TokenKind::End)
            || self.token().newline
            || self.at_unit()
            || self.previous().kind == TokenKind::RightBrace;
        if !separated {
            self.missing_separator();
        }
        Ok(declaration)
    }

    /// A name where a declaration should start: an unknown type, or a slip of the keyboard.
    fn misspelt_unit(&mut self) -> Parsed<Option<Unit>> {
        let word = self.token().text.clone();
        let meant = Parser::meant(&word, UNITS);
        if meant.is_none() && self.ahead(1) == TokenKind::Name {
            return Ok(Some(Unit::Variables(self.unknown_type()?)));
        }
        let mut diagnostic = Diagnostic::error(
            "P0101",
            self.span(),
            format!("expected a declaration or a process, found `{word}`"),
        )
        .label("nothing at the top level starts like this");
        if let Some((text, _)) = meant {
            diagnostic = diagnostic.help(format!("did you mean `{text}`?"));
        } else if self.ahead(1) == TokenKind::Assign {
            diagnostic = diagnostic.help("statements stand in a process; a declaration starts with a type");
        }
        self.report(diagnostic);
        match meant {
            Some((_, kind)) => {
                let position = self.position;
                self.tokens[position].kind = kind;
                self.unit()
            }
            None => Err(Reported),
        }
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let start = self.position;
        let mut active = None;
        if self.eat(TokenKind::Active) {
            active = Some(ActiveCount::One);
            if self.eat(TokenKind::LeftBracket) {
                active = Some(ActiveCount::Count(self.enclosed(Parser::expression)?));
                self.expect(TokenKind::RightBracket, "`]`")?;
            }
        }
        let deterministic = self.at(TokenKind::DProctype);
        if !self.eat(TokenKind::DProctype) {
            self.expect(TokenKind::Proctype, "`proctype`")?;
        }
        let name = self.name("the name of the proctype")?;
        self.proctypes.insert(name.name.clone());
        self.expect(TokenKind::LeftParen, "`(` and the parameters")?;
        let parameters = self.enclosed(Parser::parameters)?;
        let head = self.span_from(start);
        let mut priority = None;
        let mut provided = None;
        loop {
            if self.at(TokenKind::Priority) {
                priority = self.priority()?;
            } else if self.eat(TokenKind::Provided) {
                self.expect(TokenKind::LeftParen, "`(` and a condition")?;
                provided = Some(self.enclosed(Parser::expression)?);
                self.expect(TokenKind::RightParen, "`)`")?;
            } else {
                break;
            }
        }
        let body = self.block()?;
        Ok(Proctype { name, active, deterministic, parameters, priority, provided, body, head })
    }

    /// Parses parameters up to and with the `)`.
    fn parameters(&mut self) -> Parsed<Vec<Declaration>> {
        let mut parameters = Vec::new();
        while !self.at(TokenKind::RightParen) {
            if self.at(TokenKind::Semicolon) {
                self.bump();
                continue;
            }
            if self.at(TokenKind::Name) && !self.at_type() {
                parameters.push(self.unknown_type()?);
            } else if self.at_type() {
                parameters.push(self.declaration()?);
            } else {
                return Err(self.unexpected("a parameter or `)`"));
            }
            if self.at(TokenKind::Comma) {
                let diagnostic = Diagnostic::error("P0118", self.span(), "parameters are separated by `;`")
                    .label("write `;` here")
                    .note("a comma separates parameters of one type, as in `byte a, b; chan c`");
                self.report(diagnostic);
                self.bump();
            } else if !self.at(TokenKind::RightParen) && !self.at(TokenKind::Semicolon) {
                return Err(self.unexpected("`;` or `)`"));
            }
        }
        self.bump();
        Ok(parameters)
    }

    /// Parses `priority N`, if it is there.
    pub(super) fn priority(&mut self) -> Parsed<Option<i32>> {
        if !self.eat(TokenKind::Priority) {
            return Ok(None);
        }
        if !self.at(TokenKind::Number) {
            return Err(self.no_number("a number"));
        }
        let value = self.token().value;
        self.bump();
        Ok(Some(value))
    }

    fn ltl_block(&mut self) -> Parsed<LtlBlock> {
        let head = self.span();
        self.bump();
        let name = if self.at(TokenKind::Name) { Some(self.name("a name")?) } else { None };
        let open = self.expect(TokenKind::LeftBrace, "`{` and a formula")?;
        self.in_property = true;
        let formula = self.enclosed(Parser::formula);
        self.in_property = false;
        let formula = formula?;
        while self.eat(TokenKind::Semicolon) {}
        self.close_brace(open);
        Ok(LtlBlock { name, formula, head })
    }

    fn typedef(&mut self) -> Parsed<Typedef> {
        self.bump();
        let name = self.name("the name of the type")?;
        let open = self.expect(TokenKind::LeftBrace, "`{` and the fields")?;
        let mut fields = Vec::new();
        while !self.at(TokenKind::RightBrace) && !self.at(TokenKind::End) && !self.at_unit() {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            if self.at(TokenKind::Name) && !self.at_type() {
                fields.push(self.unknown_type()?);
            } else if self.at_type() {
                fields.push(self.declaration()?);
            } else {
                self.typedefs.push(name.name);
                return Err(self.unexpected("a field or `}`"));
            }
            if !self.at(TokenKind::Semicolon)
                && !self.at(TokenKind::RightBrace)
                && !self.token().newline
                && !self.at_unit()
            {
                self.missing_separator();
            }
        }
        self.typedefs.push(name.name.clone());
        self.close_brace(open);
        Ok(Typedef { name, fields })
    }

    /// Takes the `}` that ends what `{` at `open` began.
    pub(super) fn close_brace(&mut self, open: Span) -> Span {
        let span = self.span();
        if !self.eat(TokenKind::RightBrace) {
            self.unclosed(super::Open { kind: TokenKind::LeftBrace, span: open }, "}");
        }
        span
    }

    /// Returns whether `mtype = {`, `mtype {` or `mtype : set = {` starts at a distance.
    pub(super) fn at_mtype_names(&self, distance: usize) -> bool {
        let distance = match self.ahead(distance) {
            TokenKind::Hidden | TokenKind::Show | TokenKind::Local => distance + 1,
            _ => distance,
        };
        if self.ahead(distance) != TokenKind::Mtype {
            return false;
        }
        match self.ahead(distance + 1) {
            TokenKind::LeftBrace => true,
            TokenKind::Assign => self.ahead(distance + 2) == TokenKind::LeftBrace,
            TokenKind::Colon => {
                self.ahead(distance + 2) == TokenKind::Name
                    && self.ahead(distance + 3) == TokenKind::Assign
                    && self.ahead(distance + 4) == TokenKind::LeftBrace
            }
            _ => false,
        }
    }

    pub(super) fn mtype(&mut self) -> Parsed<Mtype> {
        if !self.at(TokenKind::Mtype) {
            self.bump();
        }
        self.bump();
        let set = if self.eat(TokenKind::Colon) { Some(self.name("the name of the set")?) } else { None };
        self.eat(TokenKind::Assign);
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut names = Vec::new();
        loop {
            if self.at(TokenKind::Name) {
                names.push(self.name("a name")?);
            } else if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if names.is_empty() || !(self.at(TokenKind::RightBrace) || self.at(TokenKind::End) || self.at_unit())
        {
            self.unexpected("a name of the mtype");
            return Err(Reported);
        }
        self.close_brace(open);
        Ok(Mtype { set, names })
    }

    /// Skips to where the next part may start, after an error in the one that began at `start`.
    fn synchronise_unit(&mut self, start: usize) {
        if self.position == start {
            self.bump();
        }
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Semicolon => return,
                _ if self.at_unit() => return,
                _ if self.at_type() && self.token().newline => return,
                TokenKind::LeftBrace => {
                    self.skip_group();
                    return;
                }
                _ => self.bump(),
            }
        }
    }
}
