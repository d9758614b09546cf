//! Which bytes of a state a step depends on, found by watching the evaluator.
//!
//! Evaluation is deterministic: what is read next depends on what was read before. So of two states with the
//! same components that agree in all bytes that were read or overwritten in one of them, evaluation does the
//! same in both. A byte that is overwritten counts, since what changes depends on what was there.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes of a state that were read or overwritten. Where components begin, and of what kind they are,
/// is not among them: whoever compares states compares that first.
#[derive(Debug)]
pub struct ReadLog {
    words: Vec<AtomicU64>,
    length: usize,
}

impl ReadLog {
    /// Makes an empty log for a state of so many bytes.
    pub fn new(length: usize) -> ReadLog {
        ReadLog { words: (0..length.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), length }
    }

    /// Notes bytes. Those behind the end of the state belong to components that are new.
    pub(super) fn note(&self, bytes: Range<usize>) {
        for at in bytes.start..bytes.end.min(self.length) {
            self.words[at / 64].fetch_or(1 << (at % 64), Ordering::Relaxed);
        }
    }

    /// Returns the bytes, in order.
    pub fn bytes(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(number, word)| {
            let mut word = word.load(Ordering::Relaxed);
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                word &= word.wrapping_sub(1);
                (bit < 64).then_some(number * 64 + bit)
            })
        })
    }
}

/// A part of what a process does: all parts together are the whole, unless one of its edges is an `else` or
/// an escape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepPart {
    /// A single edge of its location, or all of them.
    pub edge: Option<u16>,
    /// Who may take a message that it holds out in its first step.
    pub partner: Partner,
}

/// Who may take a message that is held out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partner {
    /// Anybody; steps without a partner count too.
    #[default]
    Anybody,
    /// Nobody: steps without a partner alone.
    Nobody,
    /// This process; steps without a partner do not count.
    Only(u8),
}
