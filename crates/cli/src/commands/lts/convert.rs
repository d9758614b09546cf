//! `narrows lts convert`: graphs for other programs and for people.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use narrows_lts::{draw, edit};

use super::{Given, files};

/// Write a graph in another form
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Choose the form
    #[arg(long, value_name = "FORM")]
    to: Form,

    /// Write the result there instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// AUT, with states numbered breadth first and edges sorted
    Aut,
    /// For Graphviz
    Dot,
    /// A drawing, if there are at most 150 states
    Svg,
    /// A line for each edge, with commas
    Csv,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let graph = files::read(&arguments.file, given)?;
    let text = match arguments.to {
        Form::Aut => {
            files::write(&edit::breadth_first(&graph), arguments.output.as_deref())?;
            return Ok(0);
        }
        Form::Dot => draw::dot(&graph),
        Form::Csv => draw::csv(&graph),
        Form::Svg => match draw::svg(&graph) {
            Some(text) => text,
            None => anyhow::bail!(
                "a graph of {} states is too large to be drawn, {} are the most; make it smaller with \
                 `narrows lts min`, or take --to dot",
                graph.states(),
                draw::MAX_DRAWN_STATES
            ),
        },
    };
    files::write_text(&text, arguments.output.as_deref())?;
    Ok(0)
}
