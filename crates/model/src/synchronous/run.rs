//! Runs of a synchronous system, and what is told of them.

use super::formula::Specification;
use super::machine::{Machine, Role, Value};
use super::reference::Reference;
use crate::{Change, Trace, TraceAtom, TraceStep};

/// A run: states with the inputs of the step that follows each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The values of all variables: of inputs, those of the step that follows.
    pub states: Vec<Vec<Value>>,
    /// For an endless run: which state follows the last one.
    pub cycle: Option<usize>,
}

impl Run {
    /// Replays the run. Returns `None` if it is not one of the machine's: then an engine is wrong.
    pub fn replay(&self, reference: &Reference<'_>, specification: Option<&Specification>) -> Option<Trace> {
        let first = self.states.first().filter(|state| reference.is_initial(state))?;
        let mut trace = Trace { initial: reference.pack(first), ..Trace::default() };
        let closing = self.cycle.map(|start| self.states.get(start)).into_iter().flatten();
        let mut after = self.states[1..].iter().chain(closing);
        for (before, after) in self.states.iter().zip(&mut after) {
            if !reference.is_step(before, after) {
                return None;
            }
            let changes = changes(reference.machine(), before, after);
            let state = reference.pack(after);
            trace.steps.push(TraceStep { moves: Vec::new(), violations: Vec::new(), state, changes });
        }
        trace.cycle = match self.cycle {
            Some(start) if start >= self.states.len() => return None,
            cycle => cycle,
        };
        if let Some(specification) = specification {
            let closing = self.cycle.map(|start| &self.states[start]);
            let values = |expression| {
                let states = self.states.iter().chain(closing);
                states.map(|state| reference.is_true(expression, state)).collect()
            };
            let atoms = specification.atoms.iter();
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

/// Tells the inputs of a step, and what it changes.
fn changes(machine: &Machine, before: &[Value], after: &[Value]) -> Vec<Change> {
    let mut list = Vec::new();
    for (index, variable) in machine.variables.iter().enumerate() {
        let (old, new) = (before[index], after[index]);
        let show = |value| Some(machine.show(value, variable.display));
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
