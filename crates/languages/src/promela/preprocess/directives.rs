//! Lines that start with `#`.

use std::rc::Rc;

use narrows_source::{Diagnostic, Span, closest};

use super::{Conditional, MAX_FILES, MAX_INCLUDED, MAX_INCLUDES, Macro, Preprocessor, condition};
use crate::promela::lexer::{Token, TokenKind};

const DIRECTIVES: &[&str] = &[
    "define", "elif", "else", "endif", "error", "ident", "if", "ifdef", "ifndef", "include", "line",
    "pragma", "undef", "warning",
];

/// Returns the span of a line of tokens.
fn line_span(line: &[Token]) -> Span {
    line[0].span.to(line[line.len() - 1].span)
}

impl Preprocessor<'_> {
    /// Obeys one directive; `line` starts with the `#`.
    pub(super) fn directive(&mut self, line: &[Token], conditionals: &mut Vec<Conditional>) {
        let active = conditionals.last().is_none_or(|conditional| conditional.active);
        let span = line_span(line);
        let Some(word) = line.get(1) else {
            return;
        };
        let rest = &line[2..];
        match &*word.text {
            "if" | "ifdef" | "ifndef" => {
                let holds = active && self.condition(&word.text, rest, span);
                conditionals.push(Conditional {
                    span,
                    outer: active,
                    taken: holds,
                    active: holds,
                    otherwise: None,
                });
            }
            "elif" | "else" => self.branch(&word.text, rest, span, conditionals),
            "endif" => {
                if conditionals.pop().is_none() {
                    Diagnostic::error("P0005", span, "`#endif` without `#if`")
                        .label("nothing is open here")
                        .emit(self.diagnostics);
                }
            }
            _ if !active => {}
            "define" => self.define(rest, span),
            "undef" => match rest.first() {
                Some(name) if self.given.contains(&name.text) => {}
                Some(name) if name.kind == TokenKind::Name => {
                    self.macros.remove(&name.text);
                }
                _ => self
                    .diagnostics
                    .push(Diagnostic::error("P0009", span, "`#undef` needs a name").label("no name follows")),
            },
            "include" => self.include(rest, span),
            "error" => {
                let text = self.rest_text(rest);
                self.diagnostics.push(Diagnostic::error("P0007", span, format!("`#error`: {text}")));
            }
            "warning" => {
                let text = self.rest_text(rest);
                self.diagnostics.push(Diagnostic::warning("P0008", span, format!("`#warning`: {text}")));
            }
            "line" | "pragma" | "ident" => {}
            _ if word.kind == TokenKind::Digits => {}
            other => {
                let mut diagnostic =
                    Diagnostic::error("P0001", word.span, format!("unknown directive `#{other}`"))
                        .label("not a directive of the preprocessor");
                if let Some(name) = closest(other, DIRECTIVES.iter().copied()) {
                    diagnostic = diagnostic.help(format!("did you mean `#{name}`?"));
                }
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// Takes an `#elif` or an `#else`.
    fn branch(&mut self, word: &str, rest: &[Token], span: Span, conditionals: &mut [Conditional]) {
        let Some(conditional) = conditionals.last_mut() else {
            Diagnostic::error("P0005", span, format!("`#{word}` without `#if`"))
                .label("nothing is open here")
                .emit(self.diagnostics);
            return;
        };
        if let Some(previous) = conditional.otherwise {
            Diagnostic::error("P0005", span, format!("`#{word}` after `#else`"))
                .also(previous, "the `#else` is here")
                .emit(self.diagnostics);
            conditional.active = false;
            return;
        }
        if word == "else" {
            conditional.otherwise = Some(span);
        }
        let wanted = conditional.outer && !conditional.taken;
        let holds = wanted && (word == "else" || self.condition("if", rest, span));
        conditional.active = holds;
        conditional.taken |= holds;
    }

    fn condition(&mut self, word: &str, rest: &[Token], span: Span) -> bool {
        if word == "if" {
            return condition::evaluate(&mut self.expander(), rest, span);
        }
        match rest.first() {
            Some(name) if name.kind == TokenKind::Name => {
                self.macros.contains_key(&name.text) == (word == "ifdef")
            }
            _ => {
                Diagnostic::error("P0006", span, format!("`#{word}` needs a name"))
                    .label("no name follows")
                    .emit(self.diagnostics);
                false
            }
        }
    }

    fn rest_text(&self, rest: &[Token]) -> String {
        if rest.is_empty() { String::new() } else { self.sources.text(line_span(rest)).to_owned() }
    }

    fn define(&mut self, rest: &[Token], span: Span) {
        let Some(name) = rest.first().filter(|name| name.kind == TokenKind::Name && &*name.text != "defined")
        else {
            self.diagnostics
                .push(Diagnostic::error("P0009", span, "`#define` needs a name").label("no name follows"));
            return;
        };
        if self.given.contains(&name.text) {
            return;
        }
        let mut body = &rest[1..];
        let mut parameters = None;
        if body.first().is_some_and(|token| token.kind == TokenKind::LeftParen && !token.space) {
            let Some((names, length)) = parameter_list(&body[1..]) else {
                Diagnostic::error("P0009", span, format!("malformed parameters of macro `{}`", name.text))
                    .label("expected names, separated by commas, and `)`")
                    .emit(self.diagnostics);
                return;
            };
            parameters = Some(names);
            body = &body[1 + length..];
        }
        let new = Macro { parameters, body: body.to_vec(), span: name.span };
        if let Some(old) = self.macros.get(&name.text)
            && !old.same(&new)
        {
            Diagnostic::warning("P0010", name.span, format!("macro `{}` is defined again", name.text))
                .label("this definition counts from here on")
                .also(old.span, "it was defined here")
                .help(format!("write `#undef {}` before it if this is meant", name.text))
                .emit(self.diagnostics);
        }
        self.macros.insert(name.text.clone(), Rc::new(new));
    }

    fn include(&mut self, rest: &[Token], span: Span) {
        let expanded;
        let mut rest = rest;
        if rest.first().is_some_and(|token| token.kind == TokenKind::Name) {
            expanded = self.expander().expand_all(rest.to_vec());
            rest = &expanded;
        }
        let (path, system) = match rest.first().map(|token| token.kind) {
            Some(TokenKind::Text) => (rest[0].text.trim_matches('"').to_owned(), false),
            Some(TokenKind::Less) => {
                let mut path = String::new();
                for token in rest[1..].iter().take_while(|token| token.kind != TokenKind::Greater) {
                    path.push_str(&token.text);
                }
                (path, true)
            }
            _ => {
                Diagnostic::error("P0002", span, "`#include` needs a file")
                    .label("expected `\"file\"` or `<file>`")
                    .emit(self.diagnostics);
                return;
            }
        };
        if self.includes.len() >= MAX_INCLUDES {
            Diagnostic::error("P0003", span, "includes are nested too deeply")
                .label(format!("more than {MAX_INCLUDES} files deep"))
                .also(self.includes[0], "the chain starts here")
                .help("does a file include itself?")
                .emit(self.diagnostics);
            return;
        }
        let (files, bytes) = self.included;
        if files >= MAX_FILES || bytes > MAX_INCLUDED {
            let title =
                if files >= MAX_FILES { "too many files are included" } else { "too much is included" };
            Diagnostic::error("P0003", span, title)
                .label(format!("{files} files with {bytes} bytes so far"))
                .help("does a file include itself?")
                .emit(self.diagnostics);
            return;
        }
        let from = self.sources.file(span.file).name.clone();
        match self.loader.load(&path, &from, system) {
            Ok(loaded) => {
                self.included = (files + 1, bytes + loaded.text.len());
                let file = self.sources.add(loaded.name, loaded.text);
                self.includes.push(span);
                self.file(file);
                self.includes.pop();
            }
            Err(reason) => {
                self.lacks_file = true;
                Diagnostic::error("P0002", span, format!("can't include `{path}`"))
                    .label(reason.to_string())
                    .note("what depends on this file is not looked at")
                    .emit(self.diagnostics);
            }
        }
    }
}

/// Reads `a, b)`: the names, and how many tokens that is.
fn parameter_list(tokens: &[Token]) -> Option<(Vec<Rc<str>>, usize)> {
    let mut names = Vec::new();
    if tokens.first()?.kind == TokenKind::RightParen {
        return Some((names, 1));
    }
    let mut index = 0;
    loop {
        let name = tokens.get(index).filter(|token| token.kind == TokenKind::Name)?;
        names.push(name.text.clone());
        match tokens.get(index + 1)?.kind {
            TokenKind::Comma => index += 2,
            TokenKind::RightParen => return Some((names, index + 2)),
            _ => return None,
        }
    }
}
