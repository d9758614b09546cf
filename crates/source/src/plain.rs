//! Untrusted texts, made harmless for terminals and spreadsheets.
//!
//! A model, a file name or a label may hold characters that move the cursor, set colours, rename the window
//! or reverse the direction of writing. What is shown to people goes through [`printable`]; line breaks and
//! tabs stay.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns whether a character does something to a terminal, or to the order of those around it, instead of
/// being shown.
pub fn is_harmful(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks that reverse or isolate the direction of writing.
        '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

/// Replaces what would do something to a terminal by something that can be seen: the escape character becomes
/// `␛`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match character {
        other if !is_harmful(other) => other,
        '\u{7f}' => '\u{2421}',
        low @ '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(low)).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Writes a JSON document so that nothing in it does anything to a terminal; it means the same as before.
///
/// JSON itself asks for that for all characters below the space; such characters stand between quotes only.
pub fn printable_json(document: &str) -> Cow<'_, str> {
    if !document.contains(is_harmful) {
        return Cow::Borrowed(document);
    }
    let mut text = String::with_capacity(document.len() + 16);
    for character in document.chars() {
        if is_harmful(character) {
            let _ = write!(text, "\\u{:04x}", u32::from(character));
        } else {
            text.push(character);
        }
    }
    Cow::Owned(text)
}

/// Writes a text as a cell of comma-separated values.
///
/// A spreadsheet takes what begins with `=`, `+`, `-` or `@` for a formula: such a text gets an apostrophe in
/// front, as is usual, and stays a text. What would do something to a terminal is replaced.
pub fn csv_cell(text: &str) -> String {
    let text = printable(text);
    let mark = if text.starts_with(['=', '+', '-', '@', '\t']) { "'" } else { "" };
    if text.contains([',', '"', '\n']) {
        format!("\"{mark}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{mark}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::{csv_cell, printable, printable_json};

    #[test]
    fn nothing_reaches_the_terminal_raw() {
        let cases = [
            ("plain\n\ttext é ✓", "plain\n\ttext é ✓"),
            ("\u{1b}[31mred\u{7}", "␛[31mred␇"),
            ("over\rwritten\u{8}\u{7f}", "over␍written␈␡"),
            ("\u{9b}2J\u{202e}desrever\u{2066}", "\u{fffd}2J\u{fffd}desrever\u{fffd}"),
        ];
        for (text, expected) in cases {
            assert_eq!(printable(text), expected);
        }
        assert_eq!(printable_json("{\n  \"a\": \"\u{9b}\u{202e}\"\n}"), "{\n  \"a\": \"\\u009b\\u202e\"\n}");
    }

    #[test]
    fn cells_are_texts() {
        let cases = [
            ("PUT !1", "PUT !1"),
            ("a,b", "\"a,b\""),
            ("say \"b\"", "\"say \"\"b\"\"\""),
            ("=cmd()", "'=cmd()"),
            ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""),
            ("-1", "'-1"),
            ("+1", "'+1"),
            ("\u{1b}]0;x", "␛]0;x"),
        ];
        for (text, expected) in cases {
            assert_eq!(csv_cell(text), expected);
        }
    }
}
