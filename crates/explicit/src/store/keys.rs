//! An exact set of keys that adapts to how large they are.
//!
//! The two parts of a key are names, given one after the other, so that both are small numbers. As many bits
//! as the largest needs, and some more, are mixed by a bijection; the highest of the mixed bits choose a
//! [`Partition`], and the others are what it keeps. When a name outgrows its bits, all keys are written anew
//! with more. Partitions grow one by one, so that growth needs little room beside what there is.

use std::ops::Range;

use super::partition::Partition;
use super::{Full, Memory};

const PARTITION_BITS: u32 = 6;

/// How many partitions there are.
pub(crate) const PARTITIONS: usize = 1 << PARTITION_BITS;

/// How many bits each part of a key has at first, and how many more it gets when it needs them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits {
    pub(crate) first: u32,
    pub(crate) more: u32,
}

/// Enough for all but the largest state spaces.
const ROOMY: Bits = Bits { first: 24, more: 4 };

/// How keys of a certain size are mixed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer {
    left: u32,
    right: u32,
}

const ONE: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO: u64 = 0xd6e8_feb8_6659_fd93;

impl Mixer {
    fn bits(self) -> u32 {
        self.left + self.right
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Returns whether a key has no more bits than this is for.
    pub(crate) fn fits(self, key: u64) -> bool {
        key >> 32 >> self.left == 0 && u64::from(key as u32) >> self.right == 0
    }

    /// Mixes a key that fits.
    #[inline]
    pub(crate) fn mix(self, key: u64) -> u64 {
        let packed = key >> 32 << self.right | u64::from(key as u32);
        let (mask, shift) = (self.mask(), self.bits().div_ceil(2));
        let mut mixed = packed.wrapping_mul(ONE) & mask;
        mixed ^= mixed >> shift;
        mixed = mixed.wrapping_mul(TWO) & mask;
        mixed ^ mixed >> shift
    }

    /// Finds a key again.
    fn unmix(self, mixed: u64) -> u64 {
        let (mask, shift) = (self.mask(), self.bits().div_ceil(2));
        let mut packed = mixed ^ mixed >> shift;
        packed = packed.wrapping_mul(inverse(TWO)) & mask;
        packed ^= packed >> shift;
        packed = packed.wrapping_mul(inverse(ONE)) & mask;
        packed >> self.right << 32 | packed & ((1 << self.right) - 1)
    }

    /// Returns the partition of a mixed key.
    #[inline]
    pub(crate) fn partition(self, mixed: u64) -> usize {
        (mixed >> (self.bits() - PARTITION_BITS)) as usize
    }

    /// Returns what a partition keeps of a mixed key.
    #[inline]
    pub(crate) fn rest(self, mixed: u64) -> u64 {
        mixed & (self.mask() >> PARTITION_BITS)
    }
}

/// Returns the number that undoes the multiplication by an odd number.
fn inverse(number: u64) -> u64 {
    // Each round doubles the number of bits that are right; 3 are at first.
    (0..5).fold(number, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(number.wrapping_mul(inverse))))
}

/// A set of keys.
#[derive(Debug)]
pub(crate) struct KeySet {
    mixer: Mixer,
    more: u32,
    partitions: Vec<Partition>,
    /// So many entries of the last partition were taken out.
    taken: usize,
}

/// Up to where a set is drained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    partitions: usize,
    taken: usize,
}

impl KeySet {
    pub(crate) fn new(memory: &Memory) -> Result<KeySet, Full> {
        KeySet::with(ROOMY, memory)
    }

    /// Makes a set for keys of which all bits are in use.
    pub(crate) fn of_wide_keys(memory: &Memory) -> Result<KeySet, Full> {
        KeySet::with(Bits { first: 32, more: 0 }, memory)
    }

    /// Makes a set for keys whose halves have so many bits, if that is known.
    pub(crate) fn for_bits(bits: Option<(u32, u32)>, memory: &Memory) -> Result<KeySet, Full> {
        let Some((left, right)) = bits else { return KeySet::new(memory) };
        let mixer = Mixer { left, right };
        Ok(KeySet { mixer, more: ROOMY.more, partitions: empty(mixer, memory)?, taken: 0 })
    }

    pub(crate) fn with(bits: Bits, memory: &Memory) -> Result<KeySet, Full> {
        let mixer = Mixer { left: bits.first, right: bits.first };
        Ok(KeySet { mixer, more: bits.more, partitions: empty(mixer, memory)?, taken: 0 })
    }

    pub(crate) fn mixer(&self) -> Mixer {
        self.mixer
    }

    pub(crate) fn partitions_mut(&mut self) -> &mut [Partition] {
        &mut self.partitions
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.len() as u64).sum()
    }

    /// Adds a key; returns whether it is new.
    pub(crate) fn insert(&mut self, key: u64, memory: &Memory) -> Result<bool, Full> {
        self.make_fit(key, memory)?;
        let mixed = self.mixer.mix(key);
        self.partitions[self.mixer.partition(mixed)].insert(self.mixer.rest(mixed), memory)
    }

    /// Returns whether a key is there.
    pub(crate) fn contains(&self, key: u64) -> bool {
        let mixed = self.mixer.mix(key);
        self.mixer.fits(key) && self.partitions[self.mixer.partition(mixed)].contains(self.mixer.rest(mixed))
    }

    /// Returns all keys, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let mixer = self.mixer;
        self.partitions.iter().enumerate().flat_map(move |(number, partition)| {
            let high = (number as u64) << (mixer.bits() - PARTITION_BITS);
            let mut index = if number + 1 == self.partitions.len() { self.taken } else { 0 };
            std::iter::from_fn(move || partition.next_key(&mut index))
                .map(move |rest| mixer.unmix(high | rest))
        })
    }

    /// Returns whether all keys are there, and none was lost when there was no room for more bits.
    pub(crate) fn is_whole(&self) -> bool {
        self.partitions.len() == PARTITIONS
    }

    /// Sets up to so many pieces of the last partition apart, each of so many entries: what is in them counts
    /// as taken out. There are none if the set is drained.
    pub(crate) fn take_pieces(&mut self, count: usize, entries: usize) -> Vec<Range<usize>> {
        let end = self.partitions.last().map_or(0, Partition::entries);
        let start = self.taken;
        self.taken = end.min(start + count * entries);
        (start..self.taken).step_by(entries).map(|start| start..self.taken.min(start + entries)).collect()
    }

    /// Returns the keys in a piece of the last partition.
    pub(crate) fn keys_in(&self, piece: Range<usize>) -> impl Iterator<Item = u64> {
        let high = (self.partitions.len() as u64).saturating_sub(1) << (self.mixer.bits() - PARTITION_BITS);
        let mut index = piece.start;
        std::iter::from_fn(move || {
            let rest = self.partitions.last()?.next_key(&mut index)?;
            (index <= piece.end).then(|| self.mixer.unmix(high | rest))
        })
    }

    /// Takes a key out of the last partition; `None` if it is drained. Nothing may be added any more.
    pub(crate) fn take(&mut self) -> Option<u64> {
        let high = (self.partitions.len() as u64).checked_sub(1)? << (self.mixer.bits() - PARTITION_BITS);
        let rest = self.partitions.last()?.next_key(&mut self.taken)?;
        Some(self.mixer.unmix(high | rest))
    }

    /// Gives partitions back from which all was taken, from the last to the first.
    pub(crate) fn free_drained(&mut self, memory: &Memory) {
        while self.partitions.last().is_some_and(|last| last.next_key(&mut { self.taken }).is_none()) {
            if let Some(drained) = self.partitions.pop() {
                drained.release(memory);
            }
            self.taken = 0;
        }
    }

    /// Returns up to where the last partition is drained.
    pub(crate) fn place(&self) -> Place {
        Place { partitions: self.partitions.len(), taken: self.taken }
    }

    /// Undoes what was taken since; what was given back was empty.
    pub(crate) fn go_back(&mut self, place: Place) {
        self.taken = if place.partitions == self.partitions.len() { place.taken } else { 0 };
    }

    /// Makes sure that keys whose parts are at most those of this one fit; returns whether all were written
    /// anew.
    pub(crate) fn make_fit(&mut self, key: u64, memory: &Memory) -> Result<bool, Full> {
        if self.mixer.fits(key) {
            return Ok(false);
        }
        let mut mixer = self.mixer;
        while key >> 32 >> mixer.left != 0 {
            mixer.left = (mixer.left + self.more).min(32);
        }
        while u64::from(key as u32) >> mixer.right != 0 {
            mixer.right = (mixer.right + self.more).min(32);
        }
        let mut partitions = empty(mixer, memory)?;
        while !self.partitions.is_empty() {
            while let Some(key) = self.take() {
                let mixed = mixer.mix(key);
                partitions[mixer.partition(mixed)].insert(mixer.rest(mixed), memory)?;
            }
            self.free_drained(memory);
        }
        self.mixer = mixer;
        self.partitions = partitions;
        Ok(true)
    }
}

fn empty(mixer: Mixer, memory: &Memory) -> Result<Vec<Partition>, Full> {
    (0..PARTITIONS).map(|_| Partition::new(mixer.bits() - PARTITION_BITS, memory)).collect()
}
