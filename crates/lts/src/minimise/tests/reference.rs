//! The relations by their definitions, slowly: blocks by signatures, all states in every round.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::Graph;
use crate::label::{Label, LabelTiming, is_internal};
use crate::minimise::{Relation, Settings};

/// What a state can do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Step(String, u32),
    Diverges,
    /// What is summed: its kind and action, the block, and the sum in hundredths.
    Sums(BTreeMap<(bool, Option<String>, u32), u64>),
}

struct Reference<'a> {
    graph: &'a Graph,
    settings: Settings,
    blocks: Vec<u32>,
}

/// Returns the block of each state.
pub(crate) fn blocks(graph: &Graph, settings: Settings) -> Vec<u32> {
    let mut reference = Reference { graph, settings, blocks: vec![0; graph.states() as usize] };
    loop {
        let mut numbers: BTreeMap<(u32, BTreeSet<Part>), u32> = BTreeMap::new();
        let mut blocks = Vec::new();
        for state in 0..graph.states() {
            let key = (reference.blocks[state as usize], reference.signature(state));
            let next = numbers.len() as u32;
            blocks.push(*numbers.entry(key).or_insert(next));
        }
        let before: BTreeSet<_> = reference.blocks.iter().collect();
        if numbers.len() == before.len() {
            return blocks;
        }
        reference.blocks = blocks;
    }
}

impl Reference<'_> {
    fn silent(&self, state: u32) -> impl Iterator<Item = u32> {
        let edges = self.graph.edges_from(state).iter();
        edges.filter(|edge| is_internal(self.graph.label(edge.label))).map(|edge| edge.target)
    }

    /// The states that internal steps lead to, of some kind.
    fn closure(&self, state: u32, keeps: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = vec![state];
        let mut at = 0;
        while at < found.len() {
            for next in self.silent(found[at]) {
                if keeps(next) && !found.contains(&next) {
                    found.push(next);
                }
            }
            at += 1;
        }
        found
    }

    fn signature(&self, state: u32) -> BTreeSet<Part> {
        let block = self.blocks[state as usize];
        let is_inert = |next: u32| self.blocks[next as usize] == block;
        match self.settings.relation {
            Relation::Strong => self.own(state, false),
            Relation::Weak => self.weak(state),
            relation => {
                let closure = self.closure(state, is_inert);
                let mut parts: BTreeSet<Part> =
                    closure.iter().flat_map(|next| self.own(*next, true)).collect();
                let on_cycle = |next: &u32| {
                    self.silent(*next)
                        .filter(|after| is_inert(*after))
                        .any(|after| self.closure(after, is_inert).contains(next))
                };
                if relation == Relation::DivergenceBranching && closure.iter().any(on_cycle) {
                    parts.insert(Part::Diverges);
                }
                parts
            }
        }
    }

    fn weak(&self, state: u32) -> BTreeSet<Part> {
        let step = |label: &str, next: u32| Part::Step(label.to_owned(), self.blocks[next as usize]);
        let mut parts = BTreeSet::new();
        for next in self.closure(state, |_| true) {
            parts.insert(step("", next));
            for edge in self.graph.edges_from(next) {
                let label = self.graph.label(edge.label);
                if !is_internal(label) {
                    parts.extend(self.closure(edge.target, |_| true).iter().map(|last| step(label, *last)));
                }
            }
        }
        parts
    }

    fn own(&self, state: u32, has_inert: bool) -> BTreeSet<Part> {
        let block = self.blocks[state as usize];
        let (mut parts, mut sums) = (BTreeSet::new(), BTreeMap::new());
        let is_hasty = self.silent(state).next().is_some();
        for edge in self.graph.edges_from(state) {
            let text = self.graph.label(edge.label);
            let target = self.blocks[edge.target as usize];
            let label = Label::parse(text).unwrap();
            let mut add = |is_rate, amount: f64| {
                let key = (is_rate, label.action.map(str::to_owned), target);
                *sums.entry(key).or_insert(0) += (amount * 100.0).round() as u64;
            };
            match label.timing {
                LabelTiming::Rate(rate) if self.settings.stochastic => {
                    if !is_hasty {
                        add(true, rate);
                    }
                }
                LabelTiming::Probability(probability) if self.settings.probabilistic => {
                    add(false, probability);
                }
                _ if is_internal(text) => {
                    if !has_inert || target != block {
                        parts.insert(Part::Step("i".to_owned(), target));
                    }
                }
                _ => {
                    parts.insert(Part::Step(text.to_owned(), target));
                }
            }
        }
        if !sums.is_empty() {
            parts.insert(Part::Sums(sums));
        }
        parts
    }
}

/// Returns the edges, each once and in order, that no others make up for with internal steps before or after
/// them.
pub(crate) fn needed(graph: &Graph) -> Vec<(u32, String, u32)> {
    let reference = Reference { graph, settings: Settings::plain(Relation::Weak), blocks: Vec::new() };
    let reach = |state: u32| reference.closure(state, |_| true);
    let steps = |state: u32| {
        let edges = graph.edges_from(state).iter();
        let all = edges.map(|edge| (graph.label(edge.label), edge.target));
        all.filter(move |(label, target)| !is_internal(label) || *target != state).collect::<BTreeSet<_>>()
    };
    let can = |state: u32, label: &str, target: u32| {
        let mut after = reach(state).into_iter().flat_map(&steps).filter(|step| step.0 == label);
        after.any(|step| reach(step.1).contains(&target))
    };
    let mut needed = Vec::new();
    for state in 0..graph.states() {
        for (label, target) in steps(state) {
            let makes_up = |(other, middle): &(&str, u32)| {
                let before = is_internal(other) && !is_internal(label) && can(*middle, label, target);
                before || (*other == label && *middle != target && reach(*middle).contains(&target))
            };
            if !steps(state).iter().any(makes_up) {
                needed.push((state, label.to_owned(), target));
            }
        }
    }
    needed
}

/// Returns how many states the smallest deterministic graph with the same traces has.
pub(crate) fn trace_states(graph: &Graph) -> usize {
    let reference = Reference { graph, settings: Settings::plain(Relation::Trace), blocks: Vec::new() };
    let close = |states: BTreeSet<u32>| -> BTreeSet<u32> {
        states.into_iter().flat_map(|state| reference.closure(state, |_| true)).collect()
    };
    let mut sets = vec![close(BTreeSet::from([graph.initial()]))];
    let mut steps: Vec<BTreeMap<&str, usize>> = Vec::new();
    while steps.len() < sets.len() {
        let mut next: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for edge in sets[steps.len()].iter().flat_map(|state| graph.edges_from(*state)) {
            if !is_internal(graph.label(edge.label)) {
                next.entry(graph.label(edge.label)).or_default().insert(edge.target);
            }
        }
        let mut numbers = BTreeMap::new();
        for (label, set) in next {
            let set = close(set);
            let number = sets.iter().position(|other| *other == set).unwrap_or_else(|| {
                sets.push(set);
                sets.len() - 1
            });
            numbers.insert(label, number);
        }
        steps.push(numbers);
    }
    let mut blocks = vec![0; sets.len()];
    loop {
        let mut numbers = BTreeMap::new();
        let mut next = Vec::new();
        for state in 0..sets.len() {
            let signature: Vec<_> = steps[state].iter().map(|(label, to)| (*label, blocks[*to])).collect();
            let number = numbers.len();
            next.push(*numbers.entry((blocks[state], signature)).or_insert(number));
        }
        let is_stable = numbers.len() == blocks.iter().collect::<BTreeSet<_>>().len();
        blocks = next;
        if is_stable {
            return numbers.len();
        }
    }
}
