//! What the keys do, and the loop that reads them.

use std::io;

use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::session::Session;
use super::view;
use crate::machines::MachineModel;

/// How many steps `R` takes at most.
const RUN: usize = 100;
/// How many steps a page has.
const PAGE: usize = 10;

/// The simulator on the screen.
pub(super) struct App<'m> {
    pub(super) session: Session<'m>,
    /// The step that Enter takes.
    pub(super) selected: usize,
    pub(super) pane: Pane,
    /// How many lines the variables are scrolled.
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

/// What the program has to do after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Continue,
    Save,
    Quit,
}

impl<'m> App<'m> {
    pub(super) fn new(session: Session<'m>) -> App<'m> {
        App { session, selected: 0, pane: Pane::History, scroll: 0, message: None, digits: String::new() }
    }

    /// Does what a key asks for.
    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        self.message = None;
        let digits = std::mem::take(&mut self.digits);
        let last = self.session.steps().len().saturating_sub(1);
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
            KeyCode::Left | KeyCode::Char('b') => self.go(Session::back, "This is where the run begins."),
            KeyCode::Right | KeyCode::Char('f') => {
                self.go(Session::forward, "No step was taken back: choose one.");
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
        let count = self.session.steps().len();
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
            self.message = Some("There is no next state.".to_owned());
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
                self.message = Some("There is no next state.".to_owned());
                return;
            }
            self.arrived();
            if self.message.is_some() {
                return;
            }
        }
    }

    fn go(&mut self, step: impl FnOnce(&mut Session<'m>) -> bool, otherwise: &str) {
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

/// Lets the user drive the simulator. The terminal is restored at the end, and if the program panics.
pub(super) fn drive(
    session: Session<'_>,
    note: Option<String>,
    model: &MachineModel,
    definitions: &[String],
) -> Result<()> {
    let mut app = App::new(session);
    app.message = note;
    let mut terminal = ratatui::try_init().context("the terminal can't be used")?;
    let result = keys(&mut terminal, &mut app, model, definitions);
    ratatui::try_restore().context("the terminal can't be restored")?;
    result.context("the terminal can't be used")
}

fn keys(
    terminal: &mut ratatui::DefaultTerminal,
    app: &mut App<'_>,
    model: &MachineModel,
    definitions: &[String],
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| view::draw(frame, app, &model.name))?;
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match app.key(key) {
            Action::Continue => {}
            Action::Quit => return Ok(()),
            Action::Save => {
                let message = match super::save(&app.session, model, definitions) {
                    Ok(name) => format!("Saved {name}; open it with --trace {name}"),
                    Err(error) => format!("The run can't be saved: {error}"),
                };
                app.message = Some(message);
            }
        }
    }
}
