//! Continuous-time Markov chains and Markov automata: long-run averages, transient values, first-passage
//! times. Knows no model.
//!
//! Every number is a sound bound: an [`Interval`] contains the true value, rounding included, and is as
//! narrow as [`Accuracy`] asks, or as narrow as could be achieved. A [`Chain`] is solved by guessing values
//! with any fast method, and then evaluating once what they prove: see `gain.rs` and `total_reward.rs`. In an
//! [`Automaton`], nondeterminism is open: there is a range of values over all schedulers, and one value for
//! uniform random choices ([`uniform`]).
//!
//! | file | contents |
//! |---|---|
//! | `chain.rs`, `automaton.rs` | chains (rows of rates); automata (choices between distributions) |
//! | `lumping.rs` | ordinary lumping of chains |
//! | `vanishing.rs` | elimination of vanishing states: from an automaton to a chain |
//! | `interval.rs` | bounds, and rounding errors of sums |
//! | `gain.rs`, `total_reward.rs` | from a guess to bounds: long-run average; total reward |
//! | `elimination.rs`, `relaxation.rs`, `multigrid.rs` | guesses: GTH; Gauss–Seidel and GMRES; multigrid |
//! | `long_run.rs`, `steady.rs` | averages by bottom component (BSCC); stationary distributions |
//! | `latency.rs` | times of requests, with their distribution |
//! | `transient.rs`, `poisson.rs` | values at a time, by uniformisation |
//! | `squaring.rs`, `double_double.rs` | small stiff chains, by squaring a matrix; twice the precision |
//! | `collocation.rs`, `sparse_factors.rs` | larger ones, by implicit steps with proved errors; LU factors |
//! | `end_components.rs`, `policy.rs` | maximal end components, Zeno cycles; automata under a fixed policy |
//! | `optimal_{average,ratio,total,transient}.rs` | ranges over all schedulers, by policy iteration |
//! | `reachability.rs`, `steps.rs` | the way to a target, in time and in steps |

pub mod automaton;
pub mod chain;
mod collocation;
pub(crate) mod double_double;
mod elimination;
mod end_components;
mod gain;
mod interval;
mod latency;
mod long_run;
mod lumping;
mod multigrid;
mod optimal_average;
mod optimal_ratio;
mod optimal_total;
mod optimal_transient;
mod poisson;
mod policy;
mod reachability;
mod relaxation;
mod sparse_factors;
mod squaring;
mod steady;
mod steps;
#[cfg(test)]
mod tests;
mod total_reward;
mod transient;
mod vanishing;

pub use automaton::{Automaton, Reward};
pub use chain::{Chain, ChainError};
pub use end_components::{Zeno, find_zeno};
pub(crate) use interval::sums_are_exact;
pub use interval::{Accuracy, Interval, OverSchedulers};
pub use latency::{Begun, Little, OpenRequests, Passage, Requests};
pub use long_run::{long_run, mean_time, until};
pub use lumping::{Lumped, lump};
pub use optimal_average::average;
pub use optimal_ratio::ratio;
pub use optimal_total::{Aim, until_over};
pub use optimal_transient::reward_at_over;
pub use reachability::{Reach, reach, reach_before};
pub use steady::{occupancy, steady, steady_bounds};
pub use steps::before_step;
pub use transient::{Distribution, distribution_at, reward_at, rewards_at};
pub use vanishing::{VanishError, Vanished, landings, uniform, vanish};
