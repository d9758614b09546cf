//! What limits a synchronous system: which resources are busy together, how often things happen, and what goes on in the
//! rounds on which they happen most and least often.

use narrows_model::synchronous::{Display, Domain, Role, SynchronousSystem};
use narrows_model::wording::{listed, percent};
use narrows_model::{
    Bottleneck, Case, FigureResult, Flow, Link, Number, Overlap, Resource, StateDiagram, Together,
};
use narrows_performance::timed::ratio::Extreme;
use narrows_performance::timed::{Timed, Walk};

use super::PreparedMachine;
use super::graph::{Asked, Ground};
use super::measure::Bench;
use crate::bottleneck::{Described, Rate, largest, rate};
use crate::measure::Measured;
use crate::{Analysis, Ask, Budgets, Question, Study, Text, View};

/// At most so many resources are told apart.
const MOST: usize = 64;
/// Of a variable with more values than this there is no diagram.
const MOST_VALUES: usize = 12;

/// Answers the questions of a study, and finds its bottleneck.
pub(crate) fn analyse(study: &Study, prepared: &PreparedMachine, budgets: &Budgets<'_>) -> Analysis {
    let ground = Ground::new(prepared);
    let mut bench = Bench::new(study, prepared, budgets, &ground);
    bench.ask_machine(true);
    let mut bottleneck = Bottleneck::default();
    bench.resources(&mut bottleneck);
    for event in bench.events() {
        let flow = bench.flow(&event, &bottleneck);
        bottleneck.flows.push(flow);
    }
    bottleneck.diagrams = bench.graph().map(|timed| diagrams(&ground, timed)).unwrap_or_default();
    for ask in &study.asks {
        if let Question::Bottleneck(event) = &ask.question {
            let flow = bottleneck.flows.iter().find(|flow| flow.event == event.text);
            bench.named.push((event.text.clone(), flow.and_then(|flow| flow.bottleneck.clone())));
        }
    }
    let figures = bench.answers();
    Analysis { measured: Measured { figures, sizes: bench.sizes }, bottleneck }
}

impl Bench<'_> {
    fn resources(&mut self, bottleneck: &mut Bottleneck) {
        let resource =
            |(name, text): &(Text, Text)| Resource { name: name.text.clone(), busy: text.text.clone() };
        bottleneck.resources = self.study.resources.iter().take(MOST).map(resource).collect();
        let count = bottleneck.resources.len();
        for first in 0..count {
            for second in first + 1..count {
                let answers = vec![self.overlap((first, second))];
                bottleneck.overlaps.push(Overlap { first, second, answers });
            }
        }
        for (name, _) in self.study.resources.iter().take(MOST) {
            let ask = Ask::plain(Question::Utilisation(name.clone()));
            bottleneck.utilisation.push(vec![self.on_graph(&ask)]);
        }
        if let (Some(busy), true) = (self.busy_states(), count > 0) {
            let (view, is_complete) = (View::Timed.name(), true);
            bottleneck.together.push(Together { view, sets: largest(busy.into_iter()), is_complete });
        }
    }

    /// Returns which resources are busy in each state; `None` if there is no graph.
    fn busy_states(&mut self) -> Option<Vec<u64>> {
        let Bench { study, prepared, ground, .. } = *self;
        let timed = self.graph().ok()?;
        let asked = Asked { study, prepared, ground, timed };
        let mut busy = vec![0; timed.state_graph().states() as usize];
        for (number, resource) in prepared.resources.iter().enumerate().take(MOST) {
            for (set, holds) in busy.iter_mut().zip(asked.holds(*resource)) {
                *set |= u64::from(holds) << number;
            }
        }
        Some(busy)
    }

    /// Returns the events to look at: those whose throughput or bottleneck is asked for, or else all.
    fn events(&self) -> Vec<Text> {
        let mut events: Vec<Text> = Vec::new();
        for ask in &self.study.asks {
            if let Question::Throughput(event) | Question::Bottleneck(event) = &ask.question
                && !events.iter().any(|known| known.text == event.text)
            {
                events.push(event.clone());
            }
        }
        if events.is_empty() {
            events.extend(self.study.events.iter().map(|(name, _)| name.clone()));
        }
        events
    }

    /// Looks at an event.
    pub(super) fn flow(&mut self, event: &Text, found: &Bottleneck) -> Flow {
        let throughput = self.on_graph(&Ask::plain(Question::Throughput(event.clone())));
        let mut flow = Flow { event: event.text.clone(), throughput: vec![throughput], ..Flow::default() };
        self.cases(event, &mut flow);
        self.conclude(&mut flow, found);
        flow
    }

    fn cases(&mut self, event: &Text, flow: &mut Flow) {
        let (Some(busy), Some(event)) = (self.busy_states(), self.prepared.event(event)) else { return };
        let study = self.study;
        let Ok(timed) = self.graph() else { return };
        let resources = study.resources.len().min(MOST);
        let described = Described { timed, evaluator: None, busy: &busy, resources, unit: &study.unit };
        let (worst, best) = (rate(timed, event, Extreme::Worst), rate(timed, event, Extreme::Best));
        let ratio = |rate: &Rate| (u128::from(rate.count), u128::from(rate.ticks));
        let is_same = worst.as_ref().zip(best.as_ref()).is_some_and(|(worst, best)| {
            let ((low, low_ticks), (high, high_ticks)) = (ratio(worst), ratio(best));
            low * high_ticks == high * low_ticks
        });
        let mut add = |name: &'static str, rate: &Rate| {
            let critical = goes_on(study, timed, &busy, &rate.walk);
            flow.cases.push(Case { critical, ..described.case(name, rate) });
        };
        if let Some(worst) = worst.filter(|worst| !is_same && worst.count > 0) {
            add("worst", &worst);
        }
        if let Some(best) = best.filter(|best| best.count > 0) {
            add(if is_same { "every" } else { "best" }, &best);
        }
    }

    /// Says what follows.
    fn conclude(&self, flow: &mut Flow, found: &Bottleneck) {
        let mut findings = Vec::new();
        if let Some(FigureResult::Value { low, high, .. }) =
            flow.throughput.first().map(|figure| &figure.result)
        {
            if *high == Number::Ratio(0, 1) {
                findings.push(format!("On every run `{}` happens no more from some time on.", flow.event));
            } else if *low == Number::Ratio(0, 1) {
                findings.push(format!(
                    "There are runs on which `{}` happens no more from some time on: nothing makes it happen.",
                    flow.event
                ));
            }
        }
        for case in flow.cases.clone() {
            // The last case is the best one: what limits it limits all.
            flow.bottleneck = self.limits(&case, &mut findings);
        }
        if let Some(case) = flow.cases.last() {
            findings.extend(apart(case, found));
        }
        if self.study.resources.is_empty() {
            findings.push("Name what can be busy under `[resource]` to see what is.".to_owned());
        } else if !flow.cases.is_empty() {
            findings.push(
                "One step is one unit of time, so there are no delays to be made shorter: vary constants of the model \
                 under `[sweep]` instead."
                    .to_owned(),
            );
        }
        for finding in findings {
            if !flow.findings.contains(&finding) {
                flow.findings.push(finding);
            }
        }
    }

    /// Says what is busy in a round; returns the names of what is most.
    fn limits(&self, case: &Case, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let when = match case.name {
            "worst" => "In the worst case, ",
            "best" => "In the best case, ",
            _ => "In every round, ",
        };
        let name = |number: usize| self.study.resources[number].0.text.clone();
        let is_full = |number: &usize| case.busy[*number] == Number::Ratio(1, 1);
        let full: Vec<String> = (0..case.busy.len()).filter(is_full).map(name).collect();
        if !full.is_empty() {
            let verb =
                if full.len() == 1 { "is the bottleneck: it is" } else { "are the bottleneck: they are" };
            let names = listed(full.iter().map(|name| format!("`{name}`")));
            findings.push(format!("{when}{names} {verb} busy all the time."));
            return Some(full);
        }
        let part = |number: usize| case.busy[number].to_f64();
        let most = (0..case.busy.len())
            .max_by(|one, other| part(*one).total_cmp(&part(*other)).then(other.cmp(one)))?;
        findings.push(format!(
            "{when}nothing is busy all the time; `{}` is most: {} of the time.",
            name(most),
            percent(part(most))
        ));
        Some(vec![name(most)])
    }
}

/// Says which of the resources that a round uses can never be busy at the same time.
fn apart(case: &Case, found: &Bottleneck) -> Option<String> {
    let is_used = |number: usize| case.busy[number].to_f64() > 0.0;
    let name = |number: usize| format!("`{}`", found.resources[number].name);
    let never: Vec<String> = found
        .overlaps
        .iter()
        .filter(|overlap| is_used(overlap.first) && is_used(overlap.second))
        .filter(|overlap| {
            overlap.answers.iter().any(|figure| figure.result == FigureResult::Word("never".to_owned()))
        })
        .map(|overlap| format!("{} and {}", name(overlap.first), name(overlap.second)))
        .collect();
    match never.as_slice() {
        [] => None,
        [one] => Some(format!("{one} are never busy at the same time: the design puts one after the other.")),
        all => Some(format!(
            "Never busy at the same time are {}: the design puts one after the other.",
            all.join(", ")
        )),
    }
}

/// Returns what goes on in a round: which resources are busy, and for what part of the time.
fn goes_on(study: &Study, timed: &Timed<'_>, busy: &[u64], walk: &Walk) -> Vec<Link> {
    let steps = &walk.steps[walk.cycle.unwrap_or(0)..];
    let mut sets: Vec<(u64, i128)> = Vec::new();
    for (node, _) in steps {
        let set = busy[timed.state(*node) as usize];
        match sets.iter_mut().find(|(known, _)| *known == set) {
            Some((_, count)) => *count += 1,
            None => sets.push((set, 1)),
        }
    }
    let link = |(set, count): (u64, i128)| {
        let resources: Vec<usize> =
            (0..study.resources.len().min(MOST)).filter(|one| set >> one & 1 == 1).collect();
        let names: Vec<&str> = resources.iter().map(|one| study.resources[*one].0.text.as_str()).collect();
        let delay = if names.is_empty() { "nothing busy".to_owned() } else { names.join(" + ") };
        let part = narrows_performance::Time::new(count, steps.len().max(1) as i128);
        let part = Number::Ratio(*part.numer(), *part.denom());
        Link { delay, process: String::new(), resources, part }
    };
    sets.into_iter().map(link).collect()
}

/// Returns how variables change that have names for values.
fn diagrams(ground: &Ground<'_>, timed: &Timed<'_>) -> Vec<StateDiagram> {
    let reference = ground.eventful.reference();
    let machine = reference.system();
    let is_named = |variable: &narrows_model::synchronous::Variable| {
        let is_symbolic =
            |values: &Vec<i128>| values.iter().all(|value| *value >= SynchronousSystem::SYMBOLS);
        let few = matches!(&variable.domain, Domain::Values(values) if values.len() <= MOST_VALUES && is_symbolic(values));
        few && variable.role == Role::State
    };
    let chosen: Vec<usize> =
        (0..machine.variables.len()).filter(|index| is_named(&machine.variables[*index])).collect();
    let name = |value: i128| machine.show(value, Display::Plain);
    let mut list: Vec<StateDiagram> = chosen
        .iter()
        .map(|index| StateDiagram {
            variable: machine.variables[*index].name.clone(),
            ..StateDiagram::default()
        })
        .collect();
    let values: Vec<Option<Vec<i128>>> = (0..timed.state_graph().states())
        .map(|state| timed.state_graph().state(state))
        .map(|bytes| (!reference.is_start(&bytes)).then(|| reference.unpack(&bytes)))
        .collect();
    for node in 0..timed.nodes() {
        let Some(before) = &values[timed.state(node) as usize] else { continue };
        for edge in timed.edges(node) {
            let Some(after) = &values[timed.state(edge.target) as usize] else { continue };
            for (machine, index) in list.iter_mut().zip(&chosen) {
                if machine.values.is_empty() {
                    machine.values.push(name(before[*index]));
                }
                if before[*index] != after[*index] {
                    note(machine, name(before[*index]), name(after[*index]));
                }
            }
        }
    }
    list.retain(|machine| !machine.changes.is_empty());
    list
}

/// Notes a change.
fn note(machine: &mut StateDiagram, before: String, after: String) {
    let mut number = |name: String| {
        machine.values.iter().position(|known| *known == name).unwrap_or_else(|| {
            machine.values.push(name);
            machine.values.len() - 1
        })
    };
    let change = (number(before), number(after));
    if !machine.changes.iter().any(|(from, to, _)| (*from, *to) == change) {
        machine.changes.push((change.0, change.1, String::new()));
    }
}
