//! Random Markov chains and automata, against Storm's exact answers.

use std::path::Path;
use std::process::Command;

use narrows_tests::narrows::program;

/// The Python that has Storm's module: `./test` says which, if it had to install it.
fn python() -> String {
    std::env::var("NARROWS_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

#[test]
fn random_automata_have_storms_figures() {
    let has_storm = Command::new(python()).args(["-c", "import stormpy"]).output();
    if !has_storm.is_ok_and(|output| output.status.success()) {
        println!("not compared: {} has no stormpy; `pip install stormpy` gets it", python());
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("storm-check");
    let mut command = Command::new(python());
    command.arg(script).arg(program().expect("the program")).arg("24");
    let output = command.output().expect("it runs");
    let (text, messages) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{messages}");
    let last = text.lines().last().unwrap_or_default();
    assert!(last.starts_with("24 automata") && last.ends_with("0 differ"), "{text}");
}
