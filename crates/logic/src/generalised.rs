//! Generalised Büchi automata with marks on their edges, and how formulas become such automata.
//!
//! A state is a set of formulas that the rest of the word must satisfy; an edge is a joint transition of all
//! of them. An edge has the mark of an until unless it postpones that until, so that a run that sees every
//! mark infinitely often fulfils all promises. This is the construction of Gastin and Oddoux (CAV 2001), with
//! states made as they are reached.
//!
//! Invariant: from a state exactly those words are accepted that satisfy its formulas. Cost: at worst two to
//! the number of temporal subformulas states; the limits bounds it.

use narrows_graph::BitSet;
use rustc_hash::FxHashMap;

use crate::alternating::{Transitions, parts, without_contained};
use crate::cube::{Cube, minimised};
use crate::formula::{Formulas, Id};
use crate::translation_limits::{TooLarge, TranslationLimits};

/// An edge with marks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) target: usize,
    pub(crate) marks: BitSet,
    pub(crate) guard: Cube,
}

/// Accepts a word if a run on it takes edges with each mark again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generalised {
    /// The edges of each state.
    pub(crate) states: Vec<Vec<Edge>>,
    pub(crate) initial: usize,
    /// How many marks there are.
    pub(crate) marks: usize,
}

impl Generalised {
    /// The automaton of a formula.
    pub(crate) fn of(
        formulas: &Formulas,
        formula: Id,
        limits: &mut TranslationLimits,
    ) -> Result<Generalised, TooLarge> {
        let mut transitions = Transitions::default();
        let mut numbers: FxHashMap<BitSet, usize> = FxHashMap::default();
        let mut sets = vec![without_contained(formulas, &parts(formulas, formula))];
        numbers.insert(sets[0].clone(), 0);
        let mut states: Vec<Vec<(BitSet, Cube, usize)>> = Vec::new();
        while states.len() < sets.len() {
            let here = transitions.of_all(formulas, &sets[states.len()].clone(), limits)?;
            let mut edges = Vec::with_capacity(here.len());
            for transition in here {
                let set = transition.rest;
                let next = sets.len();
                let target = *numbers.entry(set.clone()).or_insert(next);
                if target == next {
                    sets.push(set);
                    limits.check_states(sets.len())?;
                }
                edges.push((transition.promises, transition.guard, target));
            }
            states.push(edges);
        }
        let mut promises: Vec<usize> =
            states.iter().flatten().flat_map(|(promises, ..)| promises.iter().collect::<Vec<_>>()).collect();
        promises.sort_unstable();
        promises.dedup();
        let marks_of = |put_off: &BitSet| {
            promises
                .iter()
                .enumerate()
                .filter(|(_, promise)| !put_off.contains(**promise))
                .map(|(mark, _)| mark)
                .collect()
        };
        let states = states
            .into_iter()
            .map(|edges| {
                let edges = edges.into_iter();
                edges
                    .map(|(put_off, guard, target)| Edge { target, marks: marks_of(&put_off), guard })
                    .collect()
            })
            .collect();
        Ok(Generalised { states, initial: 0, marks: promises.len() })
    }

    /// The automaton that accepts nothing.
    pub(crate) fn nothing() -> Generalised {
        Generalised { states: vec![Vec::new()], initial: 0, marks: 0 }
    }

    /// All marks.
    pub(crate) fn all_marks(&self) -> BitSet {
        BitSet::below(self.marks)
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Joins guards of edges that differ in nothing else, and sorts the edges.
    pub(crate) fn tidy(&mut self) {
        for edges in &mut self.states {
            edges.sort();
            let mut tidied: Vec<Edge> = Vec::with_capacity(edges.len());
            for group in edges.chunk_by(|one, other| one.target == other.target && one.marks == other.marks) {
                let guards = minimised(group.iter().map(|edge| edge.guard.clone()).collect());
                let (target, marks) = (group[0].target, &group[0].marks);
                tidied.extend(guards.into_iter().map(|guard| Edge { target, marks: marks.clone(), guard }));
            }
            *edges = tidied;
        }
    }

    /// Keeps the states that are wanted, and gives them new numbers. Edges to others go.
    pub(crate) fn restrict(&mut self, wanted: &[bool]) {
        let mut numbers = Vec::with_capacity(wanted.len());
        let mut count = 0;
        for is_wanted in wanted {
            numbers.push(is_wanted.then_some(count));
            count += usize::from(*is_wanted);
        }
        let Some(initial) = numbers[self.initial] else {
            *self = Generalised { marks: self.marks, ..Generalised::nothing() };
            return;
        };
        self.initial = initial;
        let states = std::mem::take(&mut self.states).into_iter().enumerate();
        self.states = states.filter(|(state, _)| wanted[*state]).map(|(_, edges)| edges).collect();
        for edges in &mut self.states {
            edges.retain_mut(|edge| match numbers[edge.target] {
                Some(target) => {
                    edge.target = target;
                    true
                }
                None => false,
            });
        }
    }
}
