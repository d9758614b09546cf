//! Open-addressing tables with linear probing, whose words hold 32 bits of a hash and something else.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use super::arena::zeros;
use super::{Full, Memory};

/// A table: its words are 0 where there is nothing. The slot follows from the hash, in its order.
#[derive(Debug)]
pub(super) struct Slots {
    words: Box<[AtomicU64]>,
    /// With this many entries the table must grow.
    pub(super) most: u64,
}

impl Deref for Slots {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        &self.words
    }
}

impl DerefMut for Slots {
    fn deref_mut(&mut self) -> &mut [AtomicU64] {
        &mut self.words
    }
}

impl Slots {
    pub(super) fn new(length: usize, memory: &Memory) -> Result<Slots, Full> {
        Ok(Slots { words: zeros(length, memory)?, most: length as u64 / 4 * 3 })
    }

    /// Returns where the entry with a hash is looked for first.
    #[inline]
    pub(super) fn of(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.words.len() as u64) >> 32) as usize
    }

    /// Makes the table so long; if there is no room for that, lets it fill further.
    pub(super) fn grow(&mut self, length: usize, memory: &Memory) -> Result<(), Full> {
        let full = self.words.len() as u64 / 16 * 15;
        match Slots::new(length, memory) {
            Ok(slots) => {
                let old = std::mem::replace(self, slots);
                for entry in &*old {
                    self.put(entry.load(Ordering::Relaxed));
                }
                memory.release(old.len() * 8);
                Ok(())
            }
            Err(Full) if self.most < full => {
                self.most = full;
                Ok(())
            }
            Err(Full) => Err(Full),
        }
    }

    pub(super) fn put(&mut self, entry: u64) {
        if entry == 0 {
            return;
        }
        let length = self.words.len();
        let mut slot = self.of((entry >> 32) as u32);
        while *self.words[slot].get_mut() != 0 {
            slot = if slot + 1 == length { 0 } else { slot + 1 };
        }
        *self.words[slot].get_mut() = entry;
    }
}
