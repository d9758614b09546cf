//! Characters to tokens. Names do not depend on case; tokens have them in upper case, as labels show them.

use std::rc::Rc;

use narrows_source::{Diagnostic, Diagnostics, FileId, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Letters, digits and `_`, beginning with a letter.
    Name,
    /// Digits, or digits and letters, beginning with a digit.
    Digits,
    /// Special characters, such as `+` or `<=`.
    Special,
    /// A reserved word; its text is in lower case.
    Word,
    /// A sign of the grammar; its text tells which.
    Sign,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) text: Rc<str>,
    pub(super) span: Span,
    /// The words of a comment `(*! … *)` that comes after it.
    pub(super) remark: Option<Rc<str>>,
}

/// The reserved words.
pub(super) const WORDS: &[&str] = &[
    "accept",
    "actualizedby",
    "any",
    "behavior",
    "behaviour",
    "choice",
    "endlib",
    "endproc",
    "endspec",
    "endtype",
    "eqns",
    "exit",
    "for",
    "forall",
    "formaleqns",
    "formalopns",
    "formalsorts",
    "hide",
    "i",
    "in",
    "is",
    "let",
    "library",
    "noexit",
    "of",
    "ofsort",
    "opnnames",
    "opns",
    "par",
    "process",
    "renamedby",
    "sortnames",
    "sorts",
    "specification",
    "stop",
    "type",
    "using",
    "where",
];

/// The characters of special names.
const SPECIAL: &str = "#%&*+-./<=>@\\^~{}$";

/// Cuts a text into tokens; the last one is the end.
pub(super) fn tokens(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { text, file, position: 0, list: Vec::new(), diagnostics };
    lexer.run();
    let end = Span::new(file, text.len(), text.len());
    lexer.list.push(Token { kind: TokenKind::End, text: "".into(), span: end, remark: None });
    lexer.list
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    position: usize,
    list: Vec<Token>,
    diagnostics: &'a mut Diagnostics,
}

/// The signs, longer ones first.
const SIGNS: &[&str] =
    &["|||", "||", "|[", "]|", "[>", "[]", ":=", "[", "]", "(", ")", ",", ";", ":", "!", "?", "_"];

/// Special characters that are signs together.
const SPECIAL_SIGNS: &[&str] = &["=", "->", "=>", ">>"];

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let start = self.position;
            if first.is_whitespace() || first == '\u{feff}' {
                self.position += first.len_utf8();
            } else if self.rest().starts_with("(*") {
                self.comment();
            } else if first.is_ascii_alphanumeric() {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let mut length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
                // In `_div_`, the last `_` stands for an argument.
                while self.rest()[..length].ends_with('_') {
                    length -= 1;
                }
                let kind = if first.is_ascii_digit() { TokenKind::Digits } else { TokenKind::Name };
                self.push(kind, start, length);
            } else if SPECIAL.contains(first) {
                let length = self.rest().find(|c| !SPECIAL.contains(c)).unwrap_or(self.rest().len());
                let is_sign = SPECIAL_SIGNS.contains(&&self.rest()[..length]);
                self.push(if is_sign { TokenKind::Sign } else { TokenKind::Special }, start, length);
            } else if let Some(sign) = self.sign() {
                self.push(TokenKind::Sign, start, sign);
            } else {
                let span = Span::new(self.file, start, start + first.len_utf8());
                let title = format!("`{}` does not belong here", first.escape_default());
                self.diagnostics
                    .push(Diagnostic::error("L0001", span, title).label("no word of LOTOS begins so"));
                self.position += first.len_utf8();
            }
        }
    }

    /// Returns the length of the sign here.
    fn sign(&self) -> Option<usize> {
        let rest = self.rest();
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
        // `P [a] ||| Q` and `P [a] |[b]| Q` may be written without blanks.
        if *sign == "]|" && (rest.starts_with("]||") || rest.starts_with("]|[")) {
            return Some(1);
        }
        Some(sign.len())
    }

    fn push(&mut self, kind: TokenKind, start: usize, length: usize) {
        let written = &self.text[start..start + length];
        let lower = written.to_ascii_lowercase();
        let (kind, text) = match kind {
            TokenKind::Name if WORDS.contains(&lower.as_str()) => (TokenKind::Word, lower),
            TokenKind::Name | TokenKind::Digits => (kind, written.to_ascii_uppercase()),
            _ => (kind, written.to_owned()),
        };
        let span = Span::new(self.file, start, start + length);
        self.list.push(Token { kind, text: text.into(), span, remark: None });
        self.position += length;
    }

    fn comment(&mut self) {
        let start = self.position;
        let Some(length) = self.rest().find("*)") else {
            let span = Span::new(self.file, start, start + 2);
            let title = "a comment has no end";
            self.diagnostics.push(Diagnostic::error("L0002", span, title).help("end it with `*)`"));
            self.position = self.text.len();
            return;
        };
        let inner = &self.text[start + 2..start + length.max(2)];
        if let (Some(remark), Some(last)) = (inner.strip_prefix('!'), self.list.last_mut()) {
            last.remark = Some(remark.trim().to_ascii_lowercase().into());
        }
        self.position += length + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};
    use narrows_source::{Diagnostics, FileId};

    fn words(text: &str) -> Vec<String> {
        let list = tokens(text, FileId(0), &mut Diagnostics::default());
        list.iter().filter(|token| token.kind != TokenKind::End).map(|token| token.text.to_string()).collect()
    }

    #[test]
    fn signs_touch_each_other() {
        assert_eq!(
            words("P[a]|||Q[b]||R[c]|[d]|S"),
            ["P", "[", "A", "]", "|||", "Q", "[", "B", "]", "||", "R", "[", "C", "]", "|[", "D", "]|", "S"]
        );
        assert_eq!(words("a [] b [> c >> [x]->"), ["A", "[]", "B", "[>", "C", ">>", "[", "X", "]", "->"]);
        assert_eq!(words("_div_ , _+_ : x_1"), ["_", "DIV", "_", ",", "_", "+", "_", ":", "X_1"]);
    }

    #[test]
    fn comments_end_and_some_say_something() {
        assert_eq!(words("a (* b; c *) d (**) e"), ["A", "D", "E"]);
        let list = tokens("0 (*! constructor *) : -> Nat", FileId(0), &mut Diagnostics::default());
        assert_eq!(list[0].remark.as_deref(), Some("constructor"));
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(words("Process ENDPROC stop Put"), ["process", "endproc", "stop", "PUT"]);
    }
}
