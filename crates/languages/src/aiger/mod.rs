//! Circuits in the format AIGER 1.9, as hardware model checkers take them, as synchronous systems.
//!
//! A state gives latches and inputs values: so a bad state is a state in which a bit is true, and what is
//! shown of a run is what a witness in this format holds. Formulas about names are read as in SMV.
//!
//! | file | contents |
//! |---|---|
//! | `read.rs` | the lines of the text form |
//! | `binary.rs` | the binary form as text |
//! | `order.rs` | gates after those that they look at |
//! | `names.rs` | names for inputs, latches and outputs that formulas can use |
//! | `lower.rs` | the system |

mod binary;
mod lower;
mod names;
mod order;
mod read;

pub use binary::DamagedAiger;
use narrows_model::{Form, FormKind};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, Span};

use crate::language::{Language, Logic, Task};
use crate::smv::{Compiled, Options};

/// Turns a text into a system; `None` if there are errors.
pub fn compile(
    sources: &mut Sources,
    file: FileId,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    let circuit = read::read(&sources.file(file).text, file, diagnostics)?;
    let order = order::gates_in_order(&circuit, diagnostics)?;
    lower::lower(&circuit, &order, sources, file, options, diagnostics)
}

/// AIGER, as one of the languages.
#[derive(Clone, Copy, Debug)]
pub struct Aiger;

impl Language for Aiger {
    fn name(&self) -> &'static str {
        "AIGER"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["aag", "aig"]
    }

    fn recognise(&self, text: &str) -> Option<&'static str> {
        text.starts_with("aag ").then_some("`aag`")
    }

    fn decode(&self, bytes: &[u8]) -> Option<Result<String, DamagedAiger>> {
        bytes.starts_with(b"aig ").then(|| binary::as_text(bytes))
    }

    fn messages(&self) -> &'static str {
        include_str!("messages.md")
    }

    fn form(&self) -> FormKind {
        FormKind::Synchronous
    }

    fn compile(&self, task: &mut Task<'_>) -> Option<Form> {
        task.refuse_formulas(&[Logic::Ltl, Logic::Ctl, Logic::Expression], "AIGER", "ask it in LTL or CTL");
        for definition in &task.options.definitions {
            let file = task.sources.add(definition.origin.clone(), definition.text.clone());
            let span = Span::new(file, 0, definition.text.len());
            let title = format!("a circuit has no parameter `{}`", definition.split().0.trim());
            task.diagnostics.push(Diagnostic::error("I0007", span, title).help("leave it out"));
        }
        let options = Options { formulas: task.options.formulas.clone(), ..Options::default() };
        let compiled = compile(task.sources, task.file, &options, task.diagnostics)?;
        Some(Form::Synchronous(Box::new(compiled.system)))
    }
}
