//! From the history of blocks to a formula that tells two of them apart (Cleaveland, 1990; Korver, 1991).
//!
//! Two blocks were parts of one when they came apart, and one of them could do something the other could not:
//! a step with a label to a block. The formula says so; what it says of that block must be false for the
//! blocks where the other leads with this label, and came apart from it earlier. So formulas hold on all
//! states of one block and on no state of the other, and can be negated. For branching bisimulation, the
//! steps before stay in the common block, which is said in the same way.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::evaluate::Evaluator;
use super::formula::{Formula, Formulas, Id, TRUE};
use crate::graph::Graph;
use crate::minimise::{DIVERGENCE, History, Relation, SILENT};

/// A formula with more steps inside each other would help nobody.
const MAX_DEPTH: u32 = 400;

/// Nor would one with more parts.
const MAX_PARTS: usize = 20_000;

/// The most bytes for where the parts hold.
const MAX_BYTES: usize = 400_000_000;

pub(super) struct Explainer<'a> {
    relation: Relation,
    history: &'a History,
    pub(super) formulas: Formulas,
    known: FxHashMap<(u32, u32), Id>,
    evaluator: Evaluator<'a>,
    /// The blocks at the end, and for each node which of them it became.
    order: Vec<u32>,
    ranges: Vec<Range<usize>>,
}

impl<'a> Explainer<'a> {
    /// The graph has a state for each block.
    pub(super) fn new(
        relation: Relation,
        history: &'a History,
        quotient: &'a Graph,
        labels: Vec<String>,
    ) -> Explainer<'a> {
        let formulas = Formulas::new(labels);
        let evaluator = Evaluator::new(quotient, &formulas);
        let (order, ranges) = history.leaves();
        Explainer { relation, history, formulas, known: FxHashMap::default(), evaluator, order, ranges }
    }

    /// Returns a formula that holds in one block and not in another; `None` if it is too large.
    pub(super) fn blocks(&mut self, one: u32, other: u32) -> Option<Id> {
        self.nodes(self.history.leaf(one), self.history.leaf(other), 0)
    }

    /// Returns a formula that holds in a node and not in another one.
    fn nodes(&mut self, mut one: u32, mut other: u32, depth: u32) -> Option<Id> {
        while self.history.node(one).parent != self.history.node(other).parent {
            let (first, second) = (self.history.node(one), self.history.node(other));
            if first.depth >= second.depth {
                one = first.parent;
            }
            if second.depth >= first.depth {
                other = second.parent;
            }
        }
        if let Some(id) = self.known.get(&(one, other)) {
            return Some(*id);
        }
        if depth > MAX_DEPTH || self.known.len() > MAX_PARTS.min(MAX_BYTES / self.order.len().max(1)) {
            return None;
        }
        let (cost, label, target) = self.best(one, other);
        let (reverse_cost, reverse_label, reverse_target) = self.best(other, one);
        let id = if cost <= reverse_cost {
            self.difference(one, other, label, target, depth)?
        } else {
            let id = self.difference(other, one, reverse_label, reverse_target, depth)?;
            self.formulas.not(id)
        };
        self.known.insert((one, other), id);
        let negated = self.formulas.not(id);
        self.known.insert((other, one), negated);
        Some(id)
    }

    /// Returns what one can do and the other can't that is easiest to say, with how hard that is.
    fn best(&self, one: u32, other: u32) -> (usize, u32, u32) {
        let (can, others) = (&self.history.node(one).signature, &self.history.node(other).signature);
        let only = can.iter().filter(|part| !others.contains(part));
        let cost = |label: u32| {
            let says = |part: &&(u32, u32)| part.0 == label || (self.has_inert() && part.0 == SILENT);
            others.iter().filter(says).count()
        };
        let costs = only.map(|(label, target)| (cost(*label), *label, *target));
        costs.min().unwrap_or((usize::MAX, SILENT, 0))
    }

    fn has_inert(&self) -> bool {
        matches!(self.relation, Relation::Branching | Relation::DivergenceBranching)
    }

    /// Says that one node leads to a target with a label, and another does not.
    fn difference(&mut self, one: u32, other: u32, label: u32, target: u32, depth: u32) -> Option<Id> {
        let common = self.history.node(one).parent;
        let has_inert = self.has_inert();
        let during = if has_inert {
            let exits = self.targets(other, SILENT);
            self.apart(common, &exits, depth)?
        } else {
            TRUE
        };
        if label == DIVERGENCE {
            return Some(self.formulas.add(Formula::Diverges(during)));
        }
        let mut targets = self.targets(other, label);
        if has_inert && label == SILENT {
            // Internal steps inside the common block are there too.
            targets.push(common);
        }
        let then = self.apart(target, &targets, depth)?;
        Some(self.formulas.add(match self.relation {
            Relation::Branching | Relation::DivergenceBranching => Formula::Until(during, label, then),
            Relation::Weak => Formula::WeakStep(label, then),
            Relation::Strong | Relation::Trace => Formula::Step(label, then),
        }))
    }

    /// Returns the nodes where a node leads with a label.
    fn targets(&self, node: u32, label: u32) -> Vec<u32> {
        let parts = self.history.node(node).signature.iter().filter(|part| part.0 == label);
        parts.map(|part| part.1).collect()
    }

    /// Returns a formula that holds in a node, and not in some others.
    fn apart(&mut self, node: u32, others: &[u32], depth: u32) -> Option<Id> {
        let mut parts = Vec::new();
        for other in others {
            // What was said of another one may do for this one.
            let all = self.formulas.and(parts.clone());
            let holds = self.evaluator.states(&self.formulas, all);
            let blocks = &self.order[self.ranges[*other as usize].clone()];
            if blocks.iter().any(|block| holds[*block as usize]) {
                parts.push(self.nodes(node, *other, depth + 1)?);
            }
        }
        Some(self.formulas.and(parts))
    }
}
