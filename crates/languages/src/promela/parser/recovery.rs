//! Statements that are nearly right: what is said of them, and how parsing goes on.

use std::rc::Rc;

use narrows_source::{Diagnostic, closest};

use super::expressions::binary_operator;
use super::statements::skip;
use super::{Open, Parsed, Parser, Reported};
use crate::promela::ast::{Expr, ExprKind, Ident, Place, StatementKind, Step};
use crate::promela::lexer::TokenKind;
use crate::promela::text;

/// Words that a name may follow.
const WORDS: &[TokenKind] = &[
    TokenKind::Goto,
    TokenKind::Run,
    TokenKind::Assert,
    TokenKind::Byte,
    TokenKind::Bit,
    TokenKind::Bool,
    TokenKind::Int,
];
const WORDS_MORE: &[TokenKind] =
    &[TokenKind::Short, TokenKind::Chan, TokenKind::Mtype, TokenKind::Unsigned, TokenKind::Pid];

impl Parser<'_> {
    #[cold]
    pub(super) fn empty(&mut self, container: &str) {
        let diagnostic = Diagnostic::error("P0117", self.span(), format!("this {container} is empty"))
            .label("expected a statement before this")
            .help("write `skip` for a statement that does nothing");
        self.report(diagnostic);
    }

    /// Reports that no string stands where one should.
    #[cold]
    pub(super) fn no_string(&mut self) -> Reported {
        if !self.at(TokenKind::Character) {
            return self.unexpected("a string");
        }
        let text = self.token().text.clone();
        let diagnostic =
            Diagnostic::error("P0100", self.span(), format!("expected a string, found `{text}`"))
                .label("a character, which is a number")
                .help(format!("a string stands between double quotes: \"{}\"", text.trim_matches('\'')));
        self.report(diagnostic);
        Reported
    }

    /// Reports that no number stands where one must; a name there is most often a macro that is not defined.
    #[cold]
    pub(super) fn no_number(&mut self, expected: &str) -> Reported {
        if !self.at(TokenKind::Name) {
            return self.unexpected(expected);
        }
        let name = self.token().text.clone();
        let title = format!("expected {expected}, found the name `{name}`");
        let diagnostic = Diagnostic::error("P0100", self.span(), title)
            .label("no macro with this name is defined")
            .help(format!("write `#define {name} …` above, or give it with `-D {name}=…`"));
        self.report(diagnostic);
        Reported
    }

    /// Returns whether `+=` or one of its kin stands here, which Promela has not.
    pub(super) fn at_compound_assignment(&self) -> bool {
        let next = self.tokens.get(self.position + 1);
        binary_operator(self.kind()).is_some()
            && next.is_some_and(|next| next.kind == TokenKind::Assign && !next.space && !next.newline)
    }

    /// Reports `x += e`, and reads it as `x = x + e`.
    #[cold]
    pub(super) fn compound_assignment(&mut self, place: Place) -> Parsed<StatementKind> {
        let Some((operator, _)) = binary_operator(self.kind()) else {
            return Err(self.unexpected("an operator"));
        };
        let sign = self.token().text.clone();
        let name = text::place(&place);
        let span = self.span().to(self.tokens[self.position + 1].span);
        let diagnostic = Diagnostic::error("P0124", span, format!("Promela has no `{sign}=`"))
            .label("not an operator")
            .help(format!("write `{name} = {name} {sign} …`"));
        self.report(diagnostic);
        self.bump();
        self.bump();
        let value = self.expression()?;
        let old = Expr { span: place.span, kind: ExprKind::Place(place.clone()) };
        let span = place.span.to(value.span);
        let kind = ExprKind::Binary(operator, Box::new(old), Box::new(value));
        Ok(StatementKind::Assign(place, Expr { kind, span }))
    }

    #[cold]
    pub(super) fn misplaced_mtype(&mut self) -> Parsed<Step> {
        let diagnostic =
            Diagnostic::error("P0119", self.span(), "an `mtype` is declared outside of processes")
                .label("not in a sequence of statements");
        self.report(diagnostic);
        self.mtype()?;
        Ok(Step::Statement(skip(self.previous().span)))
    }

    /// Two names on one line: an unknown type, or a misspelt keyword.
    #[inline(never)]
    pub(super) fn two_names(&mut self) -> Parsed<Step> {
        let word = self.token().text.clone();
        let meant = Parser::meant(&word, WORDS).or_else(|| Parser::meant(&word, WORDS_MORE));
        let Some((text, kind)) = meant else {
            return Ok(Step::Declaration(self.unknown_type()?));
        };
        self.misspelt(text, kind);
        self.step()
    }

    /// Reports a misspelt keyword and reads on as if it were right.
    #[inline(never)]
    pub(super) fn misspelt(&mut self, text: &str, kind: TokenKind) {
        let word = self.token().text.clone();
        let diagnostic = Diagnostic::error("P0121", self.span(), format!("unknown word `{word}`"))
            .label("not a keyword, nor a type")
            .did_you_mean(Some(text));
        self.report(diagnostic);
        let position = self.position;
        self.tokens[position].kind = kind;
    }

    #[cold]
    pub(super) fn label_before_declaration(&mut self, label: &Ident) {
        let diagnostic = Diagnostic::error("P0106", label.span, "a label stands before a declaration")
            .label("this label marks no statement")
            .also(self.span(), "the declaration")
            .help("move the declaration before the label");
        self.report(diagnostic);
    }

    /// Reports a call after a name in an expression, and skips its arguments.
    #[cold]
    pub(super) fn called_in_expression(&mut self) {
        let name = self.previous().text.clone();
        let diagnostic = if self.all_inlines.iter().any(|(known, _)| *known == name) {
            Diagnostic::error("P0109", self.span(), format!("inline `{name}` is called within an expression"))
                .label("a call of an inline is a statement")
                .help(format!("let a variable take its value first, as in `x = {name}(…)`"))
        } else if self.all_proctypes.contains(&name) {
            Diagnostic::error("P0109", self.span(), format!("proctype `{name}` is called like a function"))
                .label("a process is started")
                .help(format!("write `run {name}(…)`"))
        } else {
            Diagnostic::error("P0109", self.span(), format!("unknown function `{name}`"))
                .label("there are no functions with this name")
        };
        self.report(diagnostic);
        self.synchronise();
    }

    /// Reports a call of something that is no inline, and skips it.
    #[cold]
    pub(super) fn unknown_inline(&mut self) -> Reported {
        let name: Rc<str> = self.token().text.clone();
        let mut diagnostic = Diagnostic::error("P0109", self.span(), format!("unknown inline `{name}`"))
            .label("no inline with this name is defined above");
        if let Some((_, span)) = self.all_inlines.iter().find(|(known, _)| *known == name) {
            diagnostic = diagnostic
                .also(*span, "it is defined here")
                .help("an inline must be defined before it is used: move it up");
        } else if self.all_proctypes.contains(&name) {
            diagnostic =
                diagnostic.label("this is a proctype").help(format!("start it with `run {name}(…)`"));
        } else {
            let words =
                ["assert", "printf", "printm", "run", "len", "full", "empty", "nfull", "nempty", "eval"];
            let words = words.into_iter().chain(["select", "for", "enabled", "set_priority"]);
            let inlines = self.all_inlines.iter().map(|(known, _)| &**known);
            diagnostic = diagnostic.did_you_mean(closest(&name, inlines.chain(words)));
        }
        self.report(diagnostic);
        self.bump();
        self.skip_group();
        Reported
    }

    /// Reports a `fi` for an `od` or the other way round, and takes it.
    #[cold]
    pub(super) fn wrong_end(&mut self, open: Open, word: &str) {
        let text = self.token().text.clone();
        let diagnostic =
            Diagnostic::error("P0104", self.span(), format!("expected `{word}`, found `{text}`"))
                .label(format!("write `{word}` here"))
                .also(open.span, "to close this");
        self.report(diagnostic);
        self.bump();
    }
}
