//! `narrows lts min`: a smaller graph that behaves the same.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::minimise;

use super::{Given, files, relation};

/// Minimise a graph: find the smallest one that behaves the same
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the result there instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    relation: relation::Chosen,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let graph = files::read(&arguments.file, given)?;
    let small = minimise(&graph, arguments.relation.settings()).map_err(anyhow::Error::msg)?;
    files::write(&small, arguments.output.as_deref())?;
    files::tell_sizes(&graph, &small);
    Ok(0)
}
