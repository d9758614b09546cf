//! Caches under models: the ping-pong's known figures, random programs against a chain built by hand, and
//! mistakes.

mod oracle;
mod studies;

use narrows_model::{Figure, FigureResult};
use narrows_source::{LoadError, Loaded, Loader};
use studies::{budget, prepared, wrong};

struct Folder;

impl Loader for Folder {
    fn load(&self, path: &str, _: &str, _: bool) -> Result<Loaded, LoadError> {
        let text = example(path);
        Ok(Loaded { name: path.to_owned(), text })
    }
}

/// Returns a file of the example.
fn example(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pingpong/");
    std::fs::read_to_string(format!("{folder}{name}")).expect("an example")
}

/// Measures a study; the error is what is wrong with it.
fn figures(model: &str, study: &str) -> Result<Vec<Figure>, Vec<String>> {
    let prepared = prepared(study, ("m.pml", model), &Folder, &|_| {}).map_err(|rejected| {
        wrong(&rejected, |one, sources| {
            let help = one.help.as_deref().unwrap_or("");
            format!("{} {} [{}] {help}", one.code, one.title, sources.text(one.primary.span))
        })
    })?;
    Ok(prepared.measure(&budget()).figures)
}

fn values(model: &str, study: &str) -> Vec<f64> {
    let value = |figure: &Figure| match &figure.result {
        FigureResult::Value { low, high, .. } => f64::midpoint(low.to_f64(), high.to_f64()),
        other => panic!("{}: {other:?}", figure.name),
    };
    figures(model, study).expect("a good study").iter().map(value).collect()
}

const LATENCIES: &str = "
[latency]
hit = 5
cache = [190, 420, 640]
memory = [170, 330, 500]
memory_lookup = [200, 400, 600]
memory_invalidate = [200, 400, 600]
";

/// A configuration of the ping-pong: the study that asks for latency and misses.
fn pingpong(table: &str, is_lists: bool, pong: &str, phases: u32) -> String {
    let (names, kinds) = if is_lists {
        let per_process = ["avail_head", "avail_lock", "in_head", "in_tail", "in_lock"];
        let kinds = "pointer = [\"avail_head\", \"in_head\", \"in_tail\", \"next\"]\nlock = [\"avail_lock\", \"in_lock\"]";
        (per_process.to_vec(), kinds)
    } else {
        let kinds = "pointer = [\"avail\", \"avail_end\", \"in\", \"in_end\"]";
        (vec!["avail", "avail_end", "in", "in_end"], kinds)
    };
    let mut homes: Vec<String> = names.iter().map(|name| format!("{name} = [\"ping\", \"pong\"]")).collect();
    let packets = if is_lists { vec!["next", "header", "data"] } else { vec!["header", "data"] };
    homes.extend(packets.iter().map(|name| format!("{name} = [\"ping\", \"ping\", \"pong\"]")));
    let homes = homes.join("\n");
    let locks = "[[ask]]\nmean_count = { of = \"miss(lock)\", per = \"transfer\" }\n";
    format!(
        "model = \"m.pml\"\nunit = \"ns\"\ncoherence = {{ table = \"{table}\", phases = {phases} }}
[topology]
nodes = [\"0.0\", \"0.1\", \"1.0\"]
[mapping]
ping = \"0.0\"
pong = \"{pong}\"
{homes}
[kind]
packet = [\"header\", \"data\"]
{kinds}
{LATENCIES}
[event]
transfer = [\"ping:start\", \"pong:start\"]
[[ask]]
mean_period = \"transfer\"
[[ask]]
mean_count = {{ of = \"miss(packet)\", per = \"transfer\" }}
[[ask]]
mean_count = {{ of = \"miss(pointer)\", per = \"transfer\" }}
{}",
        if is_lists { locks } else { "" }
    )
}

/// Table, model, definitions, latencies by distance, and misses at distance 1.
type Known = (&'static str, &'static str, &'static str, [f64; 3], &'static [f64]);

/// What an explicit Markov chain, built and solved elsewhere, gave for each configuration.
#[test]
fn the_ping_pong_has_its_figures() {
    let table: [Known; 6] = [
        ("mesi-a", "sr1.pml", "#define POLL_LOCKED 1\n", [3349.0, 6849.0, 10197.0], &[4.0, 8.0, 7.86]),
        ("mesi-b", "sr1.pml", "#define POLL_LOCKED 1\n", [4501.0, 8581.0, 12510.0], &[4.0, 14.0, 7.92]),
        ("mesi-a", "sr2.pml", "", [2145.0, 4185.0, 6145.0], &[4.0, 8.0]),
        ("mesi-b", "sr2.pml", "", [2925.0, 5365.0, 7725.0], &[4.0, 12.0]),
        ("mesi-a", "sr1.pml", "#define POLL_LOCKED 0\n", [3074.0, 6236.0, 9261.0], &[4.0, 8.0, 5.0]),
        ("mesi-b", "sr1.pml", "#define POLL_LOCKED 0\n", [4197.0, 7908.0, 11481.0], &[4.0, 14.0, 5.48]),
    ];
    for (protocol, model, defines, latencies, misses) in table {
        for (pong, latency) in ["0.0", "0.1", "1.0"].into_iter().zip(latencies) {
            let study = pingpong(protocol, model == "sr1.pml", pong, 1);
            let found = values(&format!("{defines}{}", example(model)), &study);
            let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
            assert!(near(found[0], latency), "{protocol} {model} {pong}: {found:?}");
            if pong == "0.1" {
                for (found, expected) in found[1..].iter().zip(misses) {
                    assert!(near(*found, *expected), "{protocol} {model} {pong}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn caches_that_change_in_the_middle_make_fewer_lock_misses() {
    let found = values(&example("sr1.pml"), &pingpong("mesi-a", true, "0.1", 2));
    assert!((found[1] - 4.0).abs() < 1e-3 && (found[2] - 8.0).abs() < 1e-3, "{found:?}");
    assert!((found[3] - 6.8).abs() < 0.05, "{found:?}");
}

/// In this reading the two protocols are the same for the lock-free primitives.
#[test]
fn the_store_reading_tells_nothing_apart() {
    let a = values(&example("sr2.pml"), &pingpong("mesi-a", false, "0.1", 1));
    let b = values(&example("sr2.pml"), &pingpong("mesi-b-store", false, "0.1", 1));
    assert!((a[0] / b[0] - 1.0).abs() < 1e-6, "{a:?} {b:?}");
}

#[test]
fn random_programs_are_what_a_chain_by_hand_says() {
    let mut solved = 0;
    for seed in 0..150 {
        let program = oracle::Program::random(seed);
        let Some((period, misses)) = program.solve() else { continue };
        solved += 1;
        let found = values(&program.promela(), &program.study());
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-5 * expected.abs().max(1e-3);
        assert!(
            near(found[0], period) && near(found[1], misses),
            "seed {seed}: {found:?}, by hand {period} {misses}\n{}\n{}",
            program.promela(),
            program.study()
        );
    }
    assert!(solved > 50, "only {solved} programs are small enough");
}

/// A model of two processes that share `x`, `y` and `a`.
fn two(body: &str) -> String {
    format!(
        "byte x, y, a[2], i;
        active proctype one() {{ byte t; do :: {body} od }}
        active proctype two() {{ byte t; do :: x = 1; y = a[0]; a[1] = i; i = 0 od }}"
    )
}

const PLAIN: &str = "model = \"m.pml\"\nunit = \"ns\"\ncoherence = \"mesi-a\"\n";

fn mistakes(model: &str, study: &str) -> String {
    figures(model, study).err().unwrap_or_default().join("\n")
}

#[test]
fn what_is_no_single_access_is_said_to_be_so() {
    let study = format!("{PLAIN}{LATENCIES}");
    let cases = [
        ("atomic { x == 0 -> y = 1 }", "C0009 this atomic sequence uses more than one place"),
        ("d_step { x = 1; y = 1 }", "C0009 this atomic sequence uses more than one place"),
        ("atomic { t = a[t]; a[t] = 1 }", "C0009 this atomic sequence changes what it takes as an index"),
        ("{ t = 1 } unless { x == 1 }", "C0008 shared memory is used inside `unless`"),
    ];
    for (body, expected) in cases {
        let found = mistakes(&two(body), &study);
        assert!(found.contains(expected), "{body}: {found}");
    }
    for body in [
        "atomic { x == 0 -> x = 1 }",
        "d_step { t = x; x = x + 1 }",
        "atomic { if :: x == 0 -> x = 1; t = 1 :: else -> t = 0 fi }",
        "x++; t = x + y * a[i]; a[a[t % 2] % 2] = y",
        "if :: x == 0 && y == 1 -> t = 1 :: a[t % 2] > 1 -> t = 0 :: else fi",
        "x == 1; assert(y <= 255); printf(\"%d\", x)",
    ] {
        let found = mistakes(&two(body), &study);
        assert_eq!(found, "", "{body}");
    }
}

#[test]
fn mistakes_in_a_study_are_found() {
    let model = two("t = x");
    let nodes = "[topology]\nnodes = [\"a.0\", \"a.1\"]\n";
    let cases = [
        (format!("model = \"m.pml\"\nunit = \"ns\"\n{LATENCIES}"), "S0003 `latency` is about caches"),
        (format!("{PLAIN}[latency]\nhit = 1"), "C0011 `[latency]` does not say how long `memory` takes"),
        (
            format!("{PLAIN}{}", LATENCIES.replace("memory =", "memry =")),
            "C0011 the coherence table has no transfer `memry` [memry] did you mean `memory`?",
        ),
        (
            PLAIN.replace("mesi-a", "mesi-c"),
            "C0001 there is no coherence table `mesi-c` [mesi-c] did you mean",
        ),
        (format!("{PLAIN}{LATENCIES}[kind]\nbig = [\"z\"]"), "C0007 the model has no variable `z`"),
        (
            format!("{PLAIN}{LATENCIES}[mapping]\nthree = \"a.0\""),
            "C0007 the model has no variable or process `three`",
        ),
        (format!("{PLAIN}{LATENCIES}{nodes}"), "C0006 `[mapping]` does not say on which node `one` runs"),
        (
            format!("{PLAIN}{LATENCIES}{nodes}[mapping]\none = \"a.0\"\ntwo = \"a.1\""),
            "C0006 `[mapping]` does not say in which node's memory",
        ),
        (
            format!("{PLAIN}{LATENCIES}{nodes}[mapping]\none = \"a.0\"\ntwo = \"b.1\"\n\"*\" = \"one\""),
            "C0006 there is no node `b.1`",
        ),
        (
            format!("{PLAIN}{LATENCIES}[[ask]]\nthroughput = \"miss(z)\""),
            "S0007 `z` is not a kind, a shared variable, a process or a transfer",
        ),
        (PLAIN.replace("\"mesi-a\"", "{ table = \"mesi-a\", phases = 3 }"), "S0005 `phases` is 1 or 2"),
    ];
    for (study, expected) in cases {
        let found = mistakes(&model, &study);
        assert!(found.contains(expected), "{study}: {found}");
    }
}

/// Two variables that two processes use apart from each other cost hits only, unless they share a line.
#[test]
fn false_sharing_costs() {
    let model = "byte x, y, z;
        active proctype one() { do :: start: x = 1 od }
        active proctype two() { do :: y = 1 od }
        active proctype watcher() { halt: skip; z = x + y }";
    let ask = "[delay]\n\"watcher:halt\" = { exponential = 1 }\n[[ask]]\nmean_period = \"one:start\"\n";
    let apart = values(model, &format!("{PLAIN}{LATENCIES}{ask}"));
    assert!((apart[0] - 5.0).abs() < 1e-5, "{apart:?}");
    let shared = values(model, &format!("{PLAIN}{LATENCIES}{ask}[line]\nboth = [\"x\", \"y\"]\n"));
    // Who stored last hits until the other one stores. By hand, with misses at rate a and hits at rate h:
    // both miss and one goes on hitting are equally likely, and each hit that is still under way makes it a/h
    // times less.
    let (a, h) = (1.0 / 190.0, 1.0 / 5.0);
    let r = a / h;
    let expected = 2.0 * (2.0 + r + r * r) / (2.0 * a + (h + a) * (1.0 + r) + 2.0 * h * r * r);
    assert!((shared[0] / expected - 1.0).abs() < 1e-5, "{shared:?} {expected}");
}
