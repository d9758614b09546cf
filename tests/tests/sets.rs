//! Sets of states against states one by one, on Promela models: as many states, the same verdicts, the same
//! bounds.
//!
//! `NARROWS_SEEDS=1..3000` makes the run over random models a long one: `bench/sets` does that.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use narrows_explicit::{Engine, Options as Asked, SearchScope};
use narrows_languages::promela::{Options, compile};
use narrows_languages::{Formula, Logic};
use narrows_model::{
    Binary, Budget, Claim, Evaluator, Expr, FigureResult, Limit, Number, Place, Progress, Question, Reply,
    Scratch, StateSpace, System, Trace, Unwatched, Verdict,
};
use narrows_source::{Diagnostics, Sources, Span};
use narrows_symbolic::{ProcessWay, bounds_of_processes, check_processes};
use narrows_tests::files::Disk;
use narrows_tests::generator;
use narrows_tests::seeds::seeds;

/// Atomic sequences need a deep stack, as the program itself has.
const STACK: usize = 512 << 20;

/// A model with more states than this is not compared.
const MAX_STATES: usize = 20_000;

fn system(name: &str, text: &str, formulas: Vec<Formula>) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let options = Options { formulas, ..Options::default() };
    compile(&mut sources, file, &Disk, &options, &mut Diagnostics::default())
}

/// What may be used for one model: half a minute.
fn budget() -> Budget {
    let start = Instant::now();
    let watch = move |_: &Progress| (start.elapsed() > Duration::from_secs(30)).then_some(Limit::Time);
    Budget { memory: 2 << 30, ..Budget::unlimited(watch) }
}

/// All states with their successors, by number; `None` if there are too many.
struct Graph {
    states: Vec<Vec<u8>>,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    fn new(evaluator: &Evaluator<'_>) -> Option<Graph> {
        let initial = evaluator.initial().ok()?.0;
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut graph = Graph { states: vec![initial.clone()], successors: Vec::new() };
        let mut waiting = VecDeque::from([initial]);
        let mut scratch = Scratch::default();
        while let Some(state) = waiting.pop_front() {
            let mut list = Vec::new();
            evaluator.successors(&state, &mut scratch, &mut |successor| {
                if let Some(target) = successor.target {
                    let number = *numbers.entry(target.to_vec()).or_insert_with(|| {
                        graph.states.push(target.to_vec());
                        waiting.push_back(target.to_vec());
                        graph.states.len() - 1
                    });
                    list.push(number);
                }
                ControlFlow::Continue(())
            });
            graph.successors.push(list);
            if graph.states.len() > MAX_STATES {
                return None;
            }
        }
        Some(graph)
    }

    fn least(&self, from: &[bool], to: &[bool]) -> Option<u64> {
        let mut seen = from.to_vec();
        let mut waiting: VecDeque<(usize, u64)> =
            (0..from.len()).filter(|state| from[*state]).map(|state| (state, 0)).collect();
        while let Some((state, steps)) = waiting.pop_front() {
            if to[state] {
                return Some(steps);
            }
            for next in &self.successors[state] {
                if !std::mem::replace(&mut seen[*next], true) {
                    waiting.push_back((*next, steps + 1));
                }
            }
        }
        None
    }

    /// The longest way; `None` if one never ends.
    fn most(&self, from: &[bool], to: &[bool]) -> Option<u64> {
        let mut longest = vec![u64::MAX; from.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for state in (0..from.len()).rev().filter(|state| longest[*state] == u64::MAX).collect::<Vec<_>>()
            {
                let ahead = self.successors[state].iter().map(|next| longest[*next]).max();
                let value = if to[state] {
                    Some(0)
                } else {
                    ahead.filter(|most| *most < u64::MAX).map(|most| most + 1)
                };
                if let Some(value) = value {
                    longest[state] = value;
                    changed = true;
                }
            }
        }
        let most = (0..from.len()).filter(|state| from[*state]).map(|state| longest[state]).max()?;
        (most < u64::MAX).then_some(most)
    }
}

/// How often something was compared.
#[derive(Debug, Default)]
struct Tally {
    models: usize,
    refused: usize,
    holds: usize,
    fails: usize,
    bounds: usize,
}

/// Compares answers; panics where they differ.
fn compare(name: &str, text: &str, formulas: Vec<Formula>, tally: &mut Tally) {
    let Some(system) = system(name, text, formulas) else { return };
    let evaluator = Evaluator::new(&system);
    let Some(graph) = Graph::new(&evaluator) else { return };
    let questions = Question::all(&system);
    let Ok(decided) = check_processes(&evaluator, &questions, &budget()) else {
        tally.refused += 1;
        return;
    };
    let states = decided.coverage.sets.as_ref().and_then(|sets| sets.states.as_ref());
    if let (None, Some(states)) = (decided.limit, states) {
        assert_eq!(*states, graph.states.len().to_string(), "states of {name}");
        tally.models += 1;
    }
    let options = Asked { runs: 1, ..Asked::default() };
    let engine = Engine::automatic(evaluator);
    let unlimited = Budget::unlimited(Unwatched);
    let reference = narrows_explicit::check(&engine, &questions, &options, &SearchScope::within(&unlimited))
        .expect("runs are replayed");
    for (one, other) in reference.answers().zip(decided.answers()) {
        let about = || format!("{name}: {:?}", one.question);
        match (&one.verdict, &other.verdict) {
            (Verdict::Holds, Verdict::Holds) => tally.holds += 1,
            (
                Verdict::Fails { trace, shortest, .. },
                Verdict::Fails { trace: other, shortest: is_shortest, .. },
            ) => {
                tally.fails += 1;
                if *shortest && *is_shortest {
                    assert_eq!(trace.steps.len(), other.steps.len(), "{}", about());
                }
                assert!(is_run(&evaluator, other), "{}", about());
            }
            (Verdict::Undecided(_) | Verdict::Refused(_), _) => {}
            (_, Verdict::Undecided(_)) => {}
            (_, Verdict::Refused(refusal)) => {
                let is_expected =
                    refusal.reason.starts_with("Never claims") || refusal.reason.starts_with("A proposition");
                assert!(is_expected, "{}: {}", about(), refusal.reason);
            }
            (one, other) => panic!("{}: {one:?}\n{other:?}", about()),
        }
    }
    bounds(name, &evaluator, &graph, tally);
}

/// Returns whether a run is one of the system's.
fn is_run(evaluator: &Evaluator<'_>, trace: &Trace) -> bool {
    let moves: Vec<Vec<narrows_model::Move>> = trace
        .steps
        .iter()
        .filter(|step| step.violations.iter().all(|violation| !violation.kind.is_fatal()))
        .map(|step| step.moves().to_vec())
        .collect();
    let followed: Vec<&[narrows_model::Move]> = moves.iter().map(Vec::as_slice).collect();
    let blocks = trace.steps.last().is_some_and(|step| !step.violations.is_empty());
    Trace::follow(evaluator, &followed).is_some() || blocks
}

/// Compares the steps between values of global variables.
fn bounds(name: &str, evaluator: &Evaluator<'_>, graph: &Graph, tally: &mut Tally) {
    let leaves = &evaluator.system().globals;
    let (Some(first), Some(last)) = (leaves.first(), leaves.last()) else { return };
    let is = |leaf: &narrows_model::Leaf, value: i32| {
        let place = Place {
            area: narrows_model::Area::Global,
            offset: leaf.offset,
            indices: Vec::new(),
            scalar: leaf.scalar,
            span: Span::default(),
        };
        let load = Box::new(Expr::Load(Box::new(place)));
        Expr::Binary(Binary::Equal, load, Box::new(Expr::Constant(value)), Span::default())
    };
    for (from, to) in [(is(first, 0), is(last, 1)), (is(first, 1), is(last, 0))] {
        let holds = |expr: &Expr| -> Vec<bool> {
            graph.states.iter().map(|state| evaluator.holds(expr, state).unwrap_or(false)).collect()
        };
        let (starts, ends) = (holds(&from), holds(&to));
        let way = ProcessWay { from: (from, "a".into()), to: (to, "b".into()), counted: Vec::new() };
        let Ok(bounded) = bounds_of_processes(evaluator, &way, &budget()) else { continue };
        let begins = starts.contains(&true);
        for (reply, expected) in
            bounded.replies.iter().zip([graph.least(&starts, &ends), graph.most(&starts, &ends)])
        {
            let Reply::Figure(figure) = reply else { panic!("{name}: {reply:?}") };
            match &figure.result {
                FigureResult::Value { low: Number::Ratio(value, 1), .. } => {
                    assert_eq!(Some(*value as u64), expected, "{name}: {}", figure.kind);
                }
                FigureResult::Value { .. } => assert_eq!(None, expected, "{name}: {}", figure.kind),
                FigureResult::None(reason) => assert!(!begins, "{name}: {}: {reason}", figure.kind),
                FigureResult::Undecided(_) => continue,
                other => panic!("{name}: {other:?}"),
            }
            tally.bounds += 1;
        }
    }
}

/// Formulas about two global variables, a few of many.
fn formulas(system: &System, seed: u64) -> Vec<Formula> {
    let plain = |leaf: &&narrows_model::Leaf| leaf.name.chars().all(char::is_alphanumeric);
    let names: Vec<&str> = system.globals.iter().filter(plain).map(|leaf| leaf.name.as_str()).collect();
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return Vec::new() };
    let (p, q) = (format!("({first} == {})", seed % 3), format!("({last} != {})", seed / 3 % 3));
    let ctl = [
        format!("AG (AF {p})"),
        format!("EG {p}"),
        format!("E[{p} U {q}]"),
        format!("A[{p} U {q}]"),
        format!("AG ({p} -> EF {q})"),
        format!("EX (AX {q})"),
        format!("A[{p} W {q}]"),
        format!("EF (AG {q})"),
    ];
    let ltl = [
        format!("[] <> {p}"),
        format!("<> [] {q}"),
        format!("{p} U {q}"),
        format!("[] ({p} -> <> {q})"),
        format!("X X {q}"),
    ];
    let formula = |logic, text: &String| Formula { logic, text: text.clone(), origin: "formula".to_owned() };
    let pick = |count: usize, more: u64| ((seed + more) % count as u64) as usize;
    vec![
        formula(Logic::Ctl, &ctl[pick(ctl.len(), 0)]),
        formula(Logic::Ctl, &ctl[pick(ctl.len(), 3)]),
        formula(Logic::Ltl, &ltl[pick(ltl.len(), 0)]),
    ]
}

fn deep(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn models(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(root).expect("the models");
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn sets_agree_with_states_on_models_of_every_corner() {
    deep(|| {
        let mut tally = Tally::default();
        for folder in ["models/probes", "models/corners", "models/claims"] {
            for path in models(folder) {
                let name = path.display().to_string();
                // It creates 255 processes.
                if !name.contains("p15") {
                    compare(&name, &fs::read_to_string(&path).expect("a text"), Vec::new(), &mut tally);
                }
            }
        }
        eprintln!("{tally:?}");
        assert!(tally.models > 60 && tally.holds > 150 && tally.fails > 10, "{tally:?}");
    });
}

#[test]
fn sets_agree_with_states_on_random_models() {
    deep(|| {
        let mut tally = Tally::default();
        let seeds = seeds(120);
        for seed in seeds.clone() {
            let text = generator::generate(seed).to_string();
            let Some(plain) = system("model.pml", &text, Vec::new()) else { continue };
            // Claims of the model itself are not what this is about.
            let is_small = plain.properties.iter().all(|property| !matches!(property.claim, Claim::Never(_)));
            if is_small {
                compare(&format!("seed {seed}"), &text, formulas(&plain, seed), &mut tally);
            }
        }
        eprintln!("{tally:?}");
        let count = seeds.count();
        assert!(tally.models > count / 2 && tally.holds > count, "{tally:?}");
        assert!(tally.fails > count / 2 && tally.bounds > count, "{tally:?}");
    });
}
