//! The parts of a text at the top level.

use narrows_source::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::promela::ast::{
    ActiveCount, Claim, Declaration, Init, LtlBlock, Mtype, Proctype, Program, Trace, Typedef, Unit,
};
use crate::promela::lexer::Kind;

/// What a part of the top level may start with, for suggestions.
const UNITS: &[Kind] = &[
    Kind::Active,
    Kind::Proctype,
    Kind::DProctype,
    Kind::Init,
    Kind::Never,
    Kind::Trace,
    Kind::Notrace,
    Kind::Ltl,
    Kind::Typedef,
    Kind::Inline,
    Kind::Hidden,
    Kind::Show,
    Kind::Local,
    Kind::Bit,
    Kind::Bool,
    Kind::Byte,
    Kind::Pid,
    Kind::Short,
    Kind::Int,
    Kind::Unsigned,
    Kind::Mtype,
    Kind::Chan,
];

impl Parser<'_> {
    /// Parses the whole text.
    pub(super) fn program(&mut self) -> Program {
        let mut units = Vec::new();
        while !self.at(Kind::End) {
            if self.eat(Kind::Semicolon) || self.eat(Kind::Arrow) {
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
            Kind::Active | Kind::Proctype | Kind::DProctype => Unit::Proctype(self.proctype()?),
            Kind::Init => {
                let head = self.span();
                self.bump();
                let priority = self.priority()?;
                Unit::Init(Init { priority, body: self.block()?, head })
            }
            Kind::Never => {
                let head = self.span();
                self.bump();
                let name = if self.at(Kind::Name) { Some(self.name("a name")?) } else { None };
                self.in_property = true;
                let body = self.block();
                self.in_property = false;
                Unit::Never(Claim { name, body: body?, head })
            }
            Kind::Trace | Kind::Notrace => {
                let forbidden = self.at(Kind::Notrace);
                let head = self.span();
                self.bump();
                Unit::Trace(Trace { forbidden, body: self.block()?, head })
            }
            Kind::Ltl => Unit::Ltl(self.ltl_block()?),
            Kind::Typedef => Unit::Typedef(self.typedef()?),
            Kind::Inline => {
                self.inline_definition()?;
                return Ok(None);
            }
            Kind::EmbeddedC => {
                self.bump();
                return Ok(None);
            }
            _ if self.at_mtype_names(0) => Unit::Mtype(self.mtype()?),
            _ if self.at_type() => Unit::Variables(self.variables()?),
            Kind::Name => return self.misspelt_unit(),
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
        let separated = self.at(Kind::Semicolon)
            || self.at(Kind::Arrow)
            || self.at(Kind::End)
            || self.token().newline
            || self.at_unit()
            || self.previous().kind == Kind::RightBrace;
        if !separated {
            self.missing_separator();
        }
        Ok(declaration)
    }

    /// A name where a declaration should start: an unknown type, or a slip of the keyboard.
    fn misspelt_unit(&mut self) -> Parsed<Option<Unit>> {
        let word = self.token().text.clone();
        let meant = Parser::meant(&word, UNITS);
        if meant.is_none() && self.ahead(1) == Kind::Name {
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
        } else if self.ahead(1) == Kind::Assign {
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
        if self.eat(Kind::Active) {
            active = Some(ActiveCount::One);
            if self.eat(Kind::LeftBracket) {
                active = Some(ActiveCount::Count(self.enclosed(Parser::expression)?));
                self.expect(Kind::RightBracket, "`]`")?;
            }
        }
        let deterministic = self.at(Kind::DProctype);
        if !self.eat(Kind::DProctype) {
            self.expect(Kind::Proctype, "`proctype`")?;
        }
        let name = self.name("the name of the proctype")?;
        self.proctypes.insert(name.name.clone());
        self.expect(Kind::LeftParen, "`(` and the parameters")?;
        let parameters = self.enclosed(Parser::parameters)?;
        let head = self.span_from(start);
        let mut priority = None;
        let mut provided = None;
        loop {
            if self.at(Kind::Priority) {
                priority = self.priority()?;
            } else if self.eat(Kind::Provided) {
                self.expect(Kind::LeftParen, "`(` and a condition")?;
                provided = Some(self.enclosed(Parser::expression)?);
                self.expect(Kind::RightParen, "`)`")?;
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
        while !self.at(Kind::RightParen) {
            if self.at(Kind::Semicolon) {
                self.bump();
                continue;
            }
            if self.at(Kind::Name) && !self.at_type() {
                parameters.push(self.unknown_type()?);
            } else if self.at_type() {
                parameters.push(self.declaration()?);
            } else {
                return Err(self.unexpected("a parameter or `)`"));
            }
            if self.at(Kind::Comma) {
                let diagnostic = Diagnostic::error("P0118", self.span(), "parameters are separated by `;`")
                    .label("write `;` here")
                    .note("a comma separates parameters of one type, as in `byte a, b; chan c`");
                self.report(diagnostic);
                self.bump();
            } else if !self.at(Kind::RightParen) && !self.at(Kind::Semicolon) {
                return Err(self.unexpected("`;` or `)`"));
            }
        }
        self.bump();
        Ok(parameters)
    }

    /// Parses `priority N`, if it is there.
    pub(super) fn priority(&mut self) -> Parsed<Option<i32>> {
        if !self.eat(Kind::Priority) {
            return Ok(None);
        }
        if !self.at(Kind::Number) {
            return Err(self.no_number("a number"));
        }
        let value = self.token().value;
        self.bump();
        Ok(Some(value))
    }

    fn ltl_block(&mut self) -> Parsed<LtlBlock> {
        let head = self.span();
        self.bump();
        let name = if self.at(Kind::Name) { Some(self.name("a name")?) } else { None };
        let open = self.expect(Kind::LeftBrace, "`{` and a formula")?;
        self.in_property = true;
        let formula = self.enclosed(Parser::formula);
        self.in_property = false;
        let formula = formula?;
        while self.eat(Kind::Semicolon) {}
        self.close_brace(open);
        Ok(LtlBlock { name, formula, head })
    }

    fn typedef(&mut self) -> Parsed<Typedef> {
        self.bump();
        let name = self.name("the name of the type")?;
        let open = self.expect(Kind::LeftBrace, "`{` and the fields")?;
        let mut fields = Vec::new();
        while !self.at(Kind::RightBrace) && !self.at(Kind::End) && !self.at_unit() {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            if self.at(Kind::Name) && !self.at_type() {
                fields.push(self.unknown_type()?);
            } else if self.at_type() {
                fields.push(self.declaration()?);
            } else {
                self.typedefs.push(name.name);
                return Err(self.unexpected("a field or `}`"));
            }
            if !self.at(Kind::Semicolon)
                && !self.at(Kind::RightBrace)
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
        if !self.eat(Kind::RightBrace) {
            self.unclosed(super::Open { kind: Kind::LeftBrace, span: open }, "}");
        }
        span
    }

    /// Returns whether `mtype = {`, `mtype {` or `mtype : set = {` starts at a distance.
    pub(super) fn at_mtype_names(&self, distance: usize) -> bool {
        let distance = match self.ahead(distance) {
            Kind::Hidden | Kind::Show | Kind::Local => distance + 1,
            _ => distance,
        };
        if self.ahead(distance) != Kind::Mtype {
            return false;
        }
        match self.ahead(distance + 1) {
            Kind::LeftBrace => true,
            Kind::Assign => self.ahead(distance + 2) == Kind::LeftBrace,
            Kind::Colon => {
                self.ahead(distance + 2) == Kind::Name
                    && self.ahead(distance + 3) == Kind::Assign
                    && self.ahead(distance + 4) == Kind::LeftBrace
            }
            _ => false,
        }
    }

    pub(super) fn mtype(&mut self) -> Parsed<Mtype> {
        if !self.at(Kind::Mtype) {
            self.bump();
        }
        self.bump();
        let set = if self.eat(Kind::Colon) { Some(self.name("the name of the set")?) } else { None };
        self.eat(Kind::Assign);
        let open = self.expect(Kind::LeftBrace, "`{`")?;
        let mut names = Vec::new();
        loop {
            if self.at(Kind::Name) {
                names.push(self.name("a name")?);
            } else if !self.eat(Kind::Comma) {
                break;
            }
        }
        if names.is_empty() || !(self.at(Kind::RightBrace) || self.at(Kind::End) || self.at_unit()) {
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
                Kind::End => return,
                Kind::Semicolon => return,
                _ if self.at_unit() => return,
                _ if self.at_type() && self.token().newline => return,
                Kind::LeftBrace => {
                    self.skip_group();
                    return;
                }
                _ => self.bump(),
            }
        }
    }
}
