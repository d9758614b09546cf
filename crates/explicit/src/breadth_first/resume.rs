//! Saves a search between two batches, and goes on from there.
//!
//! Saved are all states that were found, those that wait to be visited in their order, the tree, the counts
//! and what was found. How keys and tables look does not matter to what comes out, so they are made anew.

use std::collections::VecDeque;
use std::io;

use narrows_model::{Limit, StateSpace};
use rustc_hash::FxHashSet;

use super::batch::{Batch, Level};
use super::block::Block;
use super::reduced::Effort;
use super::{Search, Totals};
use crate::checkpoint::{CheckpointError, Input, Output, Unloaded, wrong};
use crate::findings::Findings;
use crate::search::Counts;
use crate::store::{Outline, Tree};
use crate::{End, Full, Progress, SearchScope};

/// Why the states of a batch were not all visited.
pub(super) struct Stopped {
    pub(super) end: End,
    /// The keys that must be forgotten for the batch to be visited again; `None` if that is not enough.
    pub(super) undone: Option<FxHashSet<u64>>,
}

impl From<End> for Stopped {
    /// The search stopped before anything was added.
    fn from(end: End) -> Stopped {
        Stopped { end, undone: Some(FxHashSet::default()) }
    }
}

/// After this many states that are loaded, the watch is asked.
const LOOK_UP: u64 = 1 << 13;

/// So many keys are sorted before their states are written: then neighbours are alike.
const SORTED: usize = 1 << 18;

impl<S: StateSpace + ?Sized> Search<'_, S> {
    /// Loads what was saved, if anything was; returns what is left of the level.
    pub(super) fn resume(&mut self) -> Result<Option<VecDeque<Batch>>, End> {
        let Some(checkpoints) = self.scope.checkpoints else { return Ok(None) };
        let Some(from) = checkpoints.load() else { return Ok(None) };
        match self.load(&mut Input::new(from)) {
            Ok(level) => {
                checkpoints.loaded(Ok(self.progress()));
                Ok(Some(level))
            }
            Err(Unloaded::Limit(limit)) => Err(End::Limit(limit)),
            Err(Unloaded::Wrong(reason)) => {
                checkpoints.loaded(Err(reason));
                Err(End::Limit(Limit::Interrupted))
            }
        }
    }

    /// Saves a search that a limit stops, as it was before the batch that it was to visit. If there is no way
    /// back to that, what was saved before must do.
    pub(super) fn save_stopped(&self, undone: Option<FxHashSet<u64>>, level: &VecDeque<Batch>) {
        if let Some(undone) = undone.filter(|_| !self.damaged) {
            self.save(level, &undone);
        }
    }

    /// Returns the keys that the successors in some blocks have added; `None` if nobody needs them, or some
    /// were lost.
    pub(super) fn new_keys<'b>(&self, blocks: impl Iterator<Item = &'b Block>) -> Option<FxHashSet<u64>> {
        if self.scope.checkpoints.is_none() || !self.keys.is_whole() {
            return None;
        }
        let new = |block: &'b Block| (0..block.targets.len()).filter(|index| block.is_new(*index));
        Some(blocks.flat_map(|block| new(block).map(|index| block.targets[index])).collect())
    }

    /// Makes sure that what is noted about some blocks has room, if the search is to be saved when there is
    /// none.
    pub(super) fn ensure_room<'b>(&self, blocks: impl Iterator<Item = &'b Block>) -> Result<(), Full> {
        if self.scope.checkpoints.is_none() {
            return Ok(());
        }
        let (mut states, mut successors) = (0, 0);
        for block in blocks {
            states += block.visited();
            successors += block.targets.len();
        }
        // Where steps are left out, it is gathered first.
        let bytes = 2 * (self.tree.most_bytes(states, successors) + self.next.most_bytes(successors));
        self.memory.claim(bytes)?;
        self.memory.release(bytes);
        Ok(())
    }

    /// Saves everything; `undone` are keys that are to be forgotten.
    pub(super) fn save(&self, level: &VecDeque<Batch>, undone: &FxHashSet<u64>) {
        if let Some(checkpoints) = self.scope.checkpoints {
            checkpoints.save(&mut |to| self.write(&mut Output::new(to), level, undone));
        }
    }

    fn write(
        &self,
        output: &mut Output<'_>,
        level: &VecDeque<Batch>,
        undone: &FxHashSet<u64>,
    ) -> io::Result<()> {
        output.bytes(self.asked().as_bytes())?;
        let Totals { counts, found, visited, state_bytes, .. } = &self.totals;
        for number in [*found, *visited, *state_bytes] {
            output.number(number)?;
        }
        counts.save(output)?;
        let effort = self.reduced.as_ref().map(|reduced| reduced.effort).unwrap_or_default();
        for number in [effort.states, effort.turns, effort.given_up.map_or(0, |state| state + 1)] {
            output.number(number)?;
        }
        output.number(self.workers.len() as u64)?;
        self.workers.iter().try_for_each(|worker| worker.counts.save(output))?;
        self.findings.save(output)?;
        self.tree.save(output)?;
        let mut outline = Outline::default();
        self.for_each_set(|keys, decode| {
            let mut keys = keys.iter().filter(|key| !undone.contains(key));
            loop {
                let mut some: Vec<u64> = keys.by_ref().take(SORTED).collect();
                if some.is_empty() {
                    return Ok(());
                }
                some.sort_unstable();
                for key in some {
                    decode(key, &mut outline);
                    output.state(outline.state())?;
                }
            }
        })?;
        let (mut state, mut number) = (Vec::new(), 0);
        output.number(self.next.most() as u64)?;
        for batches in [level, self.next.batches()] {
            output.number(batches.iter().map(|batch| batch.keys.len() as u64).sum())?;
            for batch in batches {
                for (index, key) in batch.keys.iter().enumerate() {
                    self.decode_waiting(number, *key, &mut outline);
                    number += 1;
                    state.clear();
                    state.extend_from_slice(outline.state());
                    state.extend_from_slice(batch.hidden(index));
                    output.state(&state)?;
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, input: &mut Input<'_>) -> Result<VecDeque<Batch>, Unloaded> {
        let mut asked = Vec::new();
        input.bytes(&mut asked)?;
        if asked != self.asked().as_bytes() {
            return Err(Unloaded::Wrong(CheckpointError::OtherSearch));
        }
        let (found, visited, state_bytes) = (input.number()?, input.number()?, input.number()?);
        let mut counts = Counts::load(input)?;
        let effort = Effort {
            states: input.number()?,
            turns: input.number()?,
            given_up: input.number()?.checked_sub(1),
        };
        if let Some(reduced) = &mut self.reduced {
            reduced.effort = effort;
        }
        for _ in 0..input.number()? {
            counts.absorb(&Counts::load(input)?);
        }
        self.findings = Findings::load(input, self.space)?;
        self.tree = Tree::load(input, self.memory)?;
        self.totals = Totals { counts, found, visited, state_bytes, ..Totals::default() };
        let hidden = self.space.hidden_bytes();
        let mut state = Vec::new();
        for number in 0..found {
            state.clear();
            state.extend_from_slice(input.state()?);
            state.resize(state.len() + hidden, 0);
            let key = self.key(&state).map_err(Unloaded::Limit)?;
            if !self.keys.insert(key, self.memory)? {
                return Err(wrong("a state"));
            }
            if number.is_multiple_of(LOOK_UP)
                && let Some(limit) =
                    self.scope.budget.watch.check(&Progress { states: number, ..self.progress() })
            {
                return Err(Unloaded::Limit(limit));
            }
            if number + 1 == self.scope.learn_from {
                self.learn(&mut Batch::default(), &mut VecDeque::new()).map_err(Unloaded::Limit)?;
            }
        }
        self.next.set_most(input.small()?);
        let mut level = self.next.like();
        self.load_waiting(input, &mut level)?;
        let mut next = self.next.like();
        self.load_waiting(input, &mut next)?;
        self.next = next;
        Ok(level.take())
    }

    fn load_waiting(&mut self, input: &mut Input<'_>, level: &mut Level) -> Result<(), Unloaded> {
        let mut state = Vec::new();
        for _ in 0..input.number()? {
            state.clear();
            state.extend_from_slice(input.state()?);
            let visible =
                state.len().checked_sub(self.space.hidden_bytes()).ok_or_else(|| wrong("a state"))?;
            let key = self.key(&state).map_err(Unloaded::Limit)?;
            level.extend(&[key], &state[visible..], self.memory)?;
        }
        Ok(())
    }

    /// Returns what decides when the search ends.
    fn asked(&self) -> String {
        let SearchScope { states, transitions, .. } = self.scope;
        format!("{:?} {states} {transitions} {}", self.goals, self.reduced.is_some())
    }
}
