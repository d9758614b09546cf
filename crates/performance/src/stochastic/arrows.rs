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
    /// The last of them at places that their bits tell: rates, tallies and numbers.
    recent: Vec<(u64, u32, u32)>,
}

/// How many bits tell such a place.
const RECENT_BITS: u32 = 8;

/// Added to the number of a decision.
const DECISION: u32 = 1 << 31;

impl Arrows {
    pub(super) fn new() -> Arrows {
        // No rate has all bits set.
        let recent = vec![(u64::MAX, 0, 0); 1 << RECENT_BITS];
        let (list, kinds, numbers) = (Vec::new(), Vec::new(), FxHashMap::default());
        Arrows { starts: vec![0], list, kinds, numbers, recent }
    }

    /// Adds an arrow to the rest at hand.
    pub(super) fn push(&mut self, arrow: Arrow) {
        let kind = self.kind(arrow.rate, arrow.tally);
        let place = match arrow.place {
            Place::Rest(rest) => rest,
            Place::Decision(decision) => decision | DECISION,
        };
        self.list.push((place, kind));
    }

    /// Returns the number of a rate and a tally.
    fn kind(&mut self, rate: f64, tally: u32) -> u32 {
        let bits = rate.to_bits();
        let mixed = (bits ^ u64::from(tally)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let recent = &mut self.recent[(mixed >> (u64::BITS - RECENT_BITS)) as usize];
        if (recent.0, recent.1) == (bits, tally) {
            return recent.2;
        }
        let next = self.kinds.len() as u32;
        let kind = *self.numbers.entry((bits, tally)).or_insert(next);
        if kind == next {
            self.kinds.push((rate, tally));
        }
        *recent = (bits, tally, kind);
        kind
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

    /// Returns the rests that the arrows of a rest lead to, in order, with rates; a decision counts as a rest that is not there.
    pub(super) fn sorted<'a>(
        &'a self,
        rest: u32,
        room: &'a mut Vec<u64>,
    ) -> impl Iterator<Item = (u32, f64)> + 'a {
        let range = self.starts[rest as usize] as usize..self.starts[rest as usize + 1] as usize;
        room.clear();
        room.extend(self.list[range].iter().map(|(place, kind)| u64::from(*place) << 32 | u64::from(*kind)));
        room.sort_unstable();
        room.iter().map(|both| ((both >> 32) as u32, self.kinds[*both as u32 as usize].0))
    }

    /// Returns for each rest the sum of what its arrows count, by their rates and tallies.
    pub(super) fn sums(&self, count: impl Fn(f64, u32) -> f64) -> Vec<f64> {
        let counts: Vec<f64> = self.kinds.iter().map(|(rate, tally)| count(*rate, *tally)).collect();
        let sum = |ends: &[u64]| {
            let arrows = &self.list[ends[0] as usize..ends[1] as usize];
            arrows.iter().map(|(_, kind)| counts[*kind as usize]).sum()
        };
        self.starts.windows(2).map(sum).collect()
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
