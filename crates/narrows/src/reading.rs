//! Texts to models.

use narrows_languages::{Options, Read, Rejected};
use narrows_lts::{linear, mu};
use narrows_model::{LabelFormula, Model};
use narrows_source::{Diagnostics, Loader};

/// Reads a model. Its language is decided by its name and its text.
///
/// # Errors
///
/// The text is rejected if there are errors in it or in one of the formulas; all of them are in the result.
pub fn read(name: &str, text: String, loader: &dyn Loader, options: &Options) -> Result<Read, Box<Rejected>> {
    let read = narrows_languages::read(name, text, loader, options)?;
    let mut diagnostics = Diagnostics::default();
    for formula in read.model.labelled().into_iter().flat_map(|labelled| &labelled.formulas) {
        parse(&read.model, formula, &mut diagnostics);
    }
    if diagnostics.has_errors() {
        let diagnostics = diagnostics.sorted();
        return Err(Box::new(Rejected { sources: read.model.sources, diagnostics }));
    }
    Ok(read)
}

/// A formula about labels.
pub(crate) enum ParsedFormula {
    /// Of the mu-calculus.
    Mu(mu::Formula),
    /// Of linear temporal logic.
    Linear(linear::Formula),
}

/// Parses a formula about labels; `None` if there are errors.
pub(crate) fn parse(
    model: &Model,
    formula: &LabelFormula,
    diagnostics: &mut Diagnostics,
) -> Option<ParsedFormula> {
    let text = &model.sources.file(formula.file).text;
    if formula.kind == "mu" {
        mu::parse(formula.file, text, diagnostics).map(ParsedFormula::Mu)
    } else {
        linear::parse(formula.file, text, diagnostics).map(ParsedFormula::Linear)
    }
}
