//! Text, places in it, and what is wrong with it.
//!
//! A [`Span`] is a range of bytes in one of the [`Sources`]; a [`Diagnostic`] is a message about spans.
//! Nothing here knows a language, reads a file or prints: [`render`] returns a string.

mod diagnostic;
mod plain;
mod render;
mod sources;
mod suggest;

pub use diagnostic::{Diagnostic, Diagnostics, Explanation, Label, Severity};
pub use plain::{csv_cell, is_harmful, printable, printable_json};
pub use render::render;
pub use sources::{FileId, LoadError, Loaded, Loader, NoFiles, Position, SourceFile, Sources, Span};
pub use suggest::closest;
