//! Zones: what a state class knows about the dates at which its running delays expire.
//!
//! A zone bounds differences of dates (a difference bound matrix, in canonical form): date 0 is now, the
//! others are those at which the running delays expire, in the order of their names. Time passes when one of
//! them becomes now. Beside the matrix, a zone may have *marks*: for dates in the past, how far each date is
//! from them at most ([`Side::Latest`]) or at least ([`Side::Earliest`]). The other side is let go, so that a
//! zone whose marks are greater stands for all that one with smaller marks stands for, and more.
//!
//! Every operation takes quadratic time in the number of dates, and keeps the canonical form: bounds are as
//! tight as they can be (B. Berthomieu and M. Diaz, *Modeling and verification of time dependent systems
//! using time Petri nets*, 1991).

/// Which distances from a mark are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Marks bound how far dates are at most.
    Latest,
    /// Marks bound how far dates are at least: they are the negative distances.
    Earliest,
}

/// The least and the most ticks of a delay.
pub(super) type Window = (i64, i64);

/// A bound that is none, far from where sums overflow.
pub(super) const UNBOUNDED: i64 = i64::MAX / 4;

/// A system of difference bounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Zone {
    /// How many dates there are, now included.
    size: usize,
    /// How much greater the first date is than the second at most, row by row.
    bounds: Box<[i64]>,
    /// A row for each mark, in ticks times a scale.
    marks: Vec<i64>,
}

impl Zone {
    /// Returns the zone of delays that have just started.
    pub(super) fn fresh(windows: &[Window]) -> Zone {
        let now = Zone { size: 1, bounds: Box::new([0]), marks: Vec::new() };
        let fresh: Vec<Source> = windows.iter().map(|window| Source::Fresh(*window)).collect();
        now.arrive(&fresh, Side::Latest, 1)
    }

    /// Returns how much greater the first date is than the second at most.
    pub(super) fn bound(&self, first: usize, second: usize) -> i64 {
        self.bounds[first * self.size + second]
    }

    /// Returns the same zone without marks.
    pub(super) fn unmarked(&self) -> Zone {
        Zone { marks: Vec::new(), ..self.clone() }
    }

    /// Returns the same zone with one mark, at the present.
    pub(super) fn marked(&self, side: Side, scale: i64) -> Zone {
        let from_now = |date| match side {
            Side::Latest => self.bound(date, 0),
            Side::Earliest => self.bound(0, date),
        };
        let marks = (0..self.size).map(|date| from_now(date) * scale).collect();
        Zone { marks, ..self.clone() }
    }

    /// Returns the same zone with a mark for each of its dates, at that date.
    pub(super) fn marked_at_dates(&self, side: Side) -> Zone {
        let dates = 0..self.size;
        let marks = dates.clone().flat_map(|mark| {
            dates.clone().map(move |date| match side {
                Side::Latest => self.bound(date, mark),
                Side::Earliest => self.bound(mark, date),
            })
        });
        Zone { marks: marks.collect(), ..self.clone() }
    }

    /// Returns how many dates there are, now included.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the marks, row by row.
    pub(super) fn marks(&self) -> &[i64] {
        &self.marks
    }

    /// Returns how many bytes it takes.
    pub(super) fn memory(&self) -> u64 {
        (size_of::<Zone>() + (self.bounds.len() + self.marks.capacity()) * size_of::<i64>()) as u64
    }

    /// Returns whether time can pass.
    pub(super) fn lasts(&self) -> bool {
        self.size > 1 && (1..self.size).all(|date| self.bound(date, 0) > 0)
    }

    /// Adds to all distances from marks, or takes from them.
    pub(super) fn shift(&mut self, by: i64) {
        self.marks.iter_mut().for_each(|mark| *mark += by);
    }

    /// Returns whether all dates that it allows are allowed by another, marks aside.
    pub(super) fn is_within(&self, other: &Zone) -> bool {
        self.size == other.size && self.bounds.iter().zip(&other.bounds).all(|(one, two)| one <= two)
    }

    /// Returns whether another zone stands for all of it, marks included.
    pub(super) fn is_dominated_by(&self, other: &Zone) -> bool {
        self.marks.len() == other.marks.len()
            && self.marks.iter().zip(&other.marks).all(|(one, two)| one <= two)
            && self.is_within(other)
    }

    /// Restricts it to where a date is now; `None` if it can't be.
    pub(super) fn at_once(&self, date: usize, side: Side, scale: i64) -> Option<Zone> {
        if self.bound(0, date) < 0 {
            return None;
        }
        let row: Vec<i64> = (0..self.size).map(|to| self.bound(0, to)).collect();
        Some(self.tighten(date, &row, side, scale, |marks| marks[0]))
    }

    /// Lets time pass until a date, the first of all; `None` if it can't be the first. It becomes now, and
    /// the dates after it move up by one.
    pub(super) fn pass(&self, date: usize, side: Side, scale: i64) -> Option<Zone> {
        if (1..self.size).any(|other| self.bound(other, date) < 0) {
            return None;
        }
        let first = |to: usize| (1..self.size).map(|other| self.bound(other, to)).min().unwrap_or(0);
        let row: Vec<i64> = (0..self.size).map(first).collect();
        let earliest = |marks: &[i64]| marks[1..].iter().copied().min().unwrap_or(UNBOUNDED);
        let tight = self.tighten(date, &row, side, scale, earliest);
        let order: Vec<usize> =
            std::iter::once(date).chain((1..self.size).filter(|other| *other != date)).collect();
        Some(tight.select(&order))
    }

    /// Bounds a date by others: by how much it is after each at most, given a row that is canonical itself.
    fn tighten(
        &self,
        date: usize,
        row: &[i64],
        side: Side,
        scale: i64,
        mark_of_row: impl Fn(&[i64]) -> i64,
    ) -> Zone {
        let mut bounds = self.bounds.clone();
        for from in 0..self.size {
            let before = self.bound(from, date);
            for (to, bound) in row.iter().enumerate() {
                let place = from * self.size + to;
                bounds[place] = bounds[place].min(before + bound);
            }
        }
        let mut marks = self.marks.clone();
        for marks in marks.chunks_exact_mut(self.size) {
            match side {
                Side::Latest => {
                    let mark = mark_of_row(marks);
                    for (other, own) in marks.iter_mut().enumerate() {
                        *own = (*own).min(self.bound(other, date) * scale + mark);
                    }
                }
                Side::Earliest => {
                    let mark = marks[date];
                    for (own, bound) in marks.iter_mut().zip(row) {
                        *own = (*own).min(mark + bound * scale);
                    }
                }
            }
        }
        Zone { size: self.size, bounds, marks }
    }

    /// Returns the zone of some dates.
    pub(super) fn select(&self, dates: &[usize]) -> Zone {
        let bounds = dates.iter().flat_map(|from| dates.iter().map(|to| self.bound(*from, *to))).collect();
        let rows = self.marks.chunks_exact(self.size);
        let marks = rows.flat_map(|row| dates.iter().map(|date| row[*date])).collect();
        Zone { size: dates.len(), bounds, marks }
    }

    /// Returns the zone after a step that takes no time: which delays run on, and which start.
    pub(super) fn arrive(&self, sources: &[Source], side: Side, scale: i64) -> Zone {
        let size = sources.len() + 1;
        let source = |date: usize| if date == 0 { Source::Kept(0) } else { sources[date - 1] };
        let mut bounds = vec![0; size * size].into_boxed_slice();
        for from in 0..size {
            for to in (0..size).filter(|to| *to != from) {
                bounds[from * size + to] = match (source(from), source(to)) {
                    (Source::Kept(from), Source::Kept(to)) => self.bound(from, to),
                    (Source::Fresh((_, most)), Source::Kept(to)) => most + self.bound(0, to),
                    (Source::Kept(from), Source::Fresh((least, _))) => self.bound(from, 0) - least,
                    (Source::Fresh((_, most)), Source::Fresh((least, _))) => most - least,
                };
            }
        }
        let mark = |row: &[i64], date: usize| match (source(date), side) {
            (Source::Kept(kept), _) => row[kept],
            (Source::Fresh((_, most)), Side::Latest) => row[0] + most * scale,
            (Source::Fresh((least, _)), Side::Earliest) => row[0] - least * scale,
        };
        let rows = self.marks.chunks_exact(self.size);
        let marks = rows.flat_map(|row| (0..size).map(|date| mark(row, date)).collect::<Vec<_>>()).collect();
        Zone { size, bounds, marks }
    }
}

/// Where a date comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// It was this one before.
    Kept(usize),
    /// Its delay has just started.
    Fresh(Window),
}
