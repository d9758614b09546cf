//! The transitions of tangible states, in eight bytes each: few different pairs of rate and tally occur.

use rustc_hash::FxHashMap;

use super::Target;
use crate::fine::Fine;
use crate::markov::double_double::Double;

/// A transition of a tangible state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Its rate.
    pub rate: Fine,
    /// Where it leads.
    pub target: Target,
    /// The events counted on the way, an interned tally.
    pub tally: u32,
}

/// The transitions of all tangible states, state by state.
#[derive(Debug)]
pub(super) struct Transitions {
    /// The first transition of each state, and at last their number.
    starts: Vec<u64>,
    /// Targets, and interned pairs of rate and tally.
    list: Vec<(u32, u32)>,
    kinds: Vec<(Fine, u32)>,
    numbers: FxHashMap<([u64; 2], u32), u32>,
    /// A direct-mapped cache in front of the map: rate, tally and number.
    recent: Vec<([u64; 2], u32, u32)>,
    /// How much any rate may be off, compared with itself.
    off: f64,
    /// Whether all rates are floating-point numbers.
    are_exact: bool,
}

/// The cache has two to this many entries.
const RECENT_BITS: u32 = 8;

/// Marks a target as a decision.
const DECISION: u32 = 1 << 31;

impl Transitions {
    pub(super) fn new() -> Transitions {
        // No rate has all bits set.
        let recent = vec![([u64::MAX; 2], 0, 0); 1 << RECENT_BITS];
        let (list, kinds, numbers) = (Vec::new(), Vec::new(), FxHashMap::default());
        Transitions { starts: vec![0], list, kinds, numbers, recent, off: 0.0, are_exact: true }
    }

    /// Adds a transition to the current state.
    pub(super) fn push(&mut self, transition: Transition) {
        let kind = self.kind(transition.rate, transition.tally);
        let target = match transition.target {
            Target::Tangible(state) => state,
            Target::Decision(decision) => decision | DECISION,
        };
        self.list.push((target, kind));
    }

    /// Returns the number of a rate and a tally.
    fn kind(&mut self, rate: Fine, tally: u32) -> u32 {
        self.off = self.off.max(rate.off());
        let bits = rate.bits();
        let mixed = (bits[0] ^ u64::from(tally)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let recent = &mut self.recent[(mixed >> (u64::BITS - RECENT_BITS)) as usize];
        if (recent.0, recent.1) == (bits, tally) {
            return recent.2;
        }
        let next = self.kinds.len() as u32;
        let kind = *self.numbers.entry((bits, tally)).or_insert(next);
        if kind == next {
            self.kinds.push((rate, tally));
            self.are_exact &= rate.is_exact();
        }
        *recent = (bits, tally, kind);
        kind
    }

    /// Ends the current state.
    pub(super) fn end_state(&mut self) {
        self.starts.push(self.list.len() as u64);
    }

    /// Returns the transitions of a state.
    pub(super) fn of(&self, state: u32) -> impl Iterator<Item = Transition> + Clone + '_ {
        let range = self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize;
        self.list[range].iter().map(|(target, kind)| {
            let (rate, tally) = self.kinds[*kind as usize];
            let target = match target.checked_sub(DECISION) {
                Some(decision) => Target::Decision(decision),
                None => Target::Tangible(*target),
            };
            Transition { rate, target, tally }
        })
    }

    /// Returns the targets of a state's transitions, sorted, with rates; decisions have numbers beyond all
    /// states.
    pub(super) fn sorted<'a>(
        &'a self,
        state: u32,
        room: &'a mut Vec<u64>,
    ) -> impl Iterator<Item = (u32, Fine)> + 'a {
        let range = self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize;
        room.clear();
        room.extend(
            self.list[range].iter().map(|(target, kind)| u64::from(*target) << 32 | u64::from(*kind)),
        );
        room.sort_unstable();
        room.iter().map(|both| ((both >> 32) as u32, self.kinds[*both as u32 as usize].0))
    }

    /// Returns for each state the sum of the rates of its transitions, each times what its tally weighs.
    /// Only the whole is rounded, once.
    pub(super) fn sums(&self, weight: impl Fn(u32) -> Double) -> Vec<f64> {
        let weighted = |(rate, tally): &(Fine, u32)| rate.double() * weight(*tally);
        let weighted: Vec<Double> = self.kinds.iter().map(weighted).collect();
        let sum = |ends: &[u64]| {
            let transitions = &self.list[ends[0] as usize..ends[1] as usize];
            transitions.iter().fold(Double::default(), |sum, (_, kind)| sum + weighted[*kind as usize]).high
        };
        self.starts.windows(2).map(sum).collect()
    }

    /// Returns how much any rate may be off, compared with itself.
    pub(super) fn off(&self) -> f64 {
        self.off
    }

    /// Returns whether all rates are floating-point numbers.
    pub(super) fn are_exact(&self) -> bool {
        self.are_exact
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns how many bytes they take.
    pub(super) fn memory(&self) -> usize {
        self.list.capacity() * size_of::<(u32, u32)>() + self.starts.capacity() * 8 + self.kinds.len() * 40
    }

    /// Frees what is only needed while transitions are added.
    pub(super) fn shrink(&mut self) {
        self.numbers = FxHashMap::default();
        self.list.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}
