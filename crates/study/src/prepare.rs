//! A study together with its model: names resolved, expressions compiled.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use narrows_languages::promela::{Abbreviation, Options, compile};
use narrows_languages::{Formula, Logic};
use narrows_logic::Ltl;
use narrows_model::{
    Atom, Binary, Claim, Edge, Expr, FormKind, Place, Property, Query, Question as Asked, Scalar, System,
    Unary,
};
use narrows_performance::requests::RequestEvents;
use narrows_performance::{Delayed, Site, Timing};
use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Severity, Sources, Span, closest};

use crate::checks::{check_resources, formula_origin, look_for_delays, no_truth, relocate, start_of};
use crate::coherence::{self, Attached, UnknownName, is_access};
use crate::measure::RequestsTogether;
use crate::request_values::{Scope, ValueEvents, Valued};
use crate::{Ask, Latency, LatencyKind, Question, ReachKind, Simulation, Study, Text, Values};

/// A model with the timing and the questions of a study.
#[derive(Debug)]
pub struct ProcessStudy {
    /// The model.
    pub system: System,
    /// How many of its properties its own text states; the others are the study's.
    pub(crate) own_properties: usize,
    /// What its statements take, and what is counted.
    pub timing: Timing,
    /// What the study's expressions mean.
    predicates: HashMap<String, Expr>,
    /// The numbers of events, by name.
    events: HashMap<String, u16>,
    /// Which of the system's properties each formula is, by question.
    formulas: HashMap<usize, usize>,
    /// Which of them say that two resources are never busy at the same time, and that they will be; by their
    /// numbers.
    overlaps: HashMap<(usize, usize), [usize; 2]>,
    /// The statements with which requests that are told apart begin and end, with the values of each, by the
    /// names of all.
    by_value: HashMap<[String; 4], Valued>,
    /// The requests of several questions, once they are asked for.
    together: OnceLock<RequestsTogether>,
    /// The caches under it, if there are some.
    pub(crate) caches: Option<Attached>,
    /// For each shared variable, the events that are misses on it, each with how long it takes.
    pub(crate) costs: Vec<(String, Vec<(u16, f64)>)>,
}

impl ProcessStudy {
    /// Returns what an expression of the study means.
    pub fn predicate(&self, text: &Text) -> Option<&Expr> {
        self.predicates.get(&text.text)
    }

    /// Returns all expressions that the study reads, in the order of their texts.
    pub(crate) fn read(&self) -> impl Iterator<Item = &Expr> {
        let mut predicates: Vec<(&String, &Expr)> = self.predicates.iter().collect();
        predicates.sort_unstable_by_key(|(text, _)| *text);
        let speeds = self.timing.delays().iter().filter_map(|delayed| delayed.speed.as_ref());
        let speeds = speeds.flat_map(|(times, over)| std::iter::once(times).chain(over));
        predicates.into_iter().map(|(_, expr)| expr).chain(speeds)
    }

    /// Returns the number of an event.
    pub fn event(&self, name: &Text) -> Option<u16> {
        self.events.get(&name.text).copied()
    }

    /// Returns the names of the events, by number; one that has several names has the first of them in order.
    pub fn event_names(&self) -> Vec<String> {
        let mut named: Vec<(u16, &String)> = self.events.iter().map(|(name, event)| (*event, name)).collect();
        named.sort_unstable();
        named.dedup_by_key(|(event, _)| *event);
        let count = named.last().map_or(0, |(event, _)| usize::from(*event) + 1);
        let mut names = vec![String::new(); count];
        for (event, name) in named {
            names[usize::from(event)].clone_from(name);
        }
        names
    }

    /// Returns what is asked of the model for a question of the study, given by its number.
    pub(crate) fn asked(&self, ask: &Ask, number: usize) -> Option<Asked> {
        let property = |index: &usize| Asked::Property {
            index: *index,
            kind: ask.question.kind(),
            name: ask.name.clone(),
        };
        let is_deadlock = ask.question == Question::Deadlock;
        self.formulas.get(&number).map(property).or(is_deadlock.then_some(Asked::Deadlock))
    }

    /// Asks whether two resources, given by their numbers, are never busy at the same time, and whether they
    /// will be.
    pub(crate) fn overlap(&self, first: usize, second: usize, name: &str) -> Option<[Asked; 2]> {
        let properties = self.overlaps.get(&(first.min(second), first.max(second)))?;
        Some(properties.map(|index| Asked::Property { index, kind: "ltl", name: name.to_owned() }))
    }
}

/// Compiles the model of a study, and what the study says about it. `None` if something is wrong.
pub(crate) fn prepare(
    study: &Study,
    sources: &mut Sources,
    model: FileId,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Option<ProcessStudy> {
    let texts = expressions(study);
    let formulas: Vec<(usize, Logic, &Text)> = study
        .asks
        .iter()
        .enumerate()
        .filter_map(|(number, ask)| match &ask.question {
            Question::Ltl(text) => Some((number, Logic::Ltl, text)),
            Question::Ctl(text) => Some((number, Logic::Ctl, text)),
            _ => None,
        })
        .collect();
    let all = || {
        let predicates = texts.iter().map(|(logic, text)| (*logic, *text));
        predicates.chain(formulas.iter().map(|(_, logic, text)| (*logic, *text)))
    };
    let constants = study.constants.iter().map(|(name, value)| (name.text.clone(), Some(value.clone())));
    let varied = study.sweep.iter().filter(|axis| matches!(axis.values, Values::Constants(_)));
    let abbreviation = |(name, text): &(Text, Text)| Abbreviation {
        name: name.text.clone(),
        text: text.text.clone(),
        origin: formula_origin(text),
    };
    let options = Options {
        definitions: constants.collect(),
        varied: varied.map(|axis| (axis.name.text.clone(), axis.name.span)).collect(),
        abbreviations: study.definitions.iter().map(abbreviation).collect(),
        formulas: all().map(|(logic, text)| formula(logic, text)).collect(),
    };
    let mut found = Diagnostics::default();
    let system = compile(sources, model, loader, &options, &mut found);
    for diagnostic in found.sorted() {
        let in_study = of_constant(study, &diagnostic, sources);
        let mut diagnostic = in_study.unwrap_or_else(|| relocate(diagnostic, sources));
        if diagnostic.code == "P0241" && is_of(study, diagnostic.primary.span) {
            diagnostic.severity = Severity::Error;
        }
        diagnostics.push(diagnostic);
    }
    let system = system.filter(|_| !diagnostics.has_errors())?;
    let own = system.properties.len() - all().count();
    let mut predicates = HashMap::new();
    for ((_, text), property) in texts.iter().zip(&system.properties[own..]) {
        match property.claim.predicate() {
            Some(expr) => _ = predicates.insert(text.text.clone(), expr),
            None => {
                let title = "a formula with temporal operators says nothing about single states";
                diagnostics.push(Diagnostic::error("S0009", text.span, title));
            }
        }
    }
    let first = own + texts.len();
    let formulas = formulas.iter().enumerate().map(|(index, (ask, ..))| (*ask, first + index)).collect();
    let (events, overlaps) = (HashMap::new(), HashMap::new());
    let mut prepared = ProcessStudy {
        timing: Timing::new(&system),
        own_properties: own,
        system,
        predicates,
        events,
        formulas,
        overlaps,
        by_value: HashMap::new(),
        together: OnceLock::new(),
        caches: None,
        costs: Vec::new(),
    };
    look_for_delays(study, diagnostics);
    prepared.claim_overlaps(study);
    prepared.claim_invariants(study);
    prepared.attach(study, diagnostics);
    let scope = Scope { sources, model, loader, options: Options { formulas: Vec::new(), ..options } };
    prepared.tell_apart(study, scope, diagnostics);
    if !diagnostics.has_errors() {
        prepared.put_caches_under(study, sources, loader, diagnostics);
        prepared.look_for_timeless(study, diagnostics);
    }
    (!diagnostics.has_errors()).then_some(prepared)
}

/// Returns whether a place is in the study, and not in its model.
fn is_of(study: &Study, span: Span) -> bool {
    study.model.as_ref().is_some_and(|model| model.span.file == span.file)
}

/// Turns the warning that a constant makes no difference into an error of the study, at its place there.
fn of_constant(study: &Study, warning: &Diagnostic, sources: &Sources) -> Option<Diagnostic> {
    if warning.code != "P0024" {
        return None;
    }
    let span = warning.primary.span;
    let given = sources.file(span.file).name.strip_prefix("command line: ");
    let given = study.constants.iter().find(|(known, _)| Some(known.text.as_str()) == given);
    let (code, span) = given.map_or(("S0010", span), |(name, _)| ("S0012", name.span));
    let error = Diagnostic::error(code, span, warning.title.clone());
    Some(Diagnostic { help: warning.help.clone(), ..error })
}

fn formula(logic: Logic, text: &Text) -> Formula {
    Formula { logic, text: text.text.clone(), origin: formula_origin(text) }
}

/// Returns all expressions about single states, each once, and how they are read: predicates may have `->`,
/// and numbers stay what they are.
fn expressions(study: &Study) -> Vec<(Logic, &Text)> {
    let mut texts: Vec<&Text> = Vec::new();
    texts.extend(study.definitions.iter().map(|(_, text)| text));
    texts.extend(study.resources.iter().map(|(_, text)| text));
    for ask in &study.asks {
        match &ask.question {
            Question::MinDelay(from, to)
            | Question::MaxDelay(from, to)
            | Question::Delay(from, to)
            | Question::MeanDelay(from, to) => {
                texts.extend([from, to].into_iter().filter(|end| !is_event(study, end)));
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                texts.extend([what, from, to].into_iter().filter(|one| !is_event(study, one)));
            }
            Question::Utilisation(what) => {
                texts.extend(
                    (!study.resources.iter().any(|(name, _)| name.text == what.text)).then_some(what),
                );
            }
            Question::Transient(what, _) | Question::Invariant(what) => texts.push(what),
            Question::Reach(_, to) => texts.extend((!is_event(study, to)).then_some(to)),
            Question::Latency(latency) if latency.kind == LatencyKind::Duration => {
                texts.push(study.busy(&latency.from));
            }
            _ => {}
        }
    }
    let numbers = study.delays.iter().flat_map(|delay| delay.times.iter().chain(&delay.over));
    let level = study.simulation.level.iter().filter(|level| level.text != Simulation::QUEUES);
    let numbers = numbers.chain(values(study)).chain(level).map(|text| (Logic::Expression, text));
    let mut all: Vec<(Logic, &Text)> =
        numbers.chain(texts.into_iter().map(|text| (Logic::Ltl, text))).collect();
    let mut known: Vec<&str> = Vec::new();
    all.retain(|(_, text)| {
        let is_new = !known.contains(&text.text.as_str());
        known.push(&text.text);
        is_new
    });
    all
}

/// Returns the expressions whose values count, and not only whether they hold.
fn values(study: &Study) -> impl Iterator<Item = &Text> {
    let means = study.asks.iter().filter_map(|ask| match &ask.question {
        Question::Mean(what) => Some(what),
        _ => None,
    });
    let is_resource = |what: &Text| study.resources.iter().any(|(name, _)| name.text == what.text);
    let rates = study.rewards.iter().flat_map(|reward| &reward.rates).map(|(what, _)| what);
    means.chain(rates.filter(move |what| !is_resource(what)))
}

/// Returns whether a text names an event, or a statement.
fn is_event(study: &Study, text: &Text) -> bool {
    study.events.iter().any(|(name, _)| name.text == text.text)
        || as_place(&text.text).is_some()
        || study.coherence.is_some() && is_access(&text.text)
}

/// Takes `proctype:label` apart.
fn as_place(text: &str) -> Option<(&str, &str)> {
    let (proctype, label) = text.split_once(':')?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name(proctype) && is_name(label)).then_some((proctype, label))
}

/// What is wrong with a delay inside an atomic sequence, and what to do.
const NO_TIME: (&str, &str) = (
    "this statement is inside an atomic sequence, where no time passes",
    "give the delay to the first statement of the sequence",
);

/// What is wrong with weights there.
const NO_CHOICE: (&str, &str) = (
    "this choice is inside an atomic sequence, which is a single step",
    "end the sequence before the choice, or begin it after the choice",
);

impl ProcessStudy {
    /// Adds for each pair of resources that they are never busy at the same time, and that they will be: to
    /// be checked.
    fn claim_overlaps(&mut self, study: &Study) {
        for (second, (second_name, second_text)) in study.resources.iter().enumerate() {
            for (first, (first_name, first_text)) in study.resources[..second].iter().enumerate() {
                let (Some(one), Some(other)) = (self.predicate(first_text), self.predicate(second_text))
                else {
                    continue;
                };
                let both = Binary::And;
                let expr =
                    Expr::Binary(both, Box::new(one.clone()), Box::new(other.clone()), Span::default());
                let text = format!("({}) && ({})", first_text.text, second_text.text);
                let atom = Atom { expr, text, span: first_text.span };
                let name = format!("{} and {}", first_name.text, second_name.text);
                let never = Ltl::Always(Box::new(Ltl::Not(Box::new(Ltl::Atom(atom.clone())))));
                let inevitable = Ltl::Eventually(Box::new(Ltl::Atom(atom)));
                let next = self.system.properties.len();
                self.overlaps.insert((first, second), [next, next + 1]);
                for formula in [never, inevitable] {
                    let (name, claim) = (name.clone(), Claim::Ltl(formula));
                    self.system.properties.push(Property { name, claim, span: first_text.span });
                }
            }
        }
    }

    /// Adds what should hold in every state: to be checked.
    fn claim_invariants(&mut self, study: &Study) {
        for (number, ask) in study.asks.iter().enumerate() {
            let Question::Invariant(text) = &ask.question else { continue };
            let Some(expr) = self.predicate(text).cloned() else { continue };
            let atom = Atom { expr, text: text.text.clone(), span: text.span };
            let claim = Claim::Ltl(Ltl::Always(Box::new(Ltl::Atom(atom))));
            self.formulas.insert(number, self.system.properties.len());
            self.system.properties.push(Property { name: ask.name.clone(), claim, span: text.span });
        }
    }

    fn attach(&mut self, study: &Study, diagnostics: &mut Diagnostics) {
        for entry in &study.delays {
            let sites = self.sites(&entry.place, diagnostics);
            for site in &sites {
                self.check_first(*site, entry.place.span, NO_TIME, diagnostics);
            }
            let expr = |text: &Text| self.predicates.get(&text.text).cloned();
            let speed = match (&entry.times, &entry.over) {
                (None, None) => None,
                (times, over) => {
                    let times = times.as_ref().and_then(expr).unwrap_or(Expr::Constant(1));
                    Some((times, over.as_ref().and_then(expr)))
                }
            };
            let (name, delay) = (entry.place.text.clone(), entry.delay.clone());
            self.timing.delay(&sites, Delayed { name, delay, speed });
        }
        for (place, weights) in &study.weights {
            let sites = self.sites(place, diagnostics);
            if let Some(site) = sites.first() {
                self.check_first(*site, place.span, NO_CHOICE, diagnostics);
            }
            let (given, choices) = (weights.len(), sites.len());
            if choices == 1 || (choices > 0 && given != choices) {
                let title = match choices {
                    1 => "there is no choice after this label".to_owned(),
                    _ => format!("{given} weights for {choices} choices"),
                };
                let diagnostic = Diagnostic::error("S0005", place.span, title);
                diagnostics
                    .push(diagnostic.help("give a weight to each choice after the label, in their order"));
            }
            self.timing.weights(&sites, weights);
        }
        for (name, places) in &study.events {
            self.add_event(&name.text, places, diagnostics);
        }
        for ask in &study.asks {
            if let Question::Overlap(first, second) = &ask.question {
                check_resources(study, [first, second], diagnostics);
            }
            if let Question::Utilisation(what) = &ask.question
                && self.predicate(study.busy(what)).is_some_and(|expr| !is_truth(expr))
            {
                diagnostics.push(no_truth(what));
            }
            if ask.anywhere
                && let Some(event) = start_of(&ask.question).filter(|start| is_event(study, start))
            {
                let title = format!("an event happens, and does not hold: `{}` is one", event.text);
                let diagnostic = Diagnostic::error("S0009", event.span, title);
                diagnostics.push(diagnostic.help("measure `from` it"));
            }
            for event in wanted(study, &ask.question) {
                let is_later = study.coherence.is_some() && is_access(&event.text);
                if self.events.contains_key(&event.text) || is_later {
                    continue;
                }
                if as_place(&event.text).is_some() {
                    self.add_event(&event.text, std::slice::from_ref(event), diagnostics);
                } else {
                    let names = study.events.iter().map(|(name, _)| name.text.as_str());
                    let title = format!("there is no event `{}`", event.text);
                    let diagnostic = Diagnostic::error("S0007", event.span, title);
                    diagnostics.push(match closest(&event.text, names) {
                        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                        None => diagnostic.help("name it under `[event]`, or write `proctype:label`"),
                    });
                }
            }
        }
    }

    /// Rewrites the model so that its accesses to shared memory take time, and counts what is asked about
    /// them.
    fn put_caches_under(
        &mut self,
        study: &Study,
        sources: &mut Sources,
        loader: &dyn Loader,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(layer) = &study.coherence else { return };
        let (system, timing) = (&mut self.system, &mut self.timing);
        let Some(caches) = coherence::apply(layer, system, timing, sources, loader, diagnostics) else {
            return;
        };
        for event in study.asks.iter().flat_map(|ask| wanted(study, &ask.question)) {
            if self.events.contains_key(&event.text) || !is_access(&event.text) {
                continue;
            }
            match caches.sites(&event.text) {
                Ok(sites) => {
                    let number = self.timing.event_of(&sites, &event.text);
                    self.events.insert(event.text.clone(), number);
                }
                Err(UnknownName(name)) => {
                    let title = format!("`{name}` is not a kind, a shared variable, a process or a transfer");
                    let diagnostic = Diagnostic::error("S0007", event.span, title);
                    let names = caches.names();
                    diagnostics.push(match closest(&name, names.iter().map(String::as_str)) {
                        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                        None => diagnostic.help(format!("there is {}", some_of(&names))),
                    });
                }
            }
        }
        self.costs = caches.costs(layer, &mut self.timing);
        self.caches = Some(caches);
    }

    fn add_event(&mut self, name: &str, places: &[Text], diagnostics: &mut Diagnostics) {
        let sites: Vec<Site> = places.iter().flat_map(|place| self.sites(place, diagnostics)).collect();
        let number = self.timing.event(&sites, name);
        self.events.insert(name.to_owned(), number);
    }

    /// Notes the statements of latencies whose requests are told apart by a value, and what that is.
    fn tell_apart(&mut self, study: &Study, mut scope: Scope<'_>, diagnostics: &mut Diagnostics) {
        for ask in &study.asks {
            let Question::Latency(latency) = &ask.question else { continue };
            let Some(key) = key_of(latency) else { continue };
            let mut unheard = Diagnostics::default();
            let mut valued = Valued::default();
            let ends = [(&latency.from, latency.by.as_ref()), (&latency.to, latency.value_at_end())];
            for ((end, by), valued) in ends.into_iter().zip(&mut valued) {
                let event = study.events.iter().find(|(name, _)| name.text == end.text);
                let places = event.map_or(std::slice::from_ref(end), |(_, places)| places);
                // What is wrong with them is said where events are.
                for site in places.iter().flat_map(|place| self.sites(place, &mut unheard)) {
                    let proctype = &self.system.proctype(site.proctype).name;
                    let value = by.and_then(|by| scope.value(by, proctype, diagnostics));
                    valued.extend(value.map(|value| (site, value)));
                }
            }
            self.by_value.insert(key, valued);
        }
    }

    /// Returns the requests of several questions, which one view follows.
    pub(crate) fn together(&self, study: &Study) -> &RequestsTogether {
        let find = || {
            let event = |text: &Text| self.event(text);
            RequestsTogether::new(study, FormKind::Processes, self.timing.clone(), &event)
        };
        self.together.get_or_init(find)
    }

    /// Returns the timing in which the events of a latency are counted, and the events of each kind; with
    /// what gives events their numbers if they are told apart by values.
    pub(crate) fn requests(
        &self,
        latency: &Latency,
    ) -> (Cow<'_, Timing>, Vec<RequestEvents>, Option<ValueEvents>) {
        let Some(valued) = key_of(latency).and_then(|key| self.by_value.get(&key)) else {
            let next = self.timing.events().len() as u16;
            let number = |end: &Text, other: u16| self.event(end).unwrap_or(other);
            let (from, to) = (number(&latency.from, next), number(&latency.to, next + 1));
            let kind = RequestEvents { from, to, both: next + 2, order: latency.order };
            return (Cow::Borrowed(&self.timing), vec![kind], None);
        };
        let mut timing = self.timing.clone();
        let (events, kinds) = ValueEvents::new(&mut timing, valued, latency);
        (Cow::Owned(timing), kinds, Some(events))
    }

    /// Finds the statements that a text names.
    fn sites(&self, place: &Text, diagnostics: &mut Diagnostics) -> Vec<Site> {
        let found =
            as_place(&place.text).map(|(proctype, label)| Timing::sites(&self.system, proctype, label));
        match found {
            Some(sites) if !sites.is_empty() => sites,
            _ => {
                let title = format!("no statement of the model is called `{}`", place.text);
                let diagnostic = Diagnostic::error("S0004", place.span, title);
                let names = labels(&self.system);
                diagnostics.push(match closest(&place.text, names.iter().map(String::as_str)) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None if names.is_empty() => {
                        diagnostic.help("the model has no labels: give the statement one")
                    }
                    None => diagnostic.help(format!("the model has {}", some_of(&names))),
                });
                Vec::new()
            }
        }
    }

    /// Makes sure that a statement begins a step of its own: the first one of an atomic sequence stands for
    /// all.
    fn check_first(&self, site: Site, span: Span, why: (&str, &str), diagnostics: &mut Diagnostics) {
        let proctype = self.system.proctype(site.proctype);
        let has = |edges: &[Edge]| edges.iter().any(|edge| edge.transition == site.transition);
        let is_inside = proctype
            .transitions
            .iter()
            .any(|before| before.atomic && has(&proctype.location(before.target).edges));
        if is_inside {
            let (title, help) = why;
            let place = proctype.transition(site.transition).span;
            diagnostics.push(Diagnostic::error("S0008", span, title).also(place, "here").help(help));
        }
    }
}

/// Returns by what the requests of a latency are told apart, with the names of the ends.
fn key_of(latency: &Latency) -> Option<[String; 4]> {
    let (by, by_end) = (latency.by.as_ref()?, latency.value_at_end()?);
    Some([&latency.from, &latency.to, by, by_end].map(|text| text.text.clone()))
}

/// Returns the events with which a reward is gained.
pub(crate) fn gaining<'s>(study: &'s Study, of: &Text) -> impl Iterator<Item = &'s Text> {
    let reward = study.reward(of);
    reward.into_iter().flat_map(|reward| &reward.events).map(|(event, _)| event)
}

/// Returns the events that a question is about.
fn wanted<'s>(study: &'s Study, question: &'s Question) -> Vec<&'s Text> {
    match question {
        Question::Throughput(event)
        | Question::MeanPeriod(event)
        | Question::MissTime(event)
        | Question::Bottleneck(event) => vec![event],
        Question::MeanCount(of, per) => vec![of, per],
        Question::Reward(of, per) => gaining(study, of).chain(per).collect(),
        Question::Reach(kind, to) => {
            let of = if let ReachKind::Reward(of) = kind { Some(of) } else { None };
            let to = Some(to).filter(|to| is_event(study, to));
            of.into_iter().flat_map(|of| gaining(study, of)).chain(to).collect()
        }
        Question::Latency(latency) if latency.kind != LatencyKind::Duration => {
            vec![&latency.from, &latency.to]
        }
        Question::MinDelay(from, to)
        | Question::MaxDelay(from, to)
        | Question::Delay(from, to)
        | Question::MeanDelay(from, to) => {
            [from, to].into_iter().filter(|end| is_event(study, end)).collect()
        }
        Question::MinCount(what, from, to)
        | Question::MaxCount(what, from, to)
        | Question::Count(what, from, to) => {
            [what, from, to].into_iter().filter(|one| is_event(study, one)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns whether an expression is true or false, and no number.
fn is_truth(expr: &Expr) -> bool {
    use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    let is_truth_place =
        |place: &Place| matches!(place.scalar, Scalar::Bit | Scalar::Bool | Scalar::Unsigned(1));
    match expr {
        Expr::Constant(value) => [0, 1].contains(value),
        Expr::Load(place) | Expr::Remote { place, .. } => is_truth_place(place),
        Expr::Unary(operator, _) => *operator == Unary::Not,
        Expr::Binary(operator, ..) => {
            matches!(operator, And | Or | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
        }
        Expr::Conditional(_, yes, no) => is_truth(yes) && is_truth(no),
        Expr::Channel(query, ..) => *query != Query::Length,
        Expr::Timeout | Expr::NonProgress | Expr::Poll(_) | Expr::Enabled(..) | Expr::AtLocation { .. } => {
            true
        }
        Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::RunResult
        | Expr::LocationOf(_)
        | Expr::PriorityOf(_)
        | Expr::Priority => false,
    }
}

/// Returns the names of all statements that have labels.
fn labels(system: &System) -> Vec<String> {
    let mut names = Vec::new();
    for proctype in &system.proctypes {
        for label in proctype.locations.iter().flat_map(|location| &location.labels) {
            names.push(format!("{}:{label}", proctype.name));
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Lists the first of some names.
fn some_of(names: &[String]) -> String {
    let list: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > 8 { ", …" } else { "" };
    format!("{}{more}", list.join(", "))
}
