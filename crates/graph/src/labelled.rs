//! Graphs: the edges of each state together, labels as numbers.

use rustc_hash::FxHashMap;

/// States, edges with labels between them, and a state to begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    initial: u32,
    labels: Vec<String>,
    /// Where the edges of each state begin, and after the last state, where they end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

/// Where an edge leads, and what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The number of its label.
    pub label: u32,
    /// The state it leads to.
    pub target: u32,
}

impl Graph {
    /// Returns the state to begin with.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// Returns how many states there are; they are numbered from 0.
    pub fn states(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }

    /// Returns the texts of all labels, each once.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Returns the text of a label.
    pub fn label(&self, label: u32) -> &str {
        &self.labels[label as usize]
    }

    /// Returns the edges that leave a state.
    pub fn edges_from(&self, state: u32) -> &[Edge] {
        &self.edges[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// Returns all edges: those of each state together, in the order of states.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns where the edges of each state begin among all, and at last how many there are.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns all edges with the states they leave.
    pub fn all_edges(&self) -> impl Iterator<Item = (u32, Edge)> {
        (0..self.states()).flat_map(|state| self.edges_from(state).iter().map(move |edge| (state, *edge)))
    }
}

/// Returns whether a label says that a run ends well.
pub fn is_exit(label: &str) -> bool {
    label == "exit" || label.starts_with("exit !")
}

/// Makes a [`Graph`] of edges in any order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    initial: u32,
    states: u32,
    labels: Labels,
    edges: Vec<(u32, Edge)>,
}

/// Texts, each once.
#[derive(Clone, Debug, Default)]
struct Labels {
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Labels {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// There are more states, edges or labels than fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a graph has at most 4 294 967 294 states, edges and labels")]
pub struct TooLarge;

impl Builder {
    /// Starts with the state to begin with, and room for so many edges.
    pub fn new(initial: u32, edges: usize) -> Builder {
        Builder { initial, states: initial + 1, edges: Vec::with_capacity(edges), ..Builder::default() }
    }

    /// Returns the number of a label.
    pub fn label(&mut self, text: &str) -> u32 {
        self.labels.number(text)
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: u32, label: u32, target: u32) {
        self.states = self.states.max(from.saturating_add(1)).max(target.saturating_add(1));
        self.edges.push((from, Edge { label, target }));
    }

    /// Makes sure that there are so many states.
    pub fn states(&mut self, states: u32) {
        self.states = self.states.max(states);
    }

    /// Puts the edges of each state together, in the order in which they came.
    pub fn build(self) -> Result<Graph, TooLarge> {
        let most = u32::MAX as usize;
        if self.states == u32::MAX || self.edges.len() >= most || self.labels.texts.len() >= most {
            return Err(TooLarge);
        }
        let mut starts = vec![0_u32; self.states as usize + 1];
        for (from, _) in &self.edges {
            starts[*from as usize + 1] += 1;
        }
        for state in 1..starts.len() {
            starts[state] += starts[state - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![Edge { label: 0, target: 0 }; self.edges.len()];
        for (from, edge) in self.edges {
            edges[next[from as usize] as usize] = edge;
            next[from as usize] += 1;
        }
        Ok(Graph { initial: self.initial, labels: self.labels.texts, starts, edges })
    }
}

/// Makes a [`Graph`] of edges that come state by state, the first state first: there is nothing to sort, and
/// nothing is kept twice. The graph begins with state 0.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    labels: Labels,
    /// Where the edges of each state begin, up to the state at hand.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    last: u32,
}

impl Rows {
    /// Returns the number of a label.
    pub fn label(&mut self, text: &str) -> u32 {
        self.labels.number(text)
    }

    /// Begins with another state.
    pub fn state(&mut self) {
        self.starts.push(self.edges.len() as u32);
    }

    /// Adds an edge of the state at hand.
    pub fn edge(&mut self, label: u32, target: u32) {
        self.last = self.last.max(target);
        self.edges.push(Edge { label, target });
    }

    /// Returns about how many bytes are in use, without those of labels.
    pub fn bytes(&self) -> u64 {
        self.starts.capacity() as u64 * 4 + self.edges.capacity() as u64 * 8
    }

    /// Returns the graph; states that edges lead to and that did not come themselves have no edges.
    pub fn build(self) -> Result<Graph, TooLarge> {
        let Rows { labels, mut starts, edges, last } = self;
        let most = u32::MAX as usize;
        if starts.len() >= most || edges.len() >= most || labels.texts.len() >= most || last == u32::MAX {
            return Err(TooLarge);
        }
        let states = starts.len().max(last as usize + 1);
        starts.resize(states + 1, edges.len() as u32);
        Ok(Graph { initial: 0, labels: labels.texts, starts, edges })
    }
}

#[cfg(test)]
mod tests {
    use super::{Builder, Rows};

    #[test]
    fn rows_make_the_same_graph() {
        let edges = [(0, "a", 1), (0, "b", 2), (2, "a", 0), (2, "a", 3)];
        let (mut builder, mut rows) = (Builder::new(0, 0), Rows::default());
        let mut states = 0;
        for (from, text, target) in edges {
            let label = builder.label(text);
            builder.edge(from, label, target);
            while states <= from {
                rows.state();
                states += 1;
            }
            assert_eq!(rows.label(text), label);
            rows.edge(label, target);
        }
        assert_eq!(rows.build(), builder.build());
        let empty = Rows::default().build().expect("a graph");
        assert_eq!((empty.states(), empty.edges().len()), (1, 0));
    }
}
