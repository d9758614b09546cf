//! Sets of process numbers.

/// A set of process numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessSet([u64; 4]);

impl ProcessSet {
    /// Adds a number; returns whether it is new.
    pub fn insert(&mut self, pid: usize) -> bool {
        let (word, bit) = (pid / 64 % 4, 1 << (pid % 64));
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// Returns whether a number is in the set.
    pub fn contains(self, pid: usize) -> bool {
        self.0[pid / 64 % 4] >> (pid % 64) & 1 == 1
    }

    /// Returns how many numbers there are.
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether there is no number.
    pub fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }
}

impl FromIterator<usize> for ProcessSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> ProcessSet {
        let mut set = ProcessSet::default();
        for pid in numbers {
            set.insert(pid);
        }
        set
    }
}
