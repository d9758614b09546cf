//! In which order variables get their values when states are enumerated, and when constraints can be checked.
//!
//! A variable that is assigned gets its values from the assignment, after all variables that this looks at; any other gets
//! all values of its domain. Each constraint is checked as soon as all that it looks at is known.

use super::evaluate::{Evaluation, Moment};
use super::system::{Constraint, Demand, ExprId, Role, SynchronousSystem, Value, VariableId};

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

    /// Plans the enumeration of steps from a state: of inputs, which are filled in before it, and of states after it.
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
        let mut open: Vec<(Check, Vec<Known>)> = demands
            .into_iter()
            .map(|(demand, of_state)| {
                let root = match demand {
                    Demand::Holds(root) | Demand::Assigned(_, root) => root,
                };
                let (current, next) = system.looks_at(root);
                let current = current.into_iter().map(|variable| (variable, of_state));
                let needs = current.chain(next.into_iter().map(|variable| (variable, true))).collect();
                (Check { demand, order: system.below([root]), of_state }, needs)
            })
            .collect();
        let mut rest: Vec<(VariableId, bool, Source)> = system
            .each_variable()
            .filter_map(|(id, variable)| source(variable.role).map(|(side, source)| (id, side, source)))
            .collect();
        // Inputs first, then in the order of the text.
        rest.sort_by_key(|(_, side, _)| *side);
        let mut unknown: Vec<Known> = rest.iter().map(|(id, side, _)| (*id, *side)).collect();
        let mut plan = Plan { first: Vec::new(), slots: Vec::new() };
        plan.first = ready(&mut open, &unknown);
        while !rest.is_empty() {
            let assigned = |id: VariableId, unknown: &[Known]| {
                open.iter().position(|(check, needs)| {
                    matches!(check.demand, Demand::Assigned(other, _) if other == id)
                        && !needs.iter().any(|need| unknown.contains(need))
                })
            };
            let found = rest.iter().enumerate().find_map(|(index, (id, side, source))| {
                let is_free = *side && matches!(source, Source::Domain);
                if is_free {
                    assigned(*id, &unknown).map(|rule| (index, Some(rule)))
                } else {
                    Some((index, None))
                }
            });
            let (index, rule) = found.unwrap_or((0, None));
            let (variable, side, source) = rest.remove(index);
            let source = rule.map_or(source, |rule| Source::Assigned(open.remove(rule).0));
            unknown.retain(|known| *known != (variable, side));
            let checks = ready(&mut open, &unknown);
            plan.slots.push(Slot { variable, source, checks });
        }
        plan
    }

    /// Visits all ways to fill in values. `before` holds the values before the step, and gets the inputs; `after` gets the
    /// others. Stops when `visit` returns false.
    pub(super) fn each<'m>(
        &self,
        evaluation: &mut Evaluation<'m>,
        system: &'m SynchronousSystem,
        before: &mut [Value],
        after: &mut [Value],
        visit: &mut dyn FnMut(&[Value], &[Value]) -> bool,
    ) -> bool {
        let mut fill = Fill { plan: self, evaluation, system, visit };
        !fill.all_hold(&self.first, before, after) || fill.from(0, before, after)
    }
}

/// Takes out the constraints that look at nothing unknown.
fn ready(open: &mut Vec<(Check, Vec<Known>)>, unknown: &[Known]) -> Vec<Check> {
    let mut ready = Vec::new();
    let mut index = 0;
    while index < open.len() {
        let (check, needs) = &open[index];
        let assigned = match check.demand {
            Demand::Assigned(variable, _) => unknown.contains(&(variable, true)),
            Demand::Holds(_) => false,
        };
        if assigned || needs.iter().any(|need| unknown.contains(need)) {
            index += 1;
        } else {
            ready.push(open.remove(index).0);
        }
    }
    ready
}

struct Fill<'p, 'e, 'm, 'v> {
    plan: &'p Plan,
    evaluation: &'e mut Evaluation<'m>,
    system: &'m SynchronousSystem,
    visit: &'v mut dyn FnMut(&[Value], &[Value]) -> bool,
}

impl Fill<'_, '_, '_, '_> {
    fn all_hold(&mut self, checks: &[Check], before: &[Value], after: &[Value]) -> bool {
        checks.iter().all(|check| check.holds(self.evaluation, before, after))
    }

    /// Goes on with the slot of a number; returns whether to go on.
    fn from(&mut self, number: usize, before: &mut [Value], after: &mut [Value]) -> bool {
        let Some(slot) = self.plan.slots.get(number) else { return (self.visit)(before, after) };
        let index = slot.variable.0 as usize;
        let variable = &self.system.variables[index];
        let values = match &slot.source {
            Source::Domain => variable.domain.values().collect(),
            Source::Kept => vec![before[index]],
            Source::Assigned(check) => {
                let mut values = check.members(self.evaluation, before, after);
                values.retain(|value| variable.domain.contains(*value));
                values
            }
        };
        for value in values {
            if variable.role == Role::Input {
                before[index] = value;
            } else {
                after[index] = value;
            }
            if self.all_hold(&slot.checks, before, after) && !self.from(number + 1, before, after) {
                return false;
            }
        }
        true
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
