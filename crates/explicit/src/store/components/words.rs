//! Bytes of a state as words.

/// Returns bytes of a state as words, with zeros behind them.
#[inline]
pub(super) fn read<const WORDS: usize>(state: &[u8], start: usize, end: usize) -> [u64; WORDS] {
    let (mut words, length) = ([0; WORDS], end - start);
    match state.get(start..start + 8 * WORDS) {
        Some(bytes) if length > 8 * (WORDS - 1) => {
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            words[WORDS - 1] &= u64::MAX >> (8 * (8 * WORDS - length));
        }
        _ => fill(&mut words[..length.div_ceil(8)], state, start, end),
    }
    words
}

/// Fills words with bytes of a state, and zeros behind them.
#[inline]
pub(super) fn fill(words: &mut [u64], state: &[u8], start: usize, end: usize) {
    let mut place = start;
    for word in words {
        *word = match state.get(place..place + 8) {
            Some(bytes) => {
                let mut eight = [0; 8];
                eight.copy_from_slice(bytes);
                u64::from_le_bytes(eight)
            }
            None => last_word(state, place),
        };
        place += 8;
        if place > end {
            *word &= u64::MAX >> (8 * (place - end));
        }
    }
}

/// Returns the last bytes of a state, from a place on that is less than eight from its end.
#[inline]
fn last_word(state: &[u8], place: usize) -> u64 {
    match state.last_chunk() {
        Some(last) => u64::from_le_bytes(*last) >> (8 * (8 + place - state.len())),
        None => state[place..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}
