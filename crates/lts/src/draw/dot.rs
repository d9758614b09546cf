//! Graphs for Graphviz.

use std::fmt::Write;

use narrows_source::printable;

use crate::graph::Graph;

/// Writes a graph for Graphviz; the state to begin with has a thick circle.
pub fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph {\n  node [shape=circle];\n");
    if graph.states() > 0 {
        let _ = writeln!(text, "  {} [penwidth=2];", graph.initial());
    }
    for state in (0..graph.states()).filter(|state| graph.edges_from(*state).is_empty()) {
        let _ = writeln!(text, "  {state};");
    }
    for (from, edge) in graph.all_edges() {
        let label = printable(graph.label(edge.label)).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "  {from} -> {} [label=\"{label}\"];", edge.target);
    }
    text.push_str("}\n");
    text
}
