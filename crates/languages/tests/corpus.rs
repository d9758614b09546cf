//! SPIN's own examples, where they are installed: they parse, and broken copies of them never panic.

use std::fs;
use std::path::{Path, PathBuf};

use narrows_languages::promela::{Options, parse};
use narrows_source::{Diagnostic, Diagnostics, Loaded, Loader, Sources, render};

/// Where the models are; more folders may come from the environment variable `NARROWS_MODELS`.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, String> {
        let path = Path::new(from).with_file_name(path);
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        Ok(Loaded { name: path.display().to_string(), text: String::from_utf8_lossy(&bytes).into_owned() })
    }
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}

fn all_models() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    models(Path::new(EXAMPLES), &mut paths);
    if let Ok(folders) = std::env::var("NARROWS_MODELS") {
        for folder in folders.split(':') {
            models(Path::new(folder), &mut paths);
        }
    }
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).expect("the model can be read");
        (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
    };
    paths.iter().map(read).collect()
}

fn diagnose(name: &str, text: &str) -> (Sources, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Diagnostics::default();
    parse(&mut sources, file, &Disk, &Options::default(), &mut diagnostics);
    let list = diagnostics.sorted();
    (sources, list)
}

#[test]
fn examples_parse() {
    let mut wrong = String::new();
    for (name, text) in all_models() {
        let (sources, list) = diagnose(&name, &text);
        if text.contains("c_code") || text.contains("c_expr") {
            continue;
        }
        for diagnostic in list {
            // `pc10` of the patterns has `&` for `&&` before a temporal operator; SPIN makes nonsense of it.
            if diagnostic.code == "P0116" && name.ends_with("LTL/patterns.pml") {
                continue;
            }
            wrong.push_str(&render(&diagnostic, &sources, false));
            wrong.push('\n');
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A small generator of numbers, so that the test is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

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

#[test]
fn broken_examples_do_not_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for (name, text) in all_models() {
        for _ in 0..20 {
            let mut broken = pieces(&text);
            for _ in 0..=random.below(6) {
                let from = random.below(broken.len());
                let to = random.below(broken.len());
                match random.below(4) {
                    0 => drop(broken.remove(from)),
                    1 => broken.insert(to, broken[from]),
                    2 => broken.swap(from, to),
                    _ => broken.truncate(from.max(1)),
                }
                if broken.is_empty() {
                    break;
                }
            }
            let broken = broken.concat();
            let (sources, list) = diagnose(&name, &broken);
            for diagnostic in list.iter().take(5) {
                assert!(!render(diagnostic, &sources, false).is_empty());
            }
        }
    }
}
