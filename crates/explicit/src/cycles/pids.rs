//! Sets of process numbers, and which of them a step moves or a state enables.

use narrows_model::{Move, MoveKind};

/// A set of process numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pids([u64; 4]);

impl Pids {
    /// Returns the processes that a step moves.
    pub(super) fn moved(moves: &[Move]) -> Pids {
        let mut pids = Pids::default();
        for step in moves {
            pids.insert(step.pid);
        }
        pids
    }

    /// Returns the processes that a step shows to be enabled: those that take part in its first action. Those
    /// that an atomic sequence meets later may not have been before.
    pub(super) fn enabled(moves: &[Move]) -> Pids {
        let first = match moves {
            [offer, accept, ..] if offer.kind == MoveKind::Offer && accept.kind == MoveKind::Accept => 2,
            _ => 1,
        };
        Pids::moved(&moves[..first.min(moves.len())])
    }

    fn insert(&mut self, pid: u8) {
        self.0[usize::from(pid / 64)] |= 1 << (pid % 64);
    }

    pub(super) fn is_empty(self) -> bool {
        self == Pids::default()
    }

    fn combine(self, other: Pids, combine: impl Fn(u64, u64) -> u64) -> Pids {
        Pids(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }

    pub(super) fn or(self, other: Pids) -> Pids {
        self.combine(other, |left, right| left | right)
    }

    pub(super) fn and(self, other: Pids) -> Pids {
        self.combine(other, |left, right| left & right)
    }

    pub(super) fn without(self, other: Pids) -> Pids {
        self.combine(other, |left, right| left & !right)
    }
}
