//! Graphs as text, in CADP's format AUT: a line `des (initial, edges, states)`, and a line for each edge.

mod write;

pub use narrows_graph::aut::{AutError, Malformed, Reader, read};
pub use write::{write, write_to};
