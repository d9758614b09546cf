//! Whether time passes in some states on a run, and whether a run avoids that.

use narrows_model::Limit;

use super::schedule::Part;
use super::search::{ClassCost, Measure, Search};
use super::steps::{LATEST, Waiting};
use super::zone::Side;
use super::{Classes, DatedRun};
use crate::requests::{Change, Order, RequestEvents};
use crate::timed::bounds::Bound;
use crate::timed::{FollowError, Span};

/// A request that begins with each run, and never ends.
pub(super) const WHOLE: Span<'static> = Span::Request {
    ends: RequestEvents { from: 0, to: 1, both: 2, order: Order::Next },
    initially: Change { begin: 1, end: 0, both: 0 },
    change: &|_, _| Change { begin: 0, end: 0, both: 0 },
};

impl<'a> Classes<'a> {
    /// Returns in which states time passes on some run.
    pub fn lasting_states(&self) -> Vec<u32> {
        let lasts = |class: &&super::Class| {
            class.zone.lasts() && self.rests((class.state, &class.zone)) == Waiting::Rests
        };
        let mut states: Vec<u32> = self.found.iter().filter(lasts).map(|class| class.state).collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// Finds a run on which time passes in one of some states; `None` if there is none.
    pub fn reaching(&self, is_meant: &[bool]) -> Option<DatedRun<'a>> {
        let graph = &self.state_graph;
        for (number, class) in
            self.found.iter().enumerate().filter(|(_, class)| is_meant[class.state as usize])
        {
            if !class.zone.lasts() || self.rests((class.state, &class.zone)) != Waiting::Rests {
                continue;
            }
            let mut last = None;
            let zone = class.zone.marked(Side::Latest, 1);
            self.clocks.timed(graph, (class.state, &zone), true, LATEST, &mut |step| {
                if step.zone.marks()[0] > 0 {
                    last = Some(step.choice);
                }
            });
            let Some(last) = last else { continue };
            let mut choices = self.choices_to(number as u32);
            let begins = choices.len();
            choices.push(last);
            if let Some(run) = self.dated(&choices, Part { begins, side: Side::Latest, still: &[] }) {
                return Some(run);
            }
        }
        None
    }

    /// Returns whether there is a run on which no time passes in some states, and on which time diverges or
    /// that ends in a deadlock; and shows it.
    pub fn avoiding(&self, is_meant: &[bool]) -> Result<(bool, Option<DatedRun<'a>>), Limit> {
        let search = Search::new(self, WHOLE, Measure::Plain(ClassCost::Time), Side::Latest);
        let found = search.standing_still(is_meant).most().map_err(limit_of)?;
        let Bound::Infinite(walk) = found.bound else { return Ok((false, None)) };
        Ok((true, found.timed.map(|timed| DatedRun { timed, walk })))
    }
}

/// Returns the limit because of which a search ended that follows a single request.
pub(super) fn limit_of(error: FollowError) -> Limit {
    match error {
        FollowError::Limit(limit) => limit,
        FollowError::TooManyOpen => Limit::Memory,
    }
}
