//! What is computed in states, remembered by the bits of a state that decide about it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Rows;
use crate::states::Lens;

/// Values in states.
#[derive(Debug)]
pub struct Values<T> {
    /// The bytes of a state that decide about the value; `None` if that may be all of it.
    bytes: Option<Vec<Range<u32>>>,
    lens: Option<Lens>,
    /// How many times states had changed how they are kept when the lens was made.
    changes: Option<u32>,
    known: FxHashMap<u64, T>,
}

/// More values than this are not remembered.
const MOST: usize = 1 << 18;

impl<T: Copy> Values<T> {
    /// Starts with none, for something that depends on some bytes alone; `None` if that may be anything.
    pub fn new(bytes: Option<Vec<Range<u32>>>) -> Values<T> {
        Values { bytes, lens: None, changes: None, known: FxHashMap::default() }
    }

    /// Returns the value in a state: the one that is remembered, or the one that is found.
    pub fn get<E>(
        &mut self,
        rows: &Rows<'_>,
        state: u32,
        find: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let changes = rows.states.changes();
        if self.changes != Some(changes) {
            self.changes = Some(changes);
            self.known.clear();
            self.lens = self.bytes.as_ref().and_then(|bytes| rows.states.pattern()?.lens(bytes));
        }
        let words = rows.states.words(state);
        let Some(lens) = self.lens.as_ref().filter(|_| !words.is_empty()) else { return find() };
        let seen = lens.look(words);
        if let Some(value) = self.known.get(&seen) {
            return Ok(*value);
        }
        let value = find()?;
        if self.known.len() < MOST {
            self.known.insert(seen, value);
        }
        Ok(value)
    }
}
