//! Extreme long-run frequencies of events.
//!
//! A cycle of steps that can be repeated takes so many ticks for each event, at least or at most. Whether any
//! run does better in the long run is asked of a search: it adds up the time of a run less that many ticks
//! for each event. If that stays bounded on all runs, no run is better, and the frequency is exact. Otherwise
//! the search comes to a cycle that is better, and it is asked again with that one: policy iteration, as in
//! Howard's algorithm, where a policy is a cycle of classes. Should the search come to no end, it is asked
//! with somewhat more ticks for each event, or fewer: the answer is then between both.

use super::overlap::{WHOLE, limit_of};
use super::schedule::Part;
use super::search::{Circle, ClassCost, End, Longest, Measure, Quotient, Search};
use super::zone::Side;
use super::{Classes, DatedRun};
use crate::timed::ratio::Extreme;
use narrows_model::Limit;

/// An extreme frequency of an event.
#[derive(Debug)]
pub enum ClassFrequency<'a> {
    /// So many times in so many ticks, for ever.
    Every {
        /// How many times.
        count: u64,
        /// In how many ticks.
        ticks: u64,
        /// A number of times and of ticks that no run exceeds or falls short of, if it is not known that none
        /// exceeds or falls short of the ones above.
        beyond: Option<(u64, u64)>,
        /// A run that comes to the cycle.
        run: Option<DatedRun<'a>>,
    },
    /// Again and again without any time in between.
    Infinite(Option<DatedRun<'a>>),
    /// No more from some time on: the run ends.
    Ends(Option<DatedRun<'a>>),
}

/// A search for a better cycle has at most so many nodes.
const MAX_NODES: usize = 1 << 17;

/// By which part of itself a number of ticks is changed if nothing is known of it.
const PARTS: [i64; 4] = [1 << 10, 1 << 7, 1 << 4, 1 << 1];

/// What is known of a number of ticks for each event.
enum Known<'a> {
    /// No run is better in the long run.
    Extreme,
    /// This cycle is.
    Exceeded(Cycle<'a>),
    /// Nothing.
    Open,
}

/// A cycle of steps that can be repeated: how often something happens on it.
struct Cycle<'a> {
    count: i64,
    ticks: i64,
    run: Option<DatedRun<'a>>,
}

impl<'a> Classes<'a> {
    /// Finds how often an event happens in the long run, at best or at worst.
    pub fn frequency(&self, event: u16, which: Extreme) -> Result<ClassFrequency<'a>, Limit> {
        if which == Extreme::Worst
            && let Some(run) = self.stop()
        {
            return Ok(ClassFrequency::Ends(run));
        }
        let Some(mut best) = self.first_cycle(event, which)? else {
            return Ok(ClassFrequency::Ends(self.stop().flatten()));
        };
        loop {
            if best.ticks == 0 {
                return Ok(ClassFrequency::Infinite(best.run));
            }
            if best.count == 0 {
                return Ok(ClassFrequency::Every {
                    count: 0,
                    ticks: best.ticks as u64,
                    beyond: None,
                    run: best.run,
                });
            }
            let found = self.ask(event, which, (best.ticks, best.count))?;
            let beyond = match found {
                Known::Exceeded(cycle) => {
                    best = cycle;
                    continue;
                }
                Known::Extreme => None,
                Known::Open => match self.ask_beyond(event, which, (best.ticks, best.count))? {
                    (Known::Exceeded(cycle), _) => {
                        best = cycle;
                        continue;
                    }
                    (Known::Extreme, (ticks, count)) => Some((count as u64, ticks as u64)),
                    (Known::Open, _) => return Err(Limit::Memory),
                },
            };
            let (count, ticks) = (best.count as u64, best.ticks as u64);
            return Ok(ClassFrequency::Every { count, ticks, beyond, run: best.run });
        }
    }

    /// Finds a run that stops; `None` if none does.
    #[expect(clippy::option_option, reason = "that there is one is known even if it can't be shown")]
    fn stop(&self) -> Option<Option<DatedRun<'a>>> {
        let stops = |class: &super::Class| self.stops((class.state, &class.zone));
        let class = self.found.iter().position(stops)?;
        let choices = self.choices_to(class as u32);
        let begins = choices.len();
        Some(self.dated(&choices, Part { begins, side: Side::Earliest, still: &[] }))
    }

    /// Finds any cycle on which time passes, or on which the event happens if the best is sought.
    fn first_cycle(&self, event: u16, which: Extreme) -> Result<Option<Cycle<'a>>, Limit> {
        let (measure, side) = match which {
            Extreme::Best => (Measure::Plain(ClassCost::Event(event)), Side::Earliest),
            Extreme::Worst => (Measure::Plain(ClassCost::Time), Side::Latest),
        };
        let mut search = Search::new(self, WHOLE, measure, Side::Latest);
        Ok(match search.longest().map_err(limit_of)? {
            Longest::Found(End::Circle(before, number)) => {
                Some(self.cycle(&search.circle(before, number), event, side).ok_or(Limit::Memory)?)
            }
            _ => None,
        })
    }

    /// Measures a cycle; `None` if its zones grow for long.
    fn cycle(&self, circle: &Circle<'_>, event: u16, side: Side) -> Option<Cycle<'a>> {
        let Circle { way, place, choices } = circle;
        let (ticks, rounds) = self.period(*place, choices, side, &[])?;
        let count = self.count_all(place.0, choices, event) * rounds;
        let run = self.lasso(way, *place, choices, Part { begins: way.len(), side, still: &[] });
        Some(Cycle { count, ticks, run })
    }

    /// Asks whether a run takes more ticks for each event in the long run, or fewer.
    fn ask(&self, event: u16, which: Extreme, per_event: Quotient) -> Result<Known<'a>, Limit> {
        let side = if which == Extreme::Best { Side::Earliest } else { Side::Latest };
        let measure = Measure::Excess { event, per_event };
        let mut search = Search::new(self, WHOLE, measure, side).within(MAX_NODES);
        Ok(match search.longest().map_err(limit_of)? {
            Longest::Found(End::Circle(before, number)) => {
                let cycle = self.cycle(&search.circle(before, number), event, side);
                cycle.map_or(Known::Open, Known::Exceeded)
            }
            Longest::TooMany => Known::Open,
            _ => Known::Extreme,
        })
    }

    /// Asks the same with more ticks, or fewer, until something is known.
    fn ask_beyond(
        &self,
        event: u16,
        which: Extreme,
        (ticks, count): Quotient,
    ) -> Result<(Known<'a>, Quotient), Limit> {
        for part in PARTS {
            let more = if which == Extreme::Best { part - 1 } else { part + 1 };
            let beyond = (ticks * more, count * part);
            let found = self.ask(event, which, beyond)?;
            if !matches!(found, Known::Open) {
                return Ok((found, beyond));
            }
        }
        Ok((Known::Open, (ticks, count)))
    }
}
