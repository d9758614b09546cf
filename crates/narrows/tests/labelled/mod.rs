//! Measures small labelled models, for several files of tests.

use narrows::{NoFiles, PreparedStudy};
use narrows_model::{Figure, FigureResult};

use crate::studies::{budget, prepared, wrong};

/// Measures a study of a model in a file of this name; the error is what is wrong with it.
pub(crate) fn try_figures(name: &str, model: &str, study: &str) -> Result<Vec<Figure>, Vec<String>> {
    Ok(try_prepare(name, model, study)?.measure(&budget()).figures)
}

/// Puts a study and its model together; the error is what is wrong with it.
pub(crate) fn try_prepare(name: &str, model: &str, study: &str) -> Result<PreparedStudy, Vec<String>> {
    let study = format!("model = \"{name}\"\nunit = \"s\"\n{study}");
    prepared(&study, (name, model), &NoFiles, &|_| {})
        .map_err(|rejected| wrong(&rejected, |one, _| format!("{} {}", one.code, one.title)))
}

pub(crate) fn figures(name: &str, model: &str, study: &str) -> Vec<Figure> {
    try_figures(name, model, study).unwrap_or_else(|wrong| panic!("{wrong:?}\n{model}\n{study}"))
}

pub(crate) fn lotos(behaviour: &str, study: &str) -> Vec<Figure> {
    figures("m.lotos", behaviour, study)
}

pub(crate) fn bounds(figure: &Figure) -> (f64, f64) {
    match &figure.result {
        FigureResult::Value { low, high, .. } => (low.to_f64(), high.to_f64()),
        FigureResult::Estimated { low, high, .. } => (*low, *high),
        other => panic!("{}: {other:?}", figure.name),
    }
}

pub(crate) fn assert_near(figure: &Figure, expected: f64) {
    let (low, high) = bounds(figure);
    assert!(low <= expected * (1.0 + 1e-12) && high >= expected * (1.0 - 1e-12), "{low} {expected} {high}");
    assert!(high - low <= 2e-6 * expected, "{low} {high}");
}

/// What is said instead of a figure.
pub(crate) fn reason(figure: &Figure) -> &str {
    match &figure.result {
        FigureResult::None(reason) => reason,
        other => panic!("{}: {other:?}", figure.name),
    }
}
