//! From structured text to locations and transitions, exactly as SPIN does it.
//!
//! The text of a process becomes elements in sequences ([`Graph`]); each element gets SPIN's number.
//! [`finish`] then works out where each element leads, folds choices into the locations they start from, and
//! adds the escapes of `unless`. State counts depend on every detail here: what is a step of its own and what
//! is folded away, where an atomic sequence ends, in which order edges are tried.

mod build;
mod d_step;
mod edges;
mod flatten;
mod graph;
mod labels;

pub(super) use build::{Shape, ShapeKind};
pub(super) use edges::finish;
pub(super) use graph::{Graph, SequenceId};
pub(super) use labels::Target;
