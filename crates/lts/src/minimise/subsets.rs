//! Sets of states that the same visible steps lead to: the subset construction.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::error::EquivalenceError;
use crate::graph::{Builder, Graph};
use crate::label::is_internal;

/// The most states that all sets may have together.
const MAX_MEMBERS: usize = 60_000_000;

/// Sets of states, closed under internal steps, each once.
pub(crate) struct Subsets<'a> {
    graph: &'a Graph,
    is_silent: Vec<bool>,
    sets: Vec<Rc<[u32]>>,
    numbers: FxHashMap<Rc<[u32]>, u32>,
    members: usize,
    is_in: Vec<bool>,
}

impl<'a> Subsets<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Subsets<'a> {
        Subsets {
            graph,
            is_silent: graph.labels().iter().map(|text| is_internal(text)).collect(),
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            members: 0,
            is_in: vec![false; graph.states() as usize],
        }
    }

    /// Returns the number of the set that internal steps make of some states.
    pub(crate) fn close(&mut self, states: &[u32]) -> Result<u32, EquivalenceError> {
        let mut set = Vec::new();
        let mut add = |state: u32, set: &mut Vec<u32>| {
            if !std::mem::replace(&mut self.is_in[state as usize], true) {
                set.push(state);
            }
        };
        for state in states {
            add(*state, &mut set);
        }
        let mut at = 0;
        while at < set.len() {
            for edge in
                self.graph.edges_from(set[at]).iter().filter(|edge| self.is_silent[edge.label as usize])
            {
                add(edge.target, &mut set);
            }
            at += 1;
        }
        for state in &set {
            self.is_in[*state as usize] = false;
        }
        set.sort_unstable();
        let set: Rc<[u32]> = set.into();
        if let Some(number) = self.numbers.get(&set) {
            return Ok(*number);
        }
        self.members += set.len();
        if self.members > MAX_MEMBERS {
            return Err(EquivalenceError::Subsets(self.sets.len()));
        }
        let number = self.sets.len() as u32;
        self.sets.push(Rc::clone(&set));
        self.numbers.insert(set, number);
        Ok(number)
    }

    /// Returns the sets that visible steps lead to, by label.
    pub(crate) fn successors(&mut self, set: u32) -> Result<Vec<(u32, u32)>, EquivalenceError> {
        let set = Rc::clone(&self.sets[set as usize]);
        let edges = set.iter().flat_map(|state| self.graph.edges_from(*state));
        let mut edges: Vec<_> = edges.filter(|edge| !self.is_silent[edge.label as usize]).copied().collect();
        edges.sort_unstable();
        edges.dedup();
        let mut found = Vec::new();
        for same in edges.chunk_by(|one, other| one.label == other.label) {
            let targets: Vec<u32> = same.iter().map(|edge| edge.target).collect();
            found.push((same[0].label, self.close(&targets)?));
        }
        Ok(found)
    }
}

/// Makes a graph with the same visible traces and no choices.
pub(super) fn determinise(graph: &Graph) -> Result<Graph, EquivalenceError> {
    let mut subsets = Subsets::new(graph);
    let mut builder = Builder::new(0, graph.edges().len());
    let labels: Vec<u32> = graph.labels().iter().map(|text| builder.label(text)).collect();
    subsets.close(&[graph.initial()])?;
    let mut set = 0;
    while (set as usize) < subsets.sets.len() {
        for (label, target) in subsets.successors(set)? {
            builder.edge(set, labels[label as usize], target);
        }
        set += 1;
    }
    Ok(builder.build()?)
}
