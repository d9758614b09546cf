//! Tables that do not keep whole states, and what they may have missed.

use narrows_model::Kept;
use rapidhash::v3::rapidhash_v3;

use crate::depth_first::Visited;
use crate::store::{KeySet, Memory};
use crate::{Full, StateId};

/// A table that does not keep whole states.
pub(super) trait Table: Visited {
    /// Tells what is kept of states, and what that may have missed.
    fn kept(&self) -> Kept;
}

/// How many states there are.
#[derive(Debug)]
struct Tally {
    states: u64,
    /// How many bytes they would have.
    bytes: u64,
    /// How many bytes at the end of each are not compared.
    hidden: usize,
}

impl Tally {
    fn new(hidden: usize) -> Tally {
        Tally { states: 0, bytes: 0, hidden }
    }

    fn hash(&self, state: &[u8]) -> u64 {
        rapidhash_v3(&state[..state.len() - self.hidden])
    }

    /// Counts a new state, and names it.
    fn count(&mut self, state: &[u8]) -> StateId {
        self.states += 1;
        self.bytes += (state.len() - self.hidden) as u64;
        StateId::from_number(self.states)
    }
}

/// A bit table: a state is known if all its bits are set.
#[derive(Debug)]
pub(super) struct BitTable {
    words: Vec<u64>,
    hashes: u32,
    /// How many bits are set.
    set: u64,
    missed: f64,
    tally: Tally,
}

impl BitTable {
    /// Makes an empty table of so many bytes, of which all must be within the limit.
    pub(super) fn new(bytes: u64, hashes: u32, hidden: usize, limit: u64) -> Result<BitTable, Full> {
        let length = usize::try_from((bytes / 8).max(1)).map_err(|_| Full)?;
        if length as u64 * 8 > limit {
            return Err(Full);
        }
        // This asks the machine for zeros, and does not touch them; other ways would.
        let words = vec![0; length];
        Ok(BitTable { words, hashes: hashes.max(1), set: 0, missed: 0.0, tally: Tally::new(hidden) })
    }

    fn bits(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// Returns the bits of a state: a word, and a mask in it.
    #[inline]
    fn places(&self, state: &[u8]) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (hash, bits) = (self.tally.hash(state), u128::from(self.bits()));
        // An odd step, independent of where it starts, for all but the states whose whole hashes are equal.
        let step = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) | 1;
        (0..u64::from(self.hashes)).map(move |number| {
            let mixed = hash.wrapping_add(step.wrapping_mul(number));
            let bit = ((u128::from(mixed) * bits) >> 64) as u64;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }
}

impl Visited for BitTable {
    const KEEPS: bool = false;

    fn add(&mut self, state: &[u8]) -> Result<Option<StateId>, Full> {
        // If a new state is taken for a known one with probability p, then p / (1 - p) were for each that was
        // not.
        let share = (self.set as f64 / self.bits() as f64).powi(self.hashes as i32);
        let before = self.set;
        for (word, mask) in self.places(state) {
            let word = &mut self.words[word];
            self.set += u64::from(*word & mask == 0);
            *word |= mask;
        }
        if self.set == before {
            return Ok(None);
        }
        self.missed += share / (1.0 - share);
        Ok(Some(self.tally.count(state)))
    }

    fn knows(&self, state: &[u8]) -> bool {
        self.places(state).all(|(word, mask)| self.words[word] & mask != 0)
    }

    fn count(&self) -> u64 {
        self.tally.states
    }

    fn bytes(&self) -> u64 {
        self.tally.bytes
    }

    fn memory(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    fn set_limit(&mut self, _: u64) {}
}

impl Table for BitTable {
    fn kept(&self) -> Kept {
        Kept::Bits { table: self.bits(), set: self.set, hashes: self.hashes, missed: self.missed }
    }
}

/// Hashes of 64 bits: a state is known if its hash is.
#[derive(Debug)]
pub(super) struct HashTable {
    hashes: KeySet,
    memory: Memory,
    tally: Tally,
}

impl HashTable {
    pub(super) fn new(hidden: usize, limit: u64) -> Result<HashTable, Full> {
        let memory = Memory::new(limit);
        Ok(HashTable { hashes: KeySet::of_wide_keys(&memory)?, memory, tally: Tally::new(hidden) })
    }
}

impl Visited for HashTable {
    const KEEPS: bool = false;

    fn add(&mut self, state: &[u8]) -> Result<Option<StateId>, Full> {
        let is_new = self.hashes.insert(self.tally.hash(state), &self.memory)?;
        Ok(is_new.then(|| self.tally.count(state)))
    }

    fn knows(&self, state: &[u8]) -> bool {
        self.hashes.contains(self.tally.hash(state))
    }

    fn count(&self) -> u64 {
        self.tally.states
    }

    fn bytes(&self) -> u64 {
        self.tally.bytes
    }

    fn memory(&self) -> u64 {
        self.memory.used()
    }

    fn set_limit(&mut self, limit: u64) {
        self.memory.set_limit(limit);
    }
}

impl Table for HashTable {
    /// Of n states, n (n - 1) / 2 pairs may have the same hash, each with a probability of 2⁻⁶⁴.
    fn kept(&self) -> Kept {
        let states = self.tally.states as f64;
        let pairs = states * (states - 1.0).max(0.0) / 2.0;
        Kept::Hashes { any_missed: -(-pairs / 2_f64.powi(64)).exp_m1() }
    }
}
