//! Outcomes of immediate steps: distributions over next states with the events counted on the way, interned.

use rustc_hash::FxHashMap;

use crate::fine::Fine;
use crate::requests::{Change, RequestEvents};

/// A state of a stochastic view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A state in which time passes.
    Tangible(u32),
    /// A nondeterministic choice.
    Decision(u32),
}

/// One element of the support of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The state.
    pub target: Target,
    /// Its probability.
    pub probability: Fine,
    /// The events counted on the way, an interned tally.
    pub tally: u32,
}

/// What tells arrivals apart: the state, the digits of the probability, and the tally.
type ArrivalKey = (Target, (i32, i128), u32);

/// Events and how many times each is counted, in order.
type Tally = Vec<(u16, u32)>;

/// From here on, numbers are Dirac distributions on a tangible state: most outcomes are, and need not be
/// stored.
const CERTAIN: u32 = 1 << 31;

/// Interned distributions and tallies.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    list: Vec<Vec<Arrival>>,
    numbers: FxHashMap<Vec<ArrivalKey>, u32>,
    tallies: Vec<Tally>,
    tally_numbers: FxHashMap<Tally, u32>,
    /// The events whose order matters, by kind of request.
    kinds: Vec<RequestEvents>,
}

impl Outcomes {
    pub(super) fn new(kinds: &[RequestEvents]) -> Outcomes {
        let mut outcomes = Outcomes { kinds: kinds.to_vec(), ..Outcomes::default() };
        // Nothing has the number 0.
        outcomes.number_of(Tally::new());
        outcomes
    }

    /// Returns the support of an outcome.
    pub(super) fn get(&self, outcome: u32) -> impl Iterator<Item = Arrival> + '_ {
        let state = Outcomes::tangible_of(outcome);
        let certain =
            state.map(|state| Arrival { target: Target::Tangible(state), probability: Fine::ONE, tally: 0 });
        let others = if state.is_some() { &[][..] } else { &self.list[outcome as usize] };
        certain.into_iter().chain(others.iter().copied())
    }

    /// Returns the Dirac distribution on a tangible state.
    pub(super) fn tangible(state: u32) -> u32 {
        CERTAIN + state
    }

    /// Returns the state of a Dirac distribution on a tangible state, with nothing counted on the way.
    pub(super) fn tangible_of(outcome: u32) -> Option<u32> {
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

    /// Returns the number of the tally of a step with these events.
    pub(super) fn of_step(&mut self, mut events: Tally) -> u32 {
        for ends in &self.kinds {
            let change = ends.step(|event| count(&events, event));
            set(&mut events, *ends, change);
        }
        self.number_of(events)
    }

    /// Returns what a tally does to requests of each kind to which it does something.
    pub(super) fn changes(&self, tally: u32) -> Vec<(u32, Change)> {
        let tally = self.tally(tally);
        let changes = (0..).zip(&self.kinds).map(|(kind, ends)| (kind, change(tally, *ends)));
        changes.filter(|(_, change)| *change != Change::default()).collect()
    }

    /// Adds two tallies, the second of which comes later.
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
        for ends in &self.kinds {
            let [first, second] = [first, second].map(|tally| change(&self.tallies[tally as usize], *ends));
            set(&mut tally, *ends, ends.then(first, second));
        }
        tally.sort_unstable();
        self.number_of(tally)
    }

    fn add(&mut self, mut arrivals: Vec<Arrival>) -> u32 {
        arrivals.sort_by_key(|arrival| (arrival.target, arrival.tally));
        arrivals.dedup_by(|later, kept| {
            let same = (later.target, later.tally) == (kept.target, kept.tally);
            if same {
                kept.probability = kept.probability.plus(later.probability);
            }
            same
        });
        if let [Arrival { target: Target::Tangible(state), tally: 0, .. }] = arrivals[..] {
            return Outcomes::tangible(state);
        }
        let key: Vec<_> = arrivals
            .iter()
            .map(|arrival| (arrival.target, arrival.probability.digits(), arrival.tally))
            .collect();
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.list.push(arrivals);
        } else {
            for (known, one) in self.list[number as usize].iter_mut().zip(&arrivals) {
                known.probability = known.probability.shared_with(one.probability);
            }
        }
        number
    }

    /// Returns the Dirac distribution on a state.
    pub(super) fn certain(&mut self, target: Target) -> u32 {
        self.add(vec![Arrival { target, probability: Fine::ONE, tally: 0 }])
    }

    /// Returns an outcome with a tally added to each element.
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

    /// Returns the mixture of some outcomes, by weight.
    pub(super) fn mixture(&mut self, weighted: &[(u32, u32)]) -> u32 {
        let total: i128 = weighted.iter().map(|(weight, _)| i128::from(*weight)).sum();
        let mut arrivals = Vec::new();
        for (weight, outcome) in weighted.iter().filter(|(weight, _)| *weight > 0) {
            let probability = Fine::ratio(i128::from(*weight), total);
            let some = self.get(*outcome);
            arrivals.extend(
                some.map(|arrival| Arrival {
                    probability: arrival.probability.times(probability),
                    ..arrival
                }),
            );
        }
        self.add(arrivals)
    }
}

/// Returns how many times a tally counts an event.
pub(super) fn count(tally: &[(u16, u32)], event: u16) -> u32 {
    tally.iter().find(|(number, _)| *number == event).map_or(0, |(_, count)| *count)
}

fn change(tally: &[(u16, u32)], ends: RequestEvents) -> Change {
    let [begin, end, both] = [ends.from, ends.to, ends.both].map(|event| count(tally, event));
    Change { begin, end, both }
}

/// Writes down what happens to requests.
fn set(tally: &mut Tally, ends: RequestEvents, change: Change) {
    tally.retain(|(event, _)| ![ends.from, ends.to, ends.both].contains(event));
    let counts = [(ends.from, change.begin), (ends.to, change.end), (ends.both, change.both)];
    tally.extend(counts.into_iter().filter(|(_, count)| *count > 0));
    tally.sort_unstable();
}
