//! Labelled graphs: states with numbers, and edges with labels between them.
//!
//! A [`Graph`] is read from text ([`aut`]) or made by a [`Builder`]. What its labels say about time and chance is in
//! [`Label`]. [`mu`] checks formulas.

pub mod aut;
mod graph;
mod label;
pub mod mu;

pub use graph::{Builder, Edge, Graph, TooLarge};
pub use label::{Label, Pace};
