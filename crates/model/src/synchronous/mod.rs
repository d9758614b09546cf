//! Synchronous systems: all variables take their next values at once.
//!
//! A [`SynchronousSystem`] is plain data: finite variables, expressions as a flat graph, and constraints on
//! first states, on all states and on steps. The [`Reference`] defines its meaning; every engine is checked
//! against it.
//!
//! | file | contents |
//! |---|---|
//! | `system.rs`, `formula.rs` | the data: variables, expressions, constraints; claims |
//! | `build.rs` | hash-consed expressions |
//! | `arithmetic.rs` | values that depend on bits, for engines that know no states |
//! | `evaluate.rs`, `plan.rs`, `reference.rs` | values of expressions; enumeration of states and steps |
//! | `eventful.rs` | steps labelled with the events that happen in them |
//! | `run.rs`, `lasso.rs` | replay of runs; LTL on a lasso |
//! | `product.rs` | the tableau of an LTL formula as a synchronous system |

mod arithmetic;
mod build;
mod evaluate;
mod eventful;
mod formula;
mod lasso;
mod plan;
mod product;
mod reference;
mod run;
mod shorten;
mod system;

pub use arithmetic::{Arithmetic, BitAlgebra, BitValue, index_width};
pub use build::Builder;
pub use evaluate::{Evaluation, Moment};
pub use eventful::Eventful;
pub use formula::{Branching, BranchingId, Claim as SynchronousClaim, Linear, LinearId, Specification};
pub use lasso::holds_on;
pub use product::{Product, monitor, product};
pub use reference::Reference;
pub use run::{Run, Signal, changes};
pub use shorten::shortened;
pub use system::{
    Constraint, Definition, Demand, Display, Domain, ExprId, Hazard, HazardKind, Node, Operator, Role,
    SynchronousSystem, Value, Variable, VariableId,
};
