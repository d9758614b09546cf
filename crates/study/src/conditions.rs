//! Conditions about labels, which stand for predicates where a model has no variables.
//!
//! `TRANSFER` holds while such an action is possible, and so while its delay runs; `ACQUIRE .. RELEASE` holds
//! from an action of the first kind to the next one of the second.

use narrows_performance::actions::Condition;
use narrows_source::{Diagnostic, Diagnostics, Span};

use crate::labelled::pattern;
use crate::{LatencyKind, Question, Study, Text};

/// Separates what makes a condition true from what ends it.
const UNTIL: &str = "..";

/// The conditions of a study, by how they are written.
#[derive(Debug, Default)]
pub(crate) struct Conditions(Vec<(String, Condition)>);

impl Conditions {
    /// Reads all conditions of a study.
    pub(crate) fn read(study: &Study, diagnostics: &mut Diagnostics) -> Conditions {
        let named = study.definitions.iter().chain(&study.resources).map(|(_, text)| text);
        let asked = study.asks.iter().filter_map(|ask| match &ask.question {
            Question::Utilisation(what) | Question::Transient(what, _) => Some(meant(study, what)),
            Question::Latency(latency) if latency.kind == LatencyKind::Duration => {
                Some(meant(study, &latency.from))
            }
            _ => None,
        });
        let gained = study.rewards.iter().flat_map(|reward| &reward.rates).map(|(what, _)| what);
        let mut conditions = Conditions::default();
        for text in named.chain(asked).chain(gained).map(|text| meant(study, text)) {
            if conditions.get(text).is_none()
                && let Some(condition) = condition(text, diagnostics)
            {
                conditions.0.push((text.text.clone(), condition));
            }
        }
        conditions
    }

    /// Returns the condition that a text is.
    pub(crate) fn get(&self, text: &Text) -> Option<&Condition> {
        self.0.iter().find(|(known, _)| *known == text.text).map(|(_, condition)| condition)
    }
}

/// Returns the condition that a name stands for, or the text itself if it is no name.
pub(crate) fn meant<'t>(study: &'t Study, what: &'t Text) -> &'t Text {
    let busy = study.busy(what);
    study.definitions.iter().find(|(name, _)| name.text == busy.text).map_or(busy, |(_, text)| text)
}

fn condition(text: &Text, diagnostics: &mut Diagnostics) -> Option<Condition> {
    let part = |from: usize, to: usize| {
        let piece = &text.text[from..to];
        let start = text.span.start as usize + from + piece.len() - piece.trim_start().len();
        let piece = piece.trim();
        // What is missing is shown where it should be.
        let end = start + piece.len().max(1);
        Text { text: piece.to_owned(), span: Span::new(text.span.file, start, end) }
    };
    let places: Vec<usize> = text.text.match_indices(UNTIL).map(|(place, _)| place).collect();
    let Some(place) = places.first() else { return pattern(text, diagnostics).map(Condition::Possible) };
    let (from, to) = (part(0, *place), part(place + UNTIL.len(), text.text.len()));
    let second = places.get(1).map(|second| part(*second, second + UNTIL.len()));
    let missing = [&from, &to].into_iter().find(|end| end.text.is_empty());
    if let Some(wrong) = second.as_ref().or(missing) {
        let title = "a condition about labels has one beginning and one end";
        let help = "write `ACQUIRE .. RELEASE`: true from an action ACQUIRE to the next RELEASE";
        diagnostics.push(Diagnostic::error("S0009", wrong.span, title).help(help));
        return None;
    }
    let (from, to) = (pattern(&from, diagnostics), pattern(&to, diagnostics));
    Some(Condition::Since(from?, to?))
}
