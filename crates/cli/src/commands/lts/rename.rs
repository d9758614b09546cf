//! `narrows lts rename`: other labels.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::edit::{self, Pattern, Rule};

use super::{Given, files};

/// Rename labels by regular expressions
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Regular expressions for whole labels, each with what takes their place: `$1` or `${1}` is what the
    /// first group matches. The first expression that matches counts
    #[arg(value_names = ["EXPRESSION", "REPLACEMENT"], num_args = 2.., required = true)]
    rules: Vec<String>,

    /// Write the result there instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let mut rules = Vec::new();
    for pair in arguments.rules.chunks(2) {
        let [pattern, replacement] = pair else {
            anyhow::bail!("`{}` has no replacement: give one after each expression", pair[0]);
        };
        let pattern = Pattern::new(pattern).map_err(anyhow::Error::msg)?;
        rules.push(Rule { pattern, replacement: replacement.clone() });
    }
    let graph = files::read(&arguments.file, given)?;
    files::write(&edit::rename(&graph, &rules), arguments.output.as_deref())?;
    Ok(0)
}
