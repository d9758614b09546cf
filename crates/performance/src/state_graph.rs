//! The state graph of a model with delays, explored on demand: states by number, and for each its outgoing
//! steps.
//!
//! A step is classified by its effect: immediate or timed, its weight among random choices, the processes
//! that move, and the events that it counts. Effects are interned, so that a step takes eight bytes. Once
//! there are many states, steps of a process are recalled by its read set (`memo.rs`) instead of executed,
//! many states at a time (`prefetch.rs`).

mod marks;
mod memo;
mod prefetch;
mod step_effects;
#[cfg(test)]
mod tests;
mod value_cache;

use std::ops::ControlFlow;

use narrows_explicit::{Budget, Progress, Symmetry};
use narrows_model::{Difference, Limit, ProcessSet, Scratch, StateSpace, Successor, System, Violation};

use crate::state_store::StateStore;
use crate::{BuildError, Timing};
use marks::Marks;
use memo::Memo;
use prefetch::Prefetch;
use step_effects::StepEffects;

pub use marks::{Predicate, Rename};
pub use value_cache::ValueCache;

/// A transition. Its index among the steps of its state is the index of the successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state it leads to.
    pub target: u32,
    /// Its [`StepEffect`], by number.
    pub effect: u32,
}

/// What a step does, as far as the views care.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StepEffect {
    /// When it is taken.
    pub urgency: Urgency,
    /// If it is one of the random choices of a process: that process, and the weight of the choice.
    pub chance: Option<(u8, u32)>,
    /// The processes that move; none where moves are labels.
    pub moved: ProcessSet,
    /// The events that it counts, and how many times each.
    pub events: Vec<(u16, u32)>,
}

impl StepEffect {
    /// Returns whether the step stops a clock: the clock has expired, or its process has moved.
    pub fn stops(&self, pid: u8, delay: u16) -> bool {
        self.urgency == Urgency::Timed(pid, delay) || self.moved.contains(usize::from(pid))
    }
}

/// Whether a step is immediate or waits for a delay: the immediate and timed transitions of a stochastic
/// Petri net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// Immediate: taken before any time passes.
    Immediate,
    /// Timed: taken when this delay of this process has expired.
    Timed(u8, u16),
}

/// The part of the state graph that has been explored.
pub struct StateGraph<'a> {
    space: &'a dyn StateSpace,
    budget: Budget,
    scratch: Scratch,
    states: StateStore,
    /// For each state, the range of its steps, counted from the first step ever found.
    known: Vec<Known>,
    /// How many steps were discarded from the front.
    forgotten: u64,
    /// The breadth-first tree: for each state, its predecessor and the index of the step from there.
    parents: Vec<(u32, u32)>,
    steps: Vec<Step>,
    effects: StepEffects<'a>,
    buffer: Vec<u8>,
    /// The component boundaries of packed states, as long as all have the same.
    parts: Option<Vec<u32>>,
    /// Steps of processes by read set, once there are many states.
    memo: Option<Memo>,
    prefetch: Prefetch,
    /// What adds events to steps by the states before and after, if something does.
    marks: Option<Marks<'a>>,
    /// How many states were expanded.
    expanded: usize,
    /// How many states there were when the budget was last looked at.
    watched: usize,
    /// Whether each state stands for all that differ in which of some equal parts does what.
    of_orbits: bool,
    /// Exchanges of processes after which a state is as good as before.
    symmetry: Option<&'a Symmetry>,
}

/// The range of a state's steps in 64 bits, or that it is unexplored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known(u64);

impl Known {
    const NOT: Known = Known(u64::MAX);
    /// The lower bits are the number of steps.
    const COUNT_BITS: u32 = 24;

    fn new(start: u64, count: usize) -> Known {
        Known(start << Known::COUNT_BITS | count as u64)
    }

    /// Returns the range among the steps that are still there.
    fn place(self, forgotten: u64) -> Option<(usize, usize)> {
        if self == Known::NOT {
            return None;
        }
        let start = (self.0 >> Known::COUNT_BITS).checked_sub(forgotten)?;
        Some((start as usize, (self.0 & ((1 << Known::COUNT_BITS) - 1)) as usize))
    }
}

/// With fewer states, a memo does not pay.
const MEMO_FROM: usize = 1_000;

impl std::fmt::Debug for StateGraph<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "StateGraph {{ states: {}, steps: {} }}", self.states.len(), self.steps.len())
    }
}

/// The budget's watch is polled every so many states, or when so many small ones were added.
const WATCH_EVERY: usize = 1 << 10;

/// A small state takes about so many bytes, all in all.
const STATE_COST: usize = 64;

impl<'a> StateGraph<'a> {
    /// Starts with the initial state, number 0. Without a system, moves are [labels](Timing::labels) instead
    /// of transitions of processes.
    pub fn new(
        space: &'a dyn StateSpace,
        system: Option<&'a System>,
        timing: &'a Timing,
        budget: Budget,
    ) -> Result<StateGraph<'a>, BuildError> {
        let mut state_graph = StateGraph {
            space,
            budget,
            scratch: Scratch::with_pulses().following_every_path(),
            states: StateStore::new(space.hidden_bytes()),
            known: Vec::new(),
            forgotten: 0,
            parents: Vec::new(),
            steps: Vec::new(),
            effects: StepEffects::new(system, timing),
            buffer: Vec::new(),
            parts: None,
            memo: None,
            prefetch: Prefetch::default(),
            marks: None,
            expanded: 0,
            watched: 0,
            of_orbits: false,
            symmetry: None,
        };
        let (initial, violations) = space.initial().map_err(|fault| BuildError::Wrong(fault, Vec::new()))?;
        if let Some(violation) = violations.first() {
            return Err(BuildError::Wrong(*violation, Vec::new()));
        }
        state_graph.states.add(&initial);
        let mut parts = Vec::new();
        space.parts(&initial, &mut parts);
        state_graph.parts = Some(parts);
        state_graph.known.push(Known::NOT);
        state_graph.parents.push((0, 0));
        Ok(state_graph)
    }

    /// Says that the space is one of orbits: processes have other numbers after a step. There is no path to a
    /// state then.
    #[must_use]
    pub fn of_orbits(mut self) -> StateGraph<'a> {
        self.of_orbits = true;
        self
    }

    /// Says that views need only one of all states with clocks that exchanges make of each other. There is no
    /// path to a node of such a view then. The space must forget if the symmetry does.
    #[must_use]
    pub fn exchanging(mut self, symmetry: &'a Symmetry) -> StateGraph<'a> {
        self.symmetry = Some(symmetry);
        self
    }

    /// Returns what may be exchanged in views.
    pub(crate) fn symmetry(&self) -> Option<&'a Symmetry> {
        self.symmetry
    }

    /// Returns whether each state, or each node of a view, stands for all that differ in which of some equal
    /// parts does what.
    pub fn is_of_orbits(&self) -> bool {
        self.of_orbits || self.symmetry.is_some()
    }

    /// Returns how many states are known.
    pub fn states(&self) -> u32 {
        self.states.len() as u32
    }

    /// Returns how many steps are known.
    pub fn step_count(&self) -> u64 {
        self.forgotten + self.steps.len() as u64
    }

    /// Returns a state.
    pub fn state(&self, state: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.states.read(state, &mut bytes);
        bytes
    }

    /// Returns the number of a state, which is added if it is new. No path to such a state is known.
    pub(crate) fn number(&mut self, state: &[u8]) -> u32 {
        let (restarts, changes) = (self.states.restarts(), self.states.changes());
        let (number, is_new) = self.states.add(state);
        if is_new {
            let successor = Successor { target: Some(state), ..Successor::default() };
            self.compare_parts(&successor, self.states.restarts() != restarts);
            self.known.push(Known::NOT);
            self.parents.push((0, 0));
        }
        // The memo knows states as they were packed until now.
        if self.states.changes() != changes || self.parts.is_none() {
            self.memo = None;
        }
        number
    }

    /// Returns a step's effect.
    pub fn effect(&self, effect: u32) -> &StepEffect {
        &self.effects.list[effect as usize]
    }

    /// Returns all effects.
    pub fn effects(&self) -> &[StepEffect] {
        &self.effects.list
    }

    /// Returns the timing.
    pub fn timing(&self) -> &'a Timing {
        self.effects.timing
    }

    /// Returns the system, if moves are those of its processes.
    pub fn system(&self) -> Option<&'a System> {
        self.effects.system
    }

    /// Returns the steps of a state that was expanded and not discarded, in the order of its successors.
    pub fn steps_of(&self, state: u32) -> &[Step] {
        self.known[state as usize]
            .place(self.forgotten)
            .map_or(&[], |(start, length)| &self.steps[start..][..length])
    }

    /// Returns a path from the initial state, as the index of the step taken in each state.
    pub fn choices_to(&self, state: u32) -> Vec<u32> {
        choices_to(&self.parents, state)
    }

    /// Returns how many bytes all of this takes.
    pub fn memory(&self) -> u64 {
        let state_graph = self.known.capacity() * size_of::<Known>() + self.parents.capacity() * 8;
        let memo = self.memo.as_ref().map_or(0, Memo::memory);
        self.states.memory() + (memo + state_graph + self.steps.capacity() * size_of::<Step>()) as u64
    }

    /// Computes the steps of a state unless they are known.
    pub fn expand(&mut self, state: u32) -> Result<(), BuildError> {
        self.expand_all(std::iter::once(state))
    }

    /// Computes the steps of a state by executing every enabled transition.
    fn execute(&mut self, state: u32) -> Result<(), BuildError> {
        let changes = self.states.changes();
        let mut bytes = std::mem::take(&mut self.buffer);
        self.states.read(state, &mut bytes);
        let start = self.steps.len();
        let mut failure = None;
        let mut scratch = std::mem::take(&mut self.scratch);
        self.space.successors(
            &bytes,
            &mut scratch,
            &mut |successor| match self.add(state, start, &successor) {
                Ok(()) => ControlFlow::Continue(()),
                Err(found) => {
                    failure = Some(found);
                    ControlFlow::Break(())
                }
            },
        );
        self.scratch = scratch;
        self.buffer = bytes;
        if self.states.changes() != changes || self.parts.is_none() {
            self.memo = None;
        }
        match failure {
            Some(failure) => Err(failure),
            None => {
                let count = self.steps.len() - start;
                if count >= 1 << Known::COUNT_BITS {
                    return Err(Limit::Memory.into());
                }
                self.known[state as usize] = Known::new(self.forgotten + start as u64, count);
                Ok(())
            }
        }
    }

    /// Discards all steps; they are computed again on demand.
    pub(crate) fn forget_steps(&mut self) {
        self.forgotten += self.steps.len() as u64;
        self.steps.clear();
    }

    /// Discards all but the states, when only those are needed.
    pub(crate) fn forget_ways(&mut self) {
        self.forget_steps();
        (self.steps, self.known, self.parents) = (Vec::new(), Vec::new(), Vec::new());
        self.memo = None;
        self.states.forget_table();
    }

    /// Polls the budget; `elsewhere` is memory that the caller uses, in bytes.
    pub fn watch(&self, elsewhere: u64) -> Result<(), Limit> {
        let memory = self.memory() + elsewhere;
        let progress =
            Progress { states: self.known.len() as u64, transitions: self.step_count(), depth: 0, memory };
        if memory > self.budget.memory {
            return Err(Limit::Memory);
        }
        self.budget.watch.check(&progress).map_or(Ok(()), Err)
    }

    /// Checks whether a new state has the component boundaries of all others, or is the first of its length.
    fn compare_parts(&mut self, successor: &Successor<'_>, is_first: bool) {
        let (Some(target), Difference::Unknown) = (successor.target, successor.difference) else { return };
        if is_first || self.parts.is_some() {
            let mut ends = Vec::new();
            self.space.parts(target, &mut ends);
            let is_like = is_first || self.parts.as_ref() == Some(&ends);
            self.parts = is_like.then_some(ends);
        }
    }

    fn add(&mut self, from: u32, start: usize, successor: &Successor<'_>) -> Result<(), BuildError> {
        if let Some(held) = successor.pulse {
            return Ok(self.watch(held)?);
        }
        let choice = (self.steps.len() - start) as u32;
        let wrong = |violation: Violation, state_graph: &Self| {
            let mut choices = state_graph.choices_to(from);
            choices.push(choice);
            BuildError::Wrong(violation, choices)
        };
        if let Some(violation) = successor.violations.first() {
            return Err(wrong(*violation, self));
        }
        let Some(target) = successor.target else { return Ok(()) };
        let effect = self.effects.of(successor)?;
        let restarts = self.states.restarts();
        let (number, is_new) = self.states.add(target);
        if is_new {
            self.compare_parts(successor, self.states.restarts() != restarts);
            self.known.push(Known::NOT);
            self.parents.push((from, choice));
        }
        self.steps.push(Step { target: number, effect });
        Ok(())
    }
}

/// Returns the path to a node of a breadth-first tree, as choices, given each node's predecessor and choice.
pub(crate) fn choices_to(parents: &[(u32, u32)], mut place: u32) -> Vec<u32> {
    let mut choices = Vec::new();
    while place != 0 {
        let (parent, choice) = parents[place as usize];
        choices.push(choice);
        place = parent;
    }
    choices.reverse();
    choices
}
