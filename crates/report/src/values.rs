//! Runs of synchronous systems: the values of variables, and what each step changes.

use std::fmt::Write;

use narrows_model::synchronous::{Reference, Role, Run, SynchronousSystem};
use narrows_model::{Model, Narrator, Trace, TraceStep};
use serde_json::{Map, Value, json};

use crate::Document;
use crate::columns::{self, Column};
use crate::plot::{Waves, waves};
use crate::run::{change_text, each_step};
use crate::trace_json::{atoms, change_value};

/// Writes a run: the first state, then what each step changes.
pub(crate) fn run_text(model: &Model, system: &SynchronousSystem, trace: &Trace, text: &mut String) {
    let narrator = Narrator::new(model);
    let reference = Reference::new(system);
    let first = reference.unpack(&trace.initial);
    let total = trace.steps.len();
    let width = total.to_string().len();
    let values: Vec<String> = system
        .variables
        .iter()
        .zip(&first)
        .filter(|(variable, _)| variable.role != Role::Input)
        .map(|(variable, value)| format!("{} = {}", variable.name, system.show(*value, variable.display)))
        .collect();
    for (number, line) in values.chunks(4).enumerate() {
        let label = if number == 0 { "0".to_owned() } else { String::new() };
        let _ = writeln!(text, "  {label:>width$}  {}", line.join(", "));
    }
    for atom in &trace.atoms {
        if let Some(value) = atom.values.first() {
            let _ = writeln!(text, "  {:>width$}  ◆ {}: {value}", "", atom.text);
        }
    }
    each_step(trace, text, |index, bar, text| {
        let bar = bar.text();
        let changes: Vec<String> = narrator.step(trace, index).changes.iter().map(change_text).collect();
        let said = if changes.is_empty() { "nothing changes".to_owned() } else { changes.join(", ") };
        let _ = writeln!(text, "{bar}{:>width$}  {said}", index + 1);
        for atom in &trace.atoms {
            if let Some([before, after]) = atom.values.get(index..index + 2)
                && before != after
            {
                let _ = writeln!(text, "{bar}{:>width$}  ◆ {}: {before} → {after}", "", atom.text);
            }
        }
    });
    if let Some(start) = trace.cycle.filter(|start| *start < total) {
        let _ = writeln!(text, "└─ back to step {}", start + 1);
    }
}

/// Of a run without signals, so many variables are drawn.
const MAX_DRAWN_VARIABLES: usize = 24;

/// Draws a run: signals over time.
pub(crate) fn run_picture(system: &SynchronousSystem, trace: &Trace, title: &str) -> String {
    let run = Run::of_trace(&Reference::new(system), trace);
    waves(&Waves { title, rows: &signals(system, trace, &run), part: trace.part, cycle: run.cycle })
}

/// Draws a run as text, from top to bottom.
pub(crate) fn run_lines(system: &SynchronousSystem, trace: &Trace, room: Option<usize>) -> Vec<String> {
    let run = Run::of_trace(&Reference::new(system), trace);
    let column = |(name, values)| Column { name, values, is_event: false };
    let columns: Vec<Column> = signals(system, trace, &run).into_iter().map(column).collect();
    if columns.is_empty() {
        return vec!["nothing has changed so far".to_owned()];
    }
    columns::lines(&columns, run.cycle, room)
}

/// Returns the signals of a model in each state of a run, or if it has none, what the formula looks at and
/// the variables that change.
fn signals(system: &SynchronousSystem, trace: &Trace, run: &Run) -> Vec<(String, Vec<Option<String>>)> {
    let signals = &system.signals;
    let truth = |value: &bool| Some(if *value { "TRUE" } else { "FALSE" }.to_owned());
    let mut rows: Vec<(String, Vec<Option<String>>)> = Vec::new();
    if signals.is_empty() {
        for atom in &trace.atoms {
            rows.push((atom.text.clone(), atom.values.iter().take(run.states.len()).map(truth).collect()));
        }
        for (index, variable) in system.variables.iter().enumerate() {
            let changes = run.states.windows(2).any(|pair| pair[0][index] != pair[1][index]);
            if changes && rows.len() < MAX_DRAWN_VARIABLES {
                let last = run.states.len() - 1;
                let is_known =
                    |place: usize| variable.role != Role::Input || place < last || run.cycle.is_some();
                let shown = |(place, state): (usize, &Vec<i128>)| {
                    is_known(place).then(|| system.show(state[index], variable.display))
                };
                rows.push((variable.name.clone(), run.states.iter().enumerate().map(shown).collect()));
            }
        }
    } else {
        rows.extend(signals.iter().map(|signal| (signal.name.clone(), run.values_of(system, signal))));
    }
    rows
}

/// Writes a run as JSON.
pub(crate) fn trace_document<'a>(
    model: &'a Model,
    system: &SynchronousSystem,
    trace: &'a Trace,
) -> Document<'a> {
    let first = Reference::new(system).unpack(&trace.initial);
    let mut values = Map::new();
    for (variable, value) in system.variables.iter().zip(&first) {
        if variable.role != Role::Input && !trace.initial.is_empty() {
            values.insert(variable.name.clone(), json!(system.show(*value, variable.display)));
        }
    }
    let step = |step: TraceStep| {
        let changes: Vec<Value> = step.changes.iter().map(change_value).collect();
        Document::from(json!({ "changes": changes }))
    };
    let mut document = Document::from(Map::new());
    document.insert("values", Value::Object(values));
    document.insert("cycle", json!(trace.cycle));
    document.insert("atoms", atoms(&model.sources, trace));
    let steps = move || {
        let narrator = Narrator::new(model);
        (0..trace.steps.len()).map(move |index| step(narrator.step(trace, index)))
    };
    document.insert("steps", Document::list(steps));
    document
}
