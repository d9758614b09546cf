//! LOTOS as ISO 8807 has it, with CADP's remarks in comments: lex, parse, check, lower.

mod ast;
mod faults;
mod lexer;
mod library;
mod lower;
mod outline;
mod parser;

pub use faults::fault;
use std::sync::Arc;

use narrows_model::behaviour::Behaviour;
use narrows_model::{Form, FormKind, Labelled};
use narrows_source::{Diagnostics, FileId, Sources};

use crate::language::{self, Language, Task};
use crate::outline::Outline;

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

/// LOTOS, as one of the languages.
#[derive(Clone, Copy, Debug)]
pub struct Lotos;

impl Language for Lotos {
    fn name(&self) -> &'static str {
        "LOTOS"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["lotos", "lot"]
    }

    fn recognise(&self, text: &str) -> Option<&'static str> {
        let is_sign = |word: &&str| word.eq_ignore_ascii_case("specification");
        language::words(text, 1).first().filter(|word| is_sign(word)).map(|_| "`specification`")
    }

    fn messages(&self) -> &'static str {
        include_str!("messages.md")
    }

    fn outline(&self, text: &str) -> Outline {
        outline::outline(text)
    }

    fn keywords(&self) -> Vec<&'static str> {
        lexer::WORDS.to_vec()
    }

    fn form(&self) -> FormKind {
        FormKind::Labelled
    }

    fn compile(&self, task: &mut Task<'_>) -> Option<Form> {
        task.refuse_formulas(
            &[language::Logic::Ltl, language::Logic::Mu],
            "LOTOS",
            "ask it in LTL or the mu-calculus",
        );
        let value = |definition: &language::Definition| {
            let (name, value) = definition.split();
            (name.trim().to_owned(), value.unwrap_or("").to_owned(), definition.origin.clone())
        };
        let options = Options { values: task.options.definitions.iter().map(value).collect() };
        let behaviour = compile(task.sources, task.file, &options, task.diagnostics)?;
        let formulas = task.label_formulas();
        Some(Form::Labelled(Box::new(Labelled { system: Arc::new(behaviour), formulas })))
    }

    fn parameters(&self, text: &str) -> Vec<String> {
        parameters(text)
    }
}
