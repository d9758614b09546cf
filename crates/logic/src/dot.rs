//! Automata as graphs for Graphviz.

use std::fmt::Write;

use crate::buchi::Buchi;

impl<A: ToString> Buchi<A> {
    /// Writes the automaton in the language DOT. Accepting states have two circles.
    pub fn dot(&self, name: &str) -> String {
        let mut text = format!("digraph {} {{\n  rankdir = LR\n  node [shape = circle]\n", quoted(name));
        let _ = writeln!(text, "  start [shape = point]\n  start -> {}", self.initial);
        for (index, state) in self.states.iter().enumerate() {
            let shape = if state.accepting { " [shape = doublecircle]" } else { "" };
            let _ = writeln!(text, "  {index}{shape}");
            for target in state.targets() {
                let label = quoted(&self.condition(state, target));
                let _ = writeln!(text, "  {index} -> {target} [label = {label}]");
            }
        }
        text.push_str("}\n");
        text
    }
}

/// A text between quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
