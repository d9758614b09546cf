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

/// The runs behind figures of studies are written step by step too, and a document about several studies is
/// one.
#[cfg(target_os = "linux")]
#[test]
fn runs_behind_figures_are_written_step_by_step() {
    let far = "int x, y;\n\
               active proctype P() { do :: x < 20000 -> x++; y = x :: else -> break od }\n";
    let study = "model = \"far.pml\"\nunit = \"us\"\n[[ask]]\n\
                 max_delay = { from = \"x == 1\", to = \"x == 20000\" }\n[[ask]]\n\
                 min_delay = { from = \"x == 1\", to = \"x == 20000\" }\n";
    let folder = Folder::new(&[("far.pml", far), ("far.toml", study), ("wrong.toml", "model = 7\n")]);
    for (arguments, code) in [
        ("bounds far.pml --from x==1 --to x==20000 --memory 60M --format json", 0),
        ("measure far.toml wrong.toml far.toml --memory 60M --format json", 2),
        ("bottleneck far.toml far.toml --no-report --memory 60M --format json", 0),
    ] {
        let file = std::fs::File::create(folder.0.join("said")).unwrap();
        let child = folder.command(arguments).stdout(file).spawn().unwrap();
        let (output, most) = program::peak(child);
        assert_eq!(status(&output), code, "{arguments}\n{}", stderr(&output));
        let document: serde_json::Value = serde_json::from_str(&folder.read("said")).unwrap();
        let models = document["models"].as_array();
        let one = models.map_or(&document, |models| &models[0]);
        let steps = one["answers"][0]["runs"][0]["trace"]["steps"].as_array().map(Vec::len);
        assert!(steps.is_some_and(|steps| steps > 39_000), "{arguments}: {steps:?}");
        // As trees of values, these runs took more than 400 MB.
        assert!(most < 150_000, "{arguments}: {most} kB");
    }
}

/// Time and memory are looked at after so many bytes too, not only after so many states: a state of half a
/// megabyte takes as long as thousands of edges.
#[cfg(target_os = "linux")]
#[test]
fn large_states_keep_limits() {
    let large = "#define N 60000\nint a[N]; int n;\n\
                 active proctype P() { do :: a[n % N] = n; n++ od }\nactive proctype Q() { do :: a[n % 7]++ od }\n";
    let folder = Folder::new(&[("large.pml", large)]);
    for command in
        ["explore large.pml", "check large.pml --threads 1", "bounds large.pml --from n==3 --to n==-1"]
    {
        let arguments = format!("{command} --time 700ms --memory 200M");
        let start = Instant::now();
        let child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (output, most) = program::peak(child);
        assert_eq!(status(&output), 2, "{arguments}\n{}", stderr(&output));
        // A message of the last resort would say nothing of states.
        assert!(stdout(&output).contains("limit was reached"), "{arguments}\n{}", stderr(&output));
        assert!(start.elapsed() < Duration::from_secs(10), "{arguments}: {:?}", start.elapsed());
        assert!(most < 300_000, "{arguments}: {most} kB");
    }
}

/// What was found before a limit is found, in graphs too.
#[test]
fn deadlocks_before_a_limit_are_told() {
    let counting = "specification s [a, b] : noexit library NaturalNumber endlib\nbehaviour p [a] (0) [] b; stop where\n\
                    process p [a] (n : Nat) : noexit := a !n; p [a] (succ (n)) endproc endspec\n";
    let folder =
        Folder::new(&[("stuck.lotos", counting), ("going.lotos", &counting.replace("[] b; stop", ""))]);
    let output = folder.run("check stuck.lotos --ltl <>b --time 500ms --memory 200M");
    let said = stdout(&output);
    assert_eq!(status(&output), 1, "{said}\n{}", stderr(&output));
    assert!(said.contains("fails      deadlock") && said.contains("after 1 step (no shorter run"), "{said}");
    assert!(said.contains("undecided  ltl") && !said.contains(" 0 states"), "{said}");
    let output = folder.run("explore stuck.lotos --time 500ms --memory 200M");
    let said = stdout(&output);
    assert!(status(&output) == 1 && said.contains("deadlock") && said.contains("INCOMPLETE"), "{said}");
    let output = folder.run("check going.lotos --time 500ms --memory 200M");
    assert_eq!(status(&output), 2, "{}", stdout(&output));
    assert!(stdout(&output).contains("undecided  no deadlock"), "{}", stdout(&output));
}

/// In millions of short runs in which nothing happens, nobody looked at the clock.
#[test]
fn short_simulated_runs_keep_limits() {
    let study = "model = \"line.pml\"\nunit = \"us\"\n[delay]\n\"P:up\" = { exponential = 1e12 }\n[[ask]]\n\
                 transient = { of = \"n > 3\", at = 1e-12 }\n";
    let model = "byte n; active proctype P() { do :: up: n = n + 1 od }\n";
    let folder = Folder::new(&[("line.pml", model), ("early.toml", study)]);
    let start = Instant::now();
    let output = folder.run("measure early.toml --engine simulation --time 400ms --memory 200M");
    assert!(status(&output) == 0 || status(&output) == 2, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("estimated") || stdout(&output).contains("undecided"),
        "{}",
        stderr(&output)
    );
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}
