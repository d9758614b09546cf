//! Simulation relations between states, and automata made smaller by them.
//!
//! A state simulates another if each edge of the other is matched: by edges of its own that cover the guard,
//! have at least the same marks, and lead to states that simulate the target. States that simulate each other
//! are merged; an edge that another one subsumes is removed. The same is done backwards, with reversed edges
//! (Somenzi and Bloem, CAV 2000; Bustan and Grumberg, *Simulation-based minimization*, 2003).
//!
//! Invariant: the automaton accepts the same words afterwards. Cost: rounds until nothing changes, each at
//! most quadratic in the edges; after [`MAX_COMPARISONS`] comparisons only states with equal edges are
//! merged.

use rustc_hash::FxHashMap;

use crate::cube::{Cube, is_covered};
use crate::generalised::{Edge, Generalised};

/// After so many comparisons of edges the search for a simulation is given up.
const MAX_COMPARISONS: usize = 5_000_000;

/// For each pair of states whether the second does what the first can.
pub(crate) struct Relation {
    size: usize,
    holds: Vec<bool>,
}

impl Relation {
    pub(crate) fn is_below(&self, small: usize, large: usize) -> bool {
        self.holds[small * self.size + large]
    }

    fn are_equal(&self, one: usize, other: usize) -> bool {
        self.is_below(one, other) && self.is_below(other, one)
    }
}

/// Finds the largest simulation among those pairs that are allowed.
fn simulation(states: &[Vec<Edge>], allowed: impl Fn(usize, usize) -> bool) -> Option<Relation> {
    let size = states.len();
    let mut left = MAX_COMPARISONS.checked_sub(size * size)?;
    let holds = (0..size * size).map(|pair| allowed(pair / size, pair % size)).collect();
    let mut relation = Relation { size, holds };
    loop {
        let mut changed = false;
        for small in 0..size {
            for large in 0..size {
                if small == large || !relation.is_below(small, large) {
                    continue;
                }
                left = left.checked_sub(states[small].len() * states[large].len())?;
                if !states[small].iter().all(|edge| is_answered(edge, &states[large], &relation)) {
                    relation.holds[small * size + large] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return Some(relation);
        }
    }
}

fn is_answered(edge: &Edge, answers: &[Edge], relation: &Relation) -> bool {
    let fits =
        |answer: &&Edge| edge.marks.is_subset(&answer.marks) && relation.is_below(edge.target, answer.target);
    let guards: Vec<&Cube> = answers.iter().filter(fits).map(|answer| &answer.guard).collect();
    !guards.is_empty() && is_covered(&edge.guard, &guards)
}

/// Takes out edges beside which there are better ones, one after the other.
fn remove_dominated(edges: &mut Vec<Edge>, relation: &Relation) {
    let mut index = 0;
    while index < edges.len() {
        let edge = &edges[index];
        let others = edges.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
        let better: Vec<&Cube> = others
            .filter(|other| {
                edge.marks.is_subset(&other.marks) && relation.is_below(edge.target, other.target)
            })
            .map(|other| &other.guard)
            .collect();
        if is_covered(&edge.guard, &better) {
            edges.remove(index);
        } else {
            index += 1;
        }
    }
}

/// The first state of each state's class.
fn representatives(relation: &Relation) -> Vec<usize> {
    let mut first: Vec<usize> = Vec::with_capacity(relation.size);
    for state in 0..relation.size {
        let known = (0..state).find(|other| first[*other] == *other && relation.are_equal(*other, state));
        first.push(known.unwrap_or(state));
    }
    first
}

/// Merges states that have the same edges, again and again.
fn merge_equal(automaton: &mut Generalised) {
    loop {
        let mut numbers: FxHashMap<&[Edge], usize> = FxHashMap::default();
        let states = automaton.states.iter().enumerate();
        let first: Vec<usize> = states.map(|(state, edges)| *numbers.entry(edges).or_insert(state)).collect();
        if numbers.len() == automaton.states.len() {
            return;
        }
        automaton.initial = first[automaton.initial];
        for edge in automaton.states.iter_mut().flatten() {
            edge.target = first[edge.target];
        }
        let wanted: Vec<bool> = first.iter().enumerate().map(|(state, first)| state == *first).collect();
        automaton.restrict(&wanted);
        automaton.tidy();
    }
}

/// Merges states that can do the same, and removes edges that others make superfluous.
pub(crate) fn reduce_forwards(automaton: &mut Generalised) {
    let Some(relation) = simulation(&automaton.states, |_, _| true) else {
        merge_equal(automaton);
        return;
    };
    let first = representatives(&relation);
    automaton.initial = first[automaton.initial];
    for edges in &mut automaton.states {
        for edge in edges.iter_mut() {
            edge.target = first[edge.target];
        }
    }
    let wanted: Vec<bool> = first.iter().enumerate().map(|(state, first)| state == *first).collect();
    for edges in &mut automaton.states {
        edges.sort();
        edges.dedup();
        remove_dominated(edges, &relation);
    }
    automaton.restrict(&wanted);
    automaton.tidy();
}

/// The edges turned round.
fn reversed(states: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut reversed = vec![Vec::new(); states.len()];
    for (source, edges) in states.iter().enumerate() {
        for edge in edges {
            reversed[edge.target].push(Edge { target: source, ..edge.clone() });
        }
    }
    reversed
}

/// Merges states that are reached in the same ways, and removes edges from states beside better ones.
///
/// With `by_state`, edges with marks and edges without never leave the same state, and that stays so.
pub(crate) fn reduce_backwards(automaton: &mut Generalised, by_state: bool) {
    let marks = |state: usize| automaton.states[state].first().map(|edge| &edge.marks);
    let initial = automaton.initial;
    let allowed = |small: usize, large: usize| {
        (small != initial || large == initial) && (!by_state || marks(small) == marks(large))
    };
    let mut states = reversed(&automaton.states);
    let Some(relation) = simulation(&states, allowed) else { return };
    let first = representatives(&relation);
    for (state, edges) in states.iter_mut().enumerate() {
        for edge in edges.iter_mut() {
            edge.target = first[edge.target];
        }
        if first[state] != state {
            continue;
        }
        edges.sort();
        edges.dedup();
    }
    // A merged state is left as each of its parts was, and reached as any one of them was.
    let mut merged = vec![Vec::new(); states.len()];
    for (state, edges) in states.into_iter().enumerate() {
        merged[first[state]].extend(edges);
    }
    for edges in &mut merged {
        edges.sort();
        edges.dedup();
        remove_dominated(edges, &relation);
    }
    automaton.states = reversed(&merged);
    automaton.initial = first[automaton.initial];
    let wanted: Vec<bool> = first.iter().enumerate().map(|(state, first)| state == *first).collect();
    automaton.restrict(&wanted);
    automaton.tidy();
}
