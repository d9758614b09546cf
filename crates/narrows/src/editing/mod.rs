//! What editors ask of texts while they are written: what is wrong, where a name is declared and used, what
//! may stand here. The texts are those in memory; what they name comes by the [`Loader`](crate::Loader).
//!
//! ```
//! use narrows::NoFiles;
//! use narrows::editing::{Document, Files, messages};
//!
//! let text = "byte count; active proctype P() { cuont++ }";
//! let wrong = messages("a.pml", text, &NoFiles);
//! assert_eq!(wrong[0].fix.as_ref().expect("a remedy").replacement, "count");
//!
//! let text = "byte count; active proctype P() { count++ }";
//! let files = Files::new(vec![Document::new("a.pml", text)], &NoFiles);
//! assert_eq!(files.definition(0, text.len() - 5).expect("a name").place, 5..10);
//! ```

mod completion;
mod document;
mod files;
mod format;
mod hover;
mod messages;
mod names;
mod outcomes;
mod position;
mod quantities;
mod questions;
mod symbols;

pub use completion::{Completion, CompletionKind};
pub use document::Document;
pub use files::{Files, Place};
pub use format::formatted;
pub use hover::Hover;
pub use messages::{Fix, Message, Related, messages};
pub use names::RenameError;
pub use narrows_languages::outline::NameKind;
pub use narrows_study::{RewriteError, rewritten};
pub use outcomes::{DocumentError, Outcome, Wrong, check, model};
pub use position::{Lines, Position};
pub use quantities::Quantity;
pub use questions::{AskedAt, asked};
pub use symbols::{Colour, Symbol};
