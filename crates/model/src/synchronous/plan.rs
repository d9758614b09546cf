//! In which order variables get their values when states are enumerated, and when constraints can be checked.
//!
//! A variable that is assigned gets its values from the assignment, after all variables that this looks at;
//! any other gets all values of its domain. Each constraint is checked as soon as all that it looks at is
//! known.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::evaluate::{Evaluation, Moment};
use super::system::{Constraint, Demand, ExprId, Node, Operator, Role, SynchronousSystem, Value, VariableId};

/// An order in which variables get values.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What is checked before any variable has a value.
    first: Vec<Check>,
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
struct Slot {
    variable: VariableId,
    source: Source,
    checks: Vec<Check>,
}

#[derive(Clone, Debug)]
enum Source {
    /// All values of the domain.
    Domain,
    /// The value it had before.
    Kept,
    /// Those of an assignment.
    Assigned(Check),
}

/// A constraint with all expressions below it, operands first.
#[derive(Clone, Debug)]
struct Check {
    demand: Demand,
    order: Vec<ExprId>,
    /// Whether it is about the state that is filled alone, and not about a step to it.
    of_state: bool,
}

/// A variable's value before, or in, the state that is filled.
type Known = (VariableId, bool);

impl Plan {
    /// Plans the enumeration of first states.
    pub(super) fn initial(system: &SynchronousSystem) -> Plan {
        let about = |constraint: &Constraint| (constraint.demand, true);
        let demands = system.initial.iter().chain(&system.invariants).map(about).collect();
        let is_part = |role| role != Role::Input;
        Plan::new(system, demands, |role| is_part(role).then_some((true, Source::Domain)))
    }

    /// Plans the enumeration of steps from a state: of inputs, which are filled in before it, and of states
    /// after it.
    pub(super) fn step(system: &SynchronousSystem) -> Plan {
        let steps = system.transitions.iter().map(|constraint| (constraint.demand, false));
        let states = system.invariants.iter().map(|constraint| (constraint.demand, true));
        Plan::new(system, steps.chain(states).collect(), |role| {
            Some(match role {
                Role::Input => (false, Source::Domain),
                Role::Frozen => (true, Source::Kept),
                Role::State => (true, Source::Domain),
            })
        })
    }

    fn new(
        system: &SynchronousSystem,
        demands: Vec<(Demand, bool)>,
        source: impl Fn(Role) -> Option<(bool, Source)>,
    ) -> Plan {
        let mut rest: Vec<(VariableId, bool, Source)> = system
            .each_variable()
            .filter_map(|(id, variable)| source(variable.role).map(|(side, source)| (id, side, source)))
            .collect();
        // Inputs first, then in the order of the text.
        rest.sort_by_key(|(_, side, _)| *side);
        let mut open = Open::new(system, demands, &rest);
        let mut plan = Plan { first: open.ready(), slots: Vec::new() };
        let mut places: BTreeSet<usize> = (0..rest.len()).collect();
        // Those that have their values at once: what is no part of the choice, and what is assigned.
        let is_free = |place: usize| rest[place].1 && matches!(rest[place].2, Source::Domain);
        let mut soon: BTreeSet<usize> = places.iter().copied().filter(|place| !is_free(*place)).collect();
        soon.extend(open.assignable.drain(..));
        while let Some(place) = soon.pop_first().or_else(|| places.first().copied()) {
            places.remove(&place);
            let (variable, side, source) = &rest[place];
            let rule = if is_free(place) { open.rule(*variable) } else { None };
            let source = rule.map_or_else(|| source.clone(), Source::Assigned);
            open.learn((*variable, *side));
            let checks = open.ready();
            soon.extend(open.assignable.drain(..).filter(|place| places.contains(place)));
            plan.slots.push(Slot { variable: *variable, source, checks });
        }
        plan
    }

    /// Visits all ways to fill in values. `before` holds the values before the step, and gets the inputs;
    /// `after` gets the others. Stops when `visit` returns false, or when more than `patience` values have
    /// been tried; returns whether it came to the end.
    pub(super) fn each<'m>(
        &self,
        evaluation: &mut Evaluation<'m>,
        system: &'m SynchronousSystem,
        before: &mut [Value],
        after: &mut [Value],
        patience: u64,
        visit: &mut dyn FnMut(&[Value], &[Value]) -> bool,
    ) -> bool {
        let mut fill = Fill { plan: self, evaluation, system, patience, visit };
        !fill.all_hold(&self.first, before, after) || fill.all(before, after)
    }
}

/// Reads `next(x) = …` as an assignment, so that not every value of `x` has to be tried. Of states, `x = …`.
fn as_assignment(system: &SynchronousSystem, demand: Demand, of_state: bool) -> Demand {
    let Demand::Holds(root) = demand else { return demand };
    let Node::Binary(Operator::Equal, left, right) = system.node(root) else { return demand };
    let target = |side: &ExprId| match (system.node(*side), of_state) {
        (Node::Current(variable), true) | (Node::Next(variable), false) => Some(*variable),
        _ => None,
    };
    let given = [(left, right), (right, left)].into_iter().find_map(|(side, value)| {
        let variable = target(side).filter(|id| system.variable(*id).role != Role::Input)?;
        let (current, next) = system.looks_at(*value);
        let needs_itself = if of_state { current.contains(&variable) } else { next.contains(&variable) };
        (!needs_itself).then_some(Demand::Assigned(variable, *value))
    });
    given.unwrap_or(demand)
}

/// Constraints that look at something unknown.
struct Open {
    checks: Vec<Option<Check>>,
    /// How many of the values that each looks at are unknown.
    missing: Vec<usize>,
    /// Which of them look at what is unknown.
    waiting: HashMap<Known, Vec<usize>>,
    /// The assignments to a variable.
    rules: HashMap<VariableId, Vec<usize>>,
    /// The places of variables.
    places: HashMap<VariableId, usize>,
    unknown: HashSet<Known>,
    /// Constraints that look at nothing unknown any more.
    complete: BTreeSet<usize>,
    /// Places of variables whose assignment has become complete.
    assignable: Vec<usize>,
}

impl Open {
    fn new(
        system: &SynchronousSystem,
        demands: Vec<(Demand, bool)>,
        rest: &[(VariableId, bool, Source)],
    ) -> Open {
        let mut open = Open {
            checks: Vec::new(),
            missing: Vec::new(),
            waiting: HashMap::new(),
            rules: HashMap::new(),
            places: HashMap::new(),
            unknown: rest.iter().map(|(id, side, _)| (*id, *side)).collect(),
            complete: BTreeSet::new(),
            assignable: Vec::new(),
        };
        for (place, (id, side, _)) in rest.iter().enumerate() {
            if *side {
                open.places.insert(*id, place);
            }
        }
        for (number, (demand, of_state)) in demands.into_iter().enumerate() {
            let demand = as_assignment(system, demand, of_state);
            let (Demand::Holds(root) | Demand::Assigned(_, root)) = demand;
            let (current, next) = system.looks_at(root);
            let current = current.into_iter().map(|variable| (variable, of_state));
            let needs: HashSet<Known> =
                current.chain(next.into_iter().map(|variable| (variable, true))).collect();
            let mut missing = 0;
            for need in needs.intersection(&open.unknown) {
                open.waiting.entry(*need).or_default().push(number);
                missing += 1;
            }
            if let Demand::Assigned(variable, _) = demand {
                open.rules.entry(variable).or_default().push(number);
            }
            open.checks.push(Some(Check { demand, order: system.below([root]), of_state }));
            open.missing.push(missing);
            if missing == 0 {
                open.completed(number);
            }
        }
        open
    }

    fn completed(&mut self, number: usize) {
        self.complete.insert(number);
        if let Some(Check { demand: Demand::Assigned(variable, _), .. }) = &self.checks[number]
            && let Some(place) = self.places.get(variable)
        {
            self.assignable.push(*place);
        }
    }

    /// Takes out the constraints that look at nothing unknown, and assign nothing unknown.
    fn ready(&mut self) -> Vec<Check> {
        let unknown = &self.unknown;
        let is_ready = |check: &Check| match check.demand {
            Demand::Assigned(variable, _) => !unknown.contains(&(variable, true)),
            Demand::Holds(_) => true,
        };
        let complete = std::mem::take(&mut self.complete);
        let mut ready = Vec::new();
        for number in complete {
            match self.checks[number].take_if(|check| is_ready(check)) {
                Some(check) => ready.push(check),
                None if self.checks[number].is_some() => {
                    self.complete.insert(number);
                }
                None => {}
            }
        }
        ready
    }

    /// Takes out an assignment to a variable that looks at nothing unknown.
    fn rule(&mut self, variable: VariableId) -> Option<Check> {
        let numbers = self.rules.get(&variable)?;
        let number = *numbers.iter().find(|number| self.complete.contains(number))?;
        self.complete.remove(&number);
        self.checks[number].take()
    }

    /// Takes note that a value is known.
    fn learn(&mut self, known: Known) {
        self.unknown.remove(&known);
        for number in self.waiting.remove(&known).unwrap_or_default() {
            self.missing[number] -= 1;
            if self.missing[number] == 0 {
                self.completed(number);
            }
        }
    }
}

struct Fill<'p, 'e, 'm, 'v> {
    plan: &'p Plan,
    evaluation: &'e mut Evaluation<'m>,
    system: &'m SynchronousSystem,
    patience: u64,
    visit: &'v mut dyn FnMut(&[Value], &[Value]) -> bool,
}

impl<'m> Fill<'_, '_, 'm, '_> {
    fn all_hold(&mut self, checks: &[Check], before: &[Value], after: &[Value]) -> bool {
        checks.iter().all(|check| check.holds(self.evaluation, before, after))
    }

    /// Fills in one slot after the other, and the next value of the last one when nothing is left to do after
    /// it. Returns whether to go on.
    fn all(&mut self, before: &mut [Value], after: &mut [Value]) -> bool {
        let slots = &self.plan.slots;
        let Some(first) = slots.first() else { return (self.visit)(before, after) };
        let mut open = vec![self.values(first, before, after)];
        while let Some(values) = open.last_mut() {
            let Some(value) = values.next() else {
                open.pop();
                continue;
            };
            let Some(patience) = self.patience.checked_sub(1) else { return false };
            self.patience = patience;
            let slot = &slots[open.len() - 1];
            let index = slot.variable.0 as usize;
            if self.system.variables[index].role == Role::Input {
                before[index] = value;
            } else {
                after[index] = value;
            }
            if !self.all_hold(&slot.checks, before, after) {
                continue;
            }
            match slots.get(open.len()) {
                Some(next) => {
                    let values = self.values(next, before, after);
                    open.push(values);
                }
                None if !(self.visit)(before, after) => return false,
                None => {}
            }
        }
        true
    }

    /// Returns the values for a slot.
    fn values(
        &mut self,
        slot: &Slot,
        before: &[Value],
        after: &[Value],
    ) -> Box<dyn Iterator<Item = Value> + 'm> {
        let index = slot.variable.0 as usize;
        let system = self.system;
        let domain = &system.variables[index].domain;
        match &slot.source {
            // One after the other: there may be more than fit into memory.
            Source::Domain => Box::new(domain.values()),
            Source::Kept => Box::new([before[index]].into_iter()),
            Source::Assigned(check) => {
                let mut values = check.members(self.evaluation, before, after);
                values.retain(|value| domain.contains(*value));
                Box::new(values.into_iter())
            }
        }
    }
}

impl Check {
    fn moment<'v>(&self, before: &'v [Value], after: &'v [Value]) -> Moment<'v> {
        if self.of_state { Moment::still(after) } else { Moment { current: before, next: after } }
    }

    fn members(&self, evaluation: &mut Evaluation<'_>, before: &[Value], after: &[Value]) -> Vec<Value> {
        let root = match self.demand {
            Demand::Holds(root) | Demand::Assigned(_, root) => root,
        };
        evaluation.members_after(root, &self.order, self.moment(before, after))
    }

    fn holds(&self, evaluation: &mut Evaluation<'_>, before: &[Value], after: &[Value]) -> bool {
        match self.demand {
            Demand::Holds(root) => {
                evaluation.ordered(&self.order, self.moment(before, after));
                evaluation.found(root) != 0
            }
            Demand::Assigned(variable, _) => {
                let value = after[variable.0 as usize];
                self.members(evaluation, before, after).contains(&value)
            }
        }
    }
}
