//! Machine code against the reference evaluator: in every state, the same successors in the same order, all of them; and
//! searches that remember what processes do against searches that execute everything.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use narrows_explicit::{Budget, Engine, Exploration, Native, Unwatched, breadth_first};
use narrows_languages::promela::{Options, compile};
use narrows_model::{
    Communication, Coverage, Evaluator, Expansion, Move, ProcessSet, Scratch, StateSpace, System, Violation,
};
use narrows_source::{Diagnostics, Loaded, Loader, Sources};
use narrows_tests::generator;

/// As much as any thread has: nothing is as deep as an atomic sequence is long.
const STACK: usize = 2 << 20;

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, String> {
        let path = Path::new(from).with_file_name(path);
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        Ok(Loaded { name: path.display().to_string(), text })
    }
}

fn system(name: &str, text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    compile(&mut sources, file, &Disk, &Options::default(), &mut Diagnostics::default())
}

#[derive(Debug, PartialEq, Eq)]
struct Step {
    moves: Vec<Move>,
    violations: Vec<Violation>,
    events: Vec<Communication>,
    target: Option<Vec<u8>>,
}

/// More successors than this are not compared: some sequences have no end of them.
const MOST_SUCCESSORS: usize = 2_000;

fn steps(space: &dyn StateSpace, state: &[u8], scratch: &mut Scratch) -> (Vec<Step>, Expansion) {
    let mut list = Vec::new();
    let expansion = space.successors(state, scratch, &mut |successor| {
        list.push(Step {
            moves: successor.moves.to_vec(),
            violations: successor.violations.to_vec(),
            events: successor.events.to_vec(),
            target: successor.target.map(<[u8]>::to_vec),
        });
        if list.len() < MOST_SUCCESSORS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    (list, expansion)
}

/// What each process does by itself, in turn.
fn steps_of_each(space: &dyn StateSpace, state: &[u8], scratch: &mut Scratch) -> Vec<Step> {
    let mut list = Vec::new();
    for pid in 0..8 {
        space.successors_of(ProcessSet::from_iter([pid]), state, scratch, &mut |successor| {
            list.push(Step {
                moves: successor.moves.to_vec(),
                violations: successor.violations.to_vec(),
                events: successor.events.to_vec(),
                target: successor.target.map(<[u8]>::to_vec),
            });
            if list.len() < MOST_SUCCESSORS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    list
}

/// Compares both over the first states; returns how many states there were, and how many edges.
fn compare(name: &str, evaluator: Evaluator<'_>, most: usize) -> (usize, usize) {
    let native = Native::new(evaluator).expect("machine code is supported here");
    assert_eq!(evaluator.initial(), native.initial(), "{name}");
    let Ok((initial, _)) = evaluator.initial() else { return (0, 0) };
    let mut known = HashSet::from([initial.clone()]);
    let mut waiting = VecDeque::from([initial]);
    let (mut ours, mut theirs) = (Scratch::default(), Scratch::default());
    let mut edges = 0;
    while let Some(state) = waiting.pop_front() {
        let expected = steps(&evaluator, &state, &mut theirs);
        let found = steps(&native, &state, &mut ours);
        assert_eq!(expected, found, "{name}: {state:?}");
        let expected_of_each = steps_of_each(&evaluator, &state, &mut theirs);
        assert_eq!(expected_of_each, steps_of_each(&native, &state, &mut ours), "{name}: {state:?}");
        for target in expected.0.into_iter().filter_map(|step| step.target) {
            edges += 1;
            if known.len() < most && !known.contains(&target) {
                known.insert(target.clone());
                waiting.push_back(target);
            }
        }
    }
    (known.len(), edges)
}

/// Compares a search that remembers what processes do with one that does not, in all that they find.
fn search(name: &str, evaluator: Evaluator<'_>, most: usize) {
    let engine = Engine::native(evaluator).expect("machine code is supported here");
    let budget = Budget { states: most as u64, ..Budget::unlimited(&Unwatched) };
    let expected = breadth_first(&evaluator, &[], &budget);
    for (learn_from, threads) in [(4, 1), (50, 2)] {
        let found = breadth_first(&engine, &[], &Budget { learn_from, threads, ..budget });
        let of = |exploration: &Exploration| {
            let Coverage { states, transitions, depth, taken, .. } = exploration.coverage.clone();
            let findings = format!("{:?}", exploration.findings);
            (exploration.end, states, transitions, depth, taken, findings)
        };
        assert_eq!(of(&expected), of(&found), "{name}: from {learn_from} states");
    }
}

fn agree(name: &str, text: &str, most: usize) -> (usize, usize) {
    let Some(system) = system(name, text) else { return (0, 0) };
    std::thread::scope(|scope| {
        let work = || {
            compare(name, Evaluator::new(&system).recording_events(), most.min(1_000));
            compare(name, Evaluator::new(&system).forgetting(), most.min(1_000));
            search(name, Evaluator::new(&system), most);
            search(name, Evaluator::new(&system).forgetting(), most);
            compare(name, Evaluator::new(&system), most)
        };
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        worker.expect("a thread").join().expect("no difference")
    })
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

fn agree_on_folder(folder: &Path, most: usize) -> usize {
    let mut paths = Vec::new();
    models(folder, &mut paths);
    for path in &paths {
        let text = String::from_utf8_lossy(&fs::read(path).expect("a model")).into_owned();
        agree(&path.display().to_string(), &text, most);
    }
    paths.len()
}

#[test]
fn machine_code_agrees_on_our_models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(agree_on_folder(&root.join("models"), 5_000) > 50);
    assert!(agree_on_folder(&root.join("../examples"), 5_000) > 5);
}

#[test]
fn machine_code_agrees_on_models_of_spin() {
    agree_on_folder(Path::new("/usr/share/doc/spin/examples"), 3_000);
}

/// `NARROWS_SEEDS=1..5000` makes a long run of it.
#[test]
fn machine_code_agrees_on_random_models() {
    let seeds = std::env::var("NARROWS_SEEDS").unwrap_or_else(|_| "1..200".to_owned());
    let (first, last) = seeds.split_once("..").expect("a range such as 1..200");
    let (mut states, mut edges) = (0, 0);
    for seed in first.parse::<u64>().expect("a number")..=last.parse().expect("a number") {
        let mut texts = vec![generator::generate(seed).to_string()];
        if seed % 4 == 0 {
            texts.push(generator::generate_questions(seed).model.to_string());
        }
        for text in texts {
            let (more_states, more_edges) = agree(&format!("seed {seed}\n{text}\n"), &text, 2_000);
            (states, edges) = (states + more_states, edges + more_edges);
        }
    }
    eprintln!("seeds {seeds}: {states} states, {edges} edges");
    assert!(edges > 0);
}

/// Sequences that are long, split, meet again, go round for ever, or pass control to and fro.
#[test]
fn machine_code_agrees_on_long_sequences() {
    for text in [
        "active [2] proctype P() { int i; atomic { for (i : 0 .. 3000) { skip } } }",
        "int n; active [2] proctype P() { int i; atomic { for (i : 0 .. 500) { d_step { n++; n = n % 7 } } } }",
        "byte x; active proctype P() { atomic { do :: x = 1 :: x = 2 od } }",
        "byte x; active proctype P() { int i; atomic { for (i : 0 .. 150) { if :: x = 1 :: x = 2 :: x = 1 fi } } }",
        "byte x; active proctype P() { atomic { do :: x++ :: break od; assert(x < 250) } }",
        "chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
         active proctype P() { byte y; atomic { do :: a!y; b?y :: x > 0 -> break od } }
         active proctype Q() { byte z; atomic { do :: a?z; b!z od } }",
        "chan a = [0] of { byte }; chan b = [0] of { byte };
         active proctype P() { byte y; atomic { do :: a!y; b?y od } }
         active proctype Q() { byte z; atomic { do :: a?z; b!z + 1 od } }",
        "int n; active proctype P() { d_step { do :: n < 1200000 -> n++ :: else -> break od } }",
        "byte x; active proctype P() { d_step { do :: x = 1 - x od } }",
    ] {
        let (states, _) = agree(text, text, 1_000);
        assert!(states > 0, "{text}");
    }
}

/// What C's `int` does at its limits, and what variables keep of it.
#[test]
fn machine_code_computes_as_the_reference_does() {
    let values = [
        "0", "1", "-1", "2", "7", "-7", "31", "32", "33", "255", "256", "32767", "32768", "65536", "max",
        "min",
    ];
    let operators =
        ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
    let choices = |name: &str| {
        let options: Vec<String> = values.iter().map(|value| format!(":: {name} = {value}")).collect();
        format!("if {} fi", options.join(" "))
    };
    let header = "int a, b, r; bit t; byte y; short s; unsigned u : 5; unsigned w : 13; unsigned x : 31;
        int max = 2147483647; int min = -2147483647 - 1; int list[3];";
    for operator in operators {
        let text = format!(
            "{header} active proctype p() {{ {}; {}; r = a {operator} b; t = r; y = r; s = r; u = r; w = r; x = r;
             r = s + u + w + x - y; (a {operator} b) -> r = (a {operator} b -> ~a : -b); list[r] = !r; r = list[a];
             assert(list[a % 3] >= 0) }}",
            choices("a"),
            choices("b")
        );
        let (states, _) = agree(operator, &text, 100_000);
        assert!(states > 256, "{operator}: {states}");
    }
}
