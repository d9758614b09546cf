//! From text to tokens.

use narrows_source::{Diagnostic, Diagnostics, FileId, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    /// `"…"`.
    Label,
    /// `'…'`.
    Pattern,
    Less,
    Greater,
    LeftBracket,
    RightBracket,
    LeftParen,
    RightParen,
    Dot,
    Bar,
    Star,
    Plus,
    Question,
    At,
    /// `-|`.
    Stop,
    /// Something that was reported.
    Wrong,
    End,
}

/// A token, with its text: that between the quotes, if it has some.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) text: String,
    pub(super) span: Span,
}

/// Cuts a text into tokens; the last one is [`TokenKind::End`].
pub(super) fn tokens(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { file, text, position: 0, diagnostics };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let token = lexer.token();
        let is_last = token.kind == TokenKind::End;
        tokens.push(token);
        if is_last {
            return tokens;
        }
    }
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    position: usize,
    diagnostics: &'t mut Diagnostics,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, start, self.position)
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            self.position += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("(*") {
                return;
            }
            let start = self.position;
            match self.rest()[2..].find("*)") {
                Some(length) => self.position += 2 + length + 2,
                None => {
                    self.position = self.text.len();
                    let opening = Span::new(self.file, start, start + 2);
                    Diagnostic::error("M0003", opening, "a comment is not closed")
                        .label("it begins here")
                        .help("close it with `*)`")
                        .emit(self.diagnostics);
                }
            }
        }
    }

    fn token(&mut self) -> Token {
        let start = self.position;
        let Some(first) = self.rest().chars().next() else {
            return Token { kind: TokenKind::End, text: String::new(), span: self.span_from(start) };
        };
        if first == '"' || first == '\'' {
            return self.quoted(first);
        }
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        if is_word(first) {
            let rest = self.rest();
            let length = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
            self.position += length;
            return self.finish(TokenKind::Word, start);
        }
        let kind = match first {
            '<' => TokenKind::Less,
            '>' => TokenKind::Greater,
            '[' => TokenKind::LeftBracket,
            ']' => TokenKind::RightBracket,
            '(' => TokenKind::LeftParen,
            ')' => TokenKind::RightParen,
            '.' => TokenKind::Dot,
            '|' => TokenKind::Bar,
            '*' => TokenKind::Star,
            '+' => TokenKind::Plus,
            '?' => TokenKind::Question,
            '@' => TokenKind::At,
            '-' if self.rest().starts_with("-|") => TokenKind::Stop,
            _ => return self.unexpected(start),
        };
        self.position += if kind == TokenKind::Stop { 2 } else { 1 };
        self.finish(kind, start)
    }

    fn finish(&self, kind: TokenKind, start: usize) -> Token {
        let span = self.span_from(start);
        Token { kind, text: self.text[start..self.position].to_owned(), span }
    }

    /// Reads a text between quotes. In a label, `\"` and `\\` stand for `"` and `\`; in a pattern, `\'` for
    /// `'`, and other backslashes belong to the pattern.
    fn quoted(&mut self, quote: char) -> Token {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1).peekable();
        let mut length = None;
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            match character {
                '\\' if next == Some(quote) || quote == '"' && next == Some('\\') => {
                    text.extend(next);
                    characters.next();
                }
                // A backslash that escapes another one does not escape the quote behind it.
                '\\' if next == Some('\\') => {
                    text.push_str("\\\\");
                    characters.next();
                }
                '\n' => break,
                _ if character == quote => {
                    length = Some(at + 1);
                    break;
                }
                _ => text.push(character),
            }
        }
        let (kind, what) = if quote == '"' {
            (TokenKind::Label, "a label")
        } else {
            (TokenKind::Pattern, "a regular expression")
        };
        let Some(length) = length else {
            self.position += self.rest().lines().next().map_or(1, str::len);
            let span = self.span_from(start);
            Diagnostic::error("M0003", span, format!("{what} is not closed"))
                .label("it ends at the end of the line")
                .help(format!("close it with `{quote}`"))
                .emit(self.diagnostics);
            return Token { kind, text, span };
        };
        self.position += length;
        Token { kind, text, span: self.span_from(start) }
    }

    /// Reports what is no token; what is surely meant by it is read in its place.
    fn unexpected(&mut self, start: usize) -> Token {
        let rest = self.rest();
        let known = [
            ("&&", "and"),
            ("&", "and"),
            ("/\\", "and"),
            ("\\/", "or"),
            ("!", "not"),
            ("~", "not"),
            ("->", "implies"),
            ("=>", "implies"),
            ("==", "equ"),
            ("=", "equ"),
        ];
        let meant = known.iter().find(|(written, _)| rest.starts_with(written));
        let length =
            meant.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |(written, _)| written.len());
        self.position += length;
        let token = self.finish(TokenKind::Wrong, start);
        let title = format!("unexpected `{}`", token.text.escape_debug());
        let diagnostic = Diagnostic::error("M0004", token.span, title).label("formulas have no such sign");
        match meant {
            Some((_, word)) => {
                self.diagnostics.push(diagnostic.help(format!("write `{word}`")));
                Token { kind: TokenKind::Word, text: (*word).to_owned(), ..token }
            }
            None => {
                self.diagnostics.push(diagnostic);
                token
            }
        }
    }
}
