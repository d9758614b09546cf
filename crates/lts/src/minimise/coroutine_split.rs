//! Splits a block that has inert steps: which of its states are bisimilar to which of its bottom states.
//!
//! Bottom states are in classes by the change of their signatures. Another state belongs to a class if its
//! inert steps lead only to states of that class, and it can do nothing by itself that the class cannot. The
//! *rest* belong to none: they reach two classes, or can do more, or lead to such states. A state of the rest
//! is not bisimilar to any state of a class: either its signature differs; or it has an inert step to a state
//! that is not bisimilar to them, and they have no such step. So each class becomes a block, and so does the
//! rest, whose bottom states are new.
//!
//! Each class is grown backwards over inert steps from its bottom states, the rest from states that can do
//! too much and from predecessors of a class that do not belong to it. They are grown as coroutines with the
//! same budget, until all but one are complete; that one is what remains. So the cost is that of the smaller
//! parts (J. Groote, D. Jansen, J. Keiren, A. Wijs, *An O(m log n) algorithm for computing stuttering
//! equivalence and branching bisimulation*, 2017).

use super::bundle_refinement::{BundleRefiner, GONE};
use super::edge_groups::EdgeGroupKey;
use super::table::{SILENT, parts, word};

/// What is known of a block that may be split.
#[derive(Default)]
pub(super) struct BlockSplit {
    pub(super) block: u32,
    /// Whether the deltas of its bottom states are whole signatures.
    pub(super) is_fresh: bool,
    /// What states other than bottom states can do since the last split, in order.
    pub(super) changes: Vec<u64>,
    /// The bottom states with a delta, with their classes; the others are of class 0.
    pub(super) affected: Vec<u32>,
    pub(super) classes: Vec<u32>,
    /// How many bottom states there are in each class.
    pub(super) counts: Vec<u32>,
}

impl BlockSplit {
    /// Forgets all, for another block.
    pub(super) fn restart(&mut self, block: u32, is_fresh: bool) {
        (self.block, self.is_fresh) = (block, is_fresh);
        self.changes.clear();
        for list in [&mut self.affected, &mut self.classes, &mut self.counts] {
            list.clear();
        }
    }
}

/// How a block is split.
#[derive(Default)]
pub(super) struct Outcome {
    /// The states of all parts but one.
    pub(super) parts: Vec<Vec<u32>>,
    /// Which part is the rest, if there is one; the part that remains comes after the others.
    pub(super) fresh: Option<usize>,
}

/// What is known of states that are not bottom states, in this round.
pub(super) struct CoroutineMarks {
    of: Vec<Mark>,
    round: u32,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    round: u32,
    /// The class that internal steps lead to, or [`REST`].
    class: u32,
    /// How many of them are not known yet to lead there. With none left, the state is like the class.
    left: u32,
}

const REST: u32 = u32::MAX;

/// What there is to spend at first: so many edges. Small graphs should be seen in turns in tests.
const FIRST_BUDGET: usize = if cfg!(test) { 1 } else { 64 };

impl CoroutineMarks {
    pub(super) fn new(states: usize) -> CoroutineMarks {
        CoroutineMarks { of: vec![Mark::default(); states], round: 0 }
    }
}

/// A class, or the rest, as far as it is grown.
struct Coroutine {
    class: u32,
    states: Vec<u32>,
    /// How many of them have been looked at.
    at: usize,
    spent: usize,
    /// How many bottom states without a delta have been added.
    bottoms: usize,
    /// States with an internal step to one of these states; for the rest, what is to be added.
    touched: Vec<u32>,
}

impl Coroutine {
    fn new(class: u32) -> Coroutine {
        Coroutine { class, states: Vec::new(), at: 0, spent: 0, bottoms: 0, touched: Vec::new() }
    }
}

/// Where the search is for what can do too much.
#[derive(Default)]
struct SuspectCursor {
    group: usize,
    edge: usize,
}

impl BundleRefiner<'_> {
    /// Finds how a block is split.
    pub(super) fn run_coroutines(&mut self, split: &BlockSplit) -> Outcome {
        self.marks.round += 1;
        let mut grown: Vec<Coroutine> = Vec::new();
        let mut numbers = vec![0; split.counts.len()];
        for class in (0..split.counts.len()).filter(|class| split.counts[*class] > 0) {
            numbers[class] = grown.len();
            grown.push(Coroutine::new(class as u32));
        }
        for (state, class) in split.affected.iter().zip(&split.classes) {
            grown[numbers[*class as usize]].states.push(*state);
        }
        let mut rest = Coroutine::new(REST);
        let mut budget = FIRST_BUDGET;
        let mut complete = Vec::new();
        while grown.len() > 1 {
            let mut at = 0;
            while at < grown.len() && grown.len() > 1 {
                if self.grow(split, &mut grown[at], &mut rest, budget) {
                    complete.push(grown.swap_remove(at));
                } else {
                    at += 1;
                }
            }
            budget *= 2;
        }
        let Some(mut last) = grown.pop() else { return Outcome::default() };
        for part in &complete {
            // What leads to a complete class and is not like it is like none.
            rest.touched.extend(part.touched.iter().filter(|state| self.marks.of[**state as usize].left > 0));
        }
        let mut suspects = SuspectCursor::default();
        let rest_is_complete = loop {
            if self.grow_rest(split, last.class, &mut rest, &mut suspects, budget) {
                break true;
            }
            if self.grow(split, &mut last, &mut rest, budget) {
                break false;
            }
            budget *= 2;
        };
        self.partition.work += complete.iter().chain([&last, &rest]).map(|part| part.spent).sum::<usize>();
        self.outcome(split, complete, last, rest_is_complete.then_some(rest))
    }

    /// Decides which part remains.
    fn outcome(
        &self,
        split: &BlockSplit,
        complete: Vec<Coroutine>,
        last: Coroutine,
        rest: Option<Coroutine>,
    ) -> Outcome {
        let mut parts: Vec<Vec<u32>> = complete.into_iter().map(|part| part.states).collect();
        if let Some(rest) = rest {
            let fresh = (!rest.states.is_empty()).then_some(parts.len());
            parts.extend(fresh.map(|_| rest.states));
            return Outcome { parts, fresh };
        }
        parts.push(last.states);
        let count: usize = parts.iter().map(Vec::len).sum();
        if count < self.partition.states(split.block).len() {
            return Outcome { fresh: Some(parts.len()), parts };
        }
        let largest = (0..parts.len()).max_by_key(|part| parts[*part].len()).unwrap_or(0);
        parts.swap_remove(largest);
        Outcome { parts, fresh: None }
    }

    /// Grows a class, as long as there is something to spend; returns whether it is complete.
    fn grow(
        &mut self,
        split: &BlockSplit,
        part: &mut Coroutine,
        rest: &mut Coroutine,
        budget: usize,
    ) -> bool {
        let round = self.marks.round;
        while part.spent < budget {
            if part.at == part.states.len() {
                let bottoms = self.partition.bottoms(split.block);
                let silent = bottoms.get(split.affected.len() + part.bottoms);
                let Some(state) = silent.filter(|_| part.class == 0) else { return true };
                part.bottoms += 1;
                part.states.push(*state);
            }
            let state = part.states[part.at];
            part.at += 1;
            part.spent += self.arrows_into(state).len() + 1;
            for at in 0..self.arrows_into(state).len() {
                let (source, label) = self.arrows_into(state)[at];
                if label != SILENT || self.partition.block(source) != split.block {
                    continue;
                }
                let inert = self.inert[source as usize];
                let mark = &mut self.marks.of[source as usize];
                if mark.round != round {
                    *mark = Mark { round, class: part.class, left: inert };
                    part.touched.push(source);
                }
                if mark.class != part.class {
                    rest.touched.push(source);
                    continue;
                }
                mark.left -= 1;
                if mark.left == 0 {
                    part.spent += self.table.edges(source).len();
                    if self.is_like(split, source, part.class) {
                        part.states.push(source);
                    } else {
                        self.marks.of[source as usize].left = 1;
                        rest.touched.push(source);
                    }
                }
            }
        }
        false
    }

    /// Returns whether a state can do nothing by itself that a class cannot.
    fn is_like(&self, split: &BlockSplit, state: u32, class: u32) -> bool {
        self.table.edges(state).iter().all(|edge| {
            let target = self.partition.block(edge.target);
            (edge.label == SILENT && target == split.block)
                || self.can(split, class, word(edge.label, target))
        })
    }

    /// Returns whether a class can do something that states of its block can do.
    fn can(&self, split: &BlockSplit, class: u32, what: u64) -> bool {
        let delta = self.classes.signature(class);
        let says = |what: u64| delta.binary_search(&what).is_ok();
        let is_new = split.is_fresh || split.changes.binary_search(&what).is_ok();
        (!is_new || says(what)) && !says(what | word(GONE, 0))
    }

    /// Grows the rest, as long as there is something to spend; returns whether it is complete. All classes
    /// are complete but for one.
    fn grow_rest(
        &mut self,
        split: &BlockSplit,
        last: u32,
        rest: &mut Coroutine,
        suspects: &mut SuspectCursor,
        budget: usize,
    ) -> bool {
        let round = self.marks.round;
        while rest.spent < budget {
            rest.spent += 1;
            if let Some(state) = rest.touched.pop() {
                let mark = &mut self.marks.of[state as usize];
                if mark.round == round && mark.class == REST {
                    continue;
                }
                *mark = Mark { round, class: REST, left: 1 };
                rest.states.push(state);
                rest.spent += self.arrows_into(state).len() + self.table.edges(state).len();
                for at in 0..self.arrows_into(state).len() {
                    let (source, label) = self.arrows_into(state)[at];
                    if label == SILENT && self.partition.block(source) == split.block {
                        rest.touched.push(source);
                    }
                }
                continue;
            }
            let Some(key) = self.suspect(split, last, suspects.group) else { return true };
            let edge = self.groups.edges(key).get(suspects.edge).copied();
            match edge.filter(|_| !self.can(split, last, word(key.1, key.2))) {
                Some(edge) => {
                    suspects.edge += 1;
                    let source = self.source(edge);
                    let mark = self.marks.of[source as usize];
                    if mark.round != round || mark.left > 0 {
                        rest.touched.push(source);
                    }
                }
                None => *suspects = SuspectCursor { group: suspects.group + 1, edge: 0 },
            }
        }
        false
    }

    /// Returns one of the groups of edges that a class may not have.
    fn suspect(&self, split: &BlockSplit, class: u32, number: usize) -> Option<EdgeGroupKey> {
        if split.is_fresh {
            return self.groups.key_of(split.block, number);
        }
        let delta = self.classes.signature(class);
        let what = split.changes.get(number).or_else(|| delta.get(number - split.changes.len()))?;
        let (label, target) = parts(*what);
        Some((split.block, label & !GONE, target))
    }
}
