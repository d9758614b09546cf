//! `narrows simulate`: choose, run at random, step back, replay.
//!
//! The run itself is a [`Session`] of the library, the same for all models. `app.rs` is what keys do with it,
//! `view.rs` and `detail.rs` draw it, `terminal.rs` is the loop that reads keys; `random.rs` and `lines.rs`
//! need no terminal.

mod app;
mod detail;
#[cfg(test)]
mod examples;
mod lines;
mod random;
mod terminal;
mod view;
#[cfg(test)]
mod view_tests;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow, bail, ensure};
use clap::Args;
use narrows::simulation::{NoStart, Recording, Session};
use narrows::{Limit, Model, Options as ReadOptions, Progress, Watch};
use narrows_study::View;
use serde_json::Value;

use super::figures::{self, Options, Way};
use crate::input::{is_study, read_large_text, read_model, unreadable};
use crate::limits::{self, Clock, interrupt_flag, parse_memory, parse_time};
use crate::output::{self, Printer};
use crate::watchdog::{self, Work};
use app::App;
pub(crate) use terminal::leave_screen;

/// Run a model step by step: choose, run at random, step back, replay
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 nothing went wrong, 1 a violation or a deadlock was met, 2 a limit was reached, bad input or \
                  usage"
)]
pub(crate) struct Arguments {
    /// The model, or a study: then its model, with the study's constants; with --timed, a study
    file: PathBuf,
    /// Estimate the means of a study from a random run, as a check of what `narrows measure` computes
    #[arg(long, conflicts_with_all = ["random", "trace", "trail"])]
    timed: bool,
    /// Take delays as given, not as exponential ones with the same mean; needs --timed
    #[arg(long, requires = "timed")]
    exact: bool,
    /// Stop when this many delays have ended; needs --timed
    #[arg(long, value_name = "N", default_value_t = 300_000, requires = "timed")]
    ends: u64,
    /// Seed the random generator
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
    /// Use at most this much memory, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory: Option<u64>,
    /// Stop after this time, such as 90s, 5m or 1h30m; not for runs on a screen
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,
}

/// Simulates a model; returns the exit status.
pub(crate) fn run(arguments: &Arguments) -> Result<u8> {
    if arguments.timed {
        let view = if arguments.exact { View::Timed } else { View::Stochastic };
        let way = Way::Random { view, ends: arguments.ends, seed: arguments.seed };
        let options = options(arguments);
        let said = options.answer_study(&arguments.file, &arguments.define, way, None, &interrupt_flag()?)?;
        return figures::print(vec![said]);
    }
    let has_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    let is_shown = arguments.random.is_none() && has_terminal;
    ensure!(
        !is_shown || arguments.time.is_none(),
        "--time goes with --random, --timed, or input from a file"
    );
    watchdog::limit(Work::Reading, arguments.time, arguments.memory);
    let interrupted = interrupt_flag()?;
    let document = arguments.trace.as_deref().map(read_document).transpose()?;
    let Some(model) = load(arguments, document.as_ref())? else { return Ok(2) };
    let recording = recording(arguments, &model, document.as_ref())?;
    let mut session = match Session::new(&model, arguments.seed) {
        Ok(session) => session,
        Err(NoStart { diagnostic: Some(diagnostic), .. }) => {
            output::diagnostics(&[*diagnostic], &model.sources);
            return Ok(2);
        }
        Err(NoStart { message, .. }) => bail!(message),
    };
    let note = recording.map_or(Ok(None), |recording| replay(&mut session, &recording, is_shown))?;
    if is_shown {
        let mut app = App::new(session);
        app.message = note;
        let write = |app: &App<'_>, out: &mut dyn Write| {
            narrows_report::trace_document(&model, "run", &app.session.trace()).write(out, 0)
        };
        terminal::drive(&mut app, &arguments.file, &write)?;
        return Ok(0);
    }
    let clock = Clock::with(arguments.time, arguments.memory, true, "", &interrupted);
    print(&mut session, arguments, note, &|| clock.check(&Progress::default()))
}

/// Returns what a study needs.
fn options(arguments: &Arguments) -> Options {
    let mut options = Options::plain(&arguments.include, arguments.quiet);
    (options.time, options.memory) = (arguments.time, arguments.memory);
    options
}

/// Reads the model, or that of a study, and shows what is wrong with it; `None` if it can't be used. A
/// recorded run tells which definitions it was made with.
fn load(arguments: &Arguments, recorded: Option<&Value>) -> Result<Option<Model>> {
    if is_study(&arguments.file) {
        let loaded = options(arguments).load(&arguments.file, &arguments.define, &[])?;
        return Ok(loaded.ok().map(|prepared| prepared.model()));
    }
    let recorded = recorded.and_then(|document| document.get("definitions")?.as_array());
    let definitions: Vec<&str> = match recorded {
        Some(recorded) if arguments.define.is_empty() => recorded.iter().filter_map(Value::as_str).collect(),
        _ => arguments.define.iter().map(String::as_str).collect(),
    };
    let definitions = definitions.into_iter().map(Into::into).collect();
    let options = ReadOptions { definitions, ..ReadOptions::default() };
    let read = read_model(&arguments.file, &arguments.include, &options, arguments.quiet)
        .map_err(|error| anyhow!(unreadable(&arguments.file, &error)))?;
    Ok(read.ok())
}

/// Prints a run, or talks about it line by line, until there is a reason to stop; a reader that has gone away
/// is no error.
fn print(
    session: &mut Session<'_>,
    arguments: &Arguments,
    note: Option<String>,
    limit: &dyn Fn() -> Option<Limit>,
) -> Result<u8> {
    let written = match arguments.random {
        Some(count) => {
            let mut out = Printer::stdout();
            if let Some(note) = note.filter(|_| !arguments.quiet) {
                writeln!(out, "{note}")?;
            }
            let end = random::run(session, count, arguments.quiet, &mut out, limit);
            end.and_then(|end| out.flush().map(|()| end))
        }
        None => lines::talk(session).map(Ok),
    };
    let status = match written {
        Ok(Ok(well)) => u8::from(!well),
        Ok(Err(limit)) => {
            output::error(&format!("undecided: {}", limit.reason()));
            limits::remember(false, [limit]);
            2
        }
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => return Err(error.into()),
    };
    match session.diagnostic() {
        Some(diagnostic) => {
            output::diagnostics(&[diagnostic], session.sources());
            Ok(2)
        }
        None => Ok(status),
    }
}

fn bad(path: &Path, reason: &str) -> anyhow::Error {
    anyhow!("can't use `{}`: {reason}", path.display())
}

/// Reads a document that a run was saved in.
fn read_document(path: &Path) -> Result<Value> {
    let text = read_large_text(path).map_err(|error| anyhow!(unreadable(path, &error)))?;
    serde_json::from_str(&text).map_err(|error| bad(path, &error.to_string()))
}

/// Reads the run that the user gave, if any.
fn recording(arguments: &Arguments, model: &Model, document: Option<&Value>) -> Result<Option<Recording>> {
    if let (Some(path), Some(document)) = (&arguments.trace, document) {
        return Recording::read(model, document).map(Some).map_err(|reason| bad(path, &reason.to_string()));
    }
    let Some(path) = &arguments.trail else { return Ok(None) };
    narrows::accepts_spin_trail(model).map_err(|refusal| anyhow!(refusal.reason))?;
    let trail = Recording::read_trail(model, &read(path)?);
    trail.map(Some).map_err(|reason| bad(path, &reason.to_string()))
}

/// Replays a run; returns what there is to say of it. On a screen, a run that does not fit the model is shown
/// as far as it goes.
fn replay(session: &mut Session<'_>, recording: &Recording, is_shown: bool) -> Result<Option<String>> {
    let note = "The trail follows a claim; the claim's own moves are left out.";
    let has_claim = matches!(recording, Recording::Trail(trail) if trail.has_claim);
    match session.replay(recording) {
        Ok(()) => Ok(has_claim.then(|| note.to_owned())),
        Err(reason) if is_shown => Ok(Some(reason.to_string())),
        Err(reason) => Err(reason.into()),
    }
}

fn read(path: &Path) -> Result<String> {
    crate::input::read_text(path).map_err(|error| anyhow!(unreadable(path, &error)))
}
