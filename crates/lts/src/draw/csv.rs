//! Edges as comma-separated values.

use std::fmt::Write;

use crate::graph::Graph;

/// Writes a line for each edge: from, label, to.
pub fn csv(graph: &Graph) -> String {
    let mut text = String::from("from,label,to\n");
    for (from, edge) in graph.all_edges() {
        let label = graph.label(edge.label);
        let _ = if label.contains([',', '"', '\n', '\r']) {
            writeln!(text, "{from},\"{}\",{}", label.replace('"', "\"\""), edge.target)
        } else {
            writeln!(text, "{from},{label},{}", edge.target)
        };
    }
    text
}
