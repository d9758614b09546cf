//! Partition refinement for strong and branching bisimulation in O(m log n): only edges into and out of the
//! smaller parts of a block are visited when it is split.
//!
//! A *bottom state* has no inert step, that is no internal step inside its block; where internal steps are
//! ordinary, all states are bottom states. The edges of a bottom state with the same label and target block
//! are a *bundle* (A. Valmari, 2009). When a block is split, the edges into each part but the largest leave
//! their bundles for new ones. What that changes in the signature of their source is kept as its `delta`: the
//! new part, and whether the old bundle has become empty. Bottom states of a block with equal deltas still
//! have equal signatures. Of rates, the delta has the sum into the part, since that into the rest follows;
//! states with rates are bottom states. An edge changes its bundle at most log n times, as its target is then
//! in a block at most half as large.
//!
//! The other states of a block reach a bottom state by inert steps. They are bisimilar to it if they can do
//! nothing else by themselves. Which of them are not is found as in J. Groote, D. Jansen, J. Keiren and A.
//! Wijs (2017): see `coroutine_split.rs`. For that, their edges are in groups by label and both blocks. A
//! state that becomes a bottom state stays one: only then all its edges are visited again.
//!
//! Invariant: unmarked bottom states of a block, with an empty delta, have edges to the same blocks, and
//! other states of the block have no others, except for those in `changes`, and for blocks that are *fresh*:
//! their bottom states have become so since the block was last refined, and their delta is the whole
//! signature.

use narrows_graph::Partition;
use rustc_hash::FxHashMap;

use super::coroutine_split::{BlockSplit, CoroutineMarks};
use super::edge_groups::EdgeGroups;
use super::signatures::SignatureTable;
use super::table::{SILENT, Table, word};

pub(super) struct BundleRefiner<'a> {
    pub(super) table: &'a mut Table,
    pub(super) partition: Partition,
    /// Where the edges into each state begin, with their sources, labels and bundles.
    starts: Vec<u32>,
    arrows: Vec<(u32, u32)>,
    bundles: Vec<u32>,
    /// How many edges each bundle has; those without may be used again.
    counts: Vec<u32>,
    free: Vec<u32>,
    /// For each bundle the one that its edges leave for at present.
    next: Vec<u32>,
    /// How the signature of each marked state changed.
    delta: Vec<Vec<u64>>,
    pub(super) classes: SignatureTable,
    /// For each edge out of a state where it is among those into states. This and what follows is empty if
    /// internal steps are steps like others.
    outs: Vec<u32>,
    /// How many internal steps each state has inside its block.
    pub(super) inert: Vec<u32>,
    /// Whether the edges of a state are in bundles.
    is_bundled: Vec<bool>,
    /// The edges of the others, but for internal steps inside blocks.
    pub(super) groups: EdgeGroups,
    /// What states of a block that are not bottom states can do since the last split, as words.
    changes: FxHashMap<u32, Vec<u64>>,
    is_fresh: Vec<bool>,
    pub(super) marks: CoroutineMarks,
}

const NONE: u32 = u32::MAX;

/// What a delta has for a label if no edge with it leads to a block any more.
pub(super) const GONE: u32 = 1 << 31;

/// Divides the states of a table into blocks, beginning with some that may be too large.
pub(super) fn refine(table: &mut Table, partition: Partition) -> Partition {
    let mut refiner = BundleRefiner::new(table, partition);
    let mut split = BlockSplit::default();
    while let Some(block) = refiner.partition.next_marked() {
        refiner.refine_block(block, &mut split);
    }
    refiner.partition
}

impl BundleRefiner<'_> {
    /// Begins with whole signatures as deltas of all bottom states.
    fn new(table: &mut Table, mut partition: Partition) -> BundleRefiner<'_> {
        let states = table.states();
        let mut starts = vec![0_u32; states as usize + 2];
        for state in 0..states {
            for edge in table.edges(state) {
                starts[edge.target as usize + 2] += 1;
            }
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let edges = starts.last().map_or(0, |count| *count as usize);
        let with_inert = |count| if table.has_inert { count } else { 0 };
        let inert: Vec<u32> =
            (0..with_inert(states)).map(|state| inert_steps(table, &partition, state)).collect();
        partition.set_bottoms(|state| inert.get(state as usize).is_none_or(|count| *count == 0));
        let mut refiner = BundleRefiner {
            starts,
            arrows: vec![(0, 0); edges],
            bundles: vec![NONE; edges],
            counts: Vec::new(),
            free: Vec::new(),
            next: Vec::new(),
            delta: vec![Vec::new(); states as usize],
            classes: SignatureTable::default(),
            outs: Vec::with_capacity(with_inert(edges as u32) as usize),
            is_bundled: vec![false; inert.len()],
            groups: EdgeGroups::new(with_inert(edges as u32) as usize),
            changes: FxHashMap::default(),
            is_fresh: vec![true; partition.blocks() as usize],
            marks: CoroutineMarks::new(inert.len()),
            inert,
            partition,
            table,
        };
        let mut places = Vec::new();
        for state in 0..states {
            refiner.enter(state, &mut places);
        }
        refiner
    }

    /// Turns round the edges of a state, and puts them into bundles or groups. States are entered in order.
    fn enter(&mut self, state: u32, places: &mut Vec<u32>) {
        places.clear();
        for edge in self.table.edges(state) {
            let at = &mut self.starts[edge.target as usize + 1];
            self.arrows[*at as usize] = (state, edge.label);
            places.push(*at);
            *at += 1;
        }
        if self.table.has_inert {
            self.outs.extend_from_slice(places);
        }
        let block = self.partition.block(state);
        if self.partition.is_singleton(state) {
            return;
        }
        if self.inert.get(state as usize).is_none_or(|count| *count == 0) {
            self.bundle(state, places);
            return;
        }
        for (edge, at) in self.table.edges(state).iter().zip(places) {
            let target = self.partition.block(edge.target);
            if edge.label != SILENT || target != block {
                self.groups.put(*at, (block, edge.label, target));
            }
        }
    }

    /// Puts the edges of a bottom into bundles, and takes its whole signature as its delta.
    fn bundle(&mut self, state: u32, places: &[u32]) {
        let (mut amounts, mut words) = (Vec::new(), Vec::with_capacity(places.len()));
        for (edge, at) in self.table.edges(state).iter().zip(places) {
            let target = self.partition.block(edge.target);
            match self.table.weights.of(edge.label) {
                Some((group, amount)) => amounts.push((*group, target, *amount)),
                None => words.push((word(edge.label, target), *at)),
            }
        }
        words.sort_unstable();
        let delta = &mut self.delta[state as usize];
        for same in words.chunk_by(|one, other| one.0 == other.0) {
            delta.push(same[0].0);
            for (_, at) in same {
                self.bundles[*at as usize] = self.counts.len() as u32;
            }
            self.counts.push(same.len() as u32);
            self.next.push(NONE);
        }
        self.table.weights.append(&mut amounts, delta);
        if self.table.has_inert {
            self.is_bundled[state as usize] = true;
            for at in places {
                self.groups.remove(*at);
            }
        }
        self.partition.work += places.len() + 1;
        self.partition.mark(state);
    }

    /// Splits a block by the deltas of its bottom states, and by what the others can do beside that.
    fn refine_block(&mut self, block: u32, split: &mut BlockSplit) {
        if self.partition.states(block).len() == 1 {
            return;
        }
        split.restart(block, std::mem::replace(&mut self.is_fresh[block as usize], false));
        if split.is_fresh && self.table.has_inert {
            for state in self.partition.bottoms(block).to_vec() {
                if !self.is_bundled[state as usize] {
                    let places = self.outs[self.table.range(state)].to_vec();
                    self.bundle(state, &places);
                }
            }
        }
        if let Some(changes) = self.changes.remove(&block) {
            split.changes = changes;
            split.changes.sort_unstable();
            split.changes.dedup();
        }
        self.classes.restart(None);
        split.affected.extend_from_slice(self.partition.marked(block));
        split.counts.push(self.partition.unmarked(block));
        for state in &split.affected {
            let mut words = std::mem::take(&mut self.delta[*state as usize]);
            words.sort_unstable();
            words.dedup();
            let class = self.classes.number(&words);
            split.classes.push(class);
            split.counts.resize(self.classes.len(), 0);
            split.counts[class as usize] += 1;
        }
        self.partition.work += split.affected.len();
        if self.partition.bottoms(block).len() == self.partition.states(block).len() {
            self.split_bottoms(split);
        } else {
            self.split_by_coroutines(split);
        }
    }

    /// Splits a block that has only bottom states.
    fn split_bottoms(&mut self, split: &mut BlockSplit) {
        if split.counts.iter().filter(|count| **count > 0).count() == 1 {
            self.partition.unmark(split.block);
            return;
        }
        let first_new = self.partition.blocks();
        self.partition.split(split.block, &split.affected, &split.classes, &split.counts);
        self.is_fresh.resize(self.partition.blocks() as usize, false);
        for part in first_new..self.partition.blocks() {
            // Marking changes the order inside a block: its states are copied.
            split.affected.clear();
            split.affected.extend_from_slice(self.partition.states(part));
            self.divert(split.block, part, &split.affected);
        }
    }

    /// Splits a block that has inert steps.
    fn split_by_coroutines(&mut self, split: &BlockSplit) {
        let block = split.block;
        let outcome = self.run_coroutines(split);
        self.partition.unmark(block);
        let first_new = self.partition.blocks();
        for states in &outcome.parts {
            self.partition.split_off(block, states);
        }
        self.is_fresh.resize(self.partition.blocks() as usize, false);
        if let Some(part) = outcome.fresh {
            let number = if part == outcome.parts.len() { block } else { first_new + part as u32 };
            self.is_fresh[number as usize] = true;
            self.partition.enqueue(number);
        }
        for (part, states) in (first_new..).zip(&outcome.parts) {
            self.leave(block, part, states);
        }
        for (part, states) in (first_new..).zip(&outcome.parts) {
            self.divert(block, part, states);
        }
    }

    /// Puts the edges of states that are not bottom states into the groups of the part where these are now.
    fn leave(&mut self, block: u32, part: u32, states: &[u32]) {
        for state in states {
            if self.is_bundled[*state as usize] {
                continue;
            }
            self.partition.work += self.table.edges(*state).len();
            for number in self.table.range(*state) {
                let at = self.outs[number];
                match self.groups.key(at) {
                    Some(_) if states.len() == 1 => self.groups.remove(at),
                    Some((_, label, target)) => self.groups.put(at, (part, label, target)),
                    // An internal step; those into other parts come later.
                    None if self.partition.block(self.table.target(number)) == block => {
                        self.cross(at, *state, block);
                    }
                    None => {}
                }
            }
        }
    }

    /// Notes that an internal step leads out of its block now.
    fn cross(&mut self, at: u32, source: u32, target: u32) {
        let block = self.partition.block(source);
        self.inert[source as usize] -= 1;
        if self.inert[source as usize] == 0 {
            self.partition.add_bottom(source);
        }
        self.groups.put(at, (block, SILENT, target));
    }

    /// Returns where the edges into a state are.
    pub(super) fn arrows_into(&self, state: u32) -> &[(u32, u32)] {
        &self.arrows[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// Returns the state that an edge leaves, given where it is among those into states.
    pub(super) fn source(&self, at: u32) -> u32 {
        self.arrows[at as usize].0
    }

    /// Gives the edges into a new part of a block bundles and groups of their own, and lets their sources say
    /// so.
    fn divert(&mut self, block: u32, part: u32, states: &[u32]) {
        let (mut changed, mut heavy) = (Vec::new(), Vec::new());
        let is_light = self.table.weights.are_absent();
        for state in states {
            let range = self.starts[*state as usize] as usize..self.starts[*state as usize + 1] as usize;
            self.partition.work += range.len() + 1;
            for at in range {
                let (source, label) = self.arrows[at];
                if !is_light && let Some((group, amount)) = self.table.weights.of(label) {
                    heavy.push((source, (*group, part, *amount)));
                    continue;
                }
                if self.table.has_inert && !self.is_bundled[source as usize] {
                    self.regroup(at as u32, source, label, part);
                    continue;
                }
                let old = self.bundles[at];
                if old == NONE {
                    // Its source was alone from the beginning.
                    continue;
                }
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
            if self.partition.is_singleton(source) {
                continue;
            }
            self.partition.mark(source);
            let delta = &mut self.delta[source as usize];
            delta.push(word(label, part));
            if is_gone {
                delta.push(word(label | GONE, block));
            }
        }
        heavy.sort_unstable_by_key(|(source, _)| *source);
        for same in heavy.chunk_by(|one, other| one.0 == other.0) {
            let source = same[0].0;
            if !self.partition.is_singleton(source) {
                let mut amounts: Vec<_> = same.iter().map(|(_, amount)| *amount).collect();
                self.table.weights.append(&mut amounts, &mut self.delta[source as usize]);
                self.partition.mark(source);
            }
        }
    }

    /// Puts an edge of a state that is not a bottom state into the group of the part where it leads now.
    fn regroup(&mut self, at: u32, source: u32, label: u32, part: u32) {
        if self.partition.is_singleton(source) {
            return;
        }
        let block = self.partition.block(source);
        if self.groups.key(at).is_some() {
            self.groups.put(at, (block, label, part));
            if !self.is_fresh[block as usize] {
                let changes = self.changes.entry(block).or_default();
                if changes.is_empty() {
                    self.partition.enqueue(block);
                }
                changes.push(word(label, part));
            }
        } else if block != part {
            self.cross(at, source, part);
        }
    }
}

/// Returns how many internal steps a state has inside its block.
fn inert_steps(table: &Table, partition: &Partition, state: u32) -> u32 {
    let silent = table.edges(state).iter().take_while(|edge| edge.label == SILENT);
    let block = partition.block(state);
    silent.filter(|edge| partition.block(edge.target) == block).count() as u32
}
