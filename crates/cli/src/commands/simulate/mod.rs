//! `narrows simulate`: choose, run at random, step back, replay.

mod app;
mod chart;
mod detail;
#[cfg(test)]
mod examples;
mod follow;
mod load;
mod prng;
mod random;
mod saved;
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
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use narrows_model::Evaluator;
use narrows_source::Sources;

use app::App;
use session::Session;

/// Run a model step by step: choose, run at random, step back, replay
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 nothing went wrong, 1 a violation or a deadlock was met, 2 bad input or usage"
)]
pub(crate) struct Arguments {
    /// The model
    file: PathBuf,
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
    /// Define a macro, as in `-D N=3`
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    define: Vec<String>,
    /// Look for included files in a directory
    #[arg(short = 'I', value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
}

/// Simulates a model.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.random.is_none() && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        bail!(
            "the simulator needs a terminal\nhint: --random N takes N random steps and prints them; with --trace or \
             --trail, --random 0 prints the run"
        );
    }
    let mut sources = Sources::default();
    let system = load::load(&arguments.file, &arguments.define, &arguments.include, &mut sources)
        .map_err(|message| anyhow!(message))?;
    let mut session =
        Session::new(Evaluator::new(&system), &sources, arguments.seed).map_err(|violation| {
            let line = sources.position(violation.span).line;
            let name = &sources.file(violation.span.file).name;
            anyhow!("there is no initial state: {} at {name}:{line}", violation.kind.message())
        })?;
    let replayed = replay(&mut session, arguments)?;
    let Some(count) = arguments.random else {
        let mut app = App::new(session);
        app.message = replayed;
        terminal::run(&mut app, &arguments.file).context("the terminal can't be used")?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    if let Some(note) = replayed.filter(|_| !arguments.quiet) {
        writeln!(out, "{note}")?;
    }
    let well = random::run(&mut session, count, arguments.quiet, &mut out)?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(!well)))
}

/// Replays the run that the user gave; returns what there is to say of it. With a terminal, a run that does not fit the
/// model is shown as far as it goes.
fn replay(session: &mut Session<'_>, arguments: &Arguments) -> Result<Option<String>> {
    let mut note = None;
    let result = if let Some(path) = &arguments.trace {
        let document = serde_json::from_str(&read(path)?).with_context(|| path.display().to_string())?;
        let recorded = narrows_report::read_trace(&document);
        saved::replay(session, &recorded.map_err(|reason| anyhow!("{}: {reason}", path.display()))?)
    } else if let Some(path) = &arguments.trail {
        let trail = trail::parse(&read(path)?).map_err(|reason| anyhow!("{}: {reason}", path.display()))?;
        note = trail
            .has_claim
            .then(|| "The trail follows a claim; the claim's own moves are left out.".to_owned());
        trail::replay(session, &trail)
    } else {
        Ok(())
    };
    match result {
        Ok(()) => Ok(note),
        Err(reason) if arguments.random.is_none() => Ok(Some(reason)),
        Err(reason) => bail!(reason),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}

/// Returns the run as a document to save.
fn saved_document(session: &Session<'_>, model: &Path) -> serde_json::Value {
    narrows_report::trace_document(&model.display().to_string(), &session.trace(), session.sources())
}
