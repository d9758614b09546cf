//! Records of words, each kept once, under a number.
//!
//! An open-addressing table with linear probing holds 32 bits of a record's hash and its place in an
//! [`Arena`]. Many threads look up and add at once: a record is written first and then put into the first
//! free slot by compare-and-swap; who comes second finds it there. The slot follows from the hash bits in the
//! table, in their order, so that growth streams from the old table to the new one and reads no record.
//! Growth needs the table for itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::arena::{Apart, Arena};
use super::slots::Slots;
use super::{Full, Memory};

/// Why a record was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The table must grow first.
    Grow,
    /// There is no room.
    Full,
}

impl From<Full> for Stop {
    fn from(Full: Full) -> Stop {
        Stop::Full
    }
}

#[derive(Debug)]
pub(super) struct Interner {
    arena: Arena,
    slots: Slots,
    /// Whether there are too many records for all of them to be near.
    is_large: AtomicBool,
    count: Apart<AtomicU64>,
}

/// A table with fewer records than this is always near.
const MANY: u64 = 1 << 12;

const FIRST_SLOTS: usize = 64;

/// How many records can be looked up together.
pub(crate) const AHEAD: usize = 32;

impl Interner {
    /// Makes a table for records of so many words.
    pub(super) fn new(stride: usize, memory: &Memory) -> Result<Interner, Full> {
        let slots = Slots::new(FIRST_SLOTS, memory)?;
        Ok(Interner {
            arena: Arena::new(stride, memory)?,
            slots,
            is_large: AtomicBool::new(false),
            count: Apart::default(),
        })
    }

    /// Returns how many words a record has.
    pub(super) fn stride(&self) -> usize {
        self.arena.stride()
    }

    /// Returns how many numbers were given away; records have fewer, where two threads added the same at
    /// once.
    pub(super) fn len(&self) -> u64 {
        self.arena.len()
    }

    /// Returns whether there are many records, so that it takes long to look one up.
    #[inline]
    pub(super) fn is_large(&self) -> bool {
        self.is_large.load(Ordering::Relaxed)
    }

    /// Returns the number of a record; adds it if it is new.
    #[inline]
    pub(super) fn intern(&self, record: &[u64], memory: &Memory) -> Result<u32, Stop> {
        let hash = hash(record);
        // Most are known, and lie where they are first looked for.
        let found = self.slots[self.slots.of(hash)].load(Ordering::Acquire);
        if found != 0 && (found >> 32) as u32 == hash && self.is(number(found), record) {
            return Ok(number(found));
        }
        self.intern_hashed(record, hash, memory)
    }

    /// Returns the number of the record in the first slot that a hash leads to.
    #[inline]
    pub(super) fn nearest(&self, hash: u32) -> Option<u32> {
        let slot = self.slots[self.slots.of(hash)].load(Ordering::Relaxed);
        (slot != 0).then(|| number(slot))
    }

    pub(super) fn intern_hashed(&self, record: &[u64], hash: u32, memory: &Memory) -> Result<u32, Stop> {
        let mut slot = self.slots.of(hash);
        let mut own = None;
        loop {
            let mut found = self.slots[slot].load(Ordering::Acquire);
            if found == 0 {
                let entry = match own {
                    Some(entry) => entry,
                    None => self.add(record, hash, memory)?,
                };
                own = Some(entry);
                match self.slots[slot].compare_exchange(0, entry, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Ok(number(entry)),
                    Err(there) => found = there,
                }
            }
            if (found >> 32) as u32 == hash && self.is(number(found), record) {
                return Ok(number(found));
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
    }

    #[cold]
    fn add(&self, record: &[u64], hash: u32, memory: &Memory) -> Result<u64, Stop> {
        if self.must_grow() {
            return Err(Stop::Grow);
        }
        let number = self.arena.append(record, memory)?;
        self.count.0.fetch_add(1, Ordering::Relaxed);
        if u64::from(number) == MANY {
            self.is_large.store(true, Ordering::Relaxed);
        }
        Ok((u64::from(hash) << 32) | (u64::from(number) + 1))
    }

    #[inline]
    fn is(&self, number: u32, record: &[u64]) -> bool {
        let words = self.record(number);
        words.iter().zip(record).all(|(word, other)| word.load(Ordering::Relaxed) == *other)
    }

    /// Returns the words of a record.
    #[inline]
    pub(super) fn record(&self, number: u32) -> &[AtomicU64] {
        self.arena.record(number)
    }

    /// Gives the memory back.
    pub(super) fn release(self, memory: &Memory) {
        memory.release(self.slots.len() * 8);
        self.arena.release(memory);
    }

    /// Makes records longer, by zeros at their ends. They keep their numbers.
    pub(super) fn lengthen(&mut self, stride: usize, memory: &Memory) -> Result<(), Full> {
        let arena = Arena::new(stride, memory)?;
        let mut record = vec![0; stride];
        for number in 0..self.arena.len() {
            for (word, old) in record.iter_mut().zip(self.arena.record(number as u32)) {
                *word = old.load(Ordering::Relaxed);
            }
            arena.append(&record, memory)?;
        }
        std::mem::replace(&mut self.arena, arena).release(memory);
        let mut slots = Slots::new(self.slots.len(), memory)?;
        slots.most = self.slots.most;
        let old = std::mem::replace(&mut self.slots, slots);
        memory.release(old.len() * 8);
        for entry in old.iter().map(|entry| entry.load(Ordering::Relaxed)).filter(|entry| *entry != 0) {
            for (word, there) in record.iter_mut().zip(self.arena.record(number(entry))) {
                *word = there.load(Ordering::Relaxed);
            }
            self.slots.put(u64::from(hash(&record)) << 32 | u64::from(entry as u32));
        }
        Ok(())
    }

    /// Returns whether the table must grow before anything is added.
    pub(super) fn must_grow(&self) -> bool {
        self.count.0.load(Ordering::Relaxed) >= self.slots.most
    }

    /// Makes the table larger; if there is no room for that, lets it fill further.
    pub(super) fn grow(&mut self, memory: &Memory) -> Result<(), Full> {
        let length = self.slots.len();
        self.slots.grow(length + length / 2, memory)
    }
}

fn number(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

#[inline]
pub(super) fn hash(record: &[u64]) -> u32 {
    let mut hash = 0x9e37_79b9_7f4a_7c15;
    for word in record {
        let product = u128::from(hash ^ word) * u128::from(0xd6e8_feb8_6659_fd93_u64);
        hash = product as u64 ^ (product >> 64) as u64;
    }
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}
