//! `narrows measure`: the questions of a study.

use std::path::PathBuf;

use clap::Args;

use super::figures::{Files, Options, TimeEngine};
use super::fit;

const EXAMPLES: &str = "\
Examples:
  narrows measure examples/queues/tandem.toml
  narrows measure examples/queues          every study of a folder
  narrows measure examples/pci --html pci.html
  narrows measure study.toml --runs        with the runs that show the best and the worst case
  narrows measure study.toml --against log.csv    beside what was measured
  narrows measure study.toml --csv out.csv the table of a sweep for a spreadsheet or a script
  narrows measure study.toml --engine simulation   estimate what is too large to be exact";

/// Answer the questions of a study: how long, how often, how fast
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Study files, or folders: every .toml file in them
    #[arg(required = true, value_name = "STUDY")]
    files: Vec<PathBuf>,

    /// Override the value that the study gives to a constant of the model
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,

    /// Write the stochastic view to this file too, as a graph with rates in the format AUT
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,

    /// Write the answers to this file too, a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the answers, or the table of a sweep, to this file too, as comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Choose how questions about time are answered
    #[arg(long, value_name = "ENGINE", default_value = "automatic")]
    engine: TimeEngine,
    /// Compare predictions with measurements: a log as for `narrows fit`, whose kinds have the names of
    /// throughputs and latencies
    #[arg(long, value_name = "LOG")]
    against: Option<PathBuf>,

    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let Arguments { chain, html, csv, against, .. } = arguments;
    let against = match against {
        Some(path) => Some((path.display().to_string(), fit::read(path)?)),
        None => None,
    };
    let against = against.as_ref().map(|(name, log)| (name.as_str(), log));
    let files = Files {
        chain: chain.as_deref(),
        html: html.as_deref(),
        csv: csv.as_deref(),
        against,
        engine: arguments.engine,
    };
    arguments.options.answer_all(&arguments.files, &arguments.definitions, files)
}
