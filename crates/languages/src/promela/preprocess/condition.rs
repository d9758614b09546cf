//! The expressions of `#if` and `#elif`.

use narrows_source::{Diagnostic, Span};

use super::Expander;
use crate::promela::lexer::{Kind, Token};

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
            (Some(Kind::Name), ..) => (&tokens[index].text, 1),
            (Some(Kind::LeftParen), Some(Kind::Name), Some(Kind::RightParen)) => (&tokens[index + 1].text, 3),
            _ => {
                output.push(token.clone());
                continue;
            }
        };
        let value = if expander.macros.contains_key(name) { "1" } else { "0" };
        let text = expander.interner.intern(value);
        output.push(Token { kind: Kind::Digits, text, ..token.clone() });
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
    fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.position).map(|token| token.kind)
    }

    fn expect(&mut self, kind: Kind, text: &'static str) -> Result<(), ConditionError> {
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
        if self.kind() == Some(Kind::Query) {
            self.position += 1;
            let yes = self.ternary(live && condition != 0)?;
            self.expect(Kind::Colon, ":")?;
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
                    Kind::AndAnd => left != 0,
                    Kind::OrOr => left == 0,
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
            Kind::Bang => i64::from(self.unary(live)? == 0),
            Kind::BangBang => i64::from(self.unary(live)? != 0),
            Kind::Tilde => !self.unary(live)?,
            Kind::Minus => self.unary(live)?.wrapping_neg(),
            Kind::Plus => self.unary(live)?,
            Kind::LeftParen => {
                let value = self.ternary(live)?;
                self.expect(Kind::RightParen, ")")?;
                value
            }
            Kind::Digits => number(&token.text).ok_or_else(|| {
                self.position -= 1;
                ConditionError::NoNumber
            })?,
            Kind::Quoted => i64::from(super::finish::character(&token.text)),
            Kind::Name => 0,
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

fn strength(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::OrOr => 0,
        Kind::AndAnd => 1,
        Kind::Pipe => 2,
        Kind::Caret => 3,
        Kind::Ampersand => 4,
        Kind::Equal | Kind::NotEqual => 5,
        Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => 6,
        Kind::ShiftLeft | Kind::ShiftRight => 7,
        Kind::Plus | Kind::Minus => 8,
        Kind::Star | Kind::Slash | Kind::Percent => 9,
        _ => return None,
    })
}

fn apply(kind: Kind, left: i64, right: i64, live: bool) -> Result<i64, ConditionError> {
    Ok(match kind {
        Kind::OrOr => i64::from(left != 0 || right != 0),
        Kind::AndAnd => i64::from(left != 0 && right != 0),
        Kind::Pipe => left | right,
        Kind::Caret => left ^ right,
        Kind::Ampersand => left & right,
        Kind::Equal => i64::from(left == right),
        Kind::NotEqual => i64::from(left != right),
        Kind::Less => i64::from(left < right),
        Kind::LessEqual => i64::from(left <= right),
        Kind::Greater => i64::from(left > right),
        Kind::GreaterEqual => i64::from(left >= right),
        Kind::ShiftLeft => left.wrapping_shl(right as u32),
        Kind::ShiftRight => left.wrapping_shr(right as u32),
        Kind::Plus => left.wrapping_add(right),
        Kind::Minus => left.wrapping_sub(right),
        Kind::Star => left.wrapping_mul(right),
        _ if right == 0 && live => return Err(ConditionError::DivisionByZero),
        _ if right == 0 => 0,
        Kind::Slash => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}
