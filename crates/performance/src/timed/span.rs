//! What is measured on a run: from where to where.

use super::requests::{FollowError, Seen};
use crate::Step;
use crate::requests::{Change, MAX_OPEN, RequestEvents};

/// The part of a run that is measured, any that there is.
#[derive(Clone, Copy)]
pub enum Span<'m> {
    /// From one of some states, whenever it is entered, to one of others.
    Between {
        /// Whether it begins in a state.
        from: &'m [bool],
        /// Whether it ends there.
        to: &'m [bool],
    },
    /// A request, from its beginning to its end.
    Request {
        /// Which end belongs to which beginning.
        ends: RequestEvents,
        /// What happens at the start.
        initially: Change,
        /// What a step of a state does.
        change: &'m dyn Fn(u32, &Step) -> Change,
    },
}

impl Span<'_> {
    /// Calls `lead` with what an observer knows in the initial state, for each request that it may follow.
    pub(super) fn begin(&self, lead: &mut dyn FnMut(Seen)) {
        match self {
            Span::Between { .. } => {
                lead(Seen::Open(0));
                self.enter(0, lead);
            }
            Span::Request { ends, initially, .. } => {
                lead(Seen::Open(ends.open(0, *initially)));
                for place in ends.begun(0, *initially) {
                    lead(place.map_or(Seen::AtOnce, Seen::Begins));
                }
            }
        }
    }

    /// Begins in a state, if it may.
    fn enter(&self, state: u32, lead: &mut dyn FnMut(Seen)) {
        if let Span::Between { from, to } = self
            && from[state as usize]
        {
            lead(if to[state as usize] { Seen::AtOnce } else { Seen::Begins(0) });
        }
    }

    /// Calls `lead` with what an observer may know after a step.
    pub(super) fn after(
        &self,
        seen: Seen,
        state: u32,
        step: &Step,
        lead: &mut dyn FnMut(Seen),
    ) -> Result<(), FollowError> {
        let (ends, change) = match (self, seen) {
            (_, Seen::Over | Seen::AtOnce) => return Ok(()),
            (Span::Between { .. }, Seen::Open(_)) => {
                lead(seen);
                self.enter(step.target, lead);
                return Ok(());
            }
            (Span::Between { to, .. }, Seen::Follows(_) | Seen::Begins(_)) => {
                lead(if to[step.target as usize] { Seen::Over } else { Seen::Follows(0) });
                return Ok(());
            }
            (Span::Request { ends, change, .. }, _) => (ends, change(state, step)),
        };
        match seen {
            Seen::Over | Seen::AtOnce => {}
            Seen::Follows(place) | Seen::Begins(place) => {
                lead(ends.place(place, change).map_or(Seen::Over, Seen::Follows));
            }
            Seen::Open(open) => {
                let after = ends.open(open, change);
                if after > MAX_OPEN {
                    return Err(FollowError::TooManyOpen);
                }
                lead(Seen::Open(after));
                for place in ends.begun(open, change) {
                    lead(place.map_or(Seen::AtOnce, Seen::Begins));
                }
            }
        }
        Ok(())
    }
}
