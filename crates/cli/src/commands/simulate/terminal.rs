//! The simulator on a real terminal.

use std::io;
use std::path::Path;

use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::app::{Action, App};
use super::{saved_document, view};

/// Lets the user drive the simulator. The terminal is restored at the end, and if the program panics.
pub(super) fn run(app: &mut App<'_>, model: &Path, definitions: &[String]) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let result = drive(&mut terminal, app, model, definitions);
    ratatui::try_restore()?;
    result
}

fn drive(
    terminal: &mut ratatui::DefaultTerminal,
    app: &mut App<'_>,
    model: &Path,
    definitions: &[String],
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| view::draw(frame, app))?;
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match app.key(key) {
            Action::Continue => {}
            Action::Quit => return Ok(()),
            Action::Save => {
                let message = match save(app, model, definitions) {
                    Ok(name) => format!("Saved {name}; open it with --trace {name}"),
                    Err(error) => format!("The run can't be saved: {error}"),
                };
                app.message = Some(message);
            }
        }
    }
}

/// Saves the run beside the model under a name that is not taken.
fn save(app: &App<'_>, model: &Path, definitions: &[String]) -> io::Result<String> {
    let document = saved_document(&app.session, model, definitions);
    save_beside(model, &format!("{document:#}\n"))
}

/// Writes a text beside a model under a name that is not taken; returns the name.
pub(super) fn save_beside(model: &Path, text: &str) -> io::Result<String> {
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
