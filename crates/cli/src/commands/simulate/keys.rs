//! What the keys do with a run of which states and steps are shown as text: of synchronous systems, and of behaviours.

use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Line;

use super::screen;
use super::terminal::{Action, Screen};

/// How many steps `R` takes at most.
const RUN: usize = 100;
/// How many steps a page has.
const PAGE: usize = 10;

/// A run that is being made, and what is shown of it.
pub(super) trait Run {
    /// Returns the name of the model.
    fn name(&self) -> &str;

    /// Returns how many steps led to the current state.
    fn position(&self) -> usize;

    /// Returns how many states are remembered, also those that were taken back.
    fn length(&self) -> usize;

    /// Returns the state that an endless run comes back to, by its number.
    fn cycle(&self) -> Option<usize>;

    /// Returns how many steps can be taken now.
    fn choices(&self) -> usize;

    /// Takes one of the steps; returns whether there is such a step.
    fn choose(&mut self, index: usize) -> bool;

    /// Takes a step at random; returns whether there was one.
    fn random_step(&mut self) -> bool;

    /// Goes a step back; returns whether there was one.
    fn back(&mut self) -> bool;

    /// Goes forward again, or round in an endless run; returns whether there was a step to take.
    fn forward(&mut self) -> bool;

    /// Goes to a state by its number, or to the last one there is.
    fn jump(&mut self, number: usize);

    /// Says what is wrong in the current state, or in the step to it.
    fn fault(&self) -> Option<String>;

    /// Returns the current state, a line each, and what these lines are called.
    fn state(&self) -> (&'static str, Vec<Line<'static>>);

    /// Returns what the steps are called, with how many there are.
    fn choices_title(&self) -> (&'static str, String);

    /// Returns one of the steps that can be taken.
    fn choice(&self, index: usize) -> String;

    /// Says that there is no step, and whether that is wrong.
    fn dead_end(&self) -> (&'static str, bool);

    /// Returns what led to a state, by its number.
    fn past(&self, number: usize) -> String;
}

/// The simulator on the screen.
pub(super) struct App<R> {
    pub(super) session: R,
    /// The step that Enter takes.
    pub(super) selected: usize,
    pub(super) pane: Pane,
    /// How many lines the state is scrolled.
    pub(super) scroll: u16,
    /// What there is to say, until the next key.
    pub(super) message: Option<String>,
    /// Digits of a step's number, as far as they are typed.
    digits: String,
}

/// What the lower pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    History,
    Help,
}

impl<R: Run> App<R> {
    pub(super) fn new(session: R) -> App<R> {
        App { session, selected: 0, pane: Pane::History, scroll: 0, message: None, digits: String::new() }
    }

    /// Does what a key asks for.
    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        self.message = None;
        let digits = std::mem::take(&mut self.digits);
        let last = self.session.choices().saturating_sub(1);
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Action::Quit,
            KeyCode::Char('q') => return Action::Quit,
            KeyCode::Char('s') => return Action::Save,
            KeyCode::Char(digit) if digit.is_ascii_digit() => self.digit(digits, digit),
            KeyCode::Enter | KeyCode::Char(' ') => self.choose(self.selected),
            KeyCode::Up | KeyCode::Char('k') => self.selected = self.selected.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.selected = (self.selected + 1).min(last),
            KeyCode::PageUp => self.selected = self.selected.saturating_sub(PAGE),
            KeyCode::PageDown => self.selected = (self.selected + PAGE).min(last),
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = last,
            KeyCode::Char('r') => self.random(1),
            KeyCode::Char('R') => self.random(RUN),
            KeyCode::Left | KeyCode::Char('b') => self.go(R::back, "This is where the run begins."),
            KeyCode::Right | KeyCode::Char('f') => {
                self.go(R::forward, "No step was taken back: choose one.");
            }
            KeyCode::Char('[') => self.jump(self.session.position().saturating_sub(10)),
            KeyCode::Char(']') => self.jump(self.session.position() + 10),
            KeyCode::Char('g') => self.jump(0),
            KeyCode::Char('G') => self.jump(usize::MAX - 1),
            KeyCode::Char('u') => self.scroll = self.scroll.saturating_sub(PAGE as u16),
            KeyCode::Char('d') => self.scroll = self.scroll.saturating_add(PAGE as u16),
            KeyCode::Char('?') => self.pane = Pane::Help,
            KeyCode::Esc | KeyCode::Char('h') => self.pane = Pane::History,
            _ => self.message = Some("? shows what the keys do".to_owned()),
        }
        Action::Continue
    }

    /// Chooses a step by its number as soon as no further digit can make another one.
    fn digit(&mut self, mut digits: String, digit: char) {
        digits.push(digit);
        let count = self.session.choices();
        match digits.parse::<usize>() {
            Ok(number) if (1..=count).contains(&number) => {
                self.selected = number - 1;
                if number * 10 > count {
                    self.choose(number - 1);
                } else {
                    self.message = Some(format!("Step {number}: Enter takes it, or type another digit."));
                    self.digits = digits;
                }
            }
            _ => self.message = Some(format!("There is no step {digits}.")),
        }
    }

    fn choose(&mut self, index: usize) {
        if self.session.choose(index) {
            self.arrived();
        } else {
            self.message = Some(self.session.dead_end().0.to_owned());
        }
    }

    fn arrived(&mut self) {
        self.selected = 0;
        if let Some(fault) = self.session.fault() {
            self.message = Some(fault);
        }
    }

    fn random(&mut self, count: usize) {
        for _ in 0..count {
            if !self.session.random_step() {
                self.message = Some(self.session.dead_end().0.to_owned());
                return;
            }
            self.arrived();
            if self.message.is_some() {
                return;
            }
        }
    }

    fn go(&mut self, step: impl FnOnce(&mut R) -> bool, otherwise: &str) {
        if step(&mut self.session) {
            self.selected = 0;
        } else {
            self.message = Some(otherwise.to_owned());
        }
    }

    fn jump(&mut self, number: usize) {
        self.session.jump(number);
        self.selected = 0;
    }
}

impl<R: Run> Screen for App<R> {
    fn draw(&self, frame: &mut Frame<'_>) {
        screen::draw(frame, self);
    }

    fn key(&mut self, key: KeyEvent) -> Action {
        App::key(self, key)
    }

    fn say(&mut self, message: String) {
        self.message = Some(message);
    }
}
