//! Synchronous systems as circuits: bits that are kept from step to step, and functions that say what they
//! are next.
//!
//! Every nondeterministic choice is an input of its own: then a step is a function of state and inputs. What
//! a function can't say is a constraint on states or on steps.

mod build;
mod encode;
mod graph;
mod number;

use narrows_model::synchronous::{ExprId, SynchronousSystem, Value};

pub(crate) use graph::{Gate, Graph, Signal, value};

/// A bit that is kept from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Latch {
    /// What it is now.
    pub(crate) leaf: Signal,
    /// What it is next, as a function of latches and inputs.
    pub(crate) next: Signal,
    /// What it is in every initial state, if that is known.
    pub(crate) reset: Option<bool>,
}

/// A circuit.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    /// All functions.
    pub(crate) graph: Graph,
    /// The bits that are kept.
    pub(crate) latches: Vec<Latch>,
    /// The bits that can be anything in every state.
    pub(crate) inputs: Vec<Signal>,
    /// What holds in initial states.
    pub(crate) initial: Signal,
    /// What holds in all states.
    pub(crate) invariant: Signal,
    /// What holds in steps.
    pub(crate) step: Signal,
    /// Whether every assigned variable has a next value: with `is_total`, whether there is a step, for these
    /// inputs.
    pub(crate) can_step: Signal,
    /// Whether nothing but assignments constrains steps.
    pub(crate) is_total: bool,
    /// For each variable the bits of its value's index, the last bit first.
    pub(crate) index: Vec<Vec<Signal>>,
}

impl Circuit {
    /// Turns a synchronous system into a circuit. The expressions get functions of states (with inputs), in
    /// order.
    pub(crate) fn new(system: &SynchronousSystem, asked: &[ExprId]) -> (Circuit, Vec<Signal>) {
        build::build(system, asked)
    }

    /// Returns the latches that some functions, or any constraint, depend on, also later: what others are
    /// makes no difference to these.
    pub(crate) fn needed(&self, mut roots: Vec<Signal>) -> Vec<bool> {
        roots.extend([self.step, self.invariant]);
        let mut needed = vec![false; self.latches.len()];
        loop {
            let mut is_below = vec![false; self.graph.len()];
            for node in self.graph.below(roots.iter().copied()) {
                is_below[node] = true;
            }
            let before = roots.len();
            for (latch, needed) in self.latches.iter().zip(&mut needed) {
                if is_below[latch.leaf.node()] && !*needed {
                    *needed = true;
                    roots.push(latch.next);
                }
            }
            if roots.len() == before {
                return needed;
            }
        }
    }

    /// Returns the values of variables, given those of nodes.
    pub(crate) fn values(&self, system: &SynchronousSystem, nodes: &[bool]) -> Vec<Value> {
        let variables = system.variables.iter().zip(&self.index);
        variables
            .map(|(variable, bits)| {
                let bit = |index: u128, bit: &Signal| index << 1 | u128::from(value(nodes, *bit));
                let index = bits.iter().rev().fold(0, bit);
                variable.domain.value(index).or(variable.domain.value(0)).unwrap_or(0)
            })
            .collect()
    }

    /// Replays a run: the first values of latches, and the inputs of each state; returns the values of all
    /// nodes in each.
    pub(crate) fn replay(&self, first: &[bool], inputs: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut latches = first.to_vec();
        let mut all = Vec::new();
        let mut leaves = vec![false; self.graph.len()];
        for inputs in inputs {
            for (latch, value) in self.latches.iter().zip(&latches) {
                leaves[latch.leaf.node()] = *value;
            }
            for (input, value) in self.inputs.iter().zip(inputs) {
                leaves[input.node()] = *value;
            }
            let nodes = self.graph.simulate(|node| leaves[node]);
            latches = self.latches.iter().map(|latch| value(&nodes, latch.next)).collect();
            all.push(nodes);
        }
        all
    }
}
