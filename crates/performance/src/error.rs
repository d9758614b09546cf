//! Why a view of a model can't be built.

use narrows_model::{Limit, Violation};
use narrows_source::Span;

/// The reasons.
#[derive(Clone, Debug, PartialEq)]
pub enum BuildError {
    /// A limit was hit.
    Limit(Limit),
    /// The model has a violation: which, and the path to it, as choices of successors.
    Wrong(Violation, Vec<u32>),
    /// Both sides of a rendezvous have a delay: where each is in the text.
    TwoDelays(Span, Span),
    /// A Zeno cycle: immediate steps on which not the same delays keep running. The path into it, as choices
    /// of successors, and the step at which the cycle begins.
    Zeno(Vec<u32>, usize),
    /// States count once that differ only in which of some equal parts does what, and on a cycle of busy
    /// waiting it can't be told which is which.
    Entangled,
}

impl From<Limit> for BuildError {
    fn from(limit: Limit) -> BuildError {
        BuildError::Limit(limit)
    }
}
