//! Formulas that stand beside a text, such as those given on the command line.

use std::rc::Rc;

use narrows_logic::Ctl;
use narrows_source::{Diagnostics, FileId, Sources, Span};

use super::ast::{CtlBlock, Ident, LtlBlock, Program, Unit};
use super::parser::{Context, parse_ctl_text, parse_expression_text, parse_formula_text};

/// A formula that is asked beside what a text claims. It may use the text's names and macros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// What kind of formula it is.
    pub logic: Logic,
    /// How it is written; this is its name too.
    pub text: String,
    /// Where it comes from, for messages about it.
    pub origin: String,
}

/// The logic of a [`Formula`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// Linear temporal logic.
    Ltl,
    /// Computation tree logic.
    Ctl,
    /// None: an expression that has a value in each state.
    Expression,
}

/// Parses formulas, and adds them to the program as if its text had them at its end.
pub(super) fn append(
    program: &mut Program,
    context: &Context,
    sources: &mut Sources,
    formulas: &[Formula],
    diagnostics: &mut Diagnostics,
) {
    for Formula { logic, text, origin } in formulas {
        // The parser adds the text to the sources.
        let file = FileId(sources.files().count() as u32);
        let head = Span::new(file, 0, text.len());
        let name: Rc<str> = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
        let name = Ident { name, span: head };
        let unit = match logic {
            Logic::Ltl => parse_formula_text(sources, origin, text, context, diagnostics)
                .map(|formula| Unit::Ltl(LtlBlock { name: Some(name), formula, head })),
            Logic::Ctl => parse_ctl_text(sources, origin, text, context, diagnostics)
                .map(|formula| Unit::Ctl(CtlBlock { name, formula, head })),
            Logic::Expression => parse_expression_text(sources, origin, text, context, diagnostics)
                .map(|expr| Unit::Ctl(CtlBlock { name, formula: Ctl::Atom(expr), head })),
        };
        program.units.extend(unit);
    }
}
