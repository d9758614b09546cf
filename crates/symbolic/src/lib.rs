//! Checks synchronous systems set by set: sets of states are functions of bits, as binary decision diagrams.
//!
//! [`check`] answers the questions of a synchronous system, [`bounds`] finds the least and the most steps
//! between events, [`explore`] counts states. Every run is replayed in the reference before it is handed out,
//! and running out of anything is an answer.
//!
//! From a synchronous system to answers:
//!
//! | file | contents |
//! |---|---|
//! | `bdd/` | hash-consed nodes, operations, sifting, exact counts |
//! | `order.rs`, `ordering.rs` | the initial variable order; orders as text |
//! | `value.rs`, `encode.rs` | values that depend on bits; expressions to diagrams |
//! | `relation.rs`, `split.rs`, `events.rs` | the transition relation as conjunctions, one per event |
//! | `space.rs`, `saturate.rs` | reachable states, breadth first or by saturation |
//! | `fair.rs`, `ctl.rs`, `bounds.rs` | fair paths; CTL; least and greatest numbers of steps |
//! | `walk.rs`, `detour.rs`, `explain.rs` | runs out of sets; not the shortest ones; which is the witness |
//! | `check.rs`, `processes.rs` | questions to answers; the same for systems of processes |

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
