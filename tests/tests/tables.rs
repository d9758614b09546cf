//! Searches by tables against searches that execute every step: the same counts, and the same findings with
//! runs as short, on models of all kinds.

use std::fs;
use std::path::{Path, PathBuf};

use narrows_explicit::{
    Accelerator, Budget, End, Engine, Exploration, Options as Asked, SearchScope, Unwatched, Wrong,
    accepts_tables, breadth_first, breadth_first_accelerated, breadth_first_by_tables, check,
    invariants_by_tables, is_invariant, labelled_by_tables, replay,
};
use narrows_gpu::{Cuda, Device, Failure, Limits, Reference};
use narrows_graph::aut;
use narrows_languages::lotos;
use narrows_languages::promela::{Options, compile};
use narrows_model::behaviour::Behaviour;
use narrows_model::{Evaluator, LabelledGraph, LabelledSystem, Limit, Question, Reply, System, Verdict};
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
    handed_over: usize,
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

/// Takes over a search once so many states were found, with so much memory.
struct From(u64, Option<u64>);

impl Accelerator for From {
    fn open(&self) -> Result<Box<dyn Device>, Failure> {
        Ok(match self.1 {
            None => device(),
            memory => Box::new(Reference::new(Limits { memory })),
        })
    }

    fn threshold(&self) -> u64 {
        self.0
    }

    fn samples(&self) -> usize {
        20
    }

    fn refused(&self, reason: &str) -> bool {
        assert!(reason == "the memory of the GPU is full" && self.1.is_some(), "{reason}");
        true
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
    // By tables from the beginning, and where a search on the processor has stopped.
    for samples in [Some(2), Some(200), None] {
        let found = match samples {
            Some(samples) => breadth_first_by_tables(&engine, &[], &scope, device, samples),
            None => {
                let middle = From(expected.coverage.states / 2, None);
                let scope = SearchScope { accelerator: Some(&middle), ..SearchScope::within(&budget) };
                compared.handed_over += usize::from(expected.coverage.states > 50);
                Ok(breadth_first_accelerated(&engine, &[], &scope))
            }
        };
        let Ok(found) = found else {
            compared.refused += 1;
            return;
        };
        let of = |exploration: &Exploration| {
            let coverage = exploration.coverage.clone();
            (exploration.end, coverage.states, coverage.transitions, coverage.depth, coverage.taken)
        };
        assert_eq!(of(&expected), of(&found), "{name}: {samples:?} samples");
        assert_eq!(findings(&expected), findings(&found), "{name}: {samples:?} samples");
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

fn models(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            models(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn compare_folder(folder: &Path, most: u64, device: &mut dyn Device) -> Compared {
    let (mut paths, mut compared) = (Vec::new(), Compared::default());
    models(folder, "pml", &mut paths);
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
        assert!(ours.models > 50 && ours.findings > 10 && ours.handed_over > 5, "{ours:?}");
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
        models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models"), "pml", &mut paths);
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
        assert!(compared.handed_over > 20, "{compared:?}");
        let count = seeds.count() as u64;
        assert!(compared.models as u64 * 2 > count && compared.states > 10 * count, "{compared:?}");
    });
}

fn compile_lotos(name: &str, text: &str) -> Option<Behaviour> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    lotos::compile(&mut sources, file, &lotos::Options::default(), &mut Diagnostics::default())
}

/// Makes the model of three philosophers one of more.
fn philosophers(text: &str, count: usize) -> String {
    let (before, rest) = text.split_once("\nbehaviour\n").expect("a behaviour");
    let (_, after) = rest.split_once("\nwhere\n").expect("processes");
    let all = |one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(" ||| ");
    let seats = all(&|seat| format!("Philosopher [eat, take, put] ({seat}, {})", (seat + 1) % count));
    let forks = all(&|fork| format!("Fork [take, put] ({fork})"));
    let body = format!("hide take, put in (({seats}) |[take, put]| ({forks}))");
    format!("{before}\nbehaviour\n{body}\nwhere\n{after}")
}

/// Compares searches of a labelled system; returns how many states it has, and how many of them the host
/// expanded.
fn agree_labelled(name: &str, system: &dyn LabelledSystem, device: &mut dyn Device) -> Option<(u64, u64)> {
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: 60_000, transitions: 600_000, ..SearchScope::within(&budget) };
    let expected = breadth_first(&system, &[], &scope);
    if expected.end != End::Complete {
        return None;
    }
    let mut by_host = 0;
    for samples in [2, 1000] {
        let found = labelled_by_tables(system, &[], &scope, device, samples);
        let found = found.unwrap_or_else(|refusal| panic!("{name}: {}", refusal.reason));
        let of = |exploration: &Exploration| {
            let coverage = &exploration.coverage;
            (exploration.end, coverage.states, coverage.transitions, coverage.depth)
        };
        assert_eq!(of(&expected), of(&found), "{name}: {samples} samples");
        assert_eq!(findings(&expected), findings(&found), "{name}: {samples} samples");
        let counts = found.profile.iter().flat_map(|profile| &profile.counts);
        by_host = counts.filter(|(what, _)| *what == "by the host").map(|(_, count)| *count).sum();
    }
    Some((expected.coverage.states, by_host))
}

#[test]
fn tables_agree_on_labelled_models() {
    with_device(|device| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (mut paths, mut compared, mut states) = (Vec::new(), 0, 0);
        for folder in [root.join("models"), root.join("../examples")] {
            models(&folder, "lotos", &mut paths);
        }
        for path in paths {
            let name = path.display().to_string();
            let text = fs::read_to_string(&path).expect("a model");
            let Some(behaviour) = compile_lotos(&name, &text) else { continue };
            let Some((found, by_host)) = agree_labelled(&name, &behaviour, device) else { continue };
            eprintln!("{name}: {found} states, {by_host} by the host");
            (compared, states) = (compared + 1, states + found);
        }
        assert!(compared > 8 && states > 1000, "{compared} {states}");
        // What decides is found in the components, not in the whole: the host sees the deadlock alone.
        let text = fs::read_to_string(root.join("models/lotos/philosophers.lotos")).expect("a model");
        let eight = compile_lotos("eight philosophers", &philosophers(&text, 8)).expect("a model");
        assert_eq!(agree_labelled("eight philosophers", &eight, device), Some((14_158, 1)));
    });
}

#[test]
fn tables_agree_on_graphs() {
    with_device(|device| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (mut paths, mut compared) = (Vec::new(), 0);
        models(&root.join("../examples"), "aut", &mut paths);
        models(&root.join("models"), "aut", &mut paths);
        for path in paths {
            let Ok(graph) = aut::read(&fs::read_to_string(&path).expect("a graph")) else { continue };
            agree_labelled(&path.display().to_string(), &LabelledGraph::new(graph), device);
            compared += 1;
        }
        assert!(compared > 5, "{compared}");
    });
}

/// A device that is full leaves open what was asked of it; a search that has gone over by itself comes back.
#[test]
fn full_devices_leave_questions_open() {
    let text = "byte x; active [3] proctype P() { do :: x < 200 -> x++ :: x > 0 -> x-- od }";
    let system = system("full", text).expect("a model");
    let engine = Engine::interpreter(Evaluator::new(&system));
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope::within(&budget);
    let expected = breadth_first(&engine, &[], &scope);
    let mut device = Reference::new(Limits { memory: Some(2000) });
    let found = breadth_first_by_tables(&engine, &[], &scope, &mut device, 20).expect("accepted");
    assert_eq!(found.end, End::Limit(Limit::DeviceMemory));
    assert!(found.coverage.states > 10 && found.coverage.states < expected.coverage.states);
    let small = From(50, Some(2000));
    let scope = SearchScope { accelerator: Some(&small), ..scope };
    let found = breadth_first_accelerated(&engine, &[], &scope);
    assert_eq!((found.end, found.coverage.states), (End::Complete, expected.coverage.states));
}
