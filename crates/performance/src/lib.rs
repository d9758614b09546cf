//! Time on graphs: best and worst case, and Markov chains.
//!
//! A [`Timing`] says which statements of a model take how long, and what is counted. From a model and its timing come two
//! views: the timed one ([`timed`]) is exact, over all runs; the stochastic one takes every delay for a random one.

pub mod actions;
mod delay;
pub mod graphs;
pub mod labelled;
pub mod markov;
mod nodes;
mod rows;
#[cfg(test)]
mod samples;
pub mod simulation;
pub mod stages;
mod states;
pub mod stochastic;
pub mod timed;
mod timing;
mod trouble;
pub mod waiting;

pub use delay::{Delay, Time, as_f64};
pub use rows::{Deed, Pace, Rows, Step, Values};
pub use timing::{Delayed, Site, Timing};
pub use trouble::Trouble;
