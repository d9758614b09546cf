//! Limits where nothing is searched: in simulations and replays.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use program::{Folder, status, stderr, stdout};

const ENDLESS: &str = "int x;\nactive [2] proctype P() { do :: up: x++ :: x-- od }\n";
const STUDY: &str = "model = \"endless.pml\"\nunit = \"us\"\n[delay]\n\"P:up\" = { exponential = 1.0 }\n\
    [event]\nup = \"P:up\"\n[[ask]]\nthroughput = \"up\"\n";

/// A single step that takes long: nothing looks at the clock in it.
const LONG_STEP: &str =
    "int x;\nactive proctype P() { int i; do :: atomic { for (i : 0 .. 2000000000) { x++ } } od }\n";

#[test]
fn simulations_keep_limits() {
    let folder = Folder::new(&[("endless.pml", ENDLESS), ("endless.toml", STUDY), ("long.pml", LONG_STEP)]);
    for (arguments, limit) in [
        ("simulate endless.pml --random 1000000000 --quiet --time 300ms", "time"),
        ("simulate long.pml --random 9 --time 300ms", "time"),
        ("simulate long.pml --random 9 --memory 20M --time 60s", "memory"),
        ("simulate endless.toml --timed --ends 1000000000 --time 300ms", "time"),
        ("simulate endless.toml --timed --exact --ends 1000000000 --time 300ms", "time"),
    ] {
        let started = Instant::now();
        let output = folder.run(arguments);
        let (said, wrong) = (stdout(&output), stderr(&output));
        assert_eq!(status(&output), 2, "{arguments}\n{said}{wrong}");
        let reason = format!("undecided: the {limit} limit was reached");
        assert!(said.contains(&reason) || wrong.contains(&reason), "{arguments}\n{said}{wrong}");
        assert!(wrong.contains("note: --"), "{arguments}\n{wrong}");
        assert!(started.elapsed() < Duration::from_secs(20), "{arguments}: {:?}", started.elapsed());
    }
}

/// What went wrong before the limit did go wrong.
#[test]
fn a_violation_before_the_limit_is_one() {
    let fails = "int x;\nactive proctype P() { x = 1; assert(x == 2); do :: x++ od }\n";
    let folder = Folder::new(&[("fails.pml", fails)]);
    let output = folder.run("simulate fails.pml --random 1000000000 --quiet --time 1m");
    assert_eq!(status(&output), 1, "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_simulation_with_what_is_known() {
    let folder = Folder::new(&[("endless.pml", ENDLESS)]);
    let child = folder
        .command("simulate endless.pml --random 1000000000 --quiet")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(status(&output), 2);
    assert!(stdout(&output).contains("stopped after"), "{}", stdout(&output));
    assert!(stderr(&output).contains("undecided: the search was interrupted"), "{}", stderr(&output));
}
