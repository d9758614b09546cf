//! Machine code against the reference evaluator: in every state, the same successors in the same order, all
//! of them; and searches that remember what processes do against searches that execute everything.
//!
//! Tests and the fuzz target `native` ask the same: whatever differs is a panic that names the model and the
//! state.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use narrows_explicit::{Budget, Engine, Exploration, Native, SearchScope, Unwatched, breadth_first};
use narrows_model::{
    Communication, Coverage, Evaluator, Expansion, Move, ProcessSet, Scratch, StateSpace, Successor, System,
    Violation,
};

/// Atomic sequences need a deep stack, as the program itself has.
const STACK: usize = 512 << 20;

#[derive(Debug, PartialEq, Eq)]
struct Step {
    moves: Vec<Move>,
    violations: Vec<Violation>,
    events: Vec<Communication>,
    target: Option<Vec<u8>>,
}

/// More successors than this are not compared: some sequences have no end of them.
const MAX_SUCCESSORS: usize = 2_000;

/// A sequence that goes on for so many pulses is not compared: with every event recorded, no two ways through
/// an endless one are the same.
const MAX_PULSES: usize = 8;

/// What was visited, and whether that was broken off.
#[derive(Default)]
struct Visited {
    steps: Vec<Step>,
    pulses: usize,
}

impl Visited {
    fn visit(&mut self, successor: &Successor<'_>) -> ControlFlow<()> {
        if successor.pulse.is_some() {
            self.pulses += 1;
        } else {
            self.steps.push(Step {
                moves: successor.moves.to_vec(),
                violations: successor.violations.to_vec(),
                events: successor.events.to_vec(),
                target: successor.target.map(<[u8]>::to_vec),
            });
        }
        if self.is_cut() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_cut(&self) -> bool {
        self.steps.len() >= MAX_SUCCESSORS || self.pulses >= MAX_PULSES
    }
}

fn steps(space: &dyn StateSpace, state: &[u8], scratch: &mut Scratch) -> (Visited, Expansion) {
    let mut visited = Visited::default();
    let expansion = space.successors(state, scratch, &mut |successor| visited.visit(&successor));
    (visited, expansion)
}

/// What each process does by itself, in turn.
fn steps_of_each(space: &dyn StateSpace, state: &[u8], scratch: &mut Scratch) -> Visited {
    let mut visited = Visited::default();
    for pid in 0..8_usize {
        if !visited.is_cut() {
            let process = ProcessSet::from_iter([pid]);
            space.successors_of(process, state, scratch, &mut |successor| visited.visit(&successor));
        }
    }
    visited
}

/// What was compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compared {
    /// How many states.
    pub states: usize,
    /// How many edges they have.
    pub edges: usize,
    /// Whether some state has more successors than are compared.
    pub is_cut: bool,
}

/// Compares both over the first states.
fn compare(name: &str, evaluator: Evaluator<'_>, most: usize) -> Compared {
    let native = Native::new(evaluator).expect("machine code is supported here");
    assert_eq!(evaluator.initial(), native.initial(), "{name}");
    let Ok((initial, _)) = evaluator.initial() else { return Compared::default() };
    let mut known = HashSet::from([initial.clone()]);
    let mut waiting = VecDeque::from([initial]);
    let (mut ours, mut theirs) = (Scratch::with_pulses(), Scratch::with_pulses());
    let (mut edges, mut is_cut) = (0, false);
    while let Some(state) = waiting.pop_front() {
        let (expected, expansion) = steps(&evaluator, &state, &mut theirs);
        let (found, native_expansion) = steps(&native, &state, &mut ours);
        is_cut |= expected.is_cut() || found.is_cut();
        if expected.pulses >= MAX_PULSES || found.pulses >= MAX_PULSES {
            continue;
        }
        assert_eq!(expected.steps, found.steps, "{name}: {state:?}");
        assert_eq!(expansion, native_expansion, "{name}: {state:?}");
        let of_each = steps_of_each(&evaluator, &state, &mut theirs);
        let native_of_each = steps_of_each(&native, &state, &mut ours);
        if of_each.pulses < MAX_PULSES && native_of_each.pulses < MAX_PULSES {
            assert_eq!(of_each.steps, native_of_each.steps, "{name}: {state:?}");
        }
        for target in expected.steps.into_iter().filter_map(|step| step.target) {
            edges += 1;
            if known.len() < most && !known.contains(&target) {
                known.insert(target.clone());
                waiting.push_back(target);
            }
        }
    }
    Compared { states: known.len(), edges, is_cut }
}

/// Compares a search that remembers what processes do with one that does not, in all that they find.
fn search(name: &str, evaluator: Evaluator<'_>, most: usize) {
    let compiled = Engine::native(evaluator).expect("machine code is supported here");
    // This one begins with the reference evaluator, and changes in the middle.
    let automatic = Engine::automatic(evaluator);
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: most as u64, ..SearchScope::within(&budget) };
    let expected = breadth_first(&evaluator, &[], &scope);
    for (engine, learn_from, threads) in [(&compiled, 4, 1), (&compiled, 50, 2), (&automatic, 50, 1)] {
        let budget = Budget { threads, ..budget.clone() };
        let found = breadth_first(engine, &[], &SearchScope { learn_from, budget: &budget, ..scope });
        let of = |exploration: &Exploration| {
            let Coverage { states, transitions, depth, taken, .. } = exploration.coverage.clone();
            let findings = format!("{:?}", exploration.findings);
            (exploration.end, states, transitions, depth, taken, findings)
        };
        assert_eq!(of(&expected), of(&found), "{name}: from {learn_from} states");
    }
}

/// Compares both engines on a system, in at most so many states.
///
/// # Panics
///
/// Panics if they differ.
pub fn agree(name: &str, system: &System, most: usize) -> Compared {
    std::thread::scope(|scope| {
        let work = || {
            compare(name, Evaluator::new(system).recording_events(), most.min(1_000));
            let forgetting = compare(name, Evaluator::new(system).forgetting(), most.min(1_000));
            let compared = compare(name, Evaluator::new(system), most);
            // A search does not stop within a state.
            if !compared.is_cut && !forgetting.is_cut {
                search(name, Evaluator::new(system), most);
                search(name, Evaluator::new(system).forgetting(), most);
            }
            compared
        };
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        worker.expect("a thread").join().expect("no difference")
    })
}
