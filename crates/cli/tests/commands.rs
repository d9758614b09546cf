//! The commands as a user runs them: what they print, where, and with which exit status.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::process::{Command, Output, Stdio};

use program::{Folder, document, status, stderr, stdout};
use serde_json::Value;

const GOOD: &str = "byte x;\nactive proctype P() { x = 1; assert(x == 1) }\n";
const STUCK: &str =
    "chan c = [0] of { byte };\nactive proctype P() {\n  c!1;\n  c!2\n}\nactive proctype Q() { c?_ }\n";
const WRONG: &str = "active proctype P() { y = 1 }\n";
const LARGE: &str = "int x, y;\nactive proctype P() { do :: x++ :: y++ :: x + y == -1 -> break od }\n";

#[test]
fn the_exit_status_says_what_came_out() {
    let folder =
        Folder::new(&[("good.pml", GOOD), ("stuck.pml", STUCK), ("wrong.pml", WRONG), ("large.pml", LARGE)]);
    for (arguments, expected) in [
        ("check good.pml", 0),
        ("explore good.pml", 0),
        ("check stuck.pml", 1),
        ("explore stuck.pml", 1),
        ("check good.pml stuck.pml", 1),
        ("check wrong.pml", 2),
        ("check missing.pml", 2),
        ("check large.pml --time 200ms", 2),
        ("explore large.pml --memory 8M", 2),
        ("check good.pml --memory 8", 2),
        ("explain N0001", 0),
        ("explain N9999", 2),
        ("frobnicate", 2),
    ] {
        let output = folder.run(arguments);
        assert_eq!(status(&output), expected, "{arguments}\n{}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn a_counterexample_names_steps_places_and_reasons() {
    let folder = Folder::new(&[("stuck.pml", STUCK)]);
    let text = stdout(&folder.run("check stuck.pml --chart"));
    for part in [
        "fails      deadlock: no process can move",
        "deadlock after 2 steps (no shorter run shows it)",
        "1  P(0)  stuck.pml:3  c!1",
        "P(0) waits at stuck.pml:4",
        "no other process is ready to receive this message",
        "├─ c!1 ─",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn json_is_one_document_whatever_happens() {
    let folder =
        Folder::new(&[("good.pml", GOOD), ("stuck.pml", STUCK), ("wrong.pml", WRONG), ("large.pml", LARGE)]);
    let good = document(&folder.run("check good.pml --format json"));
    assert_eq!((good["schema"].as_u64(), good["model"].as_str()), (Some(1), Some("good.pml")));
    assert_eq!(good["answers"].as_array().unwrap().len(), 3);
    assert_eq!((good["complete"].as_bool(), good["states"].as_u64()), (Some(true), Some(4)));

    let stuck = document(&folder.run("check stuck.pml --format json"));
    let deadlock = &stuck["answers"][1];
    assert_eq!((deadlock["kind"].as_str(), deadlock["verdict"].as_str()), (Some("deadlock"), Some("fails")));
    assert_eq!((deadlock["line"].as_u64(), deadlock["shortest"].as_bool()), (Some(4), Some(true)));
    let steps = deadlock["trace"]["steps"].as_array().unwrap();
    assert_eq!(steps[0]["moves"][0]["kind"], "offer");

    let wrong = folder.run("explore wrong.pml --format json");
    assert_eq!(document(&wrong)["diagnostics"][0]["line"], 1);
    assert!(stderr(&wrong).contains("wrong.pml:1"));
    assert!(!document(&folder.run("check missing.pml --format json"))["diagnostics"].is_null());

    let large = document(&folder.run("check large.pml --format json --time 200ms"));
    assert_eq!(
        (large["complete"].as_bool(), large["answers"][0]["verdict"].as_str()),
        (Some(false), Some("undecided"))
    );

    let several = document(&folder.run("explore . --format json --time 200ms"));
    assert_eq!(several["models"].as_array().unwrap().len(), 4);
}

#[test]
fn a_trace_can_be_saved() {
    let folder = Folder::new(&[("stuck.pml", STUCK)]);
    folder.run("check stuck.pml --trace t.json");
    let text = std::fs::read_to_string(folder.0.join("t.json")).unwrap();
    let saved: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(saved["trace"]["steps"].as_array().unwrap().len(), 2);
}

#[test]
fn pages_charts_and_trails_are_written() {
    let folder = Folder::new(&[("stuck.pml", STUCK), ("fine.pml", "init { skip }")]);
    folder.run("check fine.pml stuck.pml --html p.html --svg c.svg --spin-trail t.trail");
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let page = read("p.html");
    assert!(page.contains("<h1>fine.pml</h1>") && page.contains("<h1>stuck.pml</h1>"), "{page}");
    assert!(read("c.svg").starts_with("<svg xmlns"));
    assert!(read("t.trail").starts_with("1:0:"));
    let output = folder.run("check stuck.pml --html nowhere/p.html");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("can't write `nowhere/p.html`"));
}

#[test]
fn includes_are_found_beside_the_file_and_where_told() {
    let folder = Folder::new(&[(
        "main.pml",
        "#include \"part.h\"\n#include <other.h>\nactive proctype P() { x = Y }\n",
    )]);
    std::fs::write(folder.0.join("part.h"), "byte x;\n").unwrap();
    std::fs::create_dir(folder.0.join("inc")).unwrap();
    std::fs::write(folder.0.join("inc/other.h"), "#define Y Z\n").unwrap();
    let output = folder.run("check main.pml -I inc -D Z=2");
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert_eq!(status(&folder.run("check main.pml")), 2);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new(&[("stuck.pml", STUCK)]);
    let mut child =
        folder.command("check stuck.pml").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((status(&output), stderr(&output).as_str()), (1, ""));
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_asks_for_what_is_known() {
    let folder = Folder::new(&[("large.pml", LARGE)]);
    let child =
        folder.command("check large.pml").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = stdout(&output);
    assert_eq!(status(&output), 2, "{text}");
    assert!(text.contains("undecided") && text.contains("the search was interrupted"), "{text}");
}

/// `timeout` sends its signal to the program and to its whole group.
#[cfg(unix)]
#[test]
fn a_signal_that_comes_twice_at_once_counts_once() {
    let folder = Folder::new(&[("large.pml", LARGE)]);
    let child =
        folder.command("check large.pml").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let id = child.id().to_string();
    let script = format!("kill -TERM {id}; sleep 0.01; kill -TERM {id}");
    Command::new("sh").args(["-c", &script]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(stdout(&output).contains("the search was interrupted"), "{}", stdout(&output));
}

#[test]
fn limits_hold_inside_atomic_sequences() {
    let endless = "byte x;\nactive proctype P() { atomic { do :: x = 1 :: x = 2 od } }\n";
    let folder = Folder::new(&[
        ("endless.pml", endless),
        ("claim.pml", &format!("{endless}ltl f {{ <> (x == 3) }}\n")),
        (
            "long.pml",
            "int i;\nactive proctype P() { atomic { do :: i < 2000000000 -> i++ :: else -> break od } }\n",
        ),
        (
            "step.pml",
            "int i;\nactive proctype P() { d_step { do :: i < 2000000000 -> i++ :: else -> break od } }\n",
        ),
        (
            "huge.pml",
            "byte a[60000]; active proctype P() { int i; do :: a[i]++ :: i = (i + 1) % 60000 od }\n",
        ),
    ]);
    for (arguments, expected) in [
        ("bounds endless.pml --from x==1 --to x==3 --time 2s", 2),
        ("check claim.pml --only ltl --time 2s --memory 300M", 1),
        ("check endless.pml --time 2s", 1),
        ("explore long.pml --time 300ms", 2),
        ("explore step.pml --time 300ms", 2),
        ("bounds long.pml --from i==1 --to i==3 --time 300ms", 2),
        ("bounds huge.pml --from true --to false --time 300ms --memory 300M", 2),
    ] {
        let start = std::time::Instant::now();
        let output = folder.run(arguments);
        assert_eq!(status(&output), expected, "{arguments}: {}{}", stdout(&output), stderr(&output));
        assert!(start.elapsed().as_secs() < 8, "{arguments}: {:?}", start.elapsed());
    }
}

/// Where address space is limited, a search ends before an allocation fails.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_a_limit_of_memory() {
    let wide = "byte a[250];\nactive proctype P() { byte i; do :: a[i]++ :: i = (i + 1) % 250 od }\n";
    let words = "MODULE main\nVAR a : unsigned word[60]; b : unsigned word[60];\n\
                 ASSIGN next(a) := a * b; next(b) := a + b;\nCTLSPEC AG EF a = b\n";
    let folder = Folder::new(&[("wide.pml", wide), ("words.smv", words)]);
    let program = env!("CARGO_BIN_EXE_narrows");
    for command in ["graph wide.pml -o graph.aut", "explore wide.pml", "check words.smv"] {
        for kilobytes in [300_000, 500_000] {
            let script = format!("ulimit -v {kilobytes}; exec {program} {command} --memory 8G --time 10s");
            let output = Command::new("sh").current_dir(&folder.0).args(["-c", &script]).output().unwrap();
            let said = format!("{command}, {kilobytes}: {}{}", stdout(&output), stderr(&output));
            assert_eq!(output.status.code(), Some(2), "{said}");
        }
    }
}

/// Runs a command; returns what came out, and how many kilobytes it had in memory at most.
#[cfg(target_os = "linux")]
fn with_peak(folder: &Folder, arguments: &str) -> (Output, u64) {
    program::peak(folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
}

/// What a long atomic sequence takes is counted: once, frames piled up that nobody used again.
#[cfg(target_os = "linux")]
#[test]
fn a_long_atomic_sequence_keeps_within_memory() {
    let long = "active [2] proctype P() { int i; atomic { for (i : 0 .. 2000000000) { skip } } }\n";
    let folder = Folder::new(&[("long.pml", long)]);
    let (output, most) = with_peak(&folder, "explore long.pml --memory 100M --time 60s");
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("the memory limit was reached"), "{}", stdout(&output));
    assert!(most < 180_000, "{most} kB");
}

/// What goes with each two variables takes no more memory than there is: once, an order of variables took 1.8
/// GB.
#[cfg(target_os = "linux")]
#[test]
fn many_variables_keep_within_memory() {
    let many = "MODULE main\nVAR y : array 0..60000 of boolean;\nINVARSPEC TRUE\n";
    let folder = Folder::new(&[("many.smv", many)]);
    let (output, most) = with_peak(&folder, "explore many.smv --memory 300M --time 5s");
    assert!(matches!(output.status.code(), Some(0 | 2)), "{}", stdout(&output));
    assert!(most < 420_000, "{most} kB");
}

/// A formula that fails near the start is found, also where the search for deadlocks has no end.
#[cfg(unix)]
#[test]
fn formulas_do_not_wait_for_the_search_for_deadlocks() {
    let large = "int x, y;\nactive proctype P() { do :: x++ :: y++ :: assert(x + y != -1) od }\nltl f { <> (x == 3) }\n";
    let folder = Folder::new(&[("large.pml", large)]);
    let child =
        folder.command("check large.pml").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = stdout(&output);
    assert_eq!(status(&output), 1, "{text}");
    assert!(text.contains("fails      ltl f") && text.contains("undecided  no deadlock"), "{text}");
}

/// Three counters, and the last change of one of them: many states at the same distance.
const CUBE: &str = "byte seen; int sum;\n\
    proctype Counter(byte own) { byte at; do :: at < 20 -> at++; sum = own * at :: at == 20 -> at = 0 od }\n\
    init { atomic { run Counter(1); run Counter(0); run Counter(0) } (seen == 1) }\n";

/// Counts do not depend on threads, and say where the time went.
#[test]
fn statistics_are_the_same_search_on_any_number_of_threads() {
    let folder = Folder::new(&[("cube.pml", CUBE), ("good.pml", GOOD)]);
    let figures = |threads: usize| {
        let arguments = format!("explore cube.pml --stats --format json --threads {threads}");
        let document = document(&folder.run(&arguments));
        let stats = &document["stats"];
        assert_eq!(stats["threads"], threads);
        let phases: Vec<&str> =
            stats["phases"].as_array().unwrap().iter().filter_map(|phase| phase["name"].as_str()).collect();
        for name in ["expand", "probe", "gather", "learn", "rebuild"] {
            assert!(phases.contains(&name), "{name} is not in {phases:?}");
        }
        let count = |name: &str| stats["counts"][name].as_u64().unwrap();
        assert!(count("set_probes") >= document["states"].as_u64().unwrap() && count("rebuilds") > 0);
        let looked_at = count("set_probes") + count("keys_met_lately");
        assert!(looked_at >= document["transitions"].as_u64().unwrap() && count("batches") > 50);
        let figures = ["states", "transitions", "depth", "violations", "unreached"];
        figures.map(|name| document[name].clone())
    };
    let alone = figures(1);
    for threads in [2, 3, 16] {
        assert_eq!(figures(threads), alone, "{threads} threads");
    }
    let text = stdout(&folder.run("explore cube.pml --stats"));
    assert!(text.contains("  expand ") && text.contains("  set probes "), "{text}");
    assert!(stdout(&folder.run("explore good.pml --stats")).contains("there are no phases"));
}

/// A limit is never a failure.
#[test]
fn a_sweep_that_is_cut_short_is_undecided() {
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pingpong/barrier.toml");
    let folder = Folder::new(&[]);
    let output = folder.run_with(&["measure", study, "--time", "1ms"]);
    let text = stdout(&output);
    assert!(text.contains("trend") && !text.contains("NOT AS EXPECTED"), "{text}");
    assert_eq!(status(&output), 2, "{text}");
}

/// What is wrong in the same way with several points of a sweep is said once.
#[test]
fn points_of_a_sweep_repeat_no_message() {
    let model = "#ifndef N\n#define N 0\n#endif\nbyte x;\nactive proctype P() { do\n\
                 #if N < 2\n:: up: x = 1 - x\n#elif N < 4\n:: down: x = 1 - x\n#else\n:: brek\n#endif\nod }";
    let study = "model = \"m.pml\"\nunit = \"s\"\n[delay]\n\"P:up\" = { exponential = 2 }\n\
                 [event]\nup = \"P:up\"\n[[ask]]\nthroughput = \"up\"\n[sweep]\nN = [1, 2, 3, 4, 5]\n";
    let folder = Folder::new(&[("m.pml", model), ("s.toml", study)]);
    for command in ["measure s.toml", "bottleneck s.toml --no-report"] {
        let output = folder.run(command);
        let said = stderr(&output);
        // In the study, of 2 and 3; in the model, of 4 and 5.
        for place in ["s.toml:4:1", "s.toml:6:7", "m.pml:11:4"] {
            assert_eq!(said.matches(place).count(), 1, "{said}");
        }
        assert_eq!(said.matches("error[").count(), 3, "{said}");
    }
}

/// One point of a sweep that has no end leaves time for the others.
#[test]
fn points_of_a_sweep_share_the_time() {
    let model = "#ifndef N\n#define N 3\n#endif\nint x;\nactive proctype P() { do :: up: x < N -> x++ od }\n\
                 active proctype Q() { do :: down: x > 0 -> x-- od }\n";
    let study = "model = \"m.pml\"\nunit = \"us\"\n[delay]\n\"P:up\" = { exponential = 1 }\n\"Q:down\" = { exponential = 2 }\n\
                 [event]\nup = \"P:up\"\n[[ask]]\nthroughput = \"up\"\n[sweep]\nN = [2000000000, 4]\n";
    let folder = Folder::new(&[("m.pml", model), ("s.toml", study)]);
    let text = stdout(&folder.run("measure s.toml --engine exact --time 4s --memory 8G"));
    let row =
        |value: &str| text.lines().find(|line| line.trim().starts_with(value)).unwrap_or_default().to_owned();
    assert!(row("2000000000").contains("undecided"), "{text}");
    assert!(!row("4 ").is_empty() && !row("4 ").contains("undecided"), "{text}");
}

#[test]
fn files_that_are_no_models_are_said_to_be_none() {
    let folder = Folder::new(&[("empty.pml", "")]);
    std::fs::write(folder.0.join("binary.pml"), b"\x7fELF\0\xff\xfe").unwrap();
    std::fs::write(folder.0.join("latin.pml"), b"/* caf\xe9 */ init { printf(\"\xe9\") }").unwrap();
    std::fs::write(folder.0.join("circle.pml"), "#include \"circle.pml\"\n").unwrap();
    std::fs::write(folder.0.join("outer.pml"), "#include \"inner\"\ninit { skip }\n").unwrap();
    std::fs::create_dir(folder.0.join("inner")).unwrap();
    for (file, expected) in [
        ("empty.pml", "no process runs at the start"),
        ("binary.pml", "not a text file"),
        ("circle.pml", "includes are nested too deeply"),
        ("outer.pml", "can't include `inner`"),
        (
            "inner",
            "there is no .pml, .promela, .prom, .spin, .smv, .lotos, .lot, .aut, .aag or .aig file in `inner`",
        ),
    ] {
        let output = folder.run(&format!("explore {file}"));
        assert_eq!(status(&output), 2, "{file}");
        assert!(stderr(&output).contains(expected), "{file}: {}", stderr(&output));
    }
    assert_eq!(status(&folder.run("explore latin.pml")), 0);
}

const LIGHT: &str = "\
#define red (light == 1)
byte light;
bool broken;
active proctype Light() {
  do
  :: light == 0 -> light = 1
  :: light == 1 -> light = 0
  :: light == 1 -> atomic { broken = true; break }
  od
}
";

#[test]
fn formulas_come_from_the_command_line() {
    let folder = Folder::new(&[("light.pml", LIGHT)]);
    for (formula, expected, parts) in [
        (
            "AG (red -> AF !red)",
            1,
            &["fails      ctl AG (red -> AF !red)", "then the run stays there for ever"][..],
        ),
        (
            "EF red",
            0,
            &["holds      ctl EF red", "ctl EF red shown after 2 steps", "◆ light == 1: false → true"],
        ),
        ("EG !broken", 0, &["ctl EG !broken shown: a cycle of 4 steps"]),
        (
            "AG  EF\n!red",
            1,
            &["fails      ctl AG EF !red", "In the last state, `EF (!(light == 1))` is false."],
        ),
        ("AG (light < 2)", 0, &["holds      ctl AG (light < 2)"]),
        ("EF (light == 2)", 1, &["ctl EF (light == 2) fails in the initial state"]),
        ("A[!broken W red]", 0, &["holds"]),
        (
            "AG (1 / light > 0)",
            2,
            &["undecided", "has no value in some state that can be reached: division by zero."],
        ),
    ] {
        let output = folder.ask("check light.pml --only ctl", &["--ctl", formula]);
        let text = stdout(&output);
        assert_eq!(status(&output), expected, "{formula}: {text}{}", stderr(&output));
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }
    let all =
        stdout(&folder.ask("check light.pml", &["--ltl", "[] <> red", "--ctl", "EF red", "--ctl", "AX red"]));
    for part in ["no deadlock", "ltl [] <> red", "ctl EF red", "ctl AX red"] {
        assert!(all.contains(part), "{part:?} is not in\n{all}");
    }
    let wrong = folder.ask("check light.pml", &["--ltl", "[] reed", "--ctl", "[] red"]);
    assert_eq!(status(&wrong), 2);
    for part in ["--ltl:1:4", "unknown name `reed`", "--ctl:1:1", "error[P0123]"] {
        assert!(stderr(&wrong).contains(part), "{part:?} is not in\n{}", stderr(&wrong));
    }
}

#[test]
fn witnesses_and_notes_are_in_the_document() {
    let folder = Folder::new(&[("stuck.pml", STUCK)]);
    let output = folder.ask("check stuck.pml --format json --only ctl", &["--ctl", "EF AG (_nr_pr == 1)"]);
    let answer = &document(&output)["answers"][0];
    assert_eq!((answer["kind"].as_str(), answer["verdict"].as_str()), (Some("ctl"), Some("holds")));
    assert_eq!(answer["name"], "EF AG (_nr_pr == 1)");
    assert_eq!(answer["witness"]["steps"].as_array().unwrap().len(), 2);
    assert_eq!(answer["notes"][0], "In the last state, `AG (_nr_pr == 1)` is true.");
    assert_eq!(status(&output), 0);
}

#[test]
fn questions_are_picked_by_name() {
    let folder = Folder::new(&[("stuck.pml", STUCK)]);
    let only = folder.run("check stuck.pml --only assertion --only fault");
    assert_eq!((status(&only), stdout(&only).contains("deadlock")), (0, false), "{}", stdout(&only));
    let unknown = folder.run("check stuck.pml --only deadlok");
    assert_eq!((status(&unknown), stdout(&unknown).as_str()), (2, ""));
    let text = stderr(&unknown);
    for part in ["`stuck.pml`", "no question `deadlok`", "did you mean `deadlock`?", "`assertion`"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// A little more than 300 000 states, with an assertion that is wrong far away.
const LONG: &str = "byte a, b, c;\nactive proctype A() { do :: a < 72 -> a++ od }\n\
                    active proctype B() { do :: b < 72 -> b++ od }\n\
                    active proctype C() { do :: c < 20 -> c++; assert(a + b + c < 160) od }\n";

/// What must be the same however often a search was stopped.
fn outcome(output: &Output) -> Value {
    let mut report = document(output);
    let report = report.as_object_mut().unwrap();
    report.retain(|key, _| key != "seconds" && key != "memory");
    Value::Object(std::mem::take(report))
}

#[test]
fn a_search_goes_on_after_a_kill() {
    let folder = Folder::new(&[("long.pml", LONG)]);
    let file = folder.0.join("long.check");
    for command in ["explore", "check"] {
        let whole = folder.run(&format!("{command} long.pml --format json"));
        assert_eq!(status(&whole), 1, "{}", stderr(&whole));
        let again =
            format!("{command} long.pml --format json --checkpoint long.check --checkpoint-every 1ms");
        let mut child = folder.command(&again).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !file.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        // This is what `kill -9` does.
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(file.exists(), "{command} ended too early");
        let resumed = folder.run(&again);
        assert!(stderr(&resumed).contains("going on from `long.check`: "), "{}", stderr(&resumed));
        assert_eq!(outcome(&resumed), outcome(&whole));
        assert_eq!(status(&resumed), 1);
        assert!(!file.exists(), "nothing is left to do");
    }
}

#[test]
fn a_limit_saves_the_search() {
    let folder = Folder::new(&[("large.pml", LARGE)]);
    let large = "explore large.pml --checkpoint large.check --time";
    let first = folder.run(&format!("{large} 4s"));
    assert_eq!(status(&first), 2);
    let said = "the search is saved in `large.check`; the same command goes on from there";
    assert!(stderr(&first).contains(said), "{}", stderr(&first));
    // Visiting the first states again and loading the others takes a while too.
    let second = folder.run(&format!("{large} 15s"));
    assert!(stderr(&second).contains("going on from `large.check`: "), "{}", stderr(&second));
    let quiet = folder.run(&format!("{large} 100ms --quiet"));
    assert_eq!((status(&quiet), stderr(&quiet)), (2, String::new()));
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused_and_kept() {
    let other = LARGE.replace("y++", "y--");
    let files =
        [("large.pml", LARGE), ("other.pml", other.as_str()), ("text", "not a checkpoint"), ("empty", "")];
    let folder = Folder::new(&files);
    folder.run("explore large.pml --checkpoint good --time 4s");
    let good = std::fs::read(folder.0.join("good")).unwrap();
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let end = good.len();
    std::fs::write(folder.0.join("short"), &good[..end - 5]).unwrap();
    std::fs::write(folder.0.join("shorter"), &good[..50]).unwrap();
    std::fs::write(folder.0.join("bit"), changed(end / 2)).unwrap();
    std::fs::write(folder.0.join("sum"), changed(end - 1)).unwrap();
    std::fs::write(folder.0.join("version"), changed(22)).unwrap();
    for (arguments, reason) in [
        ("explore large.pml --checkpoint text", "it is not a checkpoint of this program"),
        ("explore large.pml --checkpoint empty", "it is not a checkpoint of this program"),
        ("explore large.pml --checkpoint short", "it is damaged: a part is missing, or was changed"),
        ("explore large.pml --checkpoint shorter", "it is damaged: a part is missing, or was changed"),
        ("explore large.pml --checkpoint bit", "it is damaged: a part is missing, or was changed"),
        ("explore large.pml --checkpoint sum", "it is damaged: a part is missing, or was changed"),
        ("explore large.pml --checkpoint version", "it was written by narrows "),
        ("explore other.pml --checkpoint good", "it is about another model, or other questions or options"),
        ("check large.pml --checkpoint good", "it is about another model, or other questions or options"),
        ("explore large.pml other.pml --checkpoint good", "--checkpoint is for one model, and there are 2"),
        ("explore large.pml --checkpoint nowhere/good", "can't write `nowhere/good.tmp`"),
    ] {
        let before = std::fs::read(folder.0.join(arguments.rsplit(' ').next().unwrap())).ok();
        let output = folder.run(arguments);
        assert_eq!(status(&output), 2, "{arguments}");
        assert!(stderr(&output).contains(reason), "{arguments}: {}", stderr(&output));
        assert_eq!(std::fs::read(folder.0.join(arguments.rsplit(' ').next().unwrap())).ok(), before);
    }
    let remedy = "can't go on from `bit`; delete it, or give another name with --checkpoint: it is damaged";
    assert!(stderr(&folder.run("explore large.pml --checkpoint bit")).contains(remedy));
}

#[test]
fn a_search_with_loss_proves_nothing() {
    let folder = Folder::new(&[("good.pml", GOOD), ("stuck.pml", STUCK)]);
    for (arguments, expected) in [
        ("check good.pml --bitstate=1M", 2),
        ("check good.pml --hash-compact", 2),
        ("explore good.pml --bitstate=1M --hash-functions 2", 2),
        ("check stuck.pml --bitstate=1M", 1),
        ("explore stuck.pml --hash-compact", 1),
        ("check good.pml --bitstate=1M --hash-compact", 2),
        ("check good.pml --bitstate=2G --memory 1G", 2),
        ("check good.pml --hash-compact --checkpoint good.check", 2),
    ] {
        let output = folder.run(arguments);
        assert_eq!(status(&output), expected, "{arguments}\n{}{}", stdout(&output), stderr(&output));
        assert!(!stdout(&output).contains("holds "), "{arguments}");
    }
    let report = document(&folder.run("check good.pml --bitstate=1M --format json"));
    assert_eq!((report["complete"].as_bool(), report["loss"]["kept"].as_str()), (Some(false), Some("bits")));
    assert_eq!(report["answers"][0]["verdict"].as_str(), Some("undecided"));
}

const COUNTER: &str = "\
MODULE main
VAR n : 0..7;
ASSIGN init(n) := 0; next(n) := (n + 1) mod 8;
INVARSPEC NAME small := n < 7
CTLSPEC AG AF n = 0
COMPUTE MAX [n = 0, n = 7]
";

#[test]
fn orders_of_variables_are_written_and_read() {
    const TWO: &str = "MODULE main\nVAR a : 0..3; b : boolean; c : 0..3;\nASSIGN next(a) := c; next(b) := a = 2;\nINVARSPEC a < 4\n";
    let folder = Folder::new(&[
        ("two.smv", TWO),
        ("good.pml", GOOD),
        ("some.ord", "-- the last first\nc.1\n\nc.0\nb\n"),
        ("wrong.ord", "a\nbb\nc.2\na\n"),
    ]);
    let output = folder.run("check two.smv --order some.ord --write-order all.ord");
    assert_eq!(status(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert_eq!(folder.read("all.ord"), "c.1\nc.0\nb\na\n");
    assert_eq!(status(&folder.run("check two.smv --order all.ord --write-order again.ord")), 0);
    assert_eq!(folder.read("again.ord"), folder.read("all.ord"));
    let output = folder.run("check two.smv --order wrong.ord");
    assert_eq!(status(&output), 2);
    for part in [
        "line 2: there is no variable `bb`",
        "line 3: there is no variable `c.2`",
        "line 4: `a` stands there twice",
    ] {
        assert!(stderr(&output).contains(part), "{part}\n{}", stderr(&output));
    }
    for (command, part) in [
        ("check good.pml --order some.ord", "an order of variables is for SMV models"),
        ("check two.smv --order none.ord", "can't read `"),
        ("check two.smv --order some.ord --engine ic3", "an order of variables is for SMV models"),
    ] {
        let output = folder.run(command);
        assert_eq!(status(&output), 2, "{command}");
        assert!(stderr(&output).contains(part), "{command}\n{}", stderr(&output));
    }
}

#[test]
fn smv_models_are_checked_counted_and_bounded() {
    let folder = Folder::new(&[("counter.smv", COUNTER), ("wrong.smv", "MODULE main\nVAR x : integer;\n")]);
    let output = folder.run("check counter.smv");
    assert_eq!(status(&output), 1);
    let text = stdout(&output);
    for line in
        ["holds      no deadlock", "fails      invariant small", "holds      ctl AG AF n = 0", "7 steps"]
    {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.contains("invariant small fails after 7 steps (no shorter run shows it)"), "{text}");
    assert_eq!(status(&folder.run("check counter.smv --only ctl")), 0);
    assert_eq!(status(&folder.run("check counter.smv --only deadlock --only G(F(n=3)) --ltl G(F(n=3))")), 0);
    let explored = stdout(&folder.run("explore counter.smv"));
    for line in ["  states       8\n", "  bits         3\n", "  depth        7\n", "nothing goes wrong"] {
        assert!(explored.contains(line), "{line}\n{explored}");
    }
    let output = folder.run("bounds counter.smv --from n=1 --to n=0 --count n>5 --format json");
    assert_eq!(status(&output), 0);
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let values: Vec<i64> = document["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["value"]["low"].as_i64().unwrap())
        .collect();
    assert_eq!(values, [7, 7, 2, 2]);
    // No time is a limit, and no crash.
    let output = folder.run("check counter.smv --only ctl --time 0s --format json");
    assert!([0, 2].contains(&status(&output)));
    for (command, expected) in [
        ("check wrong.smv", "V0216"),
        ("check counter.smv --spin-trail run.trail", "trails are of Promela models"),
        ("check counter.smv --chart", "there are no messages between processes"),
        ("check counter.smv -D N=4", "`main` has no definition `N`"),
        ("check counter.smv --ctl AG(m=1)", "unknown name `m`"),
        ("graph counter.smv --labels channel", "`text` or `inputs`"),
        ("simulate counter.smv --trail run.trail --random 1", "trails are of Promela models"),
        ("bounds counter.smv --from n=1 --to q", "unknown name `q`"),
    ] {
        let output = folder.run(command);
        assert_eq!(status(&output), 2, "{command}");
        assert!(stderr(&output).contains(expected), "{command}: {}", stderr(&output));
    }
}
