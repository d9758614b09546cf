//! From level to level.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use narrows_gpu::{Device, Failure, Key, Place};
use narrows_model::{Expansion, Expr, Limit, Scratch, SearchProfile, StateSpace, Violation};
use rustc_hash::FxHashSet;

use super::learner::{Interrupt, Learner};
use super::paths::path;
use crate::findings::Findings;
use crate::search::Counts;
use crate::{End, Engine, Exploration, Goal, Progress, Run, SearchScope};

/// The search can't be done by tables, or not on this device.
type Reason = String;

/// Why a search by tables stopped before it was done.
enum Stop {
    Anew,
    End(End),
    Broken(Reason),
}

impl From<Interrupt> for Stop {
    fn from(interrupt: Interrupt) -> Stop {
        match interrupt {
            Interrupt::Anew => Stop::Anew,
            Interrupt::Limit(limit) => Stop::End(End::Limit(limit)),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        match failure {
            Failure::Full => Stop::End(End::Limit(Limit::Memory)),
            failure => Stop::Broken(failure.to_string()),
        }
    }
}

/// What a search is to decide: until all of it is decided, or without any of it, all states are visited.
#[derive(Clone, Copy, Default)]
pub(super) struct Aims<'a> {
    pub(super) goals: &'a [Goal],
    /// What is to hold in every state.
    pub(super) invariants: &'a [Expr],
}

/// Where an invariant does not hold.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    /// The states of a shortest run; in the last one it does not hold.
    pub(super) states: Vec<Vec<u8>>,
    /// What goes wrong when it is evaluated, if that does.
    pub(super) fault: Option<Violation>,
}

/// Visits states in the order of their distance from the initial state; tells also of each invariant where it
/// does not hold. The error is why that can't be done with this device.
pub(super) fn search(
    engine: &Engine<'_>,
    aims: Aims<'_>,
    scope: &SearchScope<'_>,
    device: &mut dyn Device,
    samples: usize,
) -> Result<(Exploration, Vec<Option<Broken>>), Reason> {
    let unknown = || "no tables can be made of this model".to_owned();
    let learner = Learner::new(engine, aims.invariants, scope.budget).ok_or_else(unknown)?;
    let mut search = Search {
        engine,
        goals: aims.goals,
        broken: vec![None; aims.invariants.len()],
        scope,
        device: RefCell::new(device),
        learner,
        counts: Counts::default(),
        findings: Findings::default(),
        levels: Vec::new(),
        tally: Tally::default(),
        scratch: Scratch::with_pulses(),
    };
    search.sample(samples);
    let end = loop {
        match search.run() {
            Ok(()) => break End::Complete,
            Err(Stop::End(end)) => break end,
            Err(Stop::Anew) => search.tally.restarts += 1,
            Err(Stop::Broken(reason)) => return Err(reason),
        }
    };
    let broken = std::mem::take(&mut search.broken);
    Ok((search.finish(end), broken))
}

/// How often things were done.
#[derive(Default)]
struct Tally {
    restarts: u64,
    special: u64,
    launches: u64,
}

struct Search<'a, 's> {
    engine: &'a Engine<'s>,
    goals: &'a [Goal],
    broken: Vec<Option<Broken>>,
    scope: &'a SearchScope<'a>,
    device: RefCell<&'a mut dyn Device>,
    learner: Learner<'a, 's>,
    counts: Counts,
    findings: Findings,
    /// Where each level begins.
    levels: Vec<Place>,
    tally: Tally,
    scratch: Scratch,
}

/// Something that goes wrong in a level.
enum Wrong {
    Deadlock(Vec<u8>),
    /// The state, the number of the step, what.
    Step(Vec<u8>, u32, Vec<Violation>),
    /// The state, the number of the invariant that does not hold, and what goes wrong on the way.
    Invariant(Vec<u8>, usize, Option<Violation>),
}

impl Search<'_, '_> {
    /// Takes note of some states, so that keys have room for most: half of them near the initial one, the
    /// others on long walks.
    fn sample(&mut self, samples: usize) {
        let Ok((initial, _)) = self.engine.initial() else { return };
        self.learner.note(&initial);
        let mut known = FxHashSet::default();
        let mut waiting = VecDeque::from([initial.clone()]);
        let (engine, mut scratch) = (self.engine, Scratch::with_pulses());
        let mut targets = Vec::new();
        while let Some(state) = waiting.pop_front().filter(|_| known.len() < samples / 2) {
            successors(engine, &state, &mut scratch, &mut targets);
            for target in targets.drain(..) {
                if known.insert(target.clone()) {
                    self.learner.note(&target);
                    waiting.push_back(target);
                }
            }
        }
        // A walk goes on as the number of the step says, mixed.
        let (mut state, mut mixed) = (initial.clone(), 1_u64);
        for step in 0..samples / 2 {
            successors(engine, &state, &mut scratch, &mut targets);
            mixed = (mixed ^ mixed >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(step as u64);
            if targets.is_empty() || (step % WALK == WALK - 1) {
                state.clone_from(&initial);
                continue;
            }
            state = targets.swap_remove((mixed >> 33) as usize % targets.len());
            self.learner.note(&state);
        }
    }

    /// Searches from the beginning.
    fn run(&mut self) -> Result<(), Stop> {
        (self.counts.transitions, self.counts.depth) = (0, 0);
        self.findings = Findings::default();
        self.broken.fill(None);
        self.tally.special = 0;
        let (initial, violations) = match self.engine.initial() {
            Ok(initial) => initial,
            Err(fault) => {
                self.findings.add(&[fault], Run::default);
                return Err(Stop::End(End::Fault));
            }
        };
        self.findings.add(&violations, Run::default);
        let needed = self.learner.encoding.needed();
        let width = self.learner.encoding.fit().ok_or_else(|| {
            Stop::Broken(format!("states need {needed} bits or more, and a key has at most 127"))
        })?;
        self.learner.begin(&initial);
        self.device.get_mut().reset(width)?;
        self.device.get_mut().learn(&self.learner.table)?;
        let key = self.learner.key(&initial)?;
        self.device.get_mut().insert(&[key])?;
        self.levels = vec![0];
        loop {
            if self.is_decided() {
                return Err(Stop::End(End::Enough));
            }
            let (begin, end) = (self.levels[self.levels.len() - 1], self.device.get_mut().len());
            let special = self.expand(begin, end)?;
            self.visit(&special)?;
            if self.device.get_mut().len() == end {
                return Ok(());
            }
            self.levels.push(end);
            self.counts.depth += 1;
        }
    }

    fn progress(&self) -> Progress {
        let device = self.device.borrow();
        let memory = device.memory();
        Progress {
            states: device.len(),
            transitions: self.counts.transitions,
            depth: self.counts.depth,
            memory,
        }
    }

    fn watch(&self) -> Result<(), Stop> {
        let progress = self.progress();
        if let Some(limit) = self.scope.budget.watch.check(&progress) {
            return Err(Stop::End(End::Limit(limit)));
        }
        let is_enough = progress.states > self.scope.states || progress.transitions > self.scope.transitions;
        if is_enough { Err(Stop::End(End::Enough)) } else { Ok(()) }
    }

    fn is_decided(&self) -> bool {
        let states = self.device.borrow().len();
        let is_decided = |goal: &Goal| {
            goal.patience.is_some_and(|patience| states > patience) || self.findings.answers(&goal.question)
        };
        let is_asked = !self.goals.is_empty() || !self.broken.is_empty();
        is_asked && self.goals.iter().all(is_decided) && self.broken.iter().all(Option::is_some)
    }

    /// Expands the states of a level by the table; returns those that are the host's.
    fn expand(&mut self, begin: Place, end: Place) -> Result<Vec<Key>, Stop> {
        let mut special = Vec::new();
        let mut start = begin;
        while start < end {
            let stride = self.device.get_mut().stride();
            let part = start..end.min(start + stride);
            start = part.end;
            let mut again = false;
            loop {
                self.watch()?;
                self.tally.launches += 1;
                let expanded = self.device.get_mut().expand(part.clone(), again)?;
                self.counts.transitions += expanded.transitions;
                special.extend(expanded.special);
                if expanded.deferred == 0 {
                    break;
                }
                again = true;
                if expanded.is_full {
                    self.device.get_mut().grow()?;
                }
                if !expanded.missing.is_empty() {
                    let progress = self.progress();
                    self.learner.answer(expanded.missing, &mut self.counts, progress)?;
                    self.device.get_mut().learn(&self.learner.table)?;
                    self.ensure_worth()?;
                }
            }
        }
        Ok(special)
    }

    /// Makes sure that a row serves many states.
    fn ensure_worth(&mut self) -> Result<(), Stop> {
        let (rows, states) = (self.learner.table.len() as u64, self.device.get_mut().len());
        if rows > MANY_ROWS && states < rows * WORTH || rows > SOME_ROWS && states < rows {
            let reason = format!(
                "a process looks at so much that {rows} rows of tables are good for {states} states only; \
                 leave --engine gpu out"
            );
            return Err(Stop::Broken(reason));
        }
        Ok(())
    }

    /// Expands states that are the host's, in the order of the states themselves.
    fn visit(&mut self, keys: &[Key]) -> Result<(), Stop> {
        let decode = |key: &Key| {
            let mut state = Vec::new();
            self.learner.encoding.decode(*key, &mut state);
            state
        };
        let mut states: Vec<Vec<u8>> = keys.iter().map(decode).collect();
        states.sort_unstable();
        self.tally.special += states.len() as u64;
        let mut wrong = Vec::new();
        let mut keys = Vec::new();
        for (number, state) in states.into_iter().enumerate() {
            if number % WATCH_STATES == 0 {
                self.watch()?;
            }
            self.test(&state, &mut wrong);
            if self.goals.is_empty() && self.is_every_one_broken(&wrong) {
                break;
            }
            self.visit_one(state, &mut wrong, &mut keys)?;
            if keys.len() >= WATCH_STATES {
                self.insert(&mut keys)?;
            }
        }
        self.insert(&mut keys)?;
        self.report(wrong)
    }

    /// Tests the invariants that were not seen broken.
    fn test(&self, state: &[u8], wrong: &mut Vec<Wrong>) {
        let evaluator = self.engine.evaluator();
        for (number, invariant) in self.learner.invariants.iter().enumerate() {
            let is_known = |wrong: &Wrong| matches!(wrong, Wrong::Invariant(_, known, _) if *known == number);
            if self.broken[number].is_some() || wrong.iter().any(is_known) {
                continue;
            }
            match evaluator.holds(invariant, state) {
                Ok(true) => {}
                Ok(false) => wrong.push(Wrong::Invariant(state.to_vec(), number, None)),
                Err(fault) => wrong.push(Wrong::Invariant(state.to_vec(), number, Some(fault))),
            }
        }
    }

    /// Returns whether there are invariants, and none of them holds.
    fn is_every_one_broken(&self, wrong: &[Wrong]) -> bool {
        let known = self.broken.iter().flatten().count();
        let new = wrong.iter().filter(|wrong| matches!(wrong, Wrong::Invariant(..))).count();
        !self.broken.is_empty() && known + new == self.broken.len()
    }

    fn insert(&mut self, keys: &mut Vec<Key>) -> Result<(), Stop> {
        self.device.get_mut().insert(keys)?;
        keys.clear();
        Ok(())
    }

    fn visit_one(&mut self, state: Vec<u8>, wrong: &mut Vec<Wrong>, keys: &mut Vec<Key>) -> Result<(), Stop> {
        let (mut choice, mut stop) = (0, None);
        let Search { engine, learner, counts, scratch, scope, .. } = self;
        let expansion = engine.successors(&state, scratch, &mut |successor| {
            if successor.pulse.is_some() {
                let limit = counts.pulse(&successor, scope.budget, 0, 0);
                stop = limit.map(|limit| Stop::End(End::Limit(limit)));
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(&successor);
            if !successor.violations.is_empty() {
                wrong.push(Wrong::Step(state.clone(), choice, successor.violations.to_vec()));
            }
            choice += 1;
            if let Some(target) = successor.target {
                counts.transitions += 1;
                match learner.key(target) {
                    Ok(key) => keys.push(key),
                    Err(interrupt) => stop = Some(interrupt.into()),
                }
            }
            ControlFlow::Continue(())
        });
        if let Some(stop) = stop {
            return Err(stop);
        }
        if expansion == Expansion::Deadlock {
            wrong.push(Wrong::Deadlock(state));
        }
        Ok(())
    }

    /// Notes what goes wrong, with a run to it where one is wanted.
    fn report(&mut self, wrong: Vec<Wrong>) -> Result<(), Stop> {
        let failed = RefCell::new(None);
        let Search { engine, learner, device, levels, findings, broken, .. } = self;
        let path_to = |state: &[u8]| {
            let found = path(&mut **device.borrow_mut(), engine, &learner.encoding, levels, state);
            found.unwrap_or_else(|failure| {
                *failed.borrow_mut() = Some(failure);
                Vec::new()
            })
        };
        let run = |state: &[u8], choice: Option<u32>| {
            let states = path_to(state);
            let mut run = Run::through(*engine, states.iter().map(Vec::as_slice), &[]);
            run.choices.extend(choice);
            run
        };
        for wrong in wrong {
            match wrong {
                Wrong::Deadlock(state) => {
                    let mut control = Vec::new();
                    engine.control(&state, &mut control);
                    findings.add_deadlock(&control, &state, || run(&state, None));
                }
                Wrong::Step(state, choice, violations) => {
                    findings.add(&violations, || run(&state, Some(choice)));
                }
                Wrong::Invariant(state, number, fault) => {
                    broken[number] = Some(Broken { states: path_to(&state), fault });
                }
            }
        }
        match failed.into_inner() {
            Some(failure) => Err(failure.into()),
            None => Ok(()),
        }
    }

    fn finish(mut self, end: End) -> Exploration {
        let device = self.device.into_inner();
        let states = device.len();
        let state_bytes = state_bytes(device, &self.learner);
        self.counts.generated = self.counts.transitions;
        let Tally { restarts, special, launches } = self.tally;
        let counts = vec![
            ("states of tables", states),
            ("rows", self.learner.table.len() as u64),
            ("evaluated", self.learner.evaluated),
            ("by the host", special),
            ("launches", launches),
            ("restarts", restarts),
        ];
        Exploration {
            end,
            coverage: self.counts.coverage_of(states, device.memory(), state_bytes),
            findings: self.findings.into_list(),
            partial: 0,
            profile: Some(SearchProfile { threads: 1, phases: Vec::new(), counts }),
            labels: Vec::new(),
        }
    }
}

/// With more rows than this, each must be good for a state.
const SOME_ROWS: u64 = 1 << 14;

/// With more rows than this, each must be good for so many states.
const MANY_ROWS: u64 = 1 << 19;
const WORTH: u64 = 3;

/// After so many steps a walk begins anew.
const WALK: usize = 256;

/// After so many states the watch is asked.
const WATCH_STATES: usize = 1 << 10;

/// The bytes of all states are told from so many of them, unless there are fewer.
const MEASURED: u64 = 1 << 10;

fn successors(engine: &Engine<'_>, state: &[u8], scratch: &mut Scratch, targets: &mut Vec<Vec<u8>>) {
    targets.clear();
    engine.successors(state, scratch, &mut |successor| {
        targets.extend(successor.target.map(<[u8]>::to_vec));
        // A sample need not be whole.
        if successor.pulse.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

/// Returns how many bytes all states have together.
fn state_bytes(device: &mut dyn Device, learner: &Learner<'_, '_>) -> u64 {
    let states = device.len();
    let (mut state, mut bytes, mut measured) = (Vec::new(), 0, 0);
    for number in 0..states.min(MEASURED) {
        let place = if states <= MEASURED { number } else { number * (states / MEASURED) };
        for key in device.keys(place..place + 1).unwrap_or_default() {
            learner.encoding.decode(key, &mut state);
            (bytes, measured) = (bytes + state.len() as u64, measured + 1);
        }
    }
    if measured == states { bytes } else { (bytes as f64 / measured.max(1) as f64 * states as f64) as u64 }
}
