//! Interned byte strings: the states of a state graph, packed.
//!
//! States of a model mostly have the same length, and most of their bits never change. As long as all strings
//! have the same length, only the bits in which some differ are kept, as few words per string; the constant
//! bits are in a pattern. If a constant bit differs for the first time, all strings are repacked with it:
//! that happens at most once per bit, mostly early, and a few times for each doubling later. Strings of other
//! lengths that come before are kept whole: a model starts its processes one by one, and then has them all.
//! If lengths change later, all strings are kept whole.
//!
//! Invariant: two strings are equal, hidden bytes aside, if and only if their packed forms are.

mod pattern;

use rapidhash::v3::rapidhash_v3;
use rustc_hash::FxHashMap;

pub(crate) use pattern::{Pattern, Projection};

/// Strings in the order in which they were first added.
#[derive(Debug, Default)]
pub(crate) struct StateStore {
    layout: Layout,
    /// How many strings there are.
    count: u32,
    /// At places that hashes tell: the number of a string, plus one, and above it as many bits of the hash as
    /// there is room for. At most three quarters are in use, so that the number needs no more bits than the
    /// place.
    table: Vec<u32>,
    /// How many bytes at the end of each string do not count.
    hidden: usize,
    /// What is kept of the string at hand.
    kept: Vec<u64>,
    /// How many times it has changed how strings are kept, and how many of these because of another length.
    changes: u32,
    restarts: u32,
    /// How many times more bits were kept since there were so many strings.
    widened: (u32, u32),
}

/// From so many strings on, they are not packed again and again for a bit each.
const MANY: u32 = 1 << 12;

/// How strings are kept.
#[derive(Debug)]
enum Layout {
    Packed(Packed),
    Whole(Whole),
}

impl Default for Layout {
    fn default() -> Layout {
        Layout::Packed(Packed::default())
    }
}

/// The words of strings, one after the other, but for those that came before.
#[derive(Debug, Default)]
struct Packed {
    before: Before,
    pattern: Pattern,
    words: Vec<u64>,
}

/// Strings of other lengths, which have the first numbers, by what counts of them.
#[derive(Debug, Default)]
struct Before {
    whole: Whole,
    numbers: FxHashMap<Vec<u8>, u32>,
    lengths: Vec<usize>,
}

/// There are at most so many of them.
const BEFORE: u32 = 1 << 12;

/// Whole strings, one after the other, with where each ends.
#[derive(Debug, Default)]
struct Whole {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Packed {
    /// Returns how many strings came before.
    #[inline]
    fn first(&self) -> u32 {
        self.before.whole.ends.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &[u64] {
        let length = self.pattern.words();
        &self.words[(number - self.first()) as usize * length..][..length]
    }

    /// Returns whether the words that count are those of a string.
    #[inline]
    fn is(&self, number: u32, words: &[u64]) -> bool {
        let known = &self.words[(number - self.first()) as usize * self.pattern.words()..];
        known.iter().zip(&words[..self.pattern.visible()]).all(|(known, word)| known == word)
    }
}

impl Whole {
    fn get(&self, number: u32) -> &[u8] {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[number as usize] as usize]
    }

    fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u64);
    }
}

/// Returns a number that depends on all bits of some words.
#[inline]
fn mixed(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, word| {
        let product = u128::from(hash ^ word) * u128::from(0xd6e8_feb8_6659_fd93_u64);
        product as u64 ^ (product >> 64) as u64
    })
}

/// So many strings are looked for at once: the machine waits for their places at the same time.
const AT_ONCE: usize = 64;

impl StateStore {
    pub(crate) fn new(hidden: usize) -> StateStore {
        StateStore { hidden, ..StateStore::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns how many times it has changed how strings are kept.
    pub(crate) fn changes(&self) -> u32 {
        self.changes
    }

    /// Returns how many times it went on with strings of another length, in words.
    pub(crate) fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Returns what all strings have in common but for those before, if they are kept in words.
    pub(crate) fn pattern(&self) -> Option<&Pattern> {
        match &self.layout {
            Layout::Packed(packed) => Some(&packed.pattern),
            Layout::Whole(_) => None,
        }
    }

    /// Returns the words that are kept of a string, if any are.
    #[inline]
    pub(crate) fn words(&self, number: u32) -> &[u64] {
        match &self.layout {
            Layout::Packed(packed) if number >= packed.first() => packed.get(number),
            Layout::Packed(_) | Layout::Whole(_) => &[],
        }
    }

    /// Writes a string over what is there.
    pub(crate) fn read(&self, number: u32, string: &mut Vec<u8>) {
        let whole = match &self.layout {
            Layout::Packed(packed) if number >= packed.first() => {
                packed.pattern.unpack(packed.get(number), string);
                return;
            }
            Layout::Packed(packed) => &packed.before.whole,
            Layout::Whole(whole) => whole,
        };
        string.clear();
        string.extend_from_slice(whole.get(number));
    }

    /// Returns the number of a string, and whether it is new.
    pub(crate) fn add(&mut self, string: &[u8]) -> (u32, bool) {
        self.reserve(1);
        if let Some(number) = self.prepare(string) {
            return (number, false);
        }
        match &mut self.layout {
            Layout::Packed(packed) => {
                let mut kept = std::mem::take(&mut self.kept);
                packed.pattern.pack(string, &mut kept);
                let found = self.add_words(&kept);
                self.kept = kept;
                found
            }
            Layout::Whole(_) => self.add_whole(string),
        }
    }

    /// Adds strings of which the words are given, one after the other; appends their numbers.
    pub(crate) fn add_all(&mut self, words: &[u64], numbers: &mut Vec<u32>) {
        let Layout::Packed(Packed { pattern, .. }) = &self.layout else { return };
        let length = pattern.words();
        self.reserve(words.len() / length);
        for some in words.chunks(length * AT_ONCE) {
            let Layout::Packed(packed) = &self.layout else { return };
            let (visible, before) = (packed.pattern.visible(), packed.first());
            let mask = self.table.len() - 1;
            let mut entries = [(0_u32, 0_u32); AT_ONCE];
            for (entry, words) in entries.iter_mut().zip(some.chunks_exact(length)) {
                let hash = mixed(&words[..visible]);
                *entry = (self.table[hash as usize & mask], (hash >> 32) as u32 & !(mask as u32));
            }
            let mut firsts = [0_u64; AT_ONCE];
            for (first, (entry, _)) in firsts.iter_mut().zip(&entries) {
                let number = (entry & mask as u32).saturating_sub(1 + before) as usize;
                *first = packed.words[number * length];
            }
            for ((words, (entry, tag)), first) in some.chunks_exact(length).zip(entries).zip(firsts) {
                let number = (entry & mask as u32).wrapping_sub(1);
                let Layout::Packed(packed) = &self.layout else { return };
                let is_first = entry != 0 && entry & !(mask as u32) == tag && first == words[0];
                let found = if is_first && (visible == 1 || packed.is(number, words)) {
                    number
                } else {
                    self.add_words(words).0
                };
                numbers.push(found);
            }
        }
    }

    /// Makes the table large enough for more strings.
    fn reserve(&mut self, more: usize) {
        let mut length = self.table.len().max(1 << 10);
        while (self.len() + more) * 4 > length * 3 {
            length *= 2;
        }
        if length > self.table.len() {
            self.fill_table(length);
        }
    }

    /// Changes how all strings are kept if one is unlike those before; returns its number if it is one of the
    /// first.
    fn prepare(&mut self, string: &[u8]) -> Option<u32> {
        let Layout::Packed(packed) = &mut self.layout else { return None };
        if self.count == 0 {
            packed.pattern = Pattern::new(string);
        }
        if packed.pattern.length() == string.len() {
            if !packed.pattern.fits(string) {
                self.widen(string);
            }
            return None;
        }
        let is_old = packed.before.lengths.contains(&string.len());
        if is_old && let Some(number) = packed.before.numbers.get(&string[..string.len() - self.hidden]) {
            return Some(*number);
        }
        if is_old || self.count > BEFORE {
            self.keep_whole();
        } else {
            self.restart(string);
        }
        None
    }

    /// Goes on with strings of another length; all others came before.
    fn restart(&mut self, string: &[u8]) {
        let Layout::Packed(packed) = &mut self.layout else { return };
        let Packed { mut before, pattern, words } = std::mem::take(packed);
        before.lengths.push(pattern.length());
        let mut known = Vec::new();
        for words in words.chunks_exact(pattern.words()) {
            pattern.unpack(words, &mut known);
            let number = before.whole.ends.len() as u32;
            before.numbers.insert(known[..known.len() - self.hidden].to_vec(), number);
            before.whole.push(&known);
        }
        *packed = Packed { before, pattern: Pattern::new(string), words: Vec::new() };
        self.table.fill(0);
        (self.changes, self.restarts) = (self.changes + 1, self.restarts + 1);
    }

    fn add_words(&mut self, words: &[u64]) -> (u32, bool) {
        let Layout::Packed(packed) = &mut self.layout else { return (0, false) };
        let hash = mixed(&words[..packed.pattern.visible()]);
        match probe(&self.table, hash, |number| packed.is(number, words)) {
            Ok(number) => (number, false),
            Err((slot, tag)) => {
                packed.words.extend_from_slice(words);
                self.count += 1;
                self.table[slot] = self.count | tag;
                (self.count - 1, true)
            }
        }
    }

    fn add_whole(&mut self, string: &[u8]) -> (u32, bool) {
        let Layout::Whole(whole) = &mut self.layout else { return (0, false) };
        let visible = |string: &[u8]| string.len() - self.hidden;
        let counts = &string[..visible(string)];
        let is = |number: u32| {
            let known = whole.get(number);
            &known[..visible(known)] == counts
        };
        match probe(&self.table, rapidhash_v3(counts), is) {
            Ok(number) => (number, false),
            Err((slot, tag)) => {
                whole.push(string);
                self.count += 1;
                self.table[slot] = self.count | tag;
                (self.count - 1, true)
            }
        }
    }

    fn fill_table(&mut self, length: usize) {
        self.table = vec![0; length];
        let first = match &self.layout {
            Layout::Packed(packed) => packed.first(),
            Layout::Whole(_) => 0,
        };
        for number in first..self.count {
            let hash = match &self.layout {
                Layout::Packed(packed) => mixed(&packed.get(number)[..packed.pattern.visible()]),
                Layout::Whole(whole) => {
                    let string = whole.get(number);
                    rapidhash_v3(&string[..string.len() - self.hidden])
                }
            };
            if let Err((slot, tag)) = probe(&self.table, hash, |_| false) {
                self.table[slot] = (number + 1) | tag;
            }
        }
    }

    /// Keeps more bits of each string: those in which this one differs from all others. If that happens again
    /// and again while there are not twice as many strings, bits near to these are kept, too: so all strings
    /// are packed a few times for each doubling.
    fn widen(&mut self, string: &[u8]) {
        let Layout::Packed(packed) = &mut self.layout else { return };
        if self.count < MANY || self.count / 2 >= self.widened.0 {
            self.widened = (self.count, 0);
        }
        self.widened.1 += 1;
        let block = match self.widened.1 {
            0..=2 => 1,
            3..=4 => 8,
            5..=6 => 64,
            _ => string.len(),
        };
        let pattern = packed.pattern.wider(string, self.hidden, block);
        let mut words = Vec::with_capacity((self.count as usize + 1) * pattern.words());
        let (mut whole, mut kept) = (Vec::new(), Vec::new());
        for number in packed.first()..self.count {
            packed.pattern.unpack(packed.get(number), &mut whole);
            pattern.pack(&whole, &mut kept);
            words.extend_from_slice(&kept);
        }
        (packed.pattern, packed.words) = (pattern, words);
        self.changes += 1;
        self.fill_table(self.table.len());
    }

    /// Keeps strings whole from now on.
    fn keep_whole(&mut self) {
        let mut whole = Whole::default();
        let mut string = Vec::new();
        for number in 0..self.count {
            self.read(number, &mut string);
            whole.push(&string);
        }
        self.layout = Layout::Whole(whole);
        self.changes += 1;
        self.fill_table(self.table.len());
    }

    /// Forgets where strings are found: none can be added any more.
    pub(crate) fn forget_table(&mut self) {
        self.table = Vec::new();
        match &mut self.layout {
            Layout::Packed(packed) => packed.words.shrink_to_fit(),
            Layout::Whole(whole) => whole.bytes.shrink_to_fit(),
        }
    }

    /// Returns how many bytes all of this takes.
    pub(crate) fn memory(&self) -> u64 {
        let strings = match &self.layout {
            // What came before is kept twice.
            Layout::Packed(packed) => packed.words.capacity() * 8 + packed.before.whole.bytes.len() * 2,
            Layout::Whole(whole) => whole.bytes.capacity() + whole.ends.capacity() * 8,
        };
        (strings + self.table.capacity() * 4) as u64
    }
}

/// Looks for a string in a table; returns its number, or where it belongs and which bits of the hash are kept
/// there.
#[inline]
fn probe(table: &[u32], hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, (usize, u32)> {
    let mask = table.len() - 1;
    let (mut slot, number_bits) = (hash as usize & mask, mask as u32);
    let tag = (hash >> 32) as u32 & !number_bits;
    while table[slot] != 0 {
        let entry = table[slot];
        let number = (entry & number_bits).wrapping_sub(1);
        if entry & !number_bits == tag && is(number) {
            return Ok(number);
        }
        slot = (slot + 1) & mask;
    }
    Err((slot, tag))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::StateStore;

    fn text(states: &StateStore, number: u32) -> Vec<u8> {
        let mut string = Vec::new();
        states.read(number, &mut string);
        string
    }

    #[test]
    fn strings_are_kept_once() {
        let mut states = StateStore::new(1);
        for number in 0..5_000_u32 {
            let text = format!("{}x", number % 2_500);
            assert_eq!(states.add(text.as_bytes()), (number % 2_500, number < 2_500));
        }
        // The last byte does not count.
        assert_eq!(states.add(b"7y"), (7, false));
        assert_eq!(text(&states, 2_499), b"2499x");
        assert_eq!(states.len(), 2_500);
    }

    #[test]
    fn what_never_changes_is_kept_once() {
        // What is hidden takes a word of its own.
        for (hidden, most) in [(0, 16), (2, 40)] {
            let mut states = StateStore::new(hidden);
            let string = |number: u32| {
                let mut string = vec![7; 40];
                string[11..15].copy_from_slice(&number.to_be_bytes());
                // It does not count, but it is kept.
                string[39] = if hidden > 0 { number as u8 } else { 7 };
                string
            };
            for number in 0..65_536 {
                assert_eq!(states.add(&string(number)), (number, true));
            }
            for number in (0..65_536).step_by(7) {
                assert_eq!(states.add(&string(number)), (number, false));
                assert_eq!(text(&states, number), string(number));
            }
            assert!(states.memory() < 65_536 * most + 4 * 131_072);
        }
    }

    #[test]
    fn strings_are_packed_again_a_few_times_for_each_doubling() {
        let mut states = StateStore::new(0);
        // Every 40 strings, another byte differs for the first time.
        let string = |number: u32| {
            let mut string = vec![0; 420];
            string[..4].copy_from_slice(&number.to_be_bytes());
            string[4 + number as usize / 40] = 5;
            string
        };
        for number in 0..16_384 {
            assert_eq!(states.add(&string(number)), (number, true));
        }
        assert!(states.changes() < 150, "{}", states.changes());
        for number in (0..16_384).step_by(7) {
            assert_eq!(text(&states, number), string(number));
        }
    }

    #[test]
    fn many_at_once_get_the_numbers_that_they_get_one_by_one() {
        let mut random = narrows_graph::Random::new(8);
        for length in [6, 20] {
            let mut strings = || -> Vec<Vec<u8>> {
                (0..5_000)
                    .map(|_| (0..length).map(|place| random.below(2 + place % 3) as u8).collect())
                    .collect()
            };
            let (known, others) = (strings(), strings());
            let mut states = StateStore::new(0);
            for string in &known {
                states.add(string);
            }
            let pattern = states.pattern().unwrap();
            let (mut words, mut kept) = (Vec::new(), Vec::new());
            for string in others.iter().filter(|string| pattern.fits(string)) {
                pattern.pack(string, &mut kept);
                words.extend_from_slice(&kept);
            }
            let (mut numbers, pieces) = (Vec::new(), pattern.words() * 300);
            for some in words.chunks(pieces) {
                states.add_all(some, &mut numbers);
            }
            let mut one_by_one = StateStore::new(0);
            for string in &known {
                one_by_one.add(string);
            }
            let expected: Vec<u32> = others.iter().map(|string| one_by_one.add(string).0).collect();
            assert_eq!(numbers, expected);
            assert_eq!(states.len(), one_by_one.len());
        }
    }

    #[test]
    fn strings_of_other_lengths_may_come_first() {
        let mut random = narrows_graph::Random::new(4);
        for (hidden, stays) in [(0, true), (2, true), (0, false), (1, false)] {
            let mut states = StateStore::new(hidden);
            let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
            let mut strings = Vec::new();
            for turn in 0..3_000 {
                // Lengths grow; in the end, one of them comes again as it was, or as it was not.
                let length = match turn {
                    0..10 => 5,
                    10..60 => 6,
                    2_900.. if stays => 0,
                    2_900.. => 6,
                    _ => 9,
                };
                let mut string: Vec<u8> =
                    (0..length).map(|place| random.below(2 + place as u64 % 3) as u8).collect();
                if string.is_empty() {
                    string.clone_from(&strings[turn - 2_900]);
                }
                let visible = string[..string.len() - hidden].to_vec();
                let next = numbers.len() as u32;
                let number = *numbers.entry(visible).or_insert(next);
                assert_eq!(states.add(&string), (number, number == next));
                if number == next {
                    strings.push(string);
                }
            }
            assert_eq!(states.pattern().is_some(), stays);
            for (number, string) in strings.iter().enumerate() {
                assert_eq!(&text(&states, number as u32), string);
            }
        }
    }

    #[test]
    fn whatever_comes_is_found_again() {
        let mut random = narrows_graph::Random::new(3);
        for hidden in 0..3 {
            let mut states = StateStore::new(hidden);
            let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
            let mut strings = Vec::new();
            for turn in 0..3_000 {
                // A second length comes late.
                let length = if turn > 2_000 { 9 + turn % 3 } else { 9 };
                let string: Vec<u8> =
                    (0..length).map(|place| random.below(1 + place as u64 % 4) as u8).collect();
                let visible = string[..string.len() - hidden].to_vec();
                let next = numbers.len() as u32;
                let number = *numbers.entry(visible).or_insert(next);
                assert_eq!(states.add(&string), (number, number == next));
                if number == next {
                    strings.push(string);
                }
            }
            for (number, string) in strings.iter().enumerate() {
                assert_eq!(&text(&states, number as u32), string);
            }
        }
    }
}
