//! States in blocks: those of a block stand together, the marked ones in front.

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
}

#[derive(Clone, Copy)]
struct Segment {
    begin: u32,
    end: u32,
    marked: u32,
}

impl Partition {
    /// Puts all states into one block, all marked.
    pub(super) fn new(states: u32) -> Partition {
        let some = u32::from(states > 0);
        Partition {
            order: (0..states).collect(),
            place: (0..states).collect(),
            block: vec![0; states as usize],
            segments: vec![Segment { begin: 0, end: states, marked: states }; some as usize],
            waiting: (0..some).collect(),
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

    /// Returns how many states of a block are not marked.
    pub(super) fn clean(&self, block: u32) -> u32 {
        let segment = self.segments[block as usize];
        segment.end - segment.begin - segment.marked
    }

    /// Marks a state, unless it is alone in its block: nothing can be told apart there.
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
        let other = self.order[to as usize];
        self.order.swap(from as usize, to as usize);
        self.place[state as usize] = to;
        self.place[other as usize] = from;
    }

    /// Takes a block with marked states.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.waiting.pop_front()
    }

    /// Forgets the marks of a block.
    pub(super) fn unmark(&mut self, block: u32) {
        self.segments[block as usize].marked = 0;
    }

    /// Lets a block fall apart by the class of each marked state; those not marked are of class 0. Returns the number
    /// of each class: the largest keeps that of the block. No state of the block is marked afterwards.
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
            let part = Segment { begin: at, end: at + counts[class], marked: 0 };
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
