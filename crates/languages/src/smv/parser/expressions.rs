//! Expressions and formulas, in one grammar: what may stand where is checked when they are lowered.

use narrows_source::Diagnostic;

use super::{MAX_DEPTH, Parsed, Parser, Reported};
use crate::smv::MAX_BITS;
use crate::smv::ast::{Binary, Bounded, ExprKind, Function, Id, Ident, Temporal, TemporalPair, Unary};
use crate::smv::lexer::TokenKind;

/// How strongly operators bind, from weakest to strongest.
mod strength {
    pub(super) const IMPLIES: u8 = 1;
    pub(super) const EQUIVALENT: u8 = 2;
    pub(super) const CONDITIONAL: u8 = 3;
    pub(super) const OR: u8 = 4;
    pub(super) const AND: u8 = 5;
    pub(super) const UNTIL: u8 = 6;
    pub(super) const TEMPORAL: u8 = 7;
    pub(super) const RELATION: u8 = 8;
    pub(super) const IN: u8 = 9;
    pub(super) const UNION: u8 = 10;
    pub(super) const RANGE: u8 = 11;
    pub(super) const SHIFT: u8 = 12;
    pub(super) const SUM: u8 = 13;
    pub(super) const PRODUCT: u8 = 14;
    pub(super) const CONCATENATE: u8 = 15;
}

/// What a binary operator makes.
enum Joined {
    Plain(Binary),
    Temporal(TemporalPair),
    Range,
    Conditional,
}

impl Parser<'_> {
    /// Parses an expression or a formula.
    pub(super) fn expression(&mut self) -> Parsed<Id> {
        if self.in_psl {
            return self.nested(Self::psl_invariance);
        }
        self.nested(|parser| parser.binary(strength::IMPLIES))
    }

    /// Parses what operators of PSL join.
    pub(super) fn psl_operand(&mut self) -> Parsed<Id> {
        self.nested(|parser| parser.binary(strength::OR))
    }

    /// Parses an end of a range.
    pub(super) fn bound(&mut self) -> Parsed<Id> {
        self.nested(|parser| parser.binary(strength::SHIFT))
    }

    /// Runs a rule within which a `U` ends what is read, or is an operator.
    fn until_ends<T>(&mut self, ends: bool, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::replace(&mut self.stops_at_until, ends);
        let result = rule(self);
        self.stops_at_until = before;
        result
    }

    fn operator(&self) -> Option<(Joined, u8)> {
        use Joined::{Plain, Temporal};
        let found = match self.kind() {
            TokenKind::Arrow => (Plain(Binary::Implies), strength::IMPLIES),
            TokenKind::DoubleArrow => (Plain(Binary::Equivalent), strength::EQUIVALENT),
            TokenKind::Query => (Joined::Conditional, strength::CONDITIONAL),
            TokenKind::Or => (Plain(Binary::Or), strength::OR),
            TokenKind::And => (Plain(Binary::And), strength::AND),
            TokenKind::Equal => (Plain(Binary::Equal), strength::RELATION),
            TokenKind::NotEqual => (Plain(Binary::NotEqual), strength::RELATION),
            TokenKind::Less => (Plain(Binary::Less), strength::RELATION),
            TokenKind::LessEqual => (Plain(Binary::LessEqual), strength::RELATION),
            TokenKind::Greater => (Plain(Binary::Greater), strength::RELATION),
            TokenKind::GreaterEqual => (Plain(Binary::GreaterEqual), strength::RELATION),
            TokenKind::DotDot => (Joined::Range, strength::RANGE),
            TokenKind::ShiftLeft => (Plain(Binary::ShiftLeft), strength::SHIFT),
            TokenKind::ShiftRight => (Plain(Binary::ShiftRight), strength::SHIFT),
            TokenKind::Plus => (Plain(Binary::Add), strength::SUM),
            TokenKind::Minus => (Plain(Binary::Subtract), strength::SUM),
            TokenKind::Star => (Plain(Binary::Multiply), strength::PRODUCT),
            TokenKind::Slash => (Plain(Binary::Divide), strength::PRODUCT),
            TokenKind::ColonColon => (Plain(Binary::Concatenate), strength::CONCATENATE),
            TokenKind::Keyword => match self.keyword() {
                "xor" => (Plain(Binary::Xor), strength::OR),
                "xnor" => (Plain(Binary::Xnor), strength::OR),
                "in" => (Plain(Binary::In), strength::IN),
                "union" => (Plain(Binary::Union), strength::UNION),
                "mod" => (Plain(Binary::Mod), strength::PRODUCT),
                "U" if !self.stops_at_until && !self.in_psl => {
                    (Temporal(TemporalPair::Until), strength::UNTIL)
                }
                "V" => (Temporal(TemporalPair::Release), strength::UNTIL),
                "S" => (Temporal(TemporalPair::Since), strength::UNTIL),
                "T" => (Temporal(TemporalPair::Triggered), strength::UNTIL),
                _ => return None,
            },
            _ => return None,
        };
        Some(found)
    }

    /// Parses operators that bind at least this strongly.
    fn binary(&mut self, least: u8) -> Parsed<Id> {
        let start = self.position;
        let mut left = self.prefix()?;
        while let Some((operator, strength)) = self.operator().filter(|(_, strength)| *strength >= least) {
            self.bump();
            let is_right = strength == strength::IMPLIES;
            let right = match operator {
                Joined::Conditional => {
                    let then = self.nested(|parser| parser.binary(strength::CONDITIONAL))?;
                    self.expect(TokenKind::Colon, "`:` or an operator")?;
                    let otherwise = self.nested(|parser| parser.binary(strength::CONDITIONAL))?;
                    let operands = [left, then, otherwise];
                    left = self.add(ExprKind::Conditional(left, then, otherwise), start, &operands);
                    continue;
                }
                _ if is_right => self.nested(|parser| parser.binary(strength))?,
                _ => self.nested(|parser| parser.binary(strength + 1))?,
            };
            let kind = match operator {
                Joined::Plain(operator) => ExprKind::Binary(operator, left, right),
                Joined::Temporal(operator) => ExprKind::TemporalPair(operator, left, right),
                _ => ExprKind::Range(left, right),
            };
            left = self.add(kind, start, &[left, right]);
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Parsed<Id> {
        let start = self.position;
        if self.at_psl_prefix() {
            return self.nested(Self::psl_invariance);
        }
        match self.kind() {
            TokenKind::Not => {
                self.bump();
                let operand = self.nested(Self::prefix)?;
                Ok(self.add(ExprKind::Unary(Unary::Not, operand), start, &[operand]))
            }
            TokenKind::Minus => {
                self.bump();
                let operand = self.nested(|parser| parser.binary(strength::CONCATENATE))?;
                Ok(self.add(ExprKind::Unary(Unary::Minus, operand), start, &[operand]))
            }
            TokenKind::Keyword => self.word(),
            _ => self.postfix(),
        }
    }

    fn word(&mut self) -> Parsed<Id> {
        let temporal = match self.keyword() {
            "AX" => Temporal::AllNext,
            "AF" => Temporal::AllEventually,
            "AG" => Temporal::AllAlways,
            "EX" => Temporal::SomeNext,
            "EF" => Temporal::SomeEventually,
            "EG" => Temporal::SomeAlways,
            "X" => Temporal::Next,
            "F" => Temporal::Eventually,
            "G" => Temporal::Always,
            "Y" => Temporal::Previous,
            "Z" => Temporal::WeakPrevious,
            "H" => Temporal::Historically,
            "O" => Temporal::Once,
            "A" | "E" => return self.until(),
            "ABF" | "EBF" | "ABG" | "EBG" => return self.bounded(),
            _ => return self.postfix(),
        };
        let start = self.position;
        self.bump();
        if self.at(TokenKind::LeftBracket) {
            return self.bounded_linear(temporal, start);
        }
        let operand = self.nested(|parser| parser.binary(strength::TEMPORAL))?;
        Ok(self.add(ExprKind::Temporal(temporal, operand), start, &[operand]))
    }

    /// Parses `A [p U q]` and `E [p BU 1..3 q]`.
    fn until(&mut self) -> Parsed<Id> {
        let start = self.position;
        let for_all = self.at_keyword("A");
        self.bump();
        self.expect(TokenKind::LeftBracket, "`[`")?;
        let left = self.until_ends(true, Self::expression)?;
        let kind = if self.eat_keyword("BU") {
            let low = self.bound()?;
            self.expect(TokenKind::DotDot, "`..`")?;
            let high = self.bound()?;
            let right = self.expression()?;
            ExprKind::BoundedUntil { for_all, bounds: (low, high), left, right }
        } else if self.eat_keyword("U") {
            let right = self.expression()?;
            let pair = if for_all { TemporalPair::AllUntil } else { TemporalPair::SomeUntil };
            ExprKind::TemporalPair(pair, left, right)
        } else {
            return Err(self.unexpected("`U` or an operator"));
        };
        self.expect(TokenKind::RightBracket, "`]` or an operator")?;
        Ok(self.add(kind, start, &[]))
    }

    /// Parses `ABF 0..3 p` and its relatives.
    fn bounded(&mut self) -> Parsed<Id> {
        let start = self.position;
        let operator = match self.keyword() {
            "ABF" => Bounded::AllEventually,
            "EBF" => Bounded::SomeEventually,
            "ABG" => Bounded::AllAlways,
            _ => Bounded::SomeAlways,
        };
        self.bump();
        let low = self.bound()?;
        self.expect(TokenKind::DotDot, "`..`")?;
        let high = self.bound()?;
        let operand = self.nested(|parser| parser.binary(strength::TEMPORAL))?;
        Ok(self.add(ExprKind::Bounded(operator, low, high, operand), start, &[]))
    }

    /// Parses `F [0, 3] p` and its relatives, from the bracket on.
    fn bounded_linear(&mut self, temporal: Temporal, start: usize) -> Parsed<Id> {
        let operator = match temporal {
            Temporal::Eventually => Bounded::Eventually,
            Temporal::Always => Bounded::Always,
            Temporal::Once => Bounded::Once,
            Temporal::Historically => Bounded::Historically,
            _ => return Err(self.unexpected("a formula")),
        };
        self.bump();
        let low = self.bound()?;
        self.expect(TokenKind::Comma, "`,`")?;
        let high = self.bound()?;
        self.expect(TokenKind::RightBracket, "`]`")?;
        let operand = self.nested(|parser| parser.binary(strength::TEMPORAL))?;
        Ok(self.add(ExprKind::Bounded(operator, low, high, operand), start, &[]))
    }

    /// Parses a name, a constant or something in parentheses, with what follows it.
    pub(super) fn postfix(&mut self) -> Parsed<Id> {
        let start = self.position;
        let mut left = self.primary()?;
        for _ in 0..MAX_DEPTH {
            if self.eat(TokenKind::Dot) {
                // Elements may be named by numbers: `x.1`.
                let part = if matches!(self.kind(), TokenKind::Digits | TokenKind::Real) {
                    left = self.numbered(left, start);
                    continue;
                } else if self.eat_keyword("self") {
                    continue;
                } else {
                    self.name("a name")?
                };
                left = self.add(ExprKind::Dot(left, part), start, &[left]);
            } else if self.eat(TokenKind::LeftBracket) {
                let first = self.expression()?;
                let kind = if self.eat(TokenKind::Colon) {
                    let second = self.expression()?;
                    ExprKind::Bits(left, first, second)
                } else {
                    ExprKind::Index(left, first)
                };
                self.expect(TokenKind::RightBracket, "`]` or an operator")?;
                left = self.add(kind, start, &[left]);
            } else {
                return Ok(left);
            }
        }
        Err(self.too_deep())
    }

    /// Parses what stands after a dot and is a number: `1`, or `1.2`, which looks like a number with a
    /// fraction.
    fn numbered(&mut self, mut left: Id, start: usize) -> Id {
        let (text, span) = (self.token().text.clone(), self.span());
        self.bump();
        for part in text.split('.') {
            left = self.add(ExprKind::Dot(left, Ident { name: part.into(), span }), start, &[left]);
        }
        left
    }

    fn primary(&mut self) -> Parsed<Id> {
        let start = self.position;
        let kind = match self.kind() {
            TokenKind::Digits => match self.token().text.parse::<i64>() {
                Ok(number) => ExprKind::Number(number.into()),
                Err(_) => {
                    return Err(self.bad_number("the number is too large", "at most 9223372036854775807"));
                }
            },
            TokenKind::WordConstant => self.word_constant()?,
            TokenKind::Name if self.ahead(1) == TokenKind::LeftParen => return self.function(),
            TokenKind::Name => ExprKind::Name(self.token().text.clone()),
            TokenKind::LeftParen => {
                self.bump();
                let inner = self.until_ends(false, Self::expression)?;
                self.expect(TokenKind::RightParen, "`)` or an operator")?;
                return Ok(inner);
            }
            TokenKind::LeftBrace => {
                self.bump();
                let mut members = vec![self.expression()?];
                while self.eat(TokenKind::Comma) {
                    members.push(self.expression()?);
                }
                self.expect(TokenKind::RightBrace, "`,`, `}` or an operator")?;
                return Ok(self.add(ExprKind::Set(members.clone()), start, &members));
            }
            TokenKind::Keyword => return self.primary_word(),
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        Ok(self.add(kind, start, &[]))
    }

    fn primary_word(&mut self) -> Parsed<Id> {
        let start = self.position;
        let word = self.keyword().to_owned();
        let function = match word.as_str() {
            "TRUE" | "FALSE" => {
                self.bump();
                return Ok(self.add(ExprKind::Truth(word == "TRUE"), start, &[]));
            }
            "self" => {
                self.bump();
                return Ok(self.add(ExprKind::Own, start, &[]));
            }
            "case" => return self.case(),
            "next" => {
                self.bump();
                self.expect(TokenKind::LeftParen, "`(`")?;
                let operand = self.expression()?;
                self.expect(TokenKind::RightParen, "`)` or an operator")?;
                return Ok(self.add(ExprKind::Next(operand), start, &[operand]));
            }
            "bool" => Function::Bool,
            "word1" => Function::Word1,
            "unsigned" => Function::Unsigned,
            "signed" => Function::Signed,
            "extend" => Function::Extend,
            "resize" => Function::Resize,
            "uwconst" => Function::UnsignedConstant,
            "swconst" => Function::SignedConstant,
            "sizeof" => Function::SizeOf,
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        let arguments = self.arguments()?;
        Ok(self.add(ExprKind::Call(function, arguments.clone()), start, &arguments))
    }

    /// Parses a call of a function whose name may also be that of a variable.
    fn function(&mut self) -> Parsed<Id> {
        let start = self.position;
        let function = match &*self.token().text {
            "toint" => Function::ToInt,
            "abs" => Function::Absolute,
            "min" => Function::Least,
            "max" => Function::Greatest,
            "count" => Function::Count,
            "READ" => Function::Read,
            "WRITE" => Function::Write,
            "CONSTARRAY" => return self.constant_array(),
            name => {
                let title = format!("there is no function `{name}`");
                let span = self.token().span;
                self.diagnostics
                    .push(Diagnostic::error("V0104", span, title).label("a function stands before `(`"));
                return Err(Reported);
            }
        };
        self.bump();
        let arguments = self.arguments()?;
        Ok(self.add(ExprKind::Call(function, arguments.clone()), start, &arguments))
    }

    /// Parses an array with the same value everywhere; its type is that of a variable, or is written out.
    fn constant_array(&mut self) -> Parsed<Id> {
        let start = self.position;
        self.bump();
        self.expect(TokenKind::LeftParen, "`(`")?;
        let like = if &*self.token().text == "typeof" {
            self.bump();
            self.expect(TokenKind::LeftParen, "`(`")?;
            let like = self.expression()?;
            self.expect(TokenKind::RightParen, "`)`")?;
            like
        } else {
            let start = self.position;
            let kind = self.type_of()?;
            self.add(ExprKind::Type(Box::new(kind)), start, &[])
        };
        self.expect(TokenKind::Comma, "`,` and a value")?;
        let value = self.expression()?;
        self.expect(TokenKind::RightParen, "`)` or an operator")?;
        let arguments = vec![like, value];
        Ok(self.add(ExprKind::Call(Function::ConstantArray, arguments.clone()), start, &arguments))
    }

    fn case(&mut self) -> Parsed<Id> {
        let start = self.position;
        let opening = self.span();
        self.bump();
        let mut branches = Vec::new();
        while !self.at_keyword("esac") {
            if self.at(TokenKind::End) || self.at_section() {
                Diagnostic::error("V0103", self.span(), "a `case` has no `esac`")
                    .label("expected `esac` or another branch")
                    .also(opening, "it begins here")
                    .emit(self.diagnostics);
                return Err(Reported);
            }
            let condition = self.expression()?;
            self.expect(TokenKind::Colon, "`:` or an operator")?;
            let value = self.expression()?;
            if !self.at_keyword("esac") {
                self.expect(TokenKind::Semicolon, "`;` or an operator")?;
            }
            branches.push((condition, value));
        }
        if branches.is_empty() {
            return Err(self.unexpected("a branch, such as `TRUE : 0;`"));
        }
        self.bump();
        let operands: Vec<Id> = branches.iter().flat_map(|(condition, value)| [*condition, *value]).collect();
        Ok(self.add(ExprKind::Case(branches), start, &operands))
    }

    /// Reads a constant such as `0ub4_1010`, `0h8_ff` or `0sd6_12`.
    fn word_constant(&mut self) -> Parsed<ExprKind> {
        let text = self.token().text.to_lowercase();
        let (head, digits) = text.split_once('_').unwrap_or((&text, ""));
        let head = &head[1..];
        let signed = head.starts_with('s');
        let head = head.trim_start_matches(['s', 'u']);
        let digits = digits.replace('_', "");
        let (radix, each) = match head.chars().next() {
            Some('b') => (2, 1),
            Some('o') => (8, 3),
            Some('d') => (10, 0),
            _ => (16, 4),
        };
        let width = match head.get(1..).unwrap_or("") {
            "" if each > 0 => digits.len() as u32 * each,
            "" => return Err(self.bad_number("a decimal word needs a width", "write `0ud8_25`")),
            width => width.parse().unwrap_or(0),
        };
        if !(1..=MAX_BITS).contains(&width) {
            let title = format!("a word has 1 to {MAX_BITS} bits");
            return Err(self.bad_number(&title, "this many are not read"));
        }
        let mut limbs: Vec<u64> = vec![0; width.div_ceil(64) as usize];
        let mut fits = true;
        for letter in digits.chars() {
            let Some(mut carry) = letter.to_digit(radix).map(u128::from) else {
                let label = "2, 8, 10 or 16, for b, o, d and h";
                return Err(self.bad_number("the digits do not fit the base", label));
            };
            for limb in &mut limbs {
                let sum = u128::from(*limb) * u128::from(radix) + carry;
                *limb = sum as u64;
                carry = sum >> 64;
            }
            fits &= carry == 0;
        }
        // Written as bits, a word with a sign may begin with a one: that is its sign.
        let free = limbs.len() as u32 * 64 - width;
        if !fits || limbs.last().is_some_and(|last| last.leading_zeros() < free) {
            return Err(
                self.bad_number("the number does not fit into the word", "it has more bits than the word")
            );
        }
        Ok(ExprKind::Word { limbs, width, signed })
    }

    fn bad_number(&mut self, title: &str, label: &str) -> Reported {
        self.diagnostics.push(Diagnostic::error("V0003", self.span(), title).label(label));
        Reported
    }
}
