//! Characters to tokens.

use std::rc::Rc;

use logos::Logos;
use narrows_source::{Diagnostic, Diagnostics, FileId, Span};

/// What a token is. Words become keywords in [`keyword`].
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \t\r\n\x0B\x0C\x00\u{FEFF}]+")]
#[logos(skip(r"--[^\n]*", allow_greedy = true))]
pub(super) enum TokenKind {
    #[token("/--")]
    LongComment,
    #[regex(r"0[usUS]?[bBoOdDhH][0-9]*_[0-9A-Fa-f_]+")]
    WordConstant,
    #[regex(r"[0-9]+", priority = 5)]
    Digits,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[fF]'[0-9]+/[0-9]+")]
    Real,
    // As in NuSMV, a name may hold a minus sign, but a comment may follow a name directly.
    #[regex(r"[A-Za-z_]([A-Za-z0-9_$#\\]|-[A-Za-z0-9_$#\\])*-?")]
    // The quotes are part of the name: `"x"` is not `x`.
    #[regex("\"[^\"\n]*\"")]
    Name,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("::")]
    ColonColon,
    #[token(":=")]
    Becomes,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("&")]
    #[token("&&")]
    And,
    #[token("|")]
    #[token("||")]
    Or,
    #[token("!")]
    Not,
    #[token("->")]
    Arrow,
    #[token("<->")]
    DoubleArrow,
    #[token("?")]
    Query,
    /// A keyword, in [`Token::text`].
    Keyword,
    /// A character that begins no token.
    Unknown,
    /// The end of the text.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) text: Rc<str>,
    pub(super) span: Span,
}

/// The other words that are no names.
const WORDS: &[&str] = &[
    "NAME", "MIN", "MAX", "process", "array", "of", "boolean", "integer", "real", "word", "word1", "bool",
    "signed", "unsigned", "extend", "resize", "sizeof", "uwconst", "swconst", "EX", "AX", "EF", "AF", "EG",
    "AG", "E", "F", "O", "G", "H", "X", "Y", "Z", "A", "U", "S", "V", "T", "BU", "EBF", "ABF", "EBG", "ABG",
    "case", "esac", "mod", "next", "init", "union", "in", "xor", "xnor", "self", "TRUE", "FALSE",
];

/// Returns all words that are no names.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().chain(WORDS).copied()
}

pub(super) fn is_keyword(text: &str) -> bool {
    SECTIONS.contains(&text) || WORDS.contains(&text)
}

/// The words that begin a section.
pub(super) const SECTIONS: &[&str] = &[
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
];

/// Cuts a text into tokens; the last one is the end.
pub(super) fn tokens(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut list = Vec::new();
    let mut names: rustc_hash::FxHashMap<&str, Rc<str>> = rustc_hash::FxHashMap::default();
    let mut lexer = TokenKind::lexer(text);
    while let Some(found) = lexer.next() {
        let mut range = lexer.span();
        let span = Span::new(file, range.start, range.end);
        let kind = match found {
            Ok(TokenKind::LongComment) => {
                match lexer.remainder().find("--/") {
                    Some(end) => lexer.bump(end + 3),
                    None => {
                        let title = "a comment has no end";
                        diagnostics.push(Diagnostic::error("V0002", span, title).help("end it with `--/`"));
                        lexer.bump(lexer.remainder().len());
                    }
                }
                continue;
            }
            Ok(TokenKind::Name) if is_keyword(&text[range.clone()]) => TokenKind::Keyword,
            Ok(TokenKind::Name) if text[range.clone()].ends_with('-') => {
                // `x--comment` is a name and a comment, `x- 1` a difference.
                range.end -= 1;
                let written = &text[range.clone()];
                let kind = if is_keyword(written) { TokenKind::Keyword } else { TokenKind::Name };
                let span = Span::new(file, range.start, range.end);
                let text_of = names.entry(written).or_insert_with(|| written.into());
                list.push(Token { kind, text: Rc::clone(text_of), span });
                if lexer.remainder().starts_with('-') {
                    let line = lexer.remainder().find('\n').unwrap_or(lexer.remainder().len());
                    lexer.bump(line);
                } else if lexer.remainder().starts_with('>') {
                    lexer.bump(1);
                    let span = Span::new(file, range.end, range.end + 2);
                    list.push(Token { kind: TokenKind::Arrow, text: "->".into(), span });
                } else {
                    let span = Span::new(file, range.end, range.end + 1);
                    list.push(Token { kind: TokenKind::Minus, text: "-".into(), span });
                }
                continue;
            }
            Ok(kind) => kind,
            Err(()) if is_directive(text, &range) => {
                let line = lexer.remainder().split('\n').next().unwrap_or_default();
                // A line that `cpp` leaves says where it found what follows.
                if !line.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
                    let title = "a line for the preprocessor stands in the text";
                    let message = Diagnostic::error("V0001", span, title).label("SMV itself has none");
                    diagnostics
                        .push(message.help("let `cpp -P` read the file first, as `NuSMV -pre cpp` does"));
                }
                lexer.bump(line.len());
                continue;
            }
            Err(()) => {
                let letter = &text[range.clone()];
                let title = format!("`{}` does not belong here", letter.escape_default());
                diagnostics.push(Diagnostic::error("V0001", span, title).label("no word of SMV begins so"));
                TokenKind::Unknown
            }
        };
        let written = &text[range];
        let text_of = names.entry(written).or_insert_with(|| written.into());
        list.push(Token { kind, text: Rc::clone(text_of), span });
    }
    list.retain(|token| token.kind != TokenKind::Unknown);
    let end = Span::new(file, text.len(), text.len());
    list.push(Token { kind: TokenKind::End, text: "".into(), span: end });
    list
}

/// Returns whether `#` stands there, at the start of its line.
fn is_directive(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].trim_end_matches([' ', '\t']);
    text[range.clone()] == *"#" && (before.is_empty() || before.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};
    use narrows_source::{Diagnostics, FileId};

    fn lex(text: &str) -> Vec<(TokenKind, String)> {
        let mut diagnostics = Diagnostics::default();
        let list = tokens(text, FileId(0), &mut diagnostics);
        list.into_iter().map(|token| (token.kind, token.text.to_string())).collect()
    }

    fn words(text: &str) -> Vec<String> {
        lex(text).into_iter().map(|(_, text)| text).filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn names_hold_minus_signs_but_no_comments() {
        assert_eq!(words("a-b a--b\nc"), ["a-b", "a", "c"]);
        assert_eq!(words("p->q p-> q x- 1"), ["p", "->", "q", "p", "->", "q", "x", "-", "1"]);
        assert_eq!(words("a /-- b -- c --/ d"), ["a", "d"]);
    }

    #[test]
    fn ranges_and_words_are_numbers() {
        assert_eq!(words("0..3 0ub4_1010 -1..1"), ["0", "..", "3", "0ub4_1010", "-", "1", "..", "1"]);
        assert_eq!(lex("0sd8_12")[0].0, TokenKind::WordConstant);
        assert_eq!(lex("1.5")[0].0, TokenKind::Real);
        assert_eq!(lex("TRUE")[0].0, TokenKind::Keyword);
    }

    #[test]
    fn quotes_are_part_of_a_name() {
        assert_eq!(lex("\"MODULE\" : \"a b\"")[0], (TokenKind::Name, "\"MODULE\"".to_owned()));
        assert_eq!(words("\"a b\"&c"), ["\"a b\"", "&", "c"]);
    }
}
