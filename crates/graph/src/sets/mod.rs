//! Sets of small numbers, one bit each.
//!
//! Three forms of the same thing, for three needs. Operations are named as those of the standard library's
//! sets are.
//!
//! - [`BitSet`] grows as needed and has one representation for each set, so that sets can be compared and
//!   hashed.
//! - [`DenseSet`] has a fixed universe: it knows its complement, and can say that there is no memory for it.
//! - [`ByteSet`] holds numbers below 256 (processes, channels) in 32 bytes, without allocation; it is copied.
//!
//! Membership and insertion take constant time, everything else a word for each 64 numbers of the universe.

mod bit_set;
mod byte_set;
mod dense_set;

pub use bit_set::BitSet;
pub use byte_set::ByteSet;
pub use dense_set::DenseSet;

/// Returns the word of a number, and its bit there.
#[inline]
fn position(number: usize) -> (usize, u64) {
    (number / 64, 1 << (number % 64))
}

/// Returns the numbers whose bits are set, in ascending order.
fn members(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                index * 64 + bit
            })
        })
    })
}

/// Counts the bits that are set.
fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{BitSet, ByteSet, DenseSet};
    use crate::Random;

    /// Draws a set of some numbers below a limit.
    fn draw(random: &mut Random, limit: usize) -> BTreeSet<usize> {
        let (most, few) = (random.one_in(3), random.index(8));
        let numbers = (0..limit).filter(|_| if most { !random.one_in(9) } else { random.index(limit) < few });
        numbers.collect()
    }

    /// A case: two sets as the standard library has them, and a number.
    fn each_case(limit: usize, mut check: impl FnMut(&BTreeSet<usize>, &BTreeSet<usize>, usize)) {
        let mut random = Random::new(limit as u64);
        for _ in 0..300 {
            let (left, right) = (draw(&mut random, limit), draw(&mut random, limit));
            check(&left, &right, random.index(limit));
        }
    }

    #[test]
    fn growing_sets_agree_with_ordered_ones() {
        let set = |numbers: &BTreeSet<usize>| numbers.iter().copied().collect::<BitSet>();
        each_case(200, |left, right, number| {
            let (mut one, other) = (set(left), set(right));
            assert!(one.iter().eq(left.iter().copied()));
            assert_eq!((one.len(), one.is_empty()), (left.len(), left.is_empty()));
            assert_eq!(one.contains(number), left.contains(&number));
            assert_eq!(one.union(&other), set(&(left | right)));
            assert_eq!(one.intersection(&other), set(&(left & right)));
            assert_eq!(one.difference(&other), set(&(left - right)));
            assert_eq!(one.is_subset(&other), left.is_subset(right));
            assert!(one.intersection(&other).is_subset(&one));
            assert_eq!(one.meets(&other), !left.is_disjoint(right));
            assert_eq!(one.remove(number), left.contains(&number));
            assert!(one.insert(number) && !one.insert(number));
            assert!(one.is_subset(&set(&(left | &BTreeSet::from([number])))));
        });
    }

    #[test]
    fn dense_sets_agree_with_ordered_ones() {
        for limit in [1, 63, 64, 65, 200] {
            let set = |numbers: &BTreeSet<usize>| {
                let mut set = DenseSet::new(limit);
                for number in numbers {
                    set.insert(*number as u32);
                }
                set
            };
            let all: BTreeSet<usize> = (0..limit).collect();
            assert_eq!(DenseSet::filled(limit, true), set(&all));
            each_case(limit, |left, right, number| {
                let mut one = set(left);
                assert!(one.iter().eq(left.iter().map(|number| *number as u32)));
                assert_eq!((one.len(), one.universe()), (left.len(), limit));
                assert_eq!(one.contains(number as u32), left.contains(&number));
                one.union_with(&set(right));
                assert_eq!(one, set(&(left | right)));
                one.intersect_with(&set(left));
                assert_eq!(one, set(left));
                one.difference_with(&set(right));
                assert_eq!(one, set(&(left - right)));
                one.symmetric_difference_with(&set(left));
                assert_eq!(one, set(&(left & right)));
                one.symmetric_difference_with(&set(left));
                one.complement();
                assert_eq!(one, set(&(&all - &(left - right))));
                for is_in in [false, true] {
                    one.set(number as u32, is_in);
                    assert_eq!(one.contains(number as u32), is_in);
                }
            });
        }
    }

    #[test]
    fn sets_of_bytes_agree_with_ordered_ones() {
        let set = |numbers: &BTreeSet<usize>| numbers.iter().copied().collect::<ByteSet>();
        assert_eq!(ByteSet::FULL, set(&(0..256).collect()));
        each_case(256, |left, right, number| {
            let (mut one, other) = (set(left), set(right));
            assert!(one.iter().eq(left.iter().copied()));
            assert_eq!((one.len(), one.is_empty()), (left.len(), left.is_empty()));
            assert_eq!(one.contains(number as u8), left.contains(&number));
            assert_eq!(one.union(other), set(&(left | right)));
            assert_eq!(one.intersection(other), set(&(left & right)));
            assert_eq!(one.difference(other), set(&(left - right)));
            assert_eq!(one.meets(other), !left.is_disjoint(right));
            assert_eq!(one.insert(number), !left.contains(&number));
            assert!(one.contains(number));
        });
    }
}
