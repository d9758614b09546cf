//! Temporal logic, generic in its atoms: it knows no model.
//!
//! [`Ltl`] is a formula, [`translate`] turns it into a [`Buchi`] automaton that accepts the words on which it holds.

mod alternating;
mod buchi;
mod budget;
mod ctl;
mod cube;
mod degeneralise;
mod dot;
mod emptiness;
mod formula;
mod generalised;
mod guard;
mod hoa;
mod ltl;
mod merge;
mod never;
mod reduce;
mod simplify;
mod simulation;
#[cfg(test)]
mod tests;
mod translate;
mod weak;
mod word;

pub use buchi::{Buchi, BuchiEdge, BuchiState};
pub use budget::{Budget, TooLarge};
pub use ctl::{Ctl, Paths};
pub use cube::Cube;
pub use emptiness::is_disjoint;
pub use ltl::Ltl;
pub use translate::{translate, translate_within};
pub use word::Lasso;
