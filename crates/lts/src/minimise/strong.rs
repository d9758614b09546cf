//! Strong bisimulation in O(m log n), after Valmari (2009): only edges into the smaller parts of blocks are looked at.
//!
//! Edges with the same source, label and target block are a bundle. When a block falls apart, the edges into each part
//! but the largest leave their bundles for new ones; the source then tells itself apart by the part, and by whether its
//! old bundle has become empty. States of a block that say the same of all that changed still have the same signature.
//! An edge changes its bundle at most log n times, since its target is then in a block at most half as large.
//! Invariant: states of a block that are not marked, and have said nothing, have edges to the same blocks.

use super::classes::Classes;
use super::partition::Partition;
use super::table::{Table, word};

struct Refiner {
    partition: Partition,
    /// Where the edges into each state begin, with their sources, labels and bundles.
    starts: Vec<u32>,
    arrows: Vec<(u32, u32)>,
    bundles: Vec<u32>,
    /// How many edges each bundle has; those without may be used again.
    counts: Vec<u32>,
    free: Vec<u32>,
    /// For each bundle the one that its edges leave for at present.
    next: Vec<u32>,
    /// What each marked state says.
    said: Vec<Vec<u64>>,
    classes: Classes,
}

const NONE: u32 = u32::MAX;

/// What a state says of a label if no edge with it leads to a block any more.
const GONE: u32 = 1 << 31;

/// Divides the states of a table without weights into blocks; internal steps are steps like others.
pub(super) fn refine(table: &Table) -> Partition {
    let mut refiner = Refiner::new(table);
    let (mut affected, mut classes, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(block) = refiner.partition.next() {
        affected.clear();
        affected.extend_from_slice(refiner.partition.marked(block));
        refiner.classes.restart(None);
        classes.clear();
        counts.clear();
        counts.push(refiner.partition.clean(block));
        for state in &affected {
            let mut words = std::mem::take(&mut refiner.said[*state as usize]);
            words.sort_unstable();
            words.dedup();
            let class = refiner.classes.number(&words);
            classes.push(class);
            counts.resize(refiner.classes.len(), 0);
            counts[class as usize] += 1;
        }
        if counts.iter().filter(|count| **count > 0).count() == 1 {
            refiner.partition.unmark(block);
            continue;
        }
        let first_new = refiner.partition.blocks();
        refiner.partition.split(block, &affected, &classes, &counts);
        for part in first_new..refiner.partition.blocks() {
            affected.clear();
            affected.extend_from_slice(refiner.partition.states(part));
            refiner.divert(block, part, &affected);
        }
    }
    refiner.partition
}

impl Refiner {
    /// Begins with one block, of whose states each says what labels it has.
    fn new(table: &Table) -> Refiner {
        let states = table.states() as usize;
        let mut starts = vec![0_u32; states + 2];
        let mut said = vec![Vec::new(); states];
        let mut counts: Vec<u32> = Vec::new();
        for state in 0..table.states() {
            for edge in table.edges(state) {
                starts[edge.target as usize + 2] += 1;
            }
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let edges = starts.last().map_or(0, |count| *count as usize);
        let (mut arrows, mut bundles) = (vec![(0, 0); edges], vec![0; edges]);
        for state in 0..table.states() {
            for same in table.edges(state).chunk_by(|one, other| one.label == other.label) {
                for edge in same {
                    let at = &mut starts[edge.target as usize + 1];
                    arrows[*at as usize] = (state, edge.label);
                    bundles[*at as usize] = counts.len() as u32;
                    *at += 1;
                }
                counts.push(same.len() as u32);
                said[state as usize].push(word(same[0].label, 0));
            }
        }
        Refiner {
            partition: Partition::new(table.states()),
            starts,
            arrows,
            bundles,
            next: vec![NONE; counts.len()],
            counts,
            free: Vec::new(),
            said,
            classes: Classes::default(),
        }
    }

    /// Gives the edges into a new part of a block bundles of their own, and lets their sources say so.
    fn divert(&mut self, block: u32, part: u32, states: &[u32]) {
        let mut changed = Vec::new();
        for state in states {
            let range = self.starts[*state as usize] as usize..self.starts[*state as usize + 1] as usize;
            for at in range {
                let old = self.bundles[at];
                if self.next[old as usize] == NONE {
                    let new = self.free.pop().unwrap_or_else(|| {
                        self.counts.push(0);
                        self.next.push(NONE);
                        self.counts.len() as u32 - 1
                    });
                    self.next[old as usize] = new;
                    changed.push((old, self.arrows[at]));
                }
                let new = self.next[old as usize];
                self.counts[old as usize] -= 1;
                self.counts[new as usize] += 1;
                self.bundles[at] = new;
            }
        }
        for (old, (source, label)) in changed {
            self.next[old as usize] = NONE;
            let is_gone = self.counts[old as usize] == 0;
            if is_gone {
                self.free.push(old);
            }
            if self.partition.states(self.partition.block(source)).len() == 1 {
                continue;
            }
            self.partition.mark(source);
            let said = &mut self.said[source as usize];
            said.push(word(label, part));
            if is_gone {
                said.push(word(label | GONE, block));
            }
        }
    }
}
