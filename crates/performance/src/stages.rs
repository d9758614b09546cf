//! Delays of several phases in a labelled graph: a state for each phase that a running delay may be in.
//!
//! Each phase is exponentially distributed, so the expanded graph has rates only (a phase-type expansion).
//! Clocks are those of [`crate::actions`]. Where an immediate action is enabled, stages need not be
//! considered.

use narrows_explicit::{Budget, Progress};
use narrows_lts::{Builder, Graph};
use narrows_model::Limit;
use rustc_hash::FxHashMap;

use crate::busy_waiting::left_at_once;
use crate::phases::Phase;

#[cfg(test)]
mod tests;

/// What the label of a step of a phase begins with: then its rate follows, and if the delay is over with it,
/// the same character and the action. No action is called so.
pub const STAGE: char = '\u{1}';

/// The duration of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Stages {
    /// Immediate.
    None,
    /// These exponential phases.
    Some(Vec<Phase>),
}

/// The delays that have advanced, by label: to which phase.
type Clocks = Box<[(u32, u32)]>;

/// How many bytes a node takes, beside its clocks.
const NODE: u64 = 120;
/// How many bytes a clock takes.
const CLOCK: u64 = 16;

struct Spread<'g, 'b> {
    graph: &'g Graph,
    stages: &'g [Stages],
    budget: &'b Budget,
    /// Whether each state is vanishing: left before any time passes.
    is_left: Vec<bool>,
    nodes: Vec<(u32, Clocks)>,
    numbers: FxHashMap<(u32, Clocks), u32>,
    bytes: u64,
}

/// Expands the phases of a graph: what delays of several phases do has labels that begin with [`STAGE`].
pub fn spread(graph: &Graph, stages: &[Stages], budget: &Budget) -> Result<Graph, Limit> {
    let (nodes, numbers) = (Vec::new(), FxHashMap::default());
    let (found, is_left) = left_at_once(graph, |label| stages[label as usize] == Stages::None);
    let is_left = found.of.iter().map(|component| is_left[*component as usize]).collect();
    Spread { graph, stages, budget, is_left, nodes, numbers, bytes: 0 }.run()
}

impl Spread<'_, '_> {
    fn run(mut self) -> Result<Graph, Limit> {
        let mut builder = Builder::new(0, self.graph.edges().len());
        // Labels keep their numbers.
        self.graph.labels().iter().for_each(|label| {
            builder.label(label);
        });
        self.node(self.graph.initial(), Clocks::default());
        let (mut next, mut edges) = (0, 0_u64);
        while let Some((state, clocks)) = self.nodes.get(next).cloned() {
            let from = next as u32;
            next += 1;
            if next.is_multiple_of(1 << 10) {
                self.watch(edges)?;
            }
            for edge in self.graph.edges_from(state) {
                edges += 1;
                let mut label = edge.label;
                if let Stages::Some(phases) = &self.stages[edge.label as usize] {
                    if self.is_left[state as usize] {
                        continue;
                    }
                    let at = clocks.iter().find(|(label, _)| *label == edge.label).map_or(0, |(_, at)| *at);
                    let Some(phase) = phases.get(at as usize) else { continue };
                    for (next, rate) in &phase.next {
                        let mut further: Vec<(u32, u32)> = clocks.to_vec();
                        further.retain(|(label, _)| *label != edge.label);
                        further.push((edge.label, *next));
                        further.sort_unstable();
                        let label = builder.label(&format!("{STAGE}{:e}", rate.near()));
                        let target = self.node(state, further.into());
                        builder.edge(from, label, target);
                    }
                    if phase.ends.near() <= 0.0 {
                        continue;
                    }
                    if phases.len() > 1 {
                        let action = &self.graph.labels()[edge.label as usize];
                        label = builder.label(&format!("{STAGE}{:e}{STAGE}{action}", phase.ends.near()));
                    }
                }
                let possible = self.graph.edges_from(edge.target);
                let goes_on = |(label, _): &&(u32, u32)| {
                    *label != edge.label && possible.iter().any(|other| other.label == *label)
                };
                let clocks = clocks.iter().filter(goes_on).copied().collect();
                let target = self.node(edge.target, clocks);
                builder.edge(from, label, target);
            }
        }
        builder.states(self.nodes.len() as u32);
        builder.build().map_err(|_| Limit::Memory)
    }

    fn node(&mut self, state: u32, clocks: Clocks) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry((state, clocks.clone())).or_insert(next);
        if number == next {
            self.bytes += NODE + 2 * CLOCK * clocks.len() as u64;
            self.nodes.push((state, clocks));
        }
        number
    }

    fn watch(&self, edges: u64) -> Result<(), Limit> {
        let memory = self.bytes + edges * 24;
        if memory > self.budget.memory {
            return Err(Limit::Memory);
        }
        let states = self.nodes.len() as u64;
        let progress = Progress { states, transitions: edges, depth: 0, memory };
        self.budget.watch.check(&progress).map_or(Ok(()), Err)
    }
}
