//! Formulas of temporal logic in a study.

use narrows_explicit::{Budget, Engine, Options, check};
use narrows_model::{Figure, FigureResult, Question, Verdict};

use super::{blank, expect};
use crate::{Ask, Expect, View};

/// Answers whether a formula holds; it should, if the study does not say otherwise.
pub(super) fn answer(ask: &Ask, property: Option<usize>, engine: &Engine<'_>, budget: &Budget<'_>) -> Figure {
    let mut figure = blank(ask, View::Untimed);
    figure.result = FigureResult::None("there is no such formula".to_owned());
    if let Some(index) = property {
        let kind = ask.question.kind();
        let question = Question::Property { index, kind, name: ask.name.clone() };
        match check(engine, &[question], &Options { runs: 1, reduce: true, ..Options::default() }, budget) {
            Ok(checked) => {
                for answer in checked.answers {
                    figure.notes.extend(answer.notes);
                    match answer.verdict {
                        Verdict::Holds => figure.result = FigureResult::Word("holds".to_owned()),
                        Verdict::Fails { trace, .. } => {
                            figure.result = FigureResult::Word("fails".to_owned());
                            figure.witnesses.push(("a run against it".to_owned(), *trace));
                        }
                        Verdict::Undecided(limit) => figure.result = FigureResult::Undecided(limit),
                        Verdict::Refused(refusal) => figure.result = FigureResult::None(refusal.reason),
                        _ => {}
                    }
                }
            }
            Err(error) => figure.result = FigureResult::None(format!("internal error: {error}")),
        }
    }
    let holds = Expect::Word("holds".to_owned());
    expect::judge(&mut figure, Some(ask.expect.as_ref().unwrap_or(&holds)));
    figure
}
