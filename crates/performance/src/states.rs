//! Byte strings, each kept once, with numbers.

use rapidhash::v3::rapidhash_v3;

/// Strings in the order in which they were first added.
#[derive(Debug, Default)]
pub(crate) struct States {
    bytes: Vec<u8>,
    /// Where each string ends.
    ends: Vec<u64>,
    /// Numbers of strings, plus one, at places that their hashes tell; at most half full.
    table: Vec<u32>,
    /// How many bytes at the end of each string do not count.
    hidden: usize,
}

impl States {
    pub(crate) fn new(hidden: usize) -> States {
        States { hidden, ..States::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[number as usize] as usize]
    }

    /// Returns the number of a string, and whether it is new.
    pub(crate) fn add(&mut self, string: &[u8]) -> (u32, bool) {
        if self.len() * 2 >= self.table.len() {
            self.grow();
        }
        let visible = &string[..string.len() - self.hidden];
        let mask = self.table.len() - 1;
        let mut slot = rapidhash_v3(visible) as usize & mask;
        while let Some(number) = self.table[slot].checked_sub(1) {
            let known = self.get(number);
            if &known[..known.len() - self.hidden] == visible {
                return (number, false);
            }
            slot = (slot + 1) & mask;
        }
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u64);
        self.table[slot] = self.len() as u32;
        (self.len() as u32 - 1, true)
    }

    fn grow(&mut self) {
        let length = (self.table.len() * 2).max(1 << 10);
        self.table = vec![0; length];
        for number in 0..self.len() as u32 {
            let string = self.get(number);
            let mut slot = rapidhash_v3(&string[..string.len() - self.hidden]) as usize & (length - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.table[slot] = number + 1;
        }
    }

    /// Forgets where strings are found: none can be added any more.
    pub(crate) fn forget_table(&mut self) {
        self.table = Vec::new();
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Returns how many bytes all of this takes.
    pub(crate) fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * 8 + self.table.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::States;

    #[test]
    fn strings_are_kept_once() {
        let mut states = States::new(1);
        for number in 0..5_000_u32 {
            let text = format!("{}x", number % 2_500);
            assert_eq!(states.add(text.as_bytes()), (number % 2_500, number < 2_500));
        }
        // The last byte does not count.
        assert_eq!(states.add(b"7y"), (7, false));
        assert_eq!(states.get(2_499), b"2499x");
        assert_eq!(states.len(), 2_500);
    }
}
