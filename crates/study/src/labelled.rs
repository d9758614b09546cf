//! A study together with a LOTOS model: delays and events are patterns for labels.

use narrows_languages::lotos::{self, Options};
use narrows_lts::{LabelPattern, linear, mu};
use narrows_model::behaviour::Behaviour;
use narrows_performance::as_f64;
use narrows_performance::labelled::Tempo;
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources};

use crate::prepare::{formula_origin, relocate};
use crate::{Question, Study, Text};

/// A LOTOS model with what a study says about it.
#[derive(Debug)]
pub struct Labelled {
    /// The model.
    pub behaviour: Behaviour,
    /// Which actions take how long, and which are counted.
    pub(crate) tempo: Tempo,
    /// The names of what is counted, in the same order.
    pub(crate) events: Vec<String>,
    /// The patterns of delays, as they are written.
    pub(crate) delays: Vec<(LabelPattern, String)>,
    /// The formulas, by question.
    pub(crate) formulas: Vec<(usize, Formula)>,
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
    let mut tempo = Tempo::default();
    let (mut events, mut delays, mut formulas) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &study.delays {
        let Some(pattern) = pattern(&entry.place, diagnostics) else { continue };
        let mean = as_f64(entry.delay.mean());
        let is_random = entry.delay.stages() == 1 && entry.times.is_none() && entry.over.is_none();
        if !is_random {
            let title = "actions take random times without memory: `exponential`, or the mean of `fixed` or `between`";
            diagnostics.push(Diagnostic::error("S0013", entry.place.span, title));
        }
        tempo.rates.push((pattern.clone(), (mean > 0.0).then(|| 1.0 / mean)));
        delays.push((pattern, entry.place.text.clone()));
    }
    let mut event = |name: &str, places: &[Text], diagnostics: &mut Diagnostics| {
        if !events.iter().any(|known| known == name) {
            events.push(name.to_owned());
            tempo.events.push(places.iter().filter_map(|text| pattern(text, diagnostics)).collect());
        }
    };
    for (name, places) in &study.events {
        event(&name.text, places, diagnostics);
    }
    for (number, ask) in study.asks.iter().enumerate() {
        match &ask.question {
            Question::Throughput(what) | Question::MeanPeriod(what) => {
                event(&what.text, std::slice::from_ref(what), diagnostics);
            }
            Question::MeanCount(of, per) => {
                event(&of.text, std::slice::from_ref(of), diagnostics);
                event(&per.text, std::slice::from_ref(per), diagnostics);
            }
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
                let help = "ask `throughput`, `mean_period`, `mean_count`, `ltl` or `mu`";
                diagnostics.push(Diagnostic::error("S0014", ask.span, title).help(help));
            }
        }
    }
    for diagnostic in found.sorted() {
        diagnostics.push(relocate(diagnostic, sources));
    }
    let behaviour = behaviour.filter(|_| !diagnostics.has_errors())?;
    Some(Labelled { behaviour, tempo, events, delays, formulas })
}

fn pattern(text: &Text, diagnostics: &mut Diagnostics) -> Option<LabelPattern> {
    match LabelPattern::new(&text.text) {
        Ok(pattern) => Some(pattern),
        Err(reason) => {
            diagnostics.push(Diagnostic::error("S0004", text.span, reason));
            None
        }
    }
}
