//! The program `narrows`: reads files, runs engines, prints reports. Nothing else in the workspace touches
//! the outside.

mod checkpoint;
mod cluster;
mod colour;
mod commands;
mod input;
mod limits;
mod output;
mod progress;
mod reading;
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use narrows_model::Limit;

use commands::{
    automaton, bottleneck, bounds, check, cluster as cluster_command, completions, explain, explore, fit,
    graph, init, lsp, lts, measure, new, serve, simulate,
};

const EXAMPLES: &str = "\
Examples:
  narrows check peterson.pml               prove every property, or show a shortest run against it
  narrows check models/ --time 5m          check every model of a folder
  narrows bottleneck examples/myrinet      what limits a design, and what would help
  narrows measure study.toml               how long, how often, how fast
  narrows fit log.csv                      the delays that fit measured durations
  narrows bounds m.pml --from p --to q     the least and the most steps from here to there
  narrows explore peterson.pml             count states, find code that is never reached
  narrows simulate peterson.pml            run it step by step, forwards and backwards
  narrows check peterson.pml --format json print one JSON document
  narrows automaton '[] (p -> <> q)'       show the automaton of a formula
  narrows cluster local 4 -- check m.pml   search with several processes, or on several machines
  narrows graph peterson.pml -o graph.svg  draw the processes; with graph.aut, write all states
  narrows lts check graph.aut '[tau] -|'   check a formula on a labelled graph
  narrows explain P0104                    say what a message means and what to do
  narrows new pipeline                     start a model and its study from a template
  narrows init                             check models and studies in CI
  narrows serve                            work in a browser
  narrows lsp                              serve an editor

Exit status: 0 everything holds, 1 something fails, 2 undecided, bad input or bad usage";

/// Find the bottleneck in a concurrent design before it is built, and prove it
#[derive(Parser)]
#[command(name = "narrows", version, after_help = EXAMPLES, max_term_width = 110)]
struct Arguments {
    /// Confine what models include, and studies name as their model, to this folder
    #[arg(long, value_name = "DIR", global = true)]
    include_only: Option<PathBuf>,

    /// Choose when verdicts and messages are in colour
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto", hide_possible_values = true)]
    color: colour::When,

    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    fn run(&self) -> anyhow::Result<u8> {
        colour::choose(self.color);
        if let Some(folder) = &self.include_only {
            reading::confine(folder)?;
        }
        self.command.run()
    }
}

#[derive(Subcommand)]
enum Command {
    Check(Box<check::Arguments>),
    Explore(Box<explore::Arguments>),
    Explain(explain::Arguments),
    Simulate(Box<simulate::Arguments>),
    Automaton(automaton::Arguments),
    Graph(graph::Arguments),
    Lts(lts::Arguments),
    Measure(measure::Arguments),
    Fit(fit::Arguments),
    Bounds(bounds::Arguments),
    Bottleneck(bottleneck::Arguments),
    Cluster(cluster_command::Arguments),
    New(new::Arguments),
    Init(init::Arguments),
    Serve(serve::Arguments),
    Lsp(lsp::Arguments),
    Completions(completions::Arguments),
    Man(completions::Manual),
}

impl Command {
    fn run(&self) -> anyhow::Result<u8> {
        match self {
            Command::Check(arguments) => check::run(arguments),
            Command::Explore(arguments) => explore::run(arguments),
            Command::Explain(arguments) => explain::run(arguments),
            Command::Simulate(arguments) => simulate::run(arguments),
            Command::Automaton(arguments) => automaton::run(arguments),
            Command::Graph(arguments) => graph::run(arguments),
            Command::Lts(arguments) => lts::run(arguments),
            Command::Measure(arguments) => measure::run(arguments),
            Command::Fit(arguments) => fit::run(arguments),
            Command::Bounds(arguments) => bounds::run(arguments),
            Command::Bottleneck(arguments) => bottleneck::run(arguments),
            Command::Cluster(arguments) => cluster_command::run(arguments),
            Command::New(arguments) => new::run(arguments),
            Command::Init(arguments) => init::run(arguments),
            Command::Serve(arguments) => serve::run(arguments),
            Command::Lsp(arguments) => lsp::run(arguments),
            Command::Completions(arguments) => completions::run(arguments, Arguments::command()),
            Command::Man(arguments) => completions::write_manual(arguments, Arguments::command()),
        }
    }
}

/// Does what a command line says, as one process of several.
fn run_arguments(line: &[String]) -> anyhow::Result<u8> {
    let line = std::iter::once("narrows").chain(line.iter().map(String::as_str));
    let matches = Arguments::command().try_get_matches_from(line)?;
    output::choose(&matches);
    Arguments::from_arg_matches(&matches)?.run()
}

/// What a panic said, kept for the report.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn main() -> ExitCode {
    let matches = Arguments::command().get_matches();
    output::choose(&matches);
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // `lts transient` has times of its own.
    let time = if matches!(arguments.command, Command::Lts(_)) { "--time-limit" } else { "--time" };
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut text) = PANIC.lock() {
            *text = Some(info.to_string());
        }
    }));
    let kind = match &arguments.command {
        Command::Lts(arguments) => Some(arguments.kind()),
        _ => None,
    };
    let say = |limit: Limit| {
        let reason = limit.reason();
        simulate::leave_screen();
        output::error(&format!("undecided: {reason}"));
        limits::remember(false, [limit]);
        limits::advise(time);
        match kind {
            Some(kind) if output::is_json() => output::print_undecided(kind, reason),
            None if output::is_json() => output::print_failure(&format!("undecided: {reason}")),
            _ => {}
        }
    };
    let work = move || {
        limits::end_without_memory()?;
        arguments.run()
    };
    let result = match watchdog::watch(limits::stack(), work, say) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => {
            let text = PANIC.lock().ok().and_then(|mut text| text.take()).unwrap_or_default();
            Err(anyhow::anyhow!("internal error: {text}\nThis is a bug in narrows, not in the model."))
        }
        Err(error) => Err(anyhow::Error::from(error).context("can't start a thread")),
    };
    let status = match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            output::error(&format!("{error:#}"));
            if output::is_json() {
                output::print_failure(&format!("{error:#}"));
            }
            ExitCode::from(2)
        }
    };
    limits::advise(time);
    status
}

#[cfg(test)]
mod tests {
    #[test]
    fn options_are_consistent() {
        <super::Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
