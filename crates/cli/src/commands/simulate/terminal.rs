//! A simulator on a real terminal: the loop that draws and reads keys, for all kinds of models.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};

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

/// Writes the run of a simulator.
type Saving<'w, S> = &'w dyn Fn(&S, &mut dyn Write) -> io::Result<()>;

/// Lets the user drive a simulator. A run is saved beside the model, as it is written. The
/// terminal is restored at the end, and if the program panics.
pub(super) fn drive<S: Screen>(screen: &mut S, model: &Path, write: Saving<'_, S>) -> Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal can't be used")?;
    IS_IN_USE.store(true, Ordering::Release);
    let result = keys(&mut terminal, screen, model, write);
    IS_IN_USE.store(false, Ordering::Release);
    ratatui::try_restore().context("the terminal can't be restored")?;
    result.context("the terminal can't be used")
}

fn keys<S: Screen>(
    terminal: &mut ratatui::DefaultTerminal,
    screen: &mut S,
    model: &Path,
    write: Saving<'_, S>,
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
            Action::Save => screen.say(match save_beside(model, |file| write(screen, file)) {
                Ok(name) => format!("Saved {name}; open it with --trace {name}"),
                Err(error) => format!("The run can't be saved: {error}"),
            }),
        }
    }
}

/// Writes a file beside a model under a name that is not taken; returns the name.
fn save_beside(model: &Path, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<String> {
    for number in 1.. {
        let path = model.with_extension(format!("run{number}.json"));
        match std::fs::File::create_new(&path) {
            Ok(file) => {
                let mut file = BufWriter::new(file);
                write(&mut file)?;
                writeln!(file)?;
                file.flush()?;
                return Ok(path.display().to_string());
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
