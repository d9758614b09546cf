//! State by state: an exact store, depth-first and breadth-first search, and answers to safety questions.
//! What is in `lossy` does without an exact store, and never says that something holds.
//!
//! Everything here walks over a [`StateSpace`](narrows_model::StateSpace), whatever is behind it. Nothing
//! here prints, reads files or looks at the clock: a [`Watch`] given by the caller does, and may stop a
//! search at any time.

mod breadth_first;
mod check;
mod checkpoint;
mod ctl;
mod cycles;
mod depth_first;
mod engine;
mod findings;
mod lossy;
mod native;
mod numbered;
mod reduction;
mod search;
mod shorten;
mod store;
mod temporal;
mod vacuity;

#[cfg(test)]
mod atomic_tests;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use breadth_first::{Goal, breadth_first, breadth_first_reduced};
pub use check::{Checked, NotReplayed, Options, accepts, check, explore, replay};
pub use checkpoint::Checkpoints;
pub use ctl::{CtlAnswer, ctl};
pub use depth_first::{Faults, depth_first, depth_first_reduced};
pub use engine::Engine;
pub use findings::{Finding, Run, Wrong};
pub use lossy::{Lossy, check_lossy, explore_lossy};
pub use native::{Native, Unsupported};
pub use numbered::{NumberedEdge, NumberedWalk, numbered_walk};
pub use reduction::Reduction;
pub use search::{Budget, End, Exploration, Progress, Share, Unwatched, Watch};
pub use store::{Entry, Full, Shape, StateId, Store};
