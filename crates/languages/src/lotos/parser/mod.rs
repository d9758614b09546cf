//! Tokens to the tree in [`super::ast`], by recursive descent. After an error it goes on with the next
//! definition.

mod behaviours;
mod expressions;
mod types;

use narrows_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use super::ast::{Expr, Ident, Process, Specification, Variable};
use super::lexer::{Token, TokenKind, WORDS, tokens};

/// Parentheses and the like can be nested this deeply.
const MAX_DEPTH: usize = 400;

/// What is wrong has been said.
pub(super) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses a whole text.
pub(super) fn parse(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Specification {
    let tokens = tokens(text, file, diagnostics);
    let mut parser = Parser { tokens, position: 0, depth: 0, tree: Specification::default(), diagnostics };
    // What is wrong has been said.
    let _ = parser.specification();
    parser.tree
}

/// Parses types alone, as a library has them.
pub(super) fn parse_types(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Specification {
    let tokens = tokens(text, file, diagnostics);
    let mut parser = Parser { tokens, position: 0, depth: 0, tree: Specification::default(), diagnostics };
    parser.definitions(&mut Vec::new());
    if !parser.at_end() {
        parser.unexpected("a type");
    }
    parser.tree
}

/// Parses one expression.
pub(super) fn parse_value(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Option<Expr> {
    let tokens = tokens(text, file, diagnostics);
    let mut parser = Parser { tokens, position: 0, depth: 0, tree: Specification::default(), diagnostics };
    let expr = parser.expression().ok()?;
    if !parser.at_end() {
        parser.unexpected("the end of the value");
        return None;
    }
    Some(expr)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    tree: Specification,
    diagnostics: &'a mut Diagnostics,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn at_end(&self) -> bool {
        self.kind() == TokenKind::End
    }

    fn at(&self, text: &str) -> bool {
        matches!(self.kind(), TokenKind::Sign | TokenKind::Word) && &*self.token().text == text
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// Returns the span from a token to the one before the one at hand.
    fn span_from(&self, start: usize) -> Span {
        let last = self.position.saturating_sub(1).max(start);
        self.tokens[start].span.to(self.tokens[last].span)
    }

    fn bump(&mut self) {
        if !self.at_end() {
            self.position += 1;
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn name(&mut self, expected: &str) -> Parsed<Ident> {
        if self.kind() != TokenKind::Name {
            return Err(self.unexpected(expected));
        }
        let ident = Ident { name: self.token().text.clone(), span: self.span() };
        self.bump();
        Ok(ident)
    }

    fn names(&mut self, expected: &str) -> Parsed<Vec<Ident>> {
        let mut list = vec![self.name(expected)?];
        while self.eat(",") {
            list.push(self.name(expected)?);
        }
        Ok(list)
    }

    /// Parses `x, y : s, z : t`.
    fn variables(&mut self) -> Parsed<Vec<Variable>> {
        let mut list = Vec::new();
        loop {
            let names = self.names("the name of a variable")?;
            self.expect(":")?;
            let sort = self.name("the name of a sort")?;
            list.extend(names.into_iter().map(|name| Variable { name, sort: sort.clone() }));
            if !self.eat(",") {
                return Ok(list);
            }
        }
    }

    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let title = "the text is nested too deeply";
            let label = format!("more than {MAX_DEPTH} levels");
            self.diagnostics.push(Diagnostic::error("L0102", self.span(), title).label(label));
            return Err(Reported);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Says what should stand here.
    #[cold]
    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token().clone();
        let written = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", token.text),
        };
        let title = format!("{written} stands where {expected} should");
        let mut diagnostic =
            Diagnostic::error("L0100", token.span, title).label(format!("expected {expected}"));
        match token.kind {
            TokenKind::Word if expected.contains("name") => {
                diagnostic =
                    diagnostic.note(format!("`{}` is a word of LOTOS and can't be a name", token.text));
            }
            TokenKind::Name => {
                let lower = token.text.to_ascii_lowercase();
                diagnostic = diagnostic.did_you_mean(closest(&lower, WORDS.iter().copied()));
            }
            _ => {}
        }
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn specification(&mut self) -> Parsed<()> {
        self.expect("specification")?;
        let name = self.name("the name of the specification")?;
        self.tree.name = Some(name.clone());
        let (gates, parameters) = self.formal_parameters()?;
        let (functionality, functionality_span) = self.functionality()?;
        let mut processes = Vec::new();
        self.definitions(&mut processes);
        if !self.eat("behaviour") && !self.eat("behavior") {
            return Err(self.unexpected("`behaviour`"));
        }
        let body = match self.behaviour() {
            Ok(body) => Some(body),
            Err(Reported) => {
                self.skip_to(&["where", "process", "type", "endspec"]);
                None
            }
        };
        if self.eat("where") || self.at("process") || self.at("type") {
            self.definitions(&mut processes);
        }
        if !self.eat("endspec") {
            return Err(self.unexpected("an operator, `where` or `endspec`"));
        }
        if !self.at_end() {
            return Err(self.unexpected("the end of the text"));
        }
        if let Some(body) = body {
            self.tree.root =
                Some(Process { name, gates, parameters, functionality, functionality_span, body, processes });
        }
        Ok(())
    }

    fn formal_parameters(&mut self) -> Parsed<(Vec<Ident>, Vec<Variable>)> {
        let (mut gates, mut parameters) = (Vec::new(), Vec::new());
        if !self.eat("[]") && self.eat("[") {
            gates = self.names("the name of a gate")?;
            self.expect("]")?;
        }
        if self.eat("(") && !self.eat(")") {
            parameters = self.variables()?;
            self.expect(")")?;
        }
        Ok((gates, parameters))
    }

    /// Parses `: noexit`, `: exit` or `: exit (s, t)`.
    fn functionality(&mut self) -> Parsed<(Option<Vec<Ident>>, Span)> {
        self.expect(":")?;
        let start = self.position;
        if self.eat("noexit") {
            return Ok((None, self.span_from(start)));
        }
        if !self.eat("exit") {
            return Err(self.unexpected("`noexit` or `exit`"));
        }
        let mut sorts = Vec::new();
        if self.eat("(") {
            sorts = self.names("the name of a sort")?;
            self.expect(")")?;
        }
        Ok((Some(sorts), self.span_from(start)))
    }

    /// Parses types, libraries and processes as long as there are some.
    fn definitions(&mut self, processes: &mut Vec<Process>) {
        loop {
            if self.at("type") {
                if let Err(Reported) = self.type_definition() {
                    self.skip_to(&["endtype", "process", "behaviour", "behavior"]);
                    self.eat("endtype");
                }
            } else if self.eat("library") {
                match self.names("the name of a type of the library") {
                    Ok(names) => self.tree.libraries.extend(names),
                    Err(Reported) => self.skip_to(&["endlib", "type", "process", "behaviour", "behavior"]),
                }
                if !self.eat("endlib") {
                    self.unexpected("`,` or `endlib`");
                }
            } else if self.at("process") {
                match self.process() {
                    Ok(process) => processes.push(process),
                    Err(Reported) => {
                        self.skip_to(&["endproc", "process", "type", "endspec"]);
                        self.eat("endproc");
                    }
                }
            } else {
                return;
            }
        }
    }

    fn process(&mut self) -> Parsed<Process> {
        self.expect("process")?;
        let name = self.name("the name of a process")?;
        let (gates, parameters) = self.formal_parameters()?;
        let (functionality, functionality_span) = self.functionality()?;
        self.expect(":=")?;
        let body = self.behaviour()?;
        let mut processes = Vec::new();
        if self.eat("where") {
            self.definitions(&mut processes);
        }
        if !self.eat("endproc") {
            return Err(self.unexpected("an operator, `where` or `endproc`"));
        }
        Ok(Process { name, gates, parameters, functionality, functionality_span, body, processes })
    }

    fn skip_to(&mut self, words: &[&str]) {
        while !self.at_end() && !words.iter().any(|word| self.at(word)) {
            self.bump();
        }
    }
}
