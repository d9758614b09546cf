//! Modules, sections, types.

use narrows_source::{Diagnostic, closest};

use super::{Parsed, Parser, Reported};
use crate::smv::ast::{
    ConstraintKind, ExprKind, Id, Ident, Item, Module, Section, SpecKind, Type, TypeKind, When,
};
use crate::smv::lexer::{SECTIONS, TokenKind};

impl Parser<'_> {
    pub(super) fn modules(&mut self) {
        while !self.at(TokenKind::End) {
            if self.at_keyword("MODULE") {
                let module = self.module();
                self.tree.modules.extend(module);
                continue;
            }
            self.unexpected("`MODULE`");
            self.bump();
            while !self.at(TokenKind::End) && !self.at_keyword("MODULE") {
                self.bump();
            }
        }
    }

    fn module(&mut self) -> Option<Module> {
        self.bump();
        let Ok(name) = self.name("the name of a module") else {
            self.synchronise();
            return None;
        };
        let mut parameters = Vec::new();
        if self.eat(TokenKind::LeftParen) && !self.eat(TokenKind::RightParen) {
            let list = self
                .list(TokenKind::RightParen, "`,` or `)`", |parser| parser.name("the name of a parameter"));
            match list {
                Ok(list) => parameters = list,
                Err(_) => self.synchronise(),
            }
        }
        let mut items = Vec::new();
        while !self.at(TokenKind::End) && !self.at_keyword("MODULE") {
            if self.at_section() {
                self.section(&mut items);
            } else if !self.eat(TokenKind::Semicolon) {
                self.unexpected("a section such as `VAR`, `ASSIGN` or `MODULE`");
                // It is not known what the rest belongs to.
                while !self.at(TokenKind::End) && !self.at_section() {
                    self.bump();
                }
            }
        }
        Some(Module { name, parameters, items })
    }

    /// Parses parts with commas between them, up to a closing token, which it takes.
    fn list<T>(
        &mut self,
        close: TokenKind,
        expected: &str,
        mut part: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut list = vec![part(self)?];
        while self.eat(TokenKind::Comma) {
            list.push(part(self)?);
        }
        self.expect(close, expected)?;
        Ok(list)
    }

    /// Parses the arguments of an instance or a function, from the opening parenthesis on.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Id>> {
        self.expect(TokenKind::LeftParen, "`(`")?;
        if self.eat(TokenKind::RightParen) {
            return Ok(Vec::new());
        }
        self.nested(|parser| parser.list(TokenKind::RightParen, "`,`, `)` or an operator", Self::expression))
    }

    fn section(&mut self, items: &mut Vec<Item>) {
        let keyword = self.token().text.clone();
        let start = self.position;
        self.bump();
        let one: fn(&mut Self) -> Parsed<Item> = match &*keyword {
            "VAR" => |parser| parser.variable(Section::State),
            "IVAR" => |parser| parser.variable(Section::Input),
            "FROZENVAR" => |parser| parser.variable(Section::Frozen),
            "DEFINE" | "MDEFINE" => Self::define,
            "ASSIGN" => Self::assign,
            _ => {
                match self.single(&keyword, start) {
                    Ok(Some(item)) => items.push(item),
                    Ok(None) => {}
                    Err(_) => self.synchronise(),
                }
                return;
            }
        };
        while !self.at(TokenKind::End) && !self.at_section() {
            if self.at_misspelt_section() {
                self.synchronise();
                continue;
            }
            match one(self) {
                Ok(item) => items.push(item),
                Err(_) => self.synchronise(),
            }
        }
    }

    /// Says so if a word that begins a section is misspelt here: what follows is no declaration.
    fn at_misspelt_section(&mut self) -> bool {
        let follows = matches!(
            self.ahead(1),
            TokenKind::Colon
                | TokenKind::Becomes
                | TokenKind::Dot
                | TokenKind::LeftBracket
                | TokenKind::LeftParen
                | TokenKind::Semicolon
        );
        if !self.at(TokenKind::Name) || follows {
            return false;
        }
        let Some(word) = closest(&self.token().text, SECTIONS.iter().copied()) else { return false };
        let title = format!("`{}` stands where a declaration or a section should", self.token().text);
        Diagnostic::error("V0100", self.span(), title)
            .label("no word that begins a section")
            .help(format!("did you mean `{word}`?"))
            .emit(self.diagnostics);
        true
    }

    /// Parses a section that holds one thing, after its first word.
    fn single(&mut self, keyword: &str, start: usize) -> Parsed<Option<Item>> {
        let item = match keyword {
            "INIT" => Item::Constraint(ConstraintKind::Initial, self.expression()?),
            "INVAR" => Item::Constraint(ConstraintKind::Invariant, self.expression()?),
            "TRANS" => Item::Constraint(ConstraintKind::Transition, self.expression()?),
            "FAIRNESS" | "JUSTICE" => Item::Justice(self.expression()?),
            "COMPASSION" => {
                self.expect(TokenKind::LeftParen, "`(`")?;
                let first = self.expression()?;
                self.expect(TokenKind::Comma, "`,` or an operator")?;
                let second = self.expression()?;
                self.expect(TokenKind::RightParen, "`)` or an operator")?;
                Item::Compassion(first, second)
            }
            "CONSTANTS" => {
                let mut names = vec![self.declared_name("the name of a constant")?];
                while self.eat(TokenKind::Comma) {
                    names.push(self.declared_name("the name of a constant")?);
                }
                Item::Constants(names)
            }
            "ISA" => Item::Include(self.name("the name of a module")?),
            "COMPUTE" => {
                let name = self.spec_name()?;
                let longest = self.at_keyword("MAX");
                if !longest && !self.at_keyword("MIN") {
                    return Err(self.unexpected("`MIN` or `MAX`"));
                }
                self.bump();
                self.expect(TokenKind::LeftBracket, "`[`")?;
                let from = self.expression()?;
                self.expect(TokenKind::Comma, "`,` or an operator")?;
                let to = self.expression()?;
                self.expect(TokenKind::RightBracket, "`]` or an operator")?;
                let span = self.span_from(start + 1);
                Item::Compute { longest, from, to, name, context: self.context()?, span }
            }
            "PSLSPEC" => {
                let name = self.spec_name()?;
                if let Some(place) = self.psl_beyond() {
                    let title = "a specification with a regular expression or `forall` is not checked";
                    Diagnostic::warning("V0302", place, title)
                        .help("write it with `always`, `next`, `until` and the like, or as LTLSPEC")
                        .emit(self.diagnostics);
                    self.psl_skip();
                    return Ok(None);
                }
                let (formula, is_branching) = self.psl()?;
                let kind = if is_branching { SpecKind::Branching } else { SpecKind::Linear };
                Item::Specification { kind, name, formula, context: None }
            }
            _ => {
                let kind = match keyword {
                    "LTLSPEC" => SpecKind::Linear,
                    "INVARSPEC" => SpecKind::Invariant,
                    _ => SpecKind::Branching,
                };
                let name = self.spec_name()?;
                let formula = self.expression()?;
                Item::Specification { kind, name, formula, context: self.context()? }
            }
        };
        if !self.eat(TokenKind::Semicolon) && !self.at_section() && !self.at(TokenKind::End) {
            return Err(self.unexpected("an operator, `;` or a section"));
        }
        Ok(Some(item))
    }

    /// Parses `IN a.b`: the instance that a specification is about.
    fn context(&mut self) -> Parsed<Option<Id>> {
        if !(self.at(TokenKind::Name) && &*self.token().text == "IN") {
            return Ok(None);
        }
        self.bump();
        Ok(Some(self.postfix()?))
    }

    fn spec_name(&mut self) -> Parsed<Option<Ident>> {
        if !self.eat_keyword("NAME") {
            return Ok(None);
        }
        let name = self.declared_name("the name of the specification")?;
        self.expect(TokenKind::Becomes, "`:=`")?;
        Ok(Some(name))
    }

    fn variable(&mut self, section: Section) -> Parsed<Item> {
        let name = self.declared_name("the name of a variable")?;
        self.expect(TokenKind::Colon, "`:` and a type")?;
        let kind = self.type_of()?;
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(Item::Variable(section, name, kind))
    }

    /// Parses a name that is declared. As in models that were written by a program, it may look like a path:
    /// `p.state`, `x.1.ssa` or `r[0]`.
    fn declared_name(&mut self, expected: &str) -> Parsed<Ident> {
        let start = self.position;
        let first = self.name(expected)?;
        if !matches!(self.kind(), TokenKind::Dot | TokenKind::LeftBracket) {
            return Ok(first);
        }
        self.position = start;
        let path = self.postfix()?;
        match self.tree.flat_name(path) {
            Some(name) => Ok(Ident { name: name.into(), span: self.tree.span(path) }),
            None => Err(self.unexpected("a number as index")),
        }
    }

    fn define(&mut self) -> Parsed<Item> {
        if !self.at(TokenKind::Name) {
            return Err(self.unexpected("the name of a definition"));
        }
        let path = self.postfix()?;
        let span = self.tree.span(path);
        let target = match &self.tree.expr(path).kind {
            ExprKind::Dot(left, part) => Some((Some(*left), part.clone())),
            _ => self.tree.flat_name(path).map(|name| (None, Ident { name: name.into(), span })),
        };
        let Some((within, name)) = target.filter(|_| self.at(TokenKind::Becomes)) else {
            return Err(self.unexpected("`:=`"));
        };
        self.bump();
        let value = if self.at(TokenKind::LeftBracket) { self.array()? } else { self.expression()? };
        self.expect(TokenKind::Semicolon, "`;` or an operator")?;
        Ok(match within {
            Some(instance) => Item::DefineWithin(instance, name, value),
            None => Item::Define(name, value),
        })
    }

    /// Parses the elements of an array that is defined, which may be arrays in turn.
    fn array(&mut self) -> Parsed<Id> {
        let start = self.position;
        self.bump();
        let elements = self.nested(|parser| {
            parser.list(TokenKind::RightBracket, "`,`, `]` or an operator", |parser| {
                if parser.at(TokenKind::LeftBracket) { parser.array() } else { parser.expression() }
            })
        })?;
        Ok(self.add(ExprKind::List(elements.clone()), start, &elements))
    }

    fn assign(&mut self) -> Parsed<Item> {
        let (when, target) = match self.keyword() {
            "init" | "next" => {
                let when = if self.at_keyword("init") { When::Initial } else { When::Next };
                self.bump();
                self.expect(TokenKind::LeftParen, "`(`")?;
                let target = self.nested(Self::expression)?;
                self.expect(TokenKind::RightParen, "`)`")?;
                (when, target)
            }
            _ if self.at(TokenKind::Name) => (When::Current, self.postfix()?),
            _ => return Err(self.unexpected("`init`, `next` or the name of a variable")),
        };
        self.expect(TokenKind::Becomes, "`:=`")?;
        let value = self.expression()?;
        self.expect(TokenKind::Semicolon, "`;` or an operator")?;
        Ok(Item::Assign(when, target, value))
    }

    pub(super) fn type_of(&mut self) -> Parsed<Type> {
        let start = self.position;
        let kind = self.nested(Self::type_kind)?;
        Ok(Type { kind, span: self.span_from(start) })
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        let word = self.keyword().to_owned();
        match word.as_str() {
            "boolean" => {
                self.bump();
                return Ok(TypeKind::Boolean);
            }
            "integer" | "real" => {
                self.bump();
                return Ok(TypeKind::Infinite(if word == "real" { "real" } else { "integer" }));
            }
            "signed" | "unsigned" | "word" => {
                if word != "word" {
                    self.bump();
                }
                self.expect_keyword("word", "`word`")?;
                self.expect(TokenKind::LeftBracket, "`[` and a number of bits")?;
                let width = self.expression()?;
                self.expect(TokenKind::RightBracket, "`]`")?;
                return Ok(TypeKind::Word(word == "signed", width));
            }
            "array" => {
                self.bump();
                if self.at_keyword("integer") {
                    return Err(self.unbounded_array());
                }
                if self.at_keyword("word") {
                    self.bump();
                    self.expect(TokenKind::LeftBracket, "`[` and a number of bits")?;
                    let width = self.expression()?;
                    self.expect(TokenKind::RightBracket, "`]`")?;
                    self.expect_keyword("of", "`of`")?;
                    return Ok(TypeKind::Memory(width, Box::new(self.type_of()?)));
                }
                let low = self.bound()?;
                self.expect(TokenKind::DotDot, "`..`")?;
                let high = self.bound()?;
                self.expect_keyword("of", "`of`")?;
                return Ok(TypeKind::Array(low, high, Box::new(self.type_of()?)));
            }
            "process" => {
                self.bump();
                return self.instance(true);
            }
            _ => {}
        }
        match self.kind() {
            TokenKind::LeftBrace => {
                self.bump();
                let values = self.list(TokenKind::RightBrace, "`,` or `}`", Self::expression)?;
                Ok(TypeKind::Enumeration(values))
            }
            TokenKind::Name
                if matches!(self.ahead(1), TokenKind::LeftParen | TokenKind::Semicolon | TokenKind::End) =>
            {
                self.instance(false)
            }
            TokenKind::Name | TokenKind::Digits | TokenKind::Minus | TokenKind::LeftParen => {
                let low = self.bound()?;
                self.expect(TokenKind::DotDot, "`..`")?;
                Ok(TypeKind::Range(low, self.bound()?))
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    /// Reports an array whose indices are all integers, which nuXmv alone checks.
    fn unbounded_array(&mut self) -> Reported {
        let token = self.token();
        let title = "an array whose indices are all integers has no bounds";
        Diagnostic::error("V0220", token.span, title)
            .label("NuSMV does not check it either")
            .note("nuXmv alone does, with solvers for arrays")
            .help("let words be its indices: `array word[4] of …`")
            .emit(self.diagnostics);
        Reported
    }

    fn instance(&mut self, is_process: bool) -> Parsed<TypeKind> {
        let module = self.name("the name of a module")?;
        let arguments = if self.at(TokenKind::LeftParen) { self.arguments()? } else { Vec::new() };
        Ok(TypeKind::Instance { module, arguments, is_process })
    }
}
