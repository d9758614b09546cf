//! Where states are best cut, found out from some of them.
//!
//! A state is taken to pieces. Neighbours are put together again, first those that have the fewest different
//! values together, as long as these stay few compared with the number of states: then leaves are few, and
//! each is small work to find again, and what a process looks at is little more than it needs. If that is
//! wanted, more are put together, until their numbers fit a key. How leaves are divided between the halves of
//! a key is decided by [`Splits::learn`](super::layout::Splits).

use rustc_hash::FxHashMap;

use super::layout::{LEAST_ROOM, width};

/// Parts of more bytes than this are taken to pieces of this many.
const PIECE: u32 = 8;
const WHOLE: u32 = 16;

/// There are at most this many leaves, and if that can be, they have at most so many bytes.
const MANY: usize = 16;
const LARGEST: u32 = 64;

/// Of so many states, a leaf should have one value at most.
const FEW: usize = 128;

/// What was learned from states of one shape.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Learned {
    /// Where leaves should end.
    pub(super) ends: Box<[u32]>,
    /// How many different values each probably has in all states.
    pub(super) counts: Vec<u64>,
}

/// What leaves are to be like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    /// How many states there are in all.
    pub(super) states: u64,
    /// How many bits the numbers of a state's leaves may have together.
    pub(super) bits: Option<u32>,
}

/// Some neighbouring pieces: where they end, and which value each state has there.
#[derive(Debug)]
struct Group {
    start: u32,
    end: u32,
    values: Vec<u32>,
    count: usize,
    /// How many values there would be with the next group.
    with_next: usize,
}

/// Finds out where states of one shape should be cut. `parts` are the ends of their parts.
pub(super) fn learn(parts: &[u32], states: &[Vec<u8>], wish: Wish) -> Learned {
    let mut groups = Vec::new();
    let mut start = 0;
    for part in parts {
        while start < *part {
            let end = if part - start > WHOLE { start + PIECE } else { *part };
            groups.push(group(start, end, states));
            start = end;
        }
    }
    for index in 1..groups.len() {
        groups[index - 1].with_next = together(&groups[index - 1], &groups[index]).1;
    }
    let (mut few, mut largest) = ((states.len() / FEW).max(2), LARGEST);
    loop {
        let Some(index) = best(&groups, few, largest) else {
            if groups.len() <= MANY {
                break;
            }
            (few, largest) = (few.saturating_mul(2), largest.saturating_mul(2));
            continue;
        };
        merge(&mut groups, index);
    }
    let count = |group: &Group| group.estimate().min(wish.states);
    let bits = |groups: &[Group]| groups.iter().map(|group| width(count(group)) + LEAST_ROOM).sum::<u32>();
    while let Some(index) = wish
        .bits
        .and_then(|most| if bits(&groups) > most { best(&groups, usize::MAX, u32::MAX) } else { None })
    {
        merge(&mut groups, index);
    }
    Learned {
        ends: groups.iter().map(|group| group.end).collect(),
        counts: groups.iter().map(count).collect(),
    }
}

/// Puts a group together with the next.
fn merge(groups: &mut Vec<Group>, index: usize) {
    let next = groups.remove(index + 1);
    let (values, count) = together(&groups[index], &next);
    let merged = &mut groups[index];
    (merged.values, merged.count, merged.end) = (values, count, next.end);
    for first in [index.checked_sub(1), Some(index)].into_iter().flatten() {
        if let [one, other, ..] = &groups[first..] {
            groups[first].with_next = together(one, other).1;
        }
    }
}

impl Group {
    /// Estimates how many values there are, from how many occur once and twice (A. Chao, *Nonparametric
    /// estimation of the number of classes in a population*, 1984).
    fn estimate(&self) -> u64 {
        let mut times = vec![0_u32; self.count];
        for value in &self.values {
            times[*value as usize] += 1;
        }
        let occur = |wanted: u32| times.iter().filter(|times| **times == wanted).count() as u64;
        let (once, twice) = (occur(1), occur(2));
        self.count as u64 + once * once / (2 * twice + 2)
    }
}

/// Returns which group is best put together with the next.
fn best(groups: &[Group], few: usize, largest: u32) -> Option<usize> {
    let pairs = groups.windows(2).enumerate();
    // What never changes can go anywhere.
    let is_cheap = |pair: &[Group]| pair[0].with_next <= few || pair.iter().any(|group| group.count == 1);
    let small = pairs.filter(|(_, pair)| pair[1].end - pair[0].start <= largest && is_cheap(pair));
    small.min_by_key(|(_, pair)| pair[0].with_next).map(|(index, _)| index)
}

fn group(start: u32, end: u32, states: &[Vec<u8>]) -> Group {
    let mut numbers: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut values = Vec::with_capacity(states.len());
    for state in states {
        let next = numbers.len() as u32;
        values.push(*numbers.entry(&state[start as usize..end as usize]).or_insert(next));
    }
    Group { start, end, values, count: numbers.len(), with_next: 0 }
}

/// Returns the values that two groups have together, and how many there are.
fn together(one: &Group, other: &Group) -> (Vec<u32>, usize) {
    let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
    let mut values = Vec::with_capacity(one.values.len());
    for (one, other) in one.values.iter().zip(&other.values) {
        let next = numbers.len() as u32;
        values.push(*numbers.entry(u64::from(*one) << 32 | u64::from(*other)).or_insert(next));
    }
    (values, numbers.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_apart_what_changes_apart() {
        // Two pairs of bytes that change together, far apart; all else is constant.
        let mut states = Vec::new();
        for (one, other) in (0..150).flat_map(|one| (0..150).map(move |other| (one, other))) {
            let mut state = vec![0; 48];
            (state[1], state[10], state[30], state[47]) = (one, one, other, other);
            states.push(state);
        }
        let wish = Wish { states: 22_500, bits: None };
        let learned = learn(&[4, 12, 24, 40, 48], &states, wish);
        assert_eq!(learned.counts, [150, 150]);
        assert!((12..=24).contains(&learned.ends[0]) && learned.ends[1] == 48, "{learned:?}");
    }

    #[test]
    fn puts_together_what_must_fit() {
        let states: Vec<Vec<u8>> = (0..1000_u32)
            .map(|seed| (0..4).map(|part| (seed.wrapping_mul(0x9e37_79b9) >> (8 * part)) as u8).collect())
            .collect();
        let leaves = |bits: Option<u32>| {
            let learned = learn(&[1, 2, 3, 4], &states, Wish { states: 1000, bits });
            assert!(bits.is_none_or(|most| {
                learned.counts.iter().map(|count| width(*count) + LEAST_ROOM).sum::<u32>() <= most
            }));
            learned.ends.len()
        };
        assert_eq!((leaves(None), leaves(Some(40)), leaves(Some(26)), leaves(Some(13))), (4, 3, 2, 1));
    }

    #[test]
    fn few_leaves_even_if_all_differ() {
        let states: Vec<Vec<u8>> = (0..200_u32)
            .map(|seed| (0..300).map(|byte| (seed.wrapping_mul(byte * 7 + 13) >> 3) as u8).collect())
            .collect();
        let learned = learn(&[100, 200, 300], &states, Wish { states: 200, bits: None });
        assert!(learned.ends.len() <= MANY && learned.ends.last() == Some(&300), "{learned:?}");
    }
}
