//! What the messages of this front end mean.

mod lowering;
mod preprocess;
mod syntax;

use narrows_source::Explanation;

/// The messages of lowering: names, types, processes, jumps.
pub use lowering::EXPLANATIONS as LOWERING;
/// The messages of the preprocessor and the lexer.
pub use preprocess::EXPLANATIONS as PREPROCESS;
/// The messages of the parser.
pub use syntax::EXPLANATIONS as SYNTAX;

/// Returns every explanation, by code.
pub fn explanations() -> impl Iterator<Item = &'static Explanation> {
    preprocess::EXPLANATIONS.iter().chain(syntax::EXPLANATIONS).chain(lowering::EXPLANATIONS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::explanations;

    /// Collects the codes in string literals of all sources but the explanations.
    fn used(folder: &Path, codes: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("the sources are here").flatten() {
            let path = entry.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "messages") {
                    used(&path, codes);
                }
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source is text");
            for part in text.split("\"P").skip(1) {
                let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
                if digits.len() == 4 && part[4..].starts_with('"') {
                    codes.insert(format!("P{digits}"));
                }
            }
        }
    }

    #[test]
    fn every_code_is_explained_once_and_used() {
        let mut codes = BTreeSet::new();
        used(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/promela"), &mut codes);
        let explained: Vec<String> = explanations().map(|explanation| explanation.code.to_owned()).collect();
        let unique: BTreeSet<String> = explained.iter().cloned().collect();
        assert_eq!(explained.len(), unique.len(), "a code is explained twice");
        assert_eq!(codes, unique);
    }
}
