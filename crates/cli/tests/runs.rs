//! Questions about whole runs, as a user asks them.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Checks a model, and returns the exit status and the answers.
fn check(model: &str, arguments: &[&str]) -> (i32, Vec<Value>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_narrows"))
        .args(["check", "/dev/stdin", "--format", "json", "--quiet"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(model.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), document["answers"].as_array().unwrap().clone())
}

/// Returns the verdicts of some questions, by kind.
fn verdicts(model: &str, arguments: &[&str]) -> Vec<String> {
    let (_, answers) = check(model, arguments);
    answers.iter().map(|answer| answer["verdict"].as_str().unwrap().to_owned()).collect()
}

/// Eight counters of 256 values: more states than any machine can hold. Each depends on the next, so that
/// none can be left out.
const GIANT: &str = "
byte x[8];
active [8] proctype P() { do :: x[_pid] != 77 || x[(_pid + 1) % 8] != 78 -> x[_pid]++ od }
";

#[test]
fn a_violation_near_the_start_is_found_in_a_model_that_would_not_fit() {
    let formulas =
        ["--ltl", "[] (x[3] < 2)", "--ltl", "[]<> (x[5] == 0)", "--only", "ltl", "--memory", "200M"];
    let (status, answers) = check(GIANT, &formulas);
    assert_eq!((status, answers.len()), (1, 2));
    let steps = |answer: &Value| answer["trace"]["steps"].as_array().unwrap().len();
    assert_eq!((answers[0]["verdict"].as_str(), steps(&answers[0])), (Some("fails"), 4));
    assert!(answers[0]["trace"]["cycle"].is_null());
    assert_eq!(answers[1]["verdict"].as_str(), Some("fails"));
    assert!(answers[1]["trace"]["cycle"].is_number());
}

#[test]
fn a_cycle_may_count_what_nobody_reads() {
    let model = "int count; bool done; active proctype P() { do :: count++ od; done = true }";
    let (status, answers) = check(model, &["--ltl", "<> done", "--only", "ltl"]);
    assert_eq!((status, answers[0]["verdict"].as_str()), (1, Some("fails")));
    assert_eq!(answers[0]["trace"]["cycle"].as_u64(), Some(1));
}

#[test]
fn a_violation_far_from_the_start_is_found_on_the_fly() {
    // 30 000 states lie before it, and far more beside it than fit.
    let model = "
        int far;
        byte x[6];
        active proctype Q() { do :: far < 30000 -> far++ :: far == 30000 -> break od; do :: x[0] = x[0] od }
    ";
    let (status, answers) = check(model, &["--ltl", "[] (far < 29000)", "--only", "ltl"]);
    assert_eq!((status, answers[0]["verdict"].as_str()), (1, Some("fails")));
    let (status, answers) = check(model, &["--ltl", "<>[] (far < 30000)", "--only", "ltl"]);
    assert_eq!((status, answers[0]["verdict"].as_str()), (1, Some("fails")));
    assert!(answers[0]["trace"]["cycle"].as_u64().unwrap() > 30_000);
}

#[test]
fn too_little_memory_is_undecided() {
    let arguments = ["--ltl", "[] (x[0] < 256)", "--only", "ltl", "--memory", "30M"];
    let (status, answers) = check(GIANT, &arguments);
    assert_eq!((status, answers[0]["verdict"].as_str()), (2, Some("undecided")));
    assert!(answers[0]["reason"].as_str().unwrap().contains("the memory limit was reached"));
}

#[test]
fn fairness_is_exact_with_rendezvous() {
    // Whoever can take part in a rendezvous can move: Talker and Listener must meet. SPIN's -f lets them wait
    // for ever.
    let model = "
        chan meet = [0] of { bit };
        bool met, x;
        active proctype Talker() { meet!1; met = true }
        active proctype Listener() { meet?_ }
        active proctype Other() { do :: x = !x od }
        ltl they_meet { <> met }
    ";
    assert_eq!(verdicts(model, &["--only", "ltl"]), ["fails"]);
    assert_eq!(verdicts(model, &["--only", "ltl", "--fair", "weak"]), ["holds"]);
}

#[test]
fn labels_and_claims_are_answered_in_one_run() {
    let model = "
        byte x;
        chan c = [1] of { byte };
        active proctype P() {
          do
          :: x < 2 -> c!x; x++; c?_
          :: x == 2 -> accept: x = 0
          :: x > 0 -> progress: x--
          od
        }
        never { do :: x < 3 :: x == 2 -> break od }
        notrace { c!0; c?0; c!1 }
        ltl always { [] (x <= 2) }
    ";
    let (status, answers) = check(model, &[]);
    assert_eq!(status, 1);
    let line = |answer: &Value| {
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        format!("{} {}", text("kind"), text("verdict"))
    };
    let expected = [
        "assertion holds",
        "deadlock holds",
        "fault holds",
        "accept fails",
        "progress fails",
        "never fails",
        "trace fails",
        "ltl holds",
    ];
    assert_eq!(answers.iter().map(line).collect::<Vec<_>>(), expected);
    // Both labels are on a cycle; a run that stays away from `progress` goes round by `accept`.
    for answer in &answers[3..5] {
        assert!(answer["trace"]["cycle"].is_number(), "{answer}");
    }
}

#[test]
fn further_runs_are_different() {
    let model = "
        byte x;
        active proctype P() { do :: x = 1; x = 0 :: x = 2; x = 0 :: x = 3; assert(false) :: x = 4; assert(x == 3) od }
    ";
    let (_, answers) = check(model, &["--all", "5", "--ltl", "<> (x > 2)"]);
    let count = |answer: &Value| answer["more"].as_array().map_or(0, Vec::len);
    assert_eq!((answers[0]["kind"].as_str(), count(&answers[0])), (Some("assertion"), 1));
    assert_eq!((answers[3]["verdict"].as_str(), count(&answers[3])), (Some("fails"), 1));
    let cycles: Vec<String> = [&answers[3]["trace"], &answers[3]["more"][0]]
        .map(|trace| trace["steps"][0]["moves"][0]["text"].as_str().unwrap().to_owned())
        .into();
    assert_ne!(cycles[0], cycles[1]);
    let (_, answers) = check(model, &[]);
    assert_eq!(count(&answers[0]), 0);
}

#[test]
fn what_holds_for_no_good_reason_is_noted() {
    let model = "byte x; active proctype P() { do :: x = 1 - x od }";
    let formulas =
        ["--ltl", "[] (x == 5 -> <> (x == 0))", "--ltl", "x == 0", "--ltl", "[] (x == 1 -> <> (x == 0))"];
    let (status, answers) = check(model, &[&formulas[..], &["--only", "ltl"]].concat());
    assert_eq!(status, 0);
    let note = |answer: &Value| answer["notes"][0].as_str().unwrap_or("").to_owned();
    assert!(note(&answers[0]).contains("vacuously: `(x == 5)`"), "{}", answers[0]);
    assert!(note(&answers[1]).contains("initial state only"), "{}", answers[1]);
    assert_eq!(note(&answers[2]), "");
}

#[test]
fn a_formula_that_goes_wrong_is_not_called_true() {
    let model = "byte x, a[2]; active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }";
    let (status, answers) = check(model, &["--ltl", "[] (a[x] == 0)", "--only", "ltl"]);
    assert_eq!((status, answers[0]["verdict"].as_str()), (1, Some("fails")));
    assert!(answers[0]["message"].as_str().unwrap().contains("index out of range"), "{}", answers[0]);
}
