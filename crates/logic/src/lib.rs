//! Temporal logic, generic in its atoms: it knows no model.
//!
//! [`Ltl`] is a formula, [`translate`] turns it into a [`Buchi`] automaton that accepts the words on which it
//! holds.
//!
//! In the order in which a formula becomes an automaton:
//!
//! | file | contents |
//! |---|---|
//! | `ltl.rs`, `formula.rs`, `simplify.rs` | formulas; hash-consed in negation normal form; rewriting |
//! | `alternating.rs`, `generalised.rs` | very weak alternating automata; generalised Büchi automata |
//! | `reduce.rs`, `simulation.rs`, `merge.rs` | fewer states for the same language |
//! | `degeneralise.rs`, `weak.rs` | Büchi automata; minimal weak deterministic automata |
//! | `translate.rs`, `translation_limits.rs` | the whole translation, within limits |
//! | `emptiness.rs`, `word.rs` | emptiness of intersections; formulas on lassos: the oracle of tests |
//! | `never.rs`, `hoa.rs`, `dot.rs`, `guard.rs` | automata as never claims, in HOA format, for Graphviz |

mod alternating;
mod buchi;
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
mod translation_limits;
mod weak;
mod word;

pub use buchi::{Buchi, BuchiEdge, BuchiState};
pub use ctl::{Ctl, Paths};
pub use cube::Cube;
pub use emptiness::is_disjoint;
pub use ltl::Ltl;
pub use translate::{translate, translate_within};
pub use translation_limits::{TooLarge, TranslationLimits};
pub use word::Lasso;
