//! Edges as comma-separated values.

use std::fmt::Write;

use narrows_source::csv_cell;

use crate::graph::Graph;

/// Writes a line for each edge: from, label, to.
pub fn csv(graph: &Graph) -> String {
    let mut text = String::from("from,label,to\n");
    for (from, edge) in graph.all_edges() {
        let _ = writeln!(text, "{from},{},{}", csv_cell(graph.label(edge.label)), edge.target);
    }
    text
}
