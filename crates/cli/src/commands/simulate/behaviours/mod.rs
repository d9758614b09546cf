//! The simulator of LOTOS models: on the screen, at random, or line by line where there is no terminal.

mod lines;
mod session;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, IsTerminal, Write};

use anyhow::{Result, anyhow, bail};
use narrows_languages::lotos;
use narrows_report::{RecordedLabels, one_line, read_labels, trace_document};

use super::Arguments;
use super::keys::App;
use super::terminal::drive;
use crate::output::{self, Printer};
use session::Session;

/// Simulates a model; returns the exit status.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    arguments.refuse_trail()?;
    let recorded = recorded(arguments)?;
    let definitions =
        arguments.definitions(recorded.as_ref().map(|recorded| recorded.definitions.as_slice()));
    let Some(model) = super::load(arguments, &definitions)? else { return Ok(2) };
    let Some(labelled) = model.labelled() else { return Ok(2) };
    if let Some(fault) = labelled.system.fault(None) {
        output::diagnostics(&[lotos::fault(&fault)], &model.sources);
        return Ok(2);
    }
    let mut session = Session::new(&model, &*labelled.system, arguments.seed)
        .map_err(|reason| anyhow!("there is no first state: {reason}"))?;
    let has_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    let is_shown = arguments.random.is_none() && has_terminal;
    let note = match recorded.map(|recorded| session.replay(&recorded)) {
        Some(Err(reason)) if !is_shown => bail!(reason),
        Some(Err(reason)) => Some(reason),
        _ => None,
    };
    if is_shown {
        let mut app = App::new(session);
        app.message = note;
        let document = |app: &App<Session<'_>>| trace_document(&model, "run", &app.session.trace());
        drive(&mut app, &arguments.file, document)?;
        return Ok(0);
    }
    let ended = match arguments.random {
        Some(count) => print(&mut session, count, arguments.quiet),
        None => lines::talk(&mut session),
    };
    let status = match ended {
        Ok(well) => u8::from(!well),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => return Err(error.into()),
    };
    if let Some(fault) = session.fault() {
        output::diagnostics(&[lotos::fault(fault)], &model.sources);
        return Ok(2);
    }
    Ok(status)
}

/// Reads the run that the user gave, if any.
fn recorded(arguments: &Arguments) -> Result<Option<RecordedLabels>> {
    let Some(path) = &arguments.trace else { return Ok(None) };
    let bad = |reason: String| anyhow!("can't use `{}`: {reason}", path.display());
    let document = serde_json::from_str(&super::read(path)?).map_err(|error| bad(error.to_string()))?;
    read_labels(&document).map(Some).map_err(|error| bad(error.to_string()))
}

/// Prints a run.
fn print(session: &mut Session<'_>, count: u64, quiet: bool) -> io::Result<bool> {
    let mut out = Printer::stdout();
    let well = random(session, count, quiet, &mut out)?;
    out.flush().map(|()| well)
}

/// Writes the run so far, takes random steps and writes them, and says so if nothing can happen then. Returns whether
/// nothing went wrong.
fn random(session: &mut Session<'_>, count: u64, quiet: bool, out: &mut dyn Write) -> io::Result<bool> {
    for number in 1..session.length() {
        session.jump(number);
        if session.cycle() == Some(number - 1) && !quiet {
            writeln!(out, "        the cycle starts here")?;
        }
        write_step(session, quiet, out)?;
    }
    match session.cycle().filter(|_| !quiet) {
        Some(cycle) if cycle + 1 < session.length() => {
            writeln!(out, "        and again from step {} on, for ever", cycle + 1)?;
        }
        Some(_) => writeln!(out, "        and then nothing, for ever")?,
        None => {}
    }
    for _ in 0..count {
        session.forget();
        if !session.random_step() {
            break;
        }
        write_step(session, quiet, out)?;
    }
    if !session.steps().is_empty() {
        return Ok(true);
    }
    if session.fault().is_none() {
        let ended = session.has_ended();
        writeln!(
            out,
            "{}",
            if ended { "the run has ended" } else { "deadlock: nothing can happen any more" }
        )?;
        return Ok(ended);
    }
    Ok(false)
}

fn write_step(session: &Session<'_>, quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    match session.label(session.here()) {
        Some(label) if !quiet => writeln!(out, "{:>6}  {}", session.position(), one_line(label)),
        _ => Ok(()),
    }
}
