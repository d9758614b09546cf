//! The large pane: source, chart, reasons, history, output or help.

use narrows::simulation::text;
use narrows_model::StateEntry;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::app::{App, Pane};
use super::view::{CHANGED, FAINT, FOCUS, WRONG, clean};

const HELP: &str = "\
Enter       take the selected step; so does its number
↑ ↓, k j    select a step    u d   ten steps up, down
r           take a random step
R           take 100 random steps, or until something is wrong
p           random steps until the marked process moves
B           stop runs at the marked process's line, or don't
← b         step back        → f   step forward again
[ ]         ten steps back, forward
g G         first state, last state
Tab         look at the next process
m           chart: messages, signals or gates
w           why can't something be done?
h o         history, output
PgUp PgDn   scroll this pane
s           save the run as JSON
Esc         back to the source, or to the history
q, Ctrl-C   quit";

/// Draws one of the panes.
pub(super) fn pane(frame: &mut Frame<'_>, app: &App<'_>, pane: Pane, area: Rect) {
    let inside = usize::from(area.height.saturating_sub(2));
    let width = usize::from(area.width.saturating_sub(2));
    let (title, content) = match pane {
        Pane::Source => return source(frame, app, area),
        Pane::Chart => return chart(frame, app, area),
        Pane::Why => ("Why not?", Content { lines: why(app), focus: 0 }),
        Pane::History => ("History", history(app)),
        Pane::Output => ("Output", output(app)),
        Pane::Help => ("Help", Content { lines: HELP.lines().map(Line::from).collect(), focus: 0 }),
    };
    let scroll = if app.pane == pane { usize::from(app.scroll) } else { 0 };
    let lines: Vec<Line<'_>> = match pane {
        Pane::Why => content.lines,
        _ => content.shown(inside, scroll),
    };
    let block = Block::bordered().title(format!(" {title} "));
    let paragraph = Paragraph::new(lines).block(block);
    if pane == Pane::Why && width > 0 {
        let paragraph = paragraph.wrap(Wrap { trim: false }).scroll((app.scroll, 0));
        frame.render_widget(paragraph, area);
    } else {
        frame.render_widget(paragraph, area);
    }
}

/// Lines, and the one that must be seen.
struct Content {
    lines: Vec<Line<'static>>,
    focus: usize,
}

impl Content {
    /// Returns the lines that fit, moved by `scroll`: up from the focus if that is at the end, otherwise
    /// down.
    fn shown(self, inside: usize, scroll: usize) -> Vec<Line<'static>> {
        let last = self.lines.len().saturating_sub(inside);
        let start = (self.focus + 1).saturating_sub(inside).min(last);
        let start = if start > 0 { start.saturating_sub(scroll) } else { scroll.min(last) };
        self.lines.into_iter().skip(start).take(inside).collect()
    }
}

/// The text around the line of the process that the user looks at, with marks where each process is and at
/// what the selected step executes.
fn source(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let session = &app.session;
    let processes = session.processes();
    let is_placed = |number: &usize| processes.get(*number).is_some_and(|process| process.span.is_some());
    let shown = Some(app.focus()).filter(is_placed).or_else(|| (0..processes.len()).find(is_placed));
    let place = shown.and_then(|number| Some((number, processes[number].span?)));
    let place = place.and_then(|(number, span)| Some((number, span, session.line(span)?)));
    let Some((focus, span, current)) = place else {
        let empty = Paragraph::new("All processes have ended.").block(Block::bordered().title(" Source "));
        return frame.render_widget(empty, area);
    };
    let file = session.sources().file(span.file);
    let inside = usize::from(area.height.saturating_sub(2));
    let most = (file.line_count() + 1).saturating_sub(inside).max(1);
    let first = current.saturating_sub(inside / 2).clamp(1, most) + usize::from(app.scroll);
    let step = session.steps().get(app.selected).into_iter().flat_map(|step| &step.actions);
    let own = step.filter(|action| {
        action.actor.as_ref().is_some_and(|actor| actor.number == focus) && action.span.file == span.file
    });
    let selected: Vec<Option<usize>> = own.map(|step| session.line(step.span)).collect();
    let mut lines = Vec::new();
    for number in first..(first + inside).min(file.line_count() + 1) {
        let is_here = |(_, other): &(usize, &StateEntry)| {
            other.span.is_some_and(|other| other.file == span.file && session.line(other) == Some(number))
        };
        let others = processes.iter().enumerate().filter(is_here);
        let pids: Vec<String> = others.map(|(other, _)| session.process_number(other).to_string()).collect();
        let stop = if session.is_breakpoint(span.file, number) { "●" } else { " " };
        let (mark, style) = match number {
            _ if number == current => ("▶", FOCUS),
            _ if selected.contains(&Some(number)) => ("→", CHANGED),
            _ => (" ", Style::new()),
        };
        let mut spans = vec![
            Span::styled(stop, WRONG),
            Span::styled(format!("{number:>4}"), FAINT),
            Span::raw(mark),
            Span::styled(clean(&file.line(number).replace('\t', "    ")), style),
        ];
        if !pids.is_empty() {
            spans.push(Span::styled(format!("  ◂ {}", pids.join(",")), CHANGED));
        }
        lines.push(Line::from(spans));
    }
    let title = format!(" {} — {} ", file.name, processes[focus].owner);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

/// The run from top to bottom; the names of processes, signals or gates stay at the top.
fn chart(frame: &mut Frame<'_>, app: &App<'_>, area: Rect) {
    let inside = usize::from(area.height.saturating_sub(2));
    let rows = app.session.chart(Some(usize::from(area.width.saturating_sub(2))));
    let mut lines: Vec<Line<'static>> = rows.into_iter().map(Line::from).collect();
    let names = if lines.is_empty() { Line::default() } else { lines.remove(0) };
    let focus = lines.len().saturating_sub(1);
    let mut shown = vec![names.style(CHANGED)];
    shown.extend(Content { lines, focus }.shown(inside.saturating_sub(1), usize::from(app.scroll)));
    let title = if app.session.model().draws_messages().is_ok() { " Messages " } else { " Chart " };
    frame.render_widget(Paragraph::new(shown).block(Block::bordered().title(title)), area);
}

fn why(app: &App<'_>) -> Vec<Line<'static>> {
    let session = &app.session;
    let reasons = session.why_not();
    if reasons.is_empty() {
        let is_stuck = session.steps().is_empty();
        let text = if is_stuck { "No process is waiting." } else { "Everything that is there can be done." };
        return vec![Line::from(text)];
    }
    let entries = reasons.into_iter().map(|reason| {
        let place = reason.place.map_or(String::new(), |span| session.short_place(span));
        Line::from(vec![
            Span::raw(format!("{} ", reason.who)),
            Span::styled(place, FAINT),
            Span::raw(format!(" [{}]: ", clean(&reason.what))),
            Span::styled(clean(&reason.reason), CHANGED),
        ])
    });
    entries.collect()
}

fn history(app: &App<'_>) -> Content {
    let session = &app.session;
    let at = session.position();
    let mark = |here: bool| if here { "▶" } else { " " };
    let mut lines = vec![Line::from(format!("{}   0 the initial state", mark(at == 0)))];
    for (index, taken) in session.history().iter().enumerate() {
        let number = index + 1;
        let title = clean(&text::title(&taken.step));
        let again = if session.cycle() == Some(index) { "↻ " } else { "" };
        let text = format!("{}{number:>4} {again}{title}", mark(number == at));
        let style = match () {
            () if !taken.step.violations.is_empty() => WRONG,
            () if number == at => CHANGED,
            () if number > at => FAINT,
            () => Style::new(),
        };
        lines.push(Line::styled(text, style));
    }
    Content { lines, focus: at }
}

fn output(app: &App<'_>) -> Content {
    let text: String = app.session.output().map(|(_, text)| text).collect();
    let lines: Vec<Line<'static>> =
        text.lines().map(|line| Line::from(clean(&line.replace('\t', "    ")))).collect();
    let focus = lines.len().saturating_sub(1);
    Content { lines, focus }
}
