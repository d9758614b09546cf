//! Holds the workspace to its layers: who may depend on whom, and that only programs touch the world outside.

use std::fs;
use std::path::{Path, PathBuf};

/// For each crate the crates of ours that it may depend on; programs may depend on all.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("graph", &[]),
    ("logic", &["graph"]),
    ("model", &["source", "graph", "logic"]),
    ("languages", &["source", "graph", "logic", "model"]),
    ("gpu", &[]),
    ("explicit", &["source", "graph", "logic", "model", "gpu"]),
    ("cluster", &["source", "graph", "model", "explicit"]),
    ("symbolic", &["source", "graph", "logic", "model"]),
    ("sat", &["source", "graph", "logic", "model"]),
    ("lts", &["source", "graph", "logic", "model"]),
    ("performance", &["explicit", "graph", "lts", "model", "source"]),
    ("report", &["model", "source", "logic"]),
    ("study", &["source", "graph", "logic", "model", "languages", "explicit", "lts", "performance"]),
    (
        "narrows",
        &[
            "source",
            "graph",
            "gpu",
            "model",
            "languages",
            "explicit",
            "cluster",
            "symbolic",
            "sat",
            "lts",
            "performance",
            "study",
            "report",
        ],
    ),
    ("lsp", &["narrows", "report"]),
    ("server", &["narrows", "report"]),
    ("network", &["cluster"]),
];

/// The siblings of `cli` that may use sockets, and look at the clock for it; nothing of files or terminals.
const NETWORKING: &[(&str, &str)] = &[
    ("network", "std::time"),
    ("network", "TcpListener"),
    ("network", "socket2"),
    ("server", "TcpListener"),
];

/// What users run: the program, and the module that Python loads. They may depend on all, and know files and
/// the clock.
const PROGRAMS: &[&str] = &["cli", "python"];

/// What a pure crate does not mention, and why.
const OUTSIDE: &[(&str, &str)] = &[
    ("std::fs", "files are read and written by `cli`"),
    ("println!", "the terminal belongs to `cli`"),
    ("std::time", "time is measured by `cli`"),
    ("TcpListener", "connections are made by `network`"),
    ("socket2", "connections are made by `network`"),
];

fn crates() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let entries = fs::read_dir(folder).expect("the folder of crates");
    let mut crates: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("Cargo.toml").is_file())
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path)))
        .collect();
    crates.sort();
    crates
}

/// The crates of ours in a manifest's `[dependencies]`; those of tests are free.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            if let Some(name) = line.strip_prefix("[dependencies.narrows-") {
                found.push(name.trim_end_matches(']').to_owned());
            }
        } else if section == "[dependencies]"
            && let Some(rest) = line.strip_prefix("narrows-")
        {
            let end = rest.find(['.', ' ', '=']).unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
        }
    }
    found
}

#[test]
fn dependencies_point_downwards() {
    for (name, path) in crates() {
        if PROGRAMS.contains(&name.as_str()) {
            continue;
        }
        let layer = LAYERS.iter().find(|(layer, _)| *layer == name);
        let (_, allowed) = layer.unwrap_or_else(|| panic!("crate `{name}` has no layer: add it to LAYERS"));
        let manifest = fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
        for dependency in dependencies(&manifest) {
            assert!(allowed.contains(&dependency.as_str()), "`{name}` must not depend on `{dependency}`");
        }
    }
}

#[test]
fn only_cli_touches_the_world() {
    for (name, path) in crates().iter().filter(|(name, _)| !PROGRAMS.contains(&name.as_str())) {
        for file in sources(&path.join("src")) {
            let text = fs::read_to_string(&file).expect("a source file");
            for (number, line) in code(&text) {
                for (word, why) in OUTSIDE {
                    if NETWORKING.contains(&(name.as_str(), word)) {
                        continue;
                    }
                    let place = file.strip_prefix(path).unwrap_or(&file).display();
                    assert!(!mentions(line, word), "crates/{name}/{place}:{number}: `{word}`: {why}\n{line}");
                }
            }
        }
    }
}

/// Every Rust file below a folder, except files of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    let is_test = |path: &Path| path.file_stem().is_some_and(|stem| stem == "tests");
    let files = paths.into_iter().filter(|path| !is_test(path)).flat_map(below);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The numbered lines that are neither comments nor below `#[cfg(test)]`, which closes our files.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.map(|(index, line)| (index + 1, line.split("//").next().unwrap_or(line)))
}

/// Whether a line has a path or a macro, also as a group: `use std::{env, fs}` is a mention of `std::fs`.
fn mentions(line: &str, word: &str) -> bool {
    if word.ends_with('!') {
        return line
            .match_indices(word)
            .any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'));
    }
    let Some((root, leaf)) = word.split_once("::") else { return line.contains(word) };
    let group =
        line.trim_start().strip_prefix("use ").and_then(|rest| rest.strip_prefix(&format!("{root}::{{")));
    let in_group = group.is_some_and(|names| {
        names
            .split([',', '{', '}', ';'])
            .any(|name| name.trim() == leaf || name.trim().starts_with(&format!("{leaf}::")))
    });
    in_group || line.contains(&format!("{word}::")) || line.contains(&format!("{word};"))
}

#[test]
fn the_checks_see_what_they_should() {
    assert_eq!(
        dependencies("[dependencies]\nnarrows-model.workspace = true\n[dev-dependencies]\nnarrows-x = 1"),
        ["model"]
    );
    assert!(mentions("use std::{env, fs};", "std::fs"));
    assert!(mentions("    std::fs::read(path)", "std::fs"));
    assert!(mentions("println!(\"x\")", "println!"));
    assert!(!mentions("writeln!(to)", "println!"));
    assert!(!mentions("use std::fmt;", "std::fs"));
    assert_eq!(code("a // std::fs\n#[cfg(test)]\nb").collect::<Vec<_>>(), [(1, "a ")]);
}
