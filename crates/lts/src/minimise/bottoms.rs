//! What falls off at the lower end of internal steps, without a look at all that is above.
//!
//! If a signature changes, so do those of all states that lead there by internal steps inside the block: with a long chain of
//! these, each state that falls off at its end would cost a walk to the other end. But states that reach nothing else can
//! be split off alone. A *bottom* state has no internal step inside its block, and its signature is what it can do by itself.
//! Take the bottom states whose signature is σ, and then all states that can do nothing beside σ by themselves, and whose
//! internal steps inside the block all lead to states that were taken. Those are all alike. A state s that is not among
//! them is not bisimilar to any of them: either its signature is another one; or it has an internal step to a state that
//! was not taken, which is not bisimilar to them either, and they have no such step.
//!
//! What stays slow: a long chain of internal steps beside a long visible one, whose states are told apart one by one. There
//! the signature of the whole chain changes each time, though no state falls off for it.
//!
//! Both ways are tried in turns, with twice as much to spend each time, so that the cost is that of the cheaper one (as in Groote,
//! Jansen, Keiren and Wijs 2017).

use super::refine::{Refiner, Scratch, append_own};
use super::table::SILENT;

/// The states that were taken, by class.
#[derive(Default)]
pub(super) struct Taken {
    /// In which round a state was taken, and its class.
    of: Vec<(u32, u32)>,
    round: u32,
    list: Vec<u32>,
}

impl Taken {
    pub(super) fn new(states: u32) -> Taken {
        Taken { of: vec![(0, 0); states as usize], round: 0, list: Vec::new() }
    }

    fn class(&self, state: u32) -> Option<u32> {
        let (round, class) = self.of[state as usize];
        (round == self.round).then_some(class)
    }

    fn take(&mut self, state: u32, class: u32) {
        self.of[state as usize] = (self.round, class);
        self.list.push(state);
    }
}

/// What there is to spend at first: so many edges. Small graphs should try both ways in tests.
const FIRST: usize = if cfg!(test) { 1 } else { 256 };

/// With more states that changed, it pays to look at all that is above them at once.
const FEW: usize = 16;

impl Refiner<'_> {
    /// Marks what leads to marked states, or splits off what ends there, whichever is cheaper. Returns whether it was split.
    pub(super) fn split_bottoms(&mut self, block: u32, scratch: &mut Scratch) -> bool {
        let is_few = self.partition.marked(block).len() <= FEW;
        if self.partition.clean(block) == 0 || !is_few || self.history.is_some() {
            self.mark_what_leads_there(block, &mut 0, usize::MAX);
            return false;
        }
        let changed: Vec<u32> = self.partition.marked(block).to_vec();
        let seeds = self.seeds(block, &changed, scratch);
        let mut at = 0;
        let mut budget = FIRST;
        loop {
            let is_all = self.mark_what_leads_there(
                block,
                &mut at,
                if seeds.is_empty() { usize::MAX } else { budget },
            );
            if is_all {
                return false;
            }
            if self.take_above(block, &seeds, budget, scratch) {
                break;
            }
            budget *= 2;
        }
        self.split_taken(block, &changed, scratch);
        true
    }

    /// Finds marked bottom states whose signature is not that of the block, with the classes of theirs.
    fn seeds(&mut self, block: u32, changed: &[u32], scratch: &mut Scratch) -> Vec<(u32, u32)> {
        self.classes.restart(Some(&self.signatures[block as usize]));
        let mut seeds = Vec::new();
        for state in changed {
            if self.inert_targets(*state, block).next().is_some() {
                continue;
            }
            self.own(*state, scratch);
            let class = self.classes.number(&scratch.words);
            if class > 0 {
                seeds.push((*state, class));
            }
        }
        seeds
    }

    fn inert_targets(&self, state: u32, block: u32) -> impl Iterator<Item = u32> + '_ {
        let silent = self.table.edges(state).iter().take_while(|edge| edge.label == SILENT);
        silent.map(|edge| edge.target).filter(move |target| self.partition.block(*target) == block)
    }

    /// Finds what a state can do by itself, in order.
    fn own(&mut self, state: u32, scratch: &mut Scratch) {
        scratch.words.clear();
        append_own(self.table, &self.partition, state, &mut scratch.words);
        scratch.words.sort_unstable();
        scratch.words.dedup();
    }

    /// Takes the seeds and what is alike above them; returns whether there was enough to spend.
    fn take_above(&mut self, block: u32, seeds: &[(u32, u32)], budget: usize, scratch: &mut Scratch) -> bool {
        self.taken.round += 1;
        self.taken.list.clear();
        for (state, class) in seeds {
            self.taken.take(*state, *class);
        }
        let (mut at, mut spent) = (0, 0);
        while let Some(state) = self.taken.list.get(at).copied() {
            at += 1;
            let Some(class) = self.taken.class(state) else { continue };
            for number in 0..self.silent.of(state).len() {
                let source = self.silent.of(state)[number];
                if self.partition.block(source) != block || self.taken.class(source).is_some() {
                    continue;
                }
                spent += self.table.edges(source).len() + 1;
                if spent > budget {
                    return false;
                }
                if self.inert_targets(source, block).any(|target| self.taken.class(target) != Some(class)) {
                    continue;
                }
                self.own(source, scratch);
                let signature = self.classes.signature(class);
                if scratch.words.iter().all(|word| signature.binary_search(word).is_ok()) {
                    self.taken.take(source, class);
                }
            }
        }
        true
    }

    /// Makes blocks of what was taken. All others that had changed stay marked.
    fn split_taken(&mut self, block: u32, changed: &[u32], scratch: &mut Scratch) {
        self.partition.unmark(block);
        scratch.affected.clear();
        scratch.affected.extend_from_slice(&self.taken.list);
        scratch.classes.clear();
        scratch.counts.clear();
        scratch.counts.resize(self.classes.len(), 0);
        for state in &scratch.affected {
            self.partition.mark(*state);
            let class = self.taken.class(*state).unwrap_or(0);
            scratch.classes.push(class);
            scratch.counts[class as usize] += 1;
        }
        scratch.counts[0] = self.partition.clean(block);
        if scratch.counts.iter().filter(|count| **count > 0).count() == 1 {
            // All of the block changed in the same way.
            self.signatures[block as usize] = self.classes.signature(scratch.classes[0]).into();
            self.partition.unmark(block);
            return;
        }
        let first_new = self.partition.blocks();
        let numbers = self.partition.split(block, &scratch.affected, &scratch.classes, &scratch.counts);
        self.keep_signatures(block, &numbers, &scratch.counts);
        for state in changed.iter().filter(|state| self.taken.class(**state).is_none()) {
            self.partition.mark(*state);
        }
        self.mark_changes(block, first_new, scratch);
    }
}
