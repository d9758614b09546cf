//! Writes AUT: the state to begin with becomes 0, and labels have quotes unless they are internal.

use std::fmt::{self, Write};

use crate::graph::Graph;
use crate::label::{INTERNAL, is_internal};

/// Writes a graph.
pub fn write(graph: &Graph) -> String {
    let mut text = String::with_capacity(graph.edges().len() * 24);
    // A text takes whatever is written to it.
    let _ = write_to(graph, &mut text);
    text
}

/// Writes a graph piece by piece, so that the whole text need not be in memory.
pub fn write_to(graph: &Graph, text: &mut dyn Write) -> fmt::Result {
    let initial = graph.initial();
    // The first state and the one to begin with change places.
    let rename = |state: u32| match state {
        state if state == initial => 0,
        0 => initial,
        state => state,
    };
    writeln!(text, "des (0, {}, {})", graph.edges().len(), graph.states())?;
    for state in 0..graph.states() {
        for edge in graph.edges_from(rename(state)) {
            let label = graph.label(edge.label);
            if is_internal(label) {
                writeln!(text, "({state}, {INTERNAL}, {})", rename(edge.target))?;
            } else {
                writeln!(text, "({state}, \"{label}\", {})", rename(edge.target))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::aut::{read, write};

    #[test]
    fn the_first_state_becomes_0() {
        let text = "des(1, ?, ?)\n(0, a b, 1)\n(1,\"say \"hi\", now\",0)\n(1, \"i\", 2)\n";
        let written = write(&read(text).unwrap());
        assert_eq!(written, "des (0, 3, 3)\n(0, \"say \"hi\", now\", 1)\n(0, i, 2)\n(1, \"a b\", 0)\n");
        assert_eq!(write(&read(&written).unwrap()), written);
    }
}
