//! The expressions of `#if` and `#elif`.

use narrows_source::{Diagnostic, Span};

use super::Expander;
use crate::promela::lexer::{Token, TokenKind};

/// What is wrong with a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum ConditionError {
    #[error("an operator is missing here")]
    NoOperator,
    #[error("an operand is missing")]
    Unfinished,
    #[error("an operand is missing here")]
    NoOperand,
    #[error("expected `{0}`")]
    Expected(&'static str),
    #[error("not a number")]
    NoNumber,
    #[error("nested too deeply")]
    TooDeep,
    #[error("division by zero")]
    DivisionByZero,
}

const MAX_DEPTH: usize = 200;

/// Evaluates a condition; a malformed one is reported and false.
pub(super) fn evaluate(expander: &mut Expander<'_>, tokens: &[Token], span: Span) -> bool {
    let tokens = replace_defined(expander, tokens);
    let tokens = expander.expand_all(tokens);
    let mut evaluator = Evaluator { tokens: &tokens, position: 0, depth: 0 };
    let result = evaluator.ternary(true).and_then(|value| match evaluator.kind() {
        None => Ok(value),
        Some(_) => Err(ConditionError::NoOperator),
    });
    match result {
        Ok(value) => value != 0,
        Err(reason) => {
            let place = tokens.get(evaluator.position).map_or(span, |token| token.span);
            Diagnostic::error("P0006", place, "malformed condition of the preprocessor")
                .label(reason.to_string())
                .emit(expander.diagnostics);
            false
        }
    }
}

/// Replaces `defined X` and `defined(X)` by 1 or 0, before macros are expanded.
fn replace_defined(expander: &mut Expander<'_>, tokens: &[Token]) -> Vec<Token> {
    let mut output = Vec::new();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        if &*token.text != "defined" {
            output.push(token.clone());
            continue;
        }
        let kind = |offset: usize| tokens.get(index + offset).map(|token| token.kind);
        let (name, length) = match (kind(0), kind(1), kind(2)) {
            (Some(TokenKind::Name), ..) => (&tokens[index].text, 1),
            (Some(TokenKind::LeftParen), Some(TokenKind::Name), Some(TokenKind::RightParen)) => {
                (&tokens[index + 1].text, 3)
            }
            _ => {
                output.push(token.clone());
                continue;
            }
        };
        let value = if expander.macros.contains_key(name) { "1" } else { "0" };
        let text = expander.interner.intern(value);
        output.push(Token { kind: TokenKind::Digits, text, ..token.clone() });
        index += length;
    }
    output
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    position: usize,
    depth: usize,
}

impl Evaluator<'_> {
    fn kind(&self) -> Option<TokenKind> {
        self.tokens.get(self.position).map(|token| token.kind)
    }

    fn expect(&mut self, kind: TokenKind, text: &'static str) -> Result<(), ConditionError> {
        if self.kind() == Some(kind) {
            self.position += 1;
            return Ok(());
        }
        Err(ConditionError::Expected(text))
    }

    /// `live` is false where C does not evaluate, so that a division by zero there is no error.
    fn ternary(&mut self, live: bool) -> Result<i64, ConditionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ConditionError::TooDeep);
        }
        let condition = self.binary(0, live)?;
        let mut value = condition;
        if self.kind() == Some(TokenKind::Query) {
            self.position += 1;
            let yes = self.ternary(live && condition != 0)?;
            self.expect(TokenKind::Colon, ":")?;
            let no = self.ternary(live && condition == 0)?;
            value = if condition == 0 { no } else { yes };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, minimum: u8, live: bool) -> Result<i64, ConditionError> {
        let mut left = self.unary(live)?;
        while let Some(kind) = self.kind() {
            let Some(strength) = strength(kind) else { break };
            if strength < minimum {
                break;
            }
            self.position += 1;
            let live = live
                && match kind {
                    TokenKind::AndAnd => left != 0,
                    TokenKind::OrOr => left == 0,
                    _ => true,
                };
            let right = self.binary(strength + 1, live)?;
            left = apply(kind, left, right, live)?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<i64, ConditionError> {
        let Some(token) = self.tokens.get(self.position) else {
            return Err(ConditionError::Unfinished);
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ConditionError::TooDeep);
        }
        self.position += 1;
        let value = match token.kind {
            TokenKind::Bang => i64::from(self.unary(live)? == 0),
            TokenKind::BangBang => i64::from(self.unary(live)? != 0),
            TokenKind::Tilde => !self.unary(live)?,
            TokenKind::Minus => self.unary(live)?.wrapping_neg(),
            TokenKind::Plus => self.unary(live)?,
            TokenKind::LeftParen => {
                let value = self.ternary(live)?;
                self.expect(TokenKind::RightParen, ")")?;
                value
            }
            TokenKind::Digits => number(&token.text).ok_or_else(|| {
                self.position -= 1;
                ConditionError::NoNumber
            })?,
            TokenKind::Quoted => i64::from(super::finish::character(&token.text)),
            TokenKind::Name => 0,
            _ => {
                self.position -= 1;
                return Err(ConditionError::NoOperand);
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}

/// Reads a number of C: decimal, octal or hexadecimal, perhaps with a suffix.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return i64::from_str_radix(digits, 8).ok();
    }
    digits.parse().ok()
}

fn strength(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::OrOr => 0,
        TokenKind::AndAnd => 1,
        TokenKind::Pipe => 2,
        TokenKind::Caret => 3,
        TokenKind::Ampersand => 4,
        TokenKind::Equal | TokenKind::NotEqual => 5,
        TokenKind::Less | TokenKind::LessEqual | TokenKind::Greater | TokenKind::GreaterEqual => 6,
        TokenKind::ShiftLeft | TokenKind::ShiftRight => 7,
        TokenKind::Plus | TokenKind::Minus => 8,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 9,
        _ => return None,
    })
}

fn apply(kind: TokenKind, left: i64, right: i64, live: bool) -> Result<i64, ConditionError> {
    Ok(match kind {
        TokenKind::OrOr => i64::from(left != 0 || right != 0),
        TokenKind::AndAnd => i64::from(left != 0 && right != 0),
        TokenKind::Pipe => left | right,
        TokenKind::Caret => left ^ right,
        TokenKind::Ampersand => left & right,
        TokenKind::Equal => i64::from(left == right),
        TokenKind::NotEqual => i64::from(left != right),
        TokenKind::Less => i64::from(left < right),
        TokenKind::LessEqual => i64::from(left <= right),
        TokenKind::Greater => i64::from(left > right),
        TokenKind::GreaterEqual => i64::from(left >= right),
        TokenKind::ShiftLeft => left.wrapping_shl(right as u32),
        TokenKind::ShiftRight => left.wrapping_shr(right as u32),
        TokenKind::Plus => left.wrapping_add(right),
        TokenKind::Minus => left.wrapping_sub(right),
        TokenKind::Star => left.wrapping_mul(right),
        _ if right == 0 && live => return Err(ConditionError::DivisionByZero),
        _ if right == 0 => 0,
        TokenKind::Slash => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}
