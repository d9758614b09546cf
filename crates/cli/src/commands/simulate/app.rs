//! What the keys do. It touches no files.

use narrows::simulation::{Session, Status, Stop};
use narrows_model::TraceStep;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::terminal::{Action, Screen};
use super::view;

/// How many steps `R` and `p` take at most.
const RUN: usize = 100;
/// How many steps `u` and `d` go up and down in the list.
const PAGE: usize = 10;

/// The simulator on the screen.
#[derive(Debug)]
pub(super) struct App<'s> {
    pub(super) session: Session<'s>,
    /// The step that Enter takes.
    pub(super) selected: usize,
    /// What the large pane shows.
    pub(super) pane: Pane,
    /// What it shows if nothing else is asked for: the source, where something stands in it.
    rest: Pane,
    /// How many lines the large pane is scrolled.
    pub(super) scroll: u16,
    /// The process that the user looks at; otherwise the one of the selected step.
    process: Option<usize>,
    /// What there is to say, until the next key.
    pub(super) message: Option<String>,
    /// Digits of a step's number, as far as they are typed.
    digits: String,
}

/// What the large pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    Source,
    Chart,
    Why,
    History,
    Output,
    Help,
}

impl<'s> App<'s> {
    pub(super) fn new(session: Session<'s>) -> Self {
        let has_source = session.processes().iter().any(|process| process.span.is_some());
        let pane = if has_source { Pane::Source } else { Pane::History };
        let digits = String::new();
        App { session, selected: 0, pane, rest: pane, scroll: 0, process: None, message: None, digits }
    }

    /// Returns the process that the user looks at: chosen, or of the selected step, or the last that moved.
    pub(super) fn focus(&self) -> usize {
        let of_step = self.session.steps().get(self.selected).and_then(|step| step.actions.first());
        let last = self.session.last().and_then(|taken| taken.step.actions.last());
        let moving =
            of_step.or(last).and_then(|action| action.actor.as_ref()).map_or(0, |actor| actor.number);
        self.process.unwrap_or(moving)
    }

    /// Does what a key asks for.
    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        let digits = std::mem::take(&mut self.digits);
        self.message = None;
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Action::Quit,
            KeyCode::Char('q') => return Action::Quit,
            KeyCode::Char('s') => return Action::Save,
            KeyCode::Char(digit) if digit.is_ascii_digit() => self.digit(digits, digit),
            KeyCode::Enter | KeyCode::Char(' ') => self.choose(),
            KeyCode::Up | KeyCode::Char('k') => self.select(self.selected.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.select(self.selected + 1),
            KeyCode::Char('u') => self.select(self.selected.saturating_sub(PAGE)),
            KeyCode::Char('d') => self.select(self.selected + PAGE),
            KeyCode::Tab => self.next_process(1),
            KeyCode::BackTab => self.next_process(-1),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(5),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(5),
            _ if self.runs(key.code) || self.moves_in_history(key.code) => {}
            _ => self.shows(key.code),
        }
        Action::Continue
    }

    /// Keys that take random steps.
    fn runs(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Char('r') => {
                let stop = self.session.run(1, |_| false);
                self.arrived(stop, 1);
            }
            KeyCode::Char('R') => {
                let stop = self.session.run(RUN, |_| false);
                self.arrived(stop, RUN);
            }
            KeyCode::Char('p') => {
                let pid = self.focus();
                let stop = self.session.run(RUN, |session| session.just_moved(pid));
                self.arrived(stop, RUN);
                self.process = Some(pid);
            }
            KeyCode::Char('B') => self.toggle_breakpoint(),
            _ => return false,
        }
        true
    }

    /// Keys that go back and forth.
    fn moves_in_history(&mut self, code: KeyCode) -> bool {
        let position = self.session.position();
        match code {
            KeyCode::Left | KeyCode::Backspace | KeyCode::Char('b') => {
                if !self.session.back() {
                    self.message = Some("This is where the run starts.".to_owned());
                }
            }
            KeyCode::Right | KeyCode::Char('f') => {
                if !self.session.forward() {
                    self.message = Some("No step was taken back: choose one.".to_owned());
                }
            }
            KeyCode::Char('[') => self.session.jump(position.saturating_sub(10)),
            KeyCode::Char(']') => self.session.jump(position + 10),
            KeyCode::Home | KeyCode::Char('g') => self.session.jump(0),
            KeyCode::End | KeyCode::Char('G') => self.session.jump(usize::MAX),
            _ => return false,
        }
        // The step that was taken here is the one that is most likely wanted again.
        let next = self.session.history().get(self.session.position());
        let again = next.and_then(|next| {
            let is_it = |step: &TraceStep| step.actions == next.step.actions && step.state == next.step.state;
            self.session.steps().iter().position(is_it)
        });
        self.select(again.unwrap_or(0));
        true
    }

    /// Keys that choose what the large pane shows.
    fn shows(&mut self, code: KeyCode) {
        let pane = match code {
            KeyCode::Char('m') => Pane::Chart,
            KeyCode::Char('w') => Pane::Why,
            KeyCode::Char('h') => Pane::History,
            KeyCode::Char('o') => Pane::Output,
            KeyCode::Char('?') => Pane::Help,
            KeyCode::Esc => self.rest,
            _ => {
                self.message = Some("? shows what the keys do".to_owned());
                return;
            }
        };
        self.pane = if pane == self.pane { self.rest } else { pane };
        self.scroll = 0;
    }

    /// Selects a step by its number; takes it if no longer number can be meant.
    fn digit(&mut self, mut digits: String, digit: char) {
        digits.push(digit);
        let count = self.session.steps().len();
        let number = digits.parse().unwrap_or(0);
        if number == 0 || number > count {
            self.message = Some(format!("There is no step {digits}."));
            return;
        }
        self.select(number - 1);
        if number * 10 > count {
            self.choose();
        } else {
            self.digits = digits;
        }
    }

    fn select(&mut self, index: usize) {
        self.selected = index.min(self.session.steps().len().saturating_sub(1));
        self.process = None;
    }

    fn choose(&mut self) {
        if self.session.choose(self.selected) {
            self.select(0);
            self.message = self.session.wrong();
        } else {
            self.message = Some(describe(self.session.status()).to_owned());
        }
    }

    fn arrived(&mut self, stop: Stop, asked: usize) {
        self.select(0);
        self.message = match stop {
            Stop::Count if asked > 1 => Some(format!("Took {asked} steps.")),
            Stop::Count | Stop::Reached => None,
            Stop::Breakpoint => Some("Stopped at a breakpoint.".to_owned()),
            Stop::Wrong(wrong) => Some(wrong),
            Stop::Status(status) => Some(describe(status).to_owned()),
        };
    }

    fn next_process(&mut self, by: isize) {
        let count = self.session.processes().len();
        if count > 0 {
            let next = self.focus() as isize + by;
            self.process = Some(next.rem_euclid(count as isize) as usize);
            self.scroll = 0;
        }
    }

    fn toggle_breakpoint(&mut self) {
        let processes = self.session.processes();
        let span = processes.get(self.focus()).and_then(|process| process.span);
        let place = span.and_then(|span| Some((span.file, self.session.line(span)?)));
        if let Some((file, line)) = place {
            let set = self.session.toggle_breakpoint(file, line);
            let verb = if set { "stop" } else { "no longer stop" };
            self.message = Some(format!("Runs {verb} at line {line}."));
        }
    }
}

impl Screen for App<'_> {
    fn draw(&self, frame: &mut Frame<'_>) {
        view::draw(frame, self);
    }

    fn key(&mut self, key: KeyEvent) -> Action {
        App::key(self, key)
    }

    fn say(&mut self, message: String) {
        self.message = Some(message);
    }
}

/// Says how things stand.
pub(super) fn describe(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Ended => "Nothing can move: the run has ended.",
        Status::Deadlock => "Nothing can move: deadlock.",
        Status::Faulted => "The run can't go on after this fault.",
    }
}

#[cfg(test)]
mod tests {
    use narrows::Model;

    use super::super::examples::{buffer, counting, light, meeting};
    use super::*;

    fn app(model: &Model) -> App<'_> {
        App::new(Session::new(model, 1).expect("it has an initial state"))
    }

    fn press(app: &mut App<'_>, keys: &[KeyCode]) -> Action {
        let press = |key: &KeyCode| app.key(KeyEvent::new(*key, KeyModifiers::NONE));
        keys.iter().map(press).last().unwrap_or(Action::Continue)
    }

    #[test]
    fn chooses_by_arrow_and_by_number() {
        let example = meeting();
        let mut app = app(&example);
        press(&mut app, &[KeyCode::Down, KeyCode::Down]);
        assert_eq!((app.selected, app.focus()), (1, 0));
        press(&mut app, &[KeyCode::Enter]);
        assert_eq!((app.session.position(), app.selected), (1, 0));
        press(&mut app, &[KeyCode::Char('9')]);
        assert_eq!(app.message.as_deref(), Some("There is no step 9."));
        press(&mut app, &[KeyCode::Char('1')]);
        assert_eq!(app.session.position(), 2);
    }

    #[test]
    fn goes_back_and_forth() {
        let example = counting();
        let mut app = app(&example);
        press(&mut app, &[KeyCode::Char('R')]);
        assert_eq!(app.message.as_deref(), Some("assertion violated at example.pml:15"));
        assert_eq!(app.session.position(), 4);
        press(&mut app, &[KeyCode::Left, KeyCode::Char('b'), KeyCode::Backspace]);
        assert_eq!(app.session.position(), 1);
        press(&mut app, &[KeyCode::Char('G')]);
        assert_eq!(app.session.position(), 4);
        press(&mut app, &[KeyCode::Char('g'), KeyCode::Right]);
        assert_eq!(app.session.position(), 1);
        press(&mut app, &[KeyCode::Home, KeyCode::Left]);
        assert_eq!(app.message.as_deref(), Some("This is where the run starts."));
        press(&mut app, &[KeyCode::End, KeyCode::Right]);
        assert_eq!(app.message.as_deref(), Some("No step was taken back: choose one."));
        press(&mut app, &[KeyCode::Char('r')]);
        assert_eq!(app.message.as_deref(), Some("Nothing can move: deadlock."));
    }

    #[test]
    fn the_step_that_was_taken_back_is_selected() {
        let example = meeting();
        let mut app = app(&example);
        press(&mut app, &[KeyCode::Char('2'), KeyCode::Char('b')]);
        assert_eq!(app.selected, 1);
    }

    #[test]
    fn panes_toggle_and_processes_rotate() {
        let example = meeting();
        let mut app = app(&example);
        press(&mut app, &[KeyCode::Char('w')]);
        assert_eq!(app.pane, Pane::Why);
        press(&mut app, &[KeyCode::Char('w')]);
        assert_eq!(app.pane, Pane::Source);
        press(&mut app, &[KeyCode::Char('m'), KeyCode::Char('?'), KeyCode::Esc]);
        assert_eq!(app.pane, Pane::Source);
        let first = app.focus();
        press(&mut app, &[KeyCode::Tab]);
        assert_ne!(app.focus(), first);
        press(&mut app, &[KeyCode::BackTab, KeyCode::Char('p')]);
        assert!(app.session.just_moved(first));
        press(&mut app, &[KeyCode::Char('B')]);
        assert!(app.message.as_deref().is_some_and(|message| message.starts_with("Runs stop at line")));
    }

    #[test]
    fn saves_and_quits() {
        let example = meeting();
        let mut app = app(&example);
        assert_eq!(press(&mut app, &[KeyCode::Char('s')]), Action::Save);
        assert_eq!(press(&mut app, &[KeyCode::Char('q')]), Action::Quit);
        assert_eq!(app.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Action::Quit);
    }

    #[test]
    fn keys_do_the_same_with_values() {
        let model = light();
        let mut app = app(&model);
        assert_eq!(app.pane, Pane::History);
        press(&mut app, &[KeyCode::Char('1'), KeyCode::Down, KeyCode::Enter]);
        assert_eq!((app.session.position(), app.session.history().len()), (1, 1));
        press(&mut app, &[KeyCode::Char('R')]);
        assert_eq!(app.session.position(), 101);
        press(&mut app, &[KeyCode::Char('g')]);
        assert_eq!(app.session.position(), 0);
        press(&mut app, &[KeyCode::Char('9')]);
        assert_eq!(app.message.as_deref(), Some("There is no step 9."));
        press(&mut app, &[KeyCode::Left]);
        assert!(app.session.is_before_first());
        press(&mut app, &[KeyCode::Left]);
        assert_eq!(app.message.as_deref(), Some("This is where the run starts."));
    }

    #[test]
    fn keys_do_the_same_with_labels() {
        let model = buffer();
        let mut app = app(&model);
        assert_eq!(app.pane, Pane::Source);
        press(&mut app, &[KeyCode::Char('1'), KeyCode::Down, KeyCode::Enter, KeyCode::Left]);
        assert_eq!((app.session.position(), app.selected), (1, 1));
        press(&mut app, &[KeyCode::Char('g'), KeyCode::Char('2'), KeyCode::Char('1'), KeyCode::Char('r')]);
        assert_eq!(app.message.as_deref(), Some("Nothing can move: the run has ended."));
        press(&mut app, &[KeyCode::Char('x')]);
        assert_eq!(app.message.as_deref(), Some("? shows what the keys do"));
    }
}
