//! The ping-pong of two MPI processes in LOTOS: all configurations have the figures of the reference, which
//! were computed with another program.

mod studies;

use std::fs;
use std::path::{Path, PathBuf};

use narrows::PreparedStudy;
use narrows_explicit::{Budget, Unwatched};
use narrows_lts::mu::{Checker, parse};
use narrows_lts::{Graph, LabelPattern, Relation, Settings, Verdict, aut, compare, edit};
use narrows_model::{Figure, FigureResult};
use narrows_performance::Delay;
use narrows_performance::labelled::build;
use narrows_source::{Diagnostics, FileId, LoadError, Loaded, Loader, Span};
use narrows_study::{Ask, Question, Study, Text};
use studies::budget;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pingpong/lotos")
}

/// Files beside the studies: models to compare with.
struct Beside;

impl Loader for Beside {
    fn load(&self, path: &str, _: &str, _: bool) -> Result<Loaded, LoadError> {
        let text = fs::read_to_string(folder().join(path)).map_err(|_| LoadError::NoFiles)?;
        Ok(Loaded { name: path.to_owned(), text })
    }
}

fn prepared(name: &str, constants: &[(&str, &str)]) -> PreparedStudy {
    let set = |study: &mut Study| {
        for (constant, value) in constants {
            study.set_constant(&named(constant), value);
        }
    };
    prepare(&folder().join(name), &set)
}

fn named(text: &str) -> Text {
    Text { text: text.to_owned(), span: Span::default() }
}

/// Reads a study and its model, which stands beside it.
fn prepare(place: &Path, change: &dyn Fn(&mut Study)) -> PreparedStudy {
    let study = fs::read_to_string(place).expect("a study");
    let model = study.lines().find_map(|line| line.strip_prefix("model = \"")?.strip_suffix('"'));
    let model = model.expect("a model").to_owned();
    let text = fs::read_to_string(place.with_file_name(&model)).expect("a model");
    let found = studies::prepared(&study, (&model, &text), &Beside, change);
    found.unwrap_or_else(|rejected| panic!("{:#?}", studies::wrong(&rejected, |one, _| one.title.clone())))
}

/// Returns the graph of all states of the model of a study.
fn graph(prepared: &PreparedStudy) -> Graph {
    let model = prepared.model();
    let system = &model.labelled().expect("a labelled system").system;
    build(&**system, &Budget::unlimited(Unwatched)).unwrap_or_else(|_| panic!("no graph")).graph
}

/// The figures of a study at a distance: the latency, and the misses.
fn figures(name: &str, distance: &str) -> Vec<f64> {
    let mut prepared = prepared(name, &[("distance", distance)]);
    prepared.study.asks.iter_mut().for_each(|ask| ask.expect = None);
    let measured = prepared.measure(&budget());
    let middle = |result: &FigureResult| match result {
        FigureResult::Value { low, high, .. } => f64::midpoint(low.to_f64(), high.to_f64()),
        other => panic!("{name}: {other:?}"),
    };
    measured.figures.iter().map(|figure| middle(&figure.result)).collect()
}

#[test]
fn all_configurations_have_the_figures_of_the_reference() {
    // The study, the latencies at three distances, and the misses of packets, pointers and locks at the
    // middle one.
    let cases: [(&str, [f64; 3], &[f64]); 6] = [
        ("locks_a.toml", [3349.0, 6849.0, 10197.0], &[4.0, 8.0, 7.86]),
        ("locks_b.toml", [4501.0, 8581.0, 12510.0], &[4.0, 14.0, 7.92]),
        ("buffers_a.toml", [2145.0, 4185.0, 6145.0], &[4.0, 8.0]),
        ("buffers_b.toml", [2925.0, 5365.0, 7725.0], &[4.0, 12.0]),
        ("polling_a.toml", [3074.0, 6236.0, 9261.0], &[4.0, 8.0, 5.0]),
        ("polling_b.toml", [4197.0, 7908.0, 11481.0], &[4.0, 14.0, 5.48]),
    ];
    let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-3 * expected;
    for (name, latencies, misses) in cases {
        for (distance, latency) in ["0", "1", "2"].iter().zip(latencies) {
            let found = figures(name, distance);
            assert!(near(found[0], latency), "{name} at {distance}: {} and not {latency}", found[0]);
            if *distance == "1" {
                for (found, expected) in found[1..].iter().zip(misses) {
                    assert!(near(*found, *expected), "{name}: {found} and not {expected}");
                }
            }
        }
    }
}

#[test]
fn all_are_the_abstract_ping_pong_once_the_rest_is_hidden() {
    let plain = "des (0, 3, 3)\n(0, \"START\", 1)\n(1, \"ARRIVE !1\", 2)\n(2, \"ARRIVE !0\", 0)\n";
    let plain = aut::read(plain).expect("a graph");
    for name in [
        "locks_a.toml",
        "locks_b.toml",
        "buffers_a.toml",
        "buffers_b.toml",
        "polling_a.toml",
        "polling_b.toml",
    ] {
        let graph = graph(&prepared(name, &[]));
        let names = vec!["START".to_owned(), "ARRIVE".to_owned()];
        let choice = edit::Choice { names, patterns: Vec::new(), all_but: true };
        let hidden = edit::hide(&graph, &choice);
        let verdict = compare(&hidden, &plain, Settings::plain(Relation::Branching));
        assert_eq!(verdict, Ok(Verdict::Equivalent), "{name}");
    }
}

#[test]
fn locks_and_caches_are_what_they_should_be() {
    for (name, constant, values) in [
        ("verify_locks.toml", "protocol", ["A", "B"]),
        ("verify_locks.toml", "locked", ["false", "true"]),
        ("verify_coherence.toml", "protocol", ["A", "B"]),
    ] {
        for value in values {
            let measured = prepared(name, &[(constant, value)]).measure(&budget());
            for figure in &measured.figures {
                assert_eq!(figure.result, FigureResult::Word("holds".to_owned()), "{name}: {}", figure.name);
            }
        }
    }
    // The formulas are about something: locks are taken, and given back.
    let graph = graph(&prepared("verify_locks.toml", &[]));
    let text = r"[ true* . 'ENTER !.* !IN_LOCK \(1\)' . true* . 'ENTER !.* !IN_LOCK \(1\)' ] false";
    let formula = parse(FileId(0), text, &mut Diagnostics::default()).expect("a formula");
    assert!(!Checker::new(&graph).check(&formula).expect("an answer").holds());
    let pattern = LabelPattern::new("LEAVE !0 !FREE_LOCK (0)").expect("a pattern");
    assert!(graph.labels().iter().any(|label| pattern.fits(label)));
}

/// Asks one question of a study, with delays of another kind.
fn asked(place: &Path, question: fn(Text) -> Question, kind: fn(&Delay) -> Delay) -> Vec<Figure> {
    let change = |study: &mut Study| {
        study.delays.iter_mut().for_each(|entry| entry.delay = kind(&entry.delay));
        let layers = study.coherence.iter_mut().flat_map(|layer| &mut layer.latencies);
        for delay in layers.flat_map(|(_, list)| list) {
            *delay = kind(delay);
        }
        study.asks = vec![Ask::plain(question(named("transfer")))];
    };
    prepare(place, &change).measure(&budget()).figures
}

/// With latencies that are exact, or that have stages, caches by hand and caches put under Promela still
/// agree.
#[test]
fn other_latencies_agree_with_the_layer() {
    let layered = folder().join("..");
    for (by_hand, by_table) in [
        ("locks_a.toml", "a1.toml"),
        ("locks_b.toml", "b1.toml"),
        ("buffers_a.toml", "a2.toml"),
        ("buffers_b.toml", "b2.toml"),
    ] {
        let places = [folder().join(by_hand), layered.join(by_table)];
        let [one, other] = places
            .each_ref()
            .map(|place| asked(place, Question::Throughput, |delay| Delay::Fixed(delay.mean())));
        assert_eq!((one[0].view, other[0].view), ("timed", "timed"));
        assert!(matches!(one[0].result, FigureResult::Value { exact: true, .. }), "{by_hand}");
        assert_eq!(one[0].result, other[0].result, "{by_hand}");
        let [one, other] = places
            .each_ref()
            .map(|place| asked(place, Question::MeanPeriod, |delay| Delay::Erlang(3, delay.mean())));
        let bounds = |figures: &[Figure]| match &figures[0].result {
            FigureResult::Value { low, high, .. } => (low.to_f64(), high.to_f64()),
            other => panic!("{by_hand}: {other:?}"),
        };
        let (one, other) = (bounds(&one), bounds(&other));
        assert!(one.0 <= other.1 && other.0 <= one.1, "{by_hand}: {one:?} {other:?}");
    }
}
