//! Values of an expression in states, cached by the bits that the expression reads.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::StateGraph;
use crate::state_store::Projection;

/// A cache of values by state.
#[derive(Debug)]
pub struct ValueCache<T> {
    /// The bytes that the expression reads; `None` if that may be any.
    bytes: Option<Vec<Range<u32>>>,
    projection: Option<Projection>,
    /// The version of the packing that the projection was made for.
    changes: Option<u32>,
    known: FxHashMap<u64, T>,
}

/// More values than this are not cached.
const MAX_VALUES: usize = 1 << 18;

impl<T: Copy> ValueCache<T> {
    /// Makes an empty cache for an expression that reads some bytes only; `None` if it may read any.
    pub fn new(bytes: Option<Vec<Range<u32>>>) -> ValueCache<T> {
        ValueCache { bytes, projection: None, changes: None, known: FxHashMap::default() }
    }

    /// Returns the value in a state, cached or computed by `find`.
    pub fn get<E>(
        &mut self,
        state_graph: &StateGraph<'_>,
        state: u32,
        find: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let changes = state_graph.states.changes();
        if self.changes != Some(changes) {
            self.changes = Some(changes);
            self.known.clear();
            self.projection =
                self.bytes.as_ref().and_then(|bytes| state_graph.states.pattern()?.projection(bytes));
        }
        let words = state_graph.states.words(state);
        let Some(projection) = self.projection.as_ref().filter(|_| !words.is_empty()) else { return find() };
        let seen = projection.look(words);
        if let Some(value) = self.known.get(&seen) {
            return Ok(*value);
        }
        let value = find()?;
        if self.known.len() < MAX_VALUES {
            self.known.insert(seen, value);
        }
        Ok(value)
    }
}
