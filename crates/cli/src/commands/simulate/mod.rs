//! `narrows simulate`: choose, run at random, step back, replay.
//!
//! `terminal.rs` is the loop that draws and reads keys, for all kinds of models. `app.rs` and `view.rs` are
//! the screen of processes; `keys.rs` and `screen.rs` that of runs whose states and steps are text, which
//! `machine/` (SMV) and `behaviours/` (LOTOS) have. A `session.rs` knows no terminal.

mod app;
mod behaviours;
mod detail;
#[cfg(test)]
mod examples;
mod keys;
mod machine;
mod random;
#[cfg(test)]
mod real_trails;
mod saved;
mod screen;
mod session;
#[cfg(test)]
mod session_tests;
mod terminal;
mod text;
mod trail;
mod view;
#[cfg(test)]
mod view_tests;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use narrows::{Model, Options as ReadOptions, identify};
use narrows_model::{Evaluator, FormKind};
use narrows_report::{RecordedTrace, Trail};
use narrows_study::View;

use super::figures::{Options, Way};
use crate::input::{read_model, read_text, unreadable};
use crate::limits::interrupt_flag;
use crate::output::Printer;
use app::App;
use session::Session;

/// Run a model step by step: choose, run at random, step back, replay
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 nothing went wrong, 1 a violation or a deadlock was met, 2 bad input or usage"
)]
pub(crate) struct Arguments {
    /// The model; with --timed, a study
    file: PathBuf,
    /// Estimate the means of a study from a random run, as a check of what `narrows measure` computes
    #[arg(long, conflicts_with_all = ["random", "trace", "trail"])]
    timed: bool,
    /// Take delays as they are given, and not all for random ones without memory; needs --timed
    #[arg(long, requires = "timed")]
    exact: bool,
    /// Stop when so many delays have ended; needs --timed
    #[arg(long, value_name = "N", default_value_t = 300_000, requires = "timed")]
    ends: u64,
    /// Decide what random steps are taken
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Take N random steps without a terminal and print them
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Print only what the model prints and how the run ended; needs --random
    #[arg(long, requires = "random")]
    quiet: bool,
    /// Replay a run that `narrows check` or the simulator saved
    #[arg(long, value_name = "RUN.json", conflicts_with = "trail")]
    trace: Option<PathBuf>,
    /// Replay a trail that SPIN's verifier wrote
    #[arg(long, value_name = "MODEL.trail")]
    trail: Option<PathBuf>,
    /// Define a macro, as in `-D N=3`; in SMV, give a DEFINE or a FROZENVAR of `main` this value; in LOTOS, a
    /// parameter of the specification
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    define: Vec<String>,
    /// Look for included files in a directory
    #[arg(short = 'I', value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
}

impl Arguments {
    /// Refuses a trail for a model that SPIN does not read.
    fn refuse_trail(&self) -> Result<()> {
        anyhow::ensure!(self.trail.is_none(), "--trail is for Promela models: SPIN writes trails of them");
        Ok(())
    }

    /// Returns the definitions that were given, or else those of a recorded run.
    fn definitions(&self, recorded: Option<&[String]>) -> Vec<String> {
        let is_given = !self.define.is_empty();
        recorded.filter(|_| !is_given).unwrap_or(&self.define).to_vec()
    }
}

/// A run that the user gave.
enum Recorded {
    Trace(RecordedTrace),
    Trail(Trail),
}

/// Simulates a model; returns the exit status.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    if arguments.timed {
        let view = if arguments.exact { View::Timed } else { View::Stochastic };
        let way = Way::Random { view, ends: arguments.ends, seed: arguments.seed };
        let options = Options::plain(&arguments.include, false);
        let said = options.answer_study(&arguments.file, &arguments.define, way, None, &interrupt_flag()?)?;
        return options.print(vec![said]);
    }
    let text = read_text(&arguments.file).map_err(|error| anyhow!(unreadable(&arguments.file, &error)))?;
    let form = identify(&arguments.file.display().to_string(), &text).language.form();
    let needs_terminal = form != FormKind::Labelled && arguments.random.is_none();
    if needs_terminal && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        bail!(
            "the simulator needs a terminal\nhint: --random N takes N random steps and prints them; with --trace or \
             --trail, --random 0 prints the run"
        );
    }
    match form {
        FormKind::Labelled => behaviours::run(arguments),
        FormKind::Synchronous => machine::run(arguments),
        FormKind::Processes => processes(arguments),
    }
}

/// Reads the model, and shows what is wrong with it; `None` if it can't be used.
fn load(arguments: &Arguments, definitions: &[String]) -> Result<Option<Model>> {
    let definitions = definitions.iter().map(|text| text.as_str().into()).collect();
    let options = ReadOptions { definitions, ..ReadOptions::default() };
    let read = read_model(&arguments.file, &arguments.include, &options, arguments.quiet)
        .map_err(|error| anyhow!(unreadable(&arguments.file, &error)))?;
    Ok(read.ok())
}

/// Simulates processes.
fn processes(arguments: &Arguments) -> Result<u8> {
    let recorded = recorded(arguments)?;
    let definitions = arguments.definitions(match &recorded {
        Some(Recorded::Trace(trace)) => Some(&trace.definitions),
        _ => None,
    });
    let Some(model) = load(arguments, &definitions)? else { return Ok(2) };
    let Some(system) = model.processes() else { return Ok(2) };
    let sources = &model.sources;
    let mut session = Session::new(Evaluator::new(system), sources, arguments.seed).map_err(|violation| {
        let line = sources.position(violation.span).line;
        let name = &sources.file(violation.span.file).name;
        anyhow!("there is no initial state: {} at {name}:{line}", violation.kind.message())
    })?;
    let note = recorded.map_or(Ok(None), |recorded| replay(&mut session, &recorded, arguments))?;
    if let Some(count) = arguments.random {
        return print(&mut session, count, arguments.quiet, note);
    }
    let mut app = App::new(session);
    app.message = note;
    let document = |app: &App<'_>| narrows_report::trace_document(&model, "run", &app.session.trace());
    terminal::drive(&mut app, &arguments.file, document)?;
    Ok(0)
}

/// Prints a run; a reader that has gone away is no error.
fn print(session: &mut Session<'_>, count: u64, quiet: bool, note: Option<String>) -> Result<u8> {
    let mut out = Printer::stdout();
    if let Some(note) = note.filter(|_| !quiet) {
        writeln!(out, "{note}")?;
    }
    let well = random::run(session, count, quiet, &mut out).and_then(|well| out.flush().map(|()| well));
    match well {
        Ok(well) => Ok(u8::from(!well)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Reads the run that the user gave, if any.
fn recorded(arguments: &Arguments) -> Result<Option<Recorded>> {
    let bad = |path: &Path, reason: String| anyhow!("can't use `{}`: {reason}", path.display());
    if let Some(path) = &arguments.trace {
        let document = serde_json::from_str(&read(path)?).map_err(|error| bad(path, error.to_string()))?;
        let trace = narrows_report::read_trace(&document).map_err(|error| bad(path, error.to_string()))?;
        return Ok(Some(Recorded::Trace(trace)));
    }
    let Some(path) = &arguments.trail else { return Ok(None) };
    let trail = narrows_report::read_trail(&read(path)?).map_err(|error| bad(path, error.to_string()))?;
    Ok(Some(Recorded::Trail(trail)))
}

/// Replays a run; returns what there is to say of it. With a terminal, a run that does not fit the model is
/// shown as far as it goes.
fn replay(session: &mut Session<'_>, recorded: &Recorded, arguments: &Arguments) -> Result<Option<String>> {
    let (result, note) = match recorded {
        Recorded::Trace(trace) => (saved::replay(session, trace), None),
        Recorded::Trail(trail) => {
            let note = "The trail follows a claim; the claim's own moves are left out.";
            (trail::replay(session, trail), trail.has_claim.then(|| note.to_owned()))
        }
    };
    match result {
        Ok(()) => Ok(note),
        Err(reason) if arguments.random.is_none() => Ok(Some(reason)),
        Err(reason) => bail!(reason),
    }
}

fn read(path: &Path) -> Result<String> {
    crate::input::read_text(path).map_err(|error| anyhow!(unreadable(path, &error)))
}
