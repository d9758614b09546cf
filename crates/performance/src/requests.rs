//! Requests: from an event that begins one to the event that ends it.
//!
//! Which end belongs to which beginning is a matter of [`Order`]. To follow one request it is enough to know
//! its place among the open ones, so that an observer beside a model has few states: how many requests are
//! open, until one of those that begin is followed, and then its place.
//!
//! Requests that are told apart, by the process or by a value, are of different kinds, each with events of
//! its own.
//!
//! A step that both ends and begins requests ends one and begins the next. Otherwise, in one instant of the
//! stochastic view with [`Order::Fifo`], requests begin before others end.

/// Which end belongs to which beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The first that began ends first.
    #[default]
    Fifo,
    /// The last that began ends first.
    Lifo,
    /// All that are open end.
    Next,
}

/// The numbers of the events with which requests begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestEvents {
    /// Requests begin with it.
    pub from: u16,
    /// Requests end with it.
    pub to: u16,
    /// A number that is no event of the model: views count [`Change::both`] by it.
    pub both: u16,
    /// Which end belongs to which beginning.
    pub order: Order,
}

/// What a step, or an instant, does to requests.
///
/// With [`Order::Fifo`]: `begin` new ones, then `both` times one ends and another begins, then `end`. With
/// the others `both` end in the instant they have begun in, `end` that are older end, and `begin` stay open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Change {
    /// How many begin.
    pub begin: u32,
    /// How many end.
    pub end: u32,
    /// How many do both.
    pub both: u32,
}

impl Change {
    /// Returns the change of a step, given which of two predicates hold before and after it. A request begins
    /// where the first becomes true, and ends where the second does; it takes no time if that holds already.
    pub fn between(before: [bool; 2], [begins, ends]: [bool; 2]) -> Change {
        let begins = begins && !before[0];
        let [begin, end, both] = [begins && !ends, ends && !before[1], begins && ends].map(u32::from);
        Change { begin, end, both }
    }
}

/// More requests than this are not followed.
pub const MAX_OPEN: u32 = 1 << 12;

impl RequestEvents {
    /// Returns what a step does, given how often each event happens in it.
    pub(crate) fn step(self, count: impl Fn(u16) -> u32) -> Change {
        let (begin, end) = (count(self.from), count(self.to));
        let turns = begin.min(end);
        let (begin, end, both) = (begin - turns, end - turns, count(self.both));
        if self.order == Order::Fifo {
            return Change { begin, end, both: both + turns };
        }
        let turn = Change { begin: 1, end: 1, both: 0 };
        let turned = (0..turns).fold(Change { begin, end: 0, both }, |sum, _| self.then(sum, turn));
        self.then(turned, Change { begin: 0, end, both: 0 })
    }

    /// Returns what one change does and then another.
    pub(crate) fn then(self, first: Change, second: Change) -> Change {
        let sum = Change {
            begin: first.begin + second.begin,
            end: first.end + second.end,
            both: first.both + second.both,
        };
        match self.order {
            Order::Fifo => sum,
            Order::Lifo => {
                let pairs = first.begin.min(second.end);
                Change { begin: sum.begin - pairs, end: sum.end - pairs, both: sum.both + pairs }
            }
            Order::Next if second.end == 0 => Change { end: first.end, ..sum },
            Order::Next => Change { begin: second.begin, end: 1, both: sum.both + first.begin },
        }
    }

    /// Returns how many requests are open after a change, if so many were before. With [`Order::Next`] they
    /// are not counted.
    pub(crate) fn open(self, before: u32, change: Change) -> u32 {
        match self.order {
            Order::Next => 0,
            Order::Lifo => before.saturating_sub(change.end) + change.begin,
            Order::Fifo => {
                let open = before + change.begin;
                open.max(change.both.min(1)).saturating_sub(change.end)
            }
        }
    }

    /// Returns the place of a request after a change; `None` if it has ended. First in line is 1; with
    /// [`Order::Lifo`], 0 is the one on top.
    pub(crate) fn place(self, place: u32, change: Change) -> Option<u32> {
        match self.order {
            Order::Next => (change.end == 0).then_some(0),
            Order::Lifo => place.checked_sub(change.end).map(|above| above + change.begin),
            Order::Fifo => place.checked_sub(change.both + change.end).filter(|place| *place > 0),
        }
    }

    /// Returns for each request that begins with a change its place after it, if so many were open before;
    /// `None` for those that have ended.
    pub(crate) fn begun(self, before: u32, change: Change) -> Vec<Option<u32>> {
        match self.order {
            Order::Next => {
                let open = (0..change.begin).map(|_| Some(0));
                open.chain((0..change.both).map(|_| None)).collect()
            }
            Order::Lifo => {
                let open = (0..change.begin).rev().map(Some);
                open.chain((0..change.both).map(|_| None)).collect()
            }
            Order::Fifo => {
                let gone = change.both + change.end;
                let first = (1..=change.begin).map(|one| before + one).map(|place| place.checked_sub(gone));
                // Each of those that follow one that ends at the same time is the last in line then.
                let last = (before + change.begin).max(1);
                let next = (1..=change.both).map(|one| (last + one).checked_sub(gone));
                first.chain(next).map(|place| place.filter(|place| *place > 0)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use narrows_graph::Random;

    use super::{Change, Order, RequestEvents};

    /// Requests by their numbers.
    #[derive(Clone, Default)]
    struct Line {
        open: VecDeque<u32>,
        next: u32,
    }

    impl Line {
        fn begin(&mut self) {
            self.open.push_back(self.next);
            self.next += 1;
        }

        fn end(&mut self, order: Order) {
            match order {
                Order::Fifo => _ = self.open.pop_front(),
                Order::Lifo => _ = self.open.pop_back(),
                Order::Next => self.open.clear(),
            }
        }

        /// Does a step, as the documentation has it.
        fn step(&mut self, order: Order, [begin, end]: [u32; 2]) {
            let both = begin.min(end);
            let (begin, end) = (begin - both, end - both);
            (0..begin).for_each(|_| self.begin());
            for _ in 0..both {
                self.end(order);
                self.begin();
            }
            (0..end).for_each(|_| self.end(order));
        }

        fn place(&self, order: Order, request: u32) -> Option<u32> {
            let place = self.open.iter().position(|open| *open == request)? as u32;
            Some(match order {
                Order::Fifo => place + 1,
                Order::Lifo => self.open.len() as u32 - 1 - place,
                Order::Next => 0,
            })
        }
    }

    /// Instants of several steps against lines of requests. First in, first out: all that begin at an instant
    /// do so before others end.
    #[test]
    fn places_are_those_in_line() {
        let mut random = Random::new(7);
        let mut ended_at_once = 0;
        for round in 0..3000 {
            let order = [Order::Fifo, Order::Lifo, Order::Next][round % 3];
            let ends = RequestEvents { from: 0, to: 1, both: 2, order };
            let mut line = Line::default();
            let before = random.below(5) as u32;
            (0..before).for_each(|_| line.begin());
            let steps = if order == Order::Fifo { 1 } else { 1 + random.below(4) };
            let mut change = Change::default();
            let start = line.clone();
            for _ in 0..steps {
                let step = [0; 2].map(|_| random.below(3) as u32);
                line.step(order, step);
                change =
                    ends.then(change, ends.step(|event| step.get(usize::from(event)).copied().unwrap_or(0)));
            }
            if order != Order::Next {
                assert_eq!(ends.open(before, change), line.open.len() as u32, "{order:?} {change:?}");
            }
            for request in &start.open {
                let place = start.place(order, *request).unwrap();
                assert_eq!(ends.place(place, change), line.place(order, *request), "{order:?} {change:?}");
            }
            let mut expected: Vec<_> = (start.next..line.next).map(|one| line.place(order, one)).collect();
            let mut found = ends.begun(before, change);
            ended_at_once += found.iter().filter(|place| place.is_none()).count();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{order:?} {before} {change:?}");
        }
        assert!(ended_at_once > 500);
    }
}
