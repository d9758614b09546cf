//! Time on graphs: best and worst case, and Markov chains.
//!
//! A [`Timing`] says which statements of a model take how long, and what is counted. From a model and its timing come two
//! views: the timed one ([`timed`]) is exact, over all runs; the stochastic one takes every delay for a random one.

pub mod actions;
pub mod busy_waiting;
mod delay;
mod error;
pub mod graphs;
pub mod labelled;
pub mod markov;
mod nodes;
mod random;
#[cfg(test)]
mod samples;
pub mod simulation;
pub mod stages;
mod state_graph;
mod state_store;
pub mod stochastic;
pub mod timed;
mod timing;

pub use delay::{Delay, Time, as_f64};
pub use error::BuildError;
pub use state_graph::{StateGraph, Step, StepEffect, Urgency, ValueCache};
pub use timing::{Delayed, Site, Timing};
