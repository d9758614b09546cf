//! Sets that grow.

use super::{count, members, position};

/// A set of small numbers that grows as needed.
///
/// Invariant: its last word is not zero, so that equal sets are equal values, with equal hashes.
///
/// ```
/// use narrows_graph::BitSet;
///
/// let mut set: BitSet = [3, 70, 200].into_iter().collect();
/// assert!(set.contains(70) && !set.contains(71));
/// set.remove(200);
/// assert_eq!(set.difference(&BitSet::of(3)), BitSet::of(70));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Returns the set of one number.
    pub fn of(number: usize) -> BitSet {
        let mut set = BitSet::default();
        set.insert(number);
        set
    }

    /// Returns the set of all numbers below `end`.
    pub fn below(end: usize) -> BitSet {
        let mut set = BitSet::default();
        set.insert_range(0..end);
        set
    }

    /// Adds all numbers of a range, a word at a time.
    ///
    /// ```
    /// use narrows_graph::BitSet;
    ///
    /// let mut set = BitSet::of(500);
    /// set.insert_range(60..200);
    /// assert!(set.iter().eq((60..200).chain([500])));
    /// ```
    pub fn insert_range(&mut self, range: std::ops::Range<usize>) {
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { return };
        let ((first_word, first_bit), (last_word, last_bit)) = (position(range.start), position(last));
        if last_word >= self.words.len() {
            self.words.resize(last_word + 1, 0);
        }
        // All bits from the first on, and up to the last.
        let (from, upto) = (!(first_bit - 1), last_bit | (last_bit - 1));
        if first_word == last_word {
            self.words[first_word] |= from & upto;
            return;
        }
        self.words[first_word] |= from;
        self.words[first_word + 1..last_word].fill(u64::MAX);
        self.words[last_word] |= upto;
    }

    /// Adds a number; returns whether it is new.
    #[inline]
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = position(number);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Takes a number out; returns whether it was there.
    pub fn remove(&mut self, number: usize) -> bool {
        let (word, bit) = position(number);
        let Some(word) = self.words.get_mut(word) else { return false };
        let was_there = *word & bit != 0;
        *word &= !bit;
        self.trim();
        was_there
    }

    /// Returns whether the number is in the set.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        let (word, bit) = position(number);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Returns whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns how many numbers are in the set.
    pub fn len(&self) -> usize {
        count(&self.words)
    }

    /// Returns the numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        members(&self.words)
    }

    /// Returns whether every number of this set is in the other.
    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Returns whether some number is in both sets.
    pub fn meets(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Adds all numbers of the other set.
    pub fn union_with(&mut self, other: &BitSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Returns what is in one of the sets.
    #[must_use]
    pub fn union(&self, other: &BitSet) -> BitSet {
        let mut union = self.clone();
        union.union_with(other);
        union
    }

    /// Returns what is in both sets.
    #[must_use]
    pub fn intersection(&self, other: &BitSet) -> BitSet {
        let words = self.words.iter().zip(&other.words).map(|(mine, theirs)| mine & theirs).collect();
        let mut intersection = BitSet { words };
        intersection.trim();
        intersection
    }

    /// Returns what is in this set and not in the other.
    #[must_use]
    pub fn difference(&self, other: &BitSet) -> BitSet {
        let mut difference = self.clone();
        for (mine, theirs) in difference.words.iter_mut().zip(&other.words) {
            *mine &= !theirs;
        }
        difference.trim();
        difference
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl Extend<usize> for BitSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        set.extend(numbers);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;

    #[test]
    fn ranges_are_all_their_numbers() {
        for start in [0, 1, 63, 64, 65, 130] {
            for end in [0, 1, 63, 64, 65, 127, 128, 129, 192, 400] {
                let mut set = BitSet::default();
                set.insert_range(start..end);
                assert_eq!(set, (start..end).collect(), "{start}..{end}");
            }
        }
    }
}
