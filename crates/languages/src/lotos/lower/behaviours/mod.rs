//! Processes to points of control: once for each choice of gates.

mod declarations;
mod operators;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use narrows_model::behaviour::{Behaviour, GateId, GateSet, Jump, Point, PointId, PointKind, SortId};
use narrows_source::{Diagnostic, Diagnostics, Sources, Span, closest};

use super::super::Options;
use super::super::ast::{self, BehaviourKind, Ident, Process, Variable};
use super::names::{condition_variables, place_condition, united, uses};
use super::terms::{Known, Terms};
use super::types::Scope;
use declarations::{check_names, enter, list_numbers, values};
use operators::jump;

/// More copies of processes than this are not made.
const MAX_INSTANCES: usize = 20_000;

/// A process and what is known of it.
struct Entry<'p> {
    process: &'p Process,
    parent: Option<usize>,
    parameters: Vec<SortId>,
    /// The sorts of the values it ends with, if it ends.
    exits: Option<Vec<SortId>>,
}

/// What became of a behaviour.
struct Lowered {
    point: PointId,
    /// The variables that matter, by number, in rising order.
    free: Vec<u16>,
    /// The sorts of the values it ends with, if it ends.
    exits: Option<Vec<SortId>>,
}

/// Alternatives end differently, which has been said.
struct Different;

/// Lowers the whole specification.
pub(super) fn lower(
    root: &Process,
    scope: &Scope,
    options: &Options,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Behaviour> {
    let mut entries = Vec::new();
    enter(root, None, scope, &mut entries, diagnostics);
    check_names(&entries, diagnostics);
    let values = values(root, scope, options, sources, diagnostics);
    let mut data = scope.data.clone();
    list_numbers(root, scope, options, &mut data, sources, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let new = |is_trial: bool| Lowering {
        scope,
        entries: &entries,
        behaviour: Behaviour::new(data.clone()),
        instances: BTreeMap::new(),
        queue: VecDeque::new(),
        gates: Vec::new(),
        variables: Vec::new(),
        sorts: Vec::new(),
        here: 0,
        is_trial,
        diagnostics: Diagnostics::default(),
    };
    // Every process is looked at once by itself: also those that nobody calls.
    let mut trial = new(true);
    for number in 0..entries.len() {
        trial.process(number);
    }
    for diagnostic in trial.diagnostics.sorted() {
        diagnostics.push(diagnostic);
    }
    if diagnostics.has_errors() {
        return None;
    }
    let mut real = new(false);
    let gates: Vec<GateId> = root.gates.iter().map(|gate| real.new_gate(gate)).collect();
    let entry = real.instance(0, gates);
    let count = values.len() as u16;
    let kind = PointKind::Let(values, Jump { point: entry, sources: (0..count).collect() });
    real.behaviour.initial = real.add(kind, &[], root.name.span);
    while let Some((number, gates, point)) = real.queue.pop_front() {
        real.body(number, &gates, point);
        if real.instances.len() > MAX_INSTANCES || real.behaviour.gates.len() > usize::from(u16::MAX) {
            let name = &entries[number].process.name;
            let title = format!("there is no end of copies of `{}` with other gates", name.name);
            diagnostics.push(Diagnostic::error("L0303", name.span, title));
            break;
        }
    }
    for diagnostic in real.diagnostics.sorted() {
        diagnostics.push(diagnostic);
    }
    Some(real.behaviour)
}

struct Lowering<'p, 's> {
    scope: &'s Scope,
    entries: &'s [Entry<'p>],
    behaviour: Behaviour,
    instances: BTreeMap<(usize, Vec<GateId>), PointId>,
    queue: VecDeque<(usize, Vec<GateId>, PointId)>,
    /// The gates that are known here, the innermost last.
    gates: Vec<(Rc<str>, GateId)>,
    /// The variables that are known here, the innermost last.
    variables: Vec<Known>,
    /// The sorts of all variables of this process.
    sorts: Vec<SortId>,
    /// The process at hand.
    here: usize,
    /// Whether this is only to find mistakes.
    is_trial: bool,
    diagnostics: Diagnostics,
}

impl<'p> Lowering<'p, '_> {
    fn new_gate(&mut self, name: &Ident) -> GateId {
        let id = GateId(self.behaviour.gates.len().min(usize::from(u16::MAX)) as u16);
        self.behaviour.gates.push(name.name.to_string());
        id
    }

    /// Returns where a process begins with some gates.
    fn instance(&mut self, number: usize, gates: Vec<GateId>) -> PointId {
        let key = (number, gates);
        if let Some(point) = self.instances.get(&key) {
            return *point;
        }
        let entry = &self.entries[number];
        let point = PointId(self.behaviour.points.len() as u32);
        let kind = PointKind::Let(Vec::new(), Jump::default());
        let variables = entry.parameters.clone();
        self.behaviour.points.push(Point { kind, variables, span: entry.process.name.span });
        self.queue.push_back((number, key.1.clone(), point));
        self.instances.insert(key, point);
        point
    }

    /// Looks at a process by itself.
    fn process(&mut self, number: usize) {
        let gates: Vec<GateId> =
            self.entries[number].process.gates.iter().map(|gate| self.new_gate(gate)).collect();
        let point = self.instance(number, gates.clone());
        self.body(number, &gates, point);
        let entry = &self.entries[number];
        let mut used = vec![false; self.behaviour.gates.len()];
        uses(&entry.process.body, &mut |name| {
            if let Some(index) = entry.process.gates.iter().position(|gate| gate.name == *name) {
                used[usize::from(gates[index].0)] = true;
            }
        });
        for (gate, id) in entry.process.gates.iter().zip(&gates) {
            if !used[usize::from(id.0)] {
                let title = format!("the gate `{}` is never used", gate.name);
                self.diagnostics.push(Diagnostic::warning("L0304", gate.span, title));
            }
        }
    }

    fn body(&mut self, number: usize, gates: &[GateId], point: PointId) {
        let entry = &self.entries[number];
        self.here = number;
        self.gates =
            entry.process.gates.iter().map(|gate| gate.name.clone()).zip(gates.iter().copied()).collect();
        (self.variables, self.sorts) = (Vec::new(), Vec::new());
        for (parameter, sort) in entry.process.parameters.iter().zip(&entry.parameters) {
            self.bind(parameter, *sort);
        }
        let Some(body) = self.lower(&entry.process.body) else { return };
        self.check_exits(number, &body);
        let sources = body.free.clone();
        self.behaviour.points[point.0 as usize].kind =
            PointKind::Let(Vec::new(), Jump { point: body.point, sources });
    }

    fn check_exits(&mut self, number: usize, body: &Lowered) {
        let entry = &self.entries[number];
        let span = entry.process.functionality_span;
        let name = &entry.process.name.name;
        match (&entry.exits, &body.exits) {
            (Some(said), Some(found)) if said == found => {}
            (None, None) => {}
            (Some(_), None) => {
                let title = format!("`{name}` is said to end, and never does");
                let help = "write `noexit`";
                self.diagnostics.push(Diagnostic::warning("L0241", span, title).help(help));
            }
            (said, Some(found)) => {
                let shown = self.show_exits(Some(found));
                let title = match said {
                    None => format!("`{name}` is said not to end, but may"),
                    Some(_) => format!("`{name}` ends with other values than is said here"),
                };
                let help = format!("write `{shown}`");
                self.diagnostics.push(Diagnostic::error("L0240", span, title).help(help));
            }
        }
    }

    fn show_exits(&self, exits: Option<&Vec<SortId>>) -> String {
        let Some(sorts) = exits else { return "noexit".to_owned() };
        let names: Vec<&str> = sorts.iter().map(|sort| self.scope.data.sort(*sort).name.as_str()).collect();
        if names.is_empty() { "exit".to_owned() } else { format!("exit ({})", names.join(", ")) }
    }

    /// Makes a variable known; returns its number.
    fn bind(&mut self, variable: &Variable, sort: SortId) -> u16 {
        let number = self.sorts.len() as u16;
        self.sorts.push(sort);
        self.variables.push(Known { name: variable.name.name.clone(), number, sort });
        number
    }

    /// Makes variables known; returns their numbers.
    fn bind_all(&mut self, variables: &[Variable]) -> Option<Vec<u16>> {
        let mut numbers = Vec::new();
        for (index, variable) in variables.iter().enumerate() {
            if let Some(other) = variables[..index].iter().find(|other| other.name.name == variable.name.name)
            {
                let title = format!("`{}` is declared twice", variable.name.name);
                let diagnostic = Diagnostic::error("L0202", variable.name.span, title);
                self.diagnostics.push(diagnostic.also(other.name.span, "first here"));
            }
            let sort = self.scope.sort(&variable.sort, &mut self.diagnostics)?;
            numbers.push(self.bind(variable, sort));
        }
        Some(numbers)
    }

    fn terms(&mut self) -> Terms<'_, '_> {
        Terms {
            scope: self.scope,
            variables: &self.variables,
            home: None,
            diagnostics: &mut self.diagnostics,
        }
    }

    fn gate(&mut self, name: &Ident) -> Option<GateId> {
        if let Some((_, gate)) = self.gates.iter().rev().find(|(known, _)| *known == name.name) {
            return Some(*gate);
        }
        let diagnostic =
            Diagnostic::error("L0250", name.span, format!("there is no gate `{}` here", name.name));
        let names = self.gates.iter().map(|(known, _)| &**known);
        let is_process = self.find(&name.name).is_some();
        self.diagnostics.push(match closest(&name.name, names) {
            _ if is_process => diagnostic.note(format!("`{}` is a process", name.name)),
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.note("a process knows the gates in its own brackets, and those it hides"),
        });
        None
    }

    fn find(&self, name: &str) -> Option<usize> {
        let mut scope = Some(self.here);
        while let Some(number) = scope {
            let found = (0..self.entries.len()).find(|other| {
                self.entries[*other].parent == Some(number)
                    && *self.entries[*other].process.name.name == *name
            });
            if found.is_some() {
                return found;
            }
            scope = self.entries[number].parent;
        }
        None
    }

    fn add(&mut self, kind: PointKind, free: &[u16], span: Span) -> PointId {
        let id = PointId(self.behaviour.points.len() as u32);
        let variables = free.iter().map(|number| self.sorts[usize::from(*number)]).collect();
        self.behaviour.points.push(Point { kind, variables, span });
        id
    }

    fn lower(&mut self, behaviour: &'p ast::Behaviour) -> Option<Lowered> {
        let (known, gates) = (self.variables.len(), self.gates.len());
        let lowered = self.lower_inner(behaviour);
        self.variables.truncate(known);
        self.gates.truncate(gates);
        lowered
    }

    fn lower_inner(&mut self, behaviour: &'p ast::Behaviour) -> Option<Lowered> {
        let span = behaviour.span;
        match &behaviour.kind {
            BehaviourKind::Stop => Some(Lowered { point: Behaviour::STOP, free: Vec::new(), exits: None }),
            BehaviourKind::Exit(results) => self.exit(results, span),
            BehaviourKind::Internal(next) => {
                let next = self.lower(next)?;
                let free = next.free.clone();
                let kind = PointKind::Prefix {
                    gate: GateId::INTERNAL,
                    offers: Vec::new(),
                    predicate: None,
                    next: jump(&next, &free),
                };
                Some(self.done(kind, free, span, next.exits))
            }
            BehaviourKind::Action { gate, offers, predicate, next } => {
                self.action(gate, offers, predicate.as_ref(), next, span)
            }
            BehaviourKind::Choice(left, right) => {
                let (left, right) = (self.lower(left), self.lower(right));
                self.choice(&[left?, right?], span)
            }
            BehaviourKind::Guard(condition, inner) => {
                let (condition, inner) = (self.terms().condition(condition), self.lower(inner));
                let (mut condition, inner) = (condition?, inner?);
                let free = united(&[&inner.free, &condition_variables(&condition)]);
                place_condition(&mut condition, &free);
                let kind = PointKind::Guard(condition, jump(&inner, &free));
                Some(self.done(kind, free, span, inner.exits))
            }
            BehaviourKind::Parallel(meeting, left, right) => {
                let gates = self.meeting(meeting);
                let (left, right) = (self.lower(left), self.lower(right));
                self.parallel(gates?, &left?, &right?, span)
            }
            BehaviourKind::Hide(names, inner) => {
                let mut hidden = GateSet::default();
                for name in names {
                    let gate = self.new_gate(name);
                    hidden.insert(gate);
                    self.gates.push((name.name.clone(), gate));
                }
                if self.is_trial {
                    self.warn_unused(names, inner);
                }
                let inner = self.lower(inner)?;
                let free = inner.free.clone();
                let kind = PointKind::Hide(hidden, jump(&inner, &free));
                Some(self.done(kind, free, span, inner.exits))
            }
            BehaviourKind::Enable { left, accepted, right } => self.enable(left, accepted, right, span),
            BehaviourKind::Disable(left, right) => {
                let (left, right) = (self.lower(left), self.lower(right));
                let (left, right) = (left?, right?);
                let exits = self.same_exits(&[&left, &right], span).ok()?;
                let free = united(&[&left.free, &right.free]);
                let kind = PointKind::Disable(jump(&left, &free), jump(&right, &free));
                Some(self.done(kind, free, span, exits))
            }
            BehaviourKind::Let(bound, inner) => self.binding(bound, inner, span),
            BehaviourKind::ChoiceOverValues(variables, inner) => {
                let numbers = self.bind_all(variables)?;
                let inner = self.lower(inner)?;
                let sorts = numbers.iter().map(|number| self.sorts[usize::from(*number)]).collect();
                let free: Vec<u16> =
                    inner.free.iter().copied().filter(|number| !numbers.contains(number)).collect();
                let all = [free.as_slice(), &numbers].concat();
                let kind = PointKind::Over(sorts, jump(&inner, &all));
                Some(self.done(kind, free, span, inner.exits))
            }
            BehaviourKind::ChoiceOverGates(ranges, inner) => {
                let all = self.for_each_gate(ranges, inner)?;
                self.choice(&all, span)
            }
            BehaviourKind::ParallelOverGates(ranges, meeting, inner) => {
                let gates = self.meeting(meeting)?;
                let mut all = self.for_each_gate(ranges, inner)?;
                let mut last = all.pop()?;
                while let Some(before) = all.pop() {
                    last = self.parallel(gates.clone(), &before, &last, span)?;
                }
                Some(last)
            }
            BehaviourKind::Call { name, gates, arguments } => self.call(name, gates, arguments, span),
        }
    }

    fn done(&mut self, kind: PointKind, free: Vec<u16>, span: Span, exits: Option<Vec<SortId>>) -> Lowered {
        let point = self.add(kind, &free, span);
        Lowered { point, free, exits }
    }
}
