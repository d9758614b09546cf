//! A study together with a labelled system: delays and events are patterns for labels.

use std::sync::Arc;

use narrows_languages::lotos::parameters;
use narrows_languages::{Definition, Options, Task, identify};
use narrows_lts::{LabelPattern, linear, mu};
use narrows_model::{Form, LabelFormula, LabelledSystem, Question as Asked};
use narrows_performance::{Delay, as_f64};
use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Sources};

use crate::checks::{check_resources, formula_origin, look_for_delays, relocate, start_of};
use crate::conditions::Conditions;
use crate::prepare::gaining;
use crate::{LatencyKind, Question, ReachKind, Study, Text, Values};

/// A labelled system with what a study says about it.
#[derive(Debug)]
pub struct LabelledStudy {
    /// The model.
    pub system: Arc<dyn LabelledSystem>,
    /// The language it is written in.
    pub language: &'static str,
    /// The names of what is counted.
    pub(crate) events: Vec<String>,
    /// Which actions are, in the same order.
    pub(crate) counted: Vec<Vec<LabelPattern>>,
    /// The delays, and how their patterns are written.
    pub(crate) delays: Vec<Delayed>,
    /// What stands for predicates.
    pub(crate) conditions: Conditions,
    /// The formulas.
    pub(crate) formulas: Vec<LabelFormula>,
    /// What is asked of the model, by question.
    pub(crate) asked: Vec<(usize, Asked)>,
    /// Models to compare with, by question.
    pub(crate) others: Vec<(usize, Arc<dyn LabelledSystem>)>,
}

impl LabelledStudy {
    /// Returns which actions take how long; the first pattern that fits counts.
    pub fn delays(&self) -> impl Iterator<Item = (&LabelPattern, &Delay)> {
        self.delays.iter().map(|one| (&one.pattern, &one.delay))
    }

    /// Returns the number of an event.
    pub(crate) fn event(&self, what: &Text) -> Option<u16> {
        let place = self.events.iter().position(|name| *name == what.text)?;
        u16::try_from(place).ok()
    }

    /// Returns the events with their patterns, by number.
    pub(crate) fn named_events(&self) -> Vec<(String, Vec<LabelPattern>)> {
        self.events.iter().cloned().zip(self.counted.iter().cloned()).collect()
    }
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

/// Complains about parameters that are to be varied, and that the model declares and never uses.
fn look_for_parameters(study: &Study, text: &str, diagnostics: &mut Diagnostics) {
    for axis in study.sweep.iter().filter(|axis| matches!(axis.values, Values::Constants(_))) {
        let is_same = |word: &str| word.eq_ignore_ascii_case(&axis.name.text);
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let is_once = words.filter(|word| is_same(word)).count() == 1;
        if is_once && parameters(text).iter().any(|name| is_same(name)) {
            let title = format!("the model does not use its parameter `{}`", axis.name.text);
            diagnostics.push(Diagnostic::error("S0010", axis.name.span, title));
        }
    }
}

/// Compiles the labelled model of a study, and what the study says about it. `None` if something is wrong.
pub(crate) fn prepare_labelled(
    study: &Study,
    sources: &mut Sources,
    model: FileId,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Option<LabelledStudy> {
    let definition = |(name, value): &(Text, String)| Definition {
        text: format!("{}={value}", name.text),
        origin: formula_origin(name),
    };
    let options =
        Options { definitions: study.constants.iter().map(definition).collect(), ..Options::default() };
    let mut found = Diagnostics::default();
    let text = sources.file(model);
    let language = identify(&text.name, &text.text).language;
    let mut task = Task { sources, file: model, loader, options: &options, diagnostics: &mut found };
    let form = language.compile(&mut task);
    let (mut events, mut counted, mut delays) = (Vec::new(), Vec::new(), Vec::new());
    let (mut formulas, mut asked, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &study.delays {
        let Some(pattern) = pattern(&entry.place, diagnostics) else { continue };
        if entry.times.is_some() || entry.over.is_some() {
            let title = "how fast an action goes can't depend on the state: `times` and `over` are for \
                         Promela models";
            diagnostics.push(Diagnostic::error("S0013", entry.place.span, title));
        }
        delays.push(Delayed { pattern, text: entry.place.text.clone(), delay: entry.delay.clone() });
    }
    look_for_delays(study, diagnostics);
    look_for_parameters(study, &sources.file(model).text, diagnostics);
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
        if let Some(start) = start_of(&ask.question).filter(|_| ask.anywhere) {
            let title = "actions happen, and do not hold: measure `from` one";
            diagnostics.push(Diagnostic::error("S0014", start.span, title));
        }
        match &ask.question {
            Question::Throughput(what) | Question::MeanPeriod(what) | Question::Bottleneck(what) => {
                event(&what.text, std::slice::from_ref(what), diagnostics);
            }
            Question::MeanCount(of, per) => {
                event(&of.text, std::slice::from_ref(of), diagnostics);
                event(&per.text, std::slice::from_ref(per), diagnostics);
            }
            Question::MinDelay(from, to)
            | Question::MaxDelay(from, to)
            | Question::Delay(from, to)
            | Question::MeanDelay(from, to) => {
                for end in [from, to] {
                    event(&end.text, std::slice::from_ref(end), diagnostics);
                }
            }
            Question::MinCount(of, from, to)
            | Question::MaxCount(of, from, to)
            | Question::Count(of, from, to) => {
                for one in [of, from, to] {
                    event(&one.text, std::slice::from_ref(one), diagnostics);
                }
            }
            Question::Latency(latency) => {
                if latency.kind != LatencyKind::Duration {
                    for end in [&latency.from, &latency.to] {
                        event(&end.text, std::slice::from_ref(end), diagnostics);
                    }
                }
            }
            Question::Reward(of, other) => {
                for one in gaining(study, of).chain(other) {
                    event(&one.text, std::slice::from_ref(one), diagnostics);
                }
            }
            Question::Reach(kind, to) => {
                let of = if let ReachKind::Reward(of) = kind { Some(of) } else { None };
                for one in of.into_iter().flat_map(|of| gaining(study, of)).chain([to]) {
                    event(&one.text, std::slice::from_ref(one), diagnostics);
                }
            }
            Question::Overlap(first, second) => check_resources(study, [first, second], diagnostics),
            Question::Utilisation(_) | Question::Transient(..) | Question::Makespan | Question::Size(_) => {}
            Question::Deadlock => asked.push((number, Asked::Deadlock)),
            Question::Equivalence(other) => {
                others.extend(
                    other_model(&other.with, sources, model, loader, &mut found).map(|other| (number, other)),
                );
            }
            Question::Mu(text) | Question::Ltl(text) => {
                let file = sources.add(formula_origin(text), text.text.clone());
                let (index, kind, name) = (formulas.len(), ask.question.kind(), ask.name.clone());
                if kind == "mu" {
                    mu::parse(file, &text.text, &mut found);
                } else {
                    linear::parse(file, &text.text, &mut found);
                }
                formulas.push(LabelFormula { kind, file, name: name.clone() });
                asked.push((number, Asked::Property { index, kind, name }));
            }
            // A value that lasts is refused where it is answered.
            Question::Mean(_) => {}
            _ => {
                let title =
                    format!("`{}` can't be asked of a {} model", ask.question.kind(), language.name());
                let help = "labels are all there is to see: write it as a formula about them, `ltl` or `mu`";
                diagnostics.push(Diagnostic::error("S0014", ask.span, title).help(help));
            }
        }
    }
    let conditions = Conditions::read(study, diagnostics);
    if let Some((place, _)) = study.weights.first() {
        let title = "actions have no weights: `[weight]` is for Promela models";
        diagnostics.push(Diagnostic::error("S0013", place.span, title));
    }
    for diagnostic in found.sorted() {
        diagnostics.push(relocate(diagnostic, sources));
    }
    let Form::Labelled(labelled) = form.filter(|_| !diagnostics.has_errors())? else { return None };
    let (system, language) = (labelled.system, language.name());
    Some(LabelledStudy { system, language, events, counted, delays, conditions, formulas, asked, others })
}

/// Reads a model to compare with, which stands beside the study's own and has no parameters.
fn other_model(
    with: &Text,
    sources: &mut Sources,
    model: FileId,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Option<Arc<dyn LabelledSystem>> {
    let loaded = match loader.load(&with.text, &sources.file(model).name, false) {
        Ok(loaded) => loaded,
        Err(error) => {
            diagnostics.push(Diagnostic::error("S0003", with.span, error.to_string()));
            return None;
        }
    };
    let language = identify(&loaded.name, &loaded.text).language;
    let file = sources.add(loaded.name, loaded.text);
    let mut task = Task { sources, file, loader, options: &Options::default(), diagnostics };
    match language.compile(&mut task)? {
        Form::Labelled(other) => Some(other.system),
        _ => {
            let title = format!("`{}` has no labels to compare", with.text);
            diagnostics.push(Diagnostic::error("S0014", with.span, title));
            None
        }
    }
}

/// Returns of how many random times without memory a delay consists, and the rate of each; `None` if it takes
/// no time.
pub(crate) fn rate_of(delay: &Delay) -> Option<(u32, f64)> {
    let mean = as_f64(delay.mean());
    (mean > 0.0).then(|| (delay.stages(), f64::from(delay.stages()) / mean))
}

pub(crate) fn pattern(text: &Text, diagnostics: &mut Diagnostics) -> Option<LabelPattern> {
    match LabelPattern::new(&text.text) {
        Ok(pattern) => Some(pattern),
        Err(reason) => {
            diagnostics.push(Diagnostic::error("S0004", text.span, reason.to_string()));
            None
        }
    }
}
