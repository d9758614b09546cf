//! Runs of a synchronous system, and what is told of them.

use super::evaluate::{Evaluation, Moment};
use super::formula::Specification;
use super::reference::Reference;
use super::system::{Display, ExprId, Role, SynchronousSystem, Value};
use crate::{Change, Done, RunStep, Shown, Trace, TraceAtom};

/// A run: states with the inputs of the step that follows each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The values of all variables: of inputs, those of the step that follows.
    pub states: Vec<Vec<Value>>,
    /// For an endless run: which state follows the last one.
    pub cycle: Option<usize>,
}

impl Run {
    /// Replays the run. Returns `None` if it is not one of the system's: then an engine is wrong.
    pub fn replay(&self, reference: &Reference<'_>, specification: Option<&Specification>) -> Option<Trace> {
        let first = self.states.first().filter(|state| reference.is_initial(state))?;
        let mut trace = Trace { initial: reference.pack(first), ..Trace::default() };
        let closing = self.cycle.map(|start| self.states.get(start)).into_iter().flatten();
        let mut after = self.states[1..].iter().chain(closing);
        for (before, after) in self.states.iter().zip(&mut after) {
            if !reference.is_step(before, after) {
                return None;
            }
            let variables = reference.system().variables.iter().zip(before);
            let inputs = variables.filter(|(variable, _)| variable.role == Role::Input);
            let done = Done::Inputs(inputs.map(|(_, value)| *value).collect());
            trace.steps.push(RunStep { done, violations: Vec::new(), state: reference.pack(after) });
        }
        trace.cycle = match self.cycle {
            Some(start) if start >= self.states.len() => return None,
            cycle => cycle,
        };
        if let Some(specification) = specification {
            let closing = self.cycle.map(|start| &self.states[start]);
            let mut evaluation = Evaluation::new(reference.system());
            let mut values = |expression| {
                let places = (0..self.states.len()).chain(self.cycle);
                let is_so = |place: usize| {
                    let current = &self.states[place];
                    let next = self.states.get(place + 1).or(closing).unwrap_or(current);
                    evaluation.is_true(expression, Moment { current, next })
                };
                places.map(is_so).collect()
            };
            // Where a run ends there is no step of which anything could be said.
            let is_told = |expression| self.cycle.is_some() || !reference.system().is_of_step(expression);
            let atoms = specification.atoms.iter().filter(|(expression, ..)| is_told(*expression));
            trace.atoms = atoms
                .map(|(expression, text, span)| TraceAtom {
                    text: text.clone(),
                    span: *span,
                    values: values(*expression),
                })
                .collect();
        }
        Some(trace)
    }
}

impl Run {
    /// Returns whether something is not so in the last state, or, if it is about a step, in the last step.
    pub fn ends_without(&self, system: &SynchronousSystem, root: ExprId) -> bool {
        let mut evaluation = Evaluation::new(system);
        match (self.states.as_slice(), system.is_of_step(root)) {
            ([.., current, next], true) => !evaluation.is_true(root, Moment { current, next }),
            ([.., last], false) => !evaluation.is_true(root, Moment::still(last)),
            _ => false,
        }
    }
}

/// A value that is looked at along a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// What it is called.
    pub name: String,
    /// What it is, in terms of values before a step, inputs, and values after it.
    pub value: ExprId,
    /// How it is shown.
    pub display: Display,
}

impl Run {
    /// Returns the run that a trace tells of: the states, and the inputs of each step.
    pub fn of_trace(reference: &Reference<'_>, trace: &Trace) -> Run {
        let system = reference.system();
        let mut states = vec![reference.unpack(&trace.initial)];
        for step in &trace.steps {
            if let Some(last) = states.last_mut() {
                step.set_inputs(system, last);
            }
            states.push(reference.unpack(&step.state));
        }
        if trace.cycle.is_some() {
            states.pop();
        }
        Run { states, cycle: trace.cycle }
    }

    /// Returns what a signal is in each state, as it is shown; `None` where it depends on a step that does
    /// not follow.
    pub fn values_of(&self, system: &SynchronousSystem, signal: &Signal) -> Vec<Option<String>> {
        let (current, next) = system.looks_at(signal.value);
        let needs_step =
            !next.is_empty() || current.iter().any(|id| system.variable(*id).role == Role::Input);
        let mut evaluation = Evaluation::new(system);
        let after = |place: usize| {
            self.states.get(place + 1).or_else(|| self.cycle.and_then(|start| self.states.get(start)))
        };
        let value = |(place, state): (usize, &Vec<Value>)| {
            let next = after(place);
            if needs_step && next.is_none() {
                return None;
            }
            let moment = Moment { current: state, next: next.unwrap_or(state) };
            Some(system.show(evaluation.value(signal.value, moment), signal.display))
        };
        self.states.iter().enumerate().map(value).collect()
    }
}

/// Tells the inputs of a step, and what it changes.
pub fn changes(system: &SynchronousSystem, before: &[Value], after: &[Value]) -> Vec<Change> {
    let mut list = Vec::new();
    for (index, variable) in system.variables.iter().enumerate() {
        let (old, new) = (before[index], after[index]);
        let show = |value| Some(Shown { text: system.show(value, variable.display), number: Some(value) });
        let name = variable.name.clone();
        if variable.role == Role::Input {
            list.push(Change { name, before: None, after: show(old) });
        } else if old != new {
            list.push(Change { name, before: show(old), after: show(new) });
        }
    }
    list.sort_by_key(|change| change.before.is_some());
    list
}
