//! Generalised automata turned into ones with accepting states.
//!
//! A copy of a state remembers for how many of the marks it has waited successfully, in a fixed order; the
//! copy that has seen all of them is accepting, and waits for the first one again. Only marks that some edge
//! of a component lacks are waited for there, and a component without accepted cycles needs one copy only
//! (Gastin and Oddoux, CAV 2001; Babiak, Badie, Duret-Lutz, Křetínský and Strejček, *Compositional approach
//! to suspension*, SPIN 2013).
//!
//! Invariant: the result accepts the same words. Cost: at most as many copies of each state as there are
//! marks, and one.

use narrows_graph::BitSet;
use narrows_graph::Components;
use rustc_hash::FxHashMap;

use crate::generalised::{Edge, Generalised};
use crate::reduce::{accepting_components, components_of};
use crate::translation_limits::{TooLarge, TranslationLimits};

/// Where the waiting starts in a component that is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// With the first mark.
    First,
    /// As if all marks had just been seen.
    Accepting,
}

struct Waiting<'a> {
    automaton: &'a Generalised,
    found: Components,
    accepting: Vec<bool>,
    /// For each component the marks that are waited for, in order.
    needed: Vec<Vec<usize>>,
    /// For each state the marks that all of its edges inside of its component have.
    ahead: Vec<BitSet>,
}

impl Waiting<'_> {
    fn new<'a>(automaton: &'a Generalised, order: &[usize]) -> Waiting<'a> {
        let found = components_of(automaton);
        let accepting = accepting_components(automaton, &found);
        let all = automaton.all_marks();
        let mut common = vec![all.clone(); found.count as usize];
        let mut ahead = vec![all; automaton.states.len()];
        for (state, edges) in automaton.states.iter().enumerate() {
            for edge in edges.iter().filter(|edge| found.of[edge.target] == found.of[state]) {
                ahead[state] = ahead[state].intersection(&edge.marks);
            }
            if let Some(component) = found.get(state) {
                common[component] = common[component].intersection(&ahead[state]);
            }
        }
        let needed = common
            .iter()
            .map(|common| order.iter().copied().filter(|mark| !common.contains(*mark)).collect())
            .collect();
        Waiting { automaton, found, accepting, needed, ahead }
    }

    /// The level after marks were seen.
    fn advance(&self, component: usize, mut level: usize, seen: &BitSet) -> usize {
        let needed = &self.needed[component];
        while level < needed.len() && seen.contains(needed[level]) {
            level += 1;
        }
        level
    }

    /// The level in which a state is entered from elsewhere.
    fn enter(&self, state: usize, entry: Entry) -> usize {
        let component = self.found.of[state] as usize;
        if !self.accepting[component] {
            return 0;
        }
        match entry {
            Entry::First => self.advance(component, 0, &self.ahead[state]),
            Entry::Accepting => self.needed[component].len(),
        }
    }

    fn is_accepting(&self, state: usize, level: usize) -> bool {
        let component = self.found.of[state] as usize;
        self.accepting[component] && level == self.needed[component].len()
    }

    /// The level of an edge's target.
    fn follow(&self, state: usize, level: usize, edge: &Edge, entry: Entry) -> usize {
        let component = self.found.of[state] as usize;
        if !self.found.are_together(state, edge.target) {
            return self.enter(edge.target, entry);
        }
        if !self.accepting[component] {
            return 0;
        }
        let start = if level == self.needed[component].len() { 0 } else { level };
        let level = self.advance(component, start, &edge.marks);
        if level == self.needed[component].len() {
            level
        } else {
            self.advance(component, level, &self.ahead[edge.target])
        }
    }
}

/// Returns an automaton with one mark, which all edges of an accepting state have and no others.
pub(crate) fn degeneralise(
    automaton: &Generalised,
    order: &[usize],
    entry: Entry,
    limits: &TranslationLimits,
) -> Result<Generalised, TooLarge> {
    let waiting = Waiting::new(automaton, order);
    let start = (automaton.initial, waiting.enter(automaton.initial, entry));
    let mut numbers = FxHashMap::default();
    numbers.insert(start, 0);
    let mut copies = vec![start];
    let mut states: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(state, level)) = copies.get(states.len()) {
        let marks: BitSet = waiting.is_accepting(state, level).then_some(0).into_iter().collect();
        let mut edges = Vec::new();
        for edge in &waiting.automaton.states[state] {
            let copy = (edge.target, waiting.follow(state, level, edge, entry));
            let next = copies.len();
            let target = *numbers.entry(copy).or_insert(next);
            if target == next {
                copies.push(copy);
                limits.check_states(copies.len())?;
            }
            edges.push(Edge { target, marks: marks.clone(), guard: edge.guard.clone() });
        }
        states.push(edges);
    }
    let mut result = Generalised { states, initial: 0, marks: 1 };
    result.tidy();
    Ok(result)
}
