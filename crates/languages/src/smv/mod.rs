//! SMV as `NuSMV` 2.6 accepts it, as far as states are finite: lex, parse, instantiate, check, lower.

mod ast;
mod definitions;
mod lexer;
mod lower;
mod outline;
mod parser;

use narrows_model::synchronous::{Display, ExprId, SynchronousSystem};
use narrows_model::{Form, FormKind};
use narrows_source::{Diagnostics, FileId, Sources, Span};

use crate::language::{self, Language, Task};
use crate::outline::Outline;
use crate::{Formula, Logic};

/// A word has at most so many bits.
const MAX_BITS: u32 = 1 << 14;

/// What is asked of a model beside what its text asks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Further specifications; an expression is an invariant.
    pub formulas: Vec<Formula>,
    /// Expressions over the variables of `main`, with where they come from: see [`Compiled::expressions`].
    pub expressions: Vec<(String, String)>,
    /// The same about steps: they may look at inputs and at next values. See [`Compiled::steps`].
    pub steps: Vec<(String, String)>,
    /// Values of any kind, in a step: see [`Compiled::values`].
    pub values: Vec<(String, String)>,
    /// Definitions and frozen variables of `main` that get another value.
    pub constants: Vec<Given>,
    /// Names of `main` to which such a value will be given another time: they must be there.
    pub varied: Vec<(String, Span)>,
    /// Further definitions in `main`.
    pub definitions: Vec<Given>,
}

/// A name of `main`, and what it stands for.
#[derive(Clone, Debug)]
pub struct Given {
    /// The name.
    pub name: String,
    /// Where the name is written, if it is in one of the sources.
    pub span: Span,
    /// The value's text.
    pub text: String,
    /// Where it comes from, such as an option's name.
    pub origin: String,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The system.
    pub system: SynchronousSystem,
    /// The expressions that were asked for, in order.
    pub expressions: Vec<ExprId>,
    /// The expressions about steps, in order.
    pub steps: Vec<ExprId>,
    /// The values that were asked for, in order, and how they are shown; `None` for a set.
    pub values: Vec<Option<(ExprId, Display)>>,
}

/// Returns whether a word can't be a name.
pub(crate) fn is_reserved_word(word: &str) -> bool {
    lexer::is_keyword(word)
}

/// Turns a text into a system; `None` if there are errors.
pub fn compile(
    sources: &mut Sources,
    file: FileId,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    let mut tree = parser::parse(&sources.file(file).text, file, diagnostics);
    let mut extra = Vec::new();
    for formula in &options.formulas {
        let file = sources.add(formula.origin.clone(), formula.text.clone());
        let kind = match formula.logic {
            Logic::Ctl => ast::SpecKind::Branching,
            Logic::Ltl => ast::SpecKind::Linear,
            Logic::Expression => ast::SpecKind::Invariant,
            // It is refused before.
            Logic::Mu => continue,
        };
        if let Some(expr) = parser::parse_formula(&formula.text, file, &mut tree, diagnostics) {
            extra.push((kind, expr));
        }
    }
    let mut parsed = |list: &[(String, String)], tree: &mut ast::Tree, diagnostics: &mut Diagnostics| {
        let mut found = Vec::new();
        for (text, origin) in list {
            let file = sources.add(origin.clone(), text.clone());
            found.extend(parser::parse_formula(text, file, tree, diagnostics));
        }
        found
    };
    let expressions = parsed(&options.expressions, &mut tree, diagnostics);
    let steps = parsed(&options.steps, &mut tree, diagnostics);
    let values = parsed(&options.values, &mut tree, diagnostics);
    definitions::apply(options, &mut tree, sources, diagnostics);
    if diagnostics.has_errors() {
        // What can be said of names in a text with holes would be wrong half of the time.
        return None;
    }
    let asked = lower::Asked { formulas: &extra, expressions: &expressions, steps: &steps, values: &values };
    lower::lower(&tree, &asked, sources, diagnostics)
}

/// SMV, as one of the languages.
#[derive(Clone, Copy, Debug)]
pub struct Smv;

impl Language for Smv {
    fn name(&self) -> &'static str {
        "SMV"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["smv"]
    }

    fn recognise(&self, text: &str) -> Option<&'static str> {
        language::words(text, 1).contains(&"MODULE").then_some("`MODULE`")
    }

    fn messages(&self) -> &'static str {
        include_str!("messages.md")
    }

    fn outline(&self, text: &str) -> Outline {
        outline::outline(text)
    }

    fn keywords(&self) -> Vec<&'static str> {
        lexer::keywords().collect()
    }

    fn form(&self) -> FormKind {
        FormKind::Synchronous
    }

    fn compile(&self, task: &mut Task<'_>) -> Option<Form> {
        task.refuse_formulas(&[Logic::Ltl, Logic::Ctl], "SMV", "ask it in LTL or CTL");
        let mut options = Options { formulas: task.options.formulas.clone(), ..Options::default() };
        options.constants = given(&task.options.definitions, task.sources);
        let compiled = compile(task.sources, task.file, &options, task.diagnostics)?;
        Some(Form::Synchronous(Box::new(compiled.system)))
    }
}

/// Returns the values that the user gives to names of `main`; a name alone is one that is to be true.
fn given(definitions: &[language::Definition], sources: &mut Sources) -> Vec<Given> {
    let mut given = |definition: &language::Definition| {
        let (name, text) = definition.split();
        let span = Span::new(sources.add(&definition.origin, definition.text.clone()), 0, name.len());
        let (text, origin) = (text.unwrap_or("TRUE").to_owned(), format!("-D {name}"));
        Given { name: name.to_owned(), span, text, origin }
    };
    definitions.iter().map(&mut given).collect()
}
