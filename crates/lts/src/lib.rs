//! Labelled graphs: states with numbers, and edges with labels between them.
//!
//! A [`Graph`] is read from text ([`aut`]) or made by a [`Builder`]. What its labels say about time and chance is in
//! [`Label`]. [`mu`] checks formulas, [`minimise()`] makes a graph smaller, [`compare()`] tells graphs apart, [`edit`] makes new ones of them,
//! and [`draw`] writes them for others.

pub mod aut;
mod compare;
pub mod components;
pub mod draw;
pub mod edit;
mod graph;
mod label;
mod minimise;
pub mod mu;

pub use compare::{Evidence, Verdict, compare};
pub use graph::{Builder, Edge, Graph, TooLarge};
pub use label::{Label, Pace};
pub use minimise::{Relation, Settings, minimise};
