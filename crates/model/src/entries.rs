//! A state as a list of everything in it that has a value, for pages and simulators.

use narrows_source::Span;

use crate::synchronous::{Reference, Role, SynchronousSystem};
use crate::{Area, Evaluator, Form, LabelledSystem, Model, Scalar};

/// Something that has a value in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateEntry {
    /// What kind of thing it is.
    pub group: EntryGroup,
    /// The process it belongs to; empty if it belongs to none.
    pub owner: String,
    /// Its name; empty for a process itself.
    pub name: String,
    /// Its value; for a process, its variables if it has no names for them.
    pub value: String,
    /// Where a process stands in the text.
    pub span: Option<Span>,
}

/// The kinds of things that have values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryGroup {
    /// A variable.
    Variable,
    /// A channel, with its messages.
    Channel,
    /// A process, with its place.
    Process,
    /// A variable of a process.
    Local,
}

impl Model {
    /// Returns everything that has a value in a state, in the order in which it is shown.
    pub fn entries(&self, state: &[u8]) -> Vec<StateEntry> {
        match &self.form {
            Form::Processes(system) => of_processes(Evaluator::new(system), state),
            Form::Synchronous(system) => of_variables(system, state),
            Form::Labelled(labelled) => of_parts(&*labelled.system, state),
        }
    }
}

fn of_processes(evaluator: Evaluator<'_>, state: &[u8]) -> Vec<StateEntry> {
    let leaves = &evaluator.system().globals;
    // A variable that always names the same channel is among the channels.
    let is_channel = |index: usize| {
        let leaf = leaves.get(index).filter(|leaf| leaf.scalar == Scalar::Channel);
        leaf.is_some_and(|leaf| evaluator.is_channel_constant(Area::Global, None, leaf.offset))
    };
    let entry = |group, owner: &str, name: &str, value: String| {
        let (owner, name) = (owner.to_owned(), name.to_owned());
        StateEntry { group, owner, name, value, span: None }
    };
    let view = evaluator.describe(state);
    let mut entries = Vec::new();
    for (_, variable) in view.globals.iter().enumerate().filter(|(index, _)| !is_channel(*index)) {
        entries.push(entry(EntryGroup::Variable, "", &variable.name, variable.value.clone()));
    }
    for channel in view.channels.iter().filter(|channel| channel.capacity > 0) {
        let value = format!("{} of {}: {}", channel.messages.len(), channel.capacity, channel.contents());
        entries.push(entry(EntryGroup::Channel, "", &channel.label(), value));
    }
    for process in &view.processes {
        let owner = process.label();
        let span = Some(process.span);
        entries.push(StateEntry { span, ..entry(EntryGroup::Process, &owner, "", String::new()) });
        for local in &process.locals {
            entries.push(entry(EntryGroup::Local, &owner, &local.name, local.value.clone()));
        }
    }
    entries
}

fn of_variables(system: &SynchronousSystem, state: &[u8]) -> Vec<StateEntry> {
    if state.is_empty() {
        return Vec::new();
    }
    let values = Reference::new(system).unpack(state);
    let known = system.variables.iter().zip(values).filter(|(variable, _)| variable.role != Role::Input);
    let entry = |(variable, value): (&crate::synchronous::Variable, i128)| StateEntry {
        group: EntryGroup::Variable,
        owner: String::new(),
        name: variable.name.clone(),
        value: system.show(value, variable.display),
        span: None,
    };
    known.map(entry).collect()
}

fn of_parts(system: &dyn LabelledSystem, state: &[u8]) -> Vec<StateEntry> {
    let entry = |(number, part): (usize, crate::StatePart)| StateEntry {
        group: EntryGroup::Process,
        owner: format!("process {}", number + 1),
        name: String::new(),
        value: part.values,
        span: part.span,
    };
    system.describe(state).into_iter().enumerate().map(entry).collect()
}
