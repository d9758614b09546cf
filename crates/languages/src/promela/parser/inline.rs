//! Inlines: kept as tokens, expanded where they are called.
//!
//! As in SPIN an argument replaces its parameter as it is written, without parentheses around it. A token of
//! the body keeps its place in the definition, a token of an argument its place in the call.

use std::rc::Rc;

use narrows_source::{Diagnostic, Span};

use super::{Call, Inline, MAX_INLINED, Open, Parsed, Parser, Reported};
use crate::promela::ast::{Ident, Place, StatementKind};
use crate::promela::lexer::{Token, TokenKind};
use crate::promela::preprocess::end_token;

impl Parser<'_> {
    /// Parses `inline f(a, b) { … }` and keeps it.
    pub(super) fn inline_definition(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name("the name of the inline")?;
        self.expect(TokenKind::LeftParen, "`(` and the parameters")?;
        let mut parameters = Vec::new();
        while !self.at(TokenKind::RightParen) {
            parameters.push(self.name("a parameter (a name without a type) or `)`")?.name);
            if !self.eat(TokenKind::Comma) && !self.at(TokenKind::RightParen) {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
        self.bump();
        if !self.at(TokenKind::LeftBrace) {
            return Err(self.unexpected("`{`"));
        }
        let start = self.position;
        let open = Open { kind: TokenKind::LeftBrace, span: self.span() };
        let mut depth = 0_usize;
        loop {
            match self.kind() {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth -= 1,
                TokenKind::Proctype
                | TokenKind::DProctype
                | TokenKind::Inline
                | TokenKind::Init
                | TokenKind::Never
                | TokenKind::End => {
                    self.unclosed(open, "}");
                    return Ok(());
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                break;
            }
        }
        let body = self.tokens[start..self.position].to_vec();
        if let Some(old) = self.inlines.get(&name.name) {
            let diagnostic =
                Diagnostic::error("P0114", name.span, format!("inline `{}` is defined twice", name.name))
                    .label("defined again here")
                    .also(old.name.span, "first defined here");
            self.tell(diagnostic);
        }
        self.inlines.insert(name.name.clone(), Rc::new(Inline { name, parameters, body }));
        Ok(())
    }

    /// Expands a call; the name stands here. The statement began at `start`; `target` takes what it returns.
    #[inline(never)]
    pub(super) fn inline_call(
        &mut self,
        name: &Ident,
        start: usize,
        target: Option<Place>,
    ) -> Parsed<StatementKind> {
        let Some(inline) = self.inlines.get(&name.name).cloned() else {
            return Err(self.unexpected("an inline"));
        };
        let recursive = self.calls.iter().any(|call| call.name == name.name);
        if recursive {
            let diagnostic =
                Diagnostic::error("P0110", name.span, format!("inline `{}` calls itself", name.name))
                    .label("this call would never end")
                    .also(inline.name.span, "the inline is defined here")
                    .help("an inline is copied where it is called; use a process or a loop instead");
            self.report(diagnostic);
            self.bump();
            self.skip_group();
            return Err(Reported);
        }
        self.bump();
        let arguments = self.inline_arguments()?;
        let span = self.span_from(start);
        if arguments.len() != inline.parameters.len() {
            self.wrong_count(name, &inline, arguments.len(), span);
            return Err(Reported);
        }
        let level = self.calls.len() as u32 + 1;
        let mut tokens = substitute(&inline, &arguments, level);
        self.inlined += tokens.len();
        if self.inlined > MAX_INLINED {
            let diagnostic =
                Diagnostic::error("P0115", name.span, "the inline calls expand to too much text")
                    .label("inlines that call each other several times grow quickly")
                    .also(inline.name.span, "the inline is defined here");
            if self.inlined - tokens.len() <= MAX_INLINED {
                self.tell(diagnostic);
            }
            return Err(Reported);
        }
        let mut end = end_token(span);
        end.level = level;
        tokens.push(end);
        self.expand_call(Call { name: name.name.clone(), span, target }, tokens, name)
    }

    /// Parses the expansion of a call.
    #[inline(never)]
    fn expand_call(&mut self, call: Call, tokens: Vec<Token>, name: &Ident) -> Parsed<StatementKind> {
        let outer_tokens = std::mem::replace(&mut self.tokens, tokens);
        let outer_position = std::mem::replace(&mut self.position, 0);
        let outer_error = self.last_error.take();
        let outer_open = std::mem::take(&mut self.open);
        let outer_operators = self.operators;
        self.calls.push(call);
        let body = self.block();
        if body.is_ok() && !self.at(TokenKind::End) {
            self.unexpected("the end of the inline");
        }
        self.calls.pop();
        self.tokens = outer_tokens;
        self.position = outer_position;
        self.last_error = outer_error;
        self.open = outer_open;
        self.operators = outer_operators;
        Ok(StatementKind::Inline(name.clone(), body?))
    }

    #[cold]
    fn wrong_count(&mut self, name: &Ident, inline: &Inline, given: usize, span: Span) {
        let wanted = inline.parameters.len();
        let diagnostic =
            Diagnostic::error("P0111", span, format!("wrong number of arguments for inline `{}`", name.name))
                .label(format!("{given} given, {wanted} expected"))
                .also(inline.name.span, "the inline is defined here");
        self.report(diagnostic);
    }

    /// Takes `(a, b)` as lists of tokens.
    fn inline_arguments(&mut self) -> Parsed<Vec<Vec<Token>>> {
        let open = self.span();
        self.bump();
        let mut arguments = Vec::new();
        let mut argument = Vec::new();
        let mut depth = 0_usize;
        loop {
            match self.kind() {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen if depth == 0 => break,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Comma if depth == 0 => {
                    arguments.push(std::mem::take(&mut argument));
                    self.bump();
                    continue;
                }
                TokenKind::End | TokenKind::Semicolon => {
                    let diagnostic =
                        Diagnostic::error("P0103", self.span(), "missing `)` after the arguments")
                            .label("expected `)`")
                            .also(open, "this `(` is not closed");
                    self.report(diagnostic);
                    return Err(Reported);
                }
                _ => {}
            }
            argument.push(self.token().clone());
            self.bump();
        }
        self.bump();
        if !arguments.is_empty() || !argument.is_empty() {
            arguments.push(argument);
        }
        Ok(arguments)
    }

    /// Parses `return e`: an assignment to what takes the inline's value.
    #[inline(never)]
    pub(super) fn return_value(&mut self) -> Parsed<StatementKind> {
        let span = self.span();
        let target = self.calls.last().and_then(|call| call.target.clone());
        if target.is_none() {
            let diagnostic =
                Diagnostic::error("P0112", span, "nothing takes the value that is returned here");
            let diagnostic = match self.calls.last() {
                Some(call) => diagnostic.help(format!("call the inline as in `x = {}(…)`", call.name)),
                None => diagnostic.label("`return` stands only in an inline"),
            };
            self.report(diagnostic);
        }
        self.bump();
        let value = self.expression()?;
        Ok(match target {
            Some(place) => StatementKind::Assign(place, value),
            None => StatementKind::Condition(value),
        })
    }
}

/// Puts arguments into the body of an inline.
fn substitute(inline: &Inline, arguments: &[Vec<Token>], level: u32) -> Vec<Token> {
    let mut output = Vec::with_capacity(inline.body.len() + 1);
    for token in &inline.body {
        let parameter = if token.kind == TokenKind::Name {
            inline.parameters.iter().position(|name| *name == token.text)
        } else {
            None
        };
        let Some(parameter) = parameter else {
            let mut token = token.clone();
            token.level = level;
            output.push(token);
            continue;
        };
        for (index, argument) in arguments[parameter].iter().enumerate() {
            let mut argument = argument.clone();
            argument.newline = index == 0 && token.newline;
            output.push(argument);
        }
    }
    output
}
