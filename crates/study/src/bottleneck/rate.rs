//! How often an event happens on the best and on the worst run of a timed view.

use std::rc::Rc;

use narrows_performance::Time;
use narrows_performance::timed::bounds::{Bound, Cost, Endpoints};
use narrows_performance::timed::ratio::{Extreme, Frequency};
use narrows_performance::timed::{ClassFrequency, Timed, Walk};

use crate::measure::{Built, Through};

/// How often an event happens on a run.
pub(crate) struct Rate {
    /// How many times in the part that counts.
    pub(crate) count: u64,
    /// How many ticks that part takes.
    pub(crate) ticks: u64,
    /// The run; if it goes round, the part that counts is its cycle, and otherwise all of it.
    pub(crate) walk: Walk,
}

impl Rate {
    /// Returns how often that is, per unit of time.
    pub(crate) fn per_time(&self, tick: Time) -> Time {
        Time::new(i128::from(self.count), i128::from(self.ticks.max(1))) / tick
    }
}

/// Finds the run on which an event is most or least frequent, and the view through which it leads. If every
/// run comes to an end, it is the shortest or the longest one. `None` if that is not known, or the event
/// happens without end in no time, or never.
pub(crate) fn rate<'v, 'a>(
    built: Built<'v, 'a>,
    event: u16,
    which: Extreme,
) -> Option<(Rate, Through<'v, 'a>)> {
    match built {
        Built::Ticks(timed) => Some((rate_in_ticks(timed, event, which)?, Through::Whole(timed))),
        Built::Classes(classes) => match classes.frequency(event, which).ok()? {
            ClassFrequency::Every { count, ticks, run: Some(run), .. } => {
                Some((Rate { count, ticks, walk: run.walk }, Through::Own(Rc::new(run.timed))))
            }
            _ => None,
        },
    }
}

fn rate_in_ticks(timed: &Timed<'_>, event: u16, which: Extreme) -> Option<Rate> {
    match timed.frequency(Cost::Event(event), which) {
        Frequency::Every { count, ticks, walk } => Some(Rate { count, ticks, walk }),
        Frequency::Infinite(_) => None,
        Frequency::Ends(walk) => {
            let goes_on =
                matches!(timed.frequency(Cost::Event(event), Extreme::Best), Frequency::Every { .. });
            if goes_on {
                return Some(Rate { count: 0, ticks: 1, walk });
            }
            ended(timed, event, which)
        }
    }
}

/// Finds the shortest or the longest run to where nothing happens any more.
fn ended(timed: &Timed<'_>, event: u16, which: Extreme) -> Option<Rate> {
    let (from, to) = whole(timed);
    let between = Endpoints { from: &from, to: &to };
    let bound = match which {
        Extreme::Best => timed.least(between, Cost::Time),
        Extreme::Worst => timed.most(between, Cost::Time),
    };
    let Bound::Finite(ticks, walk) = bound else { return None };
    let count: u64 = walk.edges(timed).map(|edge| u64::from(timed.count(edge, event))).sum();
    (ticks > 0 && count > 0).then_some(Rate { count, ticks, walk })
}

/// Returns, node by node, where runs begin and where they end for good.
pub(crate) fn whole(timed: &Timed<'_>) -> (Vec<bool>, Vec<bool>) {
    let nodes = 0..timed.nodes();
    (nodes.clone().map(|node| node == 0).collect(), nodes.map(|node| timed.edges(node).is_empty()).collect())
}
