//! Studies about synchronous systems: one step is one unit of time.
//!
//! What is asked of all runs becomes specifications of the machine, which are answered set by set, all at once. How often
//! something happens is found on the graph of all states, if they are few enough.

mod bottleneck;
mod graph;
mod measure;
mod prepare;

pub use prepare::PreparedMachine;

pub(crate) use bottleneck::analyse;
pub(crate) use measure::measure;
pub(crate) use prepare::prepare;
