//! Untrusted models and graphs: what they can't do to a terminal, a spreadsheet, other files, time and
//! memory.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use program::{status, stderr, stdout};

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("strangers-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn narrows(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_narrows")).current_dir(folder).args(arguments).output().unwrap()
}

fn assert_harmless(output: &Output) {
    for text in [stdout(output), stderr(output)] {
        let harmful = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(harmful), "{text:?}");
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = folder("controls");
    let model = "init { printf(\"\u{1b}[2Ja\\tb\\n\u{9b}31m\u{202e}\"); assert(false) }";
    fs::write(folder.join("m\u{1b}[1m.pml"), model).unwrap();
    let wrong = "init { x\u{1b}y = 1; \"\u{7}\" }";
    fs::write(folder.join("wrong\u{7}.pml"), wrong).unwrap();
    let graph = "des (0, 2, 2)\n(0, \"a\u{1b}]0;title\u{7}; rate 1\", 1)\n(1, \"=b\u{202e}; rate 2\", 0)\n";
    fs::write(folder.join("g.aut"), graph).unwrap();
    let study = "title = \"t\\u001b[31m\"\nmodel = \"p.pml\"\nunit = \"\\u001bs\"\n[delay]\n\"p:a\" = 1\n\
        [event]\n\"\\u0007e\" = \"p:a\"\n[[ask]]\nname = \"=\\u202en\"\nthroughput = \"\\u0007e\"\n";
    fs::write(folder.join("s.toml"), study).unwrap();
    fs::write(folder.join("p.pml"), "byte x; active proctype p() { do :: a: x = 1 - x od }").unwrap();
    for arguments in [
        &["simulate", "m\u{1b}[1m.pml", "--random", "5"][..],
        &["check", "m\u{1b}[1m.pml"],
        &["check", "m\u{1b}[1m.pml", "--format", "json"],
        &["check", "wrong\u{7}.pml"],
        &["check", "missing\u{1b}.pml"],
        &["graph", "m\u{1b}[1m.pml", "-o", "out.dot"],
        &["lts", "info", "g.aut"],
        &["lts", "steady", "g.aut"],
        &["lts", "steady", "g.aut", "--format", "csv"],
        &["lts", "check", "g.aut", "<\"a\u{1b}\"> true"],
        &["lts", "convert", "g.aut", "--to", "dot"],
        &["lts", "convert", "g.aut", "--to", "csv"],
        &["lts", "convert", "g.aut", "--to", "svg"],
        &["measure", "s.toml", "--html", "s.html", "--csv", "s.csv", "--runs"],
        &["bottleneck", "s.toml", "--report", "b.html", "--charts", "charts"],
        &["check", "m\u{1b}[1m.pml", "--html", "m.html", "--svg", "m.svg"],
    ] {
        assert_harmless(&narrows(&folder, arguments));
    }
    let run = stdout(&narrows(&folder, &["simulate", "m\u{1b}[1m.pml", "--random", "5"]));
    assert!(run.contains("␛[2Ja\tb\n"), "{run:?}");
    let charts = fs::read_dir(folder.join("charts")).unwrap().map(|entry| entry.unwrap().path());
    let files = ["out.dot", "s.html", "s.csv", "b.html", "m.html", "m.svg"].map(|name| folder.join(name));
    for file in files.into_iter().chain(charts) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{}", file.display());
    }
    // A program that reads the graph gets every character as it is.
    let same = stdout(&narrows(&folder, &["lts", "convert", "g.aut", "--to", "aut"]));
    assert!(same.contains("\u{1b}]0;title"), "{same:?}");
}

#[test]
fn cells_that_look_like_formulas_are_texts() {
    let folder = folder("cells");
    let graph = "des (0, 3, 2)\n(0, \"=cmd()\", 1)\n(0, \"-x, y\", 1)\n(1, \"@a\", 0)\n";
    fs::write(folder.join("g.aut"), graph).unwrap();
    let text = stdout(&narrows(&folder, &["lts", "convert", "g.aut", "--to", "csv"]));
    assert_eq!(text, "from,label,to\n0,'=cmd(),1\n0,\"'-x, y\",1\n1,'@a,0\n");
}

#[test]
fn a_folder_confines_what_models_name() {
    let folder = folder("confined");
    let inside = folder.join("inside");
    fs::create_dir_all(&inside).unwrap();
    fs::write(folder.join("secret.h"), "byte secret;\n").unwrap();
    fs::write(inside.join("own.h"), "byte own;\n").unwrap();
    fs::write(inside.join("bad.pml"), "#include \"../secret.h\"\ninit { secret = 1 }\n").unwrap();
    fs::write(inside.join("good.pml"), "#include \"own.h\"\ninit { own = 1 }\n").unwrap();
    fs::write(folder.join("outside.pml"), "byte x; init { x = 1 }\n").unwrap();
    let study = "model = \"../outside.pml\"\n[[ask]]\nltl = \"<> (x == 1)\"\n";
    fs::write(inside.join("study.toml"), study).unwrap();
    assert_eq!(status(&narrows(&folder, &["check", "inside/bad.pml"])), 0);
    let refused = narrows(&folder, &["check", "inside/bad.pml", "--include-only", "inside"]);
    assert_eq!(status(&refused), 2);
    assert!(stderr(&refused).contains("--include-only allows nothing else"), "{}", stderr(&refused));
    let allowed = narrows(&folder, &["--include-only", "inside", "check", "inside/good.pml"]);
    assert_eq!(status(&allowed), 0, "{}", stderr(&allowed));
    assert_eq!(status(&narrows(&folder, &["measure", "inside/study.toml"])), 0);
    let refused = narrows(&folder, &["measure", "inside/study.toml", "--include-only", "inside"]);
    assert_eq!(status(&refused), 2);
    assert!(stderr(&refused).contains("--include-only"), "{}", stderr(&refused));
    // Not even whether there is such a file is told, or which others there are.
    fs::write(inside.join("study.toml"), study.replace("outside", "outsid")).unwrap();
    let missing = narrows(&folder, &["measure", "inside/study.toml", "--include-only", "inside"]);
    assert_eq!(stderr(&missing).replace("outsid.", "outside."), stderr(&refused));
    assert!(!stderr(&missing).contains("did you mean"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.h", inside.join("link.h")).unwrap();
        fs::write(inside.join("link.pml"), "#include \"link.h\"\ninit { secret = 1 }\n").unwrap();
        assert_eq!(status(&narrows(&folder, &["check", "inside/link.pml", "--include-only", "inside"])), 2);
    }
}

#[test]
fn a_pipe_is_no_model() {
    let folder = folder("pipe");
    let made = Command::new("mkfifo").arg(folder.join("m.pml")).arg(folder.join("g.aut")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    for arguments in [&["check", "m.pml"][..], &["lts", "info", "g.aut"]] {
        let start = Instant::now();
        let output = narrows(&folder, arguments);
        assert_eq!(status(&output), 2);
        assert!(stderr(&output).contains("a pipe or a device"), "{}", stderr(&output));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn limits_hold_while_models_are_read() {
    let folder = folder("reading");
    // Nobody writes to this pipe, and nobody closes it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(["check", "/dev/stdin", "--format", "json", "--time", "300ms"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(held);
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("undecided: the time limit was reached"), "{}", stderr(&output));
    assert!(stdout(&output).contains("\"error\": \"undecided: the time limit was reached\""));
    let inlines = (1..40).map(|n| format!("inline f{n}() {{ f{before}(); f{before}() }}\n", before = n - 1));
    let inlines: String = inlines.collect();
    let text = format!("byte x;\ninline f0() {{ x++ }}\n{inlines}init {{ f39() }}\n");
    fs::write(folder.join("inlines.pml"), text).unwrap();
    let output = narrows(&folder, &["check", "inlines.pml", "--memory", "100M", "--time", "60s"]);
    assert_eq!(status(&output), 2);
    assert!(stderr(&output).contains("undecided: the memory limit was reached"), "{}", stderr(&output));
    #[cfg(target_os = "linux")]
    {
        // Reading does not count memory: an allocation fails.
        let script = format!("ulimit -v 150000; exec {} check inlines.pml", env!("CARGO_BIN_EXE_narrows"));
        let output = Command::new("sh").current_dir(&folder).args(["-c", &script]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
}

#[test]
fn commands_about_graphs_keep_limits() {
    let folder = folder("limits");
    let endless = "specification S [a] : noexit behaviour P [a]
        where process P [a] : noexit := a; stop ||| a; P [a] endproc endspec";
    fs::write(folder.join("endless.lotos"), endless).unwrap();
    for limit in [["--memory", "200M"], ["--time-limit", "1s"]] {
        let output = narrows(&folder, &[&["lts", "info", "endless.lotos"][..], &limit].concat());
        assert_eq!(status(&output), 2, "{}", stdout(&output));
        let text = stderr(&output);
        assert!(text.contains("undecided") && text.contains(limit[0]), "{text}");
        assert!(text.contains("no end of its states") && text.contains("L0302"), "{text}");
    }
    // Nothing here asks for time or memory but the parallel composition itself.
    let edges: Vec<String> =
        (0..3000).map(|state| format!("({state}, \"a{state}\", {})\n", state + 1)).collect();
    let edges = edges.concat();
    fs::write(folder.join("long.aut"), format!("des (0, 3000, 3001)\n{edges}")).unwrap();
    for limit in [["--memory", "100M"], ["--time-limit", "500ms"]] {
        let start = Instant::now();
        let compose = ["lts", "compose", "long.aut", "|||", "long.aut", "-o", "both.aut"];
        let output = narrows(&folder, &[&compose[..], &limit].concat());
        assert_eq!(status(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("undecided"), "{}", stderr(&output));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    // Whoever writes to this pipe never ends: reading is limited too.
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(["lts", "check", "-", "<true> true", "--format", "json", "--time-limit", "500ms"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let writer = child.stdin.take();
    let json = child.wait_with_output().unwrap();
    drop(writer);
    assert_eq!(status(&json), 2);
    assert!(stdout(&json).contains("\"verdict\": \"undecided\""), "{}", stdout(&json));
}

#[test]
fn sizes_that_graphs_announce_cost_nothing() {
    let folder = folder("header");
    fs::write(folder.join("g.aut"), "des (0, 1, 1000000000)\n(0, a, 1)\n").unwrap();
    let output = narrows(&folder, &["lts", "info", "g.aut", "--memory", "100M"]);
    assert_eq!(status(&output), 2);
    assert!(stderr(&output).contains("1000000000 states are too many"), "{}", stderr(&output));
    let label = "x".repeat(70_000);
    fs::write(folder.join("l.aut"), format!("des (0, 1, 1)\n(0, \"{label}; rate 2\", 0)\n")).unwrap();
    let output = narrows(&folder, &["lts", "steady", "l.aut"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let name = "p".repeat(70_000);
    fs::write(folder.join("m.pml"), format!("active proctype {name}() {{ assert(false) }}")).unwrap();
    let output = narrows(&folder, &["check", "m.pml"]);
    assert_eq!(status(&output), 1, "{}", stderr(&output));
}
