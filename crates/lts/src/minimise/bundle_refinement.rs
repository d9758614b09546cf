//! Strong and branching bisimulation in O(m log n): only edges into and out of the smaller parts of blocks are looked at.
//!
//! A *bottom* has no internal step inside its block: all states, if internal steps are steps like others. Edges of a
//! bottom with the same label and target block are a bundle (Valmari, 2009). When a block falls apart, the edges into
//! each part but the largest leave their bundles for new ones; the source then tells itself apart by the part, and by whether its
//! old bundle has become empty. Bottoms of a block that say the same of all that changed still have the same signature.
//! Of rates, a state says the sum into the part: that into the rest follows. States with rates are bottoms.
//! An edge changes its bundle at most log n times, since its target is then in a block at most half as large.
//!
//! The other states of a block reach a bottom by internal steps inside it. They are like it if they can do nothing else by
//! themselves. Which of them are not is found as in Groote, Jansen, Keiren and Wijs (2017): see `race.rs`. For that
//! their edges are in groups by label and both blocks. A state that becomes a bottom stays one: only then all its edges are
//! looked at again.
//!
//! Invariant: bottoms of a block that are not marked, and have said nothing, have edges to the same blocks, and other states
//! of the block have no others, except for those that are in `news`, and for blocks that are *fresh*: their bottoms
//! have become so after the last look, and say all they can do.

use narrows_graph::Partition;
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::groups::Groups;
use super::race::{Look, Race};
use super::table::{SILENT, Table, word};

pub(super) struct Halves<'a> {
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
    /// What each marked state says.
    said: Vec<Vec<u64>>,
    pub(super) classes: Classes,
    /// For each edge out of a state where it is among those into states. This and what follows is empty if internal
    /// steps are steps like others.
    outs: Vec<u32>,
    /// How many internal steps each state has inside its block.
    pub(super) inert: Vec<u32>,
    /// Whether the edges of a state are in bundles.
    is_settled: Vec<bool>,
    /// The edges of the others, but for internal steps inside blocks.
    pub(super) groups: Groups,
    /// What states of a block that are no bottoms can do since the last look, as words.
    news: FxHashMap<u32, Vec<u64>>,
    is_fresh: Vec<bool>,
    pub(super) race: Race,
}

const NONE: u32 = u32::MAX;

/// What a state says of a label if no edge with it leads to a block any more.
pub(super) const GONE: u32 = 1 << 31;

/// Divides the states of a table into blocks, beginning with some that may be too large.
pub(super) fn refine(table: &mut Table, partition: Partition) -> Partition {
    let mut halves = Halves::new(table, partition);
    let mut look = Look::default();
    while let Some(block) = halves.partition.next_marked() {
        halves.look_at(block, &mut look);
    }
    halves.partition
}

impl Halves<'_> {
    /// Lets all bottoms say all they can do.
    fn new(table: &mut Table, mut partition: Partition) -> Halves<'_> {
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
        let mut halves = Halves {
            starts,
            arrows: vec![(0, 0); edges],
            bundles: vec![NONE; edges],
            counts: Vec::new(),
            free: Vec::new(),
            next: Vec::new(),
            said: vec![Vec::new(); states as usize],
            classes: Classes::default(),
            outs: Vec::with_capacity(with_inert(edges as u32) as usize),
            is_settled: vec![false; inert.len()],
            groups: Groups::new(with_inert(edges as u32) as usize),
            news: FxHashMap::default(),
            is_fresh: vec![true; partition.blocks() as usize],
            race: Race::new(inert.len()),
            inert,
            partition,
            table,
        };
        let mut places = Vec::new();
        for state in 0..states {
            halves.enter(state, &mut places);
        }
        halves
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
            self.settle(state, places);
            return;
        }
        for (edge, at) in self.table.edges(state).iter().zip(places) {
            let target = self.partition.block(edge.target);
            if edge.label != SILENT || target != block {
                self.groups.put(*at, (block, edge.label, target));
            }
        }
    }

    /// Puts the edges of a bottom into bundles, and lets it say all it can do.
    fn settle(&mut self, state: u32, places: &[u32]) {
        let (mut amounts, mut words) = (Vec::new(), Vec::with_capacity(places.len()));
        for (edge, at) in self.table.edges(state).iter().zip(places) {
            let target = self.partition.block(edge.target);
            match self.table.weights.of(edge.label) {
                Some((group, amount)) => amounts.push((*group, target, *amount)),
                None => words.push((word(edge.label, target), *at)),
            }
        }
        words.sort_unstable();
        let said = &mut self.said[state as usize];
        for same in words.chunk_by(|one, other| one.0 == other.0) {
            said.push(same[0].0);
            for (_, at) in same {
                self.bundles[*at as usize] = self.counts.len() as u32;
            }
            self.counts.push(same.len() as u32);
            self.next.push(NONE);
        }
        self.table.weights.append(&mut amounts, said);
        if self.table.has_inert {
            self.is_settled[state as usize] = true;
            for at in places {
                self.groups.remove(*at);
            }
        }
        self.partition.work += places.len() + 1;
        self.partition.mark(state);
    }

    /// Lets a block fall apart by what its bottoms say, and by what the others can do beside that.
    fn look_at(&mut self, block: u32, look: &mut Look) {
        if self.partition.states(block).len() == 1 {
            return;
        }
        look.restart(block, std::mem::replace(&mut self.is_fresh[block as usize], false));
        if look.is_fresh && self.table.has_inert {
            for state in self.partition.bottoms(block).to_vec() {
                if !self.is_settled[state as usize] {
                    let places = self.outs[self.table.range(state)].to_vec();
                    self.settle(state, &places);
                }
            }
        }
        if let Some(news) = self.news.remove(&block) {
            look.news = news;
            look.news.sort_unstable();
            look.news.dedup();
        }
        self.classes.restart(None);
        look.affected.extend_from_slice(self.partition.marked(block));
        look.counts.push(self.partition.unmarked(block));
        for state in &look.affected {
            let mut words = std::mem::take(&mut self.said[*state as usize]);
            words.sort_unstable();
            words.dedup();
            let class = self.classes.number(&words);
            look.classes.push(class);
            look.counts.resize(self.classes.len(), 0);
            look.counts[class as usize] += 1;
        }
        self.partition.work += look.affected.len();
        if self.partition.bottoms(block).len() == self.partition.states(block).len() {
            self.split(look);
        } else {
            self.split_race(look);
        }
    }

    /// Lets a block fall apart that has only bottoms.
    fn split(&mut self, look: &mut Look) {
        if look.counts.iter().filter(|count| **count > 0).count() == 1 {
            self.partition.unmark(look.block);
            return;
        }
        let first_new = self.partition.blocks();
        self.partition.split(look.block, &look.affected, &look.classes, &look.counts);
        self.is_fresh.resize(self.partition.blocks() as usize, false);
        for part in first_new..self.partition.blocks() {
            // Marking changes the order inside a block: its states are copied.
            look.affected.clear();
            look.affected.extend_from_slice(self.partition.states(part));
            self.divert(look.block, part, &look.affected);
        }
    }

    /// Lets a block fall apart that has other states too.
    fn split_race(&mut self, look: &Look) {
        let block = look.block;
        let outcome = self.run(look);
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

    /// Puts the edges of states that are no bottoms into the groups of the part where these are now.
    fn leave(&mut self, block: u32, part: u32, states: &[u32]) {
        for state in states {
            if self.is_settled[*state as usize] {
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

    /// Gives the edges into a new part of a block bundles and groups of their own, and lets their sources say so.
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
                if self.table.has_inert && !self.is_settled[source as usize] {
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
            let said = &mut self.said[source as usize];
            said.push(word(label, part));
            if is_gone {
                said.push(word(label | GONE, block));
            }
        }
        heavy.sort_unstable_by_key(|(source, _)| *source);
        for same in heavy.chunk_by(|one, other| one.0 == other.0) {
            let source = same[0].0;
            if !self.partition.is_singleton(source) {
                let mut amounts: Vec<_> = same.iter().map(|(_, amount)| *amount).collect();
                self.table.weights.append(&mut amounts, &mut self.said[source as usize]);
                self.partition.mark(source);
            }
        }
    }

    /// Puts an edge of a state that is no bottom into the group of the part where it leads now.
    fn regroup(&mut self, at: u32, source: u32, label: u32, part: u32) {
        if self.partition.is_singleton(source) {
            return;
        }
        let block = self.partition.block(source);
        if self.groups.key(at).is_some() {
            self.groups.put(at, (block, label, part));
            if !self.is_fresh[block as usize] {
                let news = self.news.entry(block).or_default();
                if news.is_empty() {
                    self.partition.enqueue(block);
                }
                news.push(word(label, part));
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
