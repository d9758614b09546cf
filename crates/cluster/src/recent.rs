//! The states that were sent last, which need not be sent again.
//!
//! Whole states are compared, so none is left out that was not sent. A state that was sent has arrived, or
//! will before the next level begins; so whoever would send it again may as well not.

use rapidhash::v3::rapidhash_v3;

/// How many states are remembered.
const SLOTS: usize = 1 << 14;

/// Longer states are not remembered.
const LONGEST: usize = 1 << 9;

#[derive(Debug)]
pub(crate) struct Recent {
    slots: Vec<Vec<u8>>,
    bytes: u64,
}

impl Recent {
    pub(crate) fn new() -> Recent {
        Recent { slots: vec![Vec::new(); SLOTS], bytes: (SLOTS * size_of::<Vec<u8>>()) as u64 }
    }

    /// Returns whether a state was met lately, and remembers it.
    pub(crate) fn meet(&mut self, state: &[u8], hash: u64) -> bool {
        let slot = &mut self.slots[hash as usize % SLOTS];
        // An empty slot looks like an empty state.
        if state.is_empty() || state.len() > LONGEST {
            return false;
        }
        if slot == state {
            return true;
        }
        self.bytes -= slot.capacity() as u64;
        slot.clear();
        slot.extend_from_slice(state);
        self.bytes += slot.capacity() as u64;
        false
    }

    pub(crate) fn memory(&self) -> u64 {
        self.bytes
    }
}

/// Returns a number by which states are spread.
pub(crate) fn hash(state: &[u8]) -> u64 {
    rapidhash_v3(state)
}

/// Returns the worker to whom a state belongs.
pub(crate) fn owner(hash: u64, workers: usize) -> usize {
    ((u128::from(hash) * workers as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::{Recent, hash, owner};

    #[test]
    fn states_are_met_again_and_spread() {
        let mut recent = Recent::new();
        let state = |number: u32| number.to_le_bytes();
        assert!(!recent.meet(&state(1), hash(&state(1))));
        assert!(recent.meet(&state(1), hash(&state(1))));
        assert!(!recent.meet(&[], hash(&[])));
        let mut counts = [0; 7];
        (0..70_000).for_each(|number| counts[owner(hash(&state(number)), 7)] += 1);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }
}
