//! States that one thread visits, and what it finds.

mod recall;
mod task;
mod worker;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use narrows_model::{StateSpace, Violation};

use super::batch::Batch;
use crate::findings::Findings;
use crate::store::{
    AHEAD, Components, KeySet, Memory, Mixer, NOWHERE, Outline, PARTITIONS, Partition, Stop, Twigs, Wanted,
};
use crate::{Full, Run};
pub(super) use task::{Task, Turn};
use worker::Recent;
pub(super) use worker::{Tally, Worker};

/// States in a block, at most.
pub(super) const STATES: usize = 256;

/// States in a block, at least, if there are enough: with fewer it takes longer to share them than to visit
/// them.
const FEWEST: usize = 6;

/// The successors of so few states are merged by one of several threads.
const FEW: usize = 96;

/// Marks the place of a successor that is new.
const NEW: u32 = 1 << 31;

/// Some neighbours in a batch, and their successors.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Block {
    states: Range<usize>,
    /// When it was emptied last: whoever fills it does that, since what it holds is near to him.
    round: u64,
    /// For each state visited, where its successors end.
    ends: Vec<u32>,
    /// For each state visited, whether some steps were left out; empty if none ever are.
    partial: Vec<bool>,
    /// The keys of all successors, or [`NOWHERE`]; those that can't be new are replaced by it too, unless
    /// steps are left out.
    pub(super) targets: Vec<u64>,
    /// Nodes that some of these keys lack, and how many of them have been looked up.
    wanted: Vec<Wanted>,
    completed: usize,
    /// How many bytes the states have that were visited.
    pub(super) state_bytes: u64,
    hidden: Vec<u8>,
    hidden_bytes: usize,
    pub(super) transitions: u64,
    /// What went wrong: the state in the batch, the successor, what.
    wrong: Vec<(u32, u32, Violation)>,
    deadlocks: Vec<u32>,
    /// The largest parts of keys.
    pub(super) largest: (u32, u32),
    /// What partitions keep of the keys, those of each partition together, and which successors they are.
    rests: Vec<u64>,
    places: Vec<AtomicU32>,
    /// Where each partition's begin.
    starts: Vec<u32>,
    /// A bit for each successor.
    new: Vec<u64>,
    /// What is to be noted, if every step was taken: the new keys, their bytes that are not compared, and the
    /// ways to them.
    pub(super) fresh: Vec<u64>,
    pub(super) fresh_hidden: Vec<u8>,
    pub(super) twigs: Twigs,
}

impl Block {
    /// Returns how many states a block should have, so that each of some threads gets several blocks.
    pub(super) fn size_for(states: usize, threads: usize) -> usize {
        if threads > 1 { states.div_ceil(16 * threads).clamp(FEWEST, STATES) } else { STATES }
    }

    /// Makes sure that there are so many blocks.
    pub(super) fn provide(count: usize, blocks: &mut Vec<Block>, memory: &Memory) -> Result<(), Full> {
        while blocks.len() < count {
            memory.reserve(blocks, 1)?;
            blocks.push(Block::default());
        }
        Ok(())
    }

    /// Makes it hold nothing, for these states of a batch.
    fn begin(&mut self, round: u64, states: Range<usize>) {
        (self.round, self.states) = (round, states);
        self.ends.clear();
        self.partial.clear();
        self.targets.clear();
        self.hidden.clear();
        self.wrong.clear();
        self.deadlocks.clear();
        self.rests.clear();
        self.places.clear();
        self.starts.clear();
        self.new.clear();
        self.fresh.clear();
        self.fresh_hidden.clear();
        self.twigs.clear();
        self.wanted.clear();
        self.completed = 0;
        (self.state_bytes, self.transitions, self.largest) = (0, 0, (0, 0));
    }

    /// Returns whether the successors of so many states are put into order before they are merged.
    pub(super) fn are_many(states: usize, threads: usize) -> bool {
        states > if threads > 1 { FEW } else { STATES }
    }

    /// Returns how many states were visited.
    pub(super) fn visited(&self) -> usize {
        self.ends.len()
    }

    /// Returns where the successors of a state are.
    pub(super) fn successors_of(&self, state: usize) -> Range<usize> {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[state] as usize
    }

    /// Returns whether some steps of a state were left out.
    pub(super) fn is_partial(&self, state: usize) -> bool {
        self.partial[state]
    }

    fn hidden(&self, index: usize) -> &[u8] {
        &self.hidden[index * self.hidden_bytes..(index + 1) * self.hidden_bytes]
    }

    /// Returns a bit for each of up to 64 successors: whether it is new.
    fn new_bits(&self, successors: &Range<usize>) -> u64 {
        let word = |index: usize| self.new.get(index).copied().unwrap_or(0);
        let (start, shift) = (successors.start / 64, successors.start % 64);
        // In two steps, because a shift by 64 is none.
        let bits = word(start) >> shift | word(start + 1) << (63 - shift) << 1;
        if successors.len() < 64 { bits & ((1 << successors.len()) - 1) } else { bits }
    }

    pub(super) fn is_new(&self, index: usize) -> bool {
        self.new_bits(&(index..index + 1)) != 0
    }

    fn set_new(&mut self, index: usize) {
        self.new[index / 64] |= 1 << (index % 64);
    }

    /// Collects what threads have marked as new.
    pub(super) fn collect(&mut self) {
        for place in &mut self.places {
            let place = *place.get_mut();
            if place & NEW != 0 {
                let index = (place & !NEW) as usize;
                self.new[index / 64] |= 1 << (index % 64);
            }
        }
    }

    /// Gets ready what is to be noted.
    pub(super) fn gather(&mut self, memory: &Memory) -> Result<(), Full> {
        if !self.partial.is_empty() {
            // There may be other turns.
            return Ok(());
        }
        let mut twigs = std::mem::take(&mut self.twigs);
        let mut fresh = std::mem::take(&mut self.fresh);
        let mut hidden = std::mem::take(&mut self.fresh_hidden);
        let mut start = 0;
        let gathered = self.ends.iter().try_for_each(|end| {
            self.note(&(start..*end as usize), &mut twigs, &mut fresh, &mut hidden, memory)?;
            start = *end as usize;
            twigs.finish(memory)
        });
        (self.twigs, self.fresh, self.fresh_hidden) = (twigs, fresh, hidden);
        gathered
    }

    /// Notes some successors of a state: which of them are new, and the ways to them.
    pub(super) fn note(
        &self,
        successors: &Range<usize>,
        twigs: &mut Twigs,
        fresh: &mut Vec<u64>,
        hidden: &mut Vec<u8>,
        memory: &Memory,
    ) -> Result<(), Full> {
        for start in successors.clone().step_by(64) {
            let some = start..successors.end.min(start + 64);
            let mut new = self.new_bits(&some);
            twigs.add(new, some.len() as u32, memory)?;
            let count = new.count_ones() as usize;
            memory.reserve(fresh, count)?;
            memory.reserve(hidden, count * self.hidden_bytes)?;
            while new != 0 {
                let index = start + new.trailing_zeros() as usize;
                new &= new - 1;
                fresh.push(self.targets[index]);
                hidden.extend_from_slice(self.hidden(index));
            }
        }
        Ok(())
    }

    fn add(&mut self, key: u64, target: &[u8], memory: &Memory) -> Result<(), Full> {
        memory.reserve(&mut self.targets, 1)?;
        self.targets.push(key);
        self.transitions += u64::from(key != NOWHERE);
        if self.hidden_bytes > 0 {
            memory.reserve(&mut self.hidden, self.hidden_bytes)?;
            match target.len().checked_sub(self.hidden_bytes) {
                Some(visible) => self.hidden.extend_from_slice(&target[visible..]),
                None => self.hidden.resize(self.hidden.len() + self.hidden_bytes, 0),
            }
        }
        Ok(())
    }

    /// Ends the successors of a state; `partial` says whether some steps were left out, if they ever are.
    fn end_state(&mut self, partial: Option<bool>, memory: &Memory) -> Result<(), Full> {
        memory.reserve(&mut self.ends, 1)?;
        memory.reserve(&mut self.partial, 1)?;
        self.ends.push(self.targets.len() as u32);
        self.partial.extend(partial);
        Ok(())
    }

    /// Completes the keys, and gets ready for some to be new.
    fn finish(
        &mut self,
        components: &Components,
        recent: Option<&mut Recent>,
        memory: &Memory,
    ) -> Result<(), Stop> {
        while self.completed < self.wanted.len() {
            let end = self.wanted.len().min(self.completed + AHEAD);
            let targets = &mut self.targets;
            components.complete(&self.wanted[self.completed..end], memory, &mut |place, half| {
                targets[place as usize] |= half;
            })?;
            self.completed = end;
        }
        Ok(self.get_ready(recent, memory)?)
    }

    /// Gets ready for some keys to be new, except those that were met lately.
    fn get_ready(&mut self, mut recent: Option<&mut Recent>, memory: &Memory) -> Result<(), Full> {
        for key in self.targets.iter_mut().filter(|key| **key != NOWHERE) {
            if recent.as_mut().is_some_and(|recent| recent.meet(*key)) {
                *key = NOWHERE;
                continue;
            }
            self.largest.0 = self.largest.0.max((*key >> 32) as u32);
            self.largest.1 = self.largest.1.max(*key as u32);
        }
        let words = self.targets.len().div_ceil(64);
        self.new.clear();
        memory.reserve(&mut self.new, words)?;
        self.new.resize(words, 0);
        Ok(())
    }

    /// Holds keys instead of states and their successors, at most [`STATES`].
    pub(super) fn hold(
        &mut self,
        mut keys: impl Iterator<Item = Result<u64, Stop>>,
        memory: &Memory,
    ) -> Result<(), Stop> {
        self.begin(0, 0..0);
        memory.reserve(&mut self.targets, STATES)?;
        keys.try_for_each(|key| key.map(|key| self.targets.push(key)))?;
        Ok(self.get_ready(None, memory)?)
    }

    /// Puts the keys of each partition together.
    pub(super) fn sort(&mut self, mixer: Mixer, memory: &Memory) -> Result<(), Full> {
        let largest = u64::from(self.largest.0) << 32 | u64::from(self.largest.1);
        if !mixer.fits(largest) {
            // All will be sorted again when there are enough bits.
            return Ok(());
        }
        let count = self.targets.len();
        self.rests.clear();
        self.places.clear();
        self.starts.clear();
        memory.reserve(&mut self.rests, count)?;
        memory.reserve(&mut self.places, count)?;
        memory.reserve(&mut self.starts, PARTITIONS + 2)?;
        self.rests.resize(count, 0);
        self.places.resize_with(count, AtomicU32::default);
        self.starts.resize(PARTITIONS + 2, 0);
        let keys = || self.targets.iter().enumerate().filter(|(_, key)| **key != NOWHERE);
        for (_, key) in keys() {
            self.starts[mixer.partition(mixer.mix(*key)) + 2] += 1;
        }
        for index in 2..self.starts.len() {
            self.starts[index] += self.starts[index - 1];
        }
        // While they are filled, the keys of partition p begin at starts[p + 1].
        for (index, key) in keys() {
            let mixed = mixer.mix(*key);
            let start = &mut self.starts[mixer.partition(mixed) + 1];
            self.rests[*start as usize] = mixer.rest(mixed);
            *self.places[*start as usize].get_mut() = index as u32;
            *start += 1;
        }
        Ok(())
    }

    /// Returns what belongs to a partition: what it keeps of keys, and which successors they are.
    fn groups_for(&self, number: usize) -> impl Iterator<Item = (&[u64], &[AtomicU32])> {
        let range = self.starts[number] as usize..self.starts[number + 1] as usize;
        let (rests, places) = (&self.rests[range.clone()], &self.places[range]);
        rests.chunks(AHEAD).zip(places.chunks(AHEAD))
    }

    /// Adds to a partition what belongs there. While some keys are added, the next ones come near.
    pub(super) fn merge(
        blocks: &[Block],
        number: usize,
        partition: &mut Partition,
        memory: &Memory,
    ) -> Result<(), Full> {
        let groups = || blocks.iter().flat_map(|block| block.groups_for(number));
        let mut next = groups();
        // How many keys have come near.
        let mut near = 0;
        for (rests, places) in groups() {
            while near < 2 * AHEAD
                && let Some((rests, _)) = next.next()
            {
                partition.approach(rests);
                near += rests.len();
            }
            near -= rests.len().min(near);
            for (rest, place) in rests.iter().zip(places) {
                if partition.insert(*rest, memory)? {
                    // Nobody else writes here; bits of one word would have to be passed to and fro.
                    place.store(place.load(Ordering::Relaxed) | NEW, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// Adds all keys to a set.
    pub(super) fn merge_alone(&mut self, keys: &mut KeySet, memory: &Memory) -> Result<(), Full> {
        for place in 0..self.targets.len() {
            let key = self.targets[place];
            if key != NOWHERE && keys.insert(key, memory)? {
                self.set_new(place);
            }
        }
        Ok(())
    }

    /// Says what goes wrong, in order. `run` finds the run to a state of the batch, and one of its
    /// successors.
    pub(super) fn report<S: StateSpace + ?Sized>(
        &self,
        space: &S,
        components: &Components,
        batch: &Batch,
        run: &dyn Fn(u32, Option<u32>) -> Run,
        findings: &mut Findings,
    ) {
        let mut wrong = self.wrong.as_slice();
        let mut deadlocks = self.deadlocks.iter().copied().peekable();
        while !wrong.is_empty() || deadlocks.peek().is_some() {
            if let Some(state) = deadlocks.next_if(|state| wrong.first().is_none_or(|next| *state < next.0)) {
                let mut outline = Outline::default();
                components.decode(batch.keys[state as usize], &mut outline);
                let bytes = [outline.state(), batch.hidden(state as usize)].concat();
                let mut control = Vec::new();
                space.control(&bytes, &mut control);
                findings.add_deadlock(&control, &bytes, || run(state, None));
                continue;
            }
            let Some((state, choice, _)) = wrong.first().copied() else { break };
            let length = wrong.iter().take_while(|next| (next.0, next.1) == (state, choice)).count();
            let violations: Vec<Violation> = wrong[..length].iter().map(|next| next.2).collect();
            wrong = &wrong[length..];
            findings.add(&violations, || run(state, Some(choice)));
        }
    }
}
