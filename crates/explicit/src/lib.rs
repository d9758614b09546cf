//! State by state: an exact store, depth-first and breadth-first search, and answers to safety questions.
//! What is in `lossy` does without an exact store, and never says that something holds.
//!
//! Everything here walks over a [`StateSpace`](narrows_model::StateSpace), whatever is behind it. Nothing
//! here prints, reads files or looks at the clock: a [`Watch`] given by the caller does, and may stop a
//! search at any time.
//!
//! | module | contents |
//! |---|---|
//! | `engine.rs`, `native/` | successors by the reference evaluator, or by machine code |
//! | `store/` | exact stores of states |
//! | `depth_first.rs`, `breadth_first/` | safety: depth first as SPIN counts, breadth first in parallel |
//! | `cycles/`, `temporal.rs`, `vacuity.rs` | acceptance cycles: LTL, never claims, progress; vacuity |
//! | `ctl/` | CTL on the whole labelled graph |
//! | `reduction/` | stubborn sets |
//! | `symmetry/` | instances that a model does not tell apart; the graph of orbits |
//! | `lossy/` | hash compaction and bit-state hashing: never answers *holds* |
//! | `checkpoint/` | a search as bytes, to be resumed |
//! | `table_driven/` | breadth-first search on a GPU, by tables of what processes do |
//! | `numbered.rs` | all states with numbers, for graphs |
//! | `numbered_states.rs` | the compressed store by itself, for searches of others |
//! | `findings.rs`, `shorten.rs` | violations found on the way; shorter counterexamples |
//!
//! With the feature `native`, which is on unless it is turned off, states of large systems are expanded by
//! machine code that Cranelift makes. Without it the reference evaluator expands all of them, and
//! [`Engine::native`] refuses.

mod breadth_first;
mod check;
mod checkpoint;
mod ctl;
mod cycles;
mod depth_first;
mod engine;
mod findings;
mod lossy;
#[cfg(feature = "native")]
mod native;
#[cfg(not(feature = "native"))]
#[path = "no_native.rs"]
mod native;
mod numbered;
mod numbered_states;
mod reduction;
mod search;
mod shorten;
mod store;
mod symmetry;
mod table_driven;
mod taken;
mod temporal;
mod vacuity;

#[cfg(test)]
mod atomic_tests;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use breadth_first::{Goal, breadth_first, breadth_first_reduced};
pub use check::{
    NotReplayed, Options, accepts, check, explore, explore_accelerated, explore_sparsely, is_safety,
    problems, replay,
};
pub use checkpoint::{CheckpointError, Checkpoints};
pub use ctl::{CtlAnswer, accepts_fair, ctl};
pub use depth_first::{Faults, depth_first, depth_first_reduced};
pub use engine::Engine;
pub use findings::{Finding, Run, Wrong};
pub use lossy::{Lossy, accepts_lossy, check_lossy, explore_lossy};
pub use narrows_model::{Budget, Progress, Share, Unwatched, Watch};
pub use native::{Native, Unsupported};
pub use numbered::{NumberedEdge, NumberedWalk, numbered_walk};
pub use numbered_states::NumberedStates;
pub use reduction::{Reduction, merged, unmerge};
pub use search::{Elsewhere, End, Exploration, SearchScope};
pub use store::{Entry, Full, Shape, StateId, Store};
pub use symmetry::{
    Asked, Canonical, CanonicalScratch, Label, OrbitCount, Quotient, Symmetry, accepts_symmetric,
    check_symmetric,
};
pub use table_driven::{
    Accelerator, Invariants, accepts_tables, breadth_first_accelerated, breadth_first_by_tables,
    check_invariants, invariants_by_tables, is_invariant, labelled_by_tables, labelled_on_accelerator,
};
pub use taken::Taken;
