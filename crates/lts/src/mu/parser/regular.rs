//! Paths and actions: what stands within `<…>` and `[…]`.
//!
//! The operators of actions bind tighter than those of paths: `not "A"*` is `(not "A")*`. Of those of paths,
//! `*`, `+` and `?` bind tightest, then `.`, then `|`.

use narrows_source::{Diagnostic, Span, closest};

use super::{Parsed, Parser, Reported, WORDS};
use crate::mu::actions::pattern;
use crate::mu::lexer::TokenKind;
use crate::mu::syntax::{Action, Name, Operator, Regular};

/// An action as long as nothing says that it is a path.
enum PathOrAction {
    Action(Action),
    Path(Regular),
}

impl PathOrAction {
    fn path(self) -> Regular {
        match self {
            PathOrAction::Action(action) => Regular::Action(action),
            PathOrAction::Path(regular) => regular,
        }
    }
}

impl Parser<'_> {
    /// Parses a set of paths.
    pub(super) fn regular(&mut self) -> Parsed<Regular> {
        Ok(self.choice()?.path())
    }

    fn choice(&mut self) -> Parsed<PathOrAction> {
        let mut left = self.sequence()?;
        while self.eat(TokenKind::Bar) {
            self.count_operator()?;
            let right = self.sequence()?.path();
            left = PathOrAction::Path(Regular::Either(Box::new(left.path()), Box::new(right)));
        }
        Ok(left)
    }

    fn sequence(&mut self) -> Parsed<PathOrAction> {
        let mut left = self.repeated()?;
        while self.eat(TokenKind::Dot) {
            self.count_operator()?;
            let right = self.repeated()?.path();
            left = PathOrAction::Path(Regular::Then(Box::new(left.path()), Box::new(right)));
        }
        Ok(left)
    }

    fn repeated(&mut self) -> Parsed<PathOrAction> {
        let mut part = self.action(0)?;
        loop {
            let make: fn(Box<Regular>, Span) -> Regular = match self.token().kind {
                TokenKind::Star => Regular::Star,
                TokenKind::Plus => Regular::Plus,
                TokenKind::Question => |part, _| Regular::Optional(part),
                _ => return Ok(part),
            };
            self.count_operator()?;
            let span = self.span();
            self.bump();
            part = PathOrAction::Path(make(Box::new(part.path()), span));
        }
    }

    fn action(&mut self, minimum: u8) -> Parsed<PathOrAction> {
        let mut left = self.nested(Self::primary)?;
        while let Some((operator, strength)) = self.operator() {
            if strength < minimum {
                break;
            }
            self.count_operator()?;
            let span = self.span();
            self.bump();
            let next = if operator == Operator::Implies { strength } else { strength + 1 };
            let right = self.nested(|parser| parser.action(next))?;
            let (left_action, right_action) =
                (self.as_action(left, span, &operator), self.as_action(right, span, &operator));
            left = PathOrAction::Action(Action::Binary(
                operator,
                Box::new(left_action?),
                Box::new(right_action?),
            ));
        }
        Ok(left)
    }

    /// Takes a part for an action, or reports that it is a path.
    fn as_action(
        &mut self,
        part: PathOrAction,
        span: Span,
        operator: &dyn std::fmt::Display,
    ) -> Parsed<Action> {
        match part {
            PathOrAction::Action(action) => Ok(action),
            PathOrAction::Path(_) => {
                let title = format!("`{operator}` stands beside a path");
                Diagnostic::error("M0010", span, title)
                    .label("this takes actions: sets of labels")
                    .help("`|` joins paths; there is no path operator for `and` and `not`")
                    .emit(self.diagnostics);
                Err(Reported)
            }
        }
    }

    fn primary(&mut self) -> Parsed<PathOrAction> {
        let token = self.token().clone();
        match token.kind {
            TokenKind::LeftParen => {
                self.bump();
                let inner = self.nested(Self::choice)?;
                self.close(TokenKind::RightParen, ")", token.span)?;
                Ok(inner)
            }
            TokenKind::Label => {
                self.bump();
                Ok(PathOrAction::Action(Action::Label(Name { text: token.text, span: token.span })))
            }
            TokenKind::Pattern => {
                self.bump();
                match pattern(&token.text, token.span) {
                    Ok(pattern) => Ok(PathOrAction::Action(Action::Pattern(pattern))),
                    Err(diagnostic) => {
                        self.diagnostics.push(*diagnostic);
                        Ok(PathOrAction::Action(Action::False))
                    }
                }
            }
            TokenKind::Word => self.action_word(),
            _ => Err(self.unexpected("an action")),
        }
    }

    fn action_word(&mut self) -> Parsed<PathOrAction> {
        let token = self.token().clone();
        self.bump();
        Ok(PathOrAction::Action(match token.text.as_str() {
            "true" => Action::True,
            "false" => Action::False,
            "tau" | "i" => Action::Internal,
            "nil" => return Ok(PathOrAction::Path(Regular::Nil)),
            "not" => {
                let operand = self.nested(Self::primary)?;
                Action::Not(Box::new(self.as_action(operand, token.span, &"not")?))
            }
            word if WORDS.contains(&word) => {
                self.position -= 1;
                return Err(self.unexpected("an action"));
            }
            word => {
                let title = format!("unknown action `{word}`");
                let diagnostic = Diagnostic::error("M0006", token.span, title).label("not a word of actions");
                let known = ["true", "false", "not", "tau", "nil"];
                let help = match closest(word, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!(
                        "a label stands in quotes: `\"{word}\"`, or `'{word}.*'` for all that begin so"
                    ),
                };
                self.diagnostics.push(diagnostic.help(help));
                Action::False
            }
        }))
    }
}
