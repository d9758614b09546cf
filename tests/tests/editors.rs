//! Editors: the language server with Neovim and Emacs, without a screen, the panel of the extension, and the
//! grammar of Promela for tree-sitter.

#![allow(clippy::print_stdout, reason = "a test says what it leaves out")]

use std::path::{Path, PathBuf};
use std::process::Command;

use narrows_tests::commands::Scratch;
use narrows_tests::narrows::program;

const MODEL: &str = "byte count;
active proctype P() {
  do :: count < 3 -> coumt = count + 1 :: count == 3 -> break od
}
ltl small { [] (count <= 3) }
ltl never_three { [] (count < 3) }
";

#[test]
fn neovim_sees_a_mistake_mends_it_and_checks() {
    if Command::new("nvim").arg("--version").output().is_err() {
        println!("left out: nvim is not installed");
        return;
    }
    let scratch = Scratch::new().expect("a folder");
    let folder = scratch.path();
    std::fs::write(folder.join("model.pml"), MODEL).expect("a model");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/editors/session.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", script])
        .env("NARROWS_BIN", program().expect("the program is built"))
        .env("NARROWS_FOLDER", folder)
        .env("HOME", folder)
        .output()
        .expect("Neovim runs");
    let said = std::fs::read_to_string(folder.join("said.txt")).unwrap_or_default();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        "mistake 2 unknown name `coumt`",
        "fix Replace by `count`",
        "mended   do :: count < 3 -> count = count + 1 :: count == 3 -> break od",
        "definition 0 5",
        "hover variable",
        "answer  assertion: holds",
        "answer  deadlock: holds",
        "answer  fault: holds",
        "answer small holds",
        "answer never_three fails after 6 steps",
        "failure 5 fails after 6 steps",
    ];
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines, expected);
}

/// Debian has Emacs and Eglot in packages of their own.
#[test]
fn emacs_sees_a_mistake_and_that_it_is_mended() {
    let is_there = Command::new("emacs").args(["--batch", "-q", "--eval", "(require 'eglot)"]).output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("left out: there is no Emacs with Eglot");
        return;
    }
    let scratch = Scratch::new().expect("a folder");
    let folder = scratch.path();
    std::fs::write(folder.join("model.pml"), MODEL).expect("a model");
    let output = Command::new("emacs")
        .args(["--batch", "-q", "-l", concat!(env!("CARGO_MANIFEST_DIR"), "/editors/session.el")])
        .env("NARROWS_BIN", program().expect("the program is built"))
        .env("NARROWS_FOLDER", folder)
        .env("HOME", folder)
        .output()
        .expect("Emacs runs");
    let said = std::fs::read_to_string(folder.join("said.txt")).unwrap_or_default();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines, ["mistake 3 narrows [P0201]: unknown name `coumt`", "mended", "definition 1"]);
}

#[test]
fn the_workbench_is_in_a_panel() {
    if Command::new("node").arg("--version").output().is_err() {
        println!("left out: `node` is not installed, so the panel of the extension is not tried");
        return;
    }
    let scratch = Scratch::new().expect("a folder");
    std::fs::write(scratch.path().join("model.pml"), MODEL).expect("a model");
    let output = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../editors/vscode/test/workbench.js"))
        .arg(program().expect("the program is built"))
        .arg(scratch.path())
        .output()
        .expect("it runs");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && said[0].contains("the panel works"), "{}", said.concat());
}

/// The program `tree-sitter`: what `NARROWS_TREE_SITTER` says, or that of the path.
fn tree_sitter() -> Option<PathBuf> {
    let wanted = std::env::var_os("NARROWS_TREE_SITTER").map(PathBuf::from);
    let tool = wanted.clone().unwrap_or_else(|| PathBuf::from("tree-sitter"));
    let runs = |tool: &Path| Command::new(tool).arg("--version").output().is_ok();
    let runs = runs(&tool) && runs(Path::new("node"));
    assert!(runs || wanted.is_none(), "NARROWS_TREE_SITTER: it does not run, or there is no `node`");
    runs.then_some(tool)
}

/// Runs `tree-sitter` in a copy of the grammar, and returns what it says.
fn said(tool: &Path, grammar: &Path, arguments: &[&str], paths: &[PathBuf]) -> (bool, String) {
    let mut command = Command::new(tool);
    command.args(arguments).args(paths).current_dir(grammar);
    for (name, folder) in [("HOME", "home"), ("XDG_CACHE_HOME", "cache"), ("TREE_SITTER_DIR", "settings")] {
        command.env(name, grammar.join(folder));
    }
    let output = command.output().expect("it runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.success(), text.concat())
}

/// Returns all Promela models of the repository.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root");
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> =
        ["bench/models", "crates", "examples", "tests/models"].iter().map(|name| root.join(name)).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "pml") {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn tree_sitter_parses_all_models() {
    let Some(tool) = tree_sitter() else {
        println!(
            "left out: `tree-sitter` or `node` is not installed, so the grammar for editors is not tried"
        );
        return;
    };
    let scratch = Scratch::new().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/tree-sitter-promela");
    let grammar = scratch.path().join("promela");
    std::fs::create_dir_all(grammar.join("queries")).expect("a folder");
    for name in ["grammar.js", "tree-sitter.json", "queries/highlights.scm", "queries/folds.scm"] {
        std::fs::copy(source.join(name), grammar.join(name)).expect("a copy");
    }
    let (is_generated, text) = said(&tool, &grammar, &["generate", "grammar.js"], &[]);
    assert!(is_generated, "{text}");

    let models = models();
    assert!(models.len() > 120, "{} models", models.len());
    let (is_parsed, text) = said(&tool, &grammar, &["parse", "--quiet"], &models);
    assert!(is_parsed && !text.contains("ERROR") && !text.contains("MISSING"), "{text}");
    // A text that is not Promela has errors: so there is something to find.
    let wrong = scratch.path().join("wrong.pml");
    std::fs::write(&wrong, "active proctype P( { do :: x = ; od\n").expect("a file");
    assert!(!said(&tool, &grammar, &["parse", "--quiet"], &[wrong]).0);

    // Queries find what they are about.
    let model = scratch.path().join("model.pml");
    std::fs::write(&model, MODEL).expect("a file");
    let query =
        |name: &str| said(&tool, &grammar, &["query", "--captures", name], std::slice::from_ref(&model));
    let (is_answered, text) = query("queries/highlights.scm");
    assert!(is_answered, "{text}");
    for part in ["function", "type.builtin", "keyword.repeat", "number", "operator"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (is_answered, text) = query("queries/folds.scm");
    assert!(is_answered && text.contains("fold"), "{text}");
}
