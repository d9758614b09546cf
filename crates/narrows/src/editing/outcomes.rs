//! What came out, in few words: to be shown beside what was asked.

use std::fmt::Write;
use std::ops::Range;

use narrows_report::{DIGITS, result_text};

use super::document::Document;
use super::questions::asked;
use crate::{
    Answer, Budget, Figure, Loader, Model, ModelFindings, Options, Reply, StudyFindings, Unanswered, Verdict,
    read,
};

/// What came out at a place where something was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The name of the property, or the number of the question; empty if it is about the whole text.
    pub what: String,
    /// What came out.
    pub text: String,
    /// Whether it fails.
    pub fails: bool,
}

/// Something that goes wrong at a place of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The name of the file.
    pub file: String,
    /// The range of bytes.
    pub place: Range<usize>,
    /// What goes wrong.
    pub text: String,
}

/// Why a document has no outcomes.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Something in it is wrong; messages tell what.
    #[error("the model has errors")]
    Rejected,
    /// No engine takes it.
    #[error("{0}")]
    Unanswered(#[from] Unanswered),
}

/// Reads the model that a document has.
///
/// # Errors
///
/// Something in it may be wrong.
pub fn model(document: &Document, loader: &dyn Loader) -> Result<Model, DocumentError> {
    let read = read(&document.name, document.text.clone(), loader, &Options::default());
    read.map(|read| read.model).map_err(|_| DocumentError::Rejected)
}

/// Answers what a document with a model asks.
///
/// # Errors
///
/// Something in it may be wrong, and the engine may refuse the model.
pub fn check(
    document: &Document,
    loader: &dyn Loader,
    budget: &Budget,
) -> Result<ModelFindings, DocumentError> {
    Ok(ModelFindings::of(model(document, loader)?, budget)?)
}

impl ModelFindings {
    /// Returns what came out, in few words, for each question.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let outcome = |reply: &Reply| match reply {
            Reply::Answer(answer) => of_answer(answer),
            Reply::Figure(figure) => {
                let text = result_text(figure, DIGITS);
                Outcome { what: figure.name.clone(), text, fails: figure.fails() }
            }
        };
        self.checked.replies.iter().map(outcome).collect()
    }

    /// Returns what goes wrong, where it does.
    pub fn wrongs(&self) -> Vec<Wrong> {
        let wrong = self.checked.problems.iter().filter_map(|problem| {
            let span = problem.span?;
            let file = self.model.sources.file(span.file).name.clone();
            Some(Wrong { file, place: span.start as usize..span.end as usize, text: problem.title() })
        });
        wrong.collect()
    }
}

impl StudyFindings {
    /// Returns what came out, in few words, for each question of a document. Each has a figure for each view,
    /// in the order of the questions.
    pub fn outcomes(&self, document: &Document) -> Vec<Outcome> {
        let places = asked(document);
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut ask = 0;
        for figure in &self.measured.figures {
            let rest = self.study.asks.get(ask..).unwrap_or(&[]);
            let Some(further) = rest.iter().position(|ask| ask.name == figure.name) else { continue };
            ask += further;
            let Some(place) = places.get(ask) else { continue };
            let (text, fails) = of_figure(figure);
            match outcomes.last_mut().filter(|last| last.what == place.what) {
                Some(last) => {
                    let _ = write!(last.text, "; {}: {text}", figure.view);
                    last.fails |= fails;
                }
                None => outcomes.push(Outcome { what: place.what.clone(), text, fails }),
            }
        }
        outcomes
    }
}

fn of_answer(answer: &Answer) -> Outcome {
    let what = answer.question.name().to_owned();
    let kind = if what.is_empty() { format!("{}: ", answer.question.kind()) } else { String::new() };
    let (text, fails) = match &answer.verdict {
        Verdict::Holds => ("holds".to_owned(), false),
        Verdict::Fails { trace, .. } => {
            let steps = trace.steps.len();
            (format!("fails after {steps} step{}", if steps == 1 { "" } else { "s" }), true)
        }
        Verdict::Undecided(limit) => (format!("undecided: {}", limit.reason()), false),
        Verdict::Refused(refusal) => (format!("not answered: {}", refusal.reason), false),
        _ => ("undecided".to_owned(), false),
    };
    Outcome { what, text: format!("{kind}{text}"), fails }
}

fn of_figure(figure: &Figure) -> (String, bool) {
    let mut text = result_text(figure, DIGITS);
    if let Some((expected, false)) = &figure.expected {
        let _ = write!(text, ", not as expected: {expected}");
    }
    (text, figure.fails())
}
