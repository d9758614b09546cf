//! Runs of processes whose steps have labels: nothing else of them is shown.

use std::fmt::Write;

use narrows_model::{Trace, TraceStep};
use serde_json::{Map, Value, json};

use crate::run::{Bar, is_shown, left_out, one_line, passed_time, repeats};

/// Returns the label of a step.
fn label(step: &TraceStep) -> &str {
    step.moves.first().map_or("", |step| &step.text)
}

/// Writes the steps of a run.
pub(crate) fn steps(trace: &Trace, into: &mut String) {
    let total = trace.steps.len();
    let width = total.to_string().len();
    let cycle = trace.cycle.filter(|start| *start < total);
    let mut next = 0;
    for (index, step) in trace.steps.iter().enumerate() {
        if !is_shown(index, total, cycle) {
            continue;
        }
        left_out(index - next, Bar::at(next, cycle), into);
        next = index + 1;
        if cycle == Some(index) {
            let _ = writeln!(into, "┌─ cycle: {} for ever", repeats(index, total));
        }
        let bar = Bar::at(index, cycle);
        passed_time(trace, index, bar, into);
        let _ = writeln!(into, "{}{:>width$}  {}", bar.text(), index + 1, one_line(label(step)));
    }
    if let Some(start) = cycle {
        let _ = writeln!(into, "└─ back to step {}", start + 1);
    }
}

/// Makes the value of `"trace"` in answers and in documents.
pub(crate) fn trace_value(trace: &Trace) -> Value {
    let step = |(index, step): (usize, &TraceStep)| {
        let mut entry = Map::new();
        entry.insert("label".into(), json!(label(step)));
        if let Some(time) = trace.times.get(index) {
            entry.insert("time".into(), json!(time));
        }
        Value::Object(entry)
    };
    let steps: Vec<Value> = trace.steps.iter().enumerate().map(step).collect();
    json!({ "cycle": trace.cycle, "steps": steps })
}
