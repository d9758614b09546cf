//! From level to level.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use narrows_gpu::{Device, Failure, Key, Place};
use narrows_model::{Limit, Scratch, SearchProfile, StateSpace, Violation};
use rustc_hash::FxHashSet;

use super::hand_over;
use super::paths::path;
use super::rows::{Interrupt, Rows};
use super::special;
use crate::breadth_first::Frontier;
use crate::findings::Findings;
use crate::search::Counts;
use crate::{End, Exploration, Goal, Progress, Run, SearchScope};

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
            Interrupt::Refused(reason) => {
                Stop::Broken(format!("no tables can be made of this model: {reason}"))
            }
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        match failure {
            Failure::Full => Stop::End(End::Limit(Limit::DeviceMemory)),
            failure => Stop::Broken(failure.to_string()),
        }
    }
}

/// What a search is to decide: until all of it is decided, or without any of it, all states are visited.
#[derive(Clone, Copy, Default)]
pub(super) struct Aims<'a> {
    pub(super) goals: &'a [Goal],
    /// How many invariants there are, of those that [`Rows::holds`] knows.
    pub(super) invariants: usize,
    /// The search on the processor that this one goes on with.
    pub(super) from: Option<&'a Frontier>,
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
    (space, rows): (&dyn StateSpace, &mut dyn Rows),
    aims: Aims<'_>,
    scope: &SearchScope<'_>,
    device: &mut dyn Device,
    samples: usize,
) -> Result<(Exploration, Vec<Option<Broken>>), Reason> {
    let mut search = Search {
        space,
        goals: aims.goals,
        from: aims.from,
        broken: vec![None; aims.invariants],
        scope,
        device: RefCell::new(device),
        rows: RefCell::new(rows),
        counts: Counts::default(),
        findings: Findings::default(),
        levels: Vec::new(),
        tally: Tally::default(),
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

struct Search<'a> {
    space: &'a dyn StateSpace,
    goals: &'a [Goal],
    from: Option<&'a Frontier>,
    broken: Vec<Option<Broken>>,
    scope: &'a SearchScope<'a>,
    device: RefCell<&'a mut dyn Device>,
    rows: RefCell<&'a mut dyn Rows>,
    counts: Counts,
    findings: Findings,
    /// Where each level begins.
    levels: Vec<Place>,
    tally: Tally,
}

/// Something that goes wrong in a level.
enum Wrong {
    Deadlock(Vec<u8>),
    /// The state, the number of the step, what.
    Step(Vec<u8>, u32, Vec<Violation>),
    /// The state, the number of the invariant that does not hold, and what goes wrong on the way.
    Invariant(Vec<u8>, usize, Option<Violation>),
}

impl Search<'_> {
    /// Takes note of some states, so that keys have room for most: half of them near the initial one, the
    /// others on long walks.
    fn sample(&mut self, samples: usize) {
        let Ok((initial, _)) = self.space.initial() else { return };
        self.rows.get_mut().note(&initial);
        let mut known = FxHashSet::default();
        let mut waiting = VecDeque::from([initial.clone()]);
        let (space, mut scratch) = (self.space, Scratch::with_pulses());
        let mut targets = Vec::new();
        while let Some(state) = waiting.pop_front().filter(|_| known.len() < samples / 2) {
            successors(space, &state, &mut scratch, &mut targets);
            for target in targets.drain(..) {
                if known.insert(target.clone()) {
                    self.rows.get_mut().note(&target);
                    waiting.push_back(target);
                }
            }
        }
        // A walk goes on as the number of the step says, mixed.
        let (mut state, mut mixed) = (initial.clone(), 1_u64);
        for step in 0..samples / 2 {
            successors(space, &state, &mut scratch, &mut targets);
            mixed = (mixed ^ mixed >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(step as u64);
            if targets.is_empty() || (step % WALK == WALK - 1) {
                state.clone_from(&initial);
                continue;
            }
            state = targets.swap_remove((mixed >> 33) as usize % targets.len());
            self.rows.get_mut().note(&state);
        }
    }

    /// Searches from the beginning.
    fn run(&mut self) -> Result<(), Stop> {
        (self.counts.transitions, self.counts.depth) = (0, 0);
        self.findings = Findings::default();
        if let Some(Frontier { counts, findings, .. }) = self.from {
            (self.counts.transitions, self.counts.depth) = (counts.transitions, counts.depth);
            self.counts.absorb(counts);
            self.findings = findings.clone();
        }
        self.broken.fill(None);
        self.tally.special = 0;
        let (initial, violations) = match self.space.initial() {
            Ok(initial) => initial,
            Err(fault) => {
                self.findings.add(&[fault], Run::default);
                return Err(Stop::End(End::Fault));
            }
        };
        if self.from.is_none() {
            self.findings.add(&violations, Run::default);
        }
        let width = self.rows.get_mut().fit().map_err(|needed| {
            Stop::Broken(format!("states need {needed} bits or more, and a key has at most 127"))
        })?;
        self.rows.get_mut().begin(&initial);
        self.device.get_mut().reset(width)?;
        self.device.get_mut().learn(self.rows.get_mut().table())?;
        match self.from {
            Some(frontier) => self.take_over(frontier)?,
            None => {
                let key = self.rows.get_mut().key(&initial)?;
                self.device.get_mut().insert(&[key])?;
                self.levels = vec![0];
            }
        }
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

    /// Goes on where a search on the processor has stopped.
    fn take_over(&mut self, frontier: &Frontier) -> Result<(), Stop> {
        let rows = self.rows.get_mut();
        let of = (self.scope.budget, &Progress::default());
        let (keys, is_anew) = hand_over::keys(frontier, &mut **rows, of)?;
        if is_anew {
            return Err(Stop::Anew);
        }
        // A device adds what it gets at a time in any order: what was expanded comes before the rest.
        let (expanded, open) = keys.split_at(frontier.visited() as usize);
        self.device.get_mut().insert(expanded)?;
        self.device.get_mut().insert(open)?;
        self.levels = vec![frontier.visited()];
        Ok(())
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
                    self.rows.get_mut().answer(expanded.missing, &mut self.counts, progress)?;
                    self.device.get_mut().learn(self.rows.get_mut().table())?;
                    self.ensure_worth()?;
                }
            }
        }
        Ok(special)
    }

    /// Makes sure that a row serves many states.
    fn ensure_worth(&mut self) -> Result<(), Stop> {
        let (rows, states) = (self.rows.get_mut().table().len() as u64, self.device.get_mut().len());
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
            self.rows.borrow().decode(*key, &mut state);
            state
        };
        let mut states: Vec<Vec<u8>> = keys.iter().map(decode).collect();
        states.sort_unstable();
        self.tally.special += states.len() as u64;
        let mut wrong = Vec::new();
        let mut keys = Vec::new();
        'all: for some in states.chunks(WATCH_STATES) {
            self.watch()?;
            let of = (self.scope.budget, &self.progress());
            let visited = special::visit(self.space, some, of, &mut self.counts);
            let visited = visited.map_err(|limit| Stop::End(End::Limit(limit)))?;
            for (state, visited) in some.iter().zip(visited) {
                self.test(state, &mut wrong);
                if self.goals.is_empty() && self.is_every_one_broken(&wrong) {
                    break 'all;
                }
                let steps = visited.violations.into_iter();
                wrong.extend(steps.map(|(choice, list)| Wrong::Step(state.clone(), choice, list)));
                if visited.is_deadlock {
                    wrong.push(Wrong::Deadlock(state.clone()));
                }
                self.counts.transitions += visited.targets.len() as u64;
                for target in visited.targets {
                    keys.push(self.rows.get_mut().key(&target)?);
                }
            }
            if keys.len() >= WATCH_STATES {
                self.insert(&mut keys)?;
            }
        }
        self.insert(&mut keys)?;
        self.report(wrong)
    }

    /// Tests the invariants that were not seen broken.
    fn test(&self, state: &[u8], wrong: &mut Vec<Wrong>) {
        for number in 0..self.broken.len() {
            let is_known = |wrong: &Wrong| matches!(wrong, Wrong::Invariant(_, known, _) if *known == number);
            if self.broken[number].is_some() || wrong.iter().any(is_known) {
                continue;
            }
            match self.rows.borrow().holds(number, state) {
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

    /// Notes what goes wrong, with a run to it where one is wanted.
    fn report(&mut self, wrong: Vec<Wrong>) -> Result<(), Stop> {
        let failed = RefCell::new(None);
        let Search { space, rows, device, levels, findings, broken, from, .. } = self;
        let path_to = |state: &[u8]| {
            let found = path(&mut **device.borrow_mut(), (*space, &mut **rows.borrow_mut()), levels, state);
            let mut found = found.unwrap_or_else(|failure| {
                *failed.borrow_mut() = Some(failure);
                Vec::new()
            });
            // What comes before is known to the search that this one goes on with.
            if let (Some(from), Some(first)) = (*from, found.first())
                && let Some(before) = from.run_to(*space, first)
            {
                found.splice(..1, before);
            }
            found
        };
        let run = |state: &[u8], choice: Option<u32>| {
            let states = path_to(state);
            let mut run = Run::through(*space, states.iter().map(Vec::as_slice), &[]);
            run.choices.extend(choice);
            run
        };
        for wrong in wrong {
            match wrong {
                Wrong::Deadlock(state) => {
                    let mut control = Vec::new();
                    space.control(&state, &mut control);
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
        let rows = self.rows.into_inner();
        let state_bytes = state_bytes(device, rows);
        self.counts.generated = self.counts.transitions;
        let Tally { restarts, special, launches } = self.tally;
        let counts = vec![
            ("states of tables", states),
            ("rows", rows.table().len() as u64),
            ("evaluated", rows.evaluated()),
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
const WATCH_STATES: usize = 1 << 12;

/// The bytes of all states are told from so many of them, unless there are fewer.
const MEASURED: u64 = 1 << 10;

fn successors(space: &dyn StateSpace, state: &[u8], scratch: &mut Scratch, targets: &mut Vec<Vec<u8>>) {
    targets.clear();
    space.successors(state, scratch, &mut |successor| {
        targets.extend(successor.target.map(<[u8]>::to_vec));
        // A sample need not be whole.
        if successor.pulse.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

/// Returns how many bytes all states have together.
fn state_bytes(device: &mut dyn Device, rows: &dyn Rows) -> u64 {
    let states = device.len();
    let (mut state, mut bytes, mut measured) = (Vec::new(), 0, 0);
    for number in 0..states.min(MEASURED) {
        let place = if states <= MEASURED { number } else { number * (states / MEASURED) };
        for key in device.keys(place..place + 1).unwrap_or_default() {
            rows.decode(key, &mut state);
            (bytes, measured) = (bytes + state.len() as u64, measured + 1);
        }
    }
    if measured == states { bytes } else { (bytes as f64 / measured.max(1) as f64 * states as f64) as u64 }
}
