//! Signatures, each once: sorted lists of words, found again by their hash.

/// Signatures with numbers from 0. Forgetting them all takes no time.
#[derive(Default)]
pub(super) struct SignatureTable {
    words: Vec<u64>,
    /// Where the words of each signature end.
    ends: Vec<usize>,
    /// Signatures by hash: the round in which a slot was filled, and the signature.
    slots: Vec<(u32, u32)>,
    round: u32,
}

impl SignatureTable {
    /// Forgets all signatures, and gives one the number 0. Without one, nothing will be equal to number 0.
    pub(super) fn restart(&mut self, first: Option<&[u64]>) {
        self.words.clear();
        self.ends.clear();
        if self.slots.is_empty() || self.round == u32::MAX {
            self.slots = vec![(0, 0); 64];
            self.round = 0;
        }
        self.round += 1;
        match first {
            Some(signature) => {
                self.number(signature);
            }
            None => self.ends.push(0),
        }
    }

    /// Returns how many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns how many words all signatures have together.
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns the signature of a number.
    pub(super) fn signature(&self, number: u32) -> &[u64] {
        let begin = if number == 0 { 0 } else { self.ends[number as usize - 1] };
        &self.words[begin..self.ends[number as usize]]
    }

    /// Returns the number of a signature.
    pub(super) fn number(&mut self, signature: &[u64]) -> u32 {
        if (self.ends.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mut at = self.first_slot(signature);
        while self.slots[at].0 == self.round {
            let found = self.slots[at].1;
            if self.signature(found) == signature {
                return found;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        let number = self.ends.len() as u32;
        self.slots[at] = (self.round, number);
        self.words.extend_from_slice(signature);
        self.ends.push(self.words.len());
        number
    }

    fn first_slot(&self, signature: &[u64]) -> usize {
        let mut hash = signature.len() as u64;
        for word in signature {
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![(0, 0); old.len() * 2];
        for (_, number) in old.into_iter().filter(|slot| slot.0 == self.round) {
            let mut at = self.first_slot(self.signature(number));
            while self.slots[at].0 == self.round {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = (self.round, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SignatureTable;

    #[test]
    fn equal_signatures_have_one_number() {
        let mut classes = SignatureTable::default();
        for _ in 0..2 {
            classes.restart(Some(&[7]));
            for number in 0..500_u64 {
                assert_eq!(classes.number(&[number + 100, 3]), number as u32 + 1);
            }
            assert_eq!(classes.number(&[7]), 0);
            assert_eq!(classes.number(&[142, 3]), 43);
            assert_eq!((classes.signature(0), classes.signature(43)), (&[7][..], &[142, 3][..]));
        }
        classes.restart(None);
        assert_eq!((classes.number(&[]), classes.len()), (1, 2));
    }
}
