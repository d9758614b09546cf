//! Answers the questions of a study.

mod expect;
mod formulas;
mod simulated;
mod stochastic;
mod timed;
mod trouble;

use narrows_explicit::{Budget, Engine};
use narrows_model::Figure;

use crate::{Prepared, Question, Study, View};

pub use simulated::simulate;

/// What came out.
#[derive(Debug, Default)]
pub struct Measured {
    /// A figure for each question and view, in the order of the questions.
    pub figures: Vec<Figure>,
    /// How large the views are, for people.
    pub sizes: Vec<Size>,
}

/// How large a view is.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The view.
    pub view: &'static str,
    /// How many places it has.
    pub states: u64,
    /// How many edges.
    pub transitions: u64,
    /// How many seconds it took to build it.
    pub seconds: f64,
}

/// Answers all questions of a study.
pub fn measure(study: &Study, prepared: &Prepared, engine: &Engine<'_>, budget: &Budget<'_>) -> Measured {
    let mut measured = Measured::default();
    let mut timed = timed::Views::new(study, prepared, engine, *budget);
    let mut means = stochastic::Means::new(study, prepared, engine, *budget);
    for (number, ask) in study.asks.iter().enumerate() {
        if matches!(ask.question, Question::Ltl(_) | Question::Ctl(_)) {
            measured.figures.push(formulas::answer(ask, prepared.formula(number), engine, budget));
            continue;
        }
        for view in views(study, ask.view, &ask.question) {
            let mut figure = match view {
                View::Untimed | View::Timed => timed.answer(ask, view),
                View::Stochastic => means.answer(ask),
            };
            expect::judge(&mut figure, ask.expect.as_ref());
            measured.figures.push(figure);
        }
    }
    measured.sizes = timed.sizes();
    measured.sizes.extend(means.size());
    measured
}

/// Returns the views in which a question is asked, if the study does not say.
fn views(study: &Study, given: Option<View>, question: &Question) -> Vec<View> {
    if let Some(view) = given {
        return vec![view];
    }
    let has_windows = study.delays.iter().all(|entry| entry.delay.window().is_some());
    let exact = if study.delays.is_empty() { View::Untimed } else { View::Timed };
    match question {
        Question::Utilisation(_)
        | Question::MeanDelay(..)
        | Question::MeanCount(..)
        | Question::Transient(..) => {
            vec![View::Stochastic]
        }
        Question::Throughput(_) if study.delays.is_empty() => vec![View::Untimed],
        Question::Throughput(_) if has_windows => vec![View::Timed, View::Stochastic],
        Question::Throughput(_) => vec![View::Stochastic],
        _ => vec![exact],
    }
}
