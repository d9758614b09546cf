//! The studies of the examples: sizes that are published, and figures that are known.

use std::fs;
use std::path::Path;
use std::process::Command;

use narrows_tests::commands::Scratch;
use narrows_tests::narrows::program;
use serde_json::Value;

fn measure(study: &str, definition: &str) -> Value {
    measure_in("queues", study, definition).1
}

/// Measures a study of a folder of examples, or all of them; returns the exit status too.
fn measure_in(folder: &str, study: &str, definition: &str) -> (Option<i32>, Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(folder).join(study);
    measure_file(&path, definition)
}

fn measure_file(path: &Path, definition: &str) -> (Option<i32>, Value) {
    let mut command = Command::new(program().expect("the program"));
    command.arg("measure").arg(path).args(["--format", "json", "--quiet"]);
    if !definition.is_empty() {
        command.args(["-D", definition]);
    }
    let output = command.output().expect("it runs");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("a document"))
}

#[test]
fn chains_have_the_published_sizes() {
    let cases = [
        ("kanban.toml", "T=1", 160),
        ("kanban.toml", "T=2", 4_600),
        ("kanban.toml", "T=3", 58_400),
        ("polling.toml", "N=12", 73_728),
        ("cluster.toml", "N=16", 10_132),
        ("fms.toml", "N=3", 6_520),
        ("fms.toml", "N=4", 35_910),
        ("tandem.toml", "C=63", 8_128),
    ];
    for (study, definition, states) in cases {
        let document = measure(study, definition);
        assert_eq!(document["views"][0]["states"], states, "{study} {definition}");
    }
}

#[test]
fn intervals_contain_exact_values() {
    // Storm built these chains from models in the language of PRISM; they were solved in fractions, by
    // elimination.
    let cases = [
        ("tandem.toml", "C=5", 1.799_254_686_506_812_2),
        ("polling.toml", "N=5", 0.712_560_755_270_130_2),
        ("kanban.toml", "T=1", 0.092_584_634_633_382_6),
    ];
    for (study, definition, expected) in cases {
        let document = measure(study, definition);
        let value = &document["answers"][0]["value"];
        let (low, high) =
            (value["low"].as_f64().expect("a number"), value["high"].as_f64().expect("a number"));
        assert!(low <= expected && expected <= high, "{study}: {low} {expected} {high}");
        assert!(high - low <= 1e-6 * expected, "{study}: {low} {high}");
    }
}

#[test]
fn every_study_of_the_examples_comes_out_as_expected() {
    for (folder, count) in [
        ("bottlenecks", 11),
        ("myrinet", 10),
        ("myrinet/sizes", 2),
        ("pci", 13),
        ("pingpong/lotos", 14),
        ("queues", 10),
        ("turntable", 4),
    ] {
        let (status, document) = measure_in(folder, "", "");
        let models = document["models"].as_array().expect("a list");
        assert_eq!(models.len(), count, "{folder}");
        for model in models {
            for answer in model["answers"].as_array().expect("a list") {
                assert_ne!(answer["met"], false, "{}: {}", model["model"], answer["name"]);
                let is_answered = answer["value"].is_object() || answer["verdict"] != "undecided";
                assert!(is_answered, "{}: {}", model["model"], answer["name"]);
            }
        }
        assert_eq!(status, Some(0), "{folder}");
    }
}

/// The tables of the paper on the PCI bus: every entry but one comes out, and that one contradicts its own
/// columns.
#[test]
fn the_tables_of_the_pci_bus_come_out() {
    let mut entries = 0;
    for study in ["figure5.toml", "figure7.toml", "figure8.toml"] {
        let (status, document) = measure_in("pci", study, "");
        assert_eq!(status, Some(0), "{study}");
        for answer in document["answers"].as_array().expect("a list") {
            let Some(cell) = answer["cell"].as_object() else { continue };
            entries += 1;
            let is_misprint =
                cell["table"] == "Figure 7" && cell["row"] == "ISA" && cell["column"] == "Total acquisition";
            assert_eq!(answer["reference"]["agrees"], !is_misprint, "{answer}");
        }
    }
    assert_eq!(entries, 60);
}

/// The detailed model of the bus, with a target process and all banks, gives what the small one does.
#[test]
fn both_models_of_the_pci_bus_agree() {
    let scratch = Scratch::new().expect("a folder");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pci");
    fs::copy(folder.join("detailed.smv"), scratch.path().join("detailed.smv")).expect("it is copied");
    let mut compared = 0;
    for study in ["figure5.toml", "figure7.toml"] {
        let text = fs::read_to_string(folder.join(study)).expect("a study");
        let path = scratch.path().join(study);
        fs::write(&path, text.replace("pci.smv", "detailed.smv")).expect("it is written");
        let small = measure_file(&folder.join(study), "").1;
        let detailed = measure_file(&path, "").1;
        let answers = |document: &Value| document["answers"].as_array().expect("a list").clone();
        for (one, other) in answers(&small).iter().zip(answers(&detailed)) {
            assert_eq!(one["name"], other["name"]);
            assert_eq!(one["value"], other["value"], "{study}: {}", one["name"]);
            compared += 1;
        }
    }
    assert_eq!(compared, 40);
}

/// Each cancellation of a transaction costs the same, and one level of arbitration serves all alike.
#[test]
fn cancellations_and_levels_of_the_pci_bus_come_out() {
    for (study, setting, expected) in [
        ("cancels.toml", "CANCELS", vec![[18, 18], [132, 75], [246, 132], [360, 189]]),
        ("levels.toml", "LEVELS", vec![[57, 57], [95, 38]]),
    ] {
        let (status, document) = measure_in("pci", study, "");
        assert_eq!(status, Some(0), "{study}");
        let points = document["sweep"].as_array().expect("a list");
        assert_eq!(points.len(), expected.len());
        for (point, [early, late]) in points.iter().zip(expected) {
            for answer in point["answers"].as_array().expect("a list") {
                let name = answer["name"].as_str().expect("a name");
                let expected = if ["ISA", "SCSI"].contains(&name) { early } else { late };
                assert_eq!(answer["value"]["high"], expected, "{name} with {}", point["settings"][setting]);
            }
        }
    }
}

/// Arbitration takes at most n · (T + 1) cycles, if n transactions of at most T cycles may come first.
#[test]
fn the_latency_of_the_pci_bus_follows_its_formula() {
    let (status, document) = measure_in("pci", "sizes.toml", "");
    assert_eq!(status, Some(0));
    let points = document["sweep"].as_array().expect("a list");
    assert_eq!(points.len(), 6);
    for point in points {
        let value = |name: &str| {
            let answers = point["answers"].as_array().expect("a list");
            let answer = answers.iter().find(|answer| answer["name"] == name).expect("it is asked");
            answer["value"]["high"].as_i64().expect("a number")
        };
        let size: i64 =
            point["settings"]["SIZE"].as_str().and_then(|text| text.parse().ok()).expect("a size");
        assert_eq!(value("transaction"), size + 2);
        for master in ["ISA", "Processor"] {
            let latency = value(&format!("n, {master}")) * (value("transaction") + 1);
            assert_eq!(value(&format!("arbitration, {master}")), latency, "{master}, {size}");
        }
    }
}

/// The ping-pong with caches under it: latency, misses, and how they change along what is varied.
#[test]
fn the_ping_pong_comes_out_as_expected() {
    for study in [
        "a1",
        "a1_phases",
        "a2",
        "b1",
        "b2",
        "pingpong",
        "processes",
        "ring",
        "barrier",
        "barrier_line",
        "locks",
    ] {
        let (status, document) = measure_in("pingpong", &format!("{study}.toml"), "");
        let answers = document["answers"].as_array().expect("a list");
        assert!(answers.iter().any(|answer| answer["met"] == true), "{study}");
        assert_eq!(status, Some(0), "{study}");
    }
}

/// A study of a bottleneck is a test: it says what limits the design, and how fast it is.
#[test]
fn every_study_of_a_bottleneck_expects_something() {
    let (_, document) = measure_in("bottlenecks", "", "");
    for model in document["models"].as_array().expect("a list") {
        for kind in ["bottleneck", "throughput"] {
            let is_judged = |answer: &Value| answer["kind"] == kind && answer["met"] == true;
            let answers = model["answers"].as_array().expect("a list");
            assert!(answers.iter().any(is_judged), "{}: {kind}", model["model"]);
        }
    }
}

/// The ping-pong in LOTOS, with caches written by hand, and in Promela with caches put under it: the same
/// latency and the same misses, also of each process. Bounds of the same number have a number in common.
#[test]
fn caches_by_hand_and_by_the_table_agree() {
    let (_, layered) = measure_in("pingpong", "pingpong.toml", "");
    let (_, by_process) = measure_in("pingpong", "processes.toml", "");
    let points = layered["sweep"].as_array().expect("a list");
    assert_eq!(points.len(), 12);
    let (mut compared, mut of_processes) = (0, 0);
    for (study, implementation, table) in [
        ("locks_a.toml", "1", "mesi-a"),
        ("locks_b.toml", "1", "mesi-b"),
        ("buffers_a.toml", "2", "mesi-a"),
        ("buffers_b.toml", "2", "mesi-b"),
    ] {
        let (_, by_hand) = measure_in("pingpong/lotos", study, "");
        for point in by_hand["sweep"].as_array().expect("a list") {
            let distance: usize =
                point["settings"]["distance"].as_str().and_then(|text| text.parse().ok()).expect("0 to 2");
            let place = ["here.0", "here.1", "there.0"][distance];
            let is_same = |other: &&Value| {
                let settings = &other["settings"];
                settings["SR"] == implementation
                    && settings["coherence"] == table
                    && settings["mapping.pong"] == place
            };
            let answers = |document: &Value| {
                let points = document["sweep"].as_array().expect("a list");
                let same = points.iter().find(is_same).expect("a point");
                same["answers"].as_array().expect("a list").clone()
            };
            let same: Vec<Value> = [answers(&layered), answers(&by_process)].concat();
            for answer in point["answers"].as_array().expect("a list") {
                let other = same.iter().find(|other| other["name"] == answer["name"]);
                let other = other.unwrap_or_else(|| panic!("{answer} is asked in one way only"));
                of_processes += usize::from(answer["name"].as_str().expect("a name").contains(" of "));
                let bound = |answer: &Value, end: &str| answer["value"][end].as_f64().expect("a number");
                let meet = bound(answer, "low") <= bound(other, "high")
                    && bound(other, "low") <= bound(answer, "high");
                assert!(meet, "{study}, distance {distance}: {answer} {other}");
                compared += 1;
            }
        }
    }
    // Of each distance and protocol: latency and three kinds with locks, two without; each kind again for
    // both processes.
    assert_eq!((compared, of_processes), (6 * (4 + 3) + 6 * (6 + 4), 6 * (6 + 4)));
}

/// The counterpart of the papers' first figure: LCP, which handles fewer events for a packet, has the higher
/// bandwidth for small packets, and MCP, whose engines overlap, for large ones. MCP goes round its loop in 18
/// us for packets of these sizes, and LCP needs 6 us + s/132 + s/160: more from 868 bytes on.
#[test]
fn bandwidths_of_both_firmwares_cross_over() {
    let (_, document) = measure_in("myrinet/sizes", "figure1.toml", "");
    let points = document["sweep"].as_array().expect("a list");
    let bandwidths = |firmware: &str| -> Vec<(String, f64)> {
        let is_its = |point: &&Value| point["settings"]["FIRMWARE"] == firmware;
        let point = |point: &Value| {
            let size = point["settings"]["packet"].as_str().expect("a size").to_owned();
            (size, point["answers"][0]["value"]["low"].as_f64().expect("a number"))
        };
        points.iter().filter(is_its).map(point).collect()
    };
    let (lcp, mcp) = (bandwidths("LCP"), bandwidths("MCP"));
    assert_eq!(lcp.len(), 11);
    let mut has_crossed = false;
    for ((size, lcp), (_, mcp)) in lcp.into_iter().zip(mcp) {
        has_crossed |= size == "868 B";
        assert_eq!(lcp < mcp, has_crossed, "{size}: {lcp} {mcp}");
    }
    assert!(has_crossed);
}

/// What is said of the ninth pointer miss of the paper: at every distance, and however one polls, there are
/// eight at most, as each of the four variables goes to the other process and back once a message.
#[test]
fn no_choice_gives_a_ninth_pointer_miss() {
    let mut counts = Vec::new();
    for polling in ["POLL_LOCKED=0", "POLL_LOCKED=1"] {
        let (_, document) = measure_in("pingpong", "a1_phases.toml", polling);
        for point in document["sweep"].as_array().expect("a list") {
            let is_it = |answer: &&Value| answer["name"] == "pointer misses";
            let answer =
                point["answers"].as_array().expect("a list").iter().find(is_it).expect("it is asked");
            counts.push(answer["value"]["high"].as_f64().expect("a number"));
        }
    }
    assert_eq!(counts.len(), 6, "{counts:?}");
    assert!(counts.iter().all(|count| (7.9..8.0001).contains(count)), "{counts:?}");
}

/// The composed ping-pong without locks, minimised part by part, is what it is if it is minimised at once.
#[test]
fn composed_lotos_is_minimised_part_by_part() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/compositional");
    let mut command = Command::new("python3");
    command.arg(script).arg("buffers").env("NARROWS_BIN", program().expect("the program"));
    let Ok(output) = command.output() else {
        println!("not compared: there is no python3");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let minimised = |step: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("| {step} |"))).expect("a step");
        line.trim_end_matches(" |").rsplit(' ').next().expect("a number").to_owned()
    };
    assert_eq!(minimised("with data (2)"), minimised("the whole model at once"));
    assert!(text.contains("The same"), "{text}");
}

/// No mean exceeds what there could be if the busiest process never waited. MCP's host DMA serves arrivals
/// more often than sends when delays are random, so that what it could do for arrivals is told by how busy it
/// is.
#[test]
fn no_mean_exceeds_what_is_called_possible() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/myrinet/mcp.toml");
    let mut command = Command::new(program().expect("the program"));
    let output =
        command.arg("bottleneck").arg(path).args(["--no-report", "--format", "json", "--quiet"]).output();
    let document: Value = serde_json::from_slice(&output.expect("it runs").stdout).expect("a document");
    let answers = document["answers"].as_array().expect("a list");
    let mean = |kind: &str, name: &str| {
        let is_it = |answer: &&Value| {
            answer["kind"] == kind && answer["name"] == name && answer["view"] == "stochastic"
        };
        let found = answers.iter().find(is_it).expect("it is found");
        f64::midpoint(
            found["value"]["low"].as_f64().expect("low"),
            found["value"]["high"].as_f64().expect("high"),
        )
    };
    let flow = |event: &str| {
        let is_it = |answer: &&Value| answer["kind"] == "bottleneck" && answer["name"] == event;
        answers.iter().rev().find(is_it).expect("it is found")
    };
    let busy = mean("utilisation", "to_card") + mean("utilisation", "to_host");
    let received = mean("throughput", "received");
    let exact = flow("received")["cases"][0]["all_overlapped"].as_f64().expect("a number");
    let possible = flow("received")["mean_overlapped"].as_f64().expect("a number");
    assert!(exact < received && received < possible, "{exact} {received} {possible}");
    assert!((possible - received / busy).abs() < 1e-6 * possible, "{possible}, {received} / {busy}");
    // Sends are not more than in the exact round, which bounds them.
    assert!(flow("sent")["mean_overlapped"].is_null());
}

/// The ping-pong in LOTOS as the paper composes it, with Memory, Caches and Latency as processes: the same
/// latency and the same misses as with caches put under the Promela model, in one phase and in two, in all
/// configurations.
#[test]
fn composed_lotos_and_the_coherence_layer_agree() {
    let scratch = Scratch::new().expect("a folder");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/pingpong");
    for name in ["pingpong.pml", "sr1.pml", "sr2.pml"] {
        fs::copy(folder.join(name), scratch.path().join(name)).expect("it is copied");
    }
    let text = fs::read_to_string(folder.join("pingpong.toml")).expect("a study");
    let path = scratch.path().join("phases.toml");
    fs::write(&path, text.replace("[sweep]", "[sweep]\n\"coherence.phases\" = [1, 2]"))
        .expect("it is written");
    let (_, layered) = measure_file(&path, "");
    let layered = layered["sweep"].as_array().expect("a list");
    assert_eq!(layered.len(), 24);
    let mut compared = 0;
    for (study, implementation) in [("composed_locks.toml", "1"), ("composed_buffers.toml", "2")] {
        let (status, composed) = measure_in("pingpong/lotos", study, "");
        assert_eq!(status, Some(0), "{study}");
        let points = composed["sweep"].as_array().expect("a list");
        assert_eq!(points.len(), 12);
        for point in points {
            let setting = |name: &str| point["settings"][name].as_str().expect("a text").to_owned();
            let distance: usize = setting("distance").parse().expect("0 to 2");
            let place = ["here.0", "here.1", "there.0"][distance];
            let table = format!("mesi-{}", setting("protocol").to_lowercase());
            let is_same = |other: &&Value| {
                let settings = &other["settings"];
                settings["SR"] == implementation
                    && settings["coherence"] == table.as_str()
                    && settings["coherence.phases"] == setting("phases").as_str()
                    && settings["mapping.pong"] == place
            };
            let same = layered.iter().find(is_same).expect("a point");
            for answer in point["answers"].as_array().expect("a list") {
                let others = same["answers"].as_array().expect("a list");
                let other = others.iter().find(|other| other["name"] == answer["name"]).expect("it is asked");
                let bound = |answer: &Value, end: &str| answer["value"][end].as_f64().expect("a number");
                let meet = bound(answer, "low") <= bound(other, "high")
                    && bound(other, "low") <= bound(answer, "high");
                assert!(meet, "{study}, {}: {answer} {other}", point["settings"]);
                compared += 1;
            }
        }
    }
    // Latency and three kinds of misses with locks, two without.
    assert_eq!(compared, 12 * 4 + 12 * 3);
}
