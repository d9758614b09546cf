//! A language server for Promela, SMV, LOTOS, graphs and studies.
//!
//! It speaks the Language Server Protocol over a [`Connection`], and has no logic of its own about texts:
//! what it answers comes from [`narrows::editing`] and from the engines. Files and the clock come from the
//! caller, in an [`Environment`].
//!
//! | file | contents |
//! |---|---|
//! | `transport.rs` | messages over standard input and output |
//! | `server.rs` | the loop: messages in, answers out |
//! | `documents.rs` | what is open, and the loader that knows it |
//! | `places.rs` | names of files and ranges, as the protocol has them |
//! | `answers.rs` | answers about texts |
//! | `colours.rs` | semantic tokens |
//! | `lenses.rs` | commands and results shown in the text |
//! | `runs.rs` | checks and measurements in the background |

mod answers;
mod colours;
mod documents;
mod lenses;
mod places;
mod runs;
mod server;
mod transport;

use narrows::{Budget, Loader};

pub use lsp_server::{Connection, Message, Notification, Request, Response};
pub use server::{ServeError, serve, serve_stdio};
pub use transport::ReceiveError;

/// What the server can't have from itself.
pub struct Environment {
    /// Reads the files that texts name.
    pub loader: Box<dyn Loader + Send + Sync>,
    /// Starts a clock: what a run may use that takes at most so many seconds.
    pub budget: Box<dyn Fn(f64) -> Budget + Send + Sync>,
    /// How large the stacks of its threads are: formulas and expressions are walked by recursion.
    pub stack: usize,
}
