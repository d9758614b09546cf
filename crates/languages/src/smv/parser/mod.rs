//! Tokens to the tree in [`super::ast`], by recursive descent. After an error it goes on with the next part
//! of the text.

mod declarations;
mod expressions;
mod psl;

use narrows_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use super::ast::{Expr, ExprKind, Id, Ident, Tree};
use super::lexer::{SECTIONS, Token, TokenKind, keywords, tokens};

/// Parentheses and the like can be nested this deeply.
const MAX_DEPTH: usize = 400;

/// What is wrong has been said.
pub(super) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses a whole text.
pub(super) fn parse(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Tree {
    let mut tree = Tree::default();
    let tokens = tokens(text, file, diagnostics);
    Parser::new(tokens, &mut tree, diagnostics).modules();
    tree
}

/// Parses one formula or expression and adds it to a tree.
pub(super) fn parse_formula(
    text: &str,
    file: FileId,
    tree: &mut Tree,
    diagnostics: &mut Diagnostics,
) -> Option<Id> {
    let tokens = tokens(text, file, diagnostics);
    let mut parser = Parser::new(tokens, tree, diagnostics);
    let formula = parser.expression().ok()?;
    if parser.at(TokenKind::End) {
        return Some(formula);
    }
    parser.unexpected("an operator or the end of the formula");
    None
}

struct Parser<'a> {
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    /// Within `A[…` and `E[…`, where `U` is no operator.
    stops_at_until: bool,
    /// Within a specification in PSL, whose operators bind otherwise.
    in_psl: bool,
    tree: &'a mut Tree,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    fn new(tokens: Vec<Token>, tree: &'a mut Tree, diagnostics: &'a mut Diagnostics) -> Self {
        Parser { tokens, position: 0, depth: 0, stops_at_until: false, in_psl: false, tree, diagnostics }
    }

    fn token(&self) -> &Token {
        &self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn ahead(&self, distance: usize) -> TokenKind {
        self.tokens.get(self.position + distance).map_or(TokenKind::End, |token| token.kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_keyword(&self, word: &str) -> bool {
        self.at(TokenKind::Keyword) && &*self.token().text == word
    }

    /// Returns the keyword here; empty if there is none.
    fn keyword(&self) -> &str {
        if self.at(TokenKind::Keyword) { &self.token().text } else { "" }
    }

    fn at_section(&self) -> bool {
        SECTIONS.contains(&self.keyword())
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
        if !self.at(TokenKind::End) {
            self.position += 1;
        }
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.at_keyword(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn expect_keyword(&mut self, word: &str, expected: &str) -> Parsed<()> {
        if self.eat_keyword(word) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn name(&mut self, expected: &str) -> Parsed<Ident> {
        if !self.at(TokenKind::Name) {
            return Err(self.unexpected(expected));
        }
        let ident = Ident { name: self.token().text.clone(), span: self.span() };
        self.bump();
        Ok(ident)
    }

    fn add(&mut self, kind: ExprKind, start: usize, operands: &[Id]) -> Id {
        let own = matches!(
            kind,
            ExprKind::Temporal(..)
                | ExprKind::TemporalPair(..)
                | ExprKind::Bounded(..)
                | ExprKind::BoundedUntil { .. }
        );
        let is_temporal = own || operands.iter().any(|operand| self.tree.expr(*operand).is_temporal);
        let id = Id(self.tree.expressions.len() as u32);
        let span = self.span_from(start);
        self.tree.expressions.push(Expr { kind, span, is_temporal });
        id
    }

    /// Runs a rule one level deeper, or reports that it is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    #[cold]
    fn too_deep(&mut self) -> Reported {
        let label = format!("more than {MAX_DEPTH} levels");
        let title = "the text is nested too deeply";
        self.diagnostics.push(Diagnostic::error("V0102", self.span(), title).label(label));
        Reported
    }

    /// Says what should stand here.
    #[cold]
    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token().clone();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", token.text),
        };
        let mut diagnostic =
            Diagnostic::error("V0100", token.span, format!("{found} stands where {expected} should"))
                .label(format!("expected {expected}"));
        match token.kind {
            TokenKind::Keyword if expected.contains("name") => {
                diagnostic =
                    diagnostic.note(format!("`{}` is a word of SMV and can't be a name", token.text));
            }
            TokenKind::Name => {
                if let Some(word) = closest(&token.text, keywords())
                    && (expected.contains(word) || expected.contains("section"))
                {
                    diagnostic = diagnostic.help(format!("did you mean `{word}`?"));
                }
            }
            TokenKind::Real => {
                diagnostic = diagnostic
                    .note("numbers with a fraction have no end of values; such models are not read");
            }
            _ => {}
        }
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Skips to the end of a declaration: past its `;`, or to the next section.
    fn synchronise(&mut self) {
        while !self.at(TokenKind::End) && !self.at_section() {
            if self.eat(TokenKind::Semicolon) {
                return;
            }
            self.bump();
        }
    }
}
