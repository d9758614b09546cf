//! Weak fairness between gates: one at which an action is possible from some point on is used again and
//! again.

use narrows_graph::BitSet;

use super::product::Product;
use crate::graph::Graph;

/// Which components of a product have a fair cycle.
pub(super) struct Fairness {
    /// The gate of each label.
    gates: Vec<usize>,
    gate_count: usize,
    /// For each component, whether the cycle through all of it is fair to every gate.
    pub(super) is_fair: Vec<bool>,
}

impl Fairness {
    pub(super) fn new(graph: &Graph, product: &Product, component_of: &[u32]) -> Fairness {
        let mut names: Vec<&str> = Vec::new();
        let mut gates = Vec::new();
        for label in graph.labels() {
            let gate = gate(label);
            let place = names.iter().position(|name| *name == gate);
            gates.push(place.unwrap_or_else(|| {
                names.push(gate);
                names.len() - 1
            }));
        }
        let count = component_of.iter().max().map_or(0, |most| *most as usize + 1);
        let mut fairness = Fairness { gates, gate_count: names.len(), is_fair: Vec::new() };
        // For each component, the gates that are used in it, or are not enabled in one of its states.
        let all = BitSet::below(fairness.gate_count);
        let mut served = vec![BitSet::default(); count];
        for (node, component) in component_of.iter().enumerate() {
            let served = &mut served[*component as usize];
            served.union_with(&all.difference(&fairness.enabled(graph, product, node as u32)));
            for (label, to) in product.edges(node as u32) {
                if let Some(label) = label.filter(|_| component_of[*to as usize] == *component) {
                    served.insert(fairness.gates[label as usize]);
                }
            }
        }
        fairness.is_fair = served.iter().map(|served| all.is_subset(served)).collect();
        fairness
    }

    /// Returns the gates at which something is possible in the state of a node.
    fn enabled(&self, graph: &Graph, product: &Product, node: u32) -> BitSet {
        let mut enabled = BitSet::default();
        for edge in graph.edges_from(product.nodes[node as usize].0) {
            enabled.insert(self.gates[edge.label as usize]);
        }
        enabled
    }

    /// Goes from a node of a fair component through it, until each gate was used or not enabled.
    pub(super) fn tour(
        &self,
        graph: &Graph,
        product: &Product,
        first: u32,
        within: impl Fn(u32) -> bool,
    ) -> Vec<(Option<u32>, u32)> {
        let mut steps: Vec<(Option<u32>, u32)> = Vec::new();
        let idle = |node: u32| BitSet::below(self.gate_count).difference(&self.enabled(graph, product, node));
        let mut served = idle(first);
        for gate in 0..self.gate_count {
            if served.contains(gate) {
                continue;
            }
            let is_use = |label: Option<u32>| label.is_some_and(|label| self.gates[label as usize] == gate);
            let goal = |label: Option<u32>, to: u32| is_use(label) || idle(to).contains(gate);
            let at = steps.last().map_or(first, |(_, node)| *node);
            for (label, to) in product.way(at, goal, &within).unwrap_or_default() {
                if let Some(label) = label {
                    served.insert(self.gates[label as usize]);
                }
                served.union_with(&idle(to));
                steps.push((label, to));
            }
        }
        steps
    }
}

/// Returns the gate of a label: what stands before its offers.
fn gate(label: &str) -> &str {
    label.split(" !").next().unwrap_or(label)
}
