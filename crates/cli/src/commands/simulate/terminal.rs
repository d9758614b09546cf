//! A simulator on a real terminal: the loop that draws and reads keys, for all kinds of models.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use serde_json::Value;

/// Whether the simulator has the terminal.
static IS_IN_USE: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back, if the simulator has it: the program is about to end.
pub(crate) fn leave_screen() {
    if IS_IN_USE.swap(false, Ordering::AcqRel) {
        ratatui::restore();
    }
}

/// What the program has to do after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Continue,
    Save,
    Quit,
}

/// A simulator that can be shown, and that keys drive.
pub(super) trait Screen {
    /// Draws everything.
    fn draw(&self, frame: &mut Frame<'_>);

    /// Does what a key asks for.
    fn key(&mut self, key: KeyEvent) -> Action;

    /// Says something, until the next key.
    fn say(&mut self, message: String);
}

/// Lets the user drive a simulator. A run is saved beside the model, as the document that is made of it. The
/// terminal is restored at the end, and if the program panics.
pub(super) fn drive<S: Screen>(screen: &mut S, model: &Path, document: impl Fn(&S) -> Value) -> Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal can't be used")?;
    IS_IN_USE.store(true, Ordering::Release);
    let result = keys(&mut terminal, screen, model, document);
    IS_IN_USE.store(false, Ordering::Release);
    ratatui::try_restore().context("the terminal can't be restored")?;
    result.context("the terminal can't be used")
}

fn keys<S: Screen>(
    terminal: &mut ratatui::DefaultTerminal,
    screen: &mut S,
    model: &Path,
    document: impl Fn(&S) -> Value,
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| screen.draw(frame))?;
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match screen.key(key) {
            Action::Continue => {}
            Action::Quit => return Ok(()),
            Action::Save => screen.say(match save_beside(model, &format!("{:#}\n", document(screen))) {
                Ok(name) => format!("Saved {name}; open it with --trace {name}"),
                Err(error) => format!("The run can't be saved: {error}"),
            }),
        }
    }
}

/// Writes a text beside a model under a name that is not taken; returns the name.
fn save_beside(model: &Path, text: &str) -> io::Result<String> {
    for number in 1.. {
        let path = model.with_extension(format!("run{number}.json"));
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                io::Write::write_all(&mut file, text.as_bytes())?;
                return Ok(path.display().to_string());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
