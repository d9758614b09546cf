//! Checks synchronous systems by satisfiability: for what sets of states are too large to hold.
//!
//! A synchronous system becomes a circuit, a question a bad state of it. [`check`] looks for runs into a bad
//! state by their length, and for a proof that there are none: by induction, or by an invariant that it finds
//! (IC3). Every run is replayed in the reference before it is handed out, every invariant is checked again by
//! another solver, and running out of anything is an answer.
//!
//! | file | contents |
//! |---|---|
//! | `circuit/` | hash-consed gates, expressions as gates, latches and inputs |
//! | `solver.rs`, `unroll.rs` | the solver, its limits and slices of work; unrolled runs as clauses |
//! | `bounded.rs`, `induction.rs`, `ic3/` | bounded model checking; k-induction; IC3 with certificates |
//! | `universal.rs`, `loops.rs` | CTL with an LTL equivalent; liveness to safety |
//! | `question.rs`, `check.rs` | questions to bad states, runs back to the system; engines take turns |
//! | `aiger.rs` | circuits as files |

mod aiger;
mod bounded;
mod check;
mod circuit;
mod ic3;
mod induction;
mod loops;
mod question;
mod solver;
mod universal;
mod unroll;

pub use aiger::{Aiger, AigerForm, aiger};
pub use check::{Budget, Checked, Engine, check};
pub use solver::Watch;

/// How far an engine has come.
#[derive(Clone, Debug)]
enum Progress {
    /// There is more to do.
    Going,
    /// No bad state can be reached.
    Proved,
    /// This run leads to one.
    Refuted(unroll::Witness),
}
