//! What limits a synchronous system: which resources are busy together, how often things happen, and what
//! goes on in the rounds on which they happen most and least often.

use narrows_model::synchronous::{Display, Domain, Role, SynchronousSystem};
use narrows_model::wording::percent;
use narrows_model::{Bottleneck, Case, FigureResult, Flow, Link, Number, Overlap, StateDiagram, Together};
use narrows_performance::timed::{Timed, Walk};

use super::graph::{GraphSource, Known};
use super::measure::SynchronousBench;
use crate::bottleneck::{
    Described, MAX_RESOURCES, add_change, add_findings, cases, largest, resources, saturated,
};
use crate::{Ask, Question, Study, Text, View};

/// Of a variable with more values than this there is no diagram.
const MAX_VALUES: usize = 12;

impl SynchronousBench<'_> {
    pub(super) fn find_resources(&mut self, bottleneck: &mut Bottleneck) {
        self.ask_system(true);
        bottleneck.resources = resources(self.study);
        let count = bottleneck.resources.len();
        for first in 0..count {
            for second in first + 1..count {
                let answers = vec![self.overlap((first, second))];
                bottleneck.overlaps.push(Overlap { first, second, answers });
            }
        }
        self.overlaps.clone_from(&bottleneck.overlaps);
        for (name, _) in self.study.resources.iter().take(MAX_RESOURCES) {
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
        let SynchronousBench { study, prepared, source, .. } = *self;
        let timed = self.graph().ok()?;
        let known = Known { study, prepared, source };
        let mut busy = vec![0; timed.state_graph().states() as usize];
        for (number, resource) in prepared.resources.iter().enumerate().take(MAX_RESOURCES) {
            for (set, holds) in busy.iter_mut().zip(known.holding(timed.state_graph(), *resource)) {
                *set |= u64::from(holds) << number;
            }
        }
        Some(busy)
    }

    /// Looks at an event.
    pub(super) fn look_at(&mut self, event: &Text) -> Flow {
        self.ask_system(false);
        let throughput = self.on_graph(&Ask::plain(Question::Throughput(event.clone())));
        let mut flow = Flow { event: event.text.clone(), throughput: vec![throughput], ..Flow::default() };
        self.cases(event, &mut flow);
        self.conclude(&mut flow);
        flow
    }

    fn cases(&mut self, event: &Text, flow: &mut Flow) {
        let (Some(busy), Some(event)) = (self.busy_states(), self.prepared.event(event)) else { return };
        let study = self.study;
        let Ok(timed) = self.graph() else { return };
        let resources = study.resources.len().min(MAX_RESOURCES);
        let described =
            Described { timed, evaluator: None, busy: &busy, resources, delays: &[], unit: &study.unit };
        for (case, walk) in cases(&described, event) {
            let critical = goes_on(study, timed, &busy, &walk);
            flow.cases.push(Case { critical, ..case });
        }
    }

    /// Says what follows.
    fn conclude(&self, flow: &mut Flow) {
        let mut findings = Vec::new();
        if let Some(FigureResult::Value { low, high, .. }) =
            flow.throughput.first().map(|figure| &figure.result)
        {
            if *high == Number::Ratio(0, 1) {
                findings.push(format!("On every run `{}` happens no more from some time on.", flow.event));
            } else if *low == Number::Ratio(0, 1) {
                findings.push(format!(
                    "There are runs on which `{}` happens no more from some time on: nothing makes it \
                     happen.",
                    flow.event
                ));
            }
        }
        for case in flow.cases.clone() {
            // The last case is the best one: what limits it limits all.
            flow.bottleneck = self.limits(&case, &mut findings);
        }
        if let Some(case) = flow.cases.last() {
            findings.extend(self.apart(case));
        }
        if self.study.resources.is_empty() {
            findings.push("Name what can be busy under `[resource]` to see what is.".to_owned());
        } else if !flow.cases.is_empty() {
            findings.push(
                "One step is one unit of time, so there are no delays to be made shorter: vary constants of \
                 the model under `[sweep]` instead."
                    .to_owned(),
            );
        }
        add_findings(flow, findings);
    }

    /// Says what is busy in a round; returns the names of what is most.
    fn limits(&self, case: &Case, findings: &mut Vec<String>) -> Option<Vec<String>> {
        let when = match case.name {
            "worst" => "In the worst case, ",
            "best" => "In the best case, ",
            _ => "In every round, ",
        };
        let name = |number: usize| self.study.resources[number].0.text.clone();
        if let Some(names) = saturated(self.study, case, when, findings) {
            return Some(names);
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

    /// Says which of the resources that a round uses can never be busy at the same time.
    fn apart(&self, case: &Case) -> Option<String> {
        let is_used = |number: usize| case.busy[number].to_f64() > 0.0;
        let name = |number: usize| format!("`{}`", self.study.resources[number].0.text);
        let never: Vec<String> = self
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
            [one] => {
                Some(format!("{one} are never busy at the same time: the design puts one after the other."))
            }
            all => Some(format!(
                "Never busy at the same time are {}: the design puts one after the other.",
                all.join(", ")
            )),
        }
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
            (0..study.resources.len().min(MAX_RESOURCES)).filter(|one| set >> one & 1 == 1).collect();
        let names: Vec<&str> = resources.iter().map(|one| study.resources[*one].0.text.as_str()).collect();
        let delay = if names.is_empty() { "nothing busy".to_owned() } else { names.join(" + ") };
        let part = narrows_performance::Time::new(count, steps.len().max(1) as i128);
        let part = Number::Ratio(*part.numer(), *part.denom());
        Link { delay, process: String::new(), resources, part }
    };
    sets.into_iter().map(link).collect()
}

/// Returns how variables change that have names for values.
pub(super) fn diagrams(source: &GraphSource<'_>, timed: &Timed<'_>) -> Vec<StateDiagram> {
    let reference = source.eventful.reference();
    let system = reference.system();
    let is_named = |variable: &narrows_model::synchronous::Variable| {
        let is_symbolic =
            |values: &Vec<i128>| values.iter().all(|value| *value >= SynchronousSystem::SYMBOLS);
        let few = match &variable.domain {
            Domain::Values(values) => values.len() <= MAX_VALUES && is_symbolic(values),
            Domain::Range(..) => false,
        };
        few && variable.role == Role::State
    };
    let chosen: Vec<usize> =
        (0..system.variables.len()).filter(|index| is_named(&system.variables[*index])).collect();
    let name = |value: i128| system.show(value, Display::Plain);
    let mut list: Vec<StateDiagram> = chosen
        .iter()
        .map(|index| StateDiagram {
            variable: system.variables[*index].name.clone(),
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
            for (diagram, index) in list.iter_mut().zip(&chosen) {
                if diagram.values.is_empty() {
                    diagram.values.push(name(before[*index]));
                }
                if before[*index] != after[*index] {
                    add_change(diagram, name(before[*index]), name(after[*index]), "");
                }
            }
        }
    }
    list.retain(|diagram| !diagram.changes.is_empty());
    list
}
