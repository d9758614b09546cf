//! What leads from rests to places, in eight bytes each: few different rates come with few different tallies.

use rustc_hash::FxHashMap;

use super::Place;

/// What may happen in a rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// How often it happens while time passes in the rest.
    pub rate: f64,
    /// Where it leads.
    pub place: Place,
    /// What is counted on the way, by number.
    pub tally: u32,
}

/// The arrows of rests, one rest after the other.
#[derive(Debug)]
pub(super) struct Arrows {
    /// Where the arrows of each rest begin, and at last how many there are.
    starts: Vec<u64>,
    /// Places, and the numbers of rates and tallies.
    list: Vec<(u32, u32)>,
    kinds: Vec<(f64, u32)>,
    numbers: FxHashMap<(u64, u32), u32>,
}

/// Added to the number of a decision.
const DECISION: u32 = 1 << 31;

impl Arrows {
    pub(super) fn new() -> Arrows {
        Arrows { starts: vec![0], list: Vec::new(), kinds: Vec::new(), numbers: FxHashMap::default() }
    }

    /// Adds an arrow to the rest at hand.
    pub(super) fn push(&mut self, arrow: Arrow) {
        let next = self.kinds.len() as u32;
        let kind = *self.numbers.entry((arrow.rate.to_bits(), arrow.tally)).or_insert(next);
        if kind == next {
            self.kinds.push((arrow.rate, arrow.tally));
        }
        let place = match arrow.place {
            Place::Rest(rest) => rest,
            Place::Decision(decision) => decision | DECISION,
        };
        self.list.push((place, kind));
    }

    /// Goes on to the next rest.
    pub(super) fn end_rest(&mut self) {
        self.starts.push(self.list.len() as u64);
    }

    /// Returns the arrows of a rest.
    pub(super) fn of(&self, rest: u32) -> impl Iterator<Item = Arrow> + Clone + '_ {
        let range = self.starts[rest as usize] as usize..self.starts[rest as usize + 1] as usize;
        self.list[range].iter().map(|(place, kind)| {
            let (rate, tally) = self.kinds[*kind as usize];
            let place = match place.checked_sub(DECISION) {
                Some(decision) => Place::Decision(decision),
                None => Place::Rest(*place),
            };
            Arrow { rate, place, tally }
        })
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns how many bytes they take.
    pub(super) fn memory(&self) -> usize {
        self.list.capacity() * size_of::<(u32, u32)>() + self.starts.capacity() * 8 + self.kinds.len() * 40
    }

    /// Gives back what is not needed once all arrows are there.
    pub(super) fn shrink(&mut self) {
        self.numbers = FxHashMap::default();
        self.list.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}
