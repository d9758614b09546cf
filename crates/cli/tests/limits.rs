//! Limits where nothing is searched: in simulations and replays.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use program::{Folder, document, status, stderr, stdout};

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

/// What was said of other models stays said, and the document stays one, whatever ends the program.
#[test]
fn documents_about_several_models_are_whole() {
    let mut growing = "byte x; inline f0() { x++ }\n".to_owned();
    for n in 1..40 {
        writeln!(growing, "inline f{n}() {{ f{0}(); f{0}() }}", n - 1).unwrap();
    }
    growing += "init { f39() }\n";
    let good = "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n";
    let folder = Folder::new(&[("good.pml", good), ("growing.pml", &growing)]);
    let output = folder.run("check good.pml growing.pml good.pml --format json --time 300ms --memory 200M");
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    let models = document(&output)["models"].as_array().unwrap().clone();
    assert_eq!(models[0]["answers"][0]["verdict"], "holds");
    assert!(models.len() > 1, "{models:?}");
    let output = folder.run("check good.pml missing.pml good.pml --format json");
    assert_eq!(document(&output)["models"].as_array().unwrap().len(), 3);
}

/// A run of a hundred thousand steps: once, its document took 600 MB while it was written.
#[cfg(target_os = "linux")]
#[test]
fn long_runs_are_written_step_by_step() {
    let far = "int x, y;\nactive proctype P() { do :: x < 50000 -> x++; y = x :: else -> break od; assert(x == 0) }\n";
    let folder = Folder::new(&[("far.pml", far)]);
    for (arguments, said) in [
        ("check far.pml --memory 60M --format json", "said"),
        ("check far.pml --memory 60M --trace run.json", "text"),
    ] {
        let file = std::fs::File::create(folder.0.join(said)).unwrap();
        let child = folder.command(arguments).stdout(file).spawn().unwrap();
        let (output, most) = program::peak(child);
        assert_eq!(status(&output), 1, "{arguments}\n{}", stderr(&output));
        assert!(most < 140_000, "{arguments}: {most} kB");
    }
    for name in ["said", "run.json"] {
        let document: serde_json::Value = serde_json::from_str(&folder.read(name)).unwrap();
        let trace = if name == "said" { &document["answers"][0]["trace"] } else { &document["trace"] };
        assert_eq!(trace["steps"].as_array().unwrap().len(), 150_002, "{name}");
        assert_eq!(trace["choices"].as_array().unwrap().len(), 150_002, "{name}");
    }
}
