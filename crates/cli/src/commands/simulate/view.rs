//! Draws the simulator: state on the left, what can be done on the right, and one large pane for everything else.

use narrows_model::{Area, ProcessView, Scalar, StateView, TraceStep};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph};

use super::app::{App, Pane, describe};
use super::detail;
use super::session::Status;
use super::text;

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
    let view = app.session.view();
    if app.pane == Pane::Help {
        return detail::pane(frame, app, &view, Pane::Help, body);
    }
    if body.width >= WIDE {
        let widths = [Constraint::Fill(3), Constraint::Fill(4), Constraint::Fill(3)];
        let [left, middle, right] = Layout::horizontal(widths).areas(body);
        state(frame, app, &view, left, false);
        choices(frame, app, &view, middle);
        let [upper, lower] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(right);
        detail::pane(frame, app, &view, Pane::History, upper);
        detail::pane(frame, app, &view, Pane::Output, lower);
    } else {
        let widths = [Constraint::Percentage(45), Constraint::Percentage(55)];
        let [left, right] = Layout::horizontal(widths).areas(body);
        state(frame, app, &view, left, true);
        choices(frame, app, &view, right);
    }
}

fn title(app: &App<'_>) -> Paragraph<'static> {
    let session = &app.session;
    let (at, all) = (session.position(), session.history().len());
    let name = session.evaluator().system().name.clone();
    let step = if at == all { format!("step {at}") } else { format!("step {at} of {all}") };
    let mut spans = vec![Span::raw(format!(" narrows simulate  {name}  {step}  "))];
    if let Some(found) = session.violations().first() {
        spans.push(Span::styled(text::violation(session, found), WRONG));
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
        Some(message) => Paragraph::new(format!(" {message}")).style(CHANGED),
        None => {
            Paragraph::new(" Enter take  r random  R run  ← back  → forward  m chart  w why  ? help  q quit")
                .style(FAINT)
        }
    }
}

/// The state: processes, variables, channels, and the output if it has no pane of its own.
fn state(frame: &mut Frame<'_>, app: &App<'_>, view: &StateView, area: Rect, with_output: bool) {
    let processes = process_lines(app, view, area.width);
    let variables = variable_lines(app, view);
    let channels = channel_lines(app, view);
    let atoms = atom_lines(app);
    let has_output = with_output && app.session.output().next().is_some();
    let height = |lines: usize, most: u16| match lines {
        0 => 0,
        lines => (lines as u16 + 2).min(most),
    };
    let share = area.height / 4;
    let output = if has_output { share.clamp(3, 8) } else { 0 };
    let rows = [
        Constraint::Min(6),
        Constraint::Length(height(variables.len(), share.max(4))),
        Constraint::Length(height(channels.len(), share.max(4))),
        Constraint::Length(height(atoms.len(), share.max(4))),
        Constraint::Length(output),
    ];
    let [first, second, third, formula, fourth] = Layout::vertical(rows).areas(area);
    let focus = processes.1;
    frame.render_widget(scrolled("Processes", processes.0, focus, first), first);
    let changed = first_changed(&variables);
    frame.render_widget(scrolled("Variables", variables, changed, second), second);
    let changed = first_changed(&channels);
    frame.render_widget(scrolled("Channels", channels, changed, third), third);
    let changed = first_changed(&atoms);
    frame.render_widget(scrolled("Formula", atoms, changed, formula), formula);
    if has_output {
        detail::pane(frame, app, view, Pane::Output, fourth);
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
fn process_lines(app: &App<'_>, view: &StateView, width: u16) -> (Vec<Line<'static>>, usize) {
    let mut lines = Vec::new();
    let mut focus = 0;
    for process in &view.processes {
        let looked_at = process.pid == app.focus();
        let mark = if looked_at { "▶" } else { " " };
        let style = if app.session.just_moved(process.pid) { CHANGED } else { Style::new() };
        let name = Span::styled(format!("{mark}{}", process.label()), style);
        let place =
            app.session.line(process.span).map_or(String::new(), |_| app.session.short_place(process.span));
        let spans = vec![name, Span::styled(format!(" {place} "), FAINT), Span::raw(here(app, process))];
        lines.push(Line::from(spans));
        lines.extend(local_lines(app, process, usize::from(width.saturating_sub(2))));
        if looked_at {
            focus = lines.len() - 1;
        }
    }
    (lines, focus)
}

/// Returns the text of the line a process is at.
fn here(app: &App<'_>, process: &ProcessView) -> String {
    let line = app.session.line(process.span);
    let text = line.map(|line| app.session.sources().file(process.span.file).line(line).trim().to_owned());
    clean(&text.unwrap_or_default())
}

fn local_lines(app: &App<'_>, process: &ProcessView, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Vec<Span<'static>>> = Vec::new();
    let mut used = width;
    for local in &process.locals {
        let text = format!(" {}={}", local.name, local.value);
        let length = text.chars().count();
        if used + length > width {
            lines.push(vec![Span::raw("   ")]);
            used = 3;
        }
        used += length;
        let changed = is_changed(app, &format!("{}.{}", process.label(), local.name));
        let style = if changed { CHANGED } else { Style::new() };
        if let Some(line) = lines.last_mut() {
            line.push(Span::styled(text, style));
        }
    }
    lines.into_iter().map(Line::from).collect()
}

/// Returns whether the last step changed what has this name.
fn is_changed(app: &App<'_>, name: &str) -> bool {
    app.session.last().is_some_and(|taken| taken.step.changes.iter().any(|change| change.name == name))
}

fn entry(app: &App<'_>, name: &str, text: String) -> Line<'static> {
    let style = if is_changed(app, name) { CHANGED } else { Style::new() };
    Line::from(text).style(style)
}

fn variable_lines(app: &App<'_>, view: &StateView) -> Vec<Line<'static>> {
    let evaluator = app.session.evaluator();
    let leaves = &evaluator.system().globals;
    // A variable that always names the same channel is among the channels.
    let is_channel = |index: usize| {
        let leaf = leaves.get(index).filter(|leaf| leaf.scalar == Scalar::Channel);
        leaf.is_some_and(|leaf| evaluator.is_channel_constant(Area::Global, None, leaf.offset))
    };
    let shown = view.globals.iter().enumerate().filter(|(index, _)| !is_channel(*index));
    shown.map(|(_, v)| entry(app, &v.name, format!("{} = {}", v.name, v.value))).collect()
}

fn channel_lines(app: &App<'_>, view: &StateView) -> Vec<Line<'static>> {
    let lines = view.channels.iter().map(|channel| {
        let label = channel.label();
        let text = match channel.capacity {
            0 => format!("{label} rendezvous"),
            capacity => format!("{label} {}/{capacity} {}", channel.messages.len(), channel.contents()),
        };
        entry(app, &label, text)
    });
    lines.collect()
}

/// What can be done, and the large pane below it.
fn choices(frame: &mut Frame<'_>, app: &App<'_>, view: &StateView, area: Rect) {
    let wanted = app.session.steps().len().max(2) as u16 + 2;
    let rows = [Constraint::Length(wanted.min(area.height * 2 / 5)), Constraint::Fill(1)];
    let [upper, lower] = Layout::vertical(rows).areas(area);
    if app.session.steps().is_empty() {
        frame.render_widget(dead_end(app), upper);
    } else {
        let items = app.session.steps().iter().enumerate().map(|(index, step)| choice(app, index, step));
        let title = format!(" Steps ({}) ", app.session.steps().len());
        let list = List::new(items).block(Block::bordered().title(title)).highlight_style(FOCUS);
        let mut state = ListState::default().with_selected(Some(app.selected));
        frame.render_stateful_widget(list, upper, &mut state);
    }
    detail::pane(frame, app, view, app.pane, lower);
}

fn choice(app: &App<'_>, index: usize, step: &TraceStep) -> ListItem<'static> {
    let session = &app.session;
    let line = step.actions.first().and_then(|first| session.line(first.span));
    let line = line.map_or(String::new(), |line| format!(" :{line}"));
    let mut spans = vec![Span::raw(format!("{:>2} {}", index + 1, text::title(step)))];
    spans.push(Span::styled(line, FAINT));
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
