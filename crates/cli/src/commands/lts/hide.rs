//! `narrows lts hide`: labels that become internal.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::edit::{self, Choice, Pattern};

use super::{Given, files};

/// Hide actions: make them internal
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Actions to hide: `PUT` for all with this gate, `PUT !1` for one
    #[arg(value_name = "ACTION", required_unless_present = "regex")]
    names: Vec<String>,

    /// Hide actions that match a regular expression as a whole; may be repeated
    #[arg(long, value_name = "EXPRESSION")]
    regex: Vec<String>,

    /// Hide all actions but those
    #[arg(long)]
    all_but: bool,

    /// Write the result there instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let patterns = arguments.regex.iter().map(|text| Pattern::new(text));
    let patterns = patterns.collect::<Result<_, _>>().map_err(anyhow::Error::msg)?;
    let choice = Choice { names: arguments.names.clone(), patterns, all_but: arguments.all_but };
    let graph = files::read(&arguments.file, given)?;
    files::write(&edit::hide(&graph, &choice), arguments.output.as_deref())?;
    Ok(0)
}
