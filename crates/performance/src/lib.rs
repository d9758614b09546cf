//! Performance of models with delays: best and worst case, and Markov chains.
//!
//! A [`Timing`] assigns delays to statements of a model and says which events are counted. From a model and
//! its timing come two views: the timed view ([`timed`]) is exact, over all runs; in the stochastic view
//! ([`stochastic`]) every delay is random.
//!
//! From a model with delays to numbers:
//!
//! | file | contents |
//! |---|---|
//! | `delay.rs`, `phases.rs`, `fine.rs` | delays; those of several phases; exact rates |
//! | `timing.rs` | which statements have which delay, and what is counted |
//! | `state_graph.rs`, `state_store.rs` | the states of a model with their steps, on demand; packed states |
//! | `nodes.rs` | states with running clocks: immediate steps, and where time passes |
//! | `requests.rs` | which end belongs to which beginning: observers that follow one request |
//! | `timed/` | all runs with exact times: shortest and longest paths, cycle ratios, critical chains |
//! | `stochastic/` | Markov chain or Markov automaton of a model, without vanishing states |
//! | `markov/` | chains and automata, with sound bounds; knows no model |
//! | `simulation/` | discrete-event simulation: estimates with confidence intervals |
//! | `labelled.rs`, `actions.rs` | LOTOS models as labelled graphs; graphs with timed actions |
//! | `graphs.rs`, `stages.rs` | graphs to Markov automata; delays of several phases |
//! | `busy_waiting.rs` | busy waiting |

pub mod actions;
pub mod busy_waiting;
mod delay;
mod error;
mod exchange;
mod fine;
pub mod graphs;
pub mod labelled;
pub mod markov;
mod nodes;
mod phases;
pub mod requests;
#[cfg(test)]
mod samples;
pub mod simulation;
pub mod stages;
mod state_graph;
mod state_store;
pub mod stochastic;
pub mod timed;
mod timing;

pub use delay::{Delay, Distribution, Time, as_f64};
pub use error::BuildError;
pub use fine::Fine;
pub use phases::{MAX_PHASES, Phase, Phases, PhasesError};
pub use state_graph::{Predicate, Rename, StateGraph, Step, StepEffect, Urgency, ValueCache};
pub use timing::{Delayed, Site, Timing};
