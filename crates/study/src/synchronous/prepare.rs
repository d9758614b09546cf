//! A study together with a synchronous system: what it asks becomes specifications.

use std::collections::HashMap;

use narrows_languages::smv::{Given, Options};
use narrows_languages::{Formula, Logic, compile_synchronous};
use narrows_model::Question as Asked;
use narrows_model::synchronous::{
    Builder, ExprId, Linear, LinearId, Role, Signal, Specification, SynchronousClaim as Claim,
    SynchronousSystem, VariableId,
};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, Span};

use super::values::{RequestNames, request_names, told_apart, value_events};
use crate::checks::{check_resources, formula_origin as origin, relocate};
use crate::{LatencyKind, Question, Study, Text, Values};

/// A synchronous system with the questions of a study.
#[derive(Debug)]
pub struct SynchronousStudy {
    /// The system; the study's questions are among its specifications.
    pub system: SynchronousSystem,
    /// How many of its specifications its own text states.
    pub(crate) own_specifications: usize,
    /// What is to be asked of it for each question of the study; nothing for those about how often something
    /// happens.
    pub(super) asked: Vec<Vec<Asked>>,
    /// When each resource is busy.
    pub(super) resources: Vec<ExprId>,
    /// What happens in steps, by name or text.
    pub(super) events: Vec<(String, ExprId)>,
    /// What holds in states, by text.
    pub(super) predicates: HashMap<String, ExprId>,
    /// Expressions whose values count, by text.
    pub(super) values: Vec<(String, ExprId)>,
    /// For requests that are told apart by a value: the events of each value, by what they are asked for.
    pub(super) told_apart: HashMap<RequestNames, Vec<(u16, u16)>>,
    /// What is drawn of runs.
    pub signals: Vec<Signal>,
    /// What is to be asked about each pair of resources: are they never busy together, and will they be?
    pub(super) overlaps: HashMap<(usize, usize), [Asked; 2]>,
}

impl SynchronousStudy {
    /// Returns the number of an event.
    pub(super) fn event(&self, name: &Text) -> Option<u16> {
        self.events.iter().position(|(known, _)| *known == name.text).map(|number| number as u16)
    }
}

/// Compiles the model of a study, and what the study says about it. `None` if something is wrong.
pub(crate) fn prepare(
    study: &Study,
    sources: &mut Sources,
    model: FileId,
    diagnostics: &mut Diagnostics,
) -> Option<SynchronousStudy> {
    refuse(study, diagnostics);
    let (events, texts, formulas) = (events(study), predicates(study), formulas(study));
    let options = Options {
        formulas: formulas
            .iter()
            .map(|(_, logic, text)| Formula { logic: *logic, text: text.text.clone(), origin: origin(text) })
            .collect(),
        expressions: texts.iter().map(|text| (text.text.clone(), origin(text))).collect(),
        steps: events
            .iter()
            .flat_map(|(_, texts)| texts)
            .map(|text| (text.text.clone(), origin(text)))
            .collect(),
        values: study
            .signals
            .iter()
            .map(|(_, text)| text)
            .chain(means(study))
            .chain(
                told_apart(study).flat_map(|latency| [latency.by.as_ref(), latency.value_at_end()]).flatten(),
            )
            .map(|text| (text.text.clone(), origin(text)))
            .collect(),
        constants: study.constants.iter().map(|(name, value)| constant(name, value)).collect(),
        varied: varied(study),
        definitions: study.definitions.iter().map(|(name, text)| definition(name, text)).collect(),
    };
    let mut found = Diagnostics::default();
    let compiled = compile_synchronous(sources, model, &options, &mut found);
    for diagnostic in found.sorted() {
        diagnostics.push(relocate(diagnostic, sources));
    }
    for ask in &study.asks {
        if let Question::Overlap(first, second) = &ask.question {
            check_resources(study, [first, second], diagnostics);
        }
    }
    let mut signals = Vec::new();
    let values = compiled.iter().flat_map(|compiled| &compiled.values);
    for ((name, text), value) in study.signals.iter().zip(values) {
        match *value {
            Some((value, display)) => signals.push(Signal { name: name.text.clone(), value, display }),
            None => {
                let title = "a signal has one value at a time, and this is a set";
                diagnostics.push(Diagnostic::error("S0016", text.span, title));
            }
        }
    }
    let compiled = compiled.filter(|_| !diagnostics.has_errors())?;
    let mut rest = compiled.values.iter().skip(study.signals.len());
    let values: Vec<_> = means(study).zip(rest.by_ref()).collect();
    let mut numbers: Vec<(String, ExprId)> = Vec::new();
    for (text, value) in values {
        let is_input = |id: &VariableId| compiled.system.variable(*id).role == Role::Input;
        match *value {
            Some((value, _))
                if {
                    let (current, next) = compiled.system.looks_at(value);
                    next.is_empty() && !current.iter().any(is_input)
                } =>
            {
                numbers.push((text.text.clone(), value));
            }
            _ => {
                let title = "a mean is over values of states: it can't look at inputs, at `next` or at sets";
                diagnostics.push(Diagnostic::error("S0009", text.span, title));
            }
        }
    }
    if diagnostics.has_errors() {
        return None;
    }
    let named: HashMap<String, ExprId> =
        texts.iter().map(|text| text.text.clone()).zip(compiled.expressions.iter().copied()).collect();
    let mut builder = Builder::new(compiled.system);
    let mut steps = compiled.steps.iter().copied();
    // What is one of several expressions happens where one of them holds.
    let either = |(name, texts): (String, Vec<&Text>)| {
        let any = steps.by_ref().take(texts.len()).reduce(|one, other| builder.or(one, other));
        Some((name, any?))
    };
    let events: Vec<(String, ExprId)> = events.into_iter().filter_map(either).collect();
    let mut events = events;
    let pairs = told_apart(study).map_while(|latency| Some((latency, [*rest.next()?, *rest.next()?])));
    let pairs: Vec<_> = pairs.collect();
    let mut by_value = HashMap::new();
    for (latency, ends) in pairs {
        let made = match ends {
            [Some((from, _)), Some((to, _))] => value_events(latency, [from, to], &mut builder, &mut events),
            _ => Err("requests are told apart by one value at a time, and this is a set".to_owned()),
        };
        match (made, &latency.by) {
            (Ok(made), _) => {
                by_value.extend(request_names(latency).map(|names| (names, made)));
            }
            (Err(title), by) => {
                let span = by.as_ref().map_or(latency.from.span, |by| by.span);
                diagnostics.push(Diagnostic::error("S0005", span, title));
            }
        }
    }
    if diagnostics.has_errors() {
        return None;
    }
    let system = builder.system;
    let first = system.specifications.len() - formulas.len();
    let formulas: HashMap<usize, usize> =
        formulas.iter().enumerate().map(|(number, (ask, ..))| (*ask, first + number)).collect();
    let own_specifications = first;
    let mut maker = Maker { study, system, events, predicates: named };
    let asked = (0..study.asks.len()).map(|ask| maker.asked(ask, formulas.get(&ask).copied())).collect();
    let resources: Vec<ExprId> =
        study.resources.iter().filter_map(|(_, text)| maker.predicates.get(&text.text).copied()).collect();
    let overlaps = maker.overlaps(&resources);
    let Maker { system, events, predicates, .. } = maker;
    let values = numbers;
    let told_apart = by_value;
    Some(SynchronousStudy {
        system,
        own_specifications,
        asked,
        resources,
        events,
        predicates,
        values,
        told_apart,
        signals,
        overlaps,
    })
}

/// Returns the expressions of which the mean is asked for.
fn means(study: &Study) -> impl Iterator<Item = &Text> {
    study.asks.iter().filter_map(|ask| match &ask.question {
        Question::Mean(what) => Some(what),
        _ => None,
    })
}

/// Complains about what such models do not have.
fn refuse(study: &Study, diagnostics: &mut Diagnostics) {
    let delays = study.delays.iter().map(|entry| (&entry.place, "delay"));
    let weights = study.weights.iter().map(|(place, _)| (place, "weight"));
    for (place, what) in delays.chain(weights) {
        let title = format!("`{}` can't have a {what}: the model is synchronous", place.text);
        diagnostics.push(
            Diagnostic::error("S0015", place.span, title)
                .label("there are no statements to which it could be given")
                .help("in SMV one step is one unit of time: what takes longer counts cycles in a variable"),
        );
    }
}

/// Makes a value that the user gives to a definition.
fn constant(name: &Text, value: &str) -> Given {
    let origin = format!("the value of {}", name.text);
    Given { name: name.text.clone(), span: name.span, text: value.to_owned(), origin }
}

fn definition(name: &Text, text: &Text) -> Given {
    Given { name: name.text.clone(), span: name.span, text: text.text.clone(), origin: origin(text) }
}

/// Returns the constants that the sweep varies.
fn varied(study: &Study) -> Vec<(String, Span)> {
    let constants = study.sweep.iter().filter(|axis| matches!(axis.values, Values::Constants(_)));
    constants.map(|axis| (axis.name.text.clone(), axis.name.span)).collect()
}

/// Returns what happens in steps: the events of the study, then what is asked about directly.
fn events(study: &Study) -> Vec<(String, Vec<&Text>)> {
    let mut list: Vec<(String, Vec<&Text>)> =
        study.events.iter().map(|(name, texts)| (name.text.clone(), texts.iter().collect())).collect();
    for ask in &study.asks {
        let asked = match &ask.question {
            Question::Throughput(what) | Question::Bottleneck(what) => vec![what],
            Question::Latency(latency) if latency.kind != LatencyKind::Duration => {
                vec![&latency.from, &latency.to]
            }
            _ => Vec::new(),
        };
        for what in asked {
            if !list.iter().any(|(name, _)| *name == what.text) {
                list.push((what.text.clone(), vec![what]));
            }
        }
    }
    list
}

/// Returns all expressions about states, each once.
fn predicates(study: &Study) -> Vec<&Text> {
    let is_event = |what: &Text| study.events.iter().any(|(name, _)| name.text == what.text);
    let mut texts: Vec<&Text> = study.resources.iter().map(|(_, text)| text).collect();
    for ask in &study.asks {
        match &ask.question {
            Question::MinDelay(from, to) | Question::MaxDelay(from, to) | Question::Delay(from, to) => {
                texts.extend([from, to].into_iter().filter(|end| !is_event(end)));
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                texts.extend([what, from, to].into_iter().filter(|one| !is_event(one)));
            }
            Question::Utilisation(what) => texts.push(study.busy(what)),
            Question::Latency(latency) if latency.kind == LatencyKind::Duration => {
                texts.push(study.busy(&latency.from));
            }
            _ => {}
        }
    }
    let mut known: Vec<&str> = Vec::new();
    texts.retain(|text| {
        let is_new = !known.contains(&text.text.as_str());
        known.push(&text.text);
        is_new
    });
    texts
}

/// Returns the formulas of the study, with the numbers of their questions.
fn formulas(study: &Study) -> Vec<(usize, Logic, &Text)> {
    let formula = |(number, ask): (usize, &'_ crate::Ask)| match &ask.question {
        Question::Ltl(_) => Some((number, Logic::Ltl)),
        Question::Ctl(_) => Some((number, Logic::Ctl)),
        Question::Invariant(_) => Some((number, Logic::Expression)),
        _ => None,
    };
    let numbered = study.asks.iter().enumerate().filter_map(formula);
    let text = |number: usize| match &study.asks[number].question {
        Question::Ltl(text) | Question::Ctl(text) | Question::Invariant(text) => Some(text),
        _ => None,
    };
    numbered.filter_map(|(number, kind)| Some((number, kind, text(number)?))).collect()
}

/// Makes specifications of questions.
struct Maker<'s> {
    study: &'s Study,
    system: SynchronousSystem,
    events: Vec<(String, ExprId)>,
    predicates: HashMap<String, ExprId>,
}

impl Maker<'_> {
    /// Returns what is to be asked of the system for a question of the study.
    fn asked(&mut self, number: usize, formula: Option<usize>) -> Vec<Asked> {
        let ask = &self.study.asks[number];
        let name = &ask.name;
        if let Some(index) = formula {
            name.clone_into(&mut self.system.specifications[index].name);
            return vec![Asked::Property { index, kind: ask.question.kind(), name: name.clone() }];
        }
        // Engines know states, and not what has just become true: that is found on the graph.
        if !ask.anywhere && ask.question != Question::Deadlock {
            return Vec::new();
        }
        let is_least = matches!(ask.question, Question::MinDelay(..) | Question::MinCount(..));
        let is_most = matches!(ask.question, Question::MaxDelay(..) | Question::MaxCount(..));
        let (from, to) = match &ask.question {
            Question::Deadlock => return vec![Asked::Deadlock],
            Question::MinDelay(from, to)
            | Question::MaxDelay(from, to)
            | Question::Delay(from, to)
            | Question::MinCount(_, from, to)
            | Question::MaxCount(_, from, to)
            | Question::Count(_, from, to) => (from, to),
            _ => return Vec::new(),
        };
        let ends = (self.predicates.get(&from.text), self.predicates.get(&to.text));
        let (Some(start), Some(end)) = (ends.0.copied(), ends.1.copied()) else { return Vec::new() };
        let counted = match &ask.question {
            Question::MinCount(what, ..) | Question::MaxCount(what, ..) | Question::Count(what, ..) => {
                match self.state_predicate(what) {
                    Some(counted) => Some((counted, what)),
                    None => return Vec::new(),
                }
            }
            _ => None,
        };
        let mut atoms = vec![(start, from.text.clone(), from.span), (end, to.text.clone(), to.span)];
        atoms.extend(counted.map(|(id, what)| (id, what.text.clone(), what.span)));
        let mut questions = Vec::new();
        if !is_most {
            let claim = match counted {
                Some((counted, _)) => Claim::FewestOf(start, end, counted),
                None => Claim::Minimum(start, end),
            };
            questions.push(self.claim(name, claim, atoms.clone(), ask.span));
        }
        if !is_least {
            let claim = match counted {
                Some((counted, _)) => Claim::MostOf(start, end, counted),
                None => Claim::Maximum(start, end),
            };
            questions.push(self.claim(name, claim, atoms, ask.span));
        }
        questions
    }

    /// Returns what is counted, if it is about states alone.
    fn state_predicate(&self, what: &Text) -> Option<ExprId> {
        if let Some(id) = self.predicates.get(&what.text) {
            return Some(*id);
        }
        let (_, id) = self.events.iter().find(|(name, _)| *name == what.text)?;
        let (current, next) = self.system.looks_at(*id);
        let is_input = |id| self.system.variable(id).role == Role::Input;
        (next.is_empty() && !current.into_iter().any(is_input)).then_some(*id)
    }

    fn claim(&mut self, name: &str, claim: Claim, atoms: Vec<(ExprId, String, Span)>, span: Span) -> Asked {
        let (index, kind) = (self.system.specifications.len(), claim.kind());
        self.system.specifications.push(Specification { name: name.to_owned(), claim, atoms, span });
        Asked::Property { index, kind, name: name.to_owned() }
    }

    /// Asks for each pair of resources whether they are never busy at the same time, and whether they will
    /// be.
    fn overlaps(&mut self, resources: &[ExprId]) -> HashMap<(usize, usize), [Asked; 2]> {
        let mut overlaps = HashMap::new();
        for second in 0..resources.len() {
            for first in 0..second {
                let mut builder = Builder::new(std::mem::take(&mut self.system));
                let both = builder.and(resources[first], resources[second]);
                let (not_both, always) = (builder.not(both), builder.truth(true));
                self.system = builder.system;
                let (one, other) = (&self.study.resources[first], &self.study.resources[second]);
                let name = format!("{} and {}", one.0.text, other.0.text);
                let atoms: Vec<_> = [(resources[first], one), (resources[second], other)]
                    .into_iter()
                    .map(|(id, (name, text))| (id, name.text.clone(), text.span))
                    .collect();
                let never = Claim::Invariant(not_both);
                let inevitable = Claim::Linear(vec![
                    Linear::Atom(always),
                    Linear::Atom(both),
                    Linear::Until(LinearId(0), LinearId(1)),
                ]);
                let span = one.1.span;
                let pair = [never, inevitable].map(|claim| self.claim(&name, claim, atoms.clone(), span));
                overlaps.insert((first, second), pair);
            }
        }
        overlaps
    }
}
