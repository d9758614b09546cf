//! Diagrams for Graphviz.

use std::fmt::Write;

use narrows_source::printable;

use super::Diagram;

/// Writes diagrams in the language DOT, each in a box of its own. Nodes where a run may end have two lines.
pub fn dot(diagrams: &[Diagram], name: &str) -> String {
    let mut text = format!("digraph {} {{\n  node [shape = box, style = rounded]\n", quoted(name));
    for (number, diagram) in diagrams.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label = {}", quoted(&diagram.title));
        let _ = writeln!(text, "    \"{number}\" [shape = point]");
        for (index, node) in diagram.nodes.iter().enumerate() {
            let lines = if node.is_end { ", peripheries = 2" } else { "" };
            let note = match node.note.as_str() {
                "" => String::new(),
                note => format!(", tooltip = {}", quoted(note)),
            };
            let _ = writeln!(text, "    \"{number}.{index}\" [label = {}{lines}{note}]", quoted(&node.name));
        }
        if !diagram.nodes.is_empty() {
            let _ = writeln!(text, "    \"{number}\" -> \"{number}.0\"");
        }
        for edge in &diagram.edges {
            let label = match edge.label.as_str() {
                "" => String::new(),
                label => format!(" [label = {}]", quoted(label)),
            };
            let _ = writeln!(text, "    \"{number}.{}\" -> \"{number}.{}\"{label}", edge.from, edge.to);
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// A text between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
