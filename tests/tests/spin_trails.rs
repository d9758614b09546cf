//! Trails that `narrows check --spin-trail` writes, replayed by SPIN: the same processes execute the same
//! lines, and what they changed has the same values in the end.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use narrows_tests::commands::{Scratch, run};
use narrows_tests::{narrows, spin};
use serde_json::Value;

const LIMIT: Duration = Duration::from_mins(1);

/// What a process did: its number, and the line; `None` when it ended.
type Moves = Vec<(u64, Option<u64>)>;

/// Models with a counterexample each.
const MODELS: &[(&str, &str)] = &[
    (
        "deadlock",
        "byte lock[2];
active proctype P() { lock[0] == 0; lock[0] = 1; lock[1] == 0; lock[1] = 1 }
active proctype Q() { lock[1] == 0; lock[1] = 1; lock[0] == 0; lock[0] = 1 }",
    ),
    (
        "assertion, atomic, rendezvous",
        "chan c = [0] of { byte };
byte x;
active proctype P() {
  byte n = 3;
  atomic { x = 1; n = n + 1; c!n; x = 2 };
  x = 3
}
active proctype Q() {
  byte m;
  c?m;
  m = m + x;
  assert(m == 9)
}",
    ),
    (
        "d_step, else, goto",
        "byte x; byte y;
active [2] proctype P() {
again:
  if
  :: x < 3 -> d_step { x = x + 1; if :: x == 2 -> y = 5 :: else -> y = 1 fi; y = y + 1 }; goto again
  :: else -> skip
  fi;
  assert(y != 2)
}",
    ),
    (
        "creation and death",
        "chan back = [2] of { byte };
byte sum;
proctype Child(byte n) { byte twice; twice = n + n; back!twice }
init {
  byte got;
  run Child(1); run Child(2);
  back?got; sum = sum + got;
  back?got; sum = sum + got;
  _nr_pr == 1;
  run Child(3);
  back?got;
  assert(sum + got == 13)
}",
    ),
    (
        "lasso beside a formula",
        "bool wants[2]; byte turn;
active [2] proctype P() {
  do
  :: wants[_pid] = true; turn = _pid; turn != _pid || !wants[1 - _pid]; wants[_pid] = false
  :: skip
  od
}
ltl served { [] (wants[0] -> <> !wants[0]) }",
    ),
    (
        "lasso beside a never claim",
        "byte x;
active proctype P() { do :: x < 2 -> x++ :: x > 0 -> x-- od }
active proctype Q() { do :: x == 1 -> skip od }
never { T0: do :: true :: x == 2 -> goto accept od; accept: do :: x != 0 od }",
    ),
];

#[test]
fn spin_goes_the_same_way() {
    if !spin::installed() {
        assert!(env::var_os("CI").is_none(), "there is no `spin` here");
        return;
    }
    for (name, model) in MODELS {
        let scratch = Scratch::new().expect("a directory");
        fs::write(scratch.path().join("m.pml"), model).expect("a file");
        let mut check = Command::new(narrows::program().expect("the program is built"));
        check.args(["check", "m.pml", "--trace", "m.json", "--spin-trail", "m.trail"]);
        let said = run(check.current_dir(scratch.path()), LIMIT).expect("narrows runs");
        assert_eq!(said.code(), Some(1), "{name}: {}{}", said.stdout, said.stderr);
        let run_text = fs::read_to_string(scratch.path().join("m.json")).expect("a run");
        let document: Value = serde_json::from_str(&run_text).expect("a document");
        let mut replay = Command::new("spin");
        replay.args(["-t", "-p", "-g", "-l", "-k", "m.trail", "m.pml"]);
        let spin = run(replay.current_dir(scratch.path()), LIMIT).expect("spin runs").stdout;
        assert!(!spin.contains("transition failed"), "{name}: {spin}");
        assert_eq!(moves(&document), spin_moves(&spin), "{name}: {spin}");
        let cycle = document["trace"]["cycle"].is_u64();
        assert_eq!(cycle, spin.contains("START OF CYCLE"), "{name}: {spin}");
        let values = spin_values(&spin);
        for (variable, value) in changed(&document) {
            if let Some(theirs) = values.get(&variable) {
                assert_eq!(&value, theirs, "{name}: {variable}\n{spin}");
            }
        }
    }
}

fn moves(document: &Value) -> Moves {
    let steps = document["trace"]["steps"].as_array().expect("steps");
    let moves = steps.iter().flat_map(|step| step["moves"].as_array().expect("moves"));
    let one = |step: &Value| {
        let line = step["line"].as_u64().filter(|_| step["text"] != "end");
        (step["pid"].as_u64().expect("a process"), line)
    };
    moves.map(one).collect()
}

/// Reads lines such as `3: proc 2 (P:1) m.pml:18 (state 1) [x = 1]`; those of a `d_step` have the same
/// number.
fn spin_moves(text: &str) -> Moves {
    let body = text.split("#processes:").next().unwrap_or(text);
    let mut moves = Moves::new();
    let mut last = "";
    for line in body.lines() {
        let Some((number, rest)) = line.trim_start().split_once(':') else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let ["proc", pid, what, ..] = words[..] else { continue };
        let Ok(pid) = pid.parse() else { continue };
        if what == "terminates" {
            moves.push((pid, None));
        } else if number != last {
            let place = words.iter().find_map(|word| word.strip_prefix("m.pml:"));
            moves.push((pid, place.and_then(|line| line.parse().ok())));
        }
        last = number;
    }
    moves
}

/// Returns what has changed in a run, with its last value as SPIN writes it.
fn changed(document: &Value) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for step in document["trace"]["steps"].as_array().expect("steps") {
        for change in step["changes"].as_array().expect("changes") {
            let name = change["name"].as_str().expect("a name").to_owned();
            match change["after"].as_str() {
                Some("true") => values.insert(name, "1".to_owned()),
                Some("false") => values.insert(name, "0".to_owned()),
                Some("alive") => None,
                Some(value) => values.insert(name, value.to_owned()),
                None => values.remove(&name),
            };
        }
    }
    values
}

/// Reads the variables that SPIN lists at the end, such as `x = 3` and `P(1):n = 4`.
fn spin_values(text: &str) -> BTreeMap<String, String> {
    let rest = text.split("#processes:").nth(1).unwrap_or("");
    let variables = rest.lines().filter_map(|line| line.trim().split_once(" = "));
    variables.map(|(name, value)| (name.replace("):", ")."), value.to_owned())).collect()
}
