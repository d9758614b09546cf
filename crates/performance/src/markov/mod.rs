//! Markov chains and Markov automata: averages of the long run, what holds at a time, how long something takes.
//!
//! Numbers come with bounds: an [`Interval`] has the true value in it, rounding included, and is as narrow as
//! [`Accuracy`] asks, or as narrow as could be achieved. A [`Chain`] is solved by guessing values with any method that is
//! quick, and then evaluating once what they prove: see `gain.rs` and `total_reward.rs`. With an [`Automaton`], whose
//! decisions are open, there is a least and a greatest value over all schedulers, and one for decisions that are
//! taken by chance ([`uniform`]).

pub mod automaton;
pub mod chain;
mod elimination;
mod end_components;
mod gain;
mod interval;
mod long_run;
mod lumping;
mod multigrid;
mod optimal_average;
mod optimal_total;
mod optimal_transient;
mod passage;
mod poisson;
mod policy;
mod relaxation;
mod steady;
#[cfg(test)]
mod tests;
mod total_reward;
mod transient;
mod vanishing;

pub use automaton::{Automaton, Reward};
pub use chain::{Chain, ChainError};
pub use end_components::{Zeno, find_zeno};
pub use interval::{Accuracy, Interval};
pub use long_run::{long_run, mean_time, until};
pub use lumping::{Lumped, lump};
pub use optimal_average::average;
pub use optimal_total::{Aim, until_over};
pub use optimal_transient::reward_at_over;
pub use passage::{passage, passage_over};
pub use steady::steady;
pub use transient::{Distribution, distribution_at, reward_at};
pub use vanishing::{VanishError, Vanished, landings, uniform, vanish};
