//! All that events lead to, or come from, by saturation (Ciardo, Lüttgen, Siminiceanu, 2001; within a set as
//! Zhao and Ciardo do it, 2009).
//!
//! An event looks at no variable above its first one. So events are applied inside a diagram: first those
//! that begin low, until nothing is added there, and again whenever one that begins higher has added
//! something. Diagrams stay small on the way, because what is below is finished before it is combined with
//! what is above.
//!
//! If the order of variables changes in between, each set on the way is kept as it is, and all begins again
//! with their union.

use narrows_model::Limit;

use crate::bdd::{Bdd, Manager};
use crate::relation::Event;

type Result<T> = std::result::Result<T, Limit>;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To what follows, out of states of a set.
    Forwards,
    /// To what comes before, in a set.
    Backwards,
}

/// Adds what some events lead to, until there is nothing to add. Sets are about states alone.
pub(crate) fn closure(
    manager: &Manager,
    events: &[&Event],
    start: &Bdd,
    within: &Bdd,
    direction: Direction,
) -> Result<Bdd> {
    let mut set = start.clone();
    loop {
        let generation = manager.generation();
        manager.forget_closures();
        let mut sorted: Vec<(u32, &Event)> =
            events.iter().map(|event| (manager.first_level(event.variables()), *event)).collect();
        sorted.sort_by_key(|(top, _)| *top);
        let saturation = Saturation { manager, events: sorted, direction, generation };
        set = saturation.saturated(&set, within, 0)?;
        if !saturation.is_outdated() {
            manager.forget_closures();
            return Ok(set);
        }
    }
}

struct Saturation<'a> {
    manager: &'a Manager,
    /// Events, each with the first level it looks at; the highest first.
    events: Vec<(u32, &'a Event)>,
    direction: Direction,
    generation: u64,
}

impl Saturation<'_> {
    /// Returns whether the order of variables has changed since levels were noted.
    fn is_outdated(&self) -> bool {
        self.manager.generation() != self.generation
    }

    /// Adds what the events from a number on lead to: less than all of it if the order changes.
    fn saturated(&self, set: &Bdd, within: &Bdd, first: usize) -> Result<Bdd> {
        if set.is_false() || set.is_true() || within.is_false() || first == self.events.len() {
            return Ok(set.clone());
        }
        if let Some(known) = self.manager.known_closure(first, set, within) {
            return Ok(known);
        }
        let top = self.events[first].0;
        let result = if top <= set.level().min(within.level()) {
            self.applied(set, within, first)?
        } else {
            let (variable, set, within) = set.split_with(within);
            let high = self.saturated(&set.0, &within.0, first)?;
            if self.is_outdated() {
                return self.manager.literal(variable)?.choose(&high, &set.1);
            }
            let low = self.saturated(&set.1, &within.1, first)?;
            self.manager.literal(variable)?.choose(&high, &low)?
        };
        if !self.is_outdated() {
            self.manager.keep_closure(first, set, within, &result);
            self.manager.keep_closure(first, &result, within, &result);
        }
        Ok(result)
    }

    /// Applies the events that begin at the same level as the given one, and all that begin lower.
    fn applied(&self, set: &Bdd, within: &Bdd, first: usize) -> Result<Bdd> {
        let top = self.events[first].0;
        let count = self.events[first..].iter().take_while(|(other, _)| *other == top).count();
        let below = first + count;
        let mut all = self.saturated(set, within, below)?;
        loop {
            let before = all.clone();
            for (_, event) in &self.events[first..below] {
                loop {
                    if self.is_outdated() {
                        return Ok(all);
                    }
                    let more = match self.direction {
                        Direction::Forwards => event.successors(&all.and(within)?)?,
                        Direction::Backwards => event.predecessors(&all, false)?.and(within)?,
                    };
                    let more = all.or(&more)?;
                    if more == all {
                        break;
                    }
                    all = self.saturated(&more, within, below)?;
                }
            }
            if all == before {
                return Ok(all);
            }
        }
    }
}
