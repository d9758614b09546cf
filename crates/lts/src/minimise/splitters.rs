//! Weak bisimulation without more edges, and without signatures: for graphs where there would be too many.
//!
//! Blocks fall apart by which of their states reach a block, the *splitter*, with internal steps, or with a label and
//! internal steps before and after (Kanellakis and Smolka, 1983). Up to 64 splitters are taken at once, small ones first: what the
//! small ones do makes the others smaller. When a block falls apart, each part becomes a splitter. A batch of them costs
//! one look at all edges from where they are reached, so that there are O(n m) such looks at most, and little memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::classes::Classes;
use super::partition::Partition;
use super::spread::{Buckets, SETS, Spread};
use super::table::Table;

struct Refiner {
    partition: Partition,
    spread: Spread,
    classes: Classes,
    /// Splitters with their sizes, the smallest first; sizes may be too large.
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    is_waiting: Vec<bool>,
}

/// Divides the states of a table into blocks; internal steps lead to smaller numbers.
pub(super) fn refine(table: &Table) -> Partition {
    let mut partition = Partition::new(table.states());
    while let Some(block) = partition.next() {
        partition.unmark(block);
    }
    let spread = Spread::new(table);
    let mut refiner = Refiner {
        partition,
        spread,
        classes: Classes::default(),
        waiting: BinaryHeap::new(),
        is_waiting: Vec::new(),
    };
    refiner.wait(0..refiner.partition.blocks());
    let mut buckets = Buckets::default();
    while refiner.begin_batch() {
        refiner.spread.spread();
        buckets.fill(&mut refiner.spread);
        refiner.split();
        while buckets.next(&mut refiner.spread).is_some() {
            refiner.split();
        }
        refiner.spread.clear();
    }
    refiner.partition.work = refiner.spread.work;
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

    /// Gives bits to some splitters, of which none is much larger than the others; returns whether there is one.
    fn begin_batch(&mut self) -> bool {
        let mut count = 0;
        for bit in 0..SETS {
            let Some(Reverse((_, block))) = self.waiting.peek().copied() else { break };
            let size = self.partition.states(block).len();
            if bit > 0 && size > count + SETS {
                break;
            }
            self.waiting.pop();
            self.is_waiting[block as usize] = false;
            for state in self.partition.states(block) {
                self.spread.add(*state, 1 << bit);
            }
            count += size;
        }
        count > 0
    }

    /// Lets blocks fall apart by the masks of their states.
    fn split(&mut self) {
        for state in self.spread.touched() {
            self.partition.mark(*state);
        }
        let (mut affected, mut classes, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(block) = self.partition.next() {
            affected.clear();
            affected.extend_from_slice(self.partition.marked(block));
            classes.clear();
            counts.clear();
            counts.push(self.partition.clean(block));
            self.classes.restart(None);
            for state in &affected {
                let class = self.classes.number(&[self.spread.mask(*state)]);
                counts.resize(self.classes.len(), 0);
                counts[class as usize] += 1;
                classes.push(class);
            }
            if counts.iter().filter(|count| **count > 0).count() == 1 {
                self.partition.unmark(block);
                continue;
            }
            let first_new = self.partition.blocks();
            self.partition.split(block, &affected, &classes, &counts);
            self.wait((first_new..self.partition.blocks()).chain([block]));
        }
    }
}
