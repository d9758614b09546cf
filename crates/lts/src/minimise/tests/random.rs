//! Random graphs.

use narrows_graph::Random;

use crate::graph::{Builder, Graph};

/// Draws graphs.
pub(crate) struct Sampler(Random);

impl Sampler {
    pub(crate) fn new(seed: u64) -> Sampler {
        Sampler(Random::new(seed))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.index(end)
    }

    /// Returns a graph of a few states with labels of the given ones.
    pub(crate) fn graph(&mut self, labels: &[&str]) -> Graph {
        let states = 1 + self.below(12);
        let edges = self.below(states * 2 + 1);
        self.graph_of(states, edges, labels)
    }

    /// Returns a graph with so many states and edges.
    pub(crate) fn graph_of(&mut self, states: usize, edges: usize, labels: &[&str]) -> Graph {
        let mut builder = Builder::new(self.below(states) as u32, edges);
        builder.states(states as u32);
        for _ in 0..edges {
            let label = builder.label(labels[self.below(labels.len())]);
            builder.edge(self.below(states) as u32, label, self.below(states) as u32);
        }
        builder.build().unwrap()
    }

    /// Returns a graph whose first labels, all internal but for the last three, lead to states with larger
    /// numbers.
    pub(crate) fn downwards(&mut self, states: usize, edges: usize, labels: &[&str]) -> Graph {
        let mut builder = Builder::new(0, edges);
        builder.states(states as u32);
        for _ in 0..edges {
            let (from, number) = (self.below(states), self.below(labels.len()));
            let is_last = number + 3 >= labels.len();
            let to = if is_last { self.below(states) } else { from + self.below(states - from) };
            let label = builder.label(labels[number]);
            builder.edge(from as u32, label, to as u32);
        }
        builder.build().unwrap()
    }

    /// Returns a graph with one edge changed, if it has one.
    pub(crate) fn mutated(&mut self, graph: &Graph) -> Graph {
        let changed = self.below(graph.edges().len().max(1));
        let mut builder = Builder::new(graph.initial(), 0);
        builder.states(graph.states());
        for (at, (from, edge)) in graph.all_edges().enumerate() {
            let mut label = graph.label(edge.label);
            let mut target = edge.target;
            if at == changed && self.below(2) == 0 {
                target = self.below(graph.states() as usize) as u32;
            } else if at == changed {
                label = &graph.labels()[self.below(graph.labels().len())];
            }
            let label = builder.label(label);
            builder.edge(from, label, target);
        }
        builder.build().unwrap()
    }
}
