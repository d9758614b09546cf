//! The figures of a study are those of its chain as a graph, minimised and then solved.

use std::path::Path;
use std::process::Command;

use narrows_tests::commands::Scratch;
use narrows_tests::narrows::program;
use serde_json::Value;

fn run(arguments: &[&str]) -> String {
    let output = Command::new(program().expect("the program")).args(arguments).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn ends(value: &Value) -> (f64, f64) {
    (value["low"].as_f64().expect("a number"), value["high"].as_f64().expect("a number"))
}

/// Says how many states the graph and its quotient have, after comparing throughputs.
fn compare(study: &Path, definition: &str) -> (u64, u64) {
    let folder = Scratch::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (chain, small) = (path("chain.aut"), path("small.aut"));
    let study = study.display().to_string();
    let mut arguments = vec!["measure", &study, "--chain", &chain, "--format", "json", "--quiet"];
    if !definition.is_empty() {
        arguments.extend(["-D", definition]);
    }
    let text = run(&arguments);
    let measured: Value = serde_json::from_str(&text).expect("a document");
    let mut solved = Vec::new();
    for (relation, file) in [("", &chain), ("branching", &small), ("strong", &small)] {
        if !relation.is_empty() {
            let options = ["--stochastic", "--probabilistic", "-o", &small];
            run(&[&["lts", "min", &chain, "--relation", relation][..], &options].concat());
        }
        let text = run(&["lts", "steady", file, "--accuracy", "1e-9", "--format", "json"]);
        solved.push(serde_json::from_str::<Value>(&text).expect("a document"));
    }
    let answers = measured["answers"].as_array().expect("a list");
    let mut compared = 0;
    for answer in answers.iter().filter(|answer| answer["kind"] == "throughput") {
        if answer["view"] != "stochastic" {
            continue;
        }
        let (low, high) = ends(&answer["value"]);
        for document in &solved {
            let list = document["throughputs"].as_array().expect("a list");
            let one = list.iter().find(|one| one["action"] == answer["name"]).expect("an action");
            let (least, greatest) = match one.get("least") {
                Some(least) => (ends(least), ends(&one["greatest"])),
                None => (ends(&one["uniform"]), ends(&one["uniform"])),
            };
            let slack = 2e-6 * high.max(1e-6);
            assert!(
                (low - least.0).abs() <= slack && (high - greatest.1).abs() <= slack,
                "{study}: {answer} {one}"
            );
            compared += 1;
        }
    }
    assert!(compared > 0, "{study}");
    let states = |document: &Value| document["states"].as_u64().expect("a number");
    (states(&solved[0]), states(&solved[1]))
}

#[test]
fn studies_agree_with_their_minimised_chains() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/queues");
    let mut smaller = 0;
    for (study, definition) in
        [("mm1k", "K=10"), ("tandem", "C=5"), ("polling", "N=4"), ("kanban", "T=1"), ("fms", "N=2")]
    {
        let (states, left) = compare(&folder.join(format!("{study}.toml")), definition);
        smaller += usize::from(left < states);
    }
    assert!(smaller > 0);
}

/// Jobs that are started, sorted at once by chance or by choice, and done, with a log of what happened that
/// costs no time.
const SORTED: &str = "byte kind, log; bit told;
    active proctype source() { do :: come: kind == 0 -> told = 1; PICK if :: kind = 1 :: kind = 2 fi od }
    active proctype watcher() { do :: told -> log: told = 0 od }
    active proctype worker() { do
      :: quick: d_step { kind == 1 -> kind = 0 }
      :: slow: d_step { kind == 2 -> kind = 0 } od }";

const STUDY: &str = "model = \"sorted.pml\"\nunit = \"s\"\n[delay]
    \"source:come\" = { exponential = 1 }\n\"worker:quick\" = { exponential = 0.5 }
    \"worker:slow\" = { erlang = 3, stages = 2 }
    [event]\ncome = \"source:come\"\nquick = \"worker:quick\"\nlogged = \"watcher:log\"
    [[ask]]\nthroughput = \"come\"\n[[ask]]\nthroughput = \"quick\"\n[[ask]]\nthroughput = \"logged\"\n";

#[test]
fn steps_without_delay_and_choices_agree_too() {
    let folder = Scratch::new().expect("a folder");
    let study = folder.path().join("sorted.toml");
    for (pick, weights) in [("pick:", "[weight]\n\"source:pick\" = [1, 3]\n"), ("", "")] {
        std::fs::write(folder.path().join("sorted.pml"), SORTED.replace("PICK", pick)).expect("written");
        std::fs::write(&study, STUDY.replace("[event]", &format!("{weights}[event]"))).expect("written");
        compare(&study, "");
    }
}
