//! The outline of a graph: the gates in its labels, each declared where it stands first.

use std::collections::HashSet;
use std::ops::Range;

use crate::outline::{Collector, NameKind, Outline, WordKind};

/// A graph that other programs wrote may have millions of edges; people read no more than these.
const MAX_LINES: usize = 20_000;

/// Words of labels that say how long or how likely, and the internal action.
pub(super) const WORDS: &[&str] = &["des", "exit", "i", "prob", "rate", "tau"];

/// Makes the outline of a text.
pub(super) fn outline(text: &str) -> Outline {
    let mut collector = Collector::default();
    let mut gates = HashSet::new();
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').take(MAX_LINES).enumerate() {
        let label = if number == 0 { 0..0 } else { label(line) };
        let mut is_action = true;
        for place in words(line) {
            let word = &line[place.clone()];
            let global = start + place.start..start + place.end;
            let is_number = word.starts_with(|first: char| first.is_ascii_digit());
            if is_number {
                collector.word(word, global, WordKind::Number);
            } else if WORDS.contains(&word) {
                collector.word(word, global, WordKind::Keyword);
            } else if is_action && label.contains(&place.start) {
                if gates.insert(word) {
                    collector.declare(word, NameKind::Gate, global.clone(), None, None);
                }
                collector.word(word, global, WordKind::Name);
            }
            // What follows on the gate are values.
            is_action &= !label.contains(&place.start);
        }
        start += line.len();
    }
    collector.outline
}

/// Returns where the label of an edge stands in its line: between the first comma and the last one.
fn label(line: &str) -> Range<usize> {
    match (line.find(','), line.rfind(',')) {
        (Some(first), Some(last)) if first < last => first + 1..last,
        _ => 0..0,
    }
}

/// Returns the places of the words of a line: letters, digits, `_` and dots within numbers.
fn words(line: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, letter) in line.char_indices() {
        let is_number = found.last().is_some_and(|word| {
            word.end == at && line[word.clone()].starts_with(|first: char| first.is_ascii_digit())
        });
        if letter.is_alphanumeric() || letter == '_' || (letter == '.' && is_number) {
            let end = at + letter.len_utf8();
            match found.last_mut().filter(|word| word.end == at) {
                Some(word) => word.end = end,
                None => found.push(at..end),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::outline;
    use crate::outline::WordKind;

    #[test]
    fn gates_are_declared_where_they_stand_first() {
        let text =
            "des (0, 4, 2)\n(0, \"PUT !3\", 1)\n(1, GET, 0)\n(0, PUT !TRUE, 1)\n(1, \"DONE; rate 2.5\", 0)\n";
        let found = outline(text);
        let declared: Vec<(&str, usize)> =
            found.declared.iter().map(|one| (one.name.as_str(), one.place.start)).collect();
        assert_eq!(declared, [("PUT", 19), ("GET", 35), ("DONE", 66)]);
        let put: Vec<usize> =
            (0..found.words.len()).filter(|word| found.words[*word].text == "PUT").collect();
        assert_eq!(put.len(), 2);
        assert!(put.iter().all(|word| found.resolve(*word) == Some(0)));
        // Values are no gates, and numbers stay whole.
        assert!(found.words.iter().all(|word| word.text != "TRUE"));
        let numbers = found.words.iter().filter(|word| word.kind == WordKind::Number);
        assert!(numbers.clone().any(|word| word.text == "2.5"));
        for word in &found.words {
            assert_eq!(text[word.place.clone()], word.text);
        }
    }

    #[test]
    fn unfinished_lines_do_no_harm() {
        for text in ["", "des", "des (", "(0,", "(0, \"ä𝄞", ",,,", "(0, a, 1)\r\n(,,)\n"] {
            for word in &outline(text).words {
                assert_eq!(text[word.place.clone()], word.text, "{text}");
            }
        }
    }
}
