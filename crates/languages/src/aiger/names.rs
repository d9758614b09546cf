//! Names that formulas can use: those of the file as far as they are words, and otherwise the letter and the
//! place in the list, as in the file.

use rustc_hash::FxHashSet;

use super::read::Circuit;
use crate::smv::is_reserved_word;

/// The names of what formulas can look at.
pub(super) struct Names {
    pub(super) inputs: Vec<String>,
    pub(super) latches: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) bad: Vec<String>,
}

impl Names {
    /// Gives everything a name of its own.
    pub(super) fn new(circuit: &Circuit) -> Names {
        let mut taken = FxHashSet::default();
        let mut list = |letter: char, count: usize| {
            (0..count)
                .map(|place| {
                    let own = circuit.names.get(&(letter, place)).map(|name| word(name));
                    let plain = own.filter(|name| !name.is_empty());
                    let name = plain.unwrap_or_else(|| format!("{letter}{place}"));
                    let mut unique = name.clone();
                    let mut number = 2;
                    while is_reserved_word(&unique) || !taken.insert(unique.clone()) {
                        unique = format!("{name}_{number}");
                        number += 1;
                    }
                    unique
                })
                .collect()
        };
        Names {
            inputs: list('i', circuit.inputs.len()),
            latches: list('l', circuit.latches.len()),
            outputs: list('o', circuit.outputs.len()),
            bad: list('b', circuit.bad.len()),
        }
    }
}

/// Makes a word of a name: `bus[3].valid` becomes `bus_3_valid`.
fn word(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
        } else if !word.ends_with('_') {
            word.push('_');
        }
    }
    if name.ends_with(|last: char| !last.is_ascii_alphanumeric() && last != '_') && word.ends_with('_') {
        word.pop();
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        word.insert(0, '_');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn names_become_words() {
        for (name, expected) in
            [("count", "count"), ("bus[3].valid", "bus_3_valid"), ("a[0]", "a_0"), ("_running_", "_running_")]
        {
            assert_eq!(word(name), expected);
        }
        assert_eq!(word("3x"), "_3x");
        assert_eq!(word("[]"), "");
    }
}
