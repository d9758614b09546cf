//! Saying what is wrong, once.

use narrows_source::{Diagnostic, Span, closest};

use super::{MAX_MESSAGES, Open, Parser, Reported};
use crate::promela::lexer::{KEYWORDS, Token, TokenKind};

/// Names a token for a message.
pub(super) fn describe(token: &Token) -> String {
    match token.kind {
        TokenKind::End => "the end of the text".to_owned(),
        TokenKind::Text => "a string".to_owned(),
        TokenKind::EmbeddedC => "embedded C".to_owned(),
        TokenKind::Name => format!("the name `{}`", token.text),
        _ => format!("`{}`", token.text),
    }
}

impl Parser<'_> {
    /// Gives a message about the token at hand, unless one was given about it already.
    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        if self.last_error == Some(self.position) {
            return;
        }
        self.last_error = Some(self.position);
        if let Some(name) = &self.token().origin {
            diagnostic = diagnostic.note(format!("in the expansion of macro `{name}`"));
        }
        self.tell(diagnostic);
    }

    /// Gives a message; within inlines it shows the calls that led there.
    pub(super) fn tell(&mut self, mut diagnostic: Diagnostic) {
        self.told += 1;
        if self.told > MAX_MESSAGES {
            return;
        }
        for call in self.calls.iter().rev().take(3) {
            diagnostic = diagnostic.also(call.span, format!("in this call of `{}`", call.name));
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports that something else was expected here.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let found = describe(self.token());
        let mut diagnostic =
            Diagnostic::error("P0100", self.span(), format!("expected {expected}, found {found}"))
                .label(format!("expected {expected}"));
        if self.at(TokenKind::Assign) && expected == "`==`" {
            diagnostic = diagnostic.help("`=` assigns, `==` compares");
        }
        self.report(diagnostic);
        Reported
    }

    /// Reports that a formula goes on where it should end.
    #[cold]
    pub(super) fn unended(&mut self) {
        let word = self.previous().text.clone();
        if !matches!(&*word, "AG" | "AF" | "AX" | "EG" | "EF" | "EX") {
            self.unexpected("the end of the formula");
            return;
        }
        let found = describe(self.token());
        let title = format!("expected the end of the formula, found {found}");
        let diagnostic = Diagnostic::error("P0100", self.span(), title)
            .label("expected the end of the formula")
            .help(format!("`{word}` is an operator of computation tree logic: ask it as a CTL formula"));
        self.report(diagnostic);
    }

    /// Reports that a construct has no end; `missing` is what would end it.
    #[cold]
    pub(super) fn unclosed(&mut self, open: Open, missing: &str) {
        let found = describe(self.token());
        let word = match open.kind {
            TokenKind::If => "this `if`",
            TokenKind::Do => "this `do`",
            _ => "this `{`",
        };
        let mut diagnostic =
            Diagnostic::error("P0103", self.span(), format!("missing `{missing}` before {found}"))
                .label(format!("expected `{missing}` here"))
                .also(open.span, format!("{word} is not closed"));
        if matches!(self.kind(), TokenKind::Inline | TokenKind::Typedef) {
            diagnostic = diagnostic.note("inlines and typedefs stand outside of processes");
        }
        self.report(diagnostic);
    }

    /// Reports an end of something that was not begun, and skips it.
    #[cold]
    pub(super) fn stray(&mut self) {
        let text = self.token().text.clone();
        let diagnostic = Diagnostic::error("P0104", self.span(), format!("`{text}` without a beginning"))
            .label(match self.kind() {
                TokenKind::Fi => "no `if` is open here",
                TokenKind::Od => "no `do` is open here",
                TokenKind::ColonColon => "an option stands in an `if` or a `do`",
                _ => "nothing is open here",
            });
        self.report(diagnostic);
        self.bump();
    }

    /// Reports that two statements are not separated.
    #[cold]
    pub(super) fn missing_separator(&mut self) {
        let before = self.previous().span;
        let found = describe(self.token());
        let mut diagnostic = Diagnostic::error("P0102", self.span(), format!("missing `;` before {found}"))
            .label("another statement starts here");
        if before.file == self.span().file && self.previous().level == self.token().level {
            let end = Span { start: before.end.saturating_sub(1).max(before.start), ..before };
            diagnostic = diagnostic.also(end, "write `;` after this");
        }
        let sends = matches!(
            self.kind(),
            TokenKind::Query | TokenKind::QueryQuery | TokenKind::Bang | TokenKind::BangBang
        );
        if sends && matches!(self.previous().kind, TokenKind::Name | TokenKind::RightBracket) {
            diagnostic = Diagnostic::error(
                "P0122",
                self.span(),
                "a send or a receive is a statement, not an expression",
            )
            .label("this can't be part of a condition")
            .help("ask with `c?[x]` whether a message can be received, and receive it in the next statement");
        } else if self.at(TokenKind::Assign) {
            diagnostic =
                Diagnostic::error("P0108", self.span(), "nothing can be assigned to this expression")
                    .label("`=` assigns")
                    .help("use `==` to compare");
        }
        self.report(diagnostic);
    }

    /// Returns the keyword that a word was probably meant to be.
    pub(super) fn meant(word: &str, among: &[TokenKind]) -> Option<(&'static str, TokenKind)> {
        let candidates = KEYWORDS.iter().filter(|(_, kind)| among.contains(kind));
        let text = closest(word, candidates.map(|(text, _)| *text))?;
        KEYWORDS.iter().find(|(spelling, _)| *spelling == text).copied()
    }
}
