//! What steps do: each different thing once, with a number.

use narrows_model::{Move, MoveKind, ProcessSet, Successor, System};
use narrows_source::Span;
use rustc_hash::FxHashMap;

use super::{Deed, Pace};
use crate::{Timing, Trouble};

/// What is done, by number.
pub(super) struct Deeds<'a> {
    pub(super) system: Option<&'a System>,
    pub(super) timing: &'a Timing,
    pub(super) list: Vec<Deed>,
    numbers: FxHashMap<Deed, u32>,
    /// What the last steps of some moves were, by what the moves are.
    recent: Vec<(Vec<Move>, u32)>,
}

/// How many moves are remembered with what they are.
const RECENT: usize = 256;

impl<'a> Deeds<'a> {
    pub(super) fn new(system: Option<&'a System>, timing: &'a Timing) -> Deeds<'a> {
        let (numbers, recent) = (FxHashMap::default(), vec![(Vec::new(), 0); RECENT]);
        Deeds { system, timing, list: Vec::new(), numbers, recent }
    }

    /// Returns the number of what is done. The same moves are always the same deed.
    pub(super) fn of(&mut self, successor: &Successor<'_>) -> Result<u32, Trouble> {
        let first = successor.moves.first();
        let place = first.map_or(0, |step| usize::from(step.pid) * 31 + step.transition.0 as usize) % RECENT;
        let (moves, deed) = &self.recent[place];
        if moves == successor.moves && first.is_some() {
            return Ok(*deed);
        }
        let deed = self.find(successor)?;
        let (moves, known) = &mut self.recent[place];
        moves.clear();
        moves.extend_from_slice(successor.moves);
        *known = deed;
        Ok(deed)
    }

    fn find(&mut self, successor: &Successor<'_>) -> Result<u32, Trouble> {
        let timing = self.timing;
        let (mut pace, mut chance) = (Pace::Now, None);
        let mut moved = ProcessSet::default();
        let mut events: Vec<(u16, u32)> = Vec::new();
        for step in successor.moves {
            if self.system.is_some() {
                moved.insert(usize::from(step.pid));
            }
            for event in timing.events_of(step) {
                match events.iter_mut().find(|(known, _)| *known == event) {
                    Some((_, count)) => *count += 1,
                    None => events.push((event, 1)),
                }
            }
        }
        events.sort_unstable();
        if let Some(first) = successor.moves.first() {
            let delay = timing.delay_of(first).map(|delay| (first.pid, delay));
            // A rendezvous has one delay, that of either side.
            let partner = successor.moves.get(1).filter(|_| first.kind == MoveKind::Offer);
            let partners = partner.and_then(|partner| Some((partner, timing.delay_of(partner)?)));
            pace = match (delay, partners) {
                (Some(_), Some((partner, _))) => {
                    let written = |system: &System, step: &Move| {
                        system.proctype(step.proctype).transition(step.transition).span
                    };
                    let span = |step: &Move| self.system.map_or_else(Span::default, |one| written(one, step));
                    return Err(Trouble::TwoDelays(span(first), span(partner)));
                }
                (Some((pid, delay)), None) => Pace::Later(pid, delay),
                (None, Some((partner, delay))) => Pace::Later(partner.pid, delay),
                (None, None) => Pace::Now,
            };
            chance = timing.weight_of(first).map(|weight| (first.pid, weight));
        }
        let deed = Deed { pace, chance, moved, events };
        if let Some(number) = self.numbers.get(&deed) {
            return Ok(*number);
        }
        let number = self.list.len() as u32;
        self.list.push(deed.clone());
        self.numbers.insert(deed, number);
        Ok(number)
    }
}
