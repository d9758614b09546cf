//! Labelled graphs: states with numbers, and edges with labels between them.
//!
//! A [`Graph`] is read from text ([`aut`]) or made by a [`Builder`]. What its labels say about time and chance is in
//! [`Label`]. [`mu`] and [`linear`] check formulas, [`minimise()`] makes a graph smaller, [`compare()`] tells graphs apart, [`edit`] makes new ones of them,
//! and [`draw`] writes them for others.

pub mod aut;
mod compare;
pub mod draw;
pub mod edit;
mod graph;
mod label;
pub mod linear;
mod minimise;
pub mod mu;
mod pattern;

pub use compare::{Evidence, Verdict, compare};
pub use graph::{Builder, Edge, Graph, Rows, TooLarge};
pub use label::{Label, Pace};
pub use minimise::{Relation, Settings, minimise};
pub use pattern::LabelPattern;
