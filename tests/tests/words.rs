//! Holds what users read to the style sheet in CONTRIBUTING.md: what stands on the left of its second table
//! is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use narrows_tests::commands::run;
use narrows_tests::narrows;

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
        } else if ["css", "html", "js", "md", "pml", "rs", "toml", "yml"].into_iter().any(has) {
            files.push(path);
        }
    }
}

/// Returns the phrases in a text. What is broken into lines is one text: in strings, and in the comments of
/// which help is made.
fn said<'p>(phrases: &'p [String], text: &str) -> impl Iterator<Item = &'p String> {
    let text = text.replace("\\\n", " ").replace("///", " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    phrases.iter().filter(move |phrase| text.contains(phrase.as_str()))
}

/// What the program says about itself: the help of every command, and what messages mean.
#[test]
fn help_is_in_the_idiom_of_the_field() {
    let Some(program) = narrows::program() else { return };
    let phrases = phrases();
    let printed = |arguments: &[&str]| {
        let finished =
            run(Command::new(program).args(arguments), Duration::from_mins(1)).expect("narrows runs");
        format!("{}{}", finished.stdout, finished.stderr)
    };
    let names = |help: &str| -> Vec<String> {
        let list =
            help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let named = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        named.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    let mut texts = vec![("help".to_owned(), printed(&["--help"]))];
    for name in names(&texts[0].1).iter().filter(|name| *name != "help") {
        let help = printed(&[name, "--help"]);
        for inner in names(&help).iter().filter(|inner| *inner != "help") {
            texts.push((format!("{name} {inner}"), printed(&[name, inner, "--help"])));
        }
        texts.push((name.clone(), help));
    }
    assert!(texts.len() > 20, "{}", texts.len());
    let codes = printed(&["explain"]);
    let codes: Vec<&str> = codes.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(codes.len() > 100, "{}", codes.len());
    texts.extend(codes.iter().map(|code| ((*code).to_owned(), printed(&["explain", code]))));
    for (name, text) in &texts {
        assert_eq!(said(&phrases, text).collect::<Vec<_>>(), Vec::<&String>::new(), "{name}");
    }
}

#[test]
fn phrases_are_found_across_lines() {
    let phrases = ["over all ways to decide".to_owned()];
    for text in
        ["over all\n    /// ways to decide", "\"over all ways \\\n   to decide\"", "over\nall ways to decide"]
    {
        assert_eq!(said(&phrases, text).count(), 1, "{text}");
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
        let text = fs::read_to_string(file).expect("a text");
        found.extend(said(&phrases, &text).map(|phrase| format!("{}: {phrase}", file.display())));
    }
    assert!(found.is_empty(), "in the left column of the style sheet:\n{}", found.join("\n"));
}
