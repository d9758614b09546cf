//! Sets of small numbers.

/// A set of small numbers, one bit each. It grows as needed.
///
/// Its last word is never zero, so that equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The set of one number.
    pub fn of(number: usize) -> BitSet {
        let mut set = BitSet::default();
        set.insert(number);
        set
    }

    /// The numbers below `end`.
    pub fn below(end: usize) -> BitSet {
        (0..end).collect()
    }

    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        let word = number / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
            self.trim();
        }
    }

    /// Whether the number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }

    /// Whether every number of this set is in the other.
    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Whether no number is in both sets.
    pub fn is_disjoint(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & theirs == 0)
    }

    /// Adds all numbers of the other set.
    pub fn add_all(&mut self, other: &BitSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// What is in one of the sets.
    #[must_use]
    pub fn union(&self, other: &BitSet) -> BitSet {
        let mut union = self.clone();
        union.add_all(other);
        union
    }

    /// What is in both sets.
    #[must_use]
    pub fn intersection(&self, other: &BitSet) -> BitSet {
        let words = self.words.iter().zip(&other.words).map(|(mine, theirs)| mine & theirs).collect();
        let mut intersection = BitSet { words };
        intersection.trim();
        intersection
    }

    /// What is in this set and not in the other.
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

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_equal_values() {
        let mut set: BitSet = [3, 70, 200].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70, 200]);
        assert!(BitSet::of(70).is_subset(&set) && !set.is_subset(&BitSet::below(200)));
        set.remove(200);
        set.remove(70);
        assert_eq!(set, BitSet::of(3));
        assert_eq!(BitSet::below(130).difference(&BitSet::below(129)), BitSet::of(129));
        assert!(BitSet::of(129).intersection(&BitSet::of(3)).is_empty());
    }
}
