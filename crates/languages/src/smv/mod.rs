//! SMV as `NuSMV` 2.6 accepts it, as far as states are finite: lex, parse, instantiate, check, lower.

mod ast;
mod lexer;
mod lower;
pub mod messages;
mod parser;

use narrows_model::synchronous::{ExprId, Machine};
use narrows_source::{Diagnostics, FileId, Sources};

/// What is asked of a model beside what its text asks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Further specifications: what kind, the text, and where it comes from.
    pub formulas: Vec<Formula>,
    /// Expressions over the variables of `main`, with where they come from: see [`Compiled::expressions`].
    pub expressions: Vec<(String, String)>,
}

/// A further specification.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What kind.
    pub kind: FormulaKind,
    /// Its text.
    pub text: String,
    /// Where it comes from, such as an option's name.
    pub origin: String,
}

/// What a further specification is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaKind {
    /// Computation tree logic.
    Branching,
    /// Linear temporal logic.
    Linear,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The system.
    pub machine: Machine,
    /// The expressions that were asked for, in order.
    pub expressions: Vec<ExprId>,
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
        let kind = match formula.kind {
            FormulaKind::Branching => ast::SpecKind::Branching,
            FormulaKind::Linear => ast::SpecKind::Linear,
        };
        if let Some(expr) = parser::parse_formula(&formula.text, file, &mut tree, diagnostics) {
            extra.push((kind, expr));
        }
    }
    let mut expressions = Vec::new();
    for (text, origin) in &options.expressions {
        let file = sources.add(origin.clone(), text.clone());
        expressions.extend(parser::parse_formula(text, file, &mut tree, diagnostics));
    }
    if diagnostics.has_errors() {
        // What can be said of names in a text with holes would be wrong half of the time.
        return None;
    }
    lower::lower(&tree, &extra, &expressions, sources, diagnostics)
}
