//! Moving over the tokens, and spans of what was read.

use narrows_source::{Diagnostic, Span};

use super::{MAX_DEPTH, Parsed, Parser, Reported};
use crate::promela::ast::Ident;
use crate::promela::lexer::{Token, TokenKind};

impl Parser<'_> {
    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.position]
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    /// Returns the kind of a token further on.
    pub(super) fn ahead(&self, distance: usize) -> TokenKind {
        self.tokens.get(self.position + distance).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Returns whether the token is this word, which is no keyword.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Name) && &*self.token().text == word
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// Returns the token before the one at hand.
    pub(super) fn previous(&self) -> &Token {
        &self.tokens[self.position.saturating_sub(1)]
    }

    pub(super) fn bump(&mut self) {
        if !self.at(TokenKind::End) {
            self.position += 1;
        }
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<Span> {
        if self.at(kind) {
            let span = self.span();
            self.bump();
            return Ok(span);
        }
        Err(self.unexpected(expected))
    }

    pub(super) fn name(&mut self, expected: &str) -> Parsed<Ident> {
        if !self.at(TokenKind::Name) {
            return Err(self.unexpected(expected));
        }
        let ident = Ident { name: self.token().text.clone(), span: self.span() };
        self.bump();
        Ok(ident)
    }

    /// Returns the span from a position to the token before the one at hand.
    ///
    /// Within an inline, tokens of its body mix with tokens of arguments, which stand elsewhere: the
    /// innermost text that contributes gives the span.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let end = self.position.max(start + 1).min(self.tokens.len());
        let range = &self.tokens[start..end];
        let (Some(first), Some(last)) = (range.first(), range.last()) else {
            return self.span();
        };
        if self.calls.is_empty() {
            return first.span.to(last.span);
        }
        let level = range.iter().map(|token| token.level).max().unwrap_or(0);
        let mut spans = range.iter().filter(|token| token.level == level).map(|token| token.span);
        let first = spans.next().unwrap_or(first.span);
        first.to(spans.next_back().unwrap_or(first))
    }

    /// Runs a rule one level deeper, or reports that it is too deep.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    #[cold]
    #[inline(never)]
    pub(super) fn too_deep(&mut self) -> Reported {
        let diagnostic = Diagnostic::error("P0107", self.span(), "the text is nested too deeply")
            .label(format!("more than {MAX_DEPTH} levels"));
        self.report(diagnostic);
        // What is around is hopeless: go on with the next part of the text.
        while !self.at(TokenKind::End) && !self.at_unit() {
            self.bump();
        }
        self.last_error = Some(self.position);
        Reported
    }

    /// Runs a rule within parentheses or brackets, where a line break means nothing.
    pub(super) fn enclosed<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.parens += 1;
        let result = rule(self);
        self.parens -= 1;
        result
    }

    /// Returns whether a line break ended a statement before this token.
    pub(super) fn line_ended(&self) -> bool {
        self.token().newline
            && self.parens == 0
            && matches!(
                self.previous().kind,
                TokenKind::RightBrace
                    | TokenKind::RightParen
                    | TokenKind::RightBracket
                    | TokenKind::Od
                    | TokenKind::Fi
                    | TokenKind::Else
                    | TokenKind::Break
                    | TokenKind::Name
                    | TokenKind::Number
                    | TokenKind::Character
                    | TokenKind::True
                    | TokenKind::False
                    | TokenKind::Skip
                    | TokenKind::PlusPlus
                    | TokenKind::MinusMinus
                    | TokenKind::Timeout
                    | TokenKind::EmbeddedC
            )
    }

    /// Returns whether a part of the top level starts here.
    pub(super) fn at_unit(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Proctype
                | TokenKind::DProctype
                | TokenKind::Active
                | TokenKind::Init
                | TokenKind::Never
                | TokenKind::Trace
                | TokenKind::Notrace
                | TokenKind::Ltl
                | TokenKind::Typedef
                | TokenKind::Inline
        )
    }

    /// Returns whether a type's keyword or a word before it stands here.
    pub(super) fn at_type(&self) -> bool {
        match self.kind() {
            TokenKind::Bit
            | TokenKind::Bool
            | TokenKind::Byte
            | TokenKind::Pid
            | TokenKind::Short
            | TokenKind::Int
            | TokenKind::Unsigned
            | TokenKind::Mtype
            | TokenKind::Chan
            | TokenKind::Hidden
            | TokenKind::Show
            | TokenKind::Local => true,
            TokenKind::Name => self.typedefs.contains(&self.token().text),
            _ => false,
        }
    }

    /// Skips `(…)`, `[…]` or `{…}`, up to a part of the top level at most, or to the end of the statement if
    /// it is no block.
    pub(super) fn skip_group(&mut self) {
        let block = self.at(TokenKind::LeftBrace);
        let mut depth = 0_usize;
        while !self.at(TokenKind::End) && !self.at_unit() {
            match self.kind() {
                TokenKind::Semicolon
                | TokenKind::RightBrace
                | TokenKind::Fi
                | TokenKind::Od
                | TokenKind::ColonColon
                    if !block =>
                {
                    break;
                }
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                break;
            }
        }
    }

    /// Skips to where the next statement may start, after an error.
    pub(super) fn synchronise(&mut self) {
        let start = self.position;
        loop {
            match self.kind() {
                TokenKind::Semicolon
                | TokenKind::Arrow
                | TokenKind::ColonColon
                | TokenKind::Fi
                | TokenKind::Od
                | TokenKind::RightBrace
                | TokenKind::End => break,
                _ if self.at_unit() => break,
                TokenKind::If
                | TokenKind::Do
                | TokenKind::Goto
                | TokenKind::Break
                | TokenKind::Atomic
                | TokenKind::DStep
                    if self.token().newline && self.position > start =>
                {
                    break;
                }
                TokenKind::Name if self.token().newline && self.position > start => break,
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => self.skip_group(),
                _ => self.bump(),
            }
        }
    }
}
