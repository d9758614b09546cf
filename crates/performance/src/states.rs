//! Byte strings, each kept once, with numbers.
//!
//! States of a model mostly have the same length, and most of their bytes never change. As long as all strings have the
//! same length, only the bytes in which some differ are kept, one string after the other; the rest is in a pattern. If a
//! byte of the pattern differs for the first time, it is added to all strings that are known: that happens at most once
//! for each byte, and mostly early. With a second length, all strings are kept whole.
//!
//! Invariant: two strings are equal, but for hidden bytes, if and only if what is kept of them is.

use rapidhash::v3::rapidhash_v3;

/// Strings in the order in which they were first added.
#[derive(Debug, Default)]
pub(crate) struct States {
    bytes: Vec<u8>,
    layout: Layout,
    /// How many strings there are.
    count: u32,
    /// At places that hashes tell: the number of a string, plus one, and above it as many bits of the hash as there is
    /// room for. At most three quarters are in use, so that the number needs no more bits than the place.
    table: Vec<u32>,
    /// How many bytes at the end of each string do not count.
    hidden: usize,
    /// What is kept of the string at hand.
    kept: Vec<u8>,
}

/// How strings are kept.
#[derive(Debug)]
enum Layout {
    Packed(Pattern),
    /// Whole, with where each ends.
    Whole(Vec<u64>),
}

impl Default for Layout {
    fn default() -> Layout {
        Layout::Packed(Pattern::default())
    }
}

/// What strings of one length have in common.
#[derive(Debug, Default)]
struct Pattern {
    /// The first string.
    common: Vec<u8>,
    /// 255 for bytes that are the same in all strings, 0 for others.
    fixed: Vec<u8>,
    /// Which bytes differ, in rising order.
    varying: Vec<u32>,
}

impl Pattern {
    fn new(first: &[u8]) -> Pattern {
        Pattern { common: first.to_vec(), fixed: vec![255; first.len()], varying: Vec::new() }
    }

    /// Returns whether a string differs only in bytes that vary.
    fn fits(&self, string: &[u8]) -> bool {
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let (strings, commons, fixeds) =
            (string.chunks_exact(8), self.common.chunks_exact(8), self.fixed.chunks_exact(8));
        let last = strings.remainder().iter().zip(commons.remainder()).zip(fixeds.remainder());
        let rest = last.fold(0, |bits, ((byte, common), fixed)| bits | ((byte ^ common) & fixed));
        let words = strings.zip(commons).zip(fixeds);
        words.fold(u64::from(rest), |bits, ((bytes, common), fixed)| {
            bits | ((word(bytes) ^ word(common)) & word(fixed))
        }) == 0
    }

    fn pack(&self, string: &[u8], kept: &mut Vec<u8>) {
        kept.clear();
        kept.extend(self.varying.iter().map(|place| string[*place as usize]));
    }

    fn unpack(&self, kept: &[u8], string: &mut Vec<u8>) {
        string.clear();
        string.extend_from_slice(&self.common);
        for (place, byte) in self.varying.iter().zip(kept) {
            string[*place as usize] = *byte;
        }
    }
}

impl States {
    pub(crate) fn new(hidden: usize) -> States {
        States { hidden, ..States::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// Writes a string over what is there.
    pub(crate) fn read(&self, number: u32, string: &mut Vec<u8>) {
        let kept = self.kept(number);
        match &self.layout {
            Layout::Packed(pattern) => pattern.unpack(kept, string),
            Layout::Whole(_) => {
                string.clear();
                string.extend_from_slice(kept);
            }
        }
    }

    /// Returns what is kept of a string.
    #[inline]
    fn kept(&self, number: u32) -> &[u8] {
        match &self.layout {
            Layout::Packed(pattern) => {
                let length = pattern.varying.len();
                &self.bytes[number as usize * length..][..length]
            }
            Layout::Whole(ends) => {
                let start = (number as usize).checked_sub(1).map_or(0, |before| ends[before]);
                &self.bytes[start as usize..ends[number as usize] as usize]
            }
        }
    }

    /// Returns how many bytes of what is kept of a string count.
    fn visible(&self, kept: &[u8]) -> usize {
        match &self.layout {
            Layout::Packed(pattern) if self.hidden > 0 => {
                let end = pattern.common.len() - self.hidden;
                pattern.varying.partition_point(|place| (*place as usize) < end)
            }
            Layout::Packed(_) => kept.len(),
            Layout::Whole(_) => kept.len() - self.hidden,
        }
    }

    /// Returns the number of a string, and whether it is new.
    pub(crate) fn add(&mut self, string: &[u8]) -> (u32, bool) {
        if self.len() * 4 >= self.table.len() * 3 {
            self.fill_table((self.table.len() * 2).max(1 << 10));
        }
        let mut kept = std::mem::take(&mut self.kept);
        self.prepare(string, &mut kept);
        let found = self.add_kept(&kept);
        self.kept = kept;
        found
    }

    /// Finds out what is kept of a string; changes how all are kept if it is unlike those before.
    fn prepare(&mut self, string: &[u8], kept: &mut Vec<u8>) {
        if let Layout::Packed(pattern) = &mut self.layout {
            if self.count == 0 {
                *pattern = Pattern::new(string);
            }
            if pattern.common.len() != string.len() {
                self.keep_whole();
            } else if !pattern.fits(string) {
                self.widen(string);
            }
        }
        match &self.layout {
            Layout::Packed(pattern) => pattern.pack(string, kept),
            Layout::Whole(_) => {
                kept.clear();
                kept.extend_from_slice(string);
            }
        }
    }

    fn add_kept(&mut self, kept: &[u8]) -> (u32, bool) {
        let visible = &kept[..self.visible(kept)];
        let (mut slot, mask, tag) = self.place_of(visible);
        let number_bits = mask as u32;
        while self.table[slot] != 0 {
            let entry = self.table[slot];
            if entry & !number_bits == tag {
                let number = (entry & number_bits) - 1;
                let known = self.kept(number);
                if &known[..self.visible(known)] == visible {
                    return (number, false);
                }
            }
            slot = (slot + 1) & mask;
        }
        self.bytes.extend_from_slice(kept);
        if let Layout::Whole(ends) = &mut self.layout {
            ends.push(self.bytes.len() as u64);
        }
        self.count += 1;
        self.table[slot] = self.count | tag;
        (self.count - 1, true)
    }

    /// Returns where to look for a string, the bits of such places, and the bits of the hash that are kept there.
    fn place_of(&self, visible: &[u8]) -> (usize, usize, u32) {
        let hash = rapidhash_v3(visible);
        let mask = self.table.len() - 1;
        (hash as usize & mask, mask, (hash >> 32) as u32 & !(mask as u32))
    }

    fn fill_table(&mut self, length: usize) {
        self.table = vec![0; length];
        for number in 0..self.count {
            let kept = self.kept(number);
            let (mut slot, mask, tag) = self.place_of(&kept[..self.visible(kept)]);
            while self.table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = (number + 1) | tag;
        }
    }

    /// Keeps more bytes of each string: those in which this one differs from all others.
    fn widen(&mut self, string: &[u8]) {
        let Layout::Packed(pattern) = &mut self.layout else { return };
        let before = std::mem::take(&mut pattern.varying);
        for (place, fixed) in pattern.fixed.iter_mut().enumerate() {
            if string[place] != pattern.common[place] {
                *fixed = 0;
            }
            if *fixed == 0 {
                pattern.varying.push(place as u32);
            }
        }
        let mut bytes = Vec::with_capacity((self.count as usize + 1) * pattern.varying.len());
        let mut whole = pattern.common.clone();
        for number in 0..self.count as usize {
            for (place, byte) in before.iter().zip(&self.bytes[number * before.len()..]) {
                whole[*place as usize] = *byte;
            }
            bytes.extend(pattern.varying.iter().map(|place| whole[*place as usize]));
        }
        self.bytes = bytes;
        self.fill_table(self.table.len());
    }

    /// Keeps strings whole from now on.
    fn keep_whole(&mut self) {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let mut string = Vec::new();
        for number in 0..self.count {
            self.read(number, &mut string);
            bytes.extend_from_slice(&string);
            ends.push(bytes.len() as u64);
        }
        (self.bytes, self.layout) = (bytes, Layout::Whole(ends));
        self.fill_table(self.table.len());
    }

    /// Forgets where strings are found: none can be added any more.
    pub(crate) fn forget_table(&mut self) {
        self.table = Vec::new();
        self.bytes.shrink_to_fit();
    }

    /// Returns how many bytes all of this takes.
    pub(crate) fn memory(&self) -> u64 {
        let ends = match &self.layout {
            Layout::Packed(_) => 0,
            Layout::Whole(ends) => ends.capacity() * 8,
        };
        (self.bytes.capacity() + ends + self.table.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::States;

    fn text(states: &States, number: u32) -> Vec<u8> {
        let mut string = Vec::new();
        states.read(number, &mut string);
        string
    }

    #[test]
    fn strings_are_kept_once() {
        let mut states = States::new(1);
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
        let mut states = States::new(2);
        let string = |number: u32| {
            let mut string = vec![7; 40];
            string[11..15].copy_from_slice(&number.to_be_bytes());
            // It does not count, but it is kept.
            string[39] = number as u8;
            string
        };
        for number in 0..70_000 {
            assert_eq!(states.add(&string(number)), (number, true));
        }
        for number in (0..70_000).step_by(7) {
            assert_eq!(states.add(&string(number)), (number, false));
            assert_eq!(text(&states, number), string(number));
        }
        assert!(states.memory() < 70_000 * 16);
    }

    #[test]
    fn whatever_comes_is_found_again() {
        let mut random = crate::random::Random::new(3);
        for hidden in 0..3 {
            let mut states = States::new(hidden);
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
