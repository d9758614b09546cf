//! States in blocks: those of a block stand together, the marked ones in front.
//!
//! Some states of a block may be set apart from its *bottoms*, which stand before them and alone are marked.

use std::collections::VecDeque;

/// States in blocks. Numbers of blocks stay: when one falls apart, its largest part keeps the number.
pub(super) struct Partition {
    /// The states, block by block.
    order: Vec<u32>,
    /// Where each state stands in that order.
    place: Vec<u32>,
    block: Vec<u32>,
    segments: Vec<Segment>,
    /// Blocks with marked states.
    waiting: VecDeque<u32>,
    /// How much there was to do so far: states and edges that were looked at.
    pub(super) work: usize,
}

#[derive(Clone, Copy)]
struct Segment {
    begin: u32,
    end: u32,
    bottoms: u32,
    marked: u32,
}

impl Partition {
    /// Puts all states into one block, all of them bottoms and marked.
    pub(super) fn new(states: u32) -> Partition {
        let some = u32::from(states > 0);
        Partition {
            order: (0..states).collect(),
            place: (0..states).collect(),
            block: vec![0; states as usize],
            segments: vec![Segment { begin: 0, end: states, bottoms: states, marked: states }; some as usize],
            waiting: (0..some).collect(),
            work: 0,
        }
    }

    pub(super) fn blocks(&self) -> u32 {
        self.segments.len() as u32
    }

    pub(super) fn block(&self, state: u32) -> u32 {
        self.block[state as usize]
    }

    /// Returns the block of each state.
    pub(super) fn into_blocks(self) -> Vec<u32> {
        self.block
    }

    /// Returns the states of a block.
    pub(super) fn states(&self, block: u32) -> &[u32] {
        let segment = self.segments[block as usize];
        &self.order[segment.begin as usize..segment.end as usize]
    }

    /// Returns the bottoms of a block, the marked ones first.
    pub(super) fn bottoms(&self, block: u32) -> &[u32] {
        let segment = self.segments[block as usize];
        &self.order[segment.begin as usize..(segment.begin + segment.bottoms) as usize]
    }

    /// Returns the marked states of a block.
    pub(super) fn marked(&self, block: u32) -> &[u32] {
        let segment = self.segments[block as usize];
        &self.order[segment.begin as usize..(segment.begin + segment.marked) as usize]
    }

    /// Returns whether a state is marked, given its block.
    pub(super) fn is_marked(&self, state: u32, block: u32) -> bool {
        let segment = self.segments[block as usize];
        self.place[state as usize] < segment.begin + segment.marked
    }

    /// Returns how many bottoms of a block are not marked.
    pub(super) fn clean(&self, block: u32) -> u32 {
        let segment = self.segments[block as usize];
        segment.bottoms - segment.marked
    }

    /// Returns whether a state is alone in its block: nothing can be told apart there.
    pub(super) fn is_alone(&self, state: u32) -> bool {
        let segment = self.segments[self.block[state as usize] as usize];
        segment.end - segment.begin == 1
    }

    /// Marks a bottom, unless it is alone in its block.
    pub(super) fn mark(&mut self, state: u32) {
        let block = self.block[state as usize];
        let segment = &mut self.segments[block as usize];
        let (from, to) = (self.place[state as usize], segment.begin + segment.marked);
        if segment.end - segment.begin == 1 || from < to {
            return;
        }
        if segment.marked == 0 {
            self.waiting.push_back(block);
        }
        segment.marked += 1;
        self.swap(from, to);
    }

    /// Lets a block be taken, though none of its states is marked.
    pub(super) fn wait(&mut self, block: u32) {
        self.waiting.push_back(block);
    }

    /// Takes a block with marked states.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.waiting.pop_front()
    }

    /// Forgets the marks of a block.
    pub(super) fn unmark(&mut self, block: u32) {
        self.segments[block as usize].marked = 0;
    }

    /// Says which states are bottoms; none is marked, and no block waits.
    pub(super) fn set_bottoms(&mut self, is_bottom: impl Fn(u32) -> bool) {
        self.waiting.clear();
        for block in 0..self.segments.len() {
            let Segment { begin, end, .. } = self.segments[block];
            self.segments[block] = Segment { begin, end, bottoms: 0, marked: 0 };
            for at in begin..end {
                let state = self.order[at as usize];
                if is_bottom(state) {
                    self.add_bottom(state);
                }
            }
        }
    }

    /// Makes a state a bottom.
    pub(super) fn add_bottom(&mut self, state: u32) {
        let segment = &mut self.segments[self.block[state as usize] as usize];
        let to = segment.begin + segment.bottoms;
        segment.bottoms += 1;
        self.swap(self.place[state as usize], to);
    }

    fn swap(&mut self, one: u32, other: u32) {
        self.order.swap(one as usize, other as usize);
        for at in [one, other] {
            self.place[self.order[at as usize] as usize] = at;
        }
    }

    /// Makes a block of some states of another one, where no state is marked; returns its number.
    pub(super) fn carve(&mut self, block: u32, states: &[u32]) -> u32 {
        let number = self.segments.len() as u32;
        let begin = self.segments[block as usize].begin;
        for state in states {
            let segment = &mut self.segments[block as usize];
            let place = self.place[*state as usize];
            if place < segment.begin + segment.bottoms {
                let first = segment.begin;
                segment.begin += 1;
                segment.bottoms -= 1;
                self.block[*state as usize] = number;
                self.swap(place, first);
            }
        }
        let bottoms = self.segments[block as usize].begin - begin;
        for state in states {
            let segment = &mut self.segments[block as usize];
            let (first, middle) = (segment.begin, segment.begin + segment.bottoms);
            if std::mem::replace(&mut self.block[*state as usize], number) == block {
                segment.begin += 1;
                // The first bottom makes room, at the end of the bottoms.
                self.swap(self.place[*state as usize], middle);
                self.swap(middle, first);
            }
        }
        let end = self.segments[block as usize].begin;
        self.segments.push(Segment { begin, end, bottoms, marked: 0 });
        number
    }

    /// Lets a block fall apart by the class of each marked state; those not marked are of class 0. Returns the number
    /// of each class: the largest keeps that of the block. No state of the block is marked afterwards, and all are
    /// bottoms, as they were.
    pub(super) fn split(
        &mut self,
        block: u32,
        affected: &[u32],
        classes: &[u32],
        counts: &[u32],
    ) -> Vec<u32> {
        let segment = self.segments[block as usize];
        let mut keeper = 0;
        for class in 1..counts.len() {
            if counts[class] > counts[keeper] {
                keeper = class;
            }
        }
        let mut numbers = vec![block; counts.len()];
        let mut next = vec![0; counts.len()];
        let mut at = segment.begin;
        // Class 0 comes last, beside the states that are not marked.
        for class in (1..counts.len()).chain([0]) {
            next[class] = at;
            let part = Segment { begin: at, end: at + counts[class], bottoms: counts[class], marked: 0 };
            at = part.end;
            if class == keeper {
                self.segments[block as usize] = part;
            } else if counts[class] > 0 {
                numbers[class] = self.segments.len() as u32;
                self.segments.push(part);
            }
        }
        let clean = segment.begin + segment.marked;
        for (state, class) in affected.iter().zip(classes) {
            let at = &mut next[*class as usize];
            self.order[*at as usize] = *state;
            self.place[*state as usize] = *at;
            self.block[*state as usize] = numbers[*class as usize];
            *at += 1;
        }
        if keeper != 0 {
            for at in clean..segment.end {
                self.block[self.order[at as usize] as usize] = numbers[0];
            }
        }
        numbers
    }
}
