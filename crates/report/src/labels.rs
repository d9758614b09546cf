//! Runs of processes whose steps have labels: nothing else of them is shown. The transition of a step is its
//! number among those of its state.

use std::fmt::Write;

use narrows_model::{Done, RunStep, Trace};
use serde_json::{Map, Value, json};

use crate::Document;
use crate::columns::{self, Column};
use crate::diagram::{Diagram, DiagramEdge, DiagramNode};
use crate::error::TraceError;
use crate::run::{each_step, one_line};
use crate::trace_json::{find_trace, read_cycle, strings};

/// Returns the label of a step.
fn label(step: &RunStep) -> &str {
    step.label().unwrap_or_default()
}

/// Writes the steps of a run.
pub(crate) fn steps(trace: &Trace, into: &mut String) {
    let total = trace.steps.len();
    let width = total.to_string().len();
    each_step(trace, into, |index, bar, into| {
        let label = label(&trace.steps[index]);
        let _ = writeln!(into, "{}{:>width$}  {}", bar.text(), index + 1, one_line(label));
    });
    if let Some(start) = trace.cycle.filter(|start| *start < total) {
        let _ = writeln!(into, "└─ back to step {}", start + 1);
    }
}

/// Draws a run as text, from top to bottom: what happens at each gate.
pub(crate) fn run_lines(trace: &Trace, room: Option<usize>) -> Vec<String> {
    let mut columns: Vec<Column> = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let label = label(step);
        let (gate, values) = label.split_at(label.find(" !").unwrap_or(label.len()));
        let place = columns.iter().position(|column| column.name == gate).unwrap_or_else(|| {
            let values = vec![None; trace.steps.len() + 1];
            columns.push(Column { name: gate.to_owned(), values, is_event: true });
            columns.len() - 1
        });
        columns[place].values[index + 1] = Some(values.to_owned());
    }
    columns::lines(&columns, trace.cycle.map(|start| start + 1), room)
}

/// Draws a run as states with its labels between them; of a long one, the ends.
pub(crate) fn diagram(trace: &Trace) -> Diagram {
    let total = trace.steps.len();
    let is_drawn = |state: usize| {
        total <= MAX_DRAWN_STEPS || state < MAX_DRAWN_STEPS / 2 || state + MAX_DRAWN_STEPS / 2 > total
    };
    let cycle = trace.cycle.filter(|start| *start < total);
    // The last state of an endless run is the one that its cycle begins with.
    let last = if cycle.is_some() { total } else { total + 1 };
    let shown: Vec<usize> = (0..last).filter(|state| is_drawn(*state)).collect();
    let node = |state: &usize| DiagramNode {
        name: state.to_string(),
        is_end: cycle.is_none() && *state == total,
        ..DiagramNode::default()
    };
    let place = |state: usize| shown.iter().position(|known| *known == state);
    let edge = |(index, step): (usize, &RunStep)| {
        let to = if index + 1 == last { cycle? } else { index + 1 };
        Some(DiagramEdge { from: place(index)?, to: place(to)?, label: one_line(label(step)) })
    };
    let edges = trace.steps.iter().enumerate().filter_map(edge).collect();
    Diagram { title: String::new(), nodes: shown.iter().map(node).collect(), edges }
}

/// So many steps are drawn.
const MAX_DRAWN_STEPS: usize = 60;

/// Makes the value of `"trace"` in answers and in documents.
pub(crate) fn trace_document(trace: &Trace) -> Document<'_> {
    let step = move |(index, step): (usize, &RunStep)| {
        let mut entry = Map::new();
        entry.insert("label".into(), json!(label(step)));
        if let Some(time) = trace.times.get(index) {
            entry.insert("time".into(), json!(time));
        }
        Document::from(Value::Object(entry))
    };
    let choice = |step: &RunStep| match step.done {
        Done::Label { number, .. } => Document::from(json!(number)),
        _ => Document::from(Value::Null),
    };
    let mut document = Document::from(Map::new());
    document.insert("choices", Document::list(move || trace.steps.iter().map(choice)));
    document.insert("cycle", json!(trace.cycle));
    document.insert("steps", Document::list(move || trace.steps.iter().enumerate().map(step)));
    document
}

/// A recorded run of labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedLabels {
    /// The values that were given to parameters.
    pub definitions: Vec<String>,
    /// The steps.
    pub steps: Vec<RecordedLabel>,
    /// For an endless run: the step that comes again after the last one.
    pub cycle: Option<usize>,
}

/// A step of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLabel {
    /// Its label.
    pub label: String,
    /// Which of the steps of its state it is, if that is known.
    pub choice: Option<usize>,
}

/// Reads a run of labels from a document of its own, or from the first answer that has one.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn read_labels(document: &Value) -> Result<RecordedLabels, TraceError> {
    let (trace, steps) = find_trace(document)?;
    let choices = trace.get("choices").and_then(Value::as_array);
    let choice = |index: usize| Some(choices?.get(index)?.as_u64()? as usize);
    let read = |(index, step): (usize, &Value)| {
        let label = step.get("label").and_then(Value::as_str).map(str::to_owned);
        let label = label.ok_or(TraceError::NoLabel(index + 1))?;
        Ok(RecordedLabel { label, choice: choice(index) })
    };
    Ok(RecordedLabels {
        definitions: strings(document.get("definitions")),
        steps: steps.iter().enumerate().map(read).collect::<Result<_, TraceError>>()?,
        cycle: read_cycle(trace, steps.len())?,
    })
}
