//! Exact stores of states.
//!
//! [`Store`] keeps every state as it is, gives each a name and leaves room for a link: for searches that come
//! back to states. What follows is for breadth-first search, which never does, and is much smaller:
//!
//! - [`Components`] cuts a state into components, keeps each component once, and folds their names into a key
//!   of 64 bits. States that differ have keys that differ, and a key gives back its state.
//! - [`KeySet`] is an exact set of keys that takes four or five bytes for each.
//! - [`Tree`] knows how each state was first reached, in less than a byte for each.
//!
//! [`States`] gives numbers and flags to keys, for searches that come back to states on all cores.
//!
//! | file | contents |
//! |---|---|
//! | `components.rs`, `components/adapt.rs` | states to 64-bit keys and back: hash-consed components |
//! | `shape.rs`, `layout.rs`, `learn.rs` | where states are cut, the fields of a key, learning both |
//! | `interner.rs`, `arena.rs` | a lock-free interning table; words that never move |
//! | `slots.rs` | the hash table that records and keys are found by |
//! | `keys.rs`, `partition.rs` | the exact set of keys (quotienting), in partitions that grow one by one |
//! | `tree.rs` | the breadth-first tree in a few bits per state |
//! | `numbers.rs`, `states.rs` | a number and flags per key, for searches that come back to states |
//! | `memory.rs` | memory in use, counted before it is taken |
//! | `plain.rs` | whole states, with names and links |

mod arena;
mod components;
mod interner;
mod keys;
mod layout;
mod learn;
mod memory;
mod numbers;
mod partition;
mod plain;
mod shape;
mod slots;
mod states;
mod tree;

#[cfg(test)]
mod tests;

pub(crate) use components::{AHEAD, Blank, Components, Field, NOWHERE, Outline, Repacking, Stop, Wanted};
pub(crate) use keys::{KeySet, Mixer, PARTITIONS};
pub(crate) use memory::Memory;
pub(crate) use numbers::Flag;
pub(crate) use partition::Partition;
pub use plain::{Entry, Full, Shape, StateId, Store};
pub(crate) use states::{Coder, States, learn};
pub(crate) use tree::{Tree, Twigs};
