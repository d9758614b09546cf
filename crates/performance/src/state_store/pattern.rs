//! The packing of strings of one length: constant bits once, varying bits as fields in words.
//!
//! Of each byte that differs somewhere, the bits from the lowest to the highest that do are one field. No
//! field is cut by the end of a word. Fields of hidden bytes come last, in words of their own.

use std::ops::Range;

/// What strings of one length have in common, and where the rest is.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    /// The first string.
    common: Vec<u8>,
    /// The bits that are the same in all strings.
    fixed: Vec<u8>,
    /// The bits that are not, in the order of the string.
    fields: Vec<BitField>,
    /// How many words hold them, and how many of these count.
    words: usize,
    visible: usize,
}

/// Some neighbouring bits of a byte.
#[derive(Clone, Copy, Debug)]
struct BitField {
    place: u32,
    /// The lowest of the bits.
    low: u8,
    /// The bits, moved down.
    mask: u8,
    /// Where they are in which word.
    shift: u8,
    word: u16,
}

/// Some bits of the words of a string, as one word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projection {
    parts: Vec<MaskedWord>,
}

/// Bits of one word, and how far they are moved.
#[derive(Clone, Copy, Debug)]
struct MaskedWord {
    word: usize,
    mask: u64,
    turn: u32,
}

impl Projection {
    /// Returns what it shows of a string. Two strings look the same if and only if they have the same bits
    /// there.
    #[inline]
    pub(crate) fn look(&self, words: &[u64]) -> u64 {
        self.parts.iter().fold(0, |seen, part| seen | (words[part.word] & part.mask).rotate_left(part.turn))
    }

    /// Returns whether it shows nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds bits of a word where there is room for them; returns whether there is.
    fn add(&mut self, word: usize, mask: u64, taken: &mut u64) -> bool {
        let turn = (0..u64::BITS).find(|turn| mask.rotate_left(*turn) & *taken == 0);
        if let Some(turn) = turn {
            *taken |= mask.rotate_left(turn);
            self.parts.push(MaskedWord { word, mask, turn });
        }
        turn.is_some()
    }
}

impl Pattern {
    /// Starts with a string, of which all is the same in all strings so far.
    pub(crate) fn new(first: &[u8]) -> Pattern {
        let (common, fixed) = (first.to_vec(), vec![255; first.len()]);
        Pattern { common, fixed, fields: Vec::new(), words: 1, visible: 1 }
    }

    /// Returns how many words are kept of each string.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Returns how many of them count when strings are compared.
    pub(crate) fn visible(&self) -> usize {
        self.visible
    }

    /// Returns how long strings are.
    pub(crate) fn length(&self) -> usize {
        self.common.len()
    }

    /// Returns whether a string of the same length differs only in bits that are kept.
    pub(crate) fn fits(&self, string: &[u8]) -> bool {
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

    /// Returns the pattern that a string fits too, with so many hidden bytes at the end. What differs in a
    /// byte for the first time may do so in all bytes of its block, of so many bytes.
    pub(crate) fn wider(&self, string: &[u8], hidden: usize, block: usize) -> Pattern {
        let mut fixed: Vec<u8> = self.fixed.clone();
        let blocks = fixed.chunks_mut(block).zip(string.chunks(block)).zip(self.common.chunks(block));
        for ((fixed, bytes), commons) in blocks {
            let pairs = bytes.iter().zip(commons).map(|(byte, common)| byte ^ common);
            let news = pairs.clone().zip(&*fixed).map(|(differs, fixed)| differs & fixed);
            let new = between(news.fold(0, |all, bits| all | bits));
            for (fixed, differs) in fixed.iter_mut().zip(pairs) {
                *fixed = !between(!*fixed | differs | if block > 1 { new } else { 0 });
            }
        }
        let mut wider = Pattern { common: self.common.clone(), fixed, ..Pattern::default() };
        let end = wider.common.len() - hidden;
        wider.visible = wider.place(0..end, 0);
        wider.words = if hidden > 0 { wider.place(end..end + hidden, wider.visible) } else { wider.visible };
        wider
    }

    /// Finds room for the bits of some bytes, from a word on; returns after which word they end.
    fn place(&mut self, places: Range<usize>, first: usize) -> usize {
        let (mut word, mut shift) = (first, 0);
        for place in places {
            let differs = !self.fixed[place];
            if differs == 0 {
                continue;
            }
            let low = differs.trailing_zeros();
            let mask = differs >> low;
            let bits = mask.count_ones();
            if shift + bits > u64::BITS {
                (word, shift) = (word + 1, 0);
            }
            let (place, low) = (place as u32, low as u8);
            self.fields.push(BitField { place, low, mask, shift: shift as u8, word: word as u16 });
            shift += bits;
        }
        word + 1
    }

    /// Writes the words of a string over what is there.
    #[inline]
    pub(crate) fn pack(&self, string: &[u8], words: &mut Vec<u64>) {
        words.clear();
        words.resize(self.words, 0);
        for field in &self.fields {
            let bits = u64::from(string[field.place as usize] >> field.low & field.mask);
            words[usize::from(field.word)] |= bits << field.shift;
        }
    }

    /// Writes a string over what is there, from its words.
    pub(crate) fn unpack(&self, words: &[u64], string: &mut Vec<u8>) {
        string.clear();
        string.extend_from_slice(&self.common);
        for field in &self.fields {
            let bits = (words[usize::from(field.word)] >> field.shift) as u8 & field.mask;
            let byte = &mut string[field.place as usize];
            *byte = *byte & !(field.mask << field.low) | bits << field.low;
        }
    }

    /// Returns what shows some bytes of a string; `None` if that is more than a word.
    pub(crate) fn projection(&self, bytes: &[Range<u32>]) -> Option<Projection> {
        let mut masks = vec![0_u64; self.words];
        for field in self.fields.iter().filter(|field| bytes.iter().any(|range| range.contains(&field.place)))
        {
            masks[usize::from(field.word)] |= u64::from(field.mask) << field.shift;
        }
        let (mut projection, mut taken) = (Projection::default(), 0);
        for (word, mask) in masks.into_iter().enumerate().filter(|(_, mask)| *mask != 0) {
            if projection.add(word, mask, &mut taken) {
                continue;
            }
            // What does not fit as it is may do so run by run.
            let mut rest = mask;
            while rest != 0 {
                let low = rest.trailing_zeros();
                let run = (rest >> low).trailing_ones();
                let bits = (u64::MAX >> (u64::BITS - run)) << low;
                if !projection.add(word, bits, &mut taken) {
                    return None;
                }
                rest &= !bits;
            }
        }
        Some(projection)
    }
}

/// Returns all bits from the lowest to the highest that is set.
fn between(bits: u8) -> u8 {
    if bits == 0 {
        return 0;
    }
    (255 >> bits.leading_zeros()) & (255 << bits.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use narrows_graph::Random;

    #[test]
    fn strings_come_back_from_their_words() {
        let mut random = Random::new(5);
        for hidden in 0..3 {
            let random_block = |string: &[u8]| usize::from(string[4]) % 3;
            let mut string = |below: u64| -> Vec<u8> {
                (0..60).map(|place| random.below(1 + below * (place % 5)) as u8).collect()
            };
            let mut pattern = Pattern::new(&string(1));
            let strings: Vec<Vec<u8>> = (0..200).map(|turn| string(1 + turn / 4)).collect();
            for other in &strings {
                pattern = pattern.wider(other, hidden, [1, 8, 64][random_block(other)]);
                assert!(pattern.fits(other));
            }
            let (mut words, mut back) = (Vec::new(), Vec::new());
            for other in &strings {
                assert!(pattern.fits(other));
                pattern.pack(other, &mut words);
                assert_eq!(words.len(), pattern.words());
                pattern.unpack(&words, &mut back);
                assert_eq!(&back, other);
            }
        }
    }

    #[test]
    fn a_lens_shows_what_it_is_for_and_nothing_else() {
        let mut random = Random::new(9);
        let strings: Vec<Vec<u8>> =
            (0..400).map(|_| (0..40).map(|place| random.below(1 + place % 4) as u8).collect()).collect();
        let pattern = strings.iter().fold(Pattern::new(&strings[0]), |pattern, one| pattern.wider(one, 0, 1));
        let words = |string: &[u8]| {
            let mut words = Vec::new();
            pattern.pack(string, &mut words);
            words
        };
        let mut shown = 0;
        for turn in 0..40 {
            let ranges = [turn / 2..turn / 2 + turn % 6, 39 - turn / 3..40];
            let Some(projection) = pattern.projection(&ranges) else { continue };
            let seen = |string: &[u8]| -> Vec<u8> {
                let places = (0..40).filter(|place| ranges.iter().any(|range| range.contains(place)));
                places.map(|place| string[place as usize]).collect()
            };
            for pair in strings.windows(2) {
                let same = projection.look(&words(&pair[0])) == projection.look(&words(&pair[1]));
                assert_eq!(same, seen(&pair[0]) == seen(&pair[1]));
            }
            shown += 1;
        }
        assert!(shown > 30);
        assert!(pattern.projection(&[]).is_some_and(|projection| projection.is_empty()));
    }
}
