//! What is said to decide about the steps of a process does: states that agree there have the same steps,
//! which change the same bytes in the same way, and nothing else.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::{ControlFlow, Range};
use std::path::Path;

use narrows_explicit::Engine;
use narrows_languages::promela;
use narrows_model::{Evaluator, Move, ProcessSet, Scratch, SecondRound, StateSpace, System};
use narrows_source::{Diagnostics, Sources};
use narrows_tests::files::{Disk, promela_models};
use narrows_tests::generator;
use narrows_tests::seeds::seeds;

/// So many states of a model are looked at.
const STATES: usize = 3_000;

fn compile(name: &str, text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let mut diagnostics = Diagnostics::default();
    promela::compile(&mut sources, file, &Disk, &promela::Options::default(), &mut diagnostics)
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    /// How often a process in a state did what it did in another.
    agreed: u64,
    /// How often a second round was needed for it.
    second: u64,
    /// How often it took part in a rendezvous.
    rendezvous: u64,
}

type Values = Vec<(Range<u32>, Vec<u8>)>;

/// What a process does: who moves, and the bytes that are changed.
type Steps = Vec<(Vec<(u8, u32)>, BTreeMap<usize, u8>)>;

fn values(state: &[u8], ranges: &[Range<u32>]) -> Values {
    let bytes = |range: &Range<u32>| state[range.start as usize..range.end as usize].to_vec();
    ranges.iter().map(|range| (range.clone(), bytes(range))).collect()
}

/// Returns the steps that a process begins; `None` if there is anything special about one.
fn steps(space: &dyn StateSpace, state: &[u8], pid: usize, scratch: &mut Scratch) -> Option<Steps> {
    let mut steps = Some(Steps::new());
    let only: ProcessSet = [pid].into_iter().collect();
    space.successors_of(only, state, scratch, &mut |successor| {
        let target = successor.target.filter(|_| successor.violations.is_empty());
        let target = target.filter(|target| target.len() == state.len());
        let moves = |step: &Move| (step.pid, step.transition.0);
        match (target, &mut steps) {
            (Some(target), Some(steps)) => {
                let changed = (0..state.len()).filter(|at| state[*at] != target[*at]);
                let changed = changed.map(|at| (at, target[at])).collect();
                steps.push((successor.moves.iter().map(moves).collect(), changed));
            }
            _ => steps = None,
        }
        ControlFlow::Continue(())
    });
    steps
}

impl Compared {
    fn add(&mut self, name: &str, text: &str) {
        let Some(system) = compile(name, text) else { return };
        let engine = Engine::interpreter(Evaluator::new(&system));
        let Ok((initial, _)) = engine.initial() else { return };
        if engine.hidden_bytes() > 0 {
            return;
        }
        let mut scratch = Scratch::default();
        let mut known = HashSet::from([initial.clone()]);
        let mut waiting = VecDeque::from([initial]);
        let mut firsts = HashMap::new();
        let mut seconds = HashMap::new();
        let mut all: HashMap<_, Steps> = HashMap::new();
        while let Some(state) = waiting.pop_front() {
            engine.successors(&state, &mut scratch, &mut |successor| {
                if let Some(target) = successor.target
                    && known.len() < STATES
                    && known.insert(target.to_vec())
                {
                    waiting.push_back(target.to_vec());
                }
                ControlFlow::Continue(())
            });
            let mut parts = Vec::new();
            engine.parts(&state, &mut parts);
            for pid in 0.. {
                let Some(rounds) = engine.read_rounds(&state, pid) else { break };
                let own = (parts.clone(), pid, values(&state, std::slice::from_ref(&rounds.own)));
                let has_second = !matches!(rounds.second, SecondRound::Needless);
                let first = firsts.entry(own.clone()).or_insert((rounds.first.clone(), has_second));
                assert_eq!(*first, (rounds.first.clone(), has_second), "{name}, {pid}: first round\n{text}");
                let Some(first) = rounds.first else { continue };
                let seen = (own, values(&state, &first));
                let (is_known, bytes) = match rounds.second {
                    SecondRound::Needless => (true, Vec::new()),
                    SecondRound::Bytes(bytes) => (true, bytes),
                    SecondRound::Unknown => (false, Vec::new()),
                };
                let second = seconds.entry(seen.clone()).or_insert((is_known, bytes.clone()));
                assert_eq!(*second, (is_known, bytes.clone()), "{name}, {pid}: second round\n{text}");
                let Some(steps) = steps(&engine, &state, pid, &mut scratch).filter(|_| is_known) else {
                    continue;
                };
                let ranges = || first.iter().chain(&bytes).chain(std::slice::from_ref(&rounds.own));
                let is_seen = |at: &usize| ranges().any(|range| range.contains(&(*at as u32)));
                assert!(
                    steps.iter().all(|(_, changed)| changed.keys().all(&is_seen)),
                    "{name}, {pid}: changes more than it looks at\n{text}"
                );
                // A change is told by what comes out at all bytes that are looked at.
                let seen = (seen, values(&state, &bytes));
                match all.get(&seen) {
                    None => _ = all.insert(seen, steps),
                    Some(others) => {
                        assert_eq!(*others, steps, "{name}, {pid}: other steps\n{text}");
                        self.agreed += 1;
                        self.second += u64::from(has_second);
                        let meets = |moves: &Vec<(u8, u32)>| moves.iter().any(|(who, _)| *who != pid as u8);
                        self.rendezvous += u64::from(steps.iter().any(|(moves, _)| meets(moves)));
                    }
                }
            }
        }
    }
}

#[test]
fn steps_depend_on_what_is_said() {
    let mut compared = Compared::default();
    for seed in seeds(150) {
        compared.add(&format!("seed {seed}"), &generator::generate(seed).to_string());
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("models"), here.join("../bench/models"), here.join("../examples")];
    for (name, text) in promela_models(&[&folders[0], &folders[1], &folders[2]]) {
        compared.add(&name, &text);
    }
    eprintln!("{compared:?}");
    assert!(compared.agreed > 10_000 && compared.second > 1_000 && compared.rendezvous > 100);
}

#[test]
fn elements_and_partners_are_told_apart() {
    let mut compared = Compared::default();
    compared.add("elements.pml", ELEMENTS);
    eprintln!("{compared:?}");
    assert!(compared.second > 100 && compared.rendezvous > 10);
}

/// Indices that change in the same step, out of range, and behind a guard; a rendezvous that two may take,
/// one of which goes on inside an atomic sequence.
const ELEMENTS: &str = "
chan meet = [0] of { byte };
byte a[5]; byte b[5]; byte i; byte k;
active proctype writer() {
  do
  :: atomic { i < 4 -> i++; a[i] = (a[i] + 1) % 3 }
  :: d_step { i < 5 && a[i] == 1; i = 0; b[i] = (b[i] + 1) % 2 }
  :: a[b[k % 5]] = k % 2
  :: meet!i
  od
}
active proctype one() {
  byte x;
  do
  :: atomic { meet?x -> k = (k + x) % 7; b[x % 5] = 0; x = 0 }
  :: k > 3 -> k = 0
  od
}
active proctype other() {
  byte y;
  do
  :: meet?y; a[y % 5] = 2; y = 0
  :: b[0] == 1 -> skip
  od
}
";
