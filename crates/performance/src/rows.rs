//! The states of a model with their successors, found when they are asked for: what each step is, and where it leads.

mod ahead;
mod deeds;
mod memo;
mod values;

use std::ops::ControlFlow;

use narrows_explicit::{Budget, Progress};
use narrows_model::{Difference, Limit, ProcessSet, Scratch, StateSpace, Successor, System, Violation};

use crate::states::States;
use crate::{Timing, Trouble};
use ahead::Ahead;
use deeds::Deeds;
use memo::Memo;

pub use values::Values;

/// A step from a state to another. Its place in the row is the number of the successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state it leads to.
    pub target: u32,
    /// What is done, by number.
    pub deed: u32,
}

/// What matters about a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deed {
    /// When it is done.
    pub pace: Pace,
    /// Among the choices of this process it is taken by chance, with this weight.
    pub chance: Option<(u8, u32)>,
    /// Which processes move; none where moves are labels.
    pub moved: ProcessSet,
    /// Which events it is, and how many times each.
    pub events: Vec<(u16, u32)>,
}

impl Deed {
    /// Returns whether this clock stops when it is done: it has run out, or its process has moved.
    pub fn stops(&self, pid: u8, delay: u16) -> bool {
        self.pace == Pace::Later(pid, delay) || self.moved.contains(usize::from(pid))
    }
}

/// When a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Before any time passes.
    Now,
    /// When this process has waited for this delay.
    Later(u8, u16),
}

/// States and steps that are known so far.
pub struct Rows<'a> {
    space: &'a dyn StateSpace,
    budget: Budget<'a>,
    scratch: Scratch,
    states: States,
    /// For each state, where its steps begin, counted from the first that were ever found, and how many they are.
    known: Vec<Known>,
    /// How many steps were forgotten.
    forgotten: u64,
    /// For each state, from where and by which choice it was first found.
    parents: Vec<(u32, u32)>,
    steps: Vec<Step>,
    deeds: Deeds<'a>,
    buffer: Vec<u8>,
    /// The parts of the states that are kept in words, as long as they are the same.
    parts: Option<Vec<u32>>,
    /// What processes do, once there are many states.
    memo: Option<Memo>,
    ahead: Ahead,
    /// How many states were expanded.
    expanded: usize,
}

/// Where the steps of a state are: a place and how many, or that they were not looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known(u64);

impl Known {
    const NOT: Known = Known(u64::MAX);
    /// How many bits tell how many steps there are.
    const COUNT_BITS: u32 = 24;

    fn new(start: u64, count: usize) -> Known {
        Known(start << Known::COUNT_BITS | count as u64)
    }

    /// Returns where the steps begin among those that are not forgotten, and how many they are.
    fn place(self, forgotten: u64) -> Option<(usize, usize)> {
        if self == Known::NOT {
            return None;
        }
        let start = (self.0 >> Known::COUNT_BITS).checked_sub(forgotten)?;
        Some((start as usize, (self.0 & ((1 << Known::COUNT_BITS) - 1)) as usize))
    }
}

/// For fewer states it is not worth remembering what processes do.
const SMALL: usize = 1_000;

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Rows {{ states: {}, steps: {} }}", self.states.len(), self.steps.len())
    }
}

/// After so many states the watch is asked.
const WATCH_EVERY: usize = 1 << 10;

impl<'a> Rows<'a> {
    /// Starts with the initial state, which has the number 0. There is a system where moves are those of its processes;
    /// otherwise they are [labels](Timing::labels).
    pub fn new(
        space: &'a dyn StateSpace,
        system: Option<&'a System>,
        timing: &'a Timing,
        budget: Budget<'a>,
    ) -> Result<Rows<'a>, Trouble> {
        let mut rows = Rows {
            space,
            budget,
            scratch: Scratch::with_pulses().following_every_path(),
            states: States::new(space.hidden_bytes()),
            known: Vec::new(),
            forgotten: 0,
            parents: Vec::new(),
            steps: Vec::new(),
            deeds: Deeds::new(system, timing),
            buffer: Vec::new(),
            parts: None,
            memo: None,
            ahead: Ahead::default(),
            expanded: 0,
        };
        let (initial, violations) = space.initial().map_err(|fault| Trouble::Wrong(fault, Vec::new()))?;
        if let Some(violation) = violations.first() {
            return Err(Trouble::Wrong(*violation, Vec::new()));
        }
        rows.states.add(&initial);
        let mut parts = Vec::new();
        space.parts(&initial, &mut parts);
        rows.parts = Some(parts);
        rows.known.push(Known::NOT);
        rows.parents.push((0, 0));
        Ok(rows)
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

    /// Returns what is done by number.
    pub fn deed(&self, deed: u32) -> &Deed {
        &self.deeds.list[deed as usize]
    }

    /// Returns how many different things are done.
    pub fn deeds(&self) -> &[Deed] {
        &self.deeds.list
    }

    /// Returns the timing.
    pub fn timing(&self) -> &'a Timing {
        self.deeds.timing
    }

    /// Returns the system, if moves are those of its processes.
    pub fn system(&self) -> Option<&'a System> {
        self.deeds.system
    }

    /// Returns the steps of a state that was expanded and not forgotten, in the order of its successors.
    pub fn row(&self, state: u32) -> &[Step] {
        self.known[state as usize]
            .place(self.forgotten)
            .map_or(&[], |(start, length)| &self.steps[start..][..length])
    }

    /// Returns the choices on a way from the initial state to this one.
    pub fn choices_to(&self, state: u32) -> Vec<u32> {
        choices_to(&self.parents, state)
    }

    /// Returns how many bytes all of this takes.
    pub fn memory(&self) -> u64 {
        let rows = self.known.capacity() * size_of::<Known>() + self.parents.capacity() * 8;
        let memo = self.memo.as_ref().map_or(0, Memo::memory);
        self.states.memory() + (memo + rows + self.steps.capacity() * size_of::<Step>()) as u64
    }

    /// Makes sure that the steps of a state are known.
    pub fn expand(&mut self, state: u32) -> Result<(), Trouble> {
        self.expand_all(std::iter::once(state))
    }

    /// Finds the steps of a state by executing all that can be executed there.
    fn execute(&mut self, state: u32) -> Result<(), Trouble> {
        let changes = self.states.changes();
        let mut bytes = std::mem::take(&mut self.buffer);
        self.states.read(state, &mut bytes);
        let start = self.steps.len();
        let mut trouble = None;
        let mut scratch = std::mem::take(&mut self.scratch);
        self.space.successors(
            &bytes,
            &mut scratch,
            &mut |successor| match self.add(state, start, &successor) {
                Ok(()) => ControlFlow::Continue(()),
                Err(found) => {
                    trouble = Some(found);
                    ControlFlow::Break(())
                }
            },
        );
        self.scratch = scratch;
        self.buffer = bytes;
        if self.states.changes() != changes || self.parts.is_none() {
            self.memo = None;
        }
        match trouble {
            Some(trouble) => Err(trouble),
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

    /// Forgets all steps that are known so far: they are found again when they are asked for.
    pub(crate) fn forget_steps(&mut self) {
        self.forgotten += self.steps.len() as u64;
        self.steps.clear();
    }

    /// Forgets all but the states, when nothing else is of interest any more.
    pub(crate) fn forget_ways(&mut self) {
        self.forget_steps();
        (self.steps, self.known, self.parents) = (Vec::new(), Vec::new(), Vec::new());
        self.memo = None;
        self.states.forget_table();
    }

    /// Asks whether to go on, with so many bytes in use elsewhere.
    pub fn watch(&self, elsewhere: u64) -> Result<(), Limit> {
        let memory = self.memory() + elsewhere;
        let progress =
            Progress { states: self.known.len() as u64, transitions: self.step_count(), depth: 0, memory };
        if memory > self.budget.memory {
            return Err(Limit::Memory);
        }
        self.budget.watch.check(&progress).map_or(Ok(()), Err)
    }

    /// Finds out whether a new state has the same parts as all others, or is the first of its length.
    fn compare_parts(&mut self, successor: &Successor<'_>, is_first: bool) {
        let (Some(target), Difference::Unknown) = (successor.target, successor.difference) else { return };
        if is_first || self.parts.is_some() {
            let mut ends = Vec::new();
            self.space.parts(target, &mut ends);
            let is_like = is_first || self.parts.as_ref() == Some(&ends);
            self.parts = is_like.then_some(ends);
        }
    }

    fn add(&mut self, from: u32, start: usize, successor: &Successor<'_>) -> Result<(), Trouble> {
        if let Some(held) = successor.pulse {
            return Ok(self.watch(held)?);
        }
        let choice = (self.steps.len() - start) as u32;
        let wrong = |violation: Violation, rows: &Self| {
            let mut choices = rows.choices_to(from);
            choices.push(choice);
            Trouble::Wrong(violation, choices)
        };
        if let Some(violation) = successor.violations.first() {
            return Err(wrong(*violation, self));
        }
        let Some(target) = successor.target else { return Ok(()) };
        let deed = self.deeds.of(successor)?;
        let restarts = self.states.restarts();
        let (number, is_new) = self.states.add(target);
        if is_new {
            self.compare_parts(successor, self.states.restarts() != restarts);
            self.known.push(Known::NOT);
            self.parents.push((from, choice));
        }
        self.steps.push(Step { target: number, deed });
        Ok(())
    }
}

/// Returns the choices on the way to a place, given for each the one before it and the choice there.
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
