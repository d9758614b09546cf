//! Promela as SPIN 6.5.2 accepts it: preprocess, lex, parse, check, lower.

pub mod ast;

use narrows_model::System;
use narrows_source::{Diagnostics, FileId, Loader, Sources};

/// How a text is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros defined from outside, with their text.
    pub definitions: Vec<(String, Option<String>)>,
}

/// Turns a text into a system; `None` if there are errors.
pub fn compile(
    _sources: &mut Sources,
    _file: FileId,
    _loader: &dyn Loader,
    _options: &Options,
    _diagnostics: &mut Diagnostics,
) -> Option<System> {
    None
}
