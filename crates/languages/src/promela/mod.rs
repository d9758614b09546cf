//! Promela as SPIN 6.5.2 accepts it: preprocess, lex, parse, check, lower.
//!
//! | folder | contents |
//! |---|---|
//! | `preprocess/` | directives and macros |
//! | `parser/` | tokens to the tree in `ast.rs` |
//! | `lower/` | names, types, declarations, expressions, statements, properties |
//! | `flow/` | control flow: statements to locations and transitions, numbered and folded as SPIN does |
//! | `messages.md` | what `narrows explain` says |

pub mod ast;
mod flow;
mod formula;
mod lexer;
mod lower;
mod ltl;
mod outline;
mod parser;
mod preprocess;
mod text;
mod walk;

use narrows_model::{Form, FormKind, System};
use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Sources, closest};

use crate::Logic;
use crate::language::{self, Language, Task};
use crate::outline::Outline;

pub use ltl::atoms_as_text;
pub use parser::{
    Context, parse, parse_ctl_text, parse_expression_text, parse_formula_text, parse_with_context,
};
pub use preprocess::{Abbreviation, Options};

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
    look_for_unused(&context, sources, options, diagnostics);
    lower::lower(&program, &sources.file(file).name, diagnostics)
}

/// Warns about macros that were given, or will be, and that neither the text nor a formula uses.
fn look_for_unused(context: &Context, sources: &Sources, options: &Options, diagnostics: &mut Diagnostics) {
    let texts = options.formulas.iter().map(|formula| &formula.text);
    let texts: Vec<&String> = texts.chain(options.abbreviations.iter().map(|short| &short.text)).collect();
    for (name, span) in &context.unused {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mentions = |text: &&String| text.split(|c| !is_part(c)).any(|word| *word == **name);
        if !texts.iter().any(mentions) {
            let words = || {
                let files = sources.files().filter(|(file, _)| *file != span.file);
                files.flat_map(move |(_, file)| file.text.split(move |c| !is_part(c)))
            };
            let title = if words().any(|word| word == &**name) {
                format!("the model does not use its constant `{name}`")
            } else {
                format!("the model has no constant `{name}`")
            };
            let warning = Diagnostic::warning("P0024", *span, title).label("this makes no difference");
            let near = closest(name, words().filter(|word| *word != &**name));
            warning.did_you_mean(near).emit(diagnostics);
        }
    }
}

/// Promela, as one of the languages.
#[derive(Clone, Copy, Debug)]
pub struct Promela;

impl Language for Promela {
    fn name(&self) -> &'static str {
        "Promela"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["pml", "promela", "prom", "spin"]
    }

    fn recognise(&self, text: &str) -> Option<&'static str> {
        let is = |word: &str| language::words(text, MAX_SIGN_WORDS).contains(&word);
        is("proctype").then_some("`proctype`").or_else(|| is("init").then_some("`init`"))
    }

    fn messages(&self) -> &'static str {
        include_str!("messages.md")
    }

    fn outline(&self, text: &str) -> Outline {
        outline::outline(text)
    }

    fn keywords(&self) -> Vec<&'static str> {
        lexer::KEYWORDS.iter().map(|(word, _)| *word).collect()
    }

    fn form(&self) -> FormKind {
        FormKind::Processes
    }

    fn compile(&self, task: &mut Task<'_>) -> Option<Form> {
        task.refuse_formulas(&[Logic::Ltl, Logic::Ctl], "Promela", "ask it in LTL or CTL");
        let definition = |definition: &language::Definition| {
            let (name, value) = definition.split();
            (name.to_owned(), value.map(str::to_owned))
        };
        let options = Options {
            definitions: task.options.definitions.iter().map(definition).collect(),
            formulas: task.options.formulas.clone(),
            varied: Vec::new(),
            abbreviations: Vec::new(),
        };
        let system = compile(task.sources, task.file, task.loader, &options, task.diagnostics)?;
        Some(Form::Processes(Box::new(system)))
    }
}

/// A word among so many first ones tells that a text is Promela.
const MAX_SIGN_WORDS: usize = 2000;
