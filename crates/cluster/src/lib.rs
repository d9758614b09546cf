//! Search on several machines: breadth first, with the same answers as on one.
//!
//! Workers, in this process and in others, each own the states that a hash gives them, in a compressed store
//! of their own. Timely Dataflow carries states between them and says when a level is complete. A [`Team`] is
//! an [`Elsewhere`](narrows_explicit::Elsewhere): whoever asks `narrows_explicit` for a search may have it
//! made here, and gets the same counts, the same verdicts and the same runs, however many workers there are.
//!
//! | module | contents |
//! |---|---|
//! | `team.rs` | the workers of a process: threads, connections, how they end |
//! | `rounds.rs` | rounds of messages on Timely Dataflow: a timestamp each |
//! | `explorer.rs` | the search, level by level |
//! | `marks.rs` | the runs that one machine would show |
//! | `outcome.rs` | counts and findings of all workers put together |
//! | `ledger.rs`, `summary.rs` | what goes wrong, and what workers tell each other of it |
//! | `part.rs` | a search in parts, from which it goes on |
//! | `outgoing.rs`, `packet.rs` | blocks of records, acknowledgements, their form on the network |
//! | `recent.rs` | which worker owns a state; what was sent lately |
//! | `link.rs` | connections that say who is lost |
//!
//! Nothing here reads files, looks at the clock or makes connections: a [`Mesh`] given by the caller does.

mod explorer;
mod ledger;
mod link;
mod marks;
mod outcome;
mod outgoing;
mod packet;
mod part;
mod recent;
mod rounds;
mod summary;
mod team;

pub use link::Trouble;
pub use part::{Cut, Parts};
pub use team::{Mesh, Team};
