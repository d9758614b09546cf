//! Graphs in the format AUT as models: what every command says about them is what `narrows lts` says.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail as the test itself")]

mod program;

use std::fmt::Write;

use narrows_graph::Random;
use narrows_lts::aut;
use program::{Folder, document, status, stderr, stdout};
use serde_json::Value;

const BUFFER: &str = "des (0, 4, 3)\n(0, \"PUT\", 1)\n(1, \"PUT\", 2)\n(1, \"GET\", 0)\n(2, \"GET\", 1)\n";
const STUCK: &str = "des (1, 4, 5)\n(1, \"A\", 0)\n(0, \"B !1\", 1)\n(0, \"C\", 3)\n(4, \"A\", 2)\n";
const EXIT: &str = "des (0, 2, 3)\n(0, \"A\", 1)\n(1, exit, 2)\n";

const STUDY: &str = "\
model = \"buffer.aut\"
unit = \"us\"

[delay]
PUT = { exponential = 1 }
GET = { exponential = 0.5 }

[[ask]]
throughput = \"GET\"

[[ask]]
bottleneck = \"GET\"
";

/// The verdicts of a document, in order.
fn verdicts(document: &Value) -> Vec<String> {
    let answers = document["answers"].as_array().unwrap().iter();
    answers.map(|answer| answer["verdict"].as_str().unwrap().to_owned()).collect()
}

/// A graph with states and labels at random, as text.
fn random_text(random: &mut Random) -> String {
    let (states, edges) = (random.between(1, 9), random.between(0, 16));
    let labels = ["A", "B", "C !1", "i", "A; rate 2"];
    let mut text = format!("des ({}, {edges}, {states})\n", random.index(states));
    for _ in 0..edges {
        let label = random.pick(&labels).unwrap();
        writeln!(text, "({}, \"{label}\", {})", random.index(states), random.index(states)).unwrap();
    }
    text
}

#[test]
fn deadlocks_are_found_and_a_run_that_exits_has_none() {
    let folder = Folder::new(&[("buffer.aut", BUFFER), ("stuck.aut", STUCK), ("exit.aut", EXIT)]);
    for (file, expected) in [("buffer.aut", 0), ("stuck.aut", 1), ("exit.aut", 0)] {
        let output = folder.run(&format!("check {file}"));
        assert_eq!(status(&output), expected, "{file}: {}{}", stdout(&output), stderr(&output));
    }
    let explored = document(&folder.run("explore stuck.aut --format json"));
    // States 2 and 4 are not reached.
    assert_eq!((&explored["states"], &explored["transitions"]), (&Value::from(3), &Value::from(3)));
}

#[test]
fn formulas_have_the_answers_of_lts_check() {
    let mut random = Random::new(1);
    let formulas = [
        "[true*] <true> true",
        "<true* . \"C !1\"> true",
        "[true* . \"A\"] mu X . (<true> true and [not \"B\"] X)",
        "nu X . <\"A\" or \"B\"> X",
    ];
    let (mut holding, mut failing) = (0, 0);
    for _ in 0..24 {
        let folder = Folder::new(&[("g.aut", &random_text(&mut random))]);
        let mut ask = vec!["check", "g.aut", "--format", "json", "-q", "--only", "mu"];
        for formula in &formulas {
            ask.extend(["--mu", formula]);
        }
        let by_model = verdicts(&document(&folder.run_with(&ask)));
        let mut ask = vec!["lts", "check", "g.aut", "--format", "json", "-q"];
        ask.extend(formulas);
        let by_graph = verdicts(&document(&folder.run_with(&ask)));
        assert_eq!(by_model, by_graph, "{}", folder.read("g.aut"));
        holding += by_graph.iter().filter(|verdict| *verdict == "holds").count();
        failing += by_graph.iter().filter(|verdict| *verdict == "fails").count();
    }
    assert!(holding > 10 && failing > 10, "{holding} hold, {failing} fail");
}

#[test]
fn formulas_about_runs_are_answered() {
    let folder = Folder::new(&[("buffer.aut", BUFFER), ("stuck.aut", STUCK)]);
    for (file, formula, expected) in
        [("buffer.aut", "[] <> PUT", 0), ("buffer.aut", "[] <> GET", 0), ("stuck.aut", "[] <> A", 1)]
    {
        let output = folder.ask(&format!("check {file} --only ltl --ltl"), &[formula]);
        assert_eq!(status(&output), expected, "{formula}: {}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn a_graph_that_is_read_as_a_model_is_written_as_it_was() {
    let mut random = Random::new(2);
    for _ in 0..24 {
        let text = random_text(&mut random);
        let folder = Folder::new(&[("g.aut", &text)]);
        let output = folder.run("graph g.aut -o again.aut -q");
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let ordered = |text: &str| aut::write(&narrows_lts::edit::breadth_first(&aut::read(text).unwrap()));
        assert_eq!(ordered(&folder.read("again.aut")), ordered(&text), "{text}");
    }
}

#[test]
fn studies_and_simulations_take_graphs() {
    let folder = Folder::new(&[("buffer.aut", BUFFER), ("stuck.aut", STUCK), ("study.toml", STUDY)]);
    // With 1 in and 2 out for each microsecond and two places, the buffer is full for 1/7 of the time.
    for command in ["measure study.toml", "bottleneck study.toml --no-report"] {
        let output = folder.run(command);
        assert_eq!(status(&output), 0, "{command}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("0.857"), "{command}: {}", stdout(&output));
    }
    let output = folder.run("simulate buffer.aut --random 5");
    assert_eq!((status(&output), stdout(&output).lines().count()), (0, 5), "{}", stdout(&output));
    let output = folder.run("simulate stuck.aut --random 100");
    assert_eq!(status(&output), 1);
    assert!(stdout(&output).ends_with("deadlock: nothing can happen any more\n"), "{}", stdout(&output));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let folder = Folder::new(&[("wrong.aut", "des (0, 1, 2)\n(0, \"A\", 7)\n"), ("buffer.aut", BUFFER)]);
    let output = folder.run("check wrong.aut");
    assert_eq!(status(&output), 2);
    let told = stderr(&output);
    assert!(told.contains("error[G0004]") && told.contains("wrong.aut:2:1"), "{told}");
    let output = folder.run("check buffer.aut -D N=3");
    assert_eq!(status(&output), 2);
    assert!(stderr(&output).contains("G0007"), "{}", stderr(&output));
    assert_eq!(status(&folder.run("explain G0007")), 0);
}
