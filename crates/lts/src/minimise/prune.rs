//! A graph without the edges that internal steps before or after others make up for.

use rustc_hash::FxHashMap;

use super::table::{SILENT, Table};
use super::weak_reach::{Buckets, MAX_SETS, Mask, WeakReach};
use super::{Relation, Settings};
use crate::error::EquivalenceError;
use crate::graph::{Builder, Edge, Graph};

struct Pruner {
    table: Table,
    reach: WeakReach,
    is_needless: Vec<bool>,
    /// What edges with a label reach from a state, as far as that was asked for.
    known: FxHashMap<(u32, u32), (Mask, Mask)>,
}

/// Leaves out all edges that are made up for, of a graph whose internal steps have no cycles.
pub(super) fn prune(graph: &Graph) -> Result<Graph, EquivalenceError> {
    let table = Table::new(graph, Settings::plain(Relation::Weak))?;
    let states: Vec<u32> = (0..table.states()).collect();
    let reach = WeakReach::new(&table);
    let is_needless = vec![false; table.size()];
    let mut pruner = Pruner { table, reach, is_needless, known: FxHashMap::default() };
    let mut buckets = Buckets::default();
    for targets in states.chunks(MAX_SETS) {
        for (bit, target) in targets.iter().enumerate() {
            pruner.reach.add(*target, 1 << bit);
        }
        pruner.reach.propagate();
        buckets.fill(&mut pruner.reach);
        pruner.look_after(targets);
        while let Some(label) = buckets.next(&mut pruner.reach) {
            pruner.look_before(targets, label);
        }
        pruner.reach.clear();
    }
    pruner.build(graph)
}

impl Pruner {
    /// Returns the targets that edges with a label lead to, with internal steps after them: those of one edge
    /// at least, and those of two.
    fn reach(&mut self, state: u32, label: u32) -> (Mask, Mask) {
        let (table, reach) = (&self.table, &self.reach);
        *self.known.entry((state, label)).or_insert_with(|| {
            let edges = table.edges(state);
            let edges = edges[edges.partition_point(|edge| edge.label < label)..].iter();
            let masks = edges.take_while(|edge| edge.label == label).map(|edge| reach.mask(edge.target));
            masks.fold((0, 0), |(one, two), mask| (one | mask, two | (one & mask)))
        })
    }

    /// Finds edges with the same label as another one, after which internal steps lead to the same target.
    fn look_after(&mut self, targets: &[u32]) {
        self.known.clear();
        for (bit, target) in targets.iter().enumerate() {
            for (source, label) in self.reach.all_arrows(*target) {
                if self.reach(source, label).1 >> bit & 1 == 1 {
                    self.leave_out(source, label, *target);
                }
            }
        }
    }

    /// Finds edges of a label that an internal step may come before.
    fn look_before(&mut self, targets: &[u32], label: u32) {
        self.known.clear();
        for (bit, target) in targets.iter().enumerate() {
            for (source, other) in self.reach.all_arrows(*target) {
                if other == label && self.reach(source, SILENT).0 >> bit & 1 == 1 {
                    self.leave_out(source, label, *target);
                }
            }
        }
    }

    fn leave_out(&mut self, source: u32, label: u32, target: u32) {
        let edges = self.table.edges(source);
        if let Ok(at) = edges.binary_search(&Edge { label, target }) {
            self.is_needless[self.table.range(source).start + at] = true;
        }
    }

    /// Makes a graph of what is left, with the same states.
    fn build(self, graph: &Graph) -> Result<Graph, EquivalenceError> {
        let mut states = vec![0; self.table.states() as usize];
        for (state, place) in (0..).zip(&self.table.place) {
            states[*place as usize] = state;
        }
        let mut builder = Builder::new(graph.initial(), graph.edges().len());
        builder.states(graph.states());
        for place in &self.table.place {
            for (edge, at) in self.table.edges(*place).iter().zip(self.table.range(*place)) {
                if !self.is_needless[at] {
                    let label = builder.label(&self.table.labels[edge.label as usize]);
                    builder.edge(states[*place as usize], label, states[edge.target as usize]);
                }
            }
        }
        Ok(builder.build()?)
    }
}
