//! States merged because the result was seen to be right.
//!
//! Merging two states, keeping all edges and marks of both, can only make an automaton accept more. Whether
//! it accepts too much is seen from the automaton of the opposite formula: the two must have no word in
//! common. So any pair of states may be tried, and what no simulation justifies is merged too; the same goes
//! for additional marks.
//!
//! Invariant: the automaton accepts the same words afterwards. Cost: for each pair of states a search through
//! the product with the opposite automaton; above [`MAX_TRIALS`] steps in all, no more pairs are tried.

use narrows_graph::BitSet;
use narrows_graph::components::find_indexed;

use crate::generalised::Generalised;

/// How many pairs of edges may be looked at in one translation.
const MAX_TRIALS: usize = 500_000;

/// Tries changes to an automaton, each of which makes it accept more or the same.
pub(crate) struct Trials<'a> {
    opposite: &'a Generalised,
    left: usize,
}

impl Trials<'_> {
    /// `opposite` must accept exactly what the automata that will be changed do not.
    pub(crate) fn new(opposite: &Generalised) -> Trials<'_> {
        Trials { opposite, left: MAX_TRIALS }
    }

    /// Whether the automaton accepts nothing that the opposite one accepts; `false` if that would take too
    /// long.
    fn is_right(&mut self, automaton: &Generalised) -> bool {
        let cost = automaton.edge_count() * self.opposite.edge_count();
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        !have_common_word(automaton, self.opposite)
    }

    /// Merges states as long as that is right; returns whether any were.
    pub(crate) fn merge(&mut self, automaton: &mut Generalised, by_state: bool) -> bool {
        let before = automaton.states.len();
        let mut large = 1;
        while large < automaton.states.len() {
            let merged = (0..large).find_map(|small| {
                let candidate = merged(automaton, small, large, by_state);
                self.is_right(&candidate).then_some(candidate)
            });
            match merged {
                Some(candidate) => *automaton = candidate,
                None => large += 1,
            }
        }
        automaton.states.len() < before
    }

    /// Leaves out marks that need not be waited for, and puts the others on as many edges as is right.
    ///
    /// Returns whether there were any to add.
    pub(crate) fn add_marks(&mut self, automaton: &mut Generalised) -> bool {
        let (mut mark, mut added) = (0, false);
        while mark < automaton.marks {
            let mut candidate = automaton.clone();
            for edge in candidate.states.iter_mut().flatten() {
                edge.marks.insert(mark);
            }
            if self.is_right(&candidate) {
                *automaton = without_mark(candidate, mark);
                added = true;
            } else {
                mark += 1;
            }
        }
        for mark in 0..automaton.marks {
            for state in 0..automaton.states.len() {
                for edge in 0..automaton.states[state].len() {
                    if automaton.states[state][edge].marks.contains(mark) {
                        continue;
                    }
                    automaton.states[state][edge].marks.insert(mark);
                    if self.is_right(automaton) {
                        added = true;
                    } else {
                        automaton.states[state][edge].marks.remove(mark);
                    }
                }
            }
        }
        added
    }
}

/// The automaton with two states made one.
fn merged(automaton: &Generalised, small: usize, large: usize, by_state: bool) -> Generalised {
    let mut result = automaton.clone();
    let more = std::mem::take(&mut result.states[large]);
    result.states[small].extend(more);
    if by_state {
        let marks =
            result.states[small].iter().fold(BitSet::default(), |marks, edge| marks.union(&edge.marks));
        for edge in &mut result.states[small] {
            edge.marks.clone_from(&marks);
        }
    }
    for edge in result.states.iter_mut().flatten().filter(|edge| edge.target == large) {
        edge.target = small;
    }
    if result.initial == large {
        result.initial = small;
    }
    let wanted: Vec<bool> = (0..result.states.len()).map(|state| state != large).collect();
    result.restrict(&wanted);
    result.tidy();
    result
}

fn without_mark(mut automaton: Generalised, gone: usize) -> Generalised {
    for edge in automaton.states.iter_mut().flatten() {
        let kept = edge.marks.iter().filter(|mark| *mark != gone);
        edge.marks = kept.map(|mark| if mark > gone { mark - 1 } else { mark }).collect();
    }
    automaton.marks -= 1;
    automaton.tidy();
    automaton
}

/// Whether a word is accepted by both.
fn have_common_word(one: &Generalised, other: &Generalised) -> bool {
    let width = other.states.len();
    let mut graph: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new(); one.states.len() * width];
    let start = one.initial * width + other.initial;
    let mut reached = vec![false; graph.len()];
    reached[start] = true;
    let mut rest = vec![start];
    while let Some(node) = rest.pop() {
        let (mine, theirs) = (&one.states[node / width], &other.states[node % width]);
        for (index, edge) in mine.iter().enumerate() {
            for (other_index, answer) in theirs.iter().enumerate() {
                if edge.guard.is_compatible(&answer.guard) {
                    let target = edge.target * width + answer.target;
                    graph[node].push((target, index, other_index));
                    if !std::mem::replace(&mut reached[target], true) {
                        rest.push(target);
                    }
                }
            }
        }
    }
    let found = find_indexed(graph.len(), [start], |node, index| graph[node].get(index).map(|edge| edge.0));
    let mut seen: Vec<Option<(BitSet, BitSet)>> = vec![None; found.count as usize];
    for (node, edges) in graph.iter().enumerate() {
        for (_, mine, theirs) in edges.iter().filter(|edge| found.are_together(edge.0, node)) {
            let marks = seen[found.of[node] as usize].get_or_insert_default();
            marks.0.union_with(&one.states[node / width][*mine].marks);
            marks.1.union_with(&other.states[node % width][*theirs].marks);
        }
    }
    let (all, others) = (one.all_marks(), other.all_marks());
    seen.iter().flatten().any(|marks| all.is_subset(&marks.0) && others.is_subset(&marks.1))
}
