//! The processes of a distributed search: how they find each other, agree on what they do, and notice who is
//! lost.
//!
//! A [`Network`] connects every process with every other one. Each pair has a control connection for the
//! whole run, over which both send a beat every second: so a process that died, was stopped, or can't be
//! reached is noticed within seconds, and named. A search gets connections of its own, as a
//! [`Mesh`](narrows_cluster::Mesh).
//!
//! Every connection begins with a handshake that compares versions and the lists of processes, and proves to
//! each side that the other knows the shared secret. Who does not pass it is turned away, and nothing else
//! happens. What is sent afterwards is neither encrypted nor authenticated.
//!
//! | module | contents |
//! |---|---|
//! | `hosts.rs` | the list of processes |
//! | `secret.rs` | the shared secret, and proofs of knowing it |
//! | `greeting.rs` | the handshake |
//! | `sockets.rs` | connecting, and noticing that a connection is dead |
//! | `control.rs` | what is said over control connections |
//! | `state.rs` | what is known of the other processes |
//! | `network.rs` | all of it together |
//!
//! This crate uses sockets and the clock, as `cli` does, and reads no files and prints nothing.

mod control;
mod greeting;
mod hosts;
mod network;
mod secret;
mod sockets;
mod state;

pub use hosts::{Hosts, HostsError};
pub use network::{Network, NetworkError, Settings};
pub use secret::{Digest, Secret, digest};
