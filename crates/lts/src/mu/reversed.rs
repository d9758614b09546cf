//! The edges of a graph by where they lead.

use crate::graph::{Edge, Graph};

/// For each state the edges that lead to it.
#[derive(Clone, Debug)]
pub(super) struct Reversed {
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Reversed {
    pub(super) fn new(graph: &Graph) -> Reversed {
        let states = graph.states() as usize;
        // The edges to state s begin at starts[s + 1] while they are filled in, and at starts[s] at last.
        let mut starts = vec![0_u32; states + 2];
        for edge in graph.edges() {
            starts[edge.target as usize + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut edges = vec![Edge { label: 0, target: 0 }; graph.edges().len()];
        for (from, edge) in graph.all_edges() {
            let place = &mut starts[edge.target as usize + 1];
            edges[*place as usize] = Edge { label: edge.label, target: from };
            *place += 1;
        }
        starts.pop();
        Reversed { starts, edges }
    }

    /// Returns the edges that lead to a state; the target of each is where it comes from.
    pub(super) fn edges_to(&self, state: u32) -> &[Edge] {
        &self.edges[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}
