//! Events: a gate with values, hash-consed.

use super::data::SortId;
use super::hash_consing::Lists;
use super::points::GateId;
use super::values::Value;

/// The sort of an offer, and its value if that is decided.
pub(super) type OfferValue = (SortId, Option<Value>);

/// Marks an event with undecided values, and the sort of such a value.
const OPEN: u32 = 1 << 31;

/// Hash-consed events. As words: the gate, then the sort and the value of each offer.
#[derive(Debug, Default)]
pub(super) struct Events {
    lists: Lists,
    /// The first word of each event.
    heads: Vec<u32>,
    buffer: Vec<u32>,
}

impl Events {
    /// The internal event `i`.
    pub(super) const INTERNAL: u32 = 0;

    /// Makes the first event.
    pub(super) fn prepare(&mut self) {
        if self.heads.is_empty() {
            self.number(GateId::INTERNAL, &[]);
        }
    }

    /// Returns the number of an event.
    pub(super) fn number(&mut self, gate: GateId, given: &[OfferValue]) -> u32 {
        let mut words = std::mem::take(&mut self.buffer);
        words.clear();
        let is_open = given.iter().any(|(_, value)| value.is_none());
        words.push(u32::from(gate.0) | if is_open { OPEN } else { 0 });
        for (sort, value) in given {
            let sort = u32::from(sort.0);
            words.extend(value.map_or([sort | OPEN, 0], |value| [sort, value.word()]));
        }
        self.enter(words)
    }

    fn enter(&mut self, words: Vec<u32>) -> u32 {
        let number = self.lists.number(&words);
        if number as usize == self.heads.len() {
            self.heads.push(words[0]);
        }
        self.buffer = words;
        number
    }

    /// Returns the gate of an event.
    #[inline]
    pub(super) fn gate(&self, event: u32) -> GateId {
        GateId(self.heads[event as usize] as u16)
    }

    /// Returns whether a value of an event is undecided.
    #[inline]
    pub(super) fn is_open(&self, event: u32) -> bool {
        self.heads[event as usize] & OPEN != 0
    }

    /// Returns the offers of an event.
    pub(super) fn given(&self, event: u32) -> impl Iterator<Item = OfferValue> {
        self.lists.get(event)[1..].chunks_exact(2).map(|pair| {
            let value = (pair[0] & OPEN == 0).then(|| Value::from_word(pair[1]));
            (SortId(pair[0] as u16), value)
        })
    }

    /// Returns the event of a synchronisation; `None` if the offers do not match.
    pub(super) fn meet(&mut self, one: u32, other: u32) -> Option<u32> {
        if one == other {
            return Some(one);
        }
        let mut words = std::mem::take(&mut self.buffer);
        words.clear();
        let agree = {
            let (one, other) = (self.lists.get(one), self.lists.get(other));
            one.len() == other.len() && (one[0] ^ other[0]) & !OPEN == 0 && {
                words.push(one[0] & !OPEN);
                let mut pairs = one[1..].chunks_exact(2).zip(other[1..].chunks_exact(2));
                pairs.all(|(left, right)| {
                    let known = if left[0] & OPEN == 0 { left } else { right };
                    words.extend_from_slice(known);
                    words[0] |= known[0] & OPEN;
                    let both = (left[0] | right[0]) & OPEN == 0;
                    (left[0] ^ right[0]) & !OPEN == 0 && (!both || left[1] == right[1])
                })
            }
        };
        if !agree {
            self.buffer = words;
            return None;
        }
        Some(self.enter(words))
    }

    /// Returns how many events there are.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Returns how many bytes are in use.
    pub(super) fn bytes(&self) -> u64 {
        self.lists.bytes() + self.heads.capacity() as u64 * 4
    }
}
