//! How each state was first reached, in less than a byte for each.
//!
//! Breadth-first search visits states in the order in which it finds them, so the tree of first ways is the
//! list of what each visit found: for every successor of every state in turn, whether it was new. That is a
//! string of bits, `0` for a known successor, `10` for a new one, `11` for the end of a state's successors;
//! known ones at the end are left out. Every hundred states or more a note says where their bits begin, and
//! how many states had been found by then.

use std::io;

use super::{Full, Memory};
use crate::checkpoint::{Input, Output, Unloaded, wrong};

/// The numbers of states, in the order they were found, lead to the ways to them.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    chunks: Vec<Vec<u64>>,
    /// How many bits there are.
    length: u64,
    notes: Vec<Note>,
    visited: u64,
    found: u64,
}

/// Where the bits of a state begin.
#[derive(Clone, Copy, Debug)]
struct Note {
    position: u64,
    state: u64,
    /// How many states had been found before.
    found: u64,
}

/// Words in a chunk.
const CHUNK: usize = 1 << 12;

/// States between two notes, at least.
const EVERY: u64 = 128;

/// What the visits of some neighbours found: threads make such pieces of the tree, each its own.
#[derive(Debug, Default)]
pub(crate) struct Twigs {
    words: Vec<u64>,
    /// How many bits there are.
    length: u64,
    visited: u64,
    found: u64,
    /// How many known successors of the last state are not written yet.
    known: u32,
}

impl Twigs {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        (self.length, self.visited, self.found, self.known) = (0, 0, 0, 0);
    }

    /// Returns whether there are enough of them for a piece.
    pub(crate) fn are_many(&self) -> bool {
        self.visited >= EVERY
    }

    /// Adds some successors of the next state, up to 64: a bit for each that was new.
    pub(crate) fn add(&mut self, mut new: u64, count: u32, memory: &Memory) -> Result<(), Full> {
        let mut rest = count;
        while new != 0 {
            let known = new.trailing_zeros();
            self.known += known;
            while self.known > 32 {
                self.push(0, 32, memory)?;
                self.known -= 32;
            }
            self.push(1 << self.known, self.known + 2, memory)?;
            self.known = 0;
            self.found += 1;
            // In two steps, because a shift by 64 is none.
            new = new >> known >> 1;
            rest -= known + 1;
        }
        self.known += rest;
        Ok(())
    }

    /// Ends the successors of a state.
    pub(crate) fn finish(&mut self, memory: &Memory) -> Result<(), Full> {
        self.visited += 1;
        self.known = 0;
        self.push(0b11, 2, memory)
    }

    /// Appends fewer than 64 bits, the lowest first.
    fn push(&mut self, bits: u64, count: u32, memory: &Memory) -> Result<(), Full> {
        memory.reserve(&mut self.words, 1)?;
        let used = (self.length % 64) as u32;
        match self.words.last_mut() {
            Some(word) if used > 0 => {
                *word |= bits << used;
                if used + count > 64 {
                    self.words.push(bits >> (64 - used));
                }
            }
            _ => self.words.push(bits),
        }
        self.length += u64::from(count);
        Ok(())
    }
}

impl Tree {
    /// Appends what the next visits found. The first state of all is found before any visit.
    pub(crate) fn append(&mut self, twigs: &Twigs, memory: &Memory) -> Result<(), Full> {
        if self.notes.last().is_none_or(|note| self.visited - note.state >= EVERY) {
            memory.reserve(&mut self.notes, 1)?;
            self.notes.push(Note { position: self.length, state: self.visited, found: self.found + 1 });
        }
        let used = (self.length % 64) as u32;
        let mut left = twigs.length;
        for bits in &twigs.words {
            if used == 0 {
                self.add_word(*bits, memory)?;
            } else {
                let word = self.chunks.last_mut().and_then(|chunk| chunk.last_mut()).ok_or(Full)?;
                *word |= bits << used;
                if left > u64::from(64 - used) {
                    self.add_word(bits >> (64 - used), memory)?;
                }
            }
            left = left.saturating_sub(64);
        }
        self.length += twigs.length;
        self.visited += twigs.visited;
        self.found += twigs.found;
        Ok(())
    }

    fn add_word(&mut self, word: u64, memory: &Memory) -> Result<(), Full> {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            memory.reserve(&mut self.chunks, 1)?;
            self.chunks.push(Vec::new());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            memory.reserve(chunk, 1)?;
            chunk.push(word);
        }
        Ok(())
    }

    fn bit(&self, position: u64) -> bool {
        let word = (position / 64) as usize;
        self.chunks[word / CHUNK][word % CHUNK] >> (position % 64) & 1 == 1
    }

    /// Returns the state from which a state was first reached, and by which of its successors, counted from
    /// 0; `None` for the first state of all.
    pub(crate) fn way_to(&self, state: u64) -> Option<(u64, u32)> {
        if state == 0 || state > self.found {
            return None;
        }
        let index = self.notes.partition_point(|note| note.found <= state).checked_sub(1)?;
        let Note { mut position, state: mut parent, mut found } = self.notes[index];
        let mut choice = 0;
        while position < self.length {
            let (known, end) = (!self.bit(position), position + 1);
            position = end;
            if known {
                choice += 1;
                continue;
            }
            position += 1;
            if self.bit(end) {
                (parent, choice) = (parent + 1, 0);
            } else if found == state {
                return Some((parent, choice));
            } else {
                (found, choice) = (found + 1, choice + 1);
            }
        }
        None
    }

    /// Returns the choices on the first way to a state.
    pub(crate) fn choices_to(&self, state: u64) -> Vec<u32> {
        self.ways_to(state).into_iter().map(|(_, choice)| choice).collect()
    }

    /// Returns the states on the first way to a state, each with the choice that is made there.
    pub(crate) fn ways_to(&self, mut state: u64) -> Vec<(u64, u32)> {
        let mut ways = Vec::new();
        while let Some((parent, choice)) = self.way_to(state) {
            ways.push((parent, choice));
            state = parent;
        }
        ways.reverse();
        ways
    }
}

impl Tree {
    /// Writes everything, between one state and the next.
    pub(crate) fn save(&self, output: &mut Output<'_>) -> io::Result<()> {
        for number in [self.length, self.visited, self.found, self.chunks.len() as u64] {
            output.number(number)?;
        }
        self.chunks.iter().try_for_each(|chunk| output.words(chunk))?;
        output.number(self.notes.len() as u64)?;
        for Note { position, state, found } in &self.notes {
            output.number(*position)?;
            output.number(*state)?;
            output.number(*found)?;
        }
        Ok(())
    }

    /// Reads what was written.
    pub(crate) fn load(input: &mut Input<'_>, memory: &Memory) -> Result<Tree, Unloaded> {
        let (length, visited, found) = (input.number()?, input.number()?, input.number()?);
        let mut tree = Tree { length, visited, found, ..Tree::default() };
        for _ in 0..input.number()? {
            let mut chunk = Vec::new();
            input.words(|word| {
                memory.reserve(&mut chunk, 1)?;
                chunk.push(word);
                Ok(())
            })?;
            memory.reserve(&mut tree.chunks, 1)?;
            tree.chunks.push(chunk);
        }
        for _ in 0..input.number()? {
            memory.reserve(&mut tree.notes, 1)?;
            let (position, state, found) = (input.number()?, input.number()?, input.number()?);
            tree.notes.push(Note { position, state, found });
        }
        let last = tree.chunks.len().saturating_sub(1);
        let are_full = tree.chunks.iter().take(last).all(|chunk| chunk.len() == CHUNK);
        let words: usize = tree.chunks.iter().map(Vec::len).sum();
        if are_full && words as u64 == length.div_ceil(64) { Ok(tree) } else { Err(wrong("the tree")) }
    }

    /// Returns how many bytes at most are needed for so many states more, with so many successors.
    pub(crate) fn most_bytes(&self, states: usize, successors: usize) -> usize {
        let growing = |capacity: usize, size: usize| capacity * 2 * size;
        let bits = 2 * (states + successors);
        let chunks = 1 + bits.div_ceil(CHUNK * 64);
        let notes = 1 + states.div_ceil(EVERY as usize);
        growing(CHUNK, 8) * chunks
            + growing(self.chunks.capacity() + chunks + 64, size_of::<Vec<u64>>())
            + growing(self.notes.capacity() + notes + 64, size_of::<Note>())
    }
}
