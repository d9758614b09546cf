//! `narrows lts determinate`: a graph without states in which no time passes.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::aut;
use narrows_performance::graphs::{AutomatonError, GraphAutomaton};

use super::Given;
use crate::output;

/// Remove vanishing states whose choices make no difference
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the graph to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let graph = super::read(&arguments.file, given)?;
    let shown = arguments.file.display();
    let result = GraphAutomaton::new(&graph).and_then(|timed| timed.determinate(&graph));
    match result {
        Ok(found) => {
            let text = aut::write(&found);
            match &arguments.output {
                Some(path) => std::fs::write(path, text)
                    .map_err(|error| anyhow::anyhow!("can't write {}: {error}", path.display()))?,
                None => output::print_data(&text)?,
            }
            Ok(0)
        }
        Err(error @ AutomatonError::Choice(state)) => {
            let labels: Vec<&str> =
                graph.edges_from(state).iter().map(|edge| graph.label(edge.label)).collect();
            output::error(&format!("{shown}: {error}: `{}`", labels.join("`, `")));
            output::note("`narrows lts steady` gives the range over all schedulers");
            Ok(1)
        }
        Err(error) => Err(anyhow::anyhow!("{shown}: {error}")),
    }
}
