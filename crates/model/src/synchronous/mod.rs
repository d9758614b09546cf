//! Synchronous systems: all variables take their next values at once.
//!
//! A [`Machine`] is plain data: finite variables, expressions as a flat graph, and constraints on first states, on all
//! states and on steps. The [`Reference`] defines its meaning; every engine is checked against it.

mod build;
mod evaluate;
mod eventful;
mod formula;
mod lasso;
mod machine;
mod plan;
mod product;
mod reference;
mod run;

pub use build::Builder;
pub use evaluate::{Evaluation, Moment};
pub use eventful::Eventful;
pub use formula::{Branching, BranchingId, Claim as MachineClaim, Linear, LinearId, Specification};
pub use lasso::holds_on;
pub use machine::{
    Constraint, Definition, Demand, Display, Domain, ExprId, Hazard, HazardKind, Machine, Node, Operator,
    Role, Value, Variable, VariableId,
};
pub use product::{Product, product};
pub use reference::Reference;
pub use run::{Run, Signal, changes};
