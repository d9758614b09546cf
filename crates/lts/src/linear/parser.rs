//! Text to formulas. Operators bind as in Promela: `->` and `<->` weakest, then `||`, `&&`, `U`, `W`, `V`,
//! and then `!`, `X`, `[]`, `<>`; binary ones group to the left.

use narrows_logic::Ltl;
use narrows_source::{Diagnostic, Diagnostics, FileId, Span};

use super::Atom;
use crate::pattern::LabelPattern;

/// Operators can be nested this deeply.
const MAX_DEPTH: usize = 400;

struct Reported;

/// Makes a formula of another one.
type Unary = fn(Box<Ltl<Atom>>) -> Ltl<Atom>;

type Parsed = Result<Ltl<Atom>, Reported>;

pub(super) fn read(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Option<Ltl<Atom>> {
    let mut parser = Parser { file, text, position: 0, depth: 0, diagnostics };
    let formula = parser.formula(0).ok()?;
    if !parser.rest().is_empty() {
        parser.unexpected("an operator or the end of the formula");
        return None;
    }
    Some(formula)
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    position: usize,
    depth: usize,
    diagnostics: &'a mut Diagnostics,
}

/// The binary operators, and how strongly they bind.
const BINARY: &[(&str, u8)] =
    &[("<->", 0), ("->", 0), ("||", 1), ("&&", 2), ("U", 3), ("W", 3), ("V", 3), ("R", 3)];

impl Parser<'_> {
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
        &self.text[self.position..]
    }

    /// Takes a sign, or a word that is not part of a longer one.
    fn eat(&mut self, sign: &str) -> bool {
        let Some(after) = self.rest().strip_prefix(sign) else { return false };
        let is_word = sign.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_word && after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return false;
        }
        self.position += sign.len();
        true
    }

    fn unexpected(&mut self, expected: &str) -> Reported {
        let rest = self.rest();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        let found = match rest.split_whitespace().next() {
            Some(word) => format!("`{}`", word.chars().take(20).collect::<String>()),
            None => "the end of the formula".to_owned(),
        };
        let span = Span::new(self.file, self.position, self.position + length);
        let title = format!("{found} stands where {expected} should");
        self.diagnostics.push(Diagnostic::error("A0001", span, title).label(format!("expected {expected}")));
        Reported
    }

    fn formula(&mut self, weakest: u8) -> Parsed {
        if self.depth >= MAX_DEPTH {
            return Err(self.unexpected("something that is nested less deeply"));
        }
        self.depth += 1;
        let result = self.operators(weakest);
        self.depth -= 1;
        result
    }

    fn operators(&mut self, weakest: u8) -> Parsed {
        let mut left = self.unary()?;
        'next: loop {
            for (sign, strength) in BINARY {
                if *strength >= weakest && self.eat(sign) {
                    let right = Box::new(self.formula(strength + 1)?);
                    let one = Box::new(left);
                    left = match *sign {
                        "<->" => Ltl::Equivalent(one, right),
                        "->" => Ltl::Implies(one, right),
                        "||" => Ltl::Or(one, right),
                        "&&" => Ltl::And(one, right),
                        "U" => Ltl::Until(one, right),
                        "W" => Ltl::WeakUntil(one, right),
                        _ => Ltl::Release(one, right),
                    };
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn unary(&mut self) -> Parsed {
        let make: [(&str, Unary); 6] = [
            ("!", Ltl::Not),
            ("[]", Ltl::Always),
            ("<>", Ltl::Eventually),
            ("X", Ltl::Next),
            ("G", Ltl::Always),
            ("F", Ltl::Eventually),
        ];
        for (sign, make) in make {
            if self.eat(sign) {
                return Ok(make(Box::new(self.formula(4)?)));
            }
        }
        if self.eat("(") {
            let inner = self.formula(0)?;
            return if self.eat(")") { Ok(inner) } else { Err(self.unexpected("an operator or `)`")) };
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.eat(word) {
                return Ok(Ltl::Constant(value));
            }
        }
        self.atom()
    }

    fn atom(&mut self) -> Parsed {
        let (mut start, rest) = (self.position, self.rest().to_owned());
        start = start.max(self.position);
        let (length, inner) = if let Some(quoted) = rest.strip_prefix('"') {
            match quoted.find('"') {
                Some(end) => (end + 2, quoted[..end].to_owned()),
                None => return Err(self.unexpected("a label with a quote at its end")),
            }
        } else {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (length, rest[..length].to_owned())
        };
        if inner.is_empty() {
            return Err(self.unexpected("a formula"));
        }
        let span = Span::new(self.file, start, start + length);
        match LabelPattern::new(&inner) {
            Ok(pattern) => {
                self.position += length;
                Ok(Ltl::Atom(Atom { pattern, span }))
            }
            Err(reason) => {
                self.diagnostics.push(Diagnostic::error("A0001", span, reason.to_string()));
                Err(Reported)
            }
        }
    }
}
