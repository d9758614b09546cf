//! Why there is no figure.

use narrows_model::{Limit, Violation};
use narrows_source::Span;

/// Why a view of a model can't be built.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// A limit was hit.
    Limit(Limit),
    /// The model goes wrong on the way: what, and after which choices of successors.
    Wrong(Violation, Vec<u32>),
    /// Both sides of a rendezvous have a delay: where they are written.
    TwoDelays(Span, Span),
    /// Time stands still: a run that comes to a cycle of steps that take no time, and in which the same delays do not
    /// run on. The choices of successors, and the step at which the cycle begins.
    Zeno(Vec<u32>, usize),
}

impl From<Limit> for Trouble {
    fn from(limit: Limit) -> Trouble {
        Trouble::Limit(limit)
    }
}
