//! Weak bisimulation by signatures: what a state can do with internal steps before and after, and how blocks
//! came to be.
//!
//! Internal steps have no cycles, so that a signature is made of those of the next states, in that order; a
//! block keeps one for all its states. When blocks are split, only states from which one of the new blocks
//! is reached so are looked at again. Where only the blocks are wanted, `splitter_refinement.rs` is faster;
//! there can be too many words in signatures, and then there is no history. Invariant: at the start of a
//! round, the signature of a state is that kept for its block, unless new blocks are reached.

use narrows_graph::Partition;

use super::history::History;
use super::signatures::SignatureTable;
use super::table::{SILENT, Sources, Table, parts, word};

/// As many words of signatures are looked at; history is not worth more.
const MAX_WORDS: usize = 200_000_000;

struct Refiner<'a> {
    table: &'a Table,
    silent: Sources,
    others: Sources,
    partition: Partition,
    signatures: Vec<Box<[u64]>>,
    /// Signatures of this round, and the class of each state that is looked at, otherwise [`OLD`].
    classes: SignatureTable,
    class: Vec<u32>,
    /// The same for the blocks that are reached with internal steps alone.
    reaches: SignatureTable,
    reach_class: Vec<u32>,
    is_affected: Vec<bool>,
    history: History,
    /// How many words have been looked at.
    words: usize,
}

const OLD: u32 = u32::MAX;

/// Divides the states of a table into blocks, and tells how; `None` if that takes too long.
pub(super) fn refine(table: &Table) -> Option<(Partition, History)> {
    let states = table.states();
    let mut refiner = Refiner {
        table,
        silent: Sources::new(table, |label| label == SILENT),
        others: Sources::new(table, |label| label != SILENT),
        partition: Partition::new(states),
        signatures: vec![Box::default()],
        classes: SignatureTable::default(),
        class: vec![OLD; states as usize],
        reaches: SignatureTable::default(),
        reach_class: vec![OLD; states as usize],
        is_affected: vec![false; states as usize],
        history: History::new(),
        words: 0,
    };
    let mut fresh: Vec<u32> = (0..states).collect();
    while !fresh.is_empty() {
        fresh = refiner.round(fresh)?;
    }
    Some((refiner.partition, refiner.history))
}

impl Refiner<'_> {
    /// Looks at all states that reach the given ones; returns the states of new blocks.
    fn round(&mut self, mut states: Vec<u32>) -> Option<Vec<u32>> {
        for state in &states {
            self.is_affected[*state as usize] = true;
        }
        close(&self.silent, &mut states, &mut self.is_affected);
        states.sort_unstable();
        self.find_reach(&states)?;
        for at in 0..states.len() {
            for source in self.others.of(states[at]) {
                add(*source, &mut states, &mut self.is_affected);
            }
        }
        close(&self.silent, &mut states, &mut self.is_affected);
        states.sort_unstable();
        self.find_classes(&states)?;
        for state in &states {
            let block = self.partition.block(*state);
            if self.partition.states(block).len() == 1 {
                self.signatures[block as usize] = self.classes.signature(self.class[*state as usize]).into();
            } else {
                self.partition.mark(*state);
            }
        }
        let mut local = vec![0; self.classes.len()];
        let mut next = Vec::new();
        while let Some(block) = self.partition.next_marked() {
            self.split(block, &mut local, &mut next);
        }
        for state in states {
            self.class[state as usize] = OLD;
            self.reach_class[state as usize] = OLD;
            self.is_affected[state as usize] = false;
        }
        Some(next)
    }

    /// Counts words; `None` if there are too many.
    fn spend(&mut self, words: usize) -> Option<()> {
        self.words += words;
        (self.words <= MAX_WORDS).then_some(())
    }

    /// Finds the blocks that states reach with internal steps, the last states first.
    fn find_reach(&mut self, states: &[u32]) -> Option<()> {
        self.reaches.restart(None);
        let mut words = Vec::new();
        for state in states {
            words.clear();
            words.push(word(SILENT, self.partition.block(*state)));
            for edge in self.table.edges(*state).iter().take_while(|edge| edge.label == SILENT) {
                words.extend_from_slice(self.reach(edge.target));
            }
            self.spend(words.len())?;
            words.sort_unstable();
            words.dedup();
            self.reach_class[*state as usize] = self.reaches.number(&words);
        }
        Some(())
    }

    /// Finds the signatures of states, the last states first.
    fn find_classes(&mut self, states: &[u32]) -> Option<()> {
        self.classes.restart(None);
        let mut words = Vec::new();
        for state in states {
            words.clear();
            words.extend_from_slice(self.reach(*state));
            for edge in self.table.edges(*state) {
                if edge.label == SILENT {
                    words.extend_from_slice(self.signature(edge.target));
                } else {
                    let blocks = self.reach(edge.target).iter().map(|word| parts(*word).1);
                    words.extend(blocks.map(|block| word(edge.label, block)));
                }
            }
            self.spend(words.len())?;
            words.sort_unstable();
            words.dedup();
            self.class[*state as usize] = self.classes.number(&words);
        }
        Some(())
    }

    /// Returns the blocks that a state reaches with internal steps.
    fn reach(&self, state: u32) -> &[u64] {
        match self.reach_class[state as usize] {
            OLD => {
                let kept = &self.signatures[self.partition.block(state) as usize];
                &kept[..kept.partition_point(|word| parts(*word).0 == SILENT)]
            }
            class => self.reaches.signature(class),
        }
    }

    fn signature(&self, state: u32) -> &[u64] {
        match self.class[state as usize] {
            OLD => &self.signatures[self.partition.block(state) as usize],
            class => self.classes.signature(class),
        }
    }

    /// Splits a block by the classes of its marked states.
    fn split(&mut self, block: u32, local: &mut [u32], next: &mut Vec<u32>) {
        let affected = self.partition.marked(block).to_vec();
        let mut counts = vec![self.partition.unmarked(block)];
        let mut globals = vec![OLD];
        let mut classes = Vec::with_capacity(affected.len());
        for state in &affected {
            let class = self.class[*state as usize];
            if local[class as usize] == 0 {
                local[class as usize] = counts.len() as u32;
                counts.push(0);
                globals.push(class);
            }
            counts[local[class as usize] as usize] += 1;
            classes.push(local[class as usize]);
        }
        globals[1..].iter().for_each(|class| local[*class as usize] = 0);
        let old = std::mem::take(&mut self.signatures[block as usize]);
        let first_new = self.partition.blocks();
        let is_whole = counts.iter().filter(|count| **count > 0).count() == 1;
        let numbers = if is_whole {
            self.partition.unmark(block);
            vec![block; counts.len()]
        } else {
            self.partition.split(block, &affected, &classes, &counts)
        };
        let words = |class: u32| if class == OLD { &*old } else { self.classes.signature(class) };
        let present = || (0..counts.len()).filter(|class| counts[*class] > 0);
        if !is_whole {
            self.history.split(block, present().map(|class| (numbers[class], words(globals[class]))));
        }
        self.signatures.resize(self.partition.blocks() as usize, Box::default());
        for class in present() {
            self.signatures[numbers[class] as usize] = words(globals[class]).into();
        }
        for part in first_new..self.partition.blocks() {
            next.extend_from_slice(self.partition.states(part));
        }
    }
}

/// Adds the states that lead to the given ones with internal steps.
fn close(silent: &Sources, states: &mut Vec<u32>, is_in: &mut [bool]) {
    let mut at = 0;
    while at < states.len() {
        for source in silent.of(states[at]) {
            add(*source, states, is_in);
        }
        at += 1;
    }
}

fn add(state: u32, states: &mut Vec<u32>, is_in: &mut [bool]) {
    if !std::mem::replace(&mut is_in[state as usize], true) {
        states.push(state);
    }
}
