//! The language server with a real editor: Neovim, without a screen.

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
