//! How states are cut into leaves.
//!
//! A leaf should be large enough that there are few of them in a state, and small enough that few different
//! ones occur. Small neighbours share a leaf; what is large is cut. The first leaves are smaller, so that a
//! small state is cut too. Where the cuts are depends on the parts before them alone, so that a part that is
//! added or removed at the end leaves the others as they are. States that are cut in the same way have the
//! same shape.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::Stop;

/// A state has at most this many leaves: what has changed fits a word.
pub(super) const MAX_LEAVES: usize = 64;

/// Neighbours share a leaf up to this many bytes in the first leaf, the second and so on.
const SHARED: [u32; 4] = [4, 8, 16, 32];

/// A part with more bytes than this is cut into pieces of this many.
const LARGEST: u32 = 48;

/// Leaves of states with more bytes than this times those limits are larger, so that there are not too many.
const LARGE_STATE: u32 = 24;

/// Where the leaves of a state are.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) number: u32,
    /// Where the parts of the state end.
    pub(super) parts: Box<[u32]>,
    /// Where each leaf ends.
    pub(super) ends: Box<[u32]>,
    /// The leaf of each byte, as a bit.
    leaf_of: Box<[u64]>,
}

impl Shape {
    fn new(number: u32, parts: &[u32], ends: &[u32]) -> Shape {
        let mut leaf_of = Vec::new();
        for (leaf, end) in ends.iter().enumerate() {
            leaf_of.resize(*end as usize, 1 << leaf);
        }
        Shape { number, parts: parts.into(), ends: ends.into(), leaf_of: leaf_of.into() }
    }

    /// Returns where a leaf starts and ends.
    #[inline]
    pub(super) fn range(&self, leaf: usize) -> (usize, usize) {
        let start = if leaf == 0 { 0 } else { self.ends[leaf - 1] };
        (start as usize, self.ends[leaf] as usize)
    }

    pub(super) fn leaves(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.ends.len()).map(|leaf| self.range(leaf))
    }

    /// Returns how many bytes a state has.
    pub(super) fn bytes(&self) -> usize {
        self.leaf_of.len()
    }

    /// Returns a bit for each leaf that has some of these bytes; what lies behind the state is in none.
    #[inline]
    pub(super) fn leaves_of(&self, offset: u32, width: u32) -> u64 {
        let (first, last) = (offset as usize, (offset + width) as usize - 1);
        match (self.leaf_of.get(first), self.leaf_of.get(last)) {
            (Some(first), Some(last)) => (*last << 1).wrapping_sub(*first),
            (Some(first), None) => (self.leaf_of[self.leaf_of.len() - 1] << 1).wrapping_sub(*first),
            _ => 0,
        }
    }
}

/// All shapes that occur, by number. They never move: the first chunk has some, each further one twice as
/// many.
#[derive(Debug)]
pub(super) struct Shapes {
    first: Box<[OnceLock<Shape>]>,
    chunks: [OnceLock<Box<[OnceLock<Shape>]>>; 26],
    /// The number of each shape, by the ends of its parts.
    numbers: Mutex<FxHashMap<Box<[u32]>, u32>>,
    cuts: Arc<Cuts>,
}

/// Where states are cut, by the ends of their parts, as far as that has been learned.
pub(super) type Cuts = FxHashMap<Box<[u32]>, Box<[u32]>>;

/// How many shapes the first chunk has.
const FIRST_CHUNK: usize = 64;

impl Shapes {
    pub(super) fn new(cuts: Arc<Cuts>) -> Shapes {
        let first = (0..FIRST_CHUNK).map(|_| OnceLock::new()).collect();
        Shapes { first, chunks: [const { OnceLock::new() }; 26], numbers: Mutex::default(), cuts }
    }

    /// Returns where states are cut.
    pub(super) fn cuts(&self) -> Arc<Cuts> {
        self.cuts.clone()
    }

    #[inline]
    fn cell(&self, number: u32) -> Option<&OnceLock<Shape>> {
        if let Some(cell) = self.first.get(number as usize) {
            return Some(cell);
        }
        let shifted = number as usize + FIRST_CHUNK;
        let chunk = (shifted.ilog2() - FIRST_CHUNK.ilog2()) as usize - 1;
        let size = FIRST_CHUNK << (chunk + 1);
        let cells = self.chunks.get(chunk)?.get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
        cells.get(shifted - size)
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> &Shape {
        match self.cell(number).and_then(OnceLock::get) {
            Some(shape) => shape,
            None => unreachable!("a number is given away with its shape"),
        }
    }

    /// Returns the shape that has a number, if there is one.
    pub(super) fn known(&self, number: u32) -> Option<&Shape> {
        if number == u32::MAX { None } else { self.cell(number).and_then(OnceLock::get) }
    }

    /// Returns the shape of states whose parts end there; adds it if it is new.
    pub(super) fn find(&self, parts: &[u32]) -> Result<&Shape, Stop> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(parts) {
            return Ok(self.get(*number));
        }
        let number = numbers.len() as u32;
        let shape = self.cell(number).ok_or(Stop::Full)?.get_or_init(|| match self.cuts.get(parts) {
            Some(ends) => Shape::new(number, parts, ends),
            None => Shape::new(number, parts, &self.cut_alike(parts)),
        });
        numbers.insert(parts.into(), number);
        Ok(shape)
    }

    /// Cuts states of an unknown shape like those that begin with the same parts, as far as they do: a
    /// process more or less leaves the others where they are.
    fn cut_alike(&self, parts: &[u32]) -> Vec<u32> {
        let common = |other: &[u32]| parts.iter().zip(other).take_while(|(one, other)| one == other).count();
        let alike = self.cuts.iter().map(|(other, ends)| (common(other), other, ends)).max();
        let Some((count @ 1.., _, ends)) = alike else { return cut(parts) };
        let mut leaves: Vec<u32> = ends.iter().copied().filter(|end| *end <= parts[count - 1]).collect();
        let start = leaves.last().copied().unwrap_or(0);
        let rest: Vec<u32> = parts.iter().filter(|end| **end > start).map(|end| end - start).collect();
        let size = ends.get(leaves.len()).map_or(0, |end| end - start).max(LARGEST);
        match rest.last() {
            // More leaves than the others have would make keys larger.
            Some(end) if *end <= size => leaves.push(start + end),
            _ => leaves.extend(cut(&rest).iter().map(|end| start + end)),
        }
        thin(&mut leaves);
        leaves
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Shape> {
        (0..self.len() as u32).map(|number| self.get(number))
    }
}

/// Turns the ends of parts into the ends of leaves, if nothing is known about states.
fn cut(parts: &[u32]) -> Vec<u32> {
    let mut leaves = Vec::new();
    let scale = parts.last().map_or(1, |end| end.div_ceil(LARGE_STATE * LARGEST));
    let (mut start, mut last) = (0, 0);
    for end in parts {
        if end - start > scale * SHARED[leaves.len().min(SHARED.len() - 1)] {
            if last > start {
                leaves.push(last);
                start = last;
            }
            while end - start > scale * LARGEST {
                start += scale * LARGEST;
                leaves.push(start);
            }
        }
        last = *end;
    }
    if last > start {
        leaves.push(last);
    }
    thin(&mut leaves);
    leaves
}

/// Joins neighbours until there are not too many leaves.
fn thin(leaves: &mut Vec<u32>) {
    while leaves.len() > MAX_LEAVES {
        let mut number = leaves.len();
        leaves.retain(|_| {
            number -= 1;
            number.is_multiple_of(2)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_small_parts_and_cuts_large_ones() {
        let cases: [(&[u32], &[u32]); 5] = [
            (&[], &[]),
            (&[5], &[5]),
            (&[4, 8, 12, 16, 20, 24, 28, 32, 36, 40], &[4, 12, 28, 40]),
            (&[10, 43, 50], &[10, 43, 50]),
            (&[4, 104, 108], &[4, 52, 100, 108]),
        ];
        for (parts, expected) in cases {
            assert_eq!(cut(parts), expected, "{parts:?}");
        }
    }

    #[test]
    fn large_states_have_few_leaves() {
        for (size, count) in [(4, 1000), (33, 500), (49, 90), (100_000, 10), (1, 70_000)] {
            let parts: Vec<u32> = (1..=count).map(|part| part * size).collect();
            let leaves = cut(&parts);
            assert!(leaves.len() <= MAX_LEAVES && leaves.last() == parts.last(), "{size} {count}");
        }
    }

    #[test]
    fn cuts_the_unknown_like_what_it_begins_with() {
        let known: [(&[u32], &[u32]); 2] = [(&[9, 20, 31, 42], &[20, 31, 42]), (&[9, 30], &[30])];
        let cuts = known.iter().map(|(parts, ends)| ((*parts).into(), (*ends).into())).collect();
        let shapes = Shapes::new(Arc::new(cuts));
        let cases: [(&[u32], &[u32]); 4] = [
            (&[9, 20, 31], &[20, 31]),
            (&[9, 20, 31, 42, 53], &[20, 31, 42, 53]),
            (&[9, 20, 33], &[20, 33]),
            (&[9], &[9]),
        ];
        for (parts, expected) in cases {
            assert_eq!(*shapes.find(parts).unwrap().ends, *expected, "{parts:?}");
        }
    }

    #[test]
    fn knows_which_leaves_have_changed() {
        let shape = Shape::new(0, &[28], &[4, 12, 28]);
        let cases = [(0, 1, 1), (3, 2, 0b11), (4, 8, 0b10), (4, 9, 0b110), (27, 8, 0b100), (28, 1, 0)];
        for (offset, width, expected) in cases {
            assert_eq!(shape.leaves_of(offset, width), expected, "{offset} {width}");
        }
    }
}
