//! Steps, states and verdicts as lines of text.

use std::fmt::Write as _;

use narrows_model::{
    Action, Change, EntryGroup, Event, FormKind, Model, MoveKind, StateEntry, TraceStep, Violation,
};
use narrows_report::{change_line, count, one_line};

use super::{Session, Status};

/// So much of a text is shown where a process goes.
const MAX_EXCERPT: usize = 40;

fn kind(session: &Session<'_>) -> FormKind {
    session.model().form.kind()
}

/// Says what moves in a step, as `P(0) file:line [statement]`, for each move that says something.
fn moves(session: &Session<'_>, step: &TraceStep) -> Vec<String> {
    let shown = step.visible_actions().map(|action| {
        format!("{}  {}  [{}]", actor(action), session.place(action.span), one_line(&action.label))
    });
    shown.collect()
}

/// Names the process that acts.
fn actor(action: &Action) -> String {
    action.actor.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// Says what a step does in one line: who acts, as `P(0) x = 1; y = 2` or `P(0) c!1 → Q(1) c?x`; its label;
/// or what it changes.
pub fn title(step: &TraceStep) -> String {
    if step.actions.is_empty() {
        let changes: Vec<String> = step.changes.iter().map(change_line).collect();
        return if changes.is_empty() { "nothing changes".to_owned() } else { changes.join(", ") };
    }
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
            title.extend(action.actor.as_ref().map(|actor| format!("{actor} ")));
        }
        title.push_str(&one_line(&action.label));
        last = Some(action);
    }
    title
}

/// Says where a step leads, where its title alone does not tell it from others.
pub fn target(session: &Session<'_>, step: &TraceStep) -> String {
    if kind(session) != FormKind::Labelled {
        return String::new();
    }
    if step.state == session.state() {
        return "everything stays".to_owned();
    }
    let processes = |state: &[u8]| {
        let all = session.model().entries(state).into_iter();
        all.filter(|entry| entry.group == EntryGroup::Process).collect::<Vec<_>>()
    };
    let (before, after) = (processes(session.state()), processes(&step.state));
    let is_same =
        |(one, other): &(&StateEntry, &StateEntry)| one.span == other.span && one.value == other.value;
    let ahead = before.iter().zip(&after).take_while(is_same).count();
    let most = before.len().min(after.len()) - ahead;
    let behind = before.iter().rev().zip(after.iter().rev()).take(most).take_while(is_same).count();
    let (old, new) = (&before[ahead..before.len() - behind], &after[ahead..after.len() - behind]);
    if new.is_empty() {
        return format!("{} gone", count(old.len() as u64, "process"));
    }
    let moved = |index: &usize| old.len() != new.len() || !is_same(&(&old[*index], &new[*index]));
    let told = (0..new.len()).filter(moved).map(|index| {
        let number = if after.len() > 1 { format!("{} ", ahead + index + 1) } else { String::new() };
        format!("{number}→ {}", stand(session, &new[index]))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// Says where a process stands that has no name: its values, and its place.
fn stand(session: &Session<'_>, process: &StateEntry) -> String {
    let Some(span) = process.span else {
        return if process.value.is_empty() { "stopped".to_owned() } else { process.value.clone() };
    };
    let values = if process.value.is_empty() { String::new() } else { format!("({}) ", process.value) };
    let line = session.line(span).map_or(String::new(), |line| format!(":{line} "));
    format!("{values}{line}{}", excerpt(session.sources().text(span)))
}

/// Returns the beginning of a text.
pub(super) fn excerpt(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// Says what a step changed, as `x: 0 → 1`.
fn change(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!("{}: {before} → {after}", change.name),
        (None, Some(after)) if after.text == "alive" => format!("{} starts", change.name),
        (Some(before), None) if before.text == "alive" => format!("{} ends", change.name),
        (None, Some(after)) => format!("{}: {after}", change.name),
        (_, None) => format!("{} is gone", change.name),
    }
}

/// Returns a line for where the cycle of an endless run starts, if the current state or the step to it is
/// that place.
pub fn cycle_start(session: &Session<'_>) -> Option<&'static str> {
    let position = session.position();
    let (place, line) = match kind(session) {
        FormKind::Processes => (position.checked_sub(1)?, "      the cycle starts here"),
        FormKind::Synchronous => (position, "      the cycle starts here"),
        FormKind::Labelled => (position.checked_sub(1)?, "        the cycle starts here"),
    };
    (session.cycle() == Some(place)).then_some(line)
}

/// Says how an endless run goes on after its last step.
pub fn cycle_end(session: &Session<'_>) -> Option<String> {
    let start = session.cycle()?;
    let comes_again = start < session.history().len();
    Some(match kind(session) {
        FormKind::Synchronous => format!("      and again from state {start} on, for ever"),
        FormKind::Processes if comes_again => format!("      and again from step {} on, for ever", start + 1),
        FormKind::Processes => "      and stays there for ever".to_owned(),
        FormKind::Labelled if comes_again => {
            format!("        and again from step {} on, for ever", start + 1)
        }
        FormKind::Labelled => "        and then nothing, for ever".to_owned(),
    })
}

/// Says what went wrong and where.
pub fn violation(session: &Session<'_>, violation: &Violation) -> String {
    format!("{} at {}", violation.kind.message(), session.place(violation.span))
}

/// Returns the lines of the last step that was taken: what was done, what was printed, changed and went
/// wrong. Of a first state that is nothing but values, those.
pub fn last_step(session: &Session<'_>) -> String {
    match kind(session) {
        FormKind::Processes => of_processes(session),
        FormKind::Synchronous => of_values(session),
        FormKind::Labelled => session.last().map_or_else(String::new, |taken| {
            format!("{:>6}  {}\n", session.step_number(), title(&taken.step))
        }),
    }
}

fn of_processes(session: &Session<'_>) -> String {
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

fn of_values(session: &Session<'_>) -> String {
    let mut lines = String::new();
    let number = session.step_number();
    match session.last() {
        Some(taken) => {
            let _ = writeln!(lines, "{number:>4}  {}", title(&taken.step));
        }
        None => {
            let values =
                session.entries().into_iter().map(|entry| format!("{} = {}", entry.name, entry.value));
            for (index, line) in values.collect::<Vec<_>>().chunks(4).enumerate() {
                let label = if index == 0 { "0" } else { "" };
                let _ = writeln!(lines, "{label:>4}  {}", line.join(", "));
            }
        }
    }
    for (atom, value, _) in session.atoms().filter(|(_, _, changed)| *changed || number == 0) {
        let _ = writeln!(lines, "      ◆ {atom}: {value}");
    }
    lines
}

/// Returns what the last step printed.
pub fn output(session: &Session<'_>) -> String {
    let texts = session.last().into_iter().flat_map(|taken| &taken.events).filter_map(|event| match event {
        Event::Printed { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Says how things stand, in one line, if there is something to say.
pub fn verdict(session: &Session<'_>) -> Option<String> {
    let steps = count(session.step_number() as u64, "step");
    let (wrong, status) = (session.wrong(), session.status());
    Some(match (kind(session), wrong, status) {
        (FormKind::Labelled, None, Status::Ended) => "the run has ended".to_owned(),
        (FormKind::Labelled, None, Status::Deadlock) => "deadlock: nothing can happen any more".to_owned(),
        (FormKind::Labelled, ..) => return None,
        (FormKind::Synchronous, Some(wrong), _) => format!("fault after {steps}: {wrong}"),
        (FormKind::Synchronous, None, Status::Deadlock) => {
            format!("deadlock after {steps}: there is no next state")
        }
        (_, Some(wrong), _) => format!("violation after {steps}: {wrong}"),
        (_, None, Status::Running | Status::Faulted) => format!("stopped after {steps}"),
        (_, None, Status::Ended) => format!("end after {steps}"),
        (_, None, Status::Deadlock) => {
            format!("deadlock after {steps}: {}", stuck(session.model(), session))
        }
    })
}

/// Says who is not where it may end.
fn stuck(model: &Model, session: &Session<'_>) -> String {
    let waiting = model.waiting(session.state());
    let stuck = waiting.iter().filter(|process| !process.may_end);
    let places = stuck.map(|process| format!("{} at {}", process.process, session.place(process.span)));
    places.collect::<Vec<_>>().join(", ")
}
