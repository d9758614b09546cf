//! The C preprocessor, as far as models use it.
//!
//! Lines that are not directives are gathered and expanded in one go, so that the arguments of a macro may
//! span lines. Expansion keeps a hide set per token (Prosser's algorithm), so that a macro that names itself
//! stops. A token out of a macro's body carries the span of the macro's use: that is the line a user wrote,
//! and the line SPIN reports.

mod condition;
mod directives;
mod finish;
mod macros;

use std::collections::HashSet;
use std::rc::Rc;

use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Sources, Span};

pub(crate) use self::finish::finish;
pub(crate) use self::macros::{Expander, Macro, Macros};
use super::lexer::{Interner, Token, TokenKind, lex};
use crate::Formula;

/// What the command line says about the text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros that have these values whatever the text defines: a name and its value; a name alone means 1.
    pub definitions: Vec<(String, Option<String>)>,
    /// Macros that get values another time, and where they are named: the text, or a formula, must use them.
    pub varied: Vec<(String, Span)>,
    /// Names for expressions, for the formulas alone: the text does not see them.
    pub abbreviations: Vec<Abbreviation>,
    /// What is asked beside what the text claims.
    pub formulas: Vec<Formula>,
}

/// A name that stands for an expression in formulas.
#[derive(Clone, Debug)]
pub struct Abbreviation {
    /// The name.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Where it comes from, for messages about it.
    pub origin: String,
}

/// How deep includes may nest.
const MAX_INCLUDES: usize = 64;
/// How many files may be included in all, and how many bytes of text they may have together.
const MAX_FILES: usize = 1000;
const MAX_INCLUDED: usize = 16 << 20;

/// One `#if` that is still open.
struct Conditional {
    /// The directive.
    span: Span,
    /// Whether the text around it counts.
    outer: bool,
    /// Whether one of its branches was taken already.
    taken: bool,
    /// Whether the branch at hand counts.
    active: bool,
    /// The `#else`, once seen.
    otherwise: Option<Span>,
}

/// Works through files and collects tokens.
struct Preprocessor<'a> {
    sources: &'a mut Sources,
    loader: &'a dyn Loader,
    diagnostics: &'a mut Diagnostics,
    interner: Interner,
    macros: Macros,
    /// Macros that were given from outside: the text can't change them.
    given: HashSet<Rc<str>>,
    /// Names that the text mentions, other than to define them, whether or not the place counts.
    mentioned: HashSet<Rc<str>>,
    /// The includes that led here.
    includes: Vec<Span>,
    /// How many files were included so far, and how many bytes they had.
    included: (usize, usize),
    /// Whether a file to include was not found.
    lacks_file: bool,
    output: Vec<Token>,
    /// How many tokens expansion may still make.
    budget: usize,
}

/// What preprocessing makes of a file.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    /// The tokens; the last one is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// The macros at the end.
    pub(crate) macros: Macros,
    /// Macros that are given from outside, or will be, and that the text does not use; with a place.
    pub(crate) unused: Vec<(Rc<str>, Span)>,
    /// Whether a file to include was not found: whatever seems to be missing may stand in it.
    pub(crate) lacks_file: bool,
}

/// Preprocesses a file and everything it includes.
pub(crate) fn preprocess(
    sources: &mut Sources,
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        sources,
        loader,
        diagnostics,
        interner: Interner::default(),
        macros: Macros::default(),
        given: HashSet::new(),
        mentioned: HashSet::new(),
        includes: Vec::new(),
        included: (0, 0),
        lacks_file: false,
        output: Vec::new(),
        budget: macros::MAX_TOKENS,
    };
    preprocessor.define_options(options);
    preprocessor.file(file);
    preprocessor.define_abbreviations(options);
    let end = Span::new(
        file,
        preprocessor.sources.file(file).text.len(),
        preprocessor.sources.file(file).text.len(),
    );
    preprocessor.output.push(end_token(end));
    let Preprocessor { output, macros, given, mentioned, lacks_file, .. } = preprocessor;
    let named =
        given.into_iter().map(|name| (macros.get(&name).map_or(Span::default(), |known| known.span), name));
    let varied = options.varied.iter().map(|(name, span)| (*span, Rc::from(name.as_str())));
    let unused = named.chain(varied).filter(|(_, name)| !mentioned.contains(name));
    let mut unused: Vec<(Rc<str>, Span)> = unused.map(|(span, name)| (name, span)).collect();
    unused.sort_by(|(one, _), (other, _)| one.cmp(other));
    Preprocessed { tokens: finish(&output, diagnostics), macros, unused, lacks_file }
}

/// Makes the token that ends a list.
pub(crate) fn end_token(span: Span) -> Token {
    Token {
        kind: TokenKind::End,
        text: Rc::from(""),
        value: 0,
        span,
        newline: true,
        comment_break: false,
        space: true,
        level: 0,
        origin: None,
    }
}

/// Returns whether tokens begin with such a directive, and a name.
fn is_definition(tokens: &[Token], word: &str) -> bool {
    matches!(tokens, [hash, directive, name, ..]
        if hash.kind == TokenKind::Hash && &*directive.text == word && name.kind == TokenKind::Name)
}

impl Preprocessor<'_> {
    fn define_options(&mut self, options: &Options) {
        for (name, value) in &options.definitions {
            let text = value.clone().unwrap_or_else(|| "1".to_owned());
            let file = self.sources.add(format!("command line: {name}"), text.clone());
            let mut body = lex(&text, file, &mut self.interner, self.diagnostics);
            body.pop();
            let name = self.interner.intern(name);
            let span = Span::new(file, 0, text.len());
            self.given.insert(name.clone());
            self.macros.insert(name, Rc::new(Macro { parameters: None, body, span }));
        }
    }

    fn define_abbreviations(&mut self, options: &Options) {
        for Abbreviation { name, text, origin } in &options.abbreviations {
            let file = self.sources.add(origin.clone(), text.clone());
            let mut inside = lex(text, file, &mut self.interner, self.diagnostics);
            inside.pop();
            let name = self.interner.intern(name);
            let span = Span::new(file, 0, text.len());
            if let Some(known) = self.macros.get(&name) {
                let title = format!("the model has a macro `{name}` of its own");
                let error = Diagnostic::error("P0023", span, title).also(known.span, "it is defined here");
                self.diagnostics.push(error.help("choose another name"));
            } else if self.mentioned.contains(&name) {
                let title = format!("the model itself uses the name `{name}`");
                let error = Diagnostic::error("P0023", span, title).label("it would be hidden");
                self.diagnostics.push(error.help("choose another name"));
            }
            let parenthesis = |kind, text| Token { kind, text: Rc::from(text), ..end_token(span) };
            let mut body = vec![parenthesis(TokenKind::LeftParen, "(")];
            body.append(&mut inside);
            body.push(parenthesis(TokenKind::RightParen, ")"));
            for token in &mut body {
                token.newline = false;
            }
            self.macros.insert(name, Rc::new(Macro { parameters: None, body, span }));
        }
    }

    /// Preprocesses one file into the output.
    fn file(&mut self, file: FileId) {
        let text = self.sources.file(file).text.clone();
        let tokens = lex(&text, file, &mut self.interner, self.diagnostics);
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut pending: Vec<Token> = Vec::new();
        let mut index = 0;
        while tokens[index].kind != TokenKind::End {
            let start = index;
            index += 1;
            while !tokens[index].newline {
                index += 1;
            }
            let line = &tokens[start..index];
            let only_defines = is_definition(line, "ifndef") && is_definition(&tokens[index..], "define");
            let skipped = if only_defines || is_definition(line, "define") { 3 } else { 0 };
            if !is_definition(line, "undef") {
                self.mentioned.extend(line.iter().skip(skipped).map(|token| token.text.clone()));
            }
            if line[0].kind == TokenKind::Hash {
                self.flush(&mut pending);
                self.directive(line, &mut conditionals);
            } else if conditionals.last().is_none_or(|conditional| conditional.active) {
                pending.extend(line.iter().cloned().map(|mut token| {
                    token.newline |= token.comment_break;
                    token
                }));
            }
        }
        self.flush(&mut pending);
        for conditional in conditionals {
            Diagnostic::error("P0004", conditional.span, "unterminated conditional")
                .label("this has no `#endif`")
                .emit(self.diagnostics);
        }
    }

    /// Expands the lines gathered so far.
    fn flush(&mut self, pending: &mut Vec<Token>) {
        if pending.is_empty() {
            return;
        }
        let tokens = std::mem::take(pending);
        let expanded = self.expander().expand_all(tokens);
        self.output.extend(expanded);
    }

    fn expander(&mut self) -> Expander<'_> {
        Expander {
            macros: &self.macros,
            interner: &mut self.interner,
            diagnostics: self.diagnostics,
            budget: &mut self.budget,
        }
    }
}

#[cfg(test)]
mod tests;
