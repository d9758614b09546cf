//! Checks synchronous systems by satisfiability: for what sets of states are too large to hold.
//!
//! A system becomes a circuit, a question a bad state of it. [`check`] looks for runs into a bad state by
//! their length, and for a proof that there are none: by induction, or by an invariant that it finds (IC3).
//! Every run is replayed in the reference before it is handed out, every invariant is checked again by
//! another solver, and running out of anything is an answer.
//!
//! | module | what it does |
//! |---|---|
//! | `question`, `actl` | questions as bad states; formulas of universal CTL that say the same in LTL |
//! | `liveness_to_safety` | endless runs as runs back to a state that was there before |
//! | `circuit/` | systems as and-inverter graphs with latches |
//! | `unroll`, `solver` | the circuit at each time as clauses; the solver, and what it may spend |
//! | `bounded`, `induction`, `ic3/` | bounded model checking, k-induction, property-directed reachability |
//! | `check` | engines in turns; answers with runs that are replayed |
//! | `aiger` | circuits for other programs |

mod actl;
mod aiger;
mod bounded;
mod check;
mod circuit;
mod ic3;
mod induction;
mod liveness_to_safety;
mod question;
mod solver;
mod unroll;

pub use aiger::{Aiger, AigerForm, aiger};
pub use check::{Engine, check};
pub use question::accepts;

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
