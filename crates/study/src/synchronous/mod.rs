//! Studies about synchronous systems: one step is one unit of time.
//!
//! What is asked of all runs becomes specifications of the system, which are answered all at once. How often
//! something happens is found on the graph of all states, if they are few enough.

mod bottleneck;
mod graph;
mod measure;
mod prepare;
mod values;

pub use prepare::SynchronousStudy;

pub(crate) use graph::GraphSource;
pub(crate) use measure::SynchronousBench;
pub(crate) use prepare::prepare;
