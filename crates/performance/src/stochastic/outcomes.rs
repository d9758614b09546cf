//! Where steps without delay lead by chance, and what is counted on the way: each kept once.

use rustc_hash::FxHashMap;

/// A place of a stochastic view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Time passes there.
    Rest(u32),
    /// Something is decided there.
    Decision(u32),
}

/// A place, and how likely it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The place.
    pub place: Place,
    /// How likely it is.
    pub probability: f64,
    /// What is counted on the way, by number.
    pub tally: u32,
}

/// Events and how many times each is counted, in order.
type Tally = Vec<(u16, u32)>;

/// Numbers from here on are outcomes that are certain, and a rest: most are, and need not be kept.
const CERTAIN: u32 = 1 << 31;

/// A number for each distribution over places, and for each tally.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    list: Vec<Vec<Arrival>>,
    numbers: FxHashMap<Vec<(Place, u64, u32)>, u32>,
    tallies: Vec<Tally>,
    tally_numbers: FxHashMap<Tally, u32>,
}

impl Outcomes {
    pub(super) fn new() -> Outcomes {
        let mut outcomes = Outcomes::default();
        // Nothing has the number 0.
        outcomes.number_of(Tally::new());
        outcomes
    }

    /// Returns where an outcome leads.
    pub(super) fn get(&self, outcome: u32) -> impl Iterator<Item = Arrival> + '_ {
        let rest = Outcomes::rest_of(outcome);
        let certain = rest.map(|rest| Arrival { place: Place::Rest(rest), probability: 1.0, tally: 0 });
        let others = if rest.is_some() { &[][..] } else { &self.list[outcome as usize] };
        certain.into_iter().chain(others.iter().copied())
    }

    /// Returns the outcome that is certainly a rest.
    pub(super) fn rest(rest: u32) -> u32 {
        CERTAIN + rest
    }

    /// Returns the rest that an outcome certainly is, with nothing counted on the way.
    pub(super) fn rest_of(outcome: u32) -> Option<u32> {
        outcome.checked_sub(CERTAIN)
    }

    pub(super) fn tally(&self, tally: u32) -> &[(u16, u32)] {
        &self.tallies[tally as usize]
    }

    pub(super) fn number_of(&mut self, tally: Tally) -> u32 {
        let next = self.tallies.len() as u32;
        let number = *self.tally_numbers.entry(tally.clone()).or_insert(next);
        if number == next {
            self.tallies.push(tally);
        }
        number
    }

    /// Adds what is counted on the way.
    pub(super) fn sum(&mut self, first: u32, second: u32) -> u32 {
        if first == 0 || second == 0 {
            return first + second;
        }
        let mut tally = self.tallies[first as usize].clone();
        for (event, count) in &self.tallies[second as usize] {
            match tally.iter_mut().find(|(known, _)| known == event) {
                Some((_, known)) => *known += count,
                None => tally.push((*event, *count)),
            }
        }
        tally.sort_unstable();
        self.number_of(tally)
    }

    fn add(&mut self, mut arrivals: Vec<Arrival>) -> u32 {
        arrivals.sort_by_key(|arrival| (arrival.place, arrival.tally));
        arrivals.dedup_by(|later, kept| {
            let same = (later.place, later.tally) == (kept.place, kept.tally);
            if same {
                kept.probability += later.probability;
            }
            same
        });
        if let [Arrival { place: Place::Rest(rest), tally: 0, .. }] = arrivals[..] {
            return Outcomes::rest(rest);
        }
        let key: Vec<_> = arrivals
            .iter()
            .map(|arrival| (arrival.place, arrival.probability.to_bits(), arrival.tally))
            .collect();
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.list.push(arrivals);
        }
        number
    }

    /// Returns the outcome that is certain.
    pub(super) fn certain(&mut self, place: Place) -> u32 {
        self.add(vec![Arrival { place, probability: 1.0, tally: 0 }])
    }

    /// Returns an outcome with something more counted before it.
    pub(super) fn after(&mut self, tally: u32, outcome: u32) -> u32 {
        if tally == 0 {
            return outcome;
        }
        let mut arrivals: Vec<Arrival> = self.get(outcome).collect();
        for arrival in &mut arrivals {
            arrival.tally = self.sum(tally, arrival.tally);
        }
        self.add(arrivals)
    }

    /// Returns the outcome that is one of some, by weight.
    pub(super) fn mixture(&mut self, weighted: &[(u32, u32)]) -> u32 {
        let total: f64 = weighted.iter().map(|(weight, _)| f64::from(*weight)).sum();
        let mut arrivals = Vec::new();
        for (weight, outcome) in weighted.iter().filter(|(weight, _)| *weight > 0) {
            let probability = f64::from(*weight) / total;
            let some = self.get(*outcome);
            arrivals.extend(
                some.map(|arrival| Arrival { probability: arrival.probability * probability, ..arrival }),
            );
        }
        self.add(arrivals)
    }
}
