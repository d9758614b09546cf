//! One part of a set of keys: a table of remainders.
//!
//! A key is a number below a power of two, mixed so that all are equally likely. The table is a scaled-down
//! image of that range: a key's place times the range over the table's length is about the key, so that only
//! the difference, the remainder, is kept. A key that finds its place taken goes a few places on, and keeps
//! how many. Keys stay in order (P. Celis, *Robin Hood hashing*, 1986; J. Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984), which keeps the ways short and lets a search for a missing key end
//! early; and a table grows by walking over the old one from the start.
//!
//! The length is a power of two or one and a half times that. Four fifths of it are used at most, unless
//! there is no room for more.

use super::{Full, Memory};

/// An entry's lowest bits say how far it is from its place, counted from 1: 0 is an empty entry.
const AWAY_BITS: u32 = 6;
const AWAY: u64 = (1 << AWAY_BITS) - 1;

/// A key may be this many places away.
const FARTHEST: u64 = AWAY - 1;

/// Entries beyond the last place.
const BEYOND: usize = AWAY as usize;

/// How keys are laid out in a table.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Keys are below two to the power of this.
    bits: u32,
    /// The length is this, 2 or 3, …
    factor: u64,
    /// … times two to the power of this.
    log: u32,
}

impl Layout {
    fn places(self) -> usize {
        (self.factor as usize) << self.log
    }

    fn place(self, key: u64) -> u64 {
        (key * self.factor) >> (self.bits - self.log)
    }

    /// Returns the lowest key that has a place.
    fn lowest(self, place: u64) -> u64 {
        let scaled = place << (self.bits - self.log);
        if self.factor == 2 { scaled >> 1 } else { scaled.div_ceil(3) }
    }

    /// Returns how many bytes an entry has.
    fn entry_bytes(self) -> usize {
        (self.bits - self.log - 1 + AWAY_BITS).div_ceil(8) as usize
    }

    fn larger(self) -> Option<Layout> {
        let larger = match self.factor {
            2 => Layout { factor: 3, ..self },
            _ => Layout { factor: 2, log: self.log + 1, ..self },
        };
        (larger.log < larger.bits).then_some(larger)
    }

    fn table_bytes(self) -> usize {
        (self.places() + BEYOND) * self.entry_bytes() + 8
    }
}

/// A set of keys. No two share a cache line: each is filled by one thread.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Partition {
    layout: Layout,
    entry_bytes: usize,
    mask: u64,
    table: Vec<u8>,
    count: usize,
}

impl Partition {
    /// Makes an empty set of keys of so many bits.
    pub(super) fn new(bits: u32, memory: &Memory) -> Result<Partition, Full> {
        Partition::with(Layout { bits, factor: 2, log: 3 }, memory)
    }

    fn with(layout: Layout, memory: &Memory) -> Result<Partition, Full> {
        let bytes = layout.table_bytes();
        memory.claim(bytes)?;
        let mut table = Vec::new();
        if table.try_reserve_exact(bytes).is_err() {
            memory.release(bytes);
            return Err(Full);
        }
        table.resize(bytes, 0);
        let entry_bytes = layout.entry_bytes();
        let mask = u64::MAX >> (64 - 8 * entry_bytes);
        Ok(Partition { layout, entry_bytes, mask, table, count: 0 })
    }

    /// Gives the memory back.
    pub(super) fn release(self, memory: &Memory) {
        memory.release(self.table.len());
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        let start = index * self.entry_bytes;
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.table[start..start + 8]);
        u64::from_le_bytes(bytes)
    }

    #[inline]
    fn entry(&self, index: usize) -> u64 {
        self.word(index) & self.mask
    }

    #[inline]
    fn set(&mut self, index: usize, entry: u64) {
        let word = self.word(index) & !self.mask | entry;
        let start = index * self.entry_bytes;
        self.table[start..start + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// Finds a key, or where it belongs: how far from its place.
    #[inline]
    fn probe(&self, place: usize, remainder: u64) -> Result<(), u64> {
        let wanted = remainder << AWAY_BITS | 1;
        for away in 0..=FARTHEST {
            let entry = self.entry(place + away as usize);
            if entry == wanted + away {
                return Ok(());
            }
            // It belongs before keys of later places, and before greater ones of its own.
            if entry & AWAY <= away || entry & AWAY == away + 1 && entry > wanted + away {
                return Err(away);
            }
        }
        Err(FARTHEST + 1)
    }

    pub(super) fn contains(&self, key: u64) -> bool {
        let place = self.layout.place(key);
        self.probe(place as usize, key - self.layout.lowest(place)).is_ok()
    }

    /// Brings what is needed to add some keys nearer to the processor: it waits for memory once for all of
    /// them.
    pub(crate) fn approach(&self, keys: &[u64]) {
        let words = keys.iter().map(|key| self.word(self.layout.place(*key) as usize));
        std::hint::black_box(words.fold(0, |sum, word| sum ^ word));
    }

    /// Adds a key; returns whether it is new.
    pub(crate) fn insert(&mut self, key: u64, memory: &Memory) -> Result<bool, Full> {
        loop {
            let place = self.layout.place(key);
            let remainder = key - self.layout.lowest(place);
            let away = match self.probe(place as usize, remainder) {
                Ok(()) => return Ok(false),
                Err(away) => away,
            };
            let places = self.layout.places();
            if self.count < places / 5 * 4 && self.put(place as usize, away, remainder) {
                return Ok(true);
            }
            if self.grow(memory).is_err() {
                // What is left will do for a while.
                let last = self.count < places / 16 * 15 && self.put(place as usize, away, remainder);
                return if last { Ok(true) } else { Err(Full) };
            }
        }
    }

    /// Puts an entry where it belongs, and moves those behind it; false if one of them would be too far away.
    fn put(&mut self, place: usize, away: u64, remainder: u64) -> bool {
        if away > FARTHEST {
            return false;
        }
        let start = place + away as usize;
        let mut free = start;
        let end = self.layout.places() + BEYOND;
        loop {
            if free == end {
                return false;
            }
            match self.entry(free) {
                0 => break,
                entry if entry & AWAY > FARTHEST => return false,
                _ => free += 1,
            }
        }
        let bytes = self.entry_bytes;
        self.table.copy_within(start * bytes..free * bytes, (start + 1) * bytes);
        for moved in start + 1..=free {
            // How far it is from its place is in the first byte.
            self.table[moved * bytes] += 1;
        }
        self.set(start, remainder << AWAY_BITS | (away + 1));
        self.count += 1;
        true
    }

    fn grow(&mut self, memory: &Memory) -> Result<(), Full> {
        let mut layout = self.layout;
        'larger: loop {
            layout = layout.larger().ok_or(Full)?;
            let mut larger = Partition::with(layout, memory)?;
            let (mut next, mut free) = (0, 0);
            // They come in order, so that each goes behind the one before.
            while let Some(key) = self.next_key(&mut next) {
                let place = layout.place(key);
                let away = free - place.min(free);
                if away > FARTHEST {
                    larger.release(memory);
                    continue 'larger;
                }
                let remainder = key - layout.lowest(place);
                larger.set((place + away) as usize, remainder << AWAY_BITS | (away + 1));
                free = place + away + 1;
            }
            larger.count = self.count;
            std::mem::replace(self, larger).release(memory);
            return Ok(());
        }
    }

    /// Returns how many entries there are, empty ones included.
    pub(super) fn entries(&self) -> usize {
        self.layout.places() + BEYOND
    }

    /// Returns the first key at or after an entry, and goes behind it.
    pub(super) fn next_key(&self, index: &mut usize) -> Option<u64> {
        let end = self.entries();
        while *index < end {
            let (here, entry) = (*index, self.entry(*index));
            *index += 1;
            if entry != 0 {
                let place = here as u64 + 1 - (entry & AWAY);
                return Some(self.layout.lowest(place) + (entry >> AWAY_BITS));
            }
        }
        None
    }
}
