//! Sets of states, a bit for each.

use crate::Full;

/// A set of states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    words: Vec<u64>,
    count: u32,
}

impl Bits {
    /// Makes an empty set of some of `count` states.
    pub(super) fn new(count: u32) -> Result<Bits, Full> {
        let length = count.div_ceil(64) as usize;
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| Full)?;
        words.resize(length, 0);
        Ok(Bits { words, count })
    }

    pub(super) fn contains(&self, state: u32) -> bool {
        self.words[state as usize / 64] >> (state % 64) & 1 == 1
    }

    pub(super) fn insert(&mut self, state: u32) {
        self.words[state as usize / 64] |= 1 << (state % 64);
    }

    pub(super) fn remove(&mut self, state: u32) {
        self.words[state as usize / 64] &= !(1 << (state % 64));
    }

    /// Returns the states of the set, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (bit < 64).then(|| {
                    rest &= rest - 1;
                    index as u32 * 64 + bit
                })
            })
        })
    }

    /// Turns the set into that of all other states.
    pub(super) fn complement(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), self.count % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Combines the set with another, word by word; the function must leave 0 and 0 at 0.
    pub(super) fn combine(&mut self, other: &Bits, function: impl Fn(u64, u64) -> u64) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word = function(*word, *other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_are_sets() {
        for count in [1, 63, 64, 65, 200] {
            let mut set = Bits::new(count).unwrap();
            for state in (0..count).step_by(3) {
                set.insert(state);
            }
            assert!(set.members().eq((0..count).step_by(3)));
            set.remove(0);
            set.complement();
            assert!(set.members().eq((0..count).filter(|state| *state == 0 || state % 3 > 0)));
            assert!(set.contains(0));
        }
    }
}
