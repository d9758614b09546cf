//! Small algorithms and data structures that several crates need; it knows nothing of models, logics or
//! languages.
//!
//! | module | what it has |
//! |---|---|
//! | [`components`] | strongly connected components, bottom components (Tarjan 1972, Pearce 2016) |
//! | [`partition`] | a refinable partition: blocks of states that are split |
//! | [`sets`] | [`BitSet`] grows, [`DenseSet`] has a fixed universe, [`ByteSet`] is 32 bytes |
//! | [`random`] | [`Random`], the one generator of pseudo-random numbers (`SplitMix64`) |
//! | [`labelled`] | graphs with labels on their edges |
//! | [`aut`] | such graphs from text |
//! | [`varint`] | numbers in few bytes (LEB128) |
//!
//! All of it is deterministic: no result depends on addresses, on a hash seed or on the platform.

pub mod aut;
pub mod components;
pub mod labelled;
pub mod partition;
pub mod random;
pub mod sets;
pub mod varint;

pub use components::Components;
pub use partition::Partition;
pub use random::Random;
pub use sets::{BitSet, ByteSet, DenseSet};
