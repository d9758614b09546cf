//! A run on a screen: the state, steps that can be taken, and what led there.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph};

use super::keys::{App, Pane, Run};
use super::view::{CHANGED, FAINT, FOCUS, WRONG, clean};

const HELP: &str = "\
Enter       take the selected step; so does its number
↑ ↓, k j    select a step     PgUp PgDn  ten steps on
Home End    the first step, the last one
r           take a random step
R           take 100 random steps, or until something is wrong
← b         step back         → f   step forward again
[ ]         ten steps back, forward
g G         first state, last state
u d         scroll the state
s           save the run as JSON
h ?         history, this help
q, Ctrl-C   quit";

/// Draws everything.
pub(super) fn draw<R: Run>(frame: &mut Frame<'_>, app: &App<R>) {
    let rows = [Constraint::Fill(1), Constraint::Length(1)];
    let [body, foot] = Layout::vertical(rows).areas(frame.area());
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(body);
    state(frame, app, left);
    let wanted = app.session.choices().clamp(2, 1000) as u16 + 2;
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
            let (name, position) = (app.session.name(), app.session.position());
            Line::styled(
                format!("{name}: {position} steps · Enter step · r random · ← back · ? help · q quit"),
                FAINT,
            )
        }
    };
    frame.render_widget(Paragraph::new(line), foot);
}

/// The current state.
fn state<R: Run>(frame: &mut Frame<'_>, app: &App<R>, area: Rect) {
    let (title, lines) = app.session.state();
    let inside = usize::from(area.height.saturating_sub(2));
    let most = lines.len().saturating_sub(inside) as u16;
    let title = if most > 0 { format!(" {title} ({}) ", lines.len()) } else { format!(" {title} ") };
    let block = Block::bordered().title(title);
    frame.render_widget(Paragraph::new(lines).scroll((app.scroll.min(most), 0)).block(block), area);
}

/// What can be done, a line each.
fn steps<R: Run>(frame: &mut Frame<'_>, app: &App<R>, area: Rect) {
    let session = &app.session;
    let count = session.choices();
    if count == 0 {
        let (text, is_wrong) = session.dead_end();
        let line = Line::styled(text, if is_wrong { WRONG } else { FAINT });
        return frame.render_widget(Paragraph::new(line).block(Block::bordered().title(" Steps (0) ")), area);
    }
    let (what, all) = session.choices_title();
    let title = format!(" {what} ({} of {all}) ", app.selected + 1);
    // Only what is seen is written: there may be thousands.
    let inside = usize::from(area.height.saturating_sub(2)).max(1);
    let first = app.selected.saturating_sub(inside / 2).min(count.saturating_sub(inside));
    let width = count.to_string().len();
    let item = |index: usize| format!("{:>width$} {}", index + 1, clean(&session.choice(index)));
    let items = (first..count.min(first + inside)).map(|index| ListItem::new(item(index)));
    let list = List::new(items).block(Block::bordered().title(title)).highlight_style(FOCUS);
    let mut state = ListState::default().with_selected(Some(app.selected - first));
    frame.render_stateful_widget(list, area, &mut state);
}

/// The run so far.
fn history<R: Run>(frame: &mut Frame<'_>, app: &App<R>, area: Rect) {
    let session = &app.session;
    let here = session.position();
    let inside = usize::from(area.height.saturating_sub(2)).max(1);
    let first = here.saturating_sub(inside / 2).min(session.length().saturating_sub(inside));
    let shown = first..(first + inside).min(session.length());
    let lines: Vec<Line<'static>> = shown
        .map(|number| {
            let mark = if number == here { "▶" } else { " " };
            let again = if session.cycle() == Some(number) { "↻ " } else { "" };
            let text = clean(&session.past(number));
            let style = if number > here { FAINT } else { Style::new() };
            Line::styled(format!("{mark}{number:>4} {again}{text}"), style)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" History ")), area);
}
