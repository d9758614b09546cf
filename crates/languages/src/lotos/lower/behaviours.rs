//! Processes to points of control: once for each choice of gates.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use narrows_model::behaviour::{
    self, Behaviour, GateId, GateSet, Jump, Point, PointId, PointKind, SortId, Term,
};
use narrows_source::{Diagnostic, Diagnostics, Sources, Span, closest};

use super::super::Options;
use super::super::ast::{self, BehaviourKind, Expr, GateRange, Ident, Meeting, Offer, Process, Variable};
use super::super::parser::parse_value;
use super::names::{
    condition_variables, offer_variables, place, place_condition, place_offers, place_term, term_variables,
    united, uses,
};
use super::terms::{Known, Terms};
use super::types::Scope;

/// More copies of processes than this are not made.
const MOST: usize = 20_000;

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
    if diagnostics.has_errors() {
        return None;
    }
    let new = |is_trial: bool| Lowering {
        scope,
        entries: &entries,
        behaviour: Behaviour::new(scope.data.clone()),
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
        if real.instances.len() > MOST || real.behaviour.gates.len() > usize::from(u16::MAX) {
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

fn enter<'p>(
    process: &'p Process,
    parent: Option<usize>,
    scope: &Scope,
    entries: &mut Vec<Entry<'p>>,
    diagnostics: &mut Diagnostics,
) {
    let number = entries.len();
    let parameters = process.parameters.iter().filter_map(|one| scope.sort(&one.sort, diagnostics)).collect();
    let exits = process
        .functionality
        .as_ref()
        .map(|sorts| sorts.iter().filter_map(|sort| scope.sort(sort, diagnostics)).collect());
    entries.push(Entry { process, parent, parameters, exits });
    for inner in &process.processes {
        enter(inner, Some(number), scope, entries, diagnostics);
    }
}

fn check_names(entries: &[Entry<'_>], diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<(Option<usize>, &Rc<str>), Span> = BTreeMap::new();
    for entry in entries {
        let name = &entry.process.name;
        if let Some(other) = seen.insert((entry.parent, &name.name), name.span) {
            let title = format!("the process `{}` is defined twice", name.name);
            diagnostics.push(Diagnostic::error("L0202", name.span, title).also(other, "first here"));
        }
        let gates = entry.process.gates.iter();
        let parameters = entry.process.parameters.iter().map(|parameter| &parameter.name);
        for list in [gates.collect::<Vec<_>>(), parameters.collect()] {
            for (index, one) in list.iter().enumerate() {
                if let Some(other) = list[..index].iter().find(|other| other.name == one.name) {
                    let title = format!("`{}` is declared twice", one.name);
                    diagnostics
                        .push(Diagnostic::error("L0202", one.span, title).also(other.span, "first here"));
                }
            }
        }
    }
}

/// Finds the values of the specification's parameters.
fn values(
    root: &Process,
    scope: &Scope,
    options: &Options,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Vec<Term> {
    let mut values = Vec::new();
    for (name, text, origin) in &options.values {
        let known = root.parameters.iter().any(|one| one.name.name.eq_ignore_ascii_case(name));
        if !known {
            let file = sources.add(origin.clone(), format!("{name}={text}"));
            let span = Span::new(file, 0, name.len());
            let title = format!("the specification has no parameter `{name}`");
            let upper = name.to_ascii_uppercase();
            let diagnostic = Diagnostic::error("L0231", span, title);
            let names = root.parameters.iter().map(|one| &*one.name.name);
            diagnostics.push(match closest(&upper, names) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        }
    }
    for parameter in &root.parameters {
        let given =
            options.values.iter().rev().find(|(name, ..)| name.eq_ignore_ascii_case(&parameter.name.name));
        let Some((_, text, origin)) = given else {
            let name = &parameter.name;
            let title = format!("the parameter `{}` of the specification has no value", name.name);
            let help = format!("give it one: `-D {}=VALUE`, or `[constant]` in a study", name.name);
            diagnostics.push(Diagnostic::error("L0230", name.span, title).help(help));
            continue;
        };
        let file = sources.add(origin.clone(), text.clone());
        let Some(expr) = parse_value(text, file, diagnostics) else { continue };
        let Some(sort) = scope.sort(&parameter.sort, diagnostics) else { continue };
        let found = Terms { scope, variables: &[], home: None, diagnostics }.term(&expr, Some(sort));
        values.extend(found.map(|found| found.0));
    }
    values
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

    fn exit(&mut self, results: &[ast::Result], span: Span) -> Option<Lowered> {
        let mut offers = Vec::new();
        for result in results {
            offers.push(match result {
                ast::Result::Value(expr) => {
                    let (term, sort) = self.terms().term(expr, None)?;
                    behaviour::Offer::Value(term, sort)
                }
                ast::Result::Any(sort) => {
                    behaviour::Offer::Any(self.scope.sort(sort, &mut self.diagnostics)?)
                }
            });
        }
        let exits = Some(offers.iter().map(behaviour::Offer::sort).collect());
        let free = offer_variables(&offers);
        place_offers(&mut offers, &free);
        Some(self.done(PointKind::Exit(offers), free, span, exits))
    }

    fn action(
        &mut self,
        gate: &Ident,
        offers: &[Offer],
        predicate: Option<&ast::Condition>,
        next: &'p ast::Behaviour,
        span: Span,
    ) -> Option<Lowered> {
        let gate = self.gate(gate);
        let mut lowered = Vec::new();
        let mut complete = true;
        for offer in offers {
            let found = match offer {
                Offer::Value(expr) => {
                    self.terms().term(expr, None).map(|(term, sort)| behaviour::Offer::Value(term, sort))
                }
                Offer::Variable(variable) => {
                    self.scope.sort(&variable.sort, &mut self.diagnostics).map(behaviour::Offer::Any)
                }
            };
            complete &= found.is_some();
            lowered.extend(found);
        }
        let variables: Vec<Variable> = offers
            .iter()
            .filter_map(|offer| match offer {
                Offer::Variable(variable) => Some(variable.clone()),
                Offer::Value(_) => None,
            })
            .collect();
        let bound = self.bind_all(&variables)?;
        let predicate = match predicate {
            Some(condition) => {
                let found = self.terms().condition(condition);
                complete &= found.is_some();
                found
            }
            None => None,
        };
        let next = self.lower(next);
        let (gate, next) = (gate?, next?);
        if !complete {
            return None;
        }
        let in_predicate = predicate.as_ref().map(condition_variables).unwrap_or_default();
        let mut free = united(&[&next.free, &in_predicate]);
        free.retain(|number| !bound.contains(number));
        let free = united(&[&free, &offer_variables(&lowered)]);
        place_offers(&mut lowered, &free);
        let all = [free.as_slice(), &bound].concat();
        let mut predicate = predicate;
        if let Some(condition) = &mut predicate {
            place_condition(condition, &all);
        }
        let kind = PointKind::Prefix { gate, offers: lowered, predicate, next: jump(&next, &all) };
        let exits = next.exits;
        // The place of an action is its own, without what comes after it.
        let end = offers.last().map(|offer| match offer {
            Offer::Value(expr) => expr.span,
            Offer::Variable(variable) => variable.sort.span,
        });
        let start = Span { end: span.start + 1, ..span };
        Some(self.done(kind, free, start.to(end.unwrap_or(start)), exits))
    }

    fn choice(&mut self, branches: &[Lowered], span: Span) -> Option<Lowered> {
        let all: Vec<&Lowered> = branches.iter().collect();
        let exits = self.same_exits(&all, span).ok()?;
        let lists: Vec<&[u16]> = branches.iter().map(|branch| branch.free.as_slice()).collect();
        let free = united(&lists);
        let mut jumps = Vec::new();
        for branch in branches {
            // A choice within a choice is one choice.
            match &self.behaviour.point(branch.point).kind {
                PointKind::Choice(inner) => {
                    let moved = |one: &Jump| Jump {
                        point: one.point,
                        sources: one
                            .sources
                            .iter()
                            .map(|source| place(branch.free[usize::from(*source)], &free))
                            .collect(),
                    };
                    jumps.extend(inner.iter().map(moved));
                }
                _ => jumps.push(jump(branch, &free)),
            }
        }
        Some(self.done(PointKind::Choice(jumps), free, span, exits))
    }

    /// Finds out what alternatives end with: those that end have to end alike.
    fn same_exits(&mut self, all: &[&Lowered], span: Span) -> Result<Option<Vec<SortId>>, Different> {
        let mut exits: Option<Vec<SortId>> = None;
        for one in all {
            match (&exits, &one.exits) {
                (Some(first), Some(other)) if first != other => {
                    let (first, other) = (self.show_exits(Some(first)), self.show_exits(Some(other)));
                    let title = format!("these ways end differently: `{first}` and `{other}`");
                    self.diagnostics.push(Diagnostic::error("L0242", span, title));
                    return Err(Different);
                }
                (None, Some(found)) => exits = Some(found.clone()),
                _ => {}
            }
        }
        Ok(exits)
    }

    fn meeting(&mut self, meeting: &Meeting) -> Option<GateSet> {
        let mut set = GateSet::default();
        match meeting {
            Meeting::Nowhere => {}
            Meeting::Everywhere => self.gates.iter().for_each(|(_, gate)| set.insert(*gate)),
            Meeting::Gates(names) => {
                let found: Vec<Option<GateId>> = names.iter().map(|name| self.gate(name)).collect();
                for gate in found {
                    set.insert(gate?);
                }
            }
        }
        Some(set)
    }

    fn parallel(&mut self, gates: GateSet, left: &Lowered, right: &Lowered, span: Span) -> Option<Lowered> {
        let exits = match (&left.exits, &right.exits) {
            (Some(_), Some(_)) => self.same_exits(&[left, right], span).ok()?,
            _ => None,
        };
        let free = united(&[&left.free, &right.free]);
        let kind = PointKind::Parallel { gates, left: jump(left, &free), right: jump(right, &free) };
        Some(self.done(kind, free, span, exits))
    }

    fn enable(
        &mut self,
        left: &'p ast::Behaviour,
        accepted: &[Variable],
        right: &'p ast::Behaviour,
        span: Span,
    ) -> Option<Lowered> {
        let place_of_left = left.span;
        let left = self.lower(left);
        let numbers = self.bind_all(accepted)?;
        let right = self.lower(right);
        let (left, right) = (left?, right?);
        let sorts: Vec<SortId> = numbers.iter().map(|number| self.sorts[usize::from(*number)]).collect();
        match &left.exits {
            Some(found) if *found == sorts => {}
            Some(found) => {
                let shown = self.show_exits(Some(found));
                let wanted = self.show_exits(Some(&sorts));
                let title = format!("this ends with `{shown}`, and what comes after accepts `{wanted}`");
                let help = "accept as many values of the same sorts: `>> accept x : SORT in`";
                self.diagnostics.push(Diagnostic::error("L0243", place_of_left, title).help(help));
                return None;
            }
            None => {
                let title = "this never ends: what comes after `>>` never begins";
                self.diagnostics.push(Diagnostic::warning("L0244", place_of_left, title));
            }
        }
        let later: Vec<u16> = right.free.iter().copied().filter(|number| !numbers.contains(number)).collect();
        let free = united(&[&left.free, &later]);
        let kept = later.iter().map(|number| place(*number, &free)).collect();
        let all = [later.as_slice(), &numbers].concat();
        let kind = PointKind::Enable { left: jump(&left, &free), kept, right: jump(&right, &all) };
        Some(self.done(kind, free, span, right.exits))
    }

    fn binding(
        &mut self,
        bound: &[(Variable, Expr)],
        inner: &'p ast::Behaviour,
        span: Span,
    ) -> Option<Lowered> {
        let mut values = Vec::new();
        for (variable, expr) in bound {
            let sort = self.scope.sort(&variable.sort, &mut self.diagnostics)?;
            values.push(self.terms().term(expr, Some(sort))?.0);
        }
        let variables: Vec<Variable> = bound.iter().map(|(variable, _)| variable.clone()).collect();
        let numbers = self.bind_all(&variables)?;
        let inner = self.lower(inner)?;
        let rest: Vec<u16> = inner.free.iter().copied().filter(|number| !numbers.contains(number)).collect();
        let mut used = Vec::new();
        for value in &values {
            term_variables(value, &mut used);
        }
        let free = united(&[&rest, &used]);
        for value in &mut values {
            place_term(value, &free);
        }
        let all = [free.as_slice(), &numbers].concat();
        let kind = PointKind::Let(values, jump(&inner, &all));
        Some(self.done(kind, free, span, inner.exits))
    }

    /// Lowers a behaviour once for each combination of gates.
    fn for_each_gate(&mut self, ranges: &[GateRange], inner: &'p ast::Behaviour) -> Option<Vec<Lowered>> {
        let mut rows: Vec<Vec<(Rc<str>, GateId)>> = vec![Vec::new()];
        for range in ranges {
            let gates: Vec<Option<GateId>> = range.gates.iter().map(|gate| self.gate(gate)).collect();
            let gates: Vec<GateId> = gates.into_iter().collect::<Option<_>>()?;
            for name in &range.names {
                let longer = |row: &Vec<(Rc<str>, GateId)>| {
                    let row = row.clone();
                    let add = move |gate: &GateId| [row.as_slice(), &[(name.name.clone(), *gate)]].concat();
                    gates.iter().map(add).collect::<Vec<_>>()
                };
                rows = rows.iter().flat_map(longer).collect();
                if rows.len() > MOST {
                    let title = "there are too many combinations of gates";
                    self.diagnostics.push(Diagnostic::error("L0303", name.span, title));
                    return None;
                }
            }
        }
        let mut all = Vec::new();
        for row in rows {
            let known = self.gates.len();
            self.gates.extend(row);
            let lowered = self.lower(inner);
            self.gates.truncate(known);
            all.push(lowered?);
        }
        Some(all)
    }

    fn call(&mut self, name: &Ident, gates: &[Ident], arguments: &[Expr], span: Span) -> Option<Lowered> {
        let Some(number) = self.find(&name.name) else {
            let title = format!("there is no process `{}`", name.name);
            let diagnostic = Diagnostic::error("L0260", name.span, title);
            let names = self.entries.iter().skip(1).map(|entry| &*entry.process.name.name);
            let is_gate = self.gates.iter().any(|(known, _)| *known == name.name);
            self.diagnostics.push(match closest(&name.name, names) {
                _ if is_gate => {
                    let help = format!("`{}` is a gate: an action is followed by `;`", name.name);
                    diagnostic.help(help)
                }
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
            return None;
        };
        let entry = &self.entries[number];
        let actual: Vec<Option<GateId>> = gates.iter().map(|gate| self.gate(gate)).collect();
        for (what, given, wanted) in [
            ("gates", gates.len(), entry.process.gates.len()),
            ("values", arguments.len(), entry.process.parameters.len()),
        ] {
            if given != wanted {
                let title = format!("`{}` takes {wanted} {what}, and gets {given}", name.name);
                let diagnostic = Diagnostic::error("L0261", span, title);
                self.diagnostics.push(diagnostic.also(entry.process.name.span, "defined here"));
                return None;
            }
        }
        let mut values = Vec::new();
        for (argument, sort) in arguments.iter().zip(&entry.parameters) {
            values.push(self.terms().term(argument, Some(*sort)));
        }
        let mut values: Vec<Term> =
            values.into_iter().map(|value| value.map(|value| value.0)).collect::<Option<_>>()?;
        let gates: Vec<GateId> = actual.into_iter().collect::<Option<_>>()?;
        let exits = entry.exits.clone();
        let point = if self.is_trial { Behaviour::STOP } else { self.instance(number, gates) };
        let mut free = Vec::new();
        for value in &values {
            term_variables(value, &mut free);
        }
        let free = united(&[&free]);
        for value in &mut values {
            place_term(value, &free);
        }
        let (first, count) = (free.len() as u16, values.len() as u16);
        let sources = if self.is_trial { Vec::new() } else { (first..first + count).collect() };
        let kind = PointKind::Let(values, Jump { point, sources });
        Some(self.done(kind, free, span, exits))
    }

    fn warn_unused(&mut self, names: &[Ident], inner: &ast::Behaviour) {
        for name in names {
            let mut used = false;
            uses(inner, &mut |found| used |= *found == name.name);
            if !used {
                let title = format!("the gate `{}` is never used", name.name);
                self.diagnostics.push(Diagnostic::warning("L0304", name.span, title));
            }
        }
    }
}

fn jump(target: &Lowered, all: &[u16]) -> Jump {
    Jump { point: target.point, sources: target.free.iter().map(|number| place(*number, all)).collect() }
}
