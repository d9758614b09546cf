//! Records of words that many threads append and read, and that never move.
//!
//! All records of an arena have the same number of words. They lie in segments: a first one, which is found
//! at once, and then four to each doubling of the whole, so that at most a fifth is unused and a record's
//! place follows from its number. The words are atomic because threads share them; whoever learns a record's
//! number learns it with an acquiring load, so that relaxed ones suffice for its words.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Full, Memory};

/// The first segment has this many records, and the next four a quarter of it each.
const FIRST: u64 = 1 << FIRST_BITS;
const FIRST_BITS: u32 = 10;
/// Up to 2³¹ records.
const SEGMENTS: usize = (32 - FIRST_BITS as usize) * 4;

#[derive(Debug)]
pub(super) struct Arena {
    first: Box<[AtomicU64]>,
    segments: Box<[OnceLock<Box<[AtomicU64]>>]>,
    /// How many words a record has.
    stride: usize,
    next: Apart<AtomicU64>,
}

/// What is often written, apart from what is often read: processors pass cache lines to and fro.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

/// Where a record is.
struct Place {
    segment: usize,
    offset: usize,
    /// How many records the segment has.
    size: usize,
}

/// Finds a record behind the first segment.
#[inline]
fn locate(record: u64) -> Place {
    let quarter_bits = record.ilog2() - 2;
    let quarter = record >> quarter_bits;
    Place {
        segment: ((quarter_bits + 2 - FIRST_BITS) * 4) as usize + (quarter & 3) as usize,
        offset: (record - (quarter << quarter_bits)) as usize,
        size: 1 << quarter_bits,
    }
}

/// Makes a list of zeros, or says that there is no room.
pub(super) fn zeros(length: usize, memory: &Memory) -> Result<Box<[AtomicU64]>, Full> {
    memory.claim(length * 8)?;
    let mut words = Vec::new();
    if words.try_reserve_exact(length).is_err() {
        memory.release(length * 8);
        return Err(Full);
    }
    words.resize_with(length, || AtomicU64::new(0));
    Ok(words.into_boxed_slice())
}

impl Arena {
    pub(super) fn new(stride: usize, memory: &Memory) -> Result<Arena, Full> {
        let first = zeros(stride << FIRST_BITS, memory)?;
        let segments = (0..SEGMENTS).map(|_| OnceLock::new()).collect();
        Ok(Arena { first, segments, stride, next: Apart::default() })
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn len(&self) -> u64 {
        self.next.0.load(Ordering::Relaxed)
    }

    /// Appends a record and returns its number.
    pub(super) fn append(&self, record: &[u64], memory: &Memory) -> Result<u32, Full> {
        debug_assert!(record.len() == self.stride);
        let number = self.next.0.fetch_add(1, Ordering::Relaxed);
        let words = if number < FIRST {
            &self.first[number as usize * self.stride..]
        } else {
            let place = locate(number);
            if place.segment >= SEGMENTS {
                return Err(Full);
            }
            &self.segment(&place, memory)?[place.offset * self.stride..]
        };
        for (word, value) in words.iter().zip(record) {
            word.store(*value, Ordering::Relaxed);
        }
        Ok(number as u32)
    }

    /// Makes sure that a record is there, of zeros unless something was written to it.
    pub(super) fn reach(&self, record: u64, memory: &Memory) -> Result<(), Full> {
        if record < FIRST {
            return Ok(());
        }
        let place = locate(record);
        if place.segment >= SEGMENTS {
            return Err(Full);
        }
        self.segment(&place, memory).map(|_| ())
    }

    fn segment(&self, place: &Place, memory: &Memory) -> Result<&[AtomicU64], Full> {
        let cell = &self.segments[place.segment];
        if let Some(words) = cell.get() {
            return Ok(words);
        }
        if cell.set(zeros(place.size * self.stride, memory)?).is_err() {
            // Another thread was faster.
            memory.release(place.size * self.stride * 8);
        }
        cell.get().map(|words| &**words).ok_or(Full)
    }

    /// Gives the memory back.
    pub(super) fn release(self, memory: &Memory) {
        let words: usize = self.segments.iter().filter_map(|cell| cell.get()).map(|words| words.len()).sum();
        memory.release((words + self.first.len()) * 8);
    }

    /// Returns the words of a record.
    #[inline]
    pub(super) fn record(&self, number: u32) -> &[AtomicU64] {
        if u64::from(number) < FIRST {
            let start = number as usize * self.stride;
            return &self.first[start..start + self.stride];
        }
        self.record_behind(number)
    }

    fn record_behind(&self, number: u32) -> &[AtomicU64] {
        let place = locate(u64::from(number));
        let start = place.offset * self.stride;
        self.segments[place.segment].get().map_or(&[], |words| &words[start..start + self.stride])
    }
}
