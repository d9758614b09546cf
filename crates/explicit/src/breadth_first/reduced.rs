//! Breadth-first search that leaves out steps whose order does not matter.
//!
//! Each thread chooses for a state some processes whose steps are enough, and finds their successors alone.
//! When it is known which of a batch's successors are new, a state none of whose successors is still to be
//! visited at the next distance gets another turn, in a further pass over the same batch: with another
//! choice, and with all steps at last. So no process waits for ever (D. Bošnački, S. Leue, A. Lluch Lafuente,
//! *Partial-order reduction for general state exploring algorithms*, 2009), and what is visited does not
//! depend on the number of threads.
//!
//! The successors of a state are those of all its passes, one after the other: by their numbers, the tree
//! finds the ways to states. As choices depend on states alone, they are made again to turn these numbers
//! into those of a [`Run`].

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

use narrows_model::{Expansion, Limit, ProcessSet, Scratch, StateSpace, Visit};

use super::batch::Batch;
use super::block::{Block, STATES};
use super::team::Activity;

use super::resume::Stopped;
use super::{Search, Totals, WORTH_SHARING, full, live};
use crate::reduction::Chooser;
use crate::store::{Memory, NOWHERE, Twigs};
use crate::{End, Full, Reduction, Run};

/// Chooses for one thread.
pub(super) struct Picker<'a> {
    chooser: Chooser<'a, 'a>,
    /// Which choice it makes, counted from 0; `None` if it makes none.
    pub(super) pass: Option<usize>,
}

impl<'a> Picker<'a> {
    pub(super) fn new(reduction: &'a Reduction<'a>) -> Self {
        Picker { chooser: reduction.chooser(), pass: Some(0) }
    }

    /// Returns the processes whose steps are to be taken in a state; `None` if that is every one.
    pub(super) fn pick(&mut self, state: &[u8]) -> Option<ProcessSet> {
        let pass = self.pass?;
        self.chooser.look_at(state);
        let mut choice = None;
        for _ in 0..=pass {
            choice = Some(self.chooser.next()?.processes);
        }
        choice
    }
}

impl std::fmt::Debug for Picker<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Picker {{ pass: {:?} }}", self.pass)
    }
}

/// Visits the successors that some processes begin, or all.
pub(super) fn successors<S: StateSpace + ?Sized>(
    space: &S,
    processes: Option<ProcessSet>,
    state: &[u8],
    scratch: &mut Scratch,
    visit: &mut Visit<'_>,
) -> Expansion {
    match processes {
        None => space.successors(state, scratch, visit),
        Some(processes) => {
            space.successors_of(processes, state, scratch, visit);
            Expansion::Moves
        }
    }
}

/// What a search with a reduction has beside the others.
pub(super) struct Reduced<'a> {
    reduction: &'a Reduction<'a>,
    waiting: Waiting,
    passes: Vec<Pass>,
    notes: Notes,
    pub(super) effort: Effort,
}

/// What is noted about a batch.
#[derive(Default)]
struct Notes {
    twigs: Twigs,
    fresh: Vec<u64>,
    hidden: Vec<u8>,
}

/// How much there is to do for a reduction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    /// How many states were looked at, and how many turns they had.
    pub(super) states: u64,
    pub(super) turns: u64,
    /// From which state on all steps are taken.
    pub(super) given_up: Option<u64>,
}

/// So many states tell whether a reduction is worth it.
const TRIED: u64 = 1 << 15;

/// So many states should have no more turns than that.
const FOR_STATES: u64 = 4;
const MAX_TURNS: u64 = 7;

impl Effort {
    /// Counts the turns of some states, the last of which has the number before this one.
    fn add(&mut self, states: u64, turns: u64, visited: u64) {
        self.states += states;
        self.turns += turns;
        if self.states >= TRIED && self.given_up.is_none() {
            // Most steps lead to states that are known: whatever is chosen, the others have to be taken too.
            self.given_up = (self.turns * FOR_STATES > self.states * MAX_TURNS).then_some(visited);
        }
    }
}

impl<'a> Reduced<'a> {
    pub(super) fn new(reduction: &'a Reduction<'a>) -> Self {
        let (waiting, notes, effort) = (Waiting::default(), Notes::default(), Effort::default());
        Reduced { reduction, waiting, passes: Vec::new(), notes, effort }
    }

    /// Begins another level, of which these states have been found.
    pub(super) fn begin(&mut self, found: impl Iterator<Item = u64>, memory: &Memory) -> Result<(), Full> {
        self.waiting.clear(memory);
        self.wait_for(found, memory)
    }

    /// Remembers states of the next level, as long as that matters.
    fn wait_for(&mut self, mut found: impl Iterator<Item = u64>, memory: &Memory) -> Result<(), Full> {
        if self.effort.given_up.is_some() {
            return Ok(());
        }
        found.try_for_each(|key| self.waiting.insert(key, memory))
    }

    /// Returns whether the steps of a state are chosen.
    fn chooses(&self, state: u64) -> bool {
        self.effort.given_up.is_none_or(|end| state < end)
    }

    /// Returns the run along these states, by these of their steps, and then by one of the last state.
    fn run_to(
        &self,
        space: &(impl StateSpace + ?Sized),
        ways: &[(u64, u32)],
        last: Option<(Option<usize>, u32)>,
    ) -> Run {
        let mut chooser = self.reduction.chooser();
        let mut run = Run::default();
        let Ok((mut state, _)) = space.initial() else { return run };
        let mut scratch = Scratch::default();
        for (number, choice) in ways {
            let chooses = self.chooses(*number);
            chooser.look_at(&state);
            let mut left = *choice;
            let (number, target) = loop {
                let choice = if chooses { chooser.next() } else { None };
                let processes = choice.map(|choice| choice.processes);
                match find(space, processes, &state, &mut scratch, left) {
                    Found::Successor(number, target) => break (number, target),
                    Found::Fewer(count) if processes.is_some() => left -= count,
                    // There is no such successor: whoever replays the run will find out.
                    Found::Fewer(_) => return run,
                }
            };
            run.choices.push(number);
            state = target;
        }
        if let Some((pass, choice)) = last {
            let processes = Picker { chooser, pass }.pick(&state);
            if let Found::Successor(number, _) = find(space, processes, &state, &mut scratch, choice) {
                run.choices.push(number);
            }
        }
        run
    }
}

enum Found {
    /// Its number among all successors, and the state.
    Successor(u32, Vec<u8>),
    /// There are only so many.
    Fewer(u32),
}

/// Finds one of the successors that some processes begin.
fn find<S: StateSpace + ?Sized>(
    space: &S,
    processes: Option<ProcessSet>,
    state: &[u8],
    scratch: &mut Scratch,
    wanted: u32,
) -> Found {
    let (mut number, mut count, mut found) = (0, 0, None);
    space.successors(state, scratch, &mut |successor| {
        let first = successor.moves.first().map(|first| usize::from(first.pid));
        let counts = processes.is_none_or(|processes| first.is_some_and(|pid| processes.contains(pid)));
        if counts && count == wanted {
            found = Some((number, successor.target.unwrap_or_default().to_vec()));
            return ControlFlow::Break(());
        }
        (number, count) = (number + 1, count + u32::from(counts));
        ControlFlow::Continue(())
    });
    match found {
        Some((number, target)) => Found::Successor(number, target),
        None => Found::Fewer(count),
    }
}

/// States of a batch that have a turn together.
#[derive(Default)]
struct Pass {
    /// Where they are in the batch.
    states: Vec<u32>,
    /// They themselves; in the first pass, they are those of the batch.
    batch: Batch,
    blocks: Vec<Block>,
    /// How many blocks are in use.
    count: usize,
}

impl Pass {
    fn blocks(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    /// Returns where the successors of a state are that has this place in the pass.
    fn successors(&self, place: usize) -> (&Block, Range<usize>) {
        let block = &self.blocks[place / STATES];
        (block, block.successors_of(place % STATES))
    }

    fn is_partial(&self, place: usize) -> bool {
        self.blocks[place / STATES].is_partial(place % STATES)
    }

    /// Returns where the successors are that are new.
    fn new_states(&self) -> impl Iterator<Item = (&Block, usize)> {
        self.blocks().iter().flat_map(|block| {
            (0..block.targets.len()).filter(|index| block.is_new(*index)).map(move |index| (block, index))
        })
    }

    /// Returns the states of which not every step was taken, and that do not lead to one that waits.
    fn unfinished(&self, waiting: &Waiting) -> Vec<u32> {
        let leads_on = |place: usize| {
            let (block, successors) = self.successors(place);
            block.targets[successors].iter().any(|key| waiting.contains(*key))
        };
        let is_unfinished = |place: &usize| self.is_partial(*place) && !leads_on(*place);
        let places = (0..self.states.len()).filter(is_unfinished);
        places.map(|place| self.states[place]).collect()
    }
}

impl<S: StateSpace + ?Sized> Search<'_, S> {
    /// Visits the states of a batch, as many steps of each as are needed. The level is what comes after it.
    pub(super) fn visit_some(
        &mut self,
        batch: &mut Batch,
        level: &mut VecDeque<Batch>,
        reduced: &mut Reduced<'_>,
    ) -> Result<(), Stopped> {
        let mut passes = std::mem::take(&mut reduced.passes);
        let mut count = 0;
        let passed = self.take_passes(batch, level, &mut passes, &mut count, reduced);
        let passes_taken = &passes[..count];
        let blocks = || passes_taken.iter().flat_map(Pass::blocks);
        if let Err(end) = passed.and_then(|()| self.ensure_room(blocks()).map_err(full)) {
            return Err(Stopped { end, undone: self.new_keys(blocks()) });
        }
        self.append_some(batch, passes_taken, reduced).map_err(|end| Stopped { end, undone: None })?;
        let turns: usize = passes_taken.iter().map(|pass| pass.states.len()).sum();
        reduced.effort.add(batch.keys.len() as u64, turns as u64, self.totals.visited);
        reduced.passes = passes;
        Ok(())
    }

    /// Takes as many passes over a batch as are needed, and counts those that it begins.
    fn take_passes(
        &mut self,
        batch: &mut Batch,
        level: &mut VecDeque<Batch>,
        passes: &mut Vec<Pass>,
        count: &mut usize,
        reduced: &mut Reduced<'_>,
    ) -> Result<(), End> {
        let mut again: Vec<u32> = (0..batch.keys.len() as u32).collect();
        while !again.is_empty() {
            let number = *count;
            if passes.len() == number {
                passes.push(Pass::default());
            }
            *count += 1;
            let pass = &mut passes[number];
            pass.states = again;
            // What it has is that of another batch.
            pass.count = 0;
            if number > 0 {
                let states = batch.select(&pass.states, self.memory).map_err(full)?;
                std::mem::replace(&mut pass.batch, states).release(self.memory);
            }
            let choice = reduced.effort.given_up.is_none().then_some(number);
            while let Err(limit) = self.take_turns(number, choice, batch, &mut passes[number]) {
                match limit {
                    Some(limit) => return Err(End::Limit(limit)),
                    None if self.components.is_cramped() => {
                        self.rebuild_within(batch, level, &mut passes[..=number], reduced)
                            .map_err(End::Limit)?;
                    }
                    None => self.grow().map_err(full)?,
                }
            }
            let pass = &passes[number];
            let new = pass.new_states().map(|(block, index)| block.targets[index]);
            reduced.wait_for(new, self.memory).map_err(full)?;
            again = pass.unfinished(&reduced.waiting);
        }
        Ok(())
    }

    /// Makes all keys anew in the middle of a batch; the last pass is to be taken again.
    fn rebuild_within(
        &mut self,
        batch: &mut Batch,
        level: &mut VecDeque<Batch>,
        passes: &mut [Pass],
        reduced: &mut Reduced<'_>,
    ) -> Result<(), Limit> {
        let mut others = live(batch, level);
        let Some((last, before)) = passes.split_last_mut() else { return Ok(()) };
        others.extend(&mut last.batch.keys);
        for pass in before.iter_mut() {
            let Pass { batch, blocks, count, .. } = pass;
            others.extend(&mut batch.keys);
            let targets = blocks[..*count].iter_mut().flat_map(|block| &mut block.targets);
            others.extend(targets.filter(|key| **key != NOWHERE));
        }
        self.make_room(others)?;
        let found = self.next.batches_mut().flat_map(|batch| batch.keys.iter().copied());
        reduced.begin(found, self.memory)?;
        let new = before.iter().flat_map(Pass::new_states).map(|(block, index)| block.targets[index]);
        Ok(reduced.wait_for(new, self.memory)?)
    }

    /// Finds the successors of the states of a pass, and which of them are new; the error is `None` if
    /// components need room first.
    fn take_turns(
        &mut self,
        number: usize,
        choice: Option<usize>,
        batch: &Batch,
        pass: &mut Pass,
    ) -> Result<(), Option<Limit>> {
        let full = |_: Full| Some(Limit::Memory);
        let batch = if number > 0 { &pass.batch } else { batch };
        for worker in &mut self.workers {
            worker.begin_pass(choice);
        }
        std::mem::swap(&mut self.blocks, &mut pass.blocks);
        let threads = if batch.keys.len() < WORTH_SHARING { 1 } else { self.workers.len() };
        let mut turns = || {
            pass.count = self.provide_blocks(batch.keys.len().div_ceil(STATES)).map_err(full)?;
            self.expand(batch, STATES, threads)?;
            self.merge(batch.keys.len(), pass.count, threads, Activity::Probe).map_err(full)
        };
        let result = turns();
        std::mem::swap(&mut self.blocks, &mut pass.blocks);
        result
    }

    /// Notes what was found in all passes: state by state, then what goes wrong, pass by pass.
    fn append_some(&mut self, batch: &Batch, passes: &[Pass], reduced: &mut Reduced<'_>) -> Result<(), End> {
        let Totals { counts, found, visited, state_bytes, .. } = &mut self.totals;
        let first = *visited;
        // How many states of each pass have been noted.
        let mut places = vec![0; passes.len()];
        let Notes { twigs, fresh, hidden } = &mut reduced.notes;
        twigs.clear();
        for state in 0..batch.keys.len() as u32 {
            let mut turns = Vec::new();
            let mut is_partial = false;
            for (pass, place) in passes.iter().zip(&mut places) {
                if pass.states.get(*place) == Some(&state) {
                    turns.push(pass.successors(*place));
                    is_partial = pass.is_partial(*place);
                    *place += 1;
                }
            }
            // The last turn has all steps, those of the turns before included, unless some are left out.
            let counted = if is_partial { 0 } else { turns.len() - 1 };
            for (block, range) in turns[counted..].iter().filter(|_| passes.len() > 1) {
                counts.transitions +=
                    block.targets[range.clone()].iter().filter(|key| **key != NOWHERE).count() as u64;
            }
            for (block, range) in turns {
                block.note(&range, twigs, fresh, hidden, self.memory).map_err(full)?;
                counts.generated += range.len() as u64;
            }
            twigs.finish(self.memory).map_err(full)?;
            if twigs.are_many() || state + 1 == batch.keys.len() as u32 {
                self.tree.append(twigs, self.memory).map_err(full)?;
                twigs.clear();
            }
            *visited += 1;
            counts.partial += u64::from(is_partial);
        }
        self.next.extend(fresh, hidden, self.memory).map_err(full)?;
        *found += fresh.len() as u64;
        fresh.clear();
        hidden.clear();
        let (space, tree) = (self.space, &self.tree);
        for (number, pass) in passes.iter().enumerate() {
            let batch = if number == 0 { batch } else { &pass.batch };
            for block in pass.blocks() {
                if let [_] = passes {
                    counts.transitions += block.transitions;
                }
                // Those that have several turns are counted in the first.
                *state_bytes += if number == 0 { block.state_bytes } else { 0 };
                let run = |state: u32, choice: Option<u32>| {
                    let state = first + u64::from(pass.states[state as usize]);
                    let pass = reduced.chooses(state).then_some(number);
                    reduced.run_to(space, &tree.ways_to(state), choice.map(|choice| (pass, choice)))
                };
                block.report(space, &self.components, batch, &run, &mut self.findings);
            }
        }
        Ok(())
    }
}

/// The states that were found at the next distance: a table of keys, at most half full.
#[derive(Default)]
struct Waiting {
    slots: Vec<u64>,
    count: usize,
}

impl Waiting {
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) as usize & mask;
        while self.slots[slot] != NOWHERE && self.slots[slot] != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn contains(&self, key: u64) -> bool {
        key != NOWHERE && self.count > 0 && self.slots[self.slot(key)] == key
    }

    fn insert(&mut self, key: u64, memory: &Memory) -> Result<(), Full> {
        if self.count * 2 >= self.slots.len() {
            self.grow(memory)?;
        }
        let slot = self.slot(key);
        if self.slots[slot] == NOWHERE {
            self.slots[slot] = key;
            self.count += 1;
        }
        Ok(())
    }

    fn grow(&mut self, memory: &Memory) -> Result<(), Full> {
        let mut slots = Vec::new();
        let length = (self.slots.len() * 2).max(SMALLEST);
        memory.reserve(&mut slots, length)?;
        slots.resize(length, NOWHERE);
        let old = std::mem::replace(&mut self.slots, slots);
        for key in old.iter().filter(|key| **key != NOWHERE) {
            let slot = self.slot(*key);
            self.slots[slot] = *key;
        }
        memory.drop_list(old);
        Ok(())
    }

    /// Takes everything out, and gives back what was seldom needed.
    fn clear(&mut self, memory: &Memory) {
        if self.count * 16 < self.slots.len() && self.slots.len() > SMALLEST {
            memory.drop_list(std::mem::take(&mut self.slots));
        }
        self.slots.fill(NOWHERE);
        self.count = 0;
    }
}

/// A table has at least this many places.
const SMALLEST: usize = 1 << 10;
