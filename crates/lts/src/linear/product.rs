//! Graph and automaton side by side.

use std::collections::VecDeque;

use narrows_graph::components;
use narrows_logic::{Buchi, Ltl, translate};
use rustc_hash::FxHashMap;

use super::Formula;
use super::fairness::Fairness;
use crate::error::LinearError;
use crate::graph::Graph;
use crate::mu::{End, Run};
use crate::pattern::LabelPattern;

/// A node of the product, and the edges that leave it: the label, if there is a step, and the node.
#[derive(Default)]
pub(super) struct Product {
    pub(super) nodes: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), u32>,
    starts: Vec<u32>,
    edges: Vec<(Option<u32>, u32)>,
}

impl Product {
    fn node(&mut self, node: (u32, u32)) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    pub(super) fn edges(&self, node: u32) -> &[(Option<u32>, u32)] {
        &self.edges[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    fn build(graph: &Graph, buchi: &Buchi<LabelPattern>) -> Result<Product, LinearError> {
        let fits: Vec<Vec<bool>> = graph
            .labels()
            .iter()
            .map(|label| buchi.atoms.iter().map(|pattern| pattern.fits(label)).collect())
            .collect();
        let nothing = vec![false; buchi.atoms.len()];
        let mut product = Product::default();
        product.node((graph.initial(), buchi.initial as u32));
        let mut next = 0;
        while let Some((state, place)) = product.nodes.get(next).copied() {
            next += 1;
            product.starts.push(product.edges.len() as u32);
            let steps = graph.edges_from(state).iter().map(|edge| (Some(edge.label), edge.target));
            // After the last step, nothing happens for ever.
            let ended = graph.edges_from(state).is_empty().then_some((None, state));
            for (label, target) in steps.chain(ended) {
                let letter = label.map_or(&nothing, |label| &fits[label as usize]);
                for edge in &buchi.states[place as usize].edges {
                    if edge.guard.holds(|atom| letter[atom]) {
                        let to = product.node((target, edge.target as u32));
                        product.edges.push((label, to));
                    }
                }
            }
            if product.edges.len() >= u32::MAX as usize {
                return Err(LinearError::Product);
            }
        }
        product.starts.push(product.edges.len() as u32);
        Ok(product)
    }

    /// Finds a shortest way from a node that ends with an edge that is looked for, within some nodes; at
    /// least one step.
    pub(super) fn way(
        &self,
        from: u32,
        goal: impl Fn(Option<u32>, u32) -> bool,
        within: impl Fn(u32) -> bool,
    ) -> Option<Vec<(Option<u32>, u32)>> {
        let mut before: FxHashMap<u32, (u32, Option<u32>)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for (label, to) in self.edges(node).iter().filter(|(_, to)| within(*to)) {
                if goal(*label, *to) {
                    let mut steps = vec![(*label, *to)];
                    let mut at = node;
                    while at != from {
                        let (previous, label) = before[&at];
                        steps.push((label, at));
                        at = previous;
                    }
                    steps.reverse();
                    return Some(steps);
                }
                if *to != from && !before.contains_key(to) {
                    before.insert(*to, (node, *label));
                    queue.push_back(*to);
                }
            }
        }
        None
    }
}

/// Returns a run of the graph on which the formula does not hold, if there is one; the error says why that is
/// not known. Of endless runs, only those count that are fair to every gate, if that is wanted: a gate at
/// which some action is possible from some point on is used again and again.
///
/// A fair cycle may go through all of its strongly connected component: a larger cycle has more states in
/// which a gate is not enabled, and uses more gates. So each component is judged as a whole.
pub fn counterexample(formula: &Formula, graph: &Graph, is_fair: bool) -> Result<Option<Run>, LinearError> {
    let negated: Ltl<LabelPattern> = formula.formula.map(&mut |atom| atom.pattern.clone()).negated();
    let buchi = translate(&negated).map_err(|_| LinearError::Formula)?;
    let product = Product::build(graph, &buchi)?;
    let found = components::find(product.nodes.len(), [0], |node, place| {
        let edge = product.edges(node).get(*place as usize);
        *place += 1;
        edge.map(|(_, to)| *to)
    });
    let own = |node: u32| found.of[node as usize];
    let fairness = is_fair.then(|| Fairness::new(graph, &product, &found.of));
    let is_bad = |node: u32| {
        buchi.states[product.nodes[node as usize].1 as usize].accepting
            && product.edges(node).iter().any(|(_, to)| own(*to) == own(node))
            && fairness.as_ref().is_none_or(|fairness| fairness.is_fair[own(node) as usize])
    };
    let start = if is_bad(0) { Some(Vec::new()) } else { product.way(0, |_, to| is_bad(to), |_| true) };
    let Some(mut steps) = start else { return Ok(None) };
    let first = steps.last().map_or(0, |(_, node)| *node);
    let begins = steps.len();
    let within = |node: u32| own(node) == own(first);
    if let Some(fairness) = &fairness {
        steps.extend(fairness.tour(graph, &product, first, within));
    }
    let last = steps.last().map_or(0, |(_, node)| *node);
    if steps.len() == begins || last != first {
        steps.extend(product.way(last, |_, node| node == first, within).unwrap_or_default());
    }
    // Where the run has ended, nothing is left to show.
    let ends = steps.iter().position(|(label, _)| label.is_none());
    steps.truncate(ends.unwrap_or(steps.len()));
    let state = |node: u32| product.nodes[node as usize].0;
    let steps = steps.iter().filter_map(|(label, node)| Some(((*label)?, state(*node)))).collect();
    let cycle = ends.is_none().then_some(begins);
    Ok(Some(Run { start: graph.initial(), steps, cycle, end: End::Complete }))
}
