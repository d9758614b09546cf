//! The workbench: models and studies in a browser, for the user of this machine alone.
//!
//! It has no logic of its own about texts, models or studies: what it answers comes from [`narrows`] and, as
//! pictures, from `narrows_report`. Files, memory and time come from the caller, in an [`Environment`].
//!
//! | file | contents |
//! |---|---|
//! | `listen.rs` | connections: how many, how long |
//! | `guard.rs` | who is answered: token, `Host`, `Origin`; what a browser may do with the answers |
//! | `pages.rs` | the pages, and what they consist of |
//! | `folder.rs` | files: list, read, save |
//! | `texts.rs` | what is wrong with a text, completion, hover, colours |
//! | `runs.rs` | checks and measurements: progress while they run, cancelled when nobody waits |
//! | `tasks.rs` | what a run does, and what it answers |
//! | `simulations.rs` | simulations that are stepped through |
//! | `workers.rs` | threads with deep stacks |
//!
//! A browser gets in by a token that only the user is told, which it then keeps as a cookie. All requests of
//! the pages are `POST` with a document of JSON, except those that open a page.

mod folder;
mod guard;
mod listen;
mod pages;
mod runs;
mod simulations;
mod tasks;
mod texts;
mod workers;

use narrows::Budget;

pub use folder::{FileEntry, Folder, FolderError};
pub use listen::{ServeError, serve};

/// What the server can't have from itself.
pub struct Environment {
    /// The files that are worked with.
    pub folder: Box<dyn Folder>,
    /// Starts a clock: what a run may use that takes at most so many seconds.
    pub budget: Box<dyn Fn(f64) -> Budget + Send + Sync>,
    /// How large the stacks of its threads are: formulas and expressions are walked by recursion.
    pub stack: usize,
    /// What a browser must know to get in: letters and digits that nobody can guess.
    pub token: String,
}

/// A request that is not answered, and why.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// It does not say what it should.
    #[error("{0}")]
    Bad(String),
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// It would undo what somebody else did.
    #[error("{0}")]
    Conflict(String),
    /// Too much is under way.
    #[error("{0}")]
    Busy(&'static str),
    /// There is a mistake in this program.
    #[error("internal error. This is a bug in narrows, not in the model.")]
    Internal,
}
