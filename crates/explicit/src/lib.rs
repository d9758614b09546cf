//! State by state: an exact store, depth-first and breadth-first search, and answers to safety questions.
//!
//! Everything here walks over a [`StateSpace`](narrows_model::StateSpace), whatever is behind it. Nothing here prints,
//! reads files or looks at the clock: a [`Watch`] given by the caller does, and may stop a search at any time.

mod breadth_first;
mod check;
mod ctl;
mod cycles;
mod depth_first;
mod findings;
mod search;
mod shorten;
mod store;
mod temporal;
mod vacuity;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use breadth_first::{Goal, breadth_first};
pub use check::{Checked, NotReplayed, Options, accepts, check, replay};
pub use ctl::{CtlAnswer, ctl};
pub use depth_first::{Faults, depth_first};
pub use findings::{Finding, Run, Wrong};
pub use search::{Budget, End, Exploration, Progress, Unwatched, Watch};
pub use store::{Entry, Full, Shape, StateId, Store};
