//! The meaning of a synchronous system: its first states and its steps, one by one.

use super::evaluate::{Evaluation, Moment};
use super::plan::Plan;
use super::system::{Constraint, Demand, ExprId, Role, SynchronousSystem, Value};
use crate::{Expansion, Scratch, StateSpace, Successor, Violation, Visit};

/// Defines what a synchronous system does.
///
/// Values are listed by variable; those of inputs count in steps alone. As a [`StateSpace`], a state is the
/// index of each value in its domain, in as few bytes as the domain needs. If there is not exactly one first
/// state, the space starts in an empty state, whose successors are the first states.
#[derive(Clone, Debug)]
pub struct Reference<'m> {
    system: &'m SynchronousSystem,
    initial: Plan,
    step: Plan,
}

impl<'m> Reference<'m> {
    /// Prepares a synchronous system.
    pub fn new(system: &'m SynchronousSystem) -> Self {
        Reference { system, initial: Plan::initial(system), step: Plan::step(system) }
    }

    /// Returns the system.
    pub fn system(&self) -> &'m SynchronousSystem {
        self.system
    }

    /// Returns values to start from: the first of each domain.
    fn blank(&self) -> Vec<Value> {
        let first = |domain: &super::Domain| domain.value(0).unwrap_or(0);
        self.system.variables.iter().map(|variable| first(&variable.domain)).collect()
    }

    /// Visits every first state, until `visit` returns false.
    pub fn initial_states(&self, visit: &mut dyn FnMut(&[Value]) -> bool) {
        self.initial_states_within(u64::MAX, visit);
    }

    /// Visits first states, until `visit` returns false or so many values have been tried; returns whether
    /// all have been visited. Constraints that hardly any values meet can keep it busy without a visit.
    pub fn initial_states_within(&self, patience: u64, visit: &mut dyn FnMut(&[Value]) -> bool) -> bool {
        let (mut before, mut after) = (self.blank(), self.blank());
        let mut evaluation = Evaluation::new(self.system);
        let visit = &mut |_: &[Value], state: &[Value]| visit(state);
        self.initial.each(&mut evaluation, self.system, &mut before, &mut after, patience, visit)
    }

    /// Visits every step from a state, with the state and the inputs before it and the state after it, until
    /// `visit` returns false. The same step comes once for each choice of inputs that allows it.
    pub fn steps(&self, state: &[Value], visit: &mut dyn FnMut(&[Value], &[Value]) -> bool) {
        self.steps_within(state, u64::MAX, visit);
    }

    /// As [`Self::steps`], until so many values have been tried; returns whether all steps have been visited.
    pub fn steps_within(
        &self,
        state: &[Value],
        patience: u64,
        visit: &mut dyn FnMut(&[Value], &[Value]) -> bool,
    ) -> bool {
        let (mut before, mut after) = (state.to_vec(), self.blank());
        let mut evaluation = Evaluation::new(self.system);
        self.step.each(&mut evaluation, self.system, &mut before, &mut after, patience, visit)
    }

    /// Returns whether these are the values of a first state.
    pub fn is_initial(&self, state: &[Value]) -> bool {
        self.is_state(state) && self.all_hold(&self.system.initial, Moment::still(state), state)
    }

    /// Returns whether all invariants hold, and every value is in its domain.
    pub fn is_state(&self, state: &[Value]) -> bool {
        let mut all = self.system.variables.iter().zip(state);
        all.all(|(variable, value)| variable.domain.contains(*value))
            && self.all_hold(&self.system.invariants, Moment::still(state), state)
    }

    /// Returns whether there is a step from a state, with these inputs, to a state.
    pub fn is_step(&self, before: &[Value], after: &[Value]) -> bool {
        let mut all = self.system.variables.iter().zip(before.iter().zip(after));
        all.all(|(variable, (old, new))| variable.role != Role::Frozen || old == new)
            && self.is_state(after)
            && self.all_hold(&self.system.transitions, Moment { current: before, next: after }, after)
    }

    /// Returns whether something is so in a state.
    pub fn is_true(&self, expression: ExprId, state: &[Value]) -> bool {
        Evaluation::new(self.system).is_true(expression, Moment::still(state))
    }

    fn all_hold(&self, constraints: &[Constraint], moment: Moment<'_>, target: &[Value]) -> bool {
        let mut evaluation = Evaluation::new(self.system);
        // What several constraints look at is evaluated once.
        let roots = constraints.iter().map(|constraint| match constraint.demand {
            Demand::Holds(root) | Demand::Assigned(_, root) => root,
        });
        evaluation.ordered(&self.system.below(roots), moment);
        constraints.iter().all(|constraint| match constraint.demand {
            Demand::Holds(root) => evaluation.found(root) != 0,
            Demand::Assigned(variable, root) => {
                evaluation.members_after(root, &[], moment).contains(&target[variable.0 as usize])
            }
        })
    }

    /// Returns how many bytes each value takes, in the order of the variables; 0 for inputs.
    fn widths(&self) -> impl Iterator<Item = usize> + '_ {
        self.system.variables.iter().map(|variable| {
            let largest = variable.domain.len() - 1;
            if variable.role == Role::Input {
                0
            } else {
                (128 - largest.leading_zeros()).div_ceil(8).max(1) as usize
            }
        })
    }

    /// Returns whether bytes are no state, but what stands before all first states.
    pub fn is_start(&self, bytes: &[u8]) -> bool {
        bytes.is_empty() && self.widths().any(|width| width > 0)
    }

    /// Writes a state as bytes.
    pub fn pack(&self, state: &[Value]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for ((variable, value), width) in self.system.variables.iter().zip(state).zip(self.widths()) {
            let index = variable.domain.index(*value).unwrap_or(0);
            bytes.extend(&index.to_le_bytes()[..width]);
        }
        bytes
    }

    /// Reads a state from bytes; inputs get the first value of their domain.
    pub fn unpack(&self, bytes: &[u8]) -> Vec<Value> {
        let mut state = self.blank();
        let mut rest = bytes;
        for ((variable, value), width) in self.system.variables.iter().zip(&mut state).zip(self.widths()) {
            let (mine, after) = rest.split_at(width.min(rest.len()));
            let mut index = [0; 16];
            index[..mine.len()].copy_from_slice(mine);
            if width > 0 {
                *value = variable.domain.value(u128::from_le_bytes(index)).unwrap_or(*value);
            }
            rest = after;
        }
        state
    }
}

impl StateSpace for Reference<'_> {
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let mut found = Vec::new();
        self.initial_states(&mut |state| {
            found.push(self.pack(state));
            found.len() < 2
        });
        let only = if found.len() == 1 { found.pop() } else { None };
        Ok((only.unwrap_or_default(), Vec::new()))
    }

    fn successors(&self, state: &[u8], _: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let mut seen = std::collections::BTreeSet::new();
        let mut found = false;
        let mut each = |after: &[Value]| {
            found = true;
            let target = self.pack(after);
            if !seen.insert(target.clone()) {
                return true;
            }
            let successor = Successor { target: Some(&target), ..Successor::default() };
            visit(successor).is_continue()
        };
        if self.is_start(state) {
            self.initial_states(&mut each);
        } else {
            self.steps(&self.unpack(state), &mut |_, after| each(after));
        }
        if found { Expansion::Moves } else { Expansion::Deadlock }
    }
}
