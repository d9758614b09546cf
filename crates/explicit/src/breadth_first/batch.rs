//! States that wait to be visited.

use std::collections::VecDeque;

use crate::Full;
use crate::store::Memory;

/// States that are visited together, in the order they were found.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) keys: Vec<u64>,
    /// The bytes of each that are not compared.
    hidden: Vec<u8>,
    hidden_bytes: usize,
}

impl Batch {
    /// Returns the bytes of a state that are not compared.
    pub(super) fn hidden(&self, index: usize) -> &[u8] {
        &self.hidden[index * self.hidden_bytes..(index + 1) * self.hidden_bytes]
    }

    /// Returns some of the states.
    pub(super) fn select(&self, states: &[u32], memory: &Memory) -> Result<Batch, Full> {
        let mut batch = Batch { hidden_bytes: self.hidden_bytes, ..Batch::default() };
        memory.reserve(&mut batch.keys, states.len())?;
        memory.reserve(&mut batch.hidden, states.len() * self.hidden_bytes)?;
        for state in states {
            batch.keys.push(self.keys[*state as usize]);
            batch.hidden.extend_from_slice(self.hidden(*state as usize));
        }
        Ok(batch)
    }

    pub(super) fn release(self, memory: &Memory) {
        memory.drop_list(self.keys);
        memory.drop_list(self.hidden);
    }
}

/// The states at one distance.
#[derive(Debug)]
pub(super) struct Level {
    batches: VecDeque<Batch>,
    hidden_bytes: usize,
    /// How many states a batch has at most.
    most: usize,
}

/// Large enough that threads seldom wait for each other, small enough to stay in a cache.
const MAX_BATCH_STATES: u64 = 1 << 14;

/// So many bytes of the limit go with each state of a batch, for what is found on the way.
const ROOM: u64 = 1 << 10;

impl Level {
    pub(super) fn new(hidden_bytes: usize, limit: u64) -> Level {
        Level { batches: VecDeque::new(), hidden_bytes, most: Level::batch_states(limit) }
    }

    /// Returns how many states a batch usually has at most, within a limit of memory.
    pub(super) fn batch_states(limit: u64) -> usize {
        (limit / ROOM).clamp(256, MAX_BATCH_STATES) as usize
    }

    /// Adds states, and the bytes of each that are not compared.
    pub(super) fn extend(
        &mut self,
        mut keys: &[u64],
        mut hidden: &[u8],
        memory: &Memory,
    ) -> Result<(), Full> {
        while !keys.is_empty() {
            if self.batches.back().is_none_or(|batch| batch.keys.len() >= self.most) {
                self.batches.push_back(Batch { hidden_bytes: self.hidden_bytes, ..Batch::default() });
            }
            let Some(batch) = self.batches.back_mut() else { return Err(Full) };
            let count = keys.len().min(self.most - batch.keys.len());
            let (some_keys, some_hidden);
            (some_keys, keys) = keys.split_at(count);
            (some_hidden, hidden) = hidden.split_at(count * self.hidden_bytes);
            memory.reserve(&mut batch.keys, count)?;
            memory.reserve(&mut batch.hidden, some_hidden.len())?;
            batch.keys.extend_from_slice(some_keys);
            batch.hidden.extend_from_slice(some_hidden);
        }
        Ok(())
    }

    /// Makes an empty one whose batches are as large.
    pub(super) fn like(&self) -> Level {
        Level { batches: VecDeque::new(), ..*self }
    }

    /// Returns how many states a batch has at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Changes how many states a batch has at most.
    pub(super) fn set_most(&mut self, most: usize) {
        self.most = most;
    }

    pub(super) fn batches(&self) -> &VecDeque<Batch> {
        &self.batches
    }

    /// Returns how many bytes at most are needed for so many states more.
    pub(super) fn most_bytes(&self, states: usize) -> usize {
        // A list may be twice as long as what is in it, and while it grows, the old one is there too.
        (states + 2 * self.most) * (8 + self.hidden_bytes) * 3
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    pub(super) fn batches_mut(&mut self) -> impl Iterator<Item = &mut Batch> {
        self.batches.iter_mut()
    }

    /// Takes all states out.
    pub(super) fn take(&mut self) -> VecDeque<Batch> {
        std::mem::take(&mut self.batches)
    }
}
