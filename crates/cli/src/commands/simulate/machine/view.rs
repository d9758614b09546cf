//! The simulator on a screen: values, steps that can be taken, and the run so far.

use narrows_model::Change;
use narrows_model::synchronous::{Evaluation, Moment, Role};
use narrows_report::change_line;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph};

use super::super::view::{CHANGED, FAINT, FOCUS, WRONG, clean};
use super::app::{App, Pane};

const HELP: &str = "\
Enter       take the selected step; so does its number
↑ ↓, k j    select a step     PgUp PgDn  ten steps on
Home End    the first step, the last one
r           take a random step
R           take 100 random steps, or until something is wrong
← b         step back         → f   step forward again
[ ]         ten steps back, forward
g G         first state, last state
u d         scroll the values
s           save the run as JSON
h ?         history, this help
q, Ctrl-C   quit";

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App<'_>, name: &str) {
    let rows = [Constraint::Fill(1), Constraint::Length(1)];
    let [body, foot] = Layout::vertical(rows).areas(frame.area());
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(body);
    values(frame, app, left);
    let wanted = app.session.steps().len().clamp(2, 1000) as u16 + 2;
    let rows = [Constraint::Length(wanted.min(right.height * 3 / 5)), Constraint::Fill(1)];
    let [upper, lower] = Layout::vertical(rows).areas(right);
    steps(frame, app, upper);
    match app.pane {
        Pane::History => history(frame, app, lower),
        Pane::Help => {
            let lines: Vec<Line<'_>> = HELP.lines().map(Line::from).collect();
            frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Help ")), lower);
        }
    }
    let line = match &app.message {
        Some(message) => Line::styled(clean(message), CHANGED),
        None => {
            let position = app.session.position();
            Line::styled(
                format!("{name}: {position} steps · Enter step · r random · ← back · ? help · q quit"),
                FAINT,
            )
        }
    };
    frame.render_widget(Paragraph::new(line), foot);
}

/// The values of variables, of definitions, and of the propositions of a formula.
fn values(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let machine = session.machine();
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (text, value, changed) in session.atoms() {
        let style = if changed { CHANGED } else { Style::new() };
        lines.push(Line::styled(format!("◆ {}: {value}", clean(text)), style));
    }
    let changed: Vec<Change> = match session.position() {
        0 => Vec::new(),
        number => session.changes_to(number),
    };
    match session.state() {
        None => lines.push(Line::styled("Choose a first state.", FAINT)),
        Some(state) => {
            for (variable, value) in machine.variables.iter().zip(state) {
                if variable.role == Role::Input {
                    continue;
                }
                let is_new = changed.iter().any(|one| one.name == variable.name && one.before.is_some());
                let style = if is_new { CHANGED } else { Style::new() };
                let text = format!("{} = {}", variable.name, machine.show(*value, variable.display));
                lines.push(Line::styled(text, style));
            }
            let mut evaluation = Evaluation::new(machine);
            for definition in &machine.definitions {
                let (looked_at, _) = machine.looks_at(definition.value);
                if looked_at.iter().any(|id| machine.variable(*id).role == Role::Input) {
                    continue;
                }
                let value = evaluation.value(definition.value, Moment::still(state));
                let text = format!("{} = {}", definition.name, machine.show(value, definition.display));
                lines.push(Line::styled(text, FAINT));
            }
        }
    }
    let inside = usize::from(area.height.saturating_sub(2));
    let most = lines.len().saturating_sub(inside) as u16;
    let title = if most > 0 { format!(" Values ({}) ", lines.len()) } else { " Values ".to_owned() };
    let block = Block::bordered().title(title);
    frame.render_widget(Paragraph::new(lines).scroll((app.scroll.min(most), 0)).block(block), area);
}

/// What can be done, a line each: inputs, and what changes.
fn steps(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let count = session.steps().len();
    if count == 0 {
        let line = Line::styled("There is no next state.", WRONG);
        return frame.render_widget(Paragraph::new(line).block(Block::bordered().title(" Steps (0) ")), area);
    }
    let what = if session.state().is_none() { "First states" } else { "Steps" };
    let more = if session.has_more() { "more than " } else { "" };
    let title = format!(" {what} ({} of {more}{count}) ", app.selected + 1);
    // Only what is seen is written: there may be thousands.
    let inside = usize::from(area.height.saturating_sub(2)).max(1);
    let first = app.selected.saturating_sub(inside / 2).min(count.saturating_sub(inside));
    let width = count.to_string().len();
    let items = session
        .steps()
        .iter()
        .enumerate()
        .skip(first)
        .take(inside)
        .map(|(index, step)| ListItem::new(format!("{:>width$} {}", index + 1, told(&step.changes))));
    let list = List::new(items).block(Block::bordered().title(title)).highlight_style(FOCUS);
    let mut state = ListState::default().with_selected(Some(app.selected - first));
    frame.render_stateful_widget(list, area, &mut state);
}

fn told(changes: &[Change]) -> String {
    match changes {
        [] => "nothing changes".to_owned(),
        _ => changes.iter().map(change_line).collect::<Vec<_>>().join(", "),
    }
}

/// The run so far.
fn history(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let here = session.position();
    let inside = usize::from(area.height.saturating_sub(2)).max(1);
    let first = here.saturating_sub(inside / 2).min(session.length().saturating_sub(inside));
    let shown = first..(first + inside).min(session.length());
    let lines: Vec<Line<'static>> = shown
        .map(|number| {
            let mark = if number == here { "▶" } else { " " };
            let again = if session.cycle() == Some(number) { "↻ " } else { "" };
            let text = match number {
                0 => "the first state".to_owned(),
                _ => told(&session.changes_to(number)),
            };
            let style = if number > here { FAINT } else { Style::new() };
            Line::styled(format!("{mark}{number:>4} {again}{text}"), style)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" History ")), area);
}
