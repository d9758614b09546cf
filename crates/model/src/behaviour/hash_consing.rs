//! Hash consing: lists of words, nodes of trees and rows, each stored once and named by a number.
//!
//! Tables use open addressing with linear probing. An entry is 32 bits of a hash and the number; the upper
//! bits of the hash determine the slot, so that a table grows by one pass over the old one, in order.

/// A hash index of numbers.
#[derive(Debug, Default)]
struct Index {
    /// The upper half is a hash, the lower half a number plus 1; 0 if free.
    slots: Vec<u64>,
    count: usize,
    /// By how many bits a hash is shifted to become a place.
    shift: u32,
}

const MIN_SLOTS: usize = 1 << 8;

impl Index {
    /// Finds a number, or the slot where it belongs.
    #[inline]
    fn find(&self, hash: u32, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> self.shift) as usize;
        loop {
            let entry = self.slots[slot & mask];
            if entry == 0 {
                return Err(slot & mask);
            }
            if (entry >> 32) as u32 == hash && is_same(entry as u32 - 1) {
                return Ok(entry as u32 - 1);
            }
            slot += 1;
        }
    }

    /// Reserves room for another entry; to be called before [`Index::find`].
    #[inline]
    fn make_room(&mut self) {
        if self.count * 4 >= self.slots.len() * 3 {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(MIN_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![0; length]);
        self.shift = 32 - length.trailing_zeros();
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let mut slot = (entry >> 32) as usize >> self.shift;
            while self.slots[slot & (length - 1)] != 0 {
                slot += 1;
            }
            self.slots[slot & (length - 1)] = entry;
        }
    }

    #[inline]
    fn fill(&mut self, slot: usize, hash: u32, number: u32) {
        self.slots[slot] = u64::from(hash) << 32 | u64::from(number + 1);
        self.count += 1;
    }

    fn bytes(&self) -> u64 {
        self.slots.capacity() as u64 * 8
    }
}

/// Multiplies, and folds the product: every bit of both makes a difference to the upper bits.
#[inline]
fn mix(one: u64, other: u64) -> u64 {
    const ONE: u64 = 0x9e37_79b9_7f4a_7c15;
    const OTHER: u64 = 0xd1b5_4a32_d192_ed03;
    let product = u128::from(one ^ ONE) * u128::from(other ^ OTHER);
    product as u64 ^ (product >> 64) as u64
}

/// Hash-consed lists of words.
#[derive(Debug, Default)]
pub(super) struct Lists {
    words: Vec<u32>,
    ends: Vec<usize>,
    index: Index,
}

impl Lists {
    /// Returns the number of a list.
    pub(super) fn number(&mut self, list: &[u32]) -> u32 {
        let hash = list.iter().fold(list.len() as u64, |hash, word| mix(hash, u64::from(*word))) as u32;
        self.index.make_room();
        let (words, ends) = (&self.words, &self.ends);
        match self.index.find(hash, |number| part(words, ends, number) == list) {
            Ok(number) => number,
            Err(slot) => {
                let number = self.ends.len() as u32;
                self.words.extend_from_slice(list);
                self.ends.push(self.words.len());
                self.index.fill(slot, hash, number);
                number
            }
        }
    }

    /// Returns a list.
    pub(super) fn get(&self, number: u32) -> &[u32] {
        part(&self.words, &self.ends, number)
    }

    /// Returns how many bytes are in use.
    pub(super) fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 4 + self.ends.capacity() as u64 * 8 + self.index.bytes()
    }
}

fn part<'w>(words: &'w [u32], ends: &[usize], number: u32) -> &'w [u32] {
    let start = (number as usize).checked_sub(1).map_or(0, |before| ends[before]);
    &words[start..ends[number as usize]]
}

/// A node: a control point, and its children or the tuple of its variables, as numbers.
pub(super) type Record = [u32; 3];

/// Hash-consed nodes, with a note about each.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// The note is next to the record, so that both are in one cache line.
    records: Vec<[u32; 4]>,
    index: Index,
}

impl Nodes {
    /// Returns the number of a node, and whether it is new.
    #[inline]
    pub(super) fn number(&mut self, record: Record) -> (u32, bool) {
        let [point, first, second] = record;
        let hash = (mix(u64::from(first) | u64::from(second) << 32, u64::from(point)) >> 32) as u32;
        self.index.make_room();
        let records = &self.records;
        let is_same = |number: u32| {
            let found = &records[number as usize];
            found[..3] == record
        };
        match self.index.find(hash, is_same) {
            Ok(number) => (number, false),
            Err(slot) => {
                let number = self.records.len() as u32;
                self.records.push([point, first, second, 0]);
                self.index.fill(slot, hash, number);
                (number, true)
            }
        }
    }

    /// Returns a node.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Record {
        let [point, first, second, _] = self.records[number as usize];
        [point, first, second]
    }

    /// Returns the note about a node, which is 0 at first.
    #[inline]
    pub(super) fn note(&mut self, number: u32) -> &mut u32 {
        &mut self.records[number as usize][3]
    }

    /// Returns how many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns how many bytes are in use.
    pub(super) fn bytes(&self) -> u64 {
        self.records.capacity() as u64 * 16 + self.index.bytes()
    }
}

/// Hash-consed rows of words, all of the same length.
#[derive(Debug, Default)]
pub(super) struct Rows {
    width: usize,
    words: Vec<u32>,
    index: Index,
}

impl Rows {
    /// Makes an empty table of rows of so many words.
    pub(super) fn new(width: usize) -> Rows {
        Rows { width, ..Rows::default() }
    }

    /// Returns the number of a row.
    #[inline]
    pub(super) fn number(&mut self, row: &[u32]) -> u32 {
        let pairs = row.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[pair.len() - 1]) << 32);
        let hash = (pairs.fold(0, mix) >> 32) as u32;
        self.index.make_room();
        let (width, words) = (self.width, &self.words);
        let is_same = |number: u32| {
            let start = number as usize * width;
            words[start..start + width].iter().zip(row).all(|(one, other)| one == other)
        };
        match self.index.find(hash, is_same) {
            Ok(number) => number,
            Err(slot) => {
                let number = self.len() as u32;
                self.words.extend_from_slice(row);
                self.index.fill(slot, hash, number);
                number
            }
        }
    }

    /// Returns a row.
    pub(super) fn get(&self, number: u32) -> &[u32] {
        let start = number as usize * self.width;
        &self.words[start..start + self.width]
    }

    /// Returns how many rows there are.
    pub(super) fn len(&self) -> usize {
        self.index.count
    }

    /// Returns how many words a row has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Returns how many bytes are in use.
    pub(super) fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 4 + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Lists, Nodes, Rows};

    #[test]
    fn everything_has_a_number_of_its_own() {
        let (mut nodes, mut lists, mut rows) = (Nodes::default(), Lists::default(), Rows::new(3));
        let record = |number: u32| [number % 7, number / 7 % 100, number / 700];
        let mut all = BTreeSet::new();
        for number in 0..100_000 {
            assert_eq!(nodes.number(record(number)), (number, true));
            assert_eq!(rows.number(&record(number)), number);
            let list = &record(number)[..(number % 4) as usize];
            let count = all.len();
            let is_new = all.insert(list.to_vec());
            assert_eq!(is_new, lists.number(list) as usize == count);
        }
        for number in 0..100_000 {
            assert_eq!(nodes.number(record(number)), (number, false));
            assert_eq!(nodes.get(number), record(number));
            assert_eq!(rows.number(rows.get(number).to_vec().as_slice()), number);
        }
        for number in 0..all.len() as u32 {
            let list = lists.get(number).to_vec();
            assert_eq!(lists.number(&list), number);
            assert!(all.remove(&list));
        }
        assert_eq!((nodes.len(), rows.len(), all.len()), (100_000, 100_000, 0));
    }
}
