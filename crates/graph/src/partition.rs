//! A refinable partition: states in blocks that are split again and again.
//!
//! The states of a block stand side by side in one array, its marked states in front, and each state knows
//! its block and its place. So marking a state is a swap, the states of a block are a slice, and splitting a
//! block costs as much as it has marked states and states that move to new blocks (A. Valmari, G.
//! Franceschinis, *Simple O(m log n) time Markov chain lumping*, 2010). The largest part of a block keeps its
//! number: a state changes its block at most log₂ n times, which is the "process the smaller half" of
//! partition refinement by splitters (J. Hopcroft 1971) and of signature refinement.
//!
//! For branching bisimulation, some states of a block may be its *bottom states*, which have no inert step
//! inside it (J. Groote, F. Vaandrager 1990). They stand before the others, and only they can be marked. At
//! first all are bottom.
//!
//! Invariant: each block is marked states, then unmarked bottom states, then all others; a block with marked
//! states waits in the queue. Memory: twelve bytes for each state, and sixteen for each block.
//!
//! ```
//! use narrows_graph::Partition;
//!
//! // Even numbers and odd ones; then those below three are told apart.
//! let mut partition = Partition::from_blocks(&[0, 1, 0, 1, 0, 1], 2);
//! (0..3).for_each(|state| partition.mark(state));
//! while let Some(block) = partition.next_marked() {
//!     let affected = partition.marked(block).to_vec();
//!     let counts = [partition.unmarked(block), affected.len() as u32];
//!     partition.split(block, &affected, &vec![1; affected.len()], &counts);
//! }
//! assert_eq!(partition.into_blocks(), [0, 3, 0, 1, 2, 1]);
//! ```

use std::collections::VecDeque;

/// States in blocks. Numbers of blocks stay: when one is split, its largest part keeps the number.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The states, block by block.
    order: Vec<u32>,
    /// The block of each state and where it stands: side by side, as both are mostly asked for together.
    places: Vec<Place>,
    segments: Vec<Segment>,
    /// Blocks with marked states.
    queue: VecDeque<u32>,
    /// How many states and edges were visited so far. Whoever refines counts here, so that cost can be
    /// limited and tested.
    pub work: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    block: u32,
    at: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    begin: u32,
    end: u32,
    bottoms: u32,
    marked: u32,
}

impl Partition {
    /// Puts all states into one block, all of them bottom and marked.
    pub fn new(states: u32) -> Partition {
        let blocks = u32::from(states > 0);
        Partition {
            order: (0..states).collect(),
            places: (0..states).map(|at| Place { block: 0, at }).collect(),
            segments: vec![
                Segment { begin: 0, end: states, bottoms: states, marked: states };
                blocks as usize
            ],
            queue: (0..blocks).collect(),
            work: 0,
        }
    }

    /// Begins with the block of each state, all below `count`; no state is marked.
    pub fn from_blocks(blocks: &[u32], count: usize) -> Partition {
        let mut segments = vec![Segment { begin: 0, end: 0, bottoms: 0, marked: 0 }; count];
        for block in blocks {
            segments[*block as usize].bottoms += 1;
        }
        let mut begin = 0;
        for segment in &mut segments {
            (segment.begin, segment.end) = (begin, begin);
            begin += segment.bottoms;
        }
        let mut order = vec![0; blocks.len()];
        let places = (0..).zip(blocks).map(|(state, block)| {
            let end = &mut segments[*block as usize].end;
            order[*end as usize] = state;
            *end += 1;
            Place { block: *block, at: *end - 1 }
        });
        let places = places.collect();
        Partition { order, places, segments, queue: VecDeque::new(), work: 0 }
    }

    /// Returns how many blocks there are.
    pub fn blocks(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Returns the block of a state.
    #[inline]
    pub fn block(&self, state: u32) -> u32 {
        self.places[state as usize].block
    }

    /// Returns the block of each state.
    pub fn into_blocks(self) -> Vec<u32> {
        self.places.into_iter().map(|place| place.block).collect()
    }

    /// Returns the states of a block.
    pub fn states(&self, block: u32) -> &[u32] {
        let segment = self.segments[block as usize];
        &self.order[segment.begin as usize..segment.end as usize]
    }

    /// Returns the bottom states of a block, the marked ones first.
    pub fn bottoms(&self, block: u32) -> &[u32] {
        let segment = self.segments[block as usize];
        &self.order[segment.begin as usize..(segment.begin + segment.bottoms) as usize]
    }

    /// Returns the marked states of a block.
    pub fn marked(&self, block: u32) -> &[u32] {
        let segment = self.segments[block as usize];
        &self.order[segment.begin as usize..(segment.begin + segment.marked) as usize]
    }

    /// Returns whether a state is marked, given its block.
    pub fn is_marked(&self, state: u32, block: u32) -> bool {
        let segment = self.segments[block as usize];
        self.places[state as usize].at < segment.begin + segment.marked
    }

    /// Returns how many bottom states of a block are not marked.
    pub fn unmarked(&self, block: u32) -> u32 {
        let segment = self.segments[block as usize];
        segment.bottoms - segment.marked
    }

    /// Returns whether a state is alone in its block: nothing can be told apart there.
    pub fn is_singleton(&self, state: u32) -> bool {
        let segment = self.segments[self.block(state) as usize];
        segment.end - segment.begin == 1
    }

    /// Marks a bottom state, unless it is alone in its block.
    pub fn mark(&mut self, state: u32) {
        let Place { block, at } = self.places[state as usize];
        let segment = &mut self.segments[block as usize];
        let to = segment.begin + segment.marked;
        if segment.end - segment.begin == 1 || at < to {
            return;
        }
        if segment.marked == 0 {
            self.queue.push_back(block);
        }
        segment.marked += 1;
        self.swap(at, to);
    }

    /// Lets a block be taken, though none of its states is marked.
    pub fn enqueue(&mut self, block: u32) {
        self.queue.push_back(block);
    }

    /// Takes a block with marked states off the queue; they stay marked.
    pub fn next_marked(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// Forgets the marks of a block that was taken.
    pub fn unmark(&mut self, block: u32) {
        self.segments[block as usize].marked = 0;
    }

    /// Says which states are bottom; then none is marked, and no block waits.
    pub fn set_bottoms(&mut self, is_bottom: impl Fn(u32) -> bool) {
        self.queue.clear();
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

    /// Makes a state a bottom state.
    pub fn add_bottom(&mut self, state: u32) {
        let Place { block, at } = self.places[state as usize];
        let segment = &mut self.segments[block as usize];
        let to = segment.begin + segment.bottoms;
        segment.bottoms += 1;
        self.swap(at, to);
    }

    fn swap(&mut self, one: u32, other: u32) {
        self.order.swap(one as usize, other as usize);
        for at in [one, other] {
            self.places[self.order[at as usize] as usize].at = at;
        }
    }

    /// Makes a block of some states of another one, where no state is marked; returns its number.
    pub fn split_off(&mut self, block: u32, states: &[u32]) -> u32 {
        let number = self.segments.len() as u32;
        let begin = self.segments[block as usize].begin;
        for state in states {
            let segment = &mut self.segments[block as usize];
            let at = self.places[*state as usize].at;
            if at < segment.begin + segment.bottoms {
                let first = segment.begin;
                segment.begin += 1;
                segment.bottoms -= 1;
                self.places[*state as usize].block = number;
                self.swap(at, first);
            }
        }
        let bottoms = self.segments[block as usize].begin - begin;
        for state in states {
            let segment = &mut self.segments[block as usize];
            let (first, middle) = (segment.begin, segment.begin + segment.bottoms);
            let place = &mut self.places[*state as usize];
            if std::mem::replace(&mut place.block, number) == block {
                segment.begin += 1;
                // The first bottom state makes room, at the end of the bottom states.
                let at = place.at;
                self.swap(at, middle);
                self.swap(middle, first);
            }
        }
        let end = self.segments[block as usize].begin;
        self.segments.push(Segment { begin, end, bottoms, marked: 0 });
        number
    }

    /// Splits a block by the class of each marked state; those not marked are of class 0. `counts` has the
    /// size of each class. Returns the block of each class: the largest keeps the number. No state of the
    /// block is marked afterwards, and all are bottom states, as they were.
    pub fn split(&mut self, block: u32, affected: &[u32], classes: &[u32], counts: &[u32]) -> Vec<u32> {
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
        let unmarked = segment.begin + segment.marked;
        for (state, class) in affected.iter().zip(classes) {
            let at = &mut next[*class as usize];
            self.order[*at as usize] = *state;
            self.places[*state as usize] = Place { block: numbers[*class as usize], at: *at };
            *at += 1;
        }
        if keeper != 0 {
            for at in unmarked..segment.end {
                self.places[self.order[at as usize] as usize].block = numbers[0];
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::{Partition, Segment};
    use crate::Random;

    /// Checks that the arrays agree with each other, and blocks with a list of the block of each state.
    fn check(partition: &Partition, expected: &[usize]) {
        let mut seen = vec![false; expected.len()];
        for block in 0..partition.blocks() {
            let Segment { begin, end, bottoms, marked } = partition.segments[block as usize];
            assert!(begin < end && marked <= bottoms && bottoms <= end - begin);
            for (at, state) in (begin..).zip(partition.states(block)) {
                assert_eq!((partition.block(*state), partition.places[*state as usize].at), (block, at));
                assert!(!std::mem::replace(&mut seen[*state as usize], true));
                let first = partition.states(block)[0];
                assert_eq!(expected[*state as usize], expected[first as usize]);
            }
            if marked > 0 {
                assert!(partition.queue.contains(&block));
            }
        }
        let mut classes = expected.to_vec();
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes.len(), partition.blocks() as usize);
        assert!(seen.into_iter().all(|seen| seen));
    }

    /// Splits by the lowest bits of some keys, one after the other: afterwards, blocks are states with equal
    /// keys.
    #[test]
    fn blocks_are_states_that_nothing_told_apart() {
        let mut random = Random::new(5);
        for round in 0..200 {
            let states = 1 + random.index(40);
            let keys: Vec<usize> = (0..states).map(|_| random.index(16)).collect();
            let mut known = vec![0; states];
            let mut partition = if round % 2 == 0 {
                let mut partition = Partition::new(states as u32);
                while let Some(block) = partition.next_marked() {
                    partition.unmark(block);
                }
                partition
            } else {
                Partition::from_blocks(&vec![0; states], 1)
            };
            for bit in 0..4 {
                for state in (0..states).filter(|state| keys[*state] >> bit & 1 == 1) {
                    known[state] |= 1 << bit;
                    partition.mark(state as u32);
                }
                while let Some(block) = partition.next_marked() {
                    let affected = partition.marked(block).to_vec();
                    let counts = [partition.unmarked(block), affected.len() as u32];
                    let numbers = partition.split(block, &affected, &vec![1; affected.len()], &counts);
                    let largest = usize::from(counts[1] > counts[0]);
                    assert_eq!(numbers[largest], block);
                }
                // A singleton is not marked, and stays: it is told apart from all others anyway.
                check(&partition, &known);
            }
        }
    }

    #[test]
    fn some_states_are_split_off() {
        let mut random = Random::new(6);
        for _ in 0..500 {
            let states = 2 + random.index(30);
            let is_bottom: Vec<bool> = (0..states).map(|_| random.one_in(2)).collect();
            let mut partition = Partition::new(states as u32);
            partition.set_bottoms(|state| is_bottom[state as usize]);
            assert_eq!(partition.next_marked(), None);
            let mut expected = vec![0; states];
            let some: Vec<u32> = (1..states as u32).filter(|_| random.one_in(3)).collect();
            if !some.is_empty() {
                assert_eq!(partition.split_off(0, &some), 1);
                for state in &some {
                    expected[*state as usize] = 1;
                }
            }
            check(&partition, &expected);
            let more = (0..states as u32).find(|state| !is_bottom[*state as usize]);
            if let Some(state) = more {
                partition.add_bottom(state);
            }
            for block in 0..partition.blocks() {
                let bottoms = partition.bottoms(block);
                for state in partition.states(block) {
                    let expected = is_bottom[*state as usize] || more == Some(*state);
                    assert_eq!(bottoms.contains(state), expected);
                }
            }
        }
    }
}
