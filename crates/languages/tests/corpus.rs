//! SPIN's own examples, where they are installed: they parse, and broken copies of them never panic.

use std::fs;
use std::path::{Path, PathBuf};

use narrows_graph::Random;
use narrows_languages::promela::{Options, parse};
use narrows_source::{Diagnostic, Diagnostics, LoadError, Loaded, Loader, Sources, render};
use narrows_tests::mutate;

/// Where the models are; more folders may come from the environment variable `NARROWS_MODELS`.
const EXAMPLES: &str = "/usr/share/doc/spin/examples";

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, LoadError> {
        let path = Path::new(from).with_file_name(path);
        let bytes = fs::read(&path).map_err(|error| LoadError::Unreadable {
            name: path.display().to_string(),
            reason: error.to_string(),
        })?;
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

#[test]
fn broken_examples_do_not_panic() {
    let mut random = Random::new(1);
    for (name, text) in all_models() {
        for _ in 0..20 {
            let broken = mutate::mutate(&text, mutate::PROMELA, &mut random);
            let (sources, list) = diagnose(&name, &broken);
            for diagnostic in list.iter().take(5) {
                assert!(!render(diagnostic, &sources, false).is_empty());
            }
        }
    }
}
