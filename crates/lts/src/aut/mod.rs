//! Graphs as text, in CADP's format AUT: a line `des (initial, edges, states)`, and a line for each edge.

mod read;
mod write;

pub use read::{AutError, Malformed, Reader, read};
pub use write::{write, write_to};
