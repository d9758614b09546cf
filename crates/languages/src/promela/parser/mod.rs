//! Tokens to a syntax tree: recursive descent, with precedence climbing for expressions.
//!
//! Parsing never fails: what can't be understood is reported once, skipped up to the next place where a
//! statement or a declaration may start, and left out of the tree. Inline calls are expanded here, token by
//! token, since what an argument means is known only in the inline's body.
//!
//! **Invariants.** The token list ends with [`TokenKind::End`] and the position never passes it. At most one
//! message is given about the token at hand. Nesting is bounded, so the tree can be walked recursively.

mod ctl;
mod cursor;
mod declarations;
mod expressions;
mod formulas;
mod inline;
mod ltl;
mod messages;
mod recovery;
mod sends;
mod statements;
mod units;

use std::rc::Rc;

use narrows_logic::{Ctl, Ltl};
use narrows_source::{Diagnostics, FileId, Loader, Sources, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Expr, Ident, Place, Program};
use super::lexer::{Interner, Token, TokenKind, lex};
use super::preprocess::{Expander, Macros, Options, Preprocessed, finish, preprocess};

/// How deep statements and expressions may nest.
const MAX_DEPTH: usize = 400;
/// How many operators one expression may have: its tree may be that deep.
const MAX_OPERATORS: usize = 4000;
/// How many tokens all inline calls together may make.
const MAX_INLINED: usize = 2_000_000;

/// How many messages are given; nobody reads more.
const MAX_MESSAGES: usize = 500;

/// Says that a message was given already.
#[derive(Debug)]
struct Reported;

/// What was parsed, if it could be.
type Parsed<T> = Result<T, Reported>;

/// An `inline`.
#[derive(Debug)]
struct Inline {
    name: Ident,
    parameters: Vec<Rc<str>>,
    /// The body with its braces.
    body: Vec<Token>,
}

/// A call of an inline that is being expanded.
#[derive(Debug)]
struct Call {
    name: Rc<str>,
    span: Span,
    /// Where `return` puts its value.
    target: Option<Place>,
}

/// A construct that waits for its end.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// [`TokenKind::If`], [`TokenKind::Do`] or [`TokenKind::LeftBrace`].
    kind: TokenKind,
    span: Span,
}

struct Parser<'a> {
    tokens: Vec<Token>,
    position: usize,
    diagnostics: &'a mut Diagnostics,
    inlines: FxHashMap<Rc<str>, Rc<Inline>>,
    /// Typedefs seen so far.
    typedefs: Vec<Rc<str>>,
    /// Names that were reported as unknown types.
    unknown_types: FxHashSet<Rc<str>>,
    /// Proctypes seen so far.
    proctypes: FxHashSet<Rc<str>>,
    /// Proctypes of the whole text.
    all_proctypes: FxHashSet<Rc<str>>,
    /// Inlines of the whole text, with the places of their names.
    all_inlines: Vec<(Rc<str>, Span)>,
    calls: Vec<Call>,
    open: Vec<Open>,
    /// The position of the last message, so that no second one follows.
    last_error: Option<usize>,
    depth: usize,
    /// Parentheses and brackets around: a line break ends no statement there.
    parens: usize,
    /// Whether a formula or a claim is parsed: proctypes defined below are known there.
    in_property: bool,
    /// How many operators the statement at hand has so far.
    operators: usize,
    /// How many tokens inline calls have made so far.
    inlined: usize,
    /// How many messages were given.
    told: usize,
}

/// What a text defines that a formula from elsewhere may use.
#[derive(Debug, Default)]
pub struct Context {
    pub(super) macros: Macros,
    proctypes: FxHashSet<Rc<str>>,
    /// Whether a file that the text includes was not found, which is reported.
    pub(super) lacks_file: bool,
    /// Macros that were given from outside, and that the text does not mention.
    pub(super) unused: Vec<(Rc<str>, Span)>,
}

/// Preprocesses and parses a file. All that is wrong with it goes to `diagnostics`; the tree holds the rest.
pub fn parse(
    sources: &mut Sources,
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Program {
    parse_with_context(sources, file, loader, options, diagnostics).0
}

/// Like [`parse`], and returns what [`parse_formula_text`] and [`parse_expression_text`] need to know of the
/// text.
pub fn parse_with_context(
    sources: &mut Sources,
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> (Program, Context) {
    let Preprocessed { tokens, macros, unused, lacks_file } =
        preprocess(sources, file, loader, options, diagnostics);
    // Without a file that the text includes, most of what seems wrong with it is a consequence of that.
    let mut unsaid = Diagnostics::default();
    let mut parser = Parser::new(tokens, if lacks_file { &mut unsaid } else { diagnostics });
    let program = parser.program();
    let Parser { all_proctypes, .. } = parser;
    (program, Context { macros, proctypes: all_proctypes, lacks_file, unused })
}

/// Parses an expression that stands in a text of its own, such as one given on the command line.
///
/// The macros of the model expand in it. `None` if it is wrong, which is reported.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method holds for one lifetime of the parser only"
)]
pub fn parse_expression_text(
    sources: &mut Sources,
    name: &str,
    text: &str,
    context: &Context,
    diagnostics: &mut Diagnostics,
) -> Option<Expr> {
    separate_text(sources, name, text, context, diagnostics, |parser| parser.expression())
}

/// Parses a formula of linear temporal logic that stands in a text of its own, such as one given on the
/// command line.
///
/// The macros of the model expand in it. `None` if it is wrong, which is reported.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method holds for one lifetime of the parser only"
)]
pub fn parse_formula_text(
    sources: &mut Sources,
    name: &str,
    text: &str,
    context: &Context,
    diagnostics: &mut Diagnostics,
) -> Option<Ltl<Expr>> {
    separate_text(sources, name, text, context, diagnostics, |parser| parser.formula())
}

/// Parses a formula of computation tree logic that stands in a text of its own, such as one given on the
/// command line.
///
/// The macros of the model expand in it. `None` if it is wrong, which is reported.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method holds for one lifetime of the parser only"
)]
pub fn parse_ctl_text(
    sources: &mut Sources,
    name: &str,
    text: &str,
    context: &Context,
    diagnostics: &mut Diagnostics,
) -> Option<Ctl<Expr>> {
    separate_text(sources, name, text, context, diagnostics, |parser| parser.formula())
}

fn separate_text<T>(
    sources: &mut Sources,
    name: &str,
    text: &str,
    context: &Context,
    diagnostics: &mut Diagnostics,
    rule: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
) -> Option<T> {
    let file = sources.add(name, text);
    let mut interner = Interner::default();
    let tokens = lex(text, file, &mut interner, diagnostics);
    let mut budget = MAX_INLINED;
    let tokens =
        Expander { macros: &context.macros, interner: &mut interner, diagnostics, budget: &mut budget }
            .expand_all(tokens);
    let tokens = finish(&tokens, diagnostics);
    let mut own = Diagnostics::default();
    let mut parser = Parser::new(tokens, &mut own);
    parser.all_proctypes.clone_from(&context.proctypes);
    parser.in_property = true;
    parser.parens = 1;
    let mut result = rule(&mut parser).ok();
    if result.is_some() {
        parser.eat(TokenKind::Semicolon);
        if !parser.at(TokenKind::End) {
            parser.unended();
            result = None;
        }
    }
    result = result.filter(|_| !own.has_errors());
    for diagnostic in own.sorted() {
        diagnostics.push(diagnostic);
    }
    result
}

impl<'a> Parser<'a> {
    fn new(tokens: Vec<Token>, diagnostics: &'a mut Diagnostics) -> Self {
        let mut all_proctypes = FxHashSet::default();
        let mut all_inlines = Vec::new();
        for pair in tokens.windows(2) {
            match pair[0].kind {
                TokenKind::Proctype | TokenKind::DProctype if pair[1].kind == TokenKind::Name => {
                    all_proctypes.insert(pair[1].text.clone());
                }
                TokenKind::Inline if pair[1].kind == TokenKind::Name => {
                    all_inlines.push((pair[1].text.clone(), pair[1].span));
                }
                _ => {}
            }
        }
        Parser {
            tokens,
            position: 0,
            diagnostics,
            inlines: FxHashMap::default(),
            typedefs: Vec::new(),
            unknown_types: FxHashSet::default(),
            proctypes: FxHashSet::default(),
            all_proctypes,
            all_inlines,
            calls: Vec::new(),
            open: Vec::new(),
            last_error: None,
            depth: 0,
            parens: 0,
            in_property: false,
            operators: 0,
            inlined: 0,
            told: 0,
        }
    }
}

#[cfg(test)]
mod show;
#[cfg(test)]
mod tests;
