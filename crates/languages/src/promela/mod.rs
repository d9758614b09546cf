//! Promela as SPIN 6.5.2 accepts it: preprocess, lex, parse, check, lower.

pub mod ast;
mod flow;
mod formula;
mod lexer;
mod lower;
mod ltl;
pub mod messages;
mod parser;
mod preprocess;
mod text;
mod walk;

use narrows_model::System;
use narrows_source::{Diagnostics, FileId, Loader, Sources};

pub use formula::{Formula, Logic};
pub use ltl::atoms_as_text;
pub use parser::{
    Context, parse, parse_ctl_text, parse_expression_text, parse_formula_text, parse_with_context,
};
pub use preprocess::Options;

/// Turns a text into a system; `None` if there are errors.
pub fn compile(
    sources: &mut Sources,
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<System> {
    let (mut program, context) = parse_with_context(sources, file, loader, options, diagnostics);
    if context.lacks_file {
        return None;
    }
    formula::append(&mut program, &context, sources, &options.formulas, diagnostics);
    lower::lower(&program, &sources.file(file).name, diagnostics)
}
