//! From tokens to formulas.
//!
//! Between states, `and` binds tightest, then `or`, `implies` and `equ`; `implies` groups to the right, the
//! others to the left. What stands before a formula (`not`, `<R>`, `[R]`) binds tighter still, and the body
//! of `mu X .` reaches as far as it can. After an error within brackets or parentheses, reading goes on
//! behind them.

mod regular;

use narrows_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use super::lexer::{Token, TokenKind, tokens};
use super::syntax::{Formula, Name, Operator, Regular, Sign};

/// Formulas may be nested so deeply.
const MAX_DEPTH: usize = 200;
/// So many operators may a formula have: each may be a level of the tree.
const MAX_OPERATORS: usize = 2_000;

/// The words with a meaning of their own.
pub(super) const WORDS: [&str; 10] =
    ["true", "false", "not", "and", "or", "implies", "equ", "mu", "nu", "nil"];

/// An error that has been reported.
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads a formula; variables are not looked at.
pub(super) fn read(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Formula> {
    let tokens = tokens(file, text, diagnostics);
    let mut parser = Parser { tokens, position: 0, depth: 0, operators: 0, diagnostics };
    let formula = parser.formula(0).ok()?;
    if !parser.at(TokenKind::End) {
        parser.trailing();
    }
    Some(formula)
}

struct Parser<'d> {
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
    operators: usize,
    diagnostics: &'d mut Diagnostics,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.position]
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token().kind == kind
    }

    fn span(&self) -> Span {
        self.token().span
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

    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_large(format!("more than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators == MAX_OPERATORS {
            return Err(self.too_large(format!("more than {MAX_OPERATORS} operators")));
        }
        Ok(())
    }

    fn too_large(&mut self, label: String) -> Reported {
        Diagnostic::error("M0009", self.span(), "the formula is too large")
            .label(label)
            .emit(self.diagnostics);
        self.position = self.tokens.len() - 1;
        Reported
    }

    /// Says what was expected instead of the token at hand.
    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token();
        if token.kind == TokenKind::Wrong {
            return Reported;
        }
        let found = match token.kind {
            TokenKind::End => "the end of the formula".to_owned(),
            TokenKind::Label => format!("`\"{}\"`", token.text),
            TokenKind::Pattern => format!("`'{}'`", token.text),
            _ => format!("`{}`", token.text),
        };
        let title = format!("expected {expected}, found {found}");
        let mut diagnostic =
            Diagnostic::error("M0001", token.span, title).label(format!("expected {expected}"));
        if token.kind == TokenKind::Word && !WORDS.contains(&token.text.as_str()) {
            diagnostic = diagnostic.did_you_mean(closest(&token.text, WORDS));
        } else if matches!(token.kind, TokenKind::Label | TokenKind::Pattern) {
            diagnostic = diagnostic.help("an action stands in brackets: `<\"A\"> true` or `[\"A\"] false`");
        } else if token.kind == TokenKind::Bar {
            diagnostic = diagnostic.help("between formulas about states, write `or`; `|` joins paths");
        }
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Reports what stands behind the end of a formula.
    fn trailing(&mut self) {
        let _ = match self.token().kind {
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::Greater => {
                let title = format!("`{}` closes nothing", self.token().text);
                Diagnostic::error("M0002", self.span(), title)
                    .label("nothing is open here")
                    .emit(self.diagnostics);
                Reported
            }
            _ => self.unexpected("`and`, `or`, `implies`, `equ` or the end of the formula"),
        };
    }

    /// Expects the end of what an opening sign began.
    fn close(&mut self, kind: TokenKind, sign: &str, opened: Span) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        if self.at(TokenKind::End) {
            let open = &self.tokens.iter().find(|token| token.span == opened).map_or("", |token| &token.text);
            let title = format!("`{open}` is not closed");
            Diagnostic::error("M0002", opened, title)
                .label("it is opened here")
                .help(format!("close it with `{sign}`"))
                .emit(self.diagnostics);
            return Err(Reported);
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    /// Goes behind the sign that closes what is open; returns whether there is one.
    fn skip_behind(&mut self, kind: TokenKind) -> bool {
        let mut parens = 0_usize;
        while !self.at(TokenKind::End) {
            let here = self.token().kind;
            if here == kind && parens == 0 {
                self.bump();
                return true;
            }
            match here {
                TokenKind::LeftParen => parens += 1,
                TokenKind::RightParen => parens = parens.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
        false
    }

    fn operator(&self) -> Option<(Operator, u8)> {
        if !self.at(TokenKind::Word) {
            return None;
        }
        Some(match self.token().text.as_str() {
            "equ" => (Operator::Equivalent, 0),
            "implies" => (Operator::Implies, 1),
            "or" => (Operator::Or, 2),
            "and" => (Operator::And, 3),
            _ => return None,
        })
    }

    /// Parses a formula about states.
    fn formula(&mut self, minimum: u8) -> Parsed<Formula> {
        let left = self.nested(Self::operand)?;
        self.formula_after(left, minimum)
    }

    /// Parses what follows on a formula about states.
    fn formula_after(&mut self, mut left: Formula, minimum: u8) -> Parsed<Formula> {
        while let Some((operator, strength)) = self.operator() {
            if strength < minimum {
                break;
            }
            self.count_operator()?;
            self.bump();
            let next = if operator == Operator::Implies { strength } else { strength + 1 };
            let right = self.nested(|parser| parser.formula(next))?;
            left = Formula::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Formula> {
        let opened = self.span();
        match self.token().kind {
            TokenKind::Less => {
                self.bump();
                let regular = self.path(TokenKind::Greater, ">", opened)?;
                if self.at(TokenKind::At) {
                    let span = opened.to(self.span());
                    self.bump();
                    return Ok(Formula::Endless(regular, span));
                }
                Ok(Formula::Possible(regular, Box::new(self.nested(Self::operand)?)))
            }
            TokenKind::LeftBracket => {
                self.bump();
                let regular = self.path(TokenKind::RightBracket, "]", opened)?;
                if self.at(TokenKind::Stop) {
                    let span = opened.to(self.span());
                    self.bump();
                    return Ok(Formula::Bounded(regular, span));
                }
                Ok(Formula::Necessary(regular, Box::new(self.nested(Self::operand)?)))
            }
            TokenKind::LeftParen => {
                self.bump();
                let inner = self.nested(|parser| parser.formula(0));
                let closed = inner.and_then(|inner| {
                    self.close(TokenKind::RightParen, ")", opened)?;
                    Ok(inner)
                });
                match closed {
                    Err(Reported) if self.skip_behind(TokenKind::RightParen) => Ok(Formula::True),
                    other => other,
                }
            }
            TokenKind::Word => self.word(),
            _ => Err(self.unexpected("a formula")),
        }
    }

    fn word(&mut self) -> Parsed<Formula> {
        let span = self.span();
        let text = self.token().text.clone();
        match text.as_str() {
            "true" | "false" => {
                self.bump();
                Ok(if text == "true" { Formula::True } else { Formula::False })
            }
            "not" => {
                self.bump();
                Ok(Formula::Not(Box::new(self.nested(Self::operand)?)))
            }
            "mu" | "nu" => {
                self.bump();
                let sign = if text == "mu" { Sign::Least } else { Sign::Greatest };
                self.fixpoint(sign, &text)
            }
            "and" | "or" | "implies" | "equ" | "nil" => Err(self.unexpected("a formula")),
            _ => {
                self.bump();
                Ok(Formula::Variable(Name { text, span }))
            }
        }
    }

    /// Parses what follows on `mu` or `nu`.
    fn fixpoint(&mut self, sign: Sign, word: &str) -> Parsed<Formula> {
        let name = self.token().clone();
        if name.kind != TokenKind::Word || WORDS.contains(&name.text.as_str()) {
            return Err(self.unexpected(&format!("the name of a variable after `{word}`")));
        }
        self.bump();
        if !self.eat(TokenKind::Dot) {
            return Err(self.unexpected(&format!("`.` after `{word} {}`", name.text)));
        }
        let mut body = self.nested(Self::operand)?;
        if self.operator().is_some() {
            let diagnostic = Diagnostic::warning(
                "M0102",
                self.span(),
                format!("the body of `{word} {}` has no parentheses", name.text),
            )
            .label("this operator belongs to the body")
            .also(name.span, "of this variable")
            .note("a body reaches as far as it can; other programs may let it end before the operator")
            .help(format!("write `{word} {} . (…)`", name.text));
            self.diagnostics.push(diagnostic);
            body = self.formula_after(body, 0)?;
        }
        Ok(Formula::Fixpoint(sign, Name { text: name.text, span: name.span }, Box::new(body)))
    }

    /// Parses what stands within brackets; after an error, goes on behind them.
    fn path(&mut self, kind: TokenKind, sign: &str, opened: Span) -> Parsed<Regular> {
        let inner = self.nested(Self::regular);
        let closed = inner.and_then(|inner| {
            self.close(kind, sign, opened)?;
            Ok(inner)
        });
        match closed {
            Err(Reported) if self.skip_behind(kind) => Ok(Regular::Nil),
            other => other,
        }
    }
}
