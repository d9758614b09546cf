//! Formulas of temporal logic in a study.

use narrows_explicit::{Budget, Engine, Options, check};
use narrows_model::{Answer, Figure, FigureResult, Question, Verdict};

use super::blank;
use crate::{Ask, Question as Asked, View};

/// Answers whether a formula holds, or whether there is no deadlock.
pub(super) fn answer(ask: &Ask, property: Option<usize>, engine: &Engine<'_>, budget: &Budget<'_>) -> Figure {
    let mut figure = blank(ask, View::Untimed);
    figure.result = FigureResult::None("there is no such formula".to_owned());
    let question = match (&ask.question, property) {
        (Asked::Deadlock, _) => Question::Deadlock,
        (_, Some(index)) => Question::Property { index, kind: ask.question.kind(), name: ask.name.clone() },
        (_, None) => return figure,
    };
    match check(engine, &[question], &Options { runs: 1, reduce: true, ..Options::default() }, budget) {
        Ok(checked) => checked.answers.into_iter().for_each(|answer| fill(answer, &mut figure)),
        Err(error) => figure.result = FigureResult::None(format!("internal error: {error}")),
    }
    figure
}

/// Says what came out of a question.
pub(crate) fn fill(answer: Answer, figure: &mut Figure) {
    figure.notes.extend(answer.notes);
    match answer.verdict {
        Verdict::Holds => figure.result = FigureResult::Word("holds".to_owned()),
        Verdict::Fails { trace, .. } => {
            figure.result = FigureResult::Word("fails".to_owned());
            // Of a system without a first state there is no run.
            if !trace.initial.is_empty() {
                figure.witnesses.push(("a run against it".to_owned(), *trace));
            }
        }
        Verdict::Undecided(limit) => figure.result = FigureResult::Undecided(limit),
        Verdict::Refused(refusal) => figure.result = FigureResult::None(refusal.reason),
        _ => {}
    }
    if let Some(trace) = answer.witness {
        figure.witnesses.push(("a run that shows it".to_owned(), *trace));
    }
}
