//! Whether two states have the same traces: pairs of sets of states, as Hopcroft and Karp compare automata.

use std::collections::VecDeque;

use crate::error::EquivalenceError;
use crate::graph::Graph;
use crate::label::is_internal;
use crate::minimise::Subsets;

/// A trace that only one of two states has: its labels, and whether it is the first that has it.
pub(super) type SeparatingTrace = (Vec<String>, bool);

/// Sets that are taken for equal: each has a representative.
#[derive(Default)]
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn find(&mut self, mut set: u32) -> u32 {
        while self.0.len() <= set as usize {
            self.0.push(self.0.len() as u32);
        }
        while self.0[set as usize] != set {
            self.0[set as usize] = self.0[self.0[set as usize] as usize];
            set = self.0[set as usize];
        }
        set
    }
}

/// Returns a shortest trace that only one of two states has, if there is one.
pub(super) fn compare(
    graph: &Graph,
    left: u32,
    right: u32,
) -> Result<Option<SeparatingTrace>, EquivalenceError> {
    let mut subsets = Subsets::new(graph);
    let first = (subsets.close(&[left])?, subsets.close(&[right])?);
    let mut equal = UnionFind::default();
    // Each pair, and from which pair it was reached with which label.
    let mut pairs = vec![(first, usize::MAX, 0)];
    let mut open = VecDeque::from([0]);
    while let Some(at) = open.pop_front() {
        let (left, right) = pairs[at].0;
        let (one, other) = (equal.find(left), equal.find(right));
        if one == other {
            continue;
        }
        equal.0[one.max(other) as usize] = one.min(other);
        let (lefts, rights) = (subsets.successors(left)?, subsets.successors(right)?);
        let lacks = |set: &[(u32, u32)], label: u32| set.binary_search_by_key(&label, |next| next.0).is_err();
        let only = |these: &[(u32, u32)], those: &[(u32, u32)]| {
            these.iter().map(|next| next.0).find(|label| lacks(those, *label))
        };
        if let Some(label) = only(&lefts, &rights).or_else(|| only(&rights, &lefts)) {
            let mut labels = vec![graph.label(label).to_owned()];
            let mut pair = at;
            while pairs[pair].1 != usize::MAX {
                labels.push(graph.label(pairs[pair].2).to_owned());
                pair = pairs[pair].1;
            }
            labels.reverse();
            return Ok(Some((labels, !lacks(&lefts, label))));
        }
        for ((label, left), (_, right)) in lefts.into_iter().zip(rights) {
            open.push_back(pairs.len());
            pairs.push(((left, right), at, label));
        }
    }
    Ok(None)
}

/// Returns whether a graph has a trace, by following it through the states themselves.
pub(super) fn has(graph: &Graph, trace: &[String]) -> bool {
    let mut states = vec![graph.initial()];
    let mut is_in = vec![false; graph.states() as usize];
    for wanted in trace {
        let mut at = 0;
        for state in &states {
            is_in[*state as usize] = true;
        }
        let mut next = Vec::new();
        while let Some(state) = states.get(at).copied() {
            for edge in graph.edges_from(state) {
                let text = graph.label(edge.label);
                if is_internal(text) && !std::mem::replace(&mut is_in[edge.target as usize], true) {
                    states.push(edge.target);
                } else if text == wanted {
                    next.push(edge.target);
                }
            }
            at += 1;
        }
        for state in &states {
            is_in[*state as usize] = false;
        }
        next.sort_unstable();
        next.dedup();
        states = next;
    }
    !states.is_empty()
}
