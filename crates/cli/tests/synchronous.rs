//! SMV models as a user has them: values from outside, runs saved and replayed, graphs, pages and studies.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use program::{Folder, document, status, stderr, stdout};

/// Counts to `MOST` when it is told to, and starts anew.
const COUNTER: &str = "\
MODULE main
DEFINE MOST := 3;
FROZENVAR eager : boolean;
VAR n : 0..MOST;
IVAR go : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case go | eager : (n + 1) mod (MOST + 1); TRUE : n; esac;
INVARSPEC NAME small := n < 3;
LTLSPEC NAME returns := G F n = 0;
";

const STUDY: &str = "\
title = \"A counter\"
model = \"counter.smv\"
reference = \"paper\"
[constant]
eager = true
[event]
round = \"n = MOST & next(n) = 0\"
[[ask]]
delay = { from = \"n = 1\", to = \"n = 0\" }
cell = [\"Times\", \"counter\", \"from 1\"]
expect = [3, 3]
reference = [2, 3]
draw = true
[[ask]]
throughput = \"round\"
expect = \"1/4\"
[sweep]
MOST = [1, 3, 7]
";

fn folder() -> Folder {
    Folder::new(&[("counter.smv", COUNTER), ("counter.toml", STUDY)])
}

#[test]
fn definitions_and_frozen_variables_get_values() {
    let folder = folder();
    let states = |arguments: &str| {
        document(&folder.run(&format!("explore counter.smv {arguments} --format json")))["states"].clone()
    };
    assert_eq!(states("-q"), 8);
    assert_eq!(states("-D MOST=9"), 20);
    assert_eq!(states("-D MOST=9 -D eager=TRUE"), 10);
    assert_eq!(states("-D eager"), 4);
    let output = folder.run("check counter.smv -D MOST=2");
    assert!(stdout(&output).contains("holds      invariant small"), "{}", stdout(&output));
    let output = folder.run("check counter.smv -D MOST=maybe");
    assert!(stderr(&output).contains("unknown name `maybe`"), "{}", stderr(&output));
    let output = folder.run("bounds counter.smv -D MOST=9 -D eager --from n=0 --to n=9 --format json");
    assert_eq!(document(&output)["answers"][1]["value"]["high"], 9);
}

#[test]
fn runs_are_saved_drawn_and_replayed() {
    let folder = folder();
    let output = folder.run("check counter.smv -D MOST=4 --trace run.json --svg run.svg --html page.html");
    assert_eq!(status(&output), 1);
    let replayed = folder.run("simulate counter.smv --trace run.json --random 0");
    assert_eq!(status(&replayed), 0, "{}", stderr(&replayed));
    let text = stdout(&replayed);
    assert!(text.contains("3  go = ") && text.contains("n: 2 → 3"), "{text}");
    assert!(text.ends_with("stopped after 3 steps\n"), "{text}");
    let drawing = folder.read("run.svg");
    assert!(drawing.starts_with("<svg xmlns=") && drawing.contains("n is 0 in cycle"), "{drawing}");
    let page = folder.read("page.html");
    assert!(page.contains("invariant small") && page.contains("class=\"plot\""));
    // What was saved with other values does not fit.
    let other = folder.run("simulate counter.smv --trace run.json --random 0 -D MOST=1");
    assert_eq!(status(&other), 2);
    assert!(stderr(&other).contains("step 2 does not fit"), "{}", stderr(&other));
    let random = folder.run("simulate counter.smv --random 5 --seed 4 -D eager");
    assert_eq!(stdout(&random).lines().count(), 7, "{}", stdout(&random));
}

#[test]
fn the_model_of_a_study_is_simulated_with_its_constants() {
    let folder = folder();
    let output = folder.run("simulate counter.toml --random 4");
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    // It is eager: it counts in each step, and starts anew after the third.
    assert!(text.contains("eager = TRUE") && text.contains("n: 3 → 0"), "{text}");
    let output = folder.run("simulate counter.toml --random 4 -D MOST=7");
    assert!(stdout(&output).contains("n: 3 → 4"), "{}{}", stdout(&output), stderr(&output));
    let talk = folder.run("simulate counter.smv");
    assert!(stdout(&talk).contains("choose a first state"), "{}", stdout(&talk));
}

#[test]
fn states_become_a_graph() {
    let folder = folder();
    let output = folder.run("graph counter.smv --states");
    let text = stdout(&output);
    // Eight states, and one before the two first ones.
    assert!(text.starts_with("des (0, 14, 9)\n(0, \"start eager=FALSE\", 1)\n"), "{text}");
    assert!(text.contains("\"n=1\"") && text.contains(", i, "), "{text}");
    let output = folder.run("graph counter.smv --states --labels inputs -D eager=TRUE");
    assert_eq!(stdout(&output).lines().filter(|line| line.contains("\"go=TRUE\"")).count(), 4);
    assert!(stdout(&output).starts_with("des (0, 8, 4)"), "{}", stdout(&output));
    let output = folder.run("graph counter.smv -o counter.svg");
    assert!(stdout(&output).contains("9 states, 14 transitions"), "{}", stdout(&output));
    assert!(folder.read("counter.svg").starts_with("<svg"));
}

#[test]
fn studies_have_tables_pages_and_sweeps() {
    let folder = folder();
    let output = folder.run("measure counter.toml --html study.html");
    let text = stdout(&output);
    assert_eq!(status(&output), 0, "{text}{}", stderr(&output));
    assert!(text.contains("Times: ours = paper\n           from 1\n  counter  3 ≠ [2, 3]\n"), "{text}");
    assert!(text.contains("throughput  round"), "{text}");
    assert!(text.contains("7     7 cycles"), "{text}");
    let page = folder.read("study.html");
    assert!(page.contains("<table class=\"cells\">") && page.contains("differs"), "no table");
    assert!(page.contains("figcaption"), "no picture of the run");
    let found = document(&folder.run("measure counter.toml --format json"));
    assert_eq!(found["answers"][0]["reference"]["agrees"], false);
    assert_eq!(found["answers"][0]["cell"]["row"], "counter");
    let output = folder.run("bottleneck counter.toml --no-report --charts charts");
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("bottleneck of round"), "{}", stdout(&output));
    let drawn = std::fs::read_dir(folder.0.join("charts")).unwrap();
    let names: Vec<String> = drawn.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name.starts_with("counter-run-")), "{names:?}");
    let chain = folder.run("measure counter.toml --chain chain.aut");
    assert!(stderr(&chain).contains("is for studies on Promela models"), "{}", stderr(&chain));
    let timed = folder.run("simulate --timed counter.toml");
    assert!(stderr(&timed).contains("one step of an SMV model is one unit of time"), "{}", stderr(&timed));
}
