//! Searches by tables against searches that execute every step: the same counts, and the same findings with
//! runs as short, on models of all kinds.

use std::fs;
use std::path::{Path, PathBuf};

use narrows_explicit::{
    Budget, End, Engine, Exploration, Options as Asked, SearchScope, Unwatched, Wrong, accepts_tables,
    breadth_first, breadth_first_by_tables, check, invariants_by_tables, is_invariant, replay,
};
use narrows_gpu::{Cuda, Device, Limits, Reference};
use narrows_languages::promela::{Options, compile};
use narrows_model::{Evaluator, Question, Reply, System, Verdict};
use narrows_source::{Diagnostics, LoadError, Loaded, Loader, Sources};
use narrows_tests::generator;
use narrows_tests::seeds::seeds;

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, LoadError> {
        let path = Path::new(from).with_file_name(path);
        let text = fs::read_to_string(&path).map_err(|error| LoadError::Unreadable {
            name: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(Loaded { name: path.display().to_string(), text })
    }
}

/// Atomic sequences need a deep stack, as the program itself has.
const STACK: usize = 512 << 20;

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    models: usize,
    refused: usize,
    large: usize,
    states: u64,
    by_host: u64,
    findings: usize,
}

fn system(name: &str, text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    compile(&mut sources, file, &Disk, &Options::default(), &mut Diagnostics::default())
}

/// The processor, or with `NARROWS_GPU=1` a GPU.
fn device() -> Box<dyn Device> {
    let limits = Limits { memory: Some(256 << 20) };
    match std::env::var_os("NARROWS_GPU") {
        Some(_) => Box::new(Cuda::open(limits).expect("a GPU")),
        None => Box::new(Reference::new(limits)),
    }
}

/// What both must have in common: each thing that goes wrong, how often, and how long the run to it is. Which
/// one of several deadlocks comes first differs.
fn findings(exploration: &Exploration) -> (Vec<String>, Option<usize>) {
    let is_deadlock = |wrong: &Wrong| matches!(wrong, Wrong::Deadlock(_));
    let violations = exploration.findings.iter().filter(|found| !is_deadlock(&found.wrong));
    let length = |run: &Option<narrows_explicit::Run>| run.as_ref().map(|run| run.choices.len());
    let mut list: Vec<String> = violations
        .map(|found| {
            let Wrong::Violation(violation) = &found.wrong else { unreachable!("there are no others") };
            format!("{:?} {:?} {} {:?}", violation.kind, violation.span, found.count, length(&found.run))
        })
        .collect();
    list.sort();
    let deadlocks = || exploration.findings.iter().filter(|found| is_deadlock(&found.wrong));
    list.push(format!(
        "{} deadlocks of {} kinds",
        deadlocks().map(|found| found.count).sum::<u64>(),
        deadlocks().count()
    ));
    (list, deadlocks().find_map(|found| length(&found.run)))
}

fn agree(name: &str, system: &System, most: u64, device: &mut dyn Device, compared: &mut Compared) {
    let engine = Engine::automatic(Evaluator::new(system));
    if accepts_tables(&engine).is_err() {
        compared.refused += 1;
        return;
    }
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: most, transitions: most * 20, ..SearchScope::within(&budget) };
    let expected = breadth_first(&engine, &[], &scope);
    if expected.end == End::Enough {
        compared.large += 1;
        return;
    }
    for samples in [2, 200] {
        let found = breadth_first_by_tables(&engine, &[], &scope, device, samples);
        let Ok(found) = found else {
            compared.refused += 1;
            return;
        };
        let of = |exploration: &Exploration| {
            let coverage = exploration.coverage.clone();
            (exploration.end, coverage.states, coverage.transitions, coverage.depth, coverage.taken)
        };
        assert_eq!(of(&expected), of(&found), "{name}: {samples} samples");
        assert_eq!(findings(&expected), findings(&found), "{name}: {samples} samples");
        for finding in found.findings.iter().filter(|finding| finding.run.is_some()) {
            replay(engine.evaluator(), finding).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
        let by_host = found.profile.iter().flat_map(|profile| &profile.counts);
        compared.by_host +=
            by_host.filter(|(what, _)| *what == "by the host").map(|(_, count)| count).sum::<u64>();
        compared.states += found.coverage.states;
        compared.findings += found.findings.len();
    }
    compared.models += 1;
}

/// Runs a test on a large stack, with a device.
fn with_device(test: impl FnOnce(&mut dyn Device) + Send) {
    std::thread::scope(|scope| {
        let worker =
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || test(&mut *device()));
        worker.expect("a thread").join().expect("no difference");
    });
}

fn compare(name: &str, text: &str, most: u64, device: &mut dyn Device, compared: &mut Compared) {
    if let Some(system) = system(name, text) {
        agree(name, &system, most, device, compared);
    }
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}

fn compare_folder(folder: &Path, most: u64, device: &mut dyn Device) -> Compared {
    let (mut paths, mut compared) = (Vec::new(), Compared::default());
    models(folder, &mut paths);
    for path in &paths {
        let text = String::from_utf8_lossy(&fs::read(path).expect("a model")).into_owned();
        compare(&path.display().to_string(), &text, most, device, &mut compared);
    }
    compared
}

#[test]
fn tables_agree_on_our_models() {
    with_device(|device| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let ours = compare_folder(&root.join("models"), 20_000, device);
        assert!(ours.models > 50 && ours.findings > 10, "{ours:?}");
        let examples = compare_folder(&root.join("../examples"), 20_000, device);
        assert!(examples.models > 5, "{examples:?}");
    });
}

#[test]
fn tables_agree_on_models_of_spin() {
    with_device(|device| {
        compare_folder(Path::new("/usr/share/doc/spin/examples"), 20_000, device);
    });
}

/// Compares what is found about `[] !(variable == value)`: whether it holds, and how long the run is.
fn compare_invariants(name: &str, text: &str, device: &mut dyn Device, compared: &mut (usize, usize)) {
    let Some(plain) = system(name, text) else { return };
    let engine = Engine::automatic(Evaluator::new(&plain));
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: 5_000, ..SearchScope::within(&budget) };
    if accepts_tables(&engine).is_err() || breadth_first(&engine, &[], &scope).end != End::Complete {
        return;
    }
    let scope = SearchScope::within(&budget);
    for leaf in plain.globals.iter().take(3) {
        let formulas = [1, 2].map(|value| format!("ltl i{value} {{ [] !({} == {value}) }}", leaf.name));
        let Some(system) = system(name, &format!("{text}\n{}\n", formulas.join("\n"))) else { return };
        let engine = Engine::automatic(Evaluator::new(&system));
        let first = system.properties.len() - formulas.len();
        let questions: Vec<Question> = (first..system.properties.len())
            .map(|index| Question::Property {
                kind: "ltl",
                name: system.properties[index].name.clone(),
                index,
            })
            .collect();
        assert!(questions.iter().all(|question| is_invariant(&system, question)), "{name}");
        let expected = check(&engine, &questions, &Asked::default(), &scope).expect("replayed");
        let found = invariants_by_tables(&engine, &questions, &scope, device, 50).expect("replayed");
        let Ok(found) = found else { return };
        for (reply, found) in expected.replies.iter().zip(&found.verdicts) {
            let Reply::Answer(expected) = reply else { continue };
            match (&expected.verdict, found) {
                (Verdict::Holds, Verdict::Holds) => compared.0 += 1,
                (Verdict::Fails { trace, shortest, .. }, Verdict::Fails { trace: other, .. }) => {
                    compared.1 += 1;
                    let lengths = (trace.steps.len(), other.steps.len());
                    assert!(lengths.0 >= lengths.1, "{name} {}: {lengths:?}", leaf.name);
                    assert!(!*shortest || lengths.0 == lengths.1, "{name} {}: {lengths:?}", leaf.name);
                }
                (expected, found) => panic!("{name} {}: {expected:?} {found:?}", leaf.name),
            }
        }
    }
}

#[test]
fn tables_agree_on_invariants() {
    with_device(|device| {
        let (mut paths, mut compared) = (Vec::new(), (0, 0));
        models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models"), &mut paths);
        for path in paths {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a model")).into_owned();
            compare_invariants(&path.display().to_string(), &text, device, &mut compared);
        }
        for seed in seeds(60) {
            let text = generator::generate(seed).to_string();
            compare_invariants(&format!("seed {seed}"), &text, device, &mut compared);
        }
        eprintln!("{compared:?}");
        assert!(compared.0 > 20 && compared.1 > 20, "{compared:?}");
    });
}

/// `NARROWS_SEEDS=1..5000` makes a long run of it.
#[test]
fn tables_agree_on_random_models() {
    with_device(|device| {
        let mut compared = Compared::default();
        let seeds = seeds(200);
        for seed in seeds.clone() {
            let text = generator::generate(seed).to_string();
            compare(&format!("seed {seed}"), &text, 5_000, device, &mut compared);
        }
        eprintln!("{compared:?}");
        let count = seeds.count() as u64;
        assert!(compared.models as u64 * 2 > count && compared.states > 10 * count, "{compared:?}");
    });
}
