//! Checks synchronous systems set by set: sets of states are functions of bits, as binary decision diagrams.
//!
//! [`check`] answers the questions of a synchronous system, [`bounds`] finds the least and the most steps
//! between events, [`explore`] counts states. Every run is replayed in the reference before it is handed out,
//! and running out of anything is an answer.

mod bdd;
mod bounds;
mod check;
mod ctl;
mod detour;
mod encode;
mod events;
mod explain;
mod fair;
mod order;
mod ordering;
mod processes;
mod relation;
mod saturate;
mod space;
mod split;
mod value;
mod walk;

pub use bdd::{Natural, Watch};
pub use check::{Budget, Checked, Size, Way, bounds, check, check_each, check_ordered, explore};
pub use ordering::Order;
pub use processes::{
    Bounded, Decided, ProcessWay, Surveyed, Trouble, bounds_of_processes, check_processes, explore_processes,
};
