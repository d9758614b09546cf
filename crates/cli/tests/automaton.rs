//! `narrows automaton` as a user runs it.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::process::{Command, Output};

use program::{status, stderr, stdout};
use serde_json::Value;

fn automaton(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_narrows")).arg("automaton").args(arguments).output().unwrap()
}

#[test]
fn automaton_shows_states_and_conditions() {
    let output = automaton(&["[] (x == 1 -> <> q)"]);
    assert_eq!(status(&output), 0);
    let text = stdout(&output);
    assert!(text.starts_with("[] ((x == 1) -> <> q)\n  2 states, 4 transitions, "), "{text}");
    assert!(text.contains("state 0  initial"), "{text}");
    assert!(stdout(&automaton(&["true"])).contains("accepts everything"));
    assert!(stdout(&automaton(&["<> p && [] !p"])).contains("accepts nothing"));
}

#[test]
fn automaton_writes_other_formats() {
    let never = stdout(&automaton(&["[] p", "--negate", "--format", "never"]));
    assert!(never.starts_with("never {    /* ![] p */\nT0_init:\n"), "{never}");
    assert!(never.ends_with("accept_all:\n\tskip\n}\n"), "{never}");
    let hoa = stdout(&automaton(&["[] p", "--format", "hoa"]));
    assert!(hoa.starts_with("HOA: v1\n") && hoa.contains("\nState: 0 {0}\n[0] 0\n"), "{hoa}");
    let dot = stdout(&automaton(&["[] p", "--format", "dot"]));
    assert!(dot.contains("0 -> 0 [label = \"p\"]"), "{dot}");
    let document: Value = serde_json::from_slice(&automaton(&["X p", "--format", "json"]).stdout).unwrap();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["states"], 3);
    assert_eq!(document["automaton"]["atoms"][0], "p");
}

#[test]
fn automaton_says_what_is_wrong_with_a_formula() {
    let output = automaton(&["[] (p -> <> )"]);
    assert_eq!(status(&output), 2);
    assert!(stdout(&output).is_empty());
    assert!(
        stderr(&output).contains("error[P0") && stderr(&output).contains("formula:1:"),
        "{}",
        stderr(&output)
    );
    let output = automaton(&["p p", "--format", "json"]);
    assert_eq!(status(&output), 2);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["diagnostics"][0]["severity"], "error");
}

#[test]
fn automaton_gives_up_on_huge_formulas() {
    let formula = format!("[] (p -> {} p)", "X".repeat(40).replace('X', "X "));
    let output = automaton(&[&formula]);
    assert_eq!(status(&output), 2);
    assert!(stderr(&output).contains("more than 20000 states"), "{}", stderr(&output));
    let deep = format!("{} p", "!<>".repeat(3000));
    assert!([0, 2].contains(&status(&automaton(&[&deep]))));
}
