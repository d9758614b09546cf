//! All states of processes as a labelled graph.

use narrows_explicit::{Budget, Engine, NumberedEdge, numbered_walk};
use narrows_lts::Builder;
use narrows_model::Limit;

use super::step_labels::StepLabels;
use super::{LabelStyle, States};

/// What an edge takes while the graph is made.
const EDGE: u64 = 24;

/// Walks over all states; the error is why that was not possible.
pub(super) fn states(engine: &Engine<'_>, style: LabelStyle, budget: &Budget) -> Result<States, Limit> {
    let mut builder = Builder::new(0, 0);
    let mut labels = StepLabels::new(engine.evaluator(), style);
    // What the graph takes, and its text later on.
    let mut bytes = 0;
    let mut visit = |edge: &NumberedEdge<'_>| {
        let text = labels.text(edge);
        bytes += 2 * EDGE + text.len() as u64;
        let label = builder.label(text);
        builder.edge(edge.from, label, edge.target);
        bytes
    };
    let walk = if style == LabelStyle::Channel {
        // Only the evaluator tells which messages were sent.
        numbered_walk(&engine.evaluator().recording_events(), budget, &mut visit)
    } else {
        numbered_walk(engine, budget, &mut visit)
    };
    match walk.exploration.end.limit() {
        None => {
            let graph = builder.build().map_err(|_| Limit::Memory)?;
            Ok(States { graph, faults: walk.faults })
        }
        Some(limit) => Err(limit),
    }
}
