//! Graphs that grow, and how much there is to do for them: work is counted, not time.

use narrows_graph::Partition;

use super::random::Sampler;
use crate::graph::{Builder, Graph};
use crate::minimise::table::Table;
use crate::minimise::{Relation, Settings, bundle_refinement, signature_refinement, splitter_refinement};

/// Internal steps from state to state, visible ones from there into a visible chain.
struct Sketch {
    builder: Builder,
    length: u32,
}

impl Sketch {
    /// A visible chain whose states fall apart one after the other, from its end. It comes after `length + 1`
    /// states.
    fn new(length: u32, step: impl Fn(u32) -> &'static str) -> Sketch {
        let mut sketch = Sketch { builder: Builder::new(0, 4 * length as usize), length };
        for at in 0..length {
            sketch.edge(length + 1 + at, step(at), length + 2 + at);
        }
        sketch.edge(2 * length + 1, "end", 2 * length + 1);
        sketch
    }

    fn edge(&mut self, from: u32, label: &str, to: u32) {
        let label = self.builder.label(label);
        self.builder.edge(from, label, to);
    }

    /// Leads from a state to one of the visible chain.
    fn aside(&mut self, from: u32, label: &str, at: u32) {
        self.edge(from, label, self.length + 1 + at);
    }

    fn chain(&mut self) {
        (0..self.length).for_each(|state| self.edge(state, "i", state + 1));
    }

    fn build(self) -> Graph {
        self.builder.build().unwrap()
    }
}

/// An internal chain beside a visible one that falls apart.
fn beside(length: u32, step: &'static str) -> Graph {
    let mut sketch = Sketch::new(length, |_| step);
    sketch.chain();
    (0..length).for_each(|state| sketch.aside(state, "a", state));
    sketch.aside(length, "a", 0);
    sketch.build()
}

fn opposite(length: u32) -> Graph {
    let mut sketch = Sketch::new(length, |_| "b");
    sketch.chain();
    (0..length).for_each(|state| sketch.aside(state, "a", length - 1 - state));
    sketch.build()
}

fn cyclic(length: u32) -> Graph {
    let labels = ["a", "b", "c"];
    let mut sketch = Sketch::new(length, |at| ["x", "y", "z"][at as usize % 3]);
    sketch.chain();
    (0..length).for_each(|state| sketch.aside(state, labels[state as usize % 3], state));
    for label in labels {
        sketch.aside(length, label, 0);
    }
    sketch.build()
}

/// The end of the internal chain leads to all states of the visible one.
fn star(length: u32) -> Graph {
    let mut sketch = Sketch::new(length, |_| "b");
    sketch.chain();
    for state in 0..length {
        sketch.aside(state, "a", state);
        sketch.aside(length, "a", state);
    }
    sketch.build()
}

/// Internal steps from all states of a tree to its root, or from the root to all.
fn tree(length: u32, is_upwards: bool) -> Graph {
    let mut sketch = Sketch::new(length, |_| "b");
    for state in 1..=length {
        let parent = (state - 1) / 2;
        if is_upwards {
            sketch.edge(state, "i", parent);
        } else {
            sketch.edge(parent, "i", state);
        }
        sketch.aside(state, "a", state - 1);
    }
    sketch.aside(0, "a", 0);
    sketch.build()
}

fn shuffled(length: u32) -> Graph {
    let mut random = Sampler::new(21);
    let mut sketch = Sketch::new(length, |_| "b");
    sketch.chain();
    (0..length).for_each(|state| sketch.aside(state, "a", random.below(length as usize) as u32));
    sketch.build()
}

/// Internal steps to any state not far below.
fn thicket(length: u32) -> Graph {
    let mut random = Sampler::new(22);
    let mut sketch = Sketch::new(length, |_| "b");
    for state in 0..length {
        for _ in 0..2 {
            sketch.edge(state, "i", (state + 1 + random.below(100) as u32).min(length));
        }
        sketch.aside(state, "a", random.below(length as usize) as u32);
    }
    sketch.build()
}

/// Returns how many states and edges are looked at, for each state and edge and each doubling of the states,
/// with and without signatures first.
fn work(graph: &Graph, settings: Settings) -> [f64; 2] {
    let table = || Table::new(graph, settings).unwrap();
    let (first, all) =
        (signature_refinement::refine(&mut table(), false).0, Partition::new(table().states()));
    let second = bundle_refinement::refine(&mut table(), all);
    assert_eq!(first.blocks(), second.blocks());
    let size = graph.states() as f64 + graph.edges().len() as f64;
    [first, second].map(|partition| partition.work as f64 / (size * f64::from(graph.states()).log2()))
}

#[test]
fn there_is_no_family_with_much_to_do() {
    type Family = fn(u32) -> Graph;
    let plain = |relation| Settings::plain(relation);
    let timed = Settings { relation: Relation::Branching, stochastic: true, probabilistic: false };
    let families: [(&str, Settings, Family); 11] = [
        ("beside", plain(Relation::Branching), |length| beside(length, "b")),
        ("divergence", plain(Relation::DivergenceBranching), |length| beside(length, "b")),
        ("timed", timed, |length| beside(length, "rate 2")),
        ("opposite", plain(Relation::Branching), opposite),
        ("cyclic", plain(Relation::Branching), cyclic),
        ("star", plain(Relation::Branching), star),
        ("star, divergence", plain(Relation::DivergenceBranching), star),
        ("tree upwards", plain(Relation::Branching), |length| tree(length, true)),
        ("tree downwards", plain(Relation::Branching), |length| tree(length, false)),
        ("shuffled", plain(Relation::Branching), shuffled),
        ("thicket", plain(Relation::Branching), thicket),
    ];
    for (name, settings, family) in families {
        let works: Vec<[f64; 2]> =
            [5_000, 10_000, 20_000].map(|length| work(&family(length), settings)).to_vec();
        // What is quadratic has hundreds of times as much to do.
        assert!(works.iter().flatten().all(|work| *work < 4.0), "{name}: {works:?}");
    }
}

/// Weak bisimulation looks at what is before small parts only, too.
#[test]
fn visible_chains_are_little_to_do_for_weak_bisimulation() {
    for labels in [&["a"][..], &["a", "i"], &["a", "i", "b", "i", "i"]] {
        let graph = super::chain(50_000, labels);
        let partition =
            splitter_refinement::refine(&Table::new(&graph, Settings::plain(Relation::Weak)).unwrap());
        assert!(partition.work < 20 * 100_001, "{labels:?}: {}", partition.work);
    }
}

/// Families of small graphs are those of the reference, too.
#[test]
fn families_are_those_of_the_reference() {
    for length in 2..14 {
        let graphs = [
            beside(length, "b"),
            opposite(length),
            cyclic(length),
            star(length),
            tree(length, true),
            tree(length, false),
            shuffled(length),
            thicket(length),
        ];
        for graph in &graphs {
            for relation in super::RELATIONS {
                super::check(graph, Settings::plain(relation));
            }
        }
        let timed = Settings { relation: Relation::Branching, stochastic: true, probabilistic: false };
        super::check(&beside(length, "rate 2"), timed);
    }
}
