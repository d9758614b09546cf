//! `narrows graph` and `narrows lts check` as a user runs them.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::path::{Path, PathBuf};

use program::{Folder, document, stderr, stdout};
use serde_json::Value;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

const RING: &str = "des (0, 4, 3)\n(0, \"A\", 1)\n(1, \"B\", 0)\n(1, \"STOP\", 2)\n(2, i, 2)\n";

/// A rendezvous, a buffer, a label, and an atomic sequence.
const MODEL: &str = "\
mtype = { data, ack };
chan meet = [0] of { mtype, byte };
chan buffer = [1] of { byte };
active proctype Sender() {
  byte x;
send: meet!data,3;
  atomic { x = 1; buffer!x }
}
active proctype Receiver() {
  byte y;
  meet?data,y;
  buffer?y
}
";

#[test]
fn a_graph_has_the_states_that_explore_counts() {
    let folder = Folder::new(&[]);
    for name in [
        "mutex/peterson.pml",
        "mutex/semaphore.pml",
        "mutex/two_locks.pml",
        "protocols/alternating_bit.pml",
        "protocols/client_server.pml",
        "protocols/ring_election.pml",
        "pipeline/double_buffer.pml",
        "myrinet/mcp_send.pml",
    ] {
        let path = examples().join(name).display().to_string();
        let explored = document(&folder.run_with(&["explore", &path, "--format", "json", "-q"]));
        for labels in ["text", "label", "channel"] {
            let arguments = ["graph", &path, "-o", "all.aut", "--labels", labels, "--format", "json", "-q"];
            let output = folder.run_with(&arguments);
            assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
            let written = document(&output);
            for field in ["states", "transitions"] {
                assert_eq!(written[field], explored[field], "{name} {labels} {field}");
            }
            let info = document(&folder.run_with(&["lts", "info", "all.aut", "--format", "json"]));
            assert_eq!(
                (&info["states"], &info["transitions"]),
                (&explored["states"], &explored["transitions"])
            );
        }
    }
}

#[test]
fn labels_tell_what_a_step_does() {
    let folder = Folder::new(&[("m.pml", MODEL)]);
    let labels = |style: &str| {
        let text = stdout(&folder.run_with(&["graph", "m.pml", "--states", "--labels", style]));
        let labels =
            text.lines().skip(1).filter_map(|line| Some(line.split_once(", ")?.1.rsplit_once(", ")?.0));
        let mut labels: Vec<String> = labels.map(|label| label.trim_matches('"').to_owned()).collect();
        labels.dedup();
        labels
    };
    assert_eq!(
        labels("text")[..3],
        [
            "Sender(0): meet!data, 3 | Receiver(1): meet?data, y",
            "Sender(0): x = 1; buffer!x",
            "Receiver(1): buffer?y"
        ]
    );
    assert_eq!(labels("label")[..2], ["Sender(0):send", "i"]);
    assert_eq!(labels("channel")[..3], ["meet !data !3", "buffer !1", "buffer ?1"]);
}

#[test]
fn a_part_of_a_graph_is_not_written() {
    let model = "int x;\nactive proctype P() { do :: x++ od }\n";
    let folder = Folder::new(&[("large.pml", model)]);
    let output = folder.run_with(&["graph", "large.pml", "-o", "large.aut", "--memory", "2M", "-q"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("nothing was written, since the graph would be incomplete"),
        "{}",
        stderr(&output)
    );
    assert!(!folder.0.join("large.aut").exists());
    let output = folder.run_with(&[
        "graph",
        "large.pml",
        "-o",
        "large.aut",
        "--time",
        "100ms",
        "-q",
        "--format",
        "json",
    ]);
    assert_eq!(document(&output)["complete"], Value::Bool(false));
}

#[test]
fn drawings_are_written_by_the_name_of_the_file() {
    let folder = Folder::new(&[("m.pml", MODEL)]);
    for (name, start) in [("m.svg", "<svg"), ("m.dot", "digraph"), ("m.aut", "des (0, ")] {
        let output = folder.run_with(&["graph", "m.pml", "-o", name]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(folder.read(name).starts_with(start), "{name}");
        assert!(stdout(&output).starts_with(&format!("{name}: ")), "{}", stdout(&output));
    }
    assert!(folder.read("m.svg").contains("meet!data, 3"));
    assert!(folder.read("m.dot").contains("label = \"Receiver\""));
    let output = folder.run_with(&["graph", "m.pml", "--states", "-o", "states.svg"]);
    assert!(folder.read("states.svg").contains("Receiver(1): buffer?y"), "{}", stderr(&output));
    let output = folder.run_with(&["graph", "m.pml", "-o", "m.png"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("use a name with .aut, .dot, .svg, .aag or .aig"));
    let output = folder.run_with(&["graph", "m.pml", "m.pml"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn formulas_are_answered_with_status_and_run() {
    let folder = Folder::new(&[("ring.aut", RING), ("good.mcl", "<true* . \"B\"> @\n")]);
    let output = folder.run_with(&["lts", "check", "ring.aut", "-f", "good.mcl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("┌─ cycle: steps 1–2 repeat for ever"), "{}", stdout(&output));
    let output = folder.run_with(&["lts", "check", "ring.aut", "[true* . \"STOP\"] false", "-f", "good.mcl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("  2  state 2  STOP\n"), "{}", stdout(&output));
    let output = folder.run_with(&["lts", "check", "ring.aut", "[true* . STOP] false", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(document(&output)["diagnostics"][0]["code"], "M0006");
    assert_eq!(folder.run_with(&["lts", "check", "none.aut", "true"]).status.code(), Some(2));
    assert_eq!(folder.run_with(&["lts", "check", "ring.aut"]).status.code(), Some(2));
}

#[test]
fn a_diagnostic_is_saved_and_shows_the_same() {
    let folder = Folder::new(&[("ring.aut", RING)]);
    let formula = "[true* . \"STOP\"] false";
    let arguments = ["lts", "check", "ring.aut", formula, "--diagnostic", "why.aut", "--format", "json"];
    let answer = document(&folder.run_with(&arguments))["answers"][0].clone();
    assert_eq!((&answer["kind"], &answer["verdict"]), (&Value::from("mu"), &Value::from("fails")));
    assert_eq!(answer["run"]["steps"].as_array().unwrap().len(), 2);
    assert_eq!(answer["diagnostic"]["original"], serde_json::json!([0, 1, 2]));
    assert_eq!(folder.read("why.aut"), "des (0, 2, 3)\n(0, \"A\", 1)\n(1, \"STOP\", 2)\n");
    assert_eq!(folder.run_with(&["lts", "check", "why.aut", formula]).status.code(), Some(1));
    let output = folder.run_with(&["lts", "check", "ring.aut", "true", "false", "--diagnostic", "why.aut"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--diagnostic is for one formula, and there are 2"));
}

#[test]
fn what_fits_no_label_is_told() {
    let folder = Folder::new(&[("ring.aut", RING)]);
    let output = folder.run_with(&["lts", "check", "ring.aut", "[true* . \"STOPP\"] false"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("warning[M0104]: no edge is labelled `STOPP`"), "{}", stderr(&output));
    assert!(stderr(&output).contains("did you mean `\"STOP\"`?"));
    let output = folder.run_with(&["lts", "check", "ring.aut", "[true* . \"STOPP\"] false", "-q"]);
    assert_eq!(stderr(&output), "");
}

const ROUNDS: &str = "specification Rounds [go] (rounds : Nat) : noexit library Boolean, Natural endlib
behaviour Rounds [go] (rounds) where
  process Rounds [go] (n : Nat) : noexit := [n gt 0] -> go; Rounds [go] (n - 1) endproc
endspec
";

#[test]
fn lotos_models_take_values_for_their_parameters() {
    let two = "des (0, 2, 3)\n(0, \"GO\", 1)\n(1, \"GO\", 2)\n";
    let folder = Folder::new(&[("rounds.lotos", ROUNDS), ("two.aut", two)]);
    let output = folder.run_with(&["lts", "info", "rounds.lotos", "-D", "rounds=3"]);
    assert!(stdout(&output).contains("4 states, of which 1 have no edges"), "{}", stdout(&output));
    let compare = ["lts", "compare", "rounds.lotos", "two.aut", "--relation", "strong", "-D"];
    let with = |value: &str| folder.run_with(&[&compare[..], &[value]].concat()).status.code();
    assert_eq!((with("rounds=2"), with("rounds=3")), (Some(0), Some(1)));
    let output = folder.run_with(&["lts", "min", "rounds.lotos", "--relation", "strong", "-D", "round=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the specification has no parameter `round`"), "{}", stderr(&output));
    let output = folder.run_with(&["lts", "info", "two.aut", "-D", "rounds=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`two.aut` is a graph, which has none"), "{}", stderr(&output));
}

/// What `narrows check` saves of a LOTOS model, and what it prints as JSON, is replayed.
#[test]
fn runs_of_lotos_models_are_saved_and_replayed() {
    let model = "specification Lossy [put, get] (n : Nat) : noexit library Boolean, Natural endlib
        behaviour Lossy [put, get] (n) where
          process Lossy [put, get] (n : Nat) : noexit :=
            put; (i; Lossy [put, get] (n) [] i; get !n; stop)
          endproc
        endspec";
    let folder = Folder::new(&[("lossy.lotos", model)]);
    let output = folder.run_with(&["check", "lossy.lotos", "-D", "n=3", "--trace", "run.json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let saved = folder.read("run.json");
    let output = folder.run_with(&["simulate", "lossy.lotos", "--trace", "run.json", "--random", "0"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let run = "     1  PUT\n     2  i\n     3  GET !3\ndeadlock: nothing can happen any more\n";
    assert_eq!(stdout(&output), run);
    let ltl = ["check", "lossy.lotos", "-D", "n=3", "--only", "ltl", "--ltl", "<> GET", "--format", "json"];
    let output = folder.run_with(&ltl);
    let folder =
        Folder::new(&[("lossy.lotos", model), ("json.json", &stdout(&output)), ("run.json", &saved)]);
    let replay = ["simulate", "lossy.lotos", "-D", "n=3", "--trace", "json.json", "--random", "0"];
    let output = folder.run_with(&replay);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("for ever"), "{}", stdout(&output));
    // A run that does not fit says where.
    let output =
        folder.run_with(&["simulate", "lossy.lotos", "-D", "n=4", "--trace", "run.json", "--random", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("step 3 does not fit the model: `GET !3` can't be done"));
}
