//! Breadth-first search that knows no model: states are keys, and what a process does is looked up in tables.
//!
//! A process looks at some bits of a key. For each value of those bits a [`Table`] says what its steps
//! change: bits to flip. Which bits count may itself depend on bits, so a process is a small decision tree: a
//! *node* has a mask, and each value under it leads to another node, to a list of flips, or to the host. A
//! value that is not there yet is *missing*: the search asks the host, who evaluates one state in the
//! reference and adds what it finds. After a few thousand states hardly anything is missing, and a [`Device`]
//! goes on alone.
//!
//! So the semantics of a language stay where they are, and the kernel is a page. The visited set is exact: it
//! holds whole keys.
//!
//! | file | contents |
//! |---|---|
//! | `table.rs` | what processes do, by the bits that they look at |
//! | `device.rs` | what a search asks of a device |
//! | `reference.rs` | the processor as a device: slow, and what the others are compared with |
//! | `cuda/` | NVIDIA's GPUs, by the driver that is found at run time |

mod device;
mod reference;
mod table;

#[cfg(feature = "cuda")]
mod cuda;

#[cfg(feature = "cuda")]
pub use cuda::Cuda;
pub use device::{Device, Expanded, Failure, Key, Limits, Place, Width};
pub use reference::Reference;
pub use table::{Outcome, Table};
