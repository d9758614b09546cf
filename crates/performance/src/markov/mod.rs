//! Markov chains and Markov automata: averages of the long run, what holds at a time, how long something takes.
//!
//! Numbers come with bounds: an [`Interval`] has the true value in it, rounding included, and is as narrow as
//! [`Accuracy`] asks, or as narrow as could be achieved. A [`Chain`] is solved by guessing values with any method that is
//! quick, and then evaluating once what they prove: see `gain.rs` and `total.rs`. With an [`Automaton`], whose
//! decisions are open, there is a least and a greatest value over all schedulers, and one for decisions that are
//! taken by chance ([`uniform`]).

pub mod automaton;
mod average;
pub mod chain;
mod dense;
mod end_components;
mod gain;
mod interval;
mod levels;
mod long_run;
mod lump;
mod moment;
mod passage;
mod poisson;
mod policy;
mod relax;
mod schedulers;
mod steady;
#[cfg(test)]
mod tests;
mod total;
mod transient;
mod vanish;

pub use automaton::{Automaton, Reward};
pub use average::average;
pub use chain::{Chain, Wrong};
pub use end_components::{Zeno, find_zeno};
pub use interval::{Accuracy, Interval};
pub use long_run::{long_run, mean_time, until};
pub use lump::{Lumped, lump};
pub use moment::reward_at_over;
pub use passage::{passage, passage_over};
pub use schedulers::{Aim, until_over};
pub use steady::steady;
pub use transient::{Distribution, distribution_at, reward_at};
pub use vanish::{Unclear, Vanished, landings, uniform, vanish};
