//! Splitter refinement for weak bisimulation, without a transitive closure of internal steps, and without
//! signatures.
//!
//! Blocks are split by which of their states reach a block, the *splitter*, with internal steps, or with a
//! label and internal steps before and after (Kanellakis and Smolka, 1983). Up to 128 splitters are taken at
//! once, small ones first: what these do makes the others smaller. When a block is split, each part becomes a
//! splitter. A batch of them takes one look, for each label, at the edges from where they are reached. That
//! makes O(n m) with a small factor, and little memory: the edges of a transitive closure would be as many,
//! and stay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use narrows_graph::Partition;

use super::signatures::SignatureTable;
use super::table::Table;
use super::weak_reach::{Buckets, MAX_SETS, Mask, WeakReach};

struct Refiner {
    partition: Partition,
    reach: WeakReach,
    classes: SignatureTable,
    /// Splitters with their sizes, the smallest first; sizes may be too large.
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    is_waiting: Vec<bool>,
    /// What is known of the states with masks in each block, and the blocks where there are some.
    seen: Vec<BlockMasks>,
    list: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct BlockMasks {
    count: u32,
    /// The mask of one of them, and whether there are others.
    mask: Mask,
    is_mixed: bool,
}

/// Divides the states of a table into blocks; internal steps lead to smaller numbers.
pub(super) fn refine(table: &Table) -> Partition {
    let mut partition = Partition::new(table.states());
    while let Some(block) = partition.next_marked() {
        partition.unmark(block);
    }
    let reach = WeakReach::new(table);
    let mut refiner = Refiner {
        partition,
        reach,
        classes: SignatureTable::default(),
        waiting: BinaryHeap::new(),
        is_waiting: Vec::new(),
        seen: Vec::new(),
        list: Vec::new(),
    };
    refiner.wait(0..refiner.partition.blocks());
    let mut buckets = Buckets::default();
    while refiner.begin_batch() {
        refiner.reach.propagate();
        buckets.fill(&mut refiner.reach);
        refiner.split();
        while buckets.next(&mut refiner.reach).is_some() {
            refiner.split();
        }
        refiner.reach.clear();
    }
    refiner.partition.work = refiner.reach.work;
    refiner.partition
}

impl Refiner {
    /// Lets blocks be splitters.
    fn wait(&mut self, blocks: impl Iterator<Item = u32>) {
        self.is_waiting.resize(self.partition.blocks() as usize, false);
        for block in blocks {
            if !std::mem::replace(&mut self.is_waiting[block as usize], true) {
                let size = self.partition.states(block).len() as u32;
                self.waiting.push(Reverse((size, block)));
            }
        }
    }

    /// Gives bits to some splitters, of which none is much larger than the others; returns whether there is
    /// one.
    fn begin_batch(&mut self) -> bool {
        let mut count = 0;
        for bit in 0..MAX_SETS {
            let Some(Reverse((_, block))) = self.waiting.peek().copied() else { break };
            let size = self.partition.states(block).len();
            if bit > 0 && size > count + MAX_SETS {
                break;
            }
            self.waiting.pop();
            self.is_waiting[block as usize] = false;
            for state in self.partition.states(block) {
                self.reach.add(*state, 1 << bit);
            }
            count += size;
        }
        count > 0
    }

    /// Splits blocks by the masks of their states.
    fn split(&mut self) {
        self.look();
        let mut is_divided = false;
        for block in std::mem::take(&mut self.list) {
            let BlockMasks { count, is_mixed, .. } = self.seen[block as usize];
            let size = self.partition.states(block).len() as u32;
            if !is_mixed && 2 * count >= size {
                self.seen[block as usize].count = 0;
                if count < size {
                    self.carve(block);
                }
            } else {
                is_divided = true;
            }
        }
        if is_divided {
            self.divide();
        }
    }

    /// Finds the blocks of states with masks.
    fn look(&mut self) {
        self.seen.resize(self.partition.blocks() as usize, BlockMasks::default());
        for state in self.reach.touched() {
            let block = self.partition.block(*state);
            let mask = self.reach.mask(*state);
            let seen = &mut self.seen[block as usize];
            if seen.count == 0 {
                *seen = BlockMasks { mask, count: 0, is_mixed: false };
                self.list.push(block);
            }
            seen.count += 1;
            seen.is_mixed |= seen.mask != mask;
        }
    }

    /// Makes a block of the states without masks of another one, where they are few and all masks are the
    /// same.
    fn carve(&mut self, block: u32) {
        let states = self.partition.states(block).iter();
        let others: Vec<u32> = states.copied().filter(|state| self.reach.mask(*state) == 0).collect();
        let number = self.partition.split_off(block, &others);
        self.wait([block, number].into_iter());
    }

    /// Splits all other blocks of states with masks.
    fn divide(&mut self) {
        for state in self.reach.touched() {
            let block = self.partition.block(*state);
            if self.seen.get(block as usize).is_some_and(|seen| seen.count > 0) {
                self.partition.mark(*state);
            }
        }
        let (mut affected, mut classes, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(block) = self.partition.next_marked() {
            self.seen[block as usize].count = 0;
            affected.clear();
            affected.extend_from_slice(self.partition.marked(block));
            classes.clear();
            counts.clear();
            counts.push(self.partition.unmarked(block));
            self.classes.restart(None);
            for state in &affected {
                let class = self.classes.number(&mask_words(self.reach.mask(*state)));
                counts.resize(self.classes.len(), 0);
                counts[class as usize] += 1;
                classes.push(class);
            }
            let first_new = self.partition.blocks();
            self.partition.split(block, &affected, &classes, &counts);
            self.wait((first_new..self.partition.blocks()).chain([block]));
        }
    }
}

/// A mask as the words of a signature.
fn mask_words(mask: Mask) -> [u64; 2] {
    [mask as u64, (mask >> 64) as u64]
}
