//! The simulator of synchronous systems.

mod session;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, Write};

use anyhow::{Result, anyhow, bail};
use narrows_report::{RecordedRun, change_line, trace_document};

use super::Arguments;
use super::keys::App;
use super::terminal::drive;
use crate::output::Printer;
use session::Session;
use view::Shown;

/// Simulates a model; returns the exit status.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    arguments.refuse_trail()?;
    let recorded = recorded(arguments)?;
    let definitions =
        arguments.definitions(recorded.as_ref().map(|recorded| recorded.definitions.as_slice()));
    let Some(model) = super::load(arguments, &definitions)? else { return Ok(2) };
    let Some(system) = model.synchronous() else { return Ok(2) };
    let mut session = Session::new(system, arguments.seed);
    if session.state().is_none() && session.steps().is_empty() {
        bail!("there is no first state: the constraints on it contradict each other");
    }
    let note = match recorded.map(|recorded| session.replay(&recorded)) {
        Some(Err(reason)) if arguments.random.is_some() => bail!(reason),
        Some(Err(reason)) => Some(reason),
        _ => None,
    };
    if let Some(count) = arguments.random {
        return print(&mut session, count, arguments.quiet);
    }
    let mut app = App::new(Shown { session, name: model.name.clone() });
    app.message = note;
    let document = |app: &App<Shown<'_>>| trace_document(&model, "run", &app.session.session.trace());
    drive(&mut app, &arguments.file, document)?;
    Ok(0)
}

/// Reads the run that the user gave, if any.
fn recorded(arguments: &Arguments) -> Result<Option<RecordedRun>> {
    let Some(path) = &arguments.trace else { return Ok(None) };
    let bad = |reason: String| anyhow!("can't use `{}`: {reason}", path.display());
    let document = serde_json::from_str(&super::read(path)?).map_err(|error| bad(error.to_string()))?;
    narrows_report::read_run(&document).map(Some).map_err(|error| bad(error.to_string()))
}

/// Prints a run; a reader that has gone away is no error.
fn print(session: &mut Session<'_>, count: u64, quiet: bool) -> Result<u8> {
    let mut out = Printer::stdout();
    let well = random(session, count, quiet, &mut out).and_then(|well| out.flush().map(|()| well));
    match well {
        Ok(well) => Ok(u8::from(!well)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Writes the run so far, takes random steps, writes them and how things stand then. Returns whether nothing went wrong.
fn random(session: &mut Session<'_>, count: u64, quiet: bool, out: &mut dyn Write) -> io::Result<bool> {
    let mut fault = None;
    if session.state().is_none() {
        // Where to begin is no step.
        session.random_step();
    }
    let told = session.length();
    for number in 0..told {
        session.jump(number);
        if session.cycle() == Some(number) && !quiet {
            writeln!(out, "      the cycle starts here")?;
        }
        write_state(session, quiet, out)?;
        fault = fault.or_else(|| session.fault());
    }
    if let Some(cycle) = session.cycle().filter(|_| !quiet) {
        writeln!(out, "      and again from state {cycle} on, for ever")?;
    }
    for _ in 0..count {
        if fault.is_some() || !session.random_step() {
            break;
        }
        write_state(session, quiet, out)?;
        fault = session.fault();
    }
    let steps = narrows_report::count(session.position() as u64, "step");
    let is_stuck = session.steps().is_empty();
    match &fault {
        Some(fault) => writeln!(out, "fault after {steps}: {fault}")?,
        None if is_stuck => writeln!(out, "deadlock after {steps}: there is no next state")?,
        None => writeln!(out, "stopped after {steps}")?,
    }
    Ok(fault.is_none() && !is_stuck)
}

/// Writes the current state: what the last step changed.
fn write_state(session: &Session<'_>, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    if quiet {
        return Ok(());
    }
    let number = session.position();
    let changes: Vec<String> = session.changes_to(number).iter().map(change_line).collect();
    if number == 0 {
        for (index, line) in changes.chunks(4).enumerate() {
            let label = if index == 0 { "0" } else { "" };
            writeln!(out, "{label:>4}  {}", line.join(", "))?;
        }
    } else if changes.is_empty() {
        writeln!(out, "{number:>4}  nothing changes")?;
    } else {
        writeln!(out, "{number:>4}  {}", changes.join(", "))?;
    }
    for (atom, value, _) in session.atoms().filter(|(_, _, changed)| *changed || number == 0) {
        writeln!(out, "      ◆ {atom}: {value}")?;
    }
    Ok(())
}
