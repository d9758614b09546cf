//! `narrows lts info`: what a graph has.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::{Graph, Label, LabelTiming};
use narrows_report::with_head;
use serde_json::json;

use super::Given;
use crate::output::{self, Format};

/// Count states, edges, labels and deadlocks
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Choose how the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// How many edges there are of each pace, and how many states that none leaves.
struct Counts {
    internal: usize,
    rates: usize,
    probabilities: usize,
    deadlocks: usize,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let graph = super::read(&arguments.file, given)?;
    let counts = count(&graph)?;
    let labels = graph.labels().len();
    if arguments.format == Format::Json {
        let content = json!({
            "states": graph.states(),
            "transitions": graph.edges().len(),
            "labels": labels,
            "internal": counts.internal,
            "rates": counts.rates,
            "probabilities": counts.probabilities,
            "deadlocks": counts.deadlocks,
            "answers": [],
        });
        output::print_json(&with_head(&arguments.file.display().to_string(), content))?;
        return Ok(0);
    }
    output::print(&format!(
        "{}\n  {} states, of which {} have no edges\n  {} edges with {labels} labels: {} internal, {} with \
         rates, {} with probabilities\n",
        arguments.file.display(),
        graph.states(),
        counts.deadlocks,
        graph.edges().len(),
        counts.internal,
        counts.rates,
        counts.probabilities,
    ))?;
    Ok(0)
}

fn count(graph: &Graph) -> anyhow::Result<Counts> {
    let labels = graph.labels().iter().map(|text| Label::parse(text));
    let labels = labels.collect::<Result<Vec<_>, _>>().map_err(anyhow::Error::msg)?;
    let of = |is: &dyn Fn(&Label<'_>) -> bool| {
        graph.edges().iter().filter(|edge| is(&labels[edge.label as usize])).count()
    };
    Ok(Counts {
        internal: of(&|label| label.is_internal()),
        rates: of(&|label| matches!(label.timing, LabelTiming::Rate(_))),
        probabilities: of(&|label| matches!(label.timing, LabelTiming::Probability(_))),
        deadlocks: (0..graph.states()).filter(|state| graph.edges_from(*state).is_empty()).count(),
    })
}
