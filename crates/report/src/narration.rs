//! Runs of a model, told in the way of its form: as statements of processes, as values of variables, or as
//! labels.

use crate::chart::Chart;
use crate::diagram::svg as diagram_svg;
use crate::{Document, labels, run, trace_json, values};
use narrows_model::{Form, Model, Trace};

/// Writes a run as text.
pub(crate) fn steps(model: &Model, trace: &Trace, text: &mut String) {
    match &model.form {
        Form::Synchronous(_) if trace.initial.is_empty() => {}
        Form::Synchronous(system) => values::run_text(model, system, trace, text),
        Form::Labelled(_) => labels::steps(trace, text),
        _ => run::steps(model, trace, text),
    }
}

/// Writes a run as JSON.
pub(crate) fn document<'a>(model: &'a Model, trace: &'a Trace) -> Document<'a> {
    match &model.form {
        Form::Synchronous(system) => values::trace_document(model, system, trace),
        Form::Labelled(_) => labels::trace_document(trace),
        _ => trace_json::of_processes(model, trace),
    }
}

/// Draws a run in any case: what processes do, signals over time, or labels between states.
pub fn drawing(model: &Model, trace: &Trace, title: &str) -> String {
    match &model.form {
        Form::Synchronous(system) if !trace.initial.is_empty() => values::run_picture(system, trace, title),
        Form::Processes(_) => Chart::of(model, trace).svg(title),
        _ => diagram_svg(&[labels::diagram(trace)], title),
    }
}

/// Draws a run as text, from top to bottom: messages between processes, signals, or what happens at gates.
/// The first line names what is below; of columns, as many are shown as there is room for.
pub fn chart_lines(model: &Model, trace: &Trace, room: Option<usize>) -> Vec<String> {
    match &model.form {
        Form::Synchronous(_) if trace.initial.is_empty() => vec!["there is no first state yet".to_owned()],
        Form::Synchronous(system) => values::run_lines(system, trace, room),
        Form::Labelled(_) => labels::run_lines(trace, room),
        _ => Chart::of(model, trace).lines(room),
    }
}

/// Draws a run: messages between processes, or signals over time. `None` if there are none.
pub(crate) fn picture(model: &Model, trace: &Trace, title: &str) -> Option<String> {
    match &model.form {
        Form::Synchronous(_) if trace.initial.is_empty() => None,
        Form::Synchronous(system) => Some(values::run_picture(system, trace, title)),
        _ => {
            let chart = Chart::of(model, trace);
            chart.has_messages().then(|| chart.svg(title))
        }
    }
}
