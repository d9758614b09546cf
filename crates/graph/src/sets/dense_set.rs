//! Sets of some of a fixed number of things.

use std::collections::TryReserveError;

use super::{count, members, position};

/// A set of some of the numbers below a limit, its universe.
///
/// Invariant: bits beyond the universe are 0. Numbers beyond it must not be asked for: that panics, as an
/// index does.
///
/// ```
/// use narrows_graph::DenseSet;
///
/// let mut set = DenseSet::new(100);
/// set.insert(7);
/// set.complement();
/// assert_eq!((set.len(), set.contains(7), set.contains(99)), (99, false, true));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenseSet {
    words: Vec<u64>,
    universe: usize,
}

impl DenseSet {
    /// Makes an empty set.
    pub fn new(universe: usize) -> DenseSet {
        DenseSet { words: vec![0; universe.div_ceil(64)], universe }
    }

    /// Makes an empty set, unless there is no memory for it.
    pub fn try_new(universe: usize) -> Result<DenseSet, TryReserveError> {
        let length = universe.div_ceil(64);
        let mut words = Vec::new();
        words.try_reserve_exact(length)?;
        words.resize(length, 0);
        Ok(DenseSet { words, universe })
    }

    /// Makes the set of the whole universe if `all`, and otherwise an empty one.
    pub fn filled(universe: usize, all: bool) -> DenseSet {
        let mut set = DenseSet::new(universe);
        if all {
            set.complement();
        }
        set
    }

    /// Returns the limit below which numbers are.
    pub fn universe(&self) -> usize {
        self.universe
    }

    /// Returns whether the number is in the set.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = position(number as usize);
        self.words[word] & bit != 0
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        let (word, bit) = position(number as usize);
        self.words[word] |= bit;
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        let (word, bit) = position(number as usize);
        self.words[word] &= !bit;
    }

    /// Adds a number or takes it out.
    #[inline]
    pub fn set(&mut self, number: u32, is_in: bool) {
        if is_in {
            self.insert(number);
        } else {
            self.remove(number);
        }
    }

    /// Returns how many numbers are in the set.
    pub fn len(&self) -> usize {
        count(&self.words)
    }

    /// Returns whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Returns the numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        members(&self.words).map(|number| number as u32)
    }

    /// Turns the set into that of all other numbers of the universe.
    pub fn complement(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), self.universe % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Adds all numbers of another set of the same universe.
    pub fn union_with(&mut self, other: &DenseSet) {
        self.combine(other, |mine, theirs| mine | theirs);
    }

    /// Keeps only what is in another set of the same universe too.
    pub fn intersect_with(&mut self, other: &DenseSet) {
        self.combine(other, |mine, theirs| mine & theirs);
    }

    /// Takes all numbers of another set of the same universe out.
    pub fn difference_with(&mut self, other: &DenseSet) {
        self.combine(other, |mine, theirs| mine & !theirs);
    }

    /// Keeps what is in one of the sets only, both of the same universe.
    pub fn symmetric_difference_with(&mut self, other: &DenseSet) {
        self.combine(other, |mine, theirs| mine ^ theirs);
    }

    fn combine(&mut self, other: &DenseSet, combine: impl Fn(u64, u64) -> u64) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = combine(*mine, *theirs);
        }
    }
}
