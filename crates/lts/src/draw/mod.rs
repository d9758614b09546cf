//! Graphs for other programs and for people: DOT, comma-separated values, and drawings of small ones.

mod csv;
mod dot;
mod layers;
mod svg;

pub use csv::csv;
pub use dot::dot;
pub use svg::{MAX_DRAWN_STATES, svg};
