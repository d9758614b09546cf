//! Which processes a step moves, or shows to be enabled.

use narrows_model::{Move, MoveKind, ProcessSet};

/// Returns the processes that a step moves.
pub(super) fn moved(moves: &[Move]) -> ProcessSet {
    moves.iter().map(|step| step.pid).collect()
}

/// Returns the processes that a step shows to be enabled: those that take part in its first action. Those
/// that an atomic sequence meets later may not have been before.
pub(super) fn enabled(moves: &[Move]) -> ProcessSet {
    let first = match moves {
        [offer, accept, ..] if offer.kind == MoveKind::Offer && accept.kind == MoveKind::Accept => 2,
        _ => 1,
    };
    moved(&moves[..first.min(moves.len())])
}
