//! A study together with a LOTOS model: delays and events are patterns for labels.

use narrows_languages::lotos::{self, Options};
use narrows_lts::{LabelPattern, linear, mu};
use narrows_model::behaviour::Behaviour;
use narrows_performance::{Delay, as_f64};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources};

use crate::prepare::{formula_origin, relocate};
use crate::{Question, Study, Text};

/// A LOTOS model with what a study says about it.
#[derive(Debug)]
pub struct Labelled {
    /// The model.
    pub behaviour: Behaviour,
    /// The names of what is counted.
    pub(crate) events: Vec<String>,
    /// Which actions are, in the same order.
    pub(crate) counted: Vec<Vec<LabelPattern>>,
    /// The delays, and how their patterns are written.
    pub(crate) delays: Vec<Delayed>,
    /// Where what is measured begins and ends, by question.
    pub(crate) ways: Vec<(usize, (LabelPattern, LabelPattern))>,
    /// The formulas, by question.
    pub(crate) formulas: Vec<(usize, Formula)>,
}

/// How long some actions take.
#[derive(Clone, Debug)]
pub(crate) struct Delayed {
    /// Which actions.
    pub(crate) pattern: LabelPattern,
    /// How that is written.
    pub(crate) text: String,
    /// How long.
    pub(crate) delay: Delay,
}

/// A formula of a study.
#[derive(Debug)]
pub(crate) enum Formula {
    /// Of the modal mu-calculus.
    Mu(mu::Formula),
    /// Of linear temporal logic.
    Linear(linear::Formula),
}

/// Compiles the LOTOS model of a study, and what the study says about it. `None` if something is wrong.
pub fn prepare_labelled(
    study: &Study,
    sources: &mut Sources,
    model: FileId,
    diagnostics: &mut Diagnostics,
) -> Option<Labelled> {
    let value = |(name, value): &(Text, String)| (name.text.clone(), value.clone(), formula_origin(name));
    let options = Options { values: study.constants.iter().map(value).collect() };
    let mut found = Diagnostics::default();
    let behaviour = lotos::compile(sources, model, &options, &mut found);
    let (mut events, mut counted, mut delays) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ways, mut formulas) = (Vec::new(), Vec::new());
    for entry in &study.delays {
        let Some(pattern) = pattern(&entry.place, diagnostics) else { continue };
        if entry.times.is_some() || entry.over.is_some() {
            let title = "how fast an action goes can't depend on the state: `times` and `over` are for Promela models";
            diagnostics.push(Diagnostic::error("S0013", entry.place.span, title));
        }
        delays.push(Delayed { pattern, text: entry.place.text.clone(), delay: entry.delay.clone() });
    }
    let mut event = |name: &str, places: &[Text], diagnostics: &mut Diagnostics| {
        if !events.iter().any(|known| known == name) {
            events.push(name.to_owned());
            counted.push(places.iter().filter_map(|text| pattern(text, diagnostics)).collect::<Vec<_>>());
        }
    };
    for (name, places) in &study.events {
        event(&name.text, places, diagnostics);
    }
    for (number, ask) in study.asks.iter().enumerate() {
        match &ask.question {
            Question::Throughput(what) | Question::MeanPeriod(what) | Question::Bottleneck(what) => {
                event(&what.text, std::slice::from_ref(what), diagnostics);
            }
            Question::MeanCount(of, per) => {
                event(&of.text, std::slice::from_ref(of), diagnostics);
                event(&per.text, std::slice::from_ref(per), diagnostics);
            }
            Question::MinDelay(from, to) | Question::MaxDelay(from, to) | Question::Delay(from, to) => {
                ways.extend(way(from, to, diagnostics).map(|way| (number, way)));
            }
            Question::MinCount(of, from, to)
            | Question::MaxCount(of, from, to)
            | Question::Count(of, from, to) => {
                event(&of.text, std::slice::from_ref(of), diagnostics);
                ways.extend(way(from, to, diagnostics).map(|way| (number, way)));
            }
            Question::Makespan => {}
            Question::Mu(text) => {
                let file = sources.add(formula_origin(text), text.text.clone());
                let formula = mu::parse(file, &text.text, &mut found);
                formulas.extend(formula.map(|formula| (number, Formula::Mu(formula))));
            }
            Question::Ltl(text) => {
                let file = sources.add(formula_origin(text), text.text.clone());
                let formula = linear::parse(file, &text.text, &mut found);
                formulas.extend(formula.map(|formula| (number, Formula::Linear(formula))));
            }
            _ => {
                let title = format!("`{}` can't be asked of a LOTOS model", ask.question.kind());
                let help = "ask `throughput`, `bottleneck`, `mean_period`, `mean_count`, `delay`, `count`, `makespan`, `ltl` or `mu`";
                diagnostics.push(Diagnostic::error("S0014", ask.span, title).help(help));
            }
        }
    }
    for diagnostic in found.sorted() {
        diagnostics.push(relocate(diagnostic, sources));
    }
    let behaviour = behaviour.filter(|_| !diagnostics.has_errors())?;
    Some(Labelled { behaviour, events, counted, delays, ways, formulas })
}

/// Returns of how many random times without memory a delay consists, and the rate of each; `None` if it takes no time.
pub(crate) fn rate_of(delay: &Delay) -> Option<(u32, f64)> {
    let mean = as_f64(delay.mean());
    (mean > 0.0).then(|| (delay.stages(), f64::from(delay.stages()) / mean))
}

fn way(from: &Text, to: &Text, diagnostics: &mut Diagnostics) -> Option<(LabelPattern, LabelPattern)> {
    let (from, to) = (pattern(from, diagnostics), pattern(to, diagnostics));
    Some((from?, to?))
}

fn pattern(text: &Text, diagnostics: &mut Diagnostics) -> Option<LabelPattern> {
    match LabelPattern::new(&text.text) {
        Ok(pattern) => Some(pattern),
        Err(reason) => {
            diagnostics.push(Diagnostic::error("S0004", text.span, reason.to_string()));
            None
        }
    }
}
