//! Signature refinement for strong and branching bisimulation: blocks are split until all states of a block
//! have the same signature.
//!
//! The signature of a state is what it can do, with the blocks where that leads; for branching bisimulation,
//! also what it can do after internal steps inside its block (Blom and Orzan, 2003). When a block is split,
//! its largest part keeps the number, so that signatures change only for states before the other parts, and
//! only those states are looked at again: a state is, for each of its edges, at most log n times such a
//! state. Without internal steps inside a block that makes O(d m log n), where d is how many edges a state
//! has. With them, also the states that lead there inside their block are looked at, and have signatures that
//! grow with what is behind them. Most graphs are divided fastest in this way. Where it takes too long,
//! `bundle_refinement.rs` goes on with the blocks found so far.
//!
//! Invariant: the states of a block that are not marked have the signature kept for it.

use narrows_graph::Partition;

use super::bundle_refinement;
use super::history::History;
use super::signatures::SignatureTable;
use super::table::{DIVERGENCE, NOWHERE, SILENT, Sources, Table, word};
use crate::graph::Edge;

/// When to give up, and look only at smaller parts.
struct Limits {
    /// The most states and edges to look at.
    work: usize,
    /// The most words of signatures to keep.
    words: usize,
}

impl Limits {
    /// With these, giving up costs little beside what follows. To know how blocks came to be is worth more.
    fn new(table: &Table, wants_history: bool) -> Limits {
        let size = table.size() + table.states() as usize;
        let (work, words, least) = if wants_history { (256, 16, 1_000_000) } else { (WORK_FACTOR, 4, 0) };
        Limits { work: work * size + least, words: words * size + least }
    }
}

/// Small graphs should be seen in both ways in tests.
const WORK_FACTOR: usize = if cfg!(test) { 4 } else { 16 };

struct Refiner<'a> {
    table: &'a mut Table,
    partition: Partition,
    /// Where internal edges come from that say nothing inside a block, and where all others do.
    silent: Sources,
    others: Sources,
    /// The signature of each block that has more than one state, where it can be needed.
    signatures: Vec<Box<[u64]>>,
    keeps: bool,
    classes: SignatureTable,
    /// The class of each state that is looked at.
    class: Vec<u32>,
    history: Option<History>,
    /// How many words there are in signatures and history.
    words: usize,
    limits: Limits,
}

/// Divides the states of a table into blocks; tells how if that is wanted.
pub(super) fn refine(table: &mut Table, wants_history: bool) -> (Partition, Option<History>) {
    let inert = table.has_inert;
    let states = table.states();
    let mut refiner = Refiner {
        partition: Partition::new(states),
        silent: Sources::new(table, |label| inert && label == SILENT),
        others: Sources::new(table, |label| !(inert && label == SILENT)),
        signatures: vec![Box::default()],
        keeps: wants_history || inert,
        classes: SignatureTable::default(),
        class: vec![0; if inert { states as usize } else { 0 }],
        history: wants_history.then(History::new),
        words: 0,
        limits: Limits::new(table, wants_history),
        table,
    };
    let mut scratch = Scratch::default();
    while let Some(block) = refiner.partition.next_marked() {
        if !refiner.look_at(block, &mut scratch) {
            let (table, partition) = refiner.give_up();
            return (bundle_refinement::refine(table, partition), None);
        }
    }
    (refiner.partition, refiner.history)
}

/// What is used again and again.
#[derive(Default)]
struct Scratch {
    affected: Vec<u32>,
    classes: Vec<u32>,
    counts: Vec<u32>,
    words: Vec<u64>,
    inherited: Vec<u32>,
}

impl<'a> Refiner<'a> {
    /// Keeps only the blocks.
    fn give_up(self) -> (&'a mut Table, Partition) {
        (self.table, self.partition)
    }

    /// Finds the signatures of the marked states of a block, and splits it; returns whether that was
    /// within the limits.
    fn look_at(&mut self, block: u32, scratch: &mut Scratch) -> bool {
        if self.table.has_inert {
            self.mark_what_leads_there(block);
        }
        scratch.affected.clear();
        scratch.affected.extend_from_slice(self.partition.marked(block));
        if self.table.has_inert {
            // Internal steps lead to smaller numbers: what a state inherits is known before it.
            scratch.affected.sort_unstable();
        }
        let clean = self.partition.unmarked(block);
        let kept = (clean > 0 && self.keeps).then(|| &*self.signatures[block as usize]);
        self.partition.work += kept.map_or(0, <[u64]>::len);
        self.classes.restart(kept);
        scratch.counts.clear();
        scratch.counts.push(clean);
        scratch.classes.clear();
        for at in 0..scratch.affected.len() {
            let words = self.words + self.classes.words();
            if self.partition.work > self.limits.work || words > self.limits.words {
                return false;
            }
            let class = self.classify(scratch.affected[at], block, scratch);
            scratch.classes.push(class);
            if scratch.counts.len() <= class as usize {
                scratch.counts.resize(class as usize + 1, 0);
            }
            scratch.counts[class as usize] += 1;
        }
        if scratch.counts.iter().filter(|count| **count > 0).count() == 1 {
            if self.keeps && clean == 0 {
                self.keep(block, 1);
            }
            self.partition.unmark(block);
            return true;
        }
        let first_new = self.partition.blocks();
        let numbers = self.partition.split(block, &scratch.affected, &scratch.classes, &scratch.counts);
        self.keep_signatures(block, &numbers, &scratch.counts);
        self.mark_changes(block, first_new, scratch);
        true
    }

    /// Marks the states from which internal steps inside the block lead to marked ones.
    fn mark_what_leads_there(&mut self, block: u32) {
        let mut at = 0;
        while let Some(state) = self.partition.marked(block).get(at).copied() {
            for source in self.silent.of(state) {
                if self.partition.block(*source) == block {
                    self.partition.mark(*source);
                }
            }
            at += 1;
        }
    }

    /// Returns the class of a marked state, by its signature.
    fn classify(&mut self, state: u32, block: u32, scratch: &mut Scratch) -> u32 {
        scratch.words.clear();
        scratch.inherited.clear();
        if self.table.has_inert {
            for edge in self.table.edges(state).iter().take_while(|edge| edge.label == SILENT) {
                if self.partition.block(edge.target) == block {
                    let is_marked = self.partition.is_marked(edge.target, block);
                    scratch.inherited.push(if is_marked { self.class[edge.target as usize] } else { 0 });
                }
            }
        }
        append_own(self.table, &self.partition, state, &mut scratch.words);
        scratch.inherited.sort_unstable();
        scratch.inherited.dedup();
        let class = match scratch.inherited[..] {
            [class] if scratch.words.is_empty() => class,
            _ => {
                for class in &scratch.inherited {
                    scratch.words.extend_from_slice(self.classes.signature(*class));
                }
                self.partition.work += scratch.words.len();
                scratch.words.sort_unstable();
                scratch.words.dedup();
                self.classes.number(&scratch.words)
            }
        };
        if self.table.has_inert {
            self.class[state as usize] = class;
        }
        self.partition.work += self.table.edges(state).len() + 1;
        class
    }

    fn keep_signatures(&mut self, block: u32, numbers: &[u32], counts: &[u32]) {
        if !self.keeps {
            return;
        }
        let parts = || (0..counts.len()).filter(|class| counts[*class] > 0);
        if let Some(history) = &mut self.history {
            let classes = &self.classes;
            history.split(block, parts().map(|class| (numbers[class], classes.signature(class as u32))));
            self.words += parts().map(|class| classes.signature(class as u32).len()).sum::<usize>();
        }
        self.signatures.resize(self.partition.blocks() as usize, Box::default());
        for class in parts() {
            if counts[class] > 1 {
                self.keep(numbers[class], class as u32);
            } else {
                self.words -= self.signatures[numbers[class] as usize].len();
                self.signatures[numbers[class] as usize] = Box::default();
            }
        }
    }

    /// Keeps the signature of a class for a block.
    fn keep(&mut self, block: u32, class: u32) {
        let signature = self.classes.signature(class);
        let kept = &mut self.signatures[block as usize];
        self.words = self.words - kept.len() + signature.len();
        *kept = signature.into();
    }

    /// Marks the states whose signature changed because a block was split.
    fn mark_changes(&mut self, block: u32, first_new: u32, scratch: &mut Scratch) {
        for part in first_new..self.partition.blocks() {
            // Marking changes the order inside a block: its states are copied.
            scratch.affected.clear();
            scratch.affected.extend_from_slice(self.partition.states(part));
            for state in &scratch.affected {
                for source in self.others.of(*state) {
                    self.partition.mark(*source);
                }
                for source in self.silent.of(*state) {
                    if self.partition.block(*source) != part {
                        self.partition.mark(*source);
                    }
                }
                let leaves = |edge: &Edge| {
                    let target = self.partition.block(edge.target);
                    target != part && (target == block || target >= first_new)
                };
                let mut edges = self.table.edges(*state).iter().take_while(|edge| edge.label == SILENT);
                if self.table.has_inert && edges.any(leaves) {
                    self.partition.mark(*state);
                }
            }
        }
    }
}

/// Appends what a state can do by itself, without the edges that say nothing inside a block.
pub(super) fn append_own(table: &mut Table, partition: &Partition, state: u32, words: &mut Vec<u64>) {
    let block = partition.block(state);
    let mut amounts = Vec::new();
    for edge in table.edges(state) {
        let target = partition.block(edge.target);
        if edge.label == DIVERGENCE {
            words.push(word(DIVERGENCE, NOWHERE));
        } else if table.has_inert && edge.label == SILENT && target == block {
            // It says nothing.
        } else if let Some((group, amount)) = table.weights.of(edge.label) {
            amounts.push((*group, target, *amount));
        } else {
            words.push(word(edge.label, target));
        }
    }
    if !amounts.is_empty() {
        table.weights.append(&mut amounts, words);
    }
}
