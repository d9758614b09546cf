//! LOTOS as ISO 8807 has it, with CADP's remarks in comments: lex, parse, check, lower.

mod ast;
mod faults;
mod lexer;
mod library;
mod lower;
pub mod messages;
mod parser;

pub use faults::fault;
use narrows_model::behaviour::Behaviour;
use narrows_source::{Diagnostics, FileId, Sources};

/// What is asked of a model beside its text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values for the parameters of the specification: the name, the value, and where it comes from.
    pub values: Vec<(String, String, String)>,
}

/// Returns the names of the specification's parameters, as far as the text can be read.
pub fn parameters(text: &str) -> Vec<String> {
    let tree = parser::parse(text, FileId(0), &mut Diagnostics::default());
    let parameters = tree.root.iter().flat_map(|root| &root.parameters);
    parameters.map(|parameter| parameter.name.name.to_string()).collect()
}

/// Turns a text into a system; `None` if there are errors.
pub fn compile(
    sources: &mut Sources,
    file: FileId,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Behaviour> {
    let tree = parser::parse(&sources.file(file).text, file, diagnostics);
    if diagnostics.has_errors() {
        // What can be said of names in a text with holes would be wrong half of the time.
        return None;
    }
    lower::lower(&tree, options, sources, diagnostics)
}
