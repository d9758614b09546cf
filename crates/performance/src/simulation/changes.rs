//! What steps do to events and requests.

use rustc_hash::FxHashMap;

use super::{Mark, Scene};
use crate::exchange::Moved;
use crate::requests::{Change, Order, RequestEvents};

/// What one step does, or several in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Delta {
    pub(super) events: Vec<(u16, u32)>,
    /// By kind of request, in order.
    pub(super) changes: Vec<(u16, Change)>,
}

/// No event has this number.
const NEVER: Mark = Mark::Event(u16::MAX);

/// The kinds of requests, by what they begin and end with; the last one ends at the target.
#[derive(Debug)]
pub(super) struct Kinds {
    list: Vec<([Mark; 2], Order)>,
    of_event: FxHashMap<u16, Vec<u16>>,
    /// Those that begin or end with values of states.
    of_values: Vec<u16>,
    /// How many events are counted; those with greater numbers only tell requests apart.
    counted: usize,
}

fn rules(order: Order) -> RequestEvents {
    RequestEvents { from: 0, to: 1, both: 2, order }
}

impl Kinds {
    pub(super) fn new(scene: &Scene<'_>) -> Kinds {
        let all = scene.requests.iter().flat_map(|one| one.kinds.iter().map(|marks| (*marks, one.order)));
        let target = scene.target.map(|target| ([NEVER, target], Order::Next));
        let list: Vec<([Mark; 2], Order)> = all.chain(target).collect();
        let mut of_event: FxHashMap<u16, Vec<u16>> = FxHashMap::default();
        let mut of_values = Vec::new();
        for (kind, (marks, _)) in (0..).zip(&list) {
            for mark in marks {
                match mark {
                    Mark::Event(event) => of_event.entry(*event).or_default().push(kind),
                    Mark::Becomes(..) => of_values.push(kind),
                }
            }
        }
        of_values.dedup();
        Kinds { list, of_event, of_values, counted: scene.timing.events().len() }
    }

    /// Returns whether some begin or end with values of states.
    pub(super) fn watch_values(&self) -> bool {
        !self.of_values.is_empty()
    }

    /// Returns what a step does, given its events and the values before and after it; before the first state,
    /// nothing holds.
    pub(super) fn delta(&self, mut events: Vec<(u16, u32)>, before: Option<&[f64]>, after: &[f64]) -> Delta {
        let of_events = events.iter().filter_map(|(event, _)| self.of_event.get(event)).flatten();
        let mut touched: Vec<u16> = of_events.chain(&self.of_values).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        let change = |kind: &u16| (*kind, self.change(*kind, &events, before, after));
        let changes = touched.iter().map(change).filter(|(_, change)| *change != Change::default());
        let changes = changes.collect();
        events.retain(|(event, _)| usize::from(*event) < self.counted);
        Delta { events, changes }
    }

    fn change(&self, kind: u16, events: &[(u16, u32)], before: Option<&[f64]>, after: &[f64]) -> Change {
        let ([begin, end], order) = self.list[usize::from(kind)];
        let count =
            |event: u16| events.iter().find(|(known, _)| *known == event).map_or(0, |(_, count)| *count);
        let holds = |mark: Mark| match mark {
            Mark::Event(_) => [false; 2],
            Mark::Becomes(value, is) => {
                let is = |values: &[f64]| (values[value] > 0.0) == is;
                [before.is_some_and(is), is(after)]
            }
        };
        let [was_begin, is_begin] = holds(begin);
        let [was_end, is_end] = holds(end);
        let begins = match begin {
            Mark::Event(event) => count(event),
            Mark::Becomes(..) => u32::from(is_begin && !was_begin),
        };
        let ends = match end {
            Mark::Event(event) => count(event),
            Mark::Becomes(..) => u32::from(is_end && !was_end),
        };
        // What begins where it is over takes no time.
        let (begins, both) = if is_end { (0, begins) } else { (begins, 0) };
        rules(order).step(|event| [begins, ends, both][usize::from(event)])
    }
}

impl Delta {
    /// Returns what this does and then another.
    pub(super) fn then(&self, second: &Delta, kinds: &Kinds) -> Delta {
        let mut sum = self.clone();
        for (event, count) in &second.events {
            match sum.events.iter_mut().find(|(known, _)| known == event) {
                Some((_, known)) => *known += count,
                None => sum.events.push((*event, *count)),
            }
        }
        for (kind, change) in &second.changes {
            let order = kinds.list[usize::from(*kind)].1;
            match sum.changes.iter_mut().find(|(known, _)| known == kind) {
                Some((_, known)) => *known = rules(order).then(*known, *change),
                None => sum.changes.push((*kind, *change)),
            }
        }
        sum.events.sort_unstable();
        sum.changes.sort_unstable_by_key(|(kind, _)| *kind);
        sum
    }

    /// Returns the same with the numbers that processes had before they moved: kinds are numbered by them.
    pub(super) fn before(&self, moved: &Moved) -> Delta {
        let own =
            |kind: u16| moved.iter().position(|to| u16::from(*to) == kind).map_or(kind, |pid| pid as u16);
        let mut changes: Vec<(u16, Change)> =
            self.changes.iter().map(|(kind, change)| (own(*kind), *change)).collect();
        changes.sort_unstable_by_key(|(kind, _)| *kind);
        Delta { events: self.events.clone(), changes }
    }
}
