//! Of all states that differ by an exchange of instances, the canonical one.
//!
//! Mostly what names what is a forest: each block is named by at most one other. Then a block is written down
//! with all that it names inside it, and blocks are sorted by these texts; equal ones are equal in every
//! respect. That is what isomorphism of trees takes (Aho, Hopcroft and Ullman 1974). What is no forest is
//! left to `refinement.rs`.
//!
//! Invariant: two states have the same canonical one if and only if an exchange makes one of the other,
//! unless [`Canonical::is_exact`] says that the search for it was cut short.

use super::layout::{Layout, Named, Part, factorial};
use super::refinement::Refinement;

/// What came of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// How many exchanges leave the state as it is; `None` if they are too many to be counted.
    pub automorphisms: Option<u128>,
    /// Whether equivalent states surely have the same canonical state.
    pub is_exact: bool,
}

/// Memory that is used again and again.
#[derive(Debug, Default)]
pub struct CanonicalScratch {
    /// For each block, how many others name it.
    named: Vec<u32>,
    /// For each block, which of the fixed references name it.
    by_fixed: Vec<Vec<u16>>,
    /// The texts of trees, one after the other.
    text: Vec<u8>,
    /// The blocks of trees, in the order of their texts.
    order: Vec<usize>,
    trees: Vec<Tree>,
    /// Where each block goes.
    pub(super) labels: Vec<usize>,
    /// What else is known of each process, by its number; empty if nothing is.
    pub(super) tags: Vec<Vec<u8>>,
    next: Vec<usize>,
    refinement: Refinement,
}

/// A block that no other names, with what it names.
#[derive(Clone, Debug)]
struct Tree {
    domain: usize,
    text: std::ops::Range<usize>,
    blocks: std::ops::Range<usize>,
}

impl CanonicalScratch {
    /// Returns where each process goes, by the numbers of processes.
    pub(super) fn processes(&self, layout: &Layout, count: usize) -> Vec<u8> {
        let mut moved: Vec<u8> = (0..count).map(|pid| pid as u8).collect();
        for (block, label) in self.labels.iter().enumerate() {
            for (from, to) in layout.processes[block].iter().zip(&layout.processes[*label]) {
                moved[*from] = *to as u8;
            }
        }
        moved
    }
}

impl Layout {
    /// Finds the canonical state of a state.
    pub(super) fn canonical(
        &self,
        state: &[u8],
        scratch: &mut CanonicalScratch,
        output: &mut Vec<u8>,
    ) -> Canonical {
        let found = self.sort_trees(state, scratch);
        let found = match found {
            Some(found) => found,
            None => {
                let CanonicalScratch { refinement, labels, tags, .. } = scratch;
                refinement.run(self, (state, tags), labels)
            }
        };
        self.apply(&scratch.labels, state, output);
        found
    }

    /// Leaves a state as it is, as one that stands for itself alone.
    pub(super) fn alone(
        &self,
        state: &[u8],
        scratch: &mut CanonicalScratch,
        output: &mut Vec<u8>,
    ) -> Canonical {
        scratch.labels.clear();
        scratch.labels.extend(0..self.blocks.len());
        output.clear();
        output.extend_from_slice(state);
        Canonical { automorphisms: self.order(), is_exact: true }
    }

    /// Labels the blocks of a forest; returns how many automorphisms it has. `None` if it is none.
    fn sort_trees(&self, state: &[u8], scratch: &mut CanonicalScratch) -> Option<Canonical> {
        if !self.shared.is_empty() {
            return None;
        }
        let count = self.blocks.len();
        scratch.named.clear();
        scratch.named.resize(count, 0);
        for (block, parts) in self.blocks.iter().enumerate() {
            for part in parts {
                if let Part::Reference(reference) = part
                    && let Named::Block(other, _) = self.named(reference, state)
                    && other != block
                {
                    scratch.named[other] += 1;
                    if scratch.named[other] > 1 {
                        return None;
                    }
                }
            }
        }
        scratch.by_fixed.resize(count, Vec::new());
        scratch.by_fixed.iter_mut().for_each(Vec::clear);
        for (number, reference) in self.fixed.iter().enumerate() {
            if let Named::Block(block, place) = self.named(reference, state) {
                scratch.by_fixed[block].extend([number as u16, place as u16]);
            }
        }
        scratch.text.clear();
        scratch.order.clear();
        scratch.trees.clear();
        for block in 0..count {
            if scratch.named[block] == 0 {
                let (text, blocks) = (scratch.text.len(), scratch.order.len());
                self.write_tree(block, state, scratch);
                self.write_tags(blocks, scratch);
                let domain = self.domain_of(block);
                let (text, blocks) = (text..scratch.text.len(), blocks..scratch.order.len());
                scratch.trees.push(Tree { domain, text, blocks });
            }
        }
        if scratch.order.len() < count {
            // Some name each other in a circle.
            return None;
        }
        let text = &scratch.text;
        let key = |tree: &Tree| (tree.domain, &text[tree.text.clone()]);
        scratch.trees.sort_by(|left, right| key(left).cmp(&key(right)));
        let equal = scratch.trees.chunk_by(|left, right| key(left) == key(right));
        let automorphisms =
            equal.map(|same| factorial(same.len())).try_fold(1_u128, |all, some| all.checked_mul(some?));
        scratch.next.clear();
        scratch.next.extend(self.domains.iter().map(|domain| domain.blocks.start));
        scratch.labels.clear();
        scratch.labels.resize(count, 0);
        for tree in &scratch.trees {
            for block in &scratch.order[tree.blocks.clone()] {
                let next = &mut scratch.next[self.domain_of(*block)];
                scratch.labels[*block] = *next;
                *next += 1;
            }
        }
        Some(Canonical { automorphisms, is_exact: true })
    }

    /// Writes down what else is known of the processes of a tree: what is after the text decides only between
    /// trees that are equal.
    fn write_tags(&self, first: usize, scratch: &mut CanonicalScratch) {
        let CanonicalScratch { tags, text, order, .. } = scratch;
        for process in order[first..].iter().flat_map(|block| &self.processes[*block]) {
            if let Some(tag) = tags.get(*process) {
                text.extend((tag.len() as u16).to_be_bytes());
                text.extend_from_slice(tag);
            }
        }
    }

    /// Writes down a block with all that it names.
    fn write_tree(&self, block: usize, state: &[u8], scratch: &mut CanonicalScratch) {
        scratch.order.push(block);
        let by_fixed = &scratch.by_fixed[block];
        scratch.text.push(by_fixed.len() as u8);
        scratch.text.extend(by_fixed.iter().flat_map(|number| number.to_be_bytes()));
        for part in &self.blocks[block] {
            match part {
                Part::Plain(range) => scratch.text.extend_from_slice(&state[range.clone()]),
                Part::Reference(reference) => match self.named(reference, state) {
                    Named::Nothing => scratch.text.push(0),
                    Named::Other => {
                        scratch.text.push(1);
                        scratch.text.extend_from_slice(&state[reference.at..reference.at + reference.width]);
                    }
                    Named::Block(other, place) if other == block => {
                        scratch.text.extend([2, place as u8]);
                    }
                    Named::Block(other, place) => {
                        scratch.text.extend([3, place as u8]);
                        self.write_tree(other, state, scratch);
                    }
                },
            }
        }
    }
}
