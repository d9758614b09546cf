//! Steps and verdicts as lines of text.

use std::fmt::Write as _;

use narrows_model::{Action, Change, Event, MoveKind, TraceStep, Violation};
use narrows_report::one_line;

use super::session::{Session, Status};

/// Says what moves in a step, as `P(0) file:line [statement]`, for each move that says something.
pub(super) fn moves(session: &Session<'_>, step: &TraceStep) -> Vec<String> {
    let shown = step.visible_actions().map(|action| {
        format!("{}  {}  [{}]", actor(action), session.place(action.span), one_line(&action.label))
    });
    shown.collect()
}

/// Names the process that acts.
fn actor(action: &Action) -> String {
    action.actor.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Says what a step does in one line, as `P(0) x = 1; y = 2` or `P(0) c!1 → Q(1) c?x`.
pub(super) fn title(step: &TraceStep) -> String {
    let mut title = String::new();
    let mut last: Option<&Action> = None;
    for action in step.visible_actions() {
        let separator = match (last, action.transition().map(|step| step.kind)) {
            (None, _) => "",
            (_, Some(MoveKind::Accept)) => " → ",
            _ => "; ",
        };
        title.push_str(separator);
        if last.is_none_or(|last| last.actor != action.actor) {
            let _ = write!(title, "{} ", actor(action));
        }
        title.push_str(&one_line(&action.label));
        last = Some(action);
    }
    title
}

/// Says what a step changed, as `x: 0 → 1`.
pub(super) fn change(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!("{}: {before} → {after}", change.name),
        (None, Some(after)) if after.text == "alive" => format!("{} starts", change.name),
        (Some(before), None) if before.text == "alive" => format!("{} ends", change.name),
        (None, Some(after)) => format!("{}: {after}", change.name),
        (_, None) => format!("{} is gone", change.name),
    }
}

/// Says how an endless run goes on after its last step.
pub(super) fn cycle(start: usize, steps: usize) -> String {
    if start < steps {
        format!("and again from step {} on, for ever", start + 1)
    } else {
        "and stays there for ever".to_owned()
    }
}

/// Says what went wrong and where.
pub(super) fn violation(session: &Session<'_>, violation: &Violation) -> String {
    format!("{} at {}", violation.kind.message(), session.place(violation.span))
}

/// Returns the lines of the last step that was taken: its moves, its output, what it changed and what went wrong.
pub(super) fn last_step(session: &Session<'_>) -> String {
    let mut lines = String::new();
    let Some(taken) = session.last() else { return lines };
    for (index, text) in moves(session, &taken.step).iter().enumerate() {
        let number = if index == 0 { session.step_number().to_string() } else { String::new() };
        let _ = writeln!(lines, "{number:>4}  {text}");
    }
    for line in output(session).lines() {
        let _ = writeln!(lines, "        > {line}");
    }
    // A process that is gone takes its variables along: they need no lines of their own.
    let told =
        taken.step.changes.iter().filter(|change| change.after.is_some() || !change.name.contains('.'));
    for entry in told {
        let _ = writeln!(lines, "        {}", change(entry));
    }
    for (atom, value, _) in session.atoms().filter(|(_, _, changed)| *changed) {
        let _ = writeln!(lines, "        ◆ {atom}: {} → {value}", !value);
    }
    for found in &taken.step.violations {
        let _ = writeln!(lines, "      ! {}", violation(session, found));
    }
    lines
}

/// Returns what the last step printed.
pub(super) fn output(session: &Session<'_>) -> String {
    let before = session.position().saturating_sub(1);
    let events = session.past()[before..].iter().flat_map(|taken| &taken.events);
    let texts = events.filter_map(|event| match event {
        Event::Printed { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Says how things stand, in one line.
pub(super) fn verdict(session: &Session<'_>) -> String {
    let steps = match session.step_number() {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    };
    if let Some(found) = session.violations().first() {
        return format!("violation after {steps}: {}", violation(session, found));
    }
    match session.status() {
        Status::Running | Status::Faulted => format!("stopped after {steps}"),
        Status::Ended => format!("end after {steps}"),
        Status::Deadlock => format!("deadlock after {steps}: {}", stuck(session)),
    }
}

/// Says who is not where it may end.
fn stuck(session: &Session<'_>) -> String {
    let view = session.view();
    let stuck = view.processes.iter().filter(|process| !process.may_end);
    let places = stuck.map(|process| format!("{} at {}", process.label(), session.place(process.span)));
    places.collect::<Vec<_>>().join(", ")
}
