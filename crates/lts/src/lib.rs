//! Labelled graphs: states with numbers, and edges with labels between them.
//!
//! A [`Graph`] is read from text ([`aut`]) or made by a [`Builder`]. What its labels say about time and
//! chance is in [`Label`]. [`mu`] and [`linear`] check formulas, [`minimise()`] makes a graph smaller,
//! [`compare()`] tells graphs apart, [`edit`] makes new ones of them, and [`draw`] writes them for others.
//! Bisimulations are computed by partition refinement, on [`narrows_graph::Partition`].

pub mod aut;
mod compare;
mod deadlock;
pub mod draw;
pub mod edit;
mod error;
mod label;
pub mod linear;
mod minimise;
pub mod mu;
mod pattern;

pub use compare::{Evidence, Verdict, compare};
pub use deadlock::{deadlocks, stuck_states};
pub use error::{EquivalenceError, ExpressionError, LabelError, LinearError, PatternError};
pub use label::{Label, LabelTiming};
pub use minimise::{Relation, Settings, minimise};
use narrows_graph::labelled as graph;
pub use narrows_graph::labelled::{Builder, Edge, Graph, Rows, TooLarge};
pub use pattern::{LabelPattern, LabelValue};
