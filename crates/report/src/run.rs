//! A run as text: numbered steps, each with what it changed.

use std::fmt::Write;

use narrows_model::{Change, MoveKind, Trace, TraceMove, TraceStep, Violation};

use crate::Report;
use crate::report::{place, written};
use crate::units::grouped;

/// A run with more steps than this is shown without its middle.
const LONGEST: usize = 400;
/// Of a long run, this many steps at either end are shown.
const ENDS: usize = 100;

/// Writes the steps of a run.
pub(crate) fn steps(report: &Report<'_>, trace: &Trace, into: &mut String) {
    let total = trace.steps.len();
    let names = trace.steps.iter().flat_map(|step| &step.moves).map(|step| label(step).chars().count());
    let name_width = names.max().unwrap_or(0).min(24);
    let places = trace.steps.iter().flat_map(|step| &step.moves).map(|step| report.place(step.span).len());
    let layout =
        Layout { number: total.to_string().len(), name: name_width, place: places.max().unwrap_or(0) };
    for (index, step) in trace.steps.iter().enumerate() {
        if trace.cycle == Some(index) {
            let _ = writeln!(into, "  -- from here the run repeats --");
        }
        if total > LONGEST && index == ENDS {
            let hidden = grouped((total - 2 * ENDS) as u64);
            let _ = writeln!(into, "  … {hidden} steps left out; --trace saves all of them …");
        }
        if total <= LONGEST || index < ENDS || index >= total - ENDS {
            one_step(report, index + 1, step, &layout, into);
        }
    }
}

/// How wide the columns are.
struct Layout {
    number: usize,
    name: usize,
    place: usize,
}

fn one_step(report: &Report<'_>, number: usize, step: &TraceStep, layout: &Layout, into: &mut String) {
    let mut first = number.to_string();
    for step in step.visible_moves(&report.evaluator) {
        let (name, place) = (label(step), report.place(step.span));
        let role = match step.step.kind {
            MoveKind::Alone => "",
            MoveKind::Offer => "  (rendezvous)",
            MoveKind::Accept => "  (takes it)",
        };
        let _ = writeln!(
            into,
            "  {first:>number$}  {name:<width$}  {place:<where_$}  {text}{role}",
            number = layout.number,
            width = layout.name,
            where_ = layout.place,
            text = step.text,
        );
        first.clear();
    }
    let indent = layout.number + layout.name + 6;
    for change in &step.changes {
        let _ = writeln!(into, "{:indent$}{}", "", change_text(change));
    }
    for violation in &step.violations {
        let _ = writeln!(into, "{:indent$}! {}", "", violation_text(report, *violation));
    }
}

fn label(step: &TraceMove) -> String {
    format!("{}({})", step.process, step.step.pid)
}

fn change_text(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!("{}: {before} → {after}", change.name),
        (None, Some(after)) if after == "alive" => format!("{} starts", change.name),
        (Some(before), None) if before == "alive" => format!("{} ends", change.name),
        (None, Some(after)) => format!("{} = {after}", change.name),
        (Some(before), None) => format!("{} is gone (was {before})", change.name),
        (None, None) => change.name.clone(),
    }
}

/// Says what went wrong and where.
pub(crate) fn violation_text(report: &Report<'_>, violation: Violation) -> String {
    let place = place(report.sources, violation.span);
    let text = written(report.sources, violation.span);
    let message = violation.kind.message();
    match (place.as_str(), text) {
        ("", _) => message.to_owned(),
        (place, "") => format!("{message} at {place}"),
        (place, text) => format!("{message} at {place}: {text}"),
    }
}

/// Writes where every process is in the last state, and why it can't move.
pub(crate) fn stuck(report: &Report<'_>, trace: &Trace, into: &mut String) {
    if trace.initial.is_empty() {
        return;
    }
    let state = trace.last_state();
    let view = report.evaluator.describe(state);
    let disabled = report.evaluator.disabled(state);
    let _ = writeln!(into, "  now no process can move:");
    for process in &view.processes {
        let note = if process.may_end { " (may end here)" } else { "" };
        let _ = writeln!(into, "    {} waits at {}{note}", process.label(), report.place(process.span));
        for edge in disabled.iter().filter(|edge| edge.pid == process.pid) {
            let _ = writeln!(into, "      {}  {}: {}", report.place(edge.span), edge.text, edge.reason);
        }
    }
}
