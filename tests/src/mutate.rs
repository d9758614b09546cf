//! Breaks a text the way people and editors do.

use narrows_graph::Random;

/// What a piece may be replaced by in any language: numbers at the edges of types, and signs.
const REPLACEMENTS: &[&str] = &[
    "0",
    "1",
    "-1",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "_",
    "::",
    "->",
    ";",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "!",
    "?",
    "@",
    ":",
    ".",
    "..",
    "/",
    "%",
    "<<",
    ">>",
    "#",
    "\u{fe}",
    "\0",
];

/// Small words of Promela that fit in many places.
pub const PROMELA: &[&str] = &[
    "_pid",
    "_last",
    "_nr_pr",
    "_priority",
    "timeout",
    "np_",
    "else",
    "skip",
    "break",
    "atomic",
    "d_step",
    "unless",
    "run",
    "eval",
    "hidden",
    "byte",
    "int",
    "chan",
    "mtype",
    "do",
    "od",
    "if",
    "fi",
    "!!",
    "??",
    "##",
    "\n#define x ",
];

/// Splits a text into words, signs and white space.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last_word = false;
    for (index, character) in text.char_indices() {
        let word = character.is_alphanumeric() || character == '_';
        if index > start && !(word && last_word) {
            pieces.push(&text[start..index]);
            start = index;
        }
        last_word = word;
    }
    pieces.push(&text[start..]);
    pieces
}

/// Deletes, doubles, swaps and replaces a few pieces, also by words of the language, or cuts the text off.
pub fn mutate(text: &str, words: &[&'static str], random: &mut Random) -> String {
    let mut pieces = pieces(text);
    for _ in 0..random.between(1, 4) {
        let (from, to) = (random.index(pieces.len()), random.index(pieces.len()));
        match random.index(13) {
            0..3 if pieces.len() > 1 => drop(pieces.remove(from)),
            3..6 => pieces.insert(to, pieces[from]),
            6..9 => pieces.swap(from, to),
            9..12 => {
                let list = if random.index(2) == 0 { REPLACEMENTS } else { words };
                pieces[from] = random.pick(list).expect("there are some");
            }
            _ => pieces.truncate(from.max(1)),
        }
    }
    pieces.concat()
}
