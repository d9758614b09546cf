//! Sets of numbers below 256.

use super::{count, members, position};

/// A set of numbers below 256. Larger ones are taken modulo 256, and nobody has any: processes and channels
/// are numbered by bytes.
///
/// ```
/// use narrows_graph::ByteSet;
///
/// let set: ByteSet = [1_usize, 200].into_iter().collect();
/// let other = ByteSet::from_iter([200_usize, 201]);
/// assert_eq!(set.intersection(other).iter().collect::<Vec<_>>(), [200]);
/// assert!(set.meets(other));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// All numbers.
    pub const FULL: ByteSet = ByteSet([u64::MAX; 4]);

    /// Adds a number; returns whether it is new.
    #[inline]
    pub fn insert(&mut self, number: impl Into<usize>) -> bool {
        let (word, bit) = position(number.into() % 256);
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// Returns whether the number is in the set.
    #[inline]
    pub fn contains(self, number: impl Into<usize>) -> bool {
        let (word, bit) = position(number.into() % 256);
        self.0[word] & bit != 0
    }

    /// Returns how many numbers are in the set.
    pub fn len(self) -> usize {
        count(&self.0)
    }

    /// Returns whether nothing is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }

    /// Returns the numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        members(&self.0)
    }

    /// Returns the bits, 64 in each word.
    pub fn words(self) -> [u64; 4] {
        self.0
    }

    /// Adds all numbers of the other set.
    pub fn union_with(&mut self, other: ByteSet) {
        *self = self.union(other);
    }

    /// Returns what is in one of the sets.
    #[must_use]
    pub fn union(self, other: ByteSet) -> ByteSet {
        self.combine(other, |mine, theirs| mine | theirs)
    }

    /// Returns what is in both sets.
    #[must_use]
    pub fn intersection(self, other: ByteSet) -> ByteSet {
        self.combine(other, |mine, theirs| mine & theirs)
    }

    /// Returns what is in this set and not in the other.
    #[must_use]
    pub fn difference(self, other: ByteSet) -> ByteSet {
        self.combine(other, |mine, theirs| mine & !theirs)
    }

    /// Returns whether some number is in both sets.
    pub fn meets(self, other: ByteSet) -> bool {
        !self.intersection(other).is_empty()
    }

    #[inline]
    fn combine(self, other: ByteSet, combine: impl Fn(u64, u64) -> u64) -> ByteSet {
        ByteSet(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }
}

impl<N: Into<usize>> FromIterator<N> for ByteSet {
    fn from_iter<I: IntoIterator<Item = N>>(numbers: I) -> ByteSet {
        let mut set = ByteSet::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}
