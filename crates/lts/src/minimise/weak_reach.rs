//! Which states reach which sets of states by internal steps, for up to 128 sets at once.
//!
//! Each set is a bit, and each state has a mask of the sets it reaches. Internal steps lead to smaller
//! numbers, so masks are complete if states are taken in topological order. Cost: one visit to each edge, and
//! no memory beside the masks.

use super::table::{SILENT, Sources, Table};

/// How many sets there are at once at most: the bits of a mask.
pub(super) const MAX_SETS: usize = 128;

/// A bit for each set.
pub(super) type Mask = u128;

/// The masks of states.
pub(super) struct WeakReach {
    silent: Sources,
    /// Where visible edges come from: where those into each state begin, with sources and labels.
    starts: Vec<u32>,
    arrows: Vec<(u32, u32)>,
    masks: Vec<Mask>,
    /// States whose masks have changed, a bit for each; words are emptied in order while later ones are
    /// filled, so this is no set of [`narrows_graph`].
    pending: Vec<u64>,
    range: (usize, usize),
    /// States with masks, in order.
    touched: Vec<u32>,
    /// How many states and edges were looked at.
    pub(super) work: usize,
}

impl WeakReach {
    /// Prepares a table whose internal steps lead to smaller numbers.
    pub(super) fn new(table: &Table) -> WeakReach {
        let states = table.states() as usize;
        let visible = |state: u32| table.edges(state).iter().filter(|edge| edge.label != SILENT);
        let mut starts = vec![0_u32; states + 2];
        for edge in (0..table.states()).flat_map(visible) {
            starts[edge.target as usize + 2] += 1;
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut arrows = vec![(0, 0); starts.last().map_or(0, |count| *count as usize)];
        for state in 0..table.states() {
            for edge in visible(state) {
                let at = &mut starts[edge.target as usize + 1];
                arrows[*at as usize] = (state, edge.label);
                *at += 1;
            }
        }
        WeakReach {
            silent: Sources::new(table, |label| label == SILENT),
            starts,
            arrows,
            masks: vec![0; states],
            pending: vec![0; states / 64 + 1],
            range: (usize::MAX, 0),
            touched: Vec::new(),
            work: 0,
        }
    }

    /// Returns the sources and labels of visible edges into a state.
    fn arrows(&self, state: u32) -> &[(u32, u32)] {
        &self.arrows[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// Returns the sources and labels of all edges into a state, the internal ones first.
    pub(super) fn all_arrows(&self, state: u32) -> Vec<(u32, u32)> {
        let silent = self.silent.of(state).iter().map(|source| (*source, SILENT));
        silent.chain(self.arrows(state).iter().copied()).collect()
    }

    /// Returns the mask of a state.
    pub(super) fn mask(&self, state: u32) -> Mask {
        self.masks[state as usize]
    }

    /// Returns the states with masks, in order.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Adds to the mask of a state, before masks reach.
    pub(super) fn add(&mut self, state: u32, mask: Mask) {
        self.masks[state as usize] |= mask;
        let at = state as usize / 64;
        self.pending[at] |= 1 << (state % 64);
        self.range = (self.range.0.min(at), self.range.1.max(at));
    }

    /// Adds the masks of states to all states that lead there with internal steps.
    pub(super) fn propagate(&mut self) {
        let mut at = self.range.0;
        while at <= self.range.1 {
            while self.pending[at] != 0 {
                let state = (at * 64) as u32 + self.pending[at].trailing_zeros();
                self.pending[at] &= self.pending[at] - 1;
                self.touched.push(state);
                let mask = self.masks[state as usize];
                for number in 0..self.silent.of(state).len() {
                    let source = self.silent.of(state)[number];
                    self.add(source, mask);
                }
                self.work += self.silent.of(state).len() + 1;
            }
            at += 1;
        }
        self.range = (usize::MAX, 0);
    }

    /// Forgets all masks.
    pub(super) fn clear(&mut self) {
        for state in self.touched.drain(..) {
            self.masks[state as usize] = 0;
        }
    }
}

/// What is to be added to the masks of states that a visible step leads from, by label.
#[derive(Default)]
pub(super) struct Buckets {
    of: Vec<Vec<(u32, Mask)>>,
    labels: Vec<u32>,
}

impl Buckets {
    /// Notes the visible steps to states with masks.
    pub(super) fn fill(&mut self, reach: &mut WeakReach) {
        for state in &reach.touched {
            let arrows = reach.arrows(*state);
            for (source, label) in arrows {
                if self.of.len() <= *label as usize {
                    self.of.resize_with(*label as usize + 1, Vec::new);
                }
                let bucket = &mut self.of[*label as usize];
                if bucket.is_empty() {
                    self.labels.push(*label);
                }
                bucket.push((*source, reach.mask(*state)));
            }
        }
        reach.work += self.labels.iter().map(|label| self.of[*label as usize].len()).sum::<usize>();
    }

    /// Takes a label, and gives masks to all states that lead to the sets with that label and internal steps
    /// before and after.
    pub(super) fn next(&mut self, reach: &mut WeakReach) -> Option<u32> {
        let label = self.labels.pop()?;
        reach.clear();
        for (source, mask) in self.of[label as usize].drain(..) {
            reach.add(source, mask);
        }
        reach.propagate();
        Some(label)
    }
}
