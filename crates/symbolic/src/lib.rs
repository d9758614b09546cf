//! Checks synchronous systems symbolically: sets of states are Boolean functions, as binary decision
//! diagrams.
//!
//! [`check`] answers the questions of a system, [`bounds`] finds the least and the most steps between
//! events. Every run is replayed in the reference before it is handed out, and running out of anything is an
//! answer.
//!
//! | module | what it does |
//! |---|---|
//! | `bdd/` | reduced ordered decision diagrams with complement edges: kernel, operations, counts, sifting |
//! | `static_order`, `order_file` | a first variable order (FORCE); orders as text |
//! | `encode`, `value` | variables as bits; expressions as diagrams, one for each value or bit |
//! | `disjuncts`, `events` | the transition relation as events: processes, or groups of alternatives |
//! | `relation`, `saturation` | image and preimage by conjunctive partitioning; fixpoints by saturation |
//! | `space`, `fairness` | reachable states; states with a fair path |
//! | `ctl`, `explain` | satisfaction sets of CTL, and evidence for them |
//! | `walk`, `saturation_path` | runs out of sets: shortest ones, or some where those are too hard to find |
//! | `bounds` | least and most steps, and counts, between two predicates |
//! | `check` | specifications in, answers out |
//! | `processes/` | systems of processes: as systems whose domains are widened until they have all states |

mod bdd;
mod bounds;
mod check;
mod ctl;
mod disjuncts;
mod encode;
mod events;
mod explain;
mod fairness;
mod order_file;
mod processes;
mod relation;
mod saturation;
mod saturation_path;
mod space;
mod static_order;
mod value;
mod walk;

pub use check::{Options, Way, bounds, check, check_each};
pub use order_file::Order;
pub use processes::{ProcessWay, accepts_question, bounds_of_processes, check_processes, explore_processes};
