//! Sets of states, a bit for each.

/// A set of numbers below a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Makes a set of no number, or of all below a limit.
    pub(super) fn new(limit: u32, all: bool) -> Bits {
        Bits(vec![if all { u64::MAX } else { 0 }; (limit as usize).div_ceil(64)])
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, number: u32, to: bool) {
        let word = &mut self.0[number as usize / 64];
        let bit = 1 << (number % 64);
        *word = if to { *word | bit } else { *word & !bit };
    }

    /// Makes a set of two, word by word.
    pub(super) fn joined(&self, other: &Bits, join: impl Fn(u64, u64) -> u64) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(left, right)| join(*left, *right)).collect())
    }

    /// Counts the numbers below a limit.
    pub(super) fn count(&self, limit: u32) -> u32 {
        (0..limit).filter(|number| self.has(*number)).count() as u32
    }
}
