//! Finds the states where a formula holds, by its meaning: knows nothing of blocks or signatures.

use rustc_hash::FxHashSet;

use super::formula::{Formula, Formulas, Id, TRUE};
use crate::graph::Graph;
use crate::label::is_internal;
use crate::minimise::SILENT;

/// Where formulas hold in a graph; each is looked at once.
pub(super) struct Evaluator<'a> {
    graph: &'a Graph,
    /// The number that formulas have for each label of the graph, if they know it.
    numbers: Vec<Option<u32>>,
    /// For each state the states from which an internal step leads there.
    before: Vec<Vec<u32>>,
    results: Vec<Option<Vec<bool>>>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(graph: &'a Graph, formulas: &Formulas) -> Evaluator<'a> {
        let known = |text: &String| {
            if is_internal(text) {
                return Some(0);
            }
            // Label 1 stands for divergence.
            (2..formulas.labels() as u32).find(|label| formulas.label(*label) == text)
        };
        let numbers: Vec<Option<u32>> = graph.labels().iter().map(known).collect();
        let mut before = vec![Vec::new(); graph.states() as usize];
        for (state, edge) in graph.all_edges() {
            if numbers[edge.label as usize] == Some(0) {
                before[edge.target as usize].push(state);
            }
        }
        Evaluator { graph, numbers, before, results: Vec::new() }
    }

    /// Returns for each state whether a formula holds; this takes a byte for each state and part of the
    /// formula.
    pub(super) fn states(&mut self, formulas: &Formulas, id: Id) -> &[bool] {
        let (mut open, mut wanted) = (vec![id], FxHashSet::default());
        while let Some(id) = open.pop() {
            if self.results.get(id as usize).is_some_and(Option::is_some) || !wanted.insert(id) {
                continue;
            }
            match formulas.get(id) {
                Formula::True => {}
                Formula::And(parts) => open.extend(parts),
                Formula::Until(during, _, then) => open.extend([*during, *then]),
                Formula::WeakStep(_, part) => open.extend([*part, TRUE]),
                Formula::Not(part) | Formula::Step(_, part) | Formula::Diverges(part) => open.push(*part),
            }
        }
        // Formulas have larger numbers than their parts.
        let mut wanted: Vec<Id> = wanted.into_iter().collect();
        wanted.sort_unstable();
        if self.results.len() <= id as usize {
            self.results.resize(id as usize + 1, None);
        }
        for id in wanted {
            self.results[id as usize] = Some(self.find(formulas, id));
        }
        self.result(id)
    }

    fn result(&self, id: Id) -> &[bool] {
        self.results[id as usize].as_deref().unwrap_or_default()
    }

    fn find(&self, formulas: &Formulas, id: Id) -> Vec<bool> {
        let all = || vec![true; self.graph.states() as usize];
        match formulas.get(id) {
            Formula::True => all(),
            Formula::Not(part) => self.result(*part).iter().map(|holds| !holds).collect(),
            Formula::And(parts) => {
                let mut holds = all();
                for part in parts {
                    holds.iter_mut().zip(self.result(*part)).for_each(|(holds, part)| *holds &= part);
                }
                holds
            }
            Formula::Step(label, then) => self.step(*label, self.result(*then)),
            Formula::WeakStep(label, then) => {
                let reach = self.reach(self.result(*then).to_vec(), self.result(TRUE));
                if *label == 0 { reach } else { self.reach(self.step(*label, &reach), self.result(TRUE)) }
            }
            Formula::Until(during, SILENT, then) => {
                self.reach(self.result(*then).to_vec(), self.result(*during))
            }
            Formula::Until(during, label, then) => {
                let during = self.result(*during);
                let mut last = self.step(*label, self.result(*then));
                last.iter_mut().zip(during).for_each(|(holds, during)| *holds &= during);
                self.reach(last, during)
            }
            Formula::Diverges(during) => self.endless(self.result(*during)),
        }
    }

    /// Returns the states from which an edge with a label leads to given ones.
    fn step(&self, label: u32, then: &[bool]) -> Vec<bool> {
        let fits = |state| {
            let mut edges = self.graph.edges_from(state).iter();
            edges.any(|edge| self.numbers[edge.label as usize] == Some(label) && then[edge.target as usize])
        };
        (0..self.graph.states()).map(fits).collect()
    }

    /// Adds the states from which internal steps lead to given ones, through some kind of states.
    fn reach(&self, mut holds: Vec<bool>, during: &[bool]) -> Vec<bool> {
        let mut open: Vec<u32> = (0..self.graph.states()).filter(|state| holds[*state as usize]).collect();
        while let Some(state) = open.pop() {
            for source in &self.before[state as usize] {
                if during[*source as usize] && !holds[*source as usize] {
                    holds[*source as usize] = true;
                    open.push(*source);
                }
            }
        }
        holds
    }

    /// Returns the states from which internal steps through some kind of states go on for ever.
    fn endless(&self, during: &[bool]) -> Vec<bool> {
        let mut holds = during.to_vec();
        let is_step = |state: u32| {
            let edges = self.graph.edges_from(state).iter();
            edges
                .filter(|edge| self.numbers[edge.label as usize] == Some(0))
                .filter(|edge| during[edge.target as usize])
        };
        let mut ways: Vec<usize> = (0..self.graph.states()).map(|state| is_step(state).count()).collect();
        let ends = |state: &u32| holds[*state as usize] && ways[*state as usize] == 0;
        let mut open: Vec<u32> = (0..self.graph.states()).filter(ends).collect();
        while let Some(state) = open.pop() {
            holds[state as usize] = false;
            for source in &self.before[state as usize] {
                ways[*source as usize] -= 1;
                if ways[*source as usize] == 0 && holds[*source as usize] {
                    open.push(*source);
                }
            }
        }
        holds
    }
}
