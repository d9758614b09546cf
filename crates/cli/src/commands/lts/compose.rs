//! `narrows lts compose`: two graphs side by side.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::edit::{self, Operator};

use super::{Given, files};
use crate::output;

/// Compose two graphs in parallel, as LOTOS does
#[derive(Args)]
pub(crate) struct Arguments {
    /// A graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    first: PathBuf,

    /// What they do together: `|[a, b]|` labels with these gates, `|||` none, `||` all
    ///
    /// They go together with labels of the same text. `exit` always does, internal steps and labels with
    /// rates or probabilities never.
    #[arg(value_name = "OPERATOR")]
    operator: String,

    /// Another graph
    #[arg(value_name = "OTHER")]
    second: PathBuf,

    /// Write the result there instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let Some(operator) = Operator::parse(&arguments.operator) else {
        anyhow::bail!("unknown operator `{}`: try '|||', '||' or '|[a, b]|', in quotes", arguments.operator);
    };
    let (first, second) = files::read_both(&arguments.first, &arguments.second, given)?;
    let both = edit::compose(&first, &second, &operator)?;
    files::write(&both, arguments.output.as_deref())?;
    output::note(&format!(
        "{} and {} states → {} states, {} edges",
        first.states(),
        second.states(),
        both.states(),
        both.edges().len()
    ));
    Ok(0)
}
