//! Draws the simulator: state on the left, what can be done on the right, and one large pane for everything
//! else.

use narrows::simulation::{Reason, Session, Status, text};
use narrows_model::{EntryGroup, StateEntry, TraceStep};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph};

use super::app::{App, Pane, describe};
use super::detail;

/// What just changed.
pub(super) const CHANGED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
/// What is wrong.
pub(super) const WRONG: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
/// What the user looks at.
pub(super) const FOCUS: Style = Style::new().add_modifier(Modifier::REVERSED);
/// What comes again and again.
const CYCLE: Style = Style::new().add_modifier(Modifier::BOLD);
/// What is less important.
pub(super) const FAINT: Style = Style::new().add_modifier(Modifier::DIM);

/// From this width on there is a third column, for history and output.
const WIDE: u16 = 120;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App<'_>) {
    let rows = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)];
    let [top, body, bottom] = Layout::vertical(rows).areas(frame.area());
    frame.render_widget(title(app), top);
    frame.render_widget(footer(app), bottom);
    if app.pane == Pane::Help {
        return detail::pane(frame, app, Pane::Help, body);
    }
    if body.width >= WIDE {
        let widths = [Constraint::Fill(3), Constraint::Fill(4), Constraint::Fill(3)];
        let [left, middle, right] = Layout::horizontal(widths).areas(body);
        state(frame, app, left, false);
        choices(frame, app, middle);
        let [upper, lower] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(right);
        detail::pane(frame, app, Pane::History, upper);
        detail::pane(frame, app, Pane::Output, lower);
    } else {
        let widths = [Constraint::Percentage(45), Constraint::Percentage(55)];
        let [left, right] = Layout::horizontal(widths).areas(body);
        state(frame, app, left, true);
        choices(frame, app, right);
    }
}

fn title(app: &App<'_>) -> Paragraph<'static> {
    let session = &app.session;
    let (at, all) = (session.position(), session.history().len());
    let name = &session.model().name;
    let step = if at == all { format!("step {at}") } else { format!("step {at} of {all}") };
    let mut spans = vec![Span::raw(format!(" narrows simulate  {name}  {step}  "))];
    if let Some(wrong) = session.wrong() {
        spans.push(Span::styled(clean(&wrong), WRONG));
    } else if session.is_before_first() {
        spans.push(Span::raw("choose a first state"));
    } else {
        match session.status() {
            Status::Running => spans.push(Span::raw("running")),
            Status::Ended => spans.push(Span::raw("ended")),
            Status::Deadlock => spans.push(Span::styled("DEADLOCK", WRONG)),
            Status::Faulted => spans.push(Span::styled("FAULT", WRONG)),
        }
    }
    if session.cycle().is_some() {
        let start = session.cycle().filter(|start| *start < all);
        let text = match start {
            Some(start) if at == all => format!("  then again from step {}: → goes round", start + 1),
            Some(start) if at > start => format!("  in the cycle of steps {}–{all}", start + 1),
            Some(start) => format!("  the cycle starts at step {}", start + 1),
            None => "  the run stays in its last state for ever".to_owned(),
        };
        spans.push(Span::styled(text, CYCLE));
    }
    Paragraph::new(Line::from(spans)).style(FOCUS)
}

fn footer(app: &App<'_>) -> Paragraph<'static> {
    match &app.message {
        Some(message) => Paragraph::new(format!(" {}", clean(message))).style(CHANGED),
        None => {
            Paragraph::new(" Enter take  r random  R run  ← back  → forward  m chart  w why  ? help  q quit")
                .style(FAINT)
        }
    }
}

/// The state: processes, variables, channels, and the output if it has no pane of its own.
fn state(frame: &mut Frame<'_>, app: &App<'_>, area: Rect, with_output: bool) {
    let entries = app.session.changed_entries();
    let processes = process_lines(app, &entries, area.width);
    let mut variables = entry_lines(&entries, EntryGroup::Variable);
    let definitions = app.session.definitions().into_iter();
    variables.extend(definitions.map(|(name, value)| Line::styled(format!("{name} = {value}"), FAINT)));
    let channels = entry_lines(&entries, EntryGroup::Channel);
    let atoms = atom_lines(app);
    let has_output = with_output && app.session.output().next().is_some();
    let height = |lines: usize, most: u16| match lines {
        0 => 0,
        lines => (lines as u16 + 2).min(most),
    };
    let share = area.height / 4;
    let has_processes = !processes.0.is_empty() || variables.is_empty();
    let output = if has_output { share.clamp(3, 8) } else { 0 };
    let rows = [
        if has_processes { Constraint::Min(6) } else { Constraint::Length(0) },
        if has_processes {
            Constraint::Length(height(variables.len(), share.max(4)))
        } else {
            Constraint::Fill(1)
        },
        Constraint::Length(height(channels.len(), share.max(4))),
        Constraint::Length(height(atoms.len(), share.max(4))),
        Constraint::Length(output),
    ];
    let [first, second, third, formula, fourth] = Layout::vertical(rows).areas(area);
    if has_processes {
        let (lines, focus) = processes;
        frame.render_widget(scrolled("Processes", lines, focus, first), first);
    }
    let changed = first_changed(&variables);
    frame.render_widget(scrolled("Variables", variables, changed, second), second);
    let changed = first_changed(&channels);
    frame.render_widget(scrolled("Channels", channels, changed, third), third);
    let changed = first_changed(&atoms);
    frame.render_widget(scrolled("Formula", atoms, changed, formula), formula);
    if has_output {
        detail::pane(frame, app, Pane::Output, fourth);
    }
}

/// What the propositions of the formula are.
fn atom_lines(app: &App<'_>) -> Vec<Line<'static>> {
    let lines = app.session.atoms().map(|(text, value, changed)| {
        let mark = if value { "◆" } else { "◇" };
        let style = if changed { CHANGED } else { Style::new() };
        Line::from(format!("{mark} {}: {value}", clean(text))).style(style)
    });
    lines.collect()
}

fn first_changed(lines: &[Line<'_>]) -> usize {
    lines.iter().position(|line| line.style == CHANGED).unwrap_or(0)
}

/// A pane that shows the line `focus`.
fn scrolled(title: &str, lines: Vec<Line<'static>>, focus: usize, area: Rect) -> Paragraph<'static> {
    let inside = usize::from(area.height.saturating_sub(2));
    let offset = (focus + 1).saturating_sub(inside.max(1));
    let hidden = lines.len() > inside;
    let title = if hidden { format!(" {title} ({}) ", lines.len()) } else { format!(" {title} ") };
    Paragraph::new(lines).scroll((offset as u16, 0)).block(Block::bordered().title(title))
}

/// Returns a line for each process and one for its variables, and which line the user looks at.
fn process_lines(app: &App<'_>, entries: &[(StateEntry, bool)], width: u16) -> (Vec<Line<'static>>, usize) {
    let mut lines = Vec::new();
    let mut focus = 0;
    let processes = entries.iter().filter(|(entry, _)| entry.group == EntryGroup::Process);
    for (number, (process, is_changed)) in processes.enumerate() {
        let looked_at = number == app.focus();
        let mark = if looked_at { "▶" } else { " " };
        let style = if *is_changed { CHANGED } else { Style::new() };
        let name = Span::styled(format!("{mark}{}", process.owner), style);
        let place = process.span.filter(|span| app.session.line(*span).is_some());
        let place = place.map_or(String::new(), |span| app.session.short_place(span));
        let spans = vec![name, Span::styled(format!(" {place} "), FAINT), Span::raw(here(app, process))];
        lines.push(Line::from(spans));
        // Values stand first in a line, so that they are seen even if the text is long.
        if !process.value.is_empty() {
            lines.push(Line::styled(format!("   with {}", clean(&process.value)), style));
        }
        let is_own = |entry: &&(StateEntry, bool)| {
            entry.0.group == EntryGroup::Local && entry.0.owner == process.owner
        };
        let locals: Vec<_> = entries.iter().filter(is_own).collect();
        lines.extend(local_lines(&locals, usize::from(width.saturating_sub(2))));
        if looked_at {
            focus = lines.len() - 1;
        }
    }
    (lines, focus)
}

/// Returns the text of the place a process is at: of its line, or all that it still does.
fn here(app: &App<'_>, process: &StateEntry) -> String {
    let Some(span) = process.span.filter(|span| app.session.line(*span).is_some()) else {
        return if process.value.is_empty() { "stopped".to_owned() } else { String::new() };
    };
    clean(&app.session.text_at(span))
}

fn local_lines(locals: &[&(StateEntry, bool)], width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Vec<Span<'static>>> = Vec::new();
    let mut used = width;
    for (local, is_changed) in locals {
        let text = format!(" {}={}", local.name, local.value);
        let length = text.chars().count();
        if used + length > width {
            lines.push(vec![Span::raw("   ")]);
            used = 3;
        }
        used += length;
        let style = if *is_changed { CHANGED } else { Style::new() };
        if let Some(line) = lines.last_mut() {
            line.push(Span::styled(text, style));
        }
    }
    lines.into_iter().map(Line::from).collect()
}

fn entry_lines(entries: &[(StateEntry, bool)], group: EntryGroup) -> Vec<Line<'static>> {
    let shown = entries.iter().filter(|(entry, _)| entry.group == group);
    let line = |(entry, is_changed): &(StateEntry, bool)| {
        let style = if *is_changed { CHANGED } else { Style::new() };
        Line::from(clean(&named(entry))).style(style)
    };
    shown.map(line).collect()
}

fn named(entry: &StateEntry) -> String {
    let separator = if entry.group == EntryGroup::Channel { " " } else { " = " };
    format!("{}{separator}{}", entry.name, entry.value)
}

/// Writes something that has a value in one line.
pub(super) fn entry_text(session: &Session<'_>, entry: &StateEntry) -> String {
    match entry.group {
        EntryGroup::Process => {
            let place = match entry.span.filter(|span| session.line(*span).is_some()) {
                None if entry.value.is_empty() => "stopped".to_owned(),
                None => String::new(),
                Some(span) => session.process_place(span),
            };
            let values = if entry.value.is_empty() { "" } else { "  with " };
            format!("{} {place}{values}{}", entry.owner, entry.value)
        }
        EntryGroup::Local => format!("  {}", named(entry)),
        EntryGroup::Variable | EntryGroup::Channel => named(entry),
    }
}

/// Writes in one line why something can't be done.
pub(super) fn reason_text(session: &Session<'_>, reason: &Reason) -> String {
    let place = reason.place.map_or(String::new(), |span| format!("{} ", session.short_place(span)));
    format!("{} {place}[{}]: {}", reason.who, reason.what, reason.reason)
}

/// What can be done, and the large pane below it.
fn choices(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let count = session.steps().len();
    let wanted = count.clamp(2, 1000) as u16 + 2;
    let rows = [Constraint::Length(wanted.min(area.height * 2 / 5)), Constraint::Fill(1)];
    let [upper, lower] = Layout::vertical(rows).areas(area);
    if count == 0 {
        frame.render_widget(dead_end(app), upper);
    } else {
        // Only what is seen is written: there may be thousands.
        let inside = usize::from(upper.height.saturating_sub(2)).max(1);
        let first = app.selected.saturating_sub(inside / 2).min(count.saturating_sub(inside));
        let width = count.to_string().len().max(2);
        let shown = session.steps().iter().enumerate().skip(first).take(inside);
        let items = shown.map(|(index, step)| choice(app, &format!("{:>width$}", index + 1), step));
        let what = if session.is_before_first() { "First states" } else { "Steps" };
        let more = if session.has_more() { " or more" } else { "" };
        let number = if count > inside { format!("{} of ", app.selected + 1) } else { String::new() };
        let title = format!(" {what} ({number}{count}{more}) ");
        let list = List::new(items).block(Block::bordered().title(title)).highlight_style(FOCUS);
        let mut state = ListState::default().with_selected(Some(app.selected - first));
        frame.render_stateful_widget(list, upper, &mut state);
    }
    detail::pane(frame, app, app.pane, lower);
}

fn choice(app: &App<'_>, number: &str, step: &TraceStep) -> ListItem<'static> {
    let session = &app.session;
    let line = step.actions.first().filter(|first| first.actor.is_some());
    let line = line.and_then(|first| session.line(first.span));
    let line = line.map_or(String::new(), |line| format!(" :{line}"));
    let mut spans = vec![Span::raw(format!("{number} {}", clean(&text::title(step))))];
    spans.push(Span::styled(line, FAINT));
    let target = text::target(session, step);
    if !target.is_empty() {
        spans.push(Span::styled(format!("  {}", clean(&target)), FAINT));
    }
    if let Some(found) = step.violations.first() {
        spans.push(Span::styled(format!(" ✗ {}", found.kind.message()), WRONG));
    }
    ListItem::new(Line::from(spans))
}

fn dead_end(app: &App<'_>) -> Paragraph<'static> {
    let status = app.session.status();
    let style = if status == Status::Ended { Style::new() } else { WRONG };
    let hint = if status == Status::Deadlock { "w says why, ← goes back" } else { "← goes back" };
    let lines = vec![Line::styled(describe(status), style), Line::styled(hint, FAINT)];
    Paragraph::new(Text::from(lines)).block(Block::bordered().title(" Steps (0) "))
}

/// Makes a text fit for one line of a terminal.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
