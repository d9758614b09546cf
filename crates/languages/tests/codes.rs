//! Every code of a message that a front end uses is explained, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use narrows_languages::{Language, aiger::Aiger, aut::Aut, lotos::Lotos, promela::Promela, smv::Smv};
use narrows_source::Explanation;

#[test]
fn every_code_is_explained_once_and_used() {
    assert_all_explained("promela", 'P', &Promela);
    assert_all_explained("lotos", 'L', &Lotos);
    assert_all_explained("aut", 'G', &Aut);
    assert_all_explained("aiger", 'I', &Aiger);
    assert_all_explained("smv", 'V', &Smv);
}

/// Makes sure that the codes that a front end uses, which begin with a letter, are those that it explains,
/// each once.
fn assert_all_explained(front_end: &str, letter: char, language: &dyn Language) {
    let mut codes = BTreeSet::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(front_end);
    collect(&sources, letter, &mut codes);
    let explained = Explanation::read(language.messages()).map(|explanation| explanation.code.to_owned());
    let explained: Vec<String> = explained.collect();
    let unique: BTreeSet<String> = explained.iter().cloned().collect();
    assert_eq!(explained.len(), unique.len(), "a code is explained twice");
    assert_eq!(codes, unique);
}

/// Collects the codes in string literals of all sources but the explanations.
fn collect(folder: &Path, letter: char, codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the sources are here").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, letter, codes);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source is text");
        for part in text.split(&format!("\"{letter}")).skip(1) {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            if digits.len() == 4 && part[4..].starts_with('"') {
                codes.insert(format!("{letter}{digits}"));
            }
        }
    }
}
