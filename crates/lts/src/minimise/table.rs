//! A graph as the algorithms want it: internal steps have label 0 and no cycles, and rates wait for them to
//! end.

use std::ops::Range;

use narrows_graph::components::{self, Components};

use super::weights::{Weights, weighs};
use super::{Relation, Settings};
use crate::error::EquivalenceError;
use crate::graph::{Edge, Graph};
use crate::label::{INTERNAL, is_internal};

/// The label of internal steps.
pub(crate) const SILENT: u32 = 0;

/// The label of a state that can make internal steps for ever.
pub(crate) const DIVERGENCE: u32 = 1;

/// What stands for the block where it does not matter.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A part of a signature: a label, and the block that an edge with it leads to.
pub(super) fn word(label: u32, block: u32) -> u64 {
    u64::from(label) << 32 | u64::from(block)
}

/// Takes a part of a signature apart.
pub(super) fn parts(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// A graph, ready to be divided into blocks.
pub(super) struct Table {
    /// For each state of the graph its state here. Internal steps lead to smaller numbers, unless they are
    /// ordinary.
    pub(super) place: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// The texts of labels.
    pub(super) labels: Vec<String>,
    pub(super) weights: Weights,
    /// Whether internal steps inside a block do not count.
    pub(super) has_inert: bool,
}

impl Table {
    pub(super) fn new(graph: &Graph, settings: Settings) -> Result<Table, EquivalenceError> {
        let mut labels = vec![INTERNAL.to_owned(), "divergence".to_owned()];
        let (mut numbers, mut heavy) = (Vec::new(), vec![None, None]);
        for text in graph.labels() {
            if is_internal(text) {
                numbers.push(SILENT);
                continue;
            }
            numbers.push(labels.len() as u32);
            labels.push(text.clone());
            let weighs = (settings.stochastic || settings.probabilistic)
                && weighs(text, settings.stochastic, settings.probabilistic)?;
            heavy.push(weighs.then_some(text.as_str()));
        }
        let weights = Weights::new(&heavy)?;
        let has_inert = settings.relation != Relation::Strong;
        let mut table =
            Table { place: Vec::new(), starts: vec![0], edges: Vec::new(), labels, weights, has_inert };
        table.fill(graph, &numbers, settings)?;
        Ok(table)
    }

    /// Returns how many states there are.
    pub(super) fn states(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Returns how many edges a state has at most.
    pub(super) fn most_edges(&self) -> usize {
        self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }

    /// Returns the edges of a state, the internal ones first.
    pub(super) fn edges(&self, state: u32) -> &[Edge] {
        &self.edges[self.range(state)]
    }

    /// Returns where the edges of a state are among all edges.
    pub(super) fn range(&self, state: u32) -> Range<usize> {
        self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize
    }

    /// Returns where an edge leads, given where it is among all edges.
    pub(super) fn target(&self, edge: usize) -> u32 {
        self.edges[edge].target
    }

    /// Returns how many edges there are.
    pub(super) fn size(&self) -> usize {
        self.edges.len()
    }

    /// Returns the text of a label or a sum.
    pub(super) fn text(&self, label: u32) -> String {
        self.labels.get(label as usize).cloned().unwrap_or_else(|| self.weights.text(label))
    }

    fn fill(&mut self, graph: &Graph, numbers: &[u32], settings: Settings) -> Result<(), EquivalenceError> {
        let states = graph.states();
        let components = if self.has_inert {
            let silent: Vec<bool> = numbers.iter().map(|label| *label == SILENT).collect();
            components::find_among(states as usize, 0..states, |state, number| {
                let edge = graph.edges_from(state).get(number as usize)?;
                Some(silent[edge.label as usize].then_some(edge.target))
            })
        } else {
            Components { of: (0..states).collect(), count: states, finished: Vec::new() }
        };
        self.starts.reserve_exact(components.count as usize);
        self.edges.reserve_exact(graph.edges().len());
        let members = members(&components);
        let mut at = 0;
        for component in 0..components.count {
            let first = self.edges.len();
            while at < members.len() && components.of[members[at] as usize] == component {
                self.add(graph, members[at], numbers, &components.of)?;
                at += 1;
            }
            self.tidy(first, component, settings.relation);
        }
        self.place = components.of;
        Ok(())
    }

    /// Adds the edges of a state, without rates if it has an internal step: time does not pass there.
    fn add(
        &mut self,
        graph: &Graph,
        state: u32,
        numbers: &[u32],
        place: &[u32],
    ) -> Result<(), EquivalenceError> {
        let label = |edge: &Edge| numbers[edge.label as usize];
        let edges = graph.edges_from(state);
        let is_chance =
            |edge: &Edge| self.weights.of(label(edge)).is_some() && !self.weights.is_rate(label(edge));
        let has_chance = !self.weights.are_absent() && edges.iter().any(is_chance);
        let is_hasty = !self.weights.are_absent() && edges.iter().any(|edge| label(edge) == SILENT);
        if has_chance && is_hasty {
            return Err(EquivalenceError::InternalAndChance(state));
        }
        let chances = edges.iter().filter(|edge| is_chance(edge)).map(label);
        if has_chance && let Some(sum) = self.weights.excess(chances) {
            return Err(EquivalenceError::Excess { state, sum });
        }
        for edge in edges {
            if !((has_chance || is_hasty) && self.weights.is_rate(label(edge))) {
                self.edges.push(Edge { label: label(edge), target: place[edge.target as usize] });
            }
        }
        Ok(())
    }

    /// Sorts the edges of the last state, and leaves out those that say nothing new.
    fn tidy(&mut self, first: usize, state: u32, relation: Relation) {
        let edges = &mut self.edges[first..];
        edges.sort_unstable();
        let is_loop = |edge: &Edge| edge.label == SILENT && edge.target == state;
        let loops = self.has_inert && edges.iter().any(is_loop);
        let mut kept = first;
        let mut last = None;
        for at in first..self.edges.len() {
            let edge = self.edges[at];
            let is_double = last == Some(edge) && self.weights.of(edge.label).is_none();
            if is_double || (loops && is_loop(&edge)) {
                continue;
            }
            last = Some(edge);
            self.edges[kept] = edge;
            kept += 1;
        }
        self.edges.truncate(kept);
        if loops && relation == Relation::DivergenceBranching {
            self.edges.push(Edge { label: DIVERGENCE, target: state });
        }
        self.starts.push(self.edges.len() as u32);
    }
}

/// Returns all states in the order of their components.
fn members(components: &Components) -> Vec<u32> {
    let mut next = vec![0_u32; components.count as usize + 1];
    for component in &components.of {
        next[*component as usize + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut members = vec![0; components.of.len()];
    for (state, component) in components.of.iter().enumerate() {
        let at = &mut next[*component as usize];
        members[*at as usize] = state as u32;
        *at += 1;
    }
    members
}

/// The states that edges come from.
pub(super) struct Sources {
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl Sources {
    /// Turns round the edges whose labels are of interest.
    pub(super) fn new(table: &Table, is_wanted: impl Fn(u32) -> bool) -> Sources {
        let mut starts = vec![0_u32; table.states() as usize + 2];
        // Where edges end is counted two places ahead, so that filling leaves starts where they belong.
        for edge in table.edges.iter().filter(|edge| is_wanted(edge.label)) {
            starts[edge.target as usize + 2] += 1;
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sources = vec![0; starts.last().map_or(0, |count| *count as usize)];
        for state in 0..table.states() {
            for edge in table.edges(state).iter().filter(|edge| is_wanted(edge.label)) {
                let at = &mut starts[edge.target as usize + 1];
                sources[*at as usize] = state;
                *at += 1;
            }
        }
        Sources { starts, sources }
    }

    /// Returns the states from which an edge leads to a state.
    pub(super) fn of(&self, state: u32) -> &[u32] {
        &self.sources[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}
