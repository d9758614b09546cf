//! Checks synchronous systems by satisfiability: for what sets of states are too large to hold.
//!
//! A synchronous system becomes a circuit, a question a bad state of it. [`check`] looks for runs into a bad
//! state by their length, and for a proof that there are none: by induction, or by an invariant that it finds
//! (IC3). Every run is replayed in the reference before it is handed out, every invariant is checked again by
//! another solver, and running out of anything is an answer.

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
