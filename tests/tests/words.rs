//! Holds what users read to the style sheet in CONTRIBUTING.md: what stands on the left of its second table
//! is gone.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The phrases on the left of the table of words for users.
fn phrases() -> Vec<String> {
    let sheet = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the style sheet is a text");
    let rows = sheet.lines().skip_while(|line| !line.starts_with("| in place of")).skip(2);
    let left = |row: &str| row.split('|').nth(1).map(|cell| cell.trim().trim_matches('"').to_owned());
    rows.take_while(|line| line.starts_with('|')).filter_map(left).collect()
}

/// Texts that reach users: pages, and what the crates print.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let path = entry.path();
        let has = |ending: &str| path.extension().is_some_and(|found| found == ending);
        if path.is_dir() {
            collect(&path, files);
        } else if ["md", "rs", "html", "toml"].into_iter().any(has) {
            files.push(path);
        }
    }
}

#[test]
fn texts_are_in_the_idiom_of_the_field() {
    let phrases = phrases();
    assert!(phrases.len() >= 10, "{phrases:?}");
    let mut files = vec![root().join("README.md")];
    for folder in ["docs/src", "examples", "crates"] {
        collect(&root().join(folder), &mut files);
    }
    let mut found = Vec::new();
    for file in &files {
        // What is broken into lines is one text.
        let text = fs::read_to_string(file).expect("a text");
        let text = text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let here = phrases.iter().filter(|phrase| text.contains(phrase.as_str()));
        found.extend(here.map(|phrase| format!("{}: {phrase}", file.display())));
    }
    assert!(found.is_empty(), "in the left column of the style sheet:\n{}", found.join("\n"));
}
