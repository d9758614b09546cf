//! The last pass over preprocessed tokens: words become keywords, digits become numbers, embedded C goes.

use narrows_source::{Diagnostic, Diagnostics};

use crate::promela::lexer::{Token, TokenKind, keyword};

/// Finishes a list of tokens that ends with [`TokenKind::End`].
pub(crate) fn finish(tokens: &[Token], diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut output: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        let mut token = token.clone();
        match token.kind {
            TokenKind::Name => {
                if let Some(kind) = keyword(&token.text) {
                    token.kind = kind;
                }
            }
            TokenKind::Digits => {
                let negative = output.last().is_some_and(|last| last.kind == TokenKind::Minus);
                token.value = number(&token, negative, diagnostics);
                token.kind = TokenKind::Number;
            }
            TokenKind::Quoted => {
                token.value = character(&token.text);
                token.kind = TokenKind::Character;
            }
            TokenKind::QuotedText => {
                Diagnostic::error("P0019", token.span, "a string stands between double quotes")
                    .label("single quotes hold one character")
                    .help("write \"…\" instead of '…'")
                    .emit(diagnostics);
                token.kind = TokenKind::Text;
            }
            TokenKind::Star if ends_comment(tokens, index) => {
                let span = token.span.to(tokens[index].span);
                Diagnostic::warning("P0020", span, "`*/` ends no comment")
                    .label("no comment is open here")
                    .note("it is left out, as SPIN does")
                    .help("remove it, or open the comment with `/*`")
                    .emit(diagnostics);
                index += 1;
                continue;
            }
            TokenKind::ShiftLeft | TokenKind::ShiftRight | TokenKind::NotEqual if token.text.len() == 3 => {
                diagnostics.push(odd_operator(&token));
            }
            TokenKind::UnterminatedText => {
                Diagnostic::error("P0016", token.span, "unterminated string")
                    .label("no quote closes it on this line")
                    .emit(diagnostics);
                token.kind = TokenKind::Text;
            }
            TokenKind::Unknown | TokenKind::Hash | TokenKind::HashHash => {
                diagnostics.push(unexpected_character(&token));
                continue;
            }
            _ => {}
        }
        if matches!(
            token.kind,
            TokenKind::CCode | TokenKind::CDecl | TokenKind::CExpr | TokenKind::CState | TokenKind::CTrack
        ) {
            index = skip_embedded(tokens, index, token.kind);
            token.span = token.span.to(tokens[index - 1].span);
            diagnostics.push(embedded(&token));
            token.kind = TokenKind::EmbeddedC;
        }
        output.push(token);
    }
    output
}

/// Returns whether the token before `index`, which is a `*`, and the next one are the end of a comment that
/// never began.
fn ends_comment(tokens: &[Token], index: usize) -> bool {
    tokens.get(index).is_some_and(|next| next.kind == TokenKind::Slash && !next.space && !next.newline)
}

/// Says how SPIN reads three signs that look like a slip.
fn odd_operator(token: &Token) -> Diagnostic {
    let (read, meant) = match &*token.text {
        "<=<" => ("<<", "<="),
        ">=>" => (">>", ">="),
        _ => ("!=", "!"),
    };
    let diagnostic =
        Diagnostic::warning("P0021", token.span, format!("`{}` is read as `{read}`", token.text))
            .label(format!("`{read}` to SPIN and to us"));
    match meant {
        "!" => diagnostic.help(format!("write `{read}`")),
        meant => diagnostic.help(format!("write `{read}`, or `{meant}` if a comparison is meant")),
    }
}

fn unexpected_character(token: &Token) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "P0017",
        token.span,
        format!("unexpected character `{}`", token.text.escape_debug()),
    )
    .label("no token of Promela starts with it");
    match &*token.text {
        "'" => diagnostic.help("a character constant is one character between quotes, such as 'a' or '\\n'"),
        "“" | "”" | "„" => diagnostic.help("a string stands between straight quotes: \"…\""),
        "#" => diagnostic.help("a directive must be the first thing on its line"),
        _ => diagnostic,
    }
}

fn embedded(token: &Token) -> Diagnostic {
    let word = &token.text;
    Diagnostic::error("P0113", token.span, format!("embedded C (`{word}`) is not supported"))
        .label("C code in a model")
        .note("Narrows needs no C compiler: it interprets the model itself, and can't run or analyse C")
        .help("write what it does in Promela")
}

/// Returns the first token after the C that follows the keyword before `index`.
fn skip_embedded(tokens: &[Token], mut index: usize, kind: TokenKind) -> usize {
    if matches!(kind, TokenKind::CState | TokenKind::CTrack) {
        while tokens[index].kind == TokenKind::Text {
            index += 1;
        }
        return index;
    }
    if tokens[index].kind == TokenKind::LeftBracket {
        index = skip_balanced(tokens, index, TokenKind::LeftBracket, TokenKind::RightBracket);
    }
    if tokens[index].kind == TokenKind::LeftBrace {
        index = skip_balanced(tokens, index, TokenKind::LeftBrace, TokenKind::RightBrace);
    }
    index
}

fn skip_balanced(tokens: &[Token], mut index: usize, open: TokenKind, close: TokenKind) -> usize {
    let mut depth = 0_usize;
    while tokens[index].kind != TokenKind::End {
        if tokens[index].kind == open {
            depth += 1;
        } else if tokens[index].kind == close {
            depth -= 1;
        }
        index += 1;
        if depth == 0 {
            break;
        }
    }
    index
}

/// Reads a decimal number; 2147483648 is fine after a minus, where it is negated (and wraps).
fn number(token: &Token, negative: bool, diagnostics: &mut Diagnostics) -> i32 {
    let text = &*token.text;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let diagnostic = Diagnostic::error("P0018", token.span, format!("malformed number `{text}`"))
            .label("numbers are decimal in Promela");
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let value = hex.and_then(|digits| i32::from_str_radix(digits, 16).ok());
        diagnostics.push(match value {
            Some(value) => diagnostic.help(format!("write {value}")),
            None => diagnostic,
        });
        return value.unwrap_or(0);
    }
    match text.parse::<i64>() {
        Ok(value) if value <= i64::from(i32::MAX) => value as i32,
        Ok(value) if negative && value == 1 << 31 => i32::MIN,
        value => {
            // SPIN reads with strtol, which stops at the greatest long, and keeps the lower 32 bits.
            let wrapped = value.unwrap_or(i64::MAX) as i32;
            Diagnostic::warning(
                "P0022",
                token.span,
                format!("the number {text} is out of range: {wrapped} is used"),
            )
            .label("the greatest int is 2147483647")
            .note("SPIN keeps the lower 32 bits, and so do we")
            .help(format!("write {wrapped} if that is meant"))
            .emit(diagnostics);
            wrapped
        }
    }
}

/// Returns the value of a character constant, quotes included.
pub(super) fn character(text: &str) -> i32 {
    let mut characters = text.chars().skip(1);
    match (characters.next(), characters.next()) {
        (Some('\\'), Some('n')) => 10,
        (Some('\\'), Some('r')) => 13,
        (Some('\\'), Some('t')) => 9,
        (Some('\\'), Some('f')) => 12,
        (Some('\\'), Some(other)) => other as i32,
        (Some(other), _) => other as i32,
        (None, _) => 0,
    }
}
