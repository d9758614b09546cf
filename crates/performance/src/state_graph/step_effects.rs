//! The effects of steps, interned.

use narrows_model::{Move, MoveKind, ProcessSet, Successor, System};
use narrows_source::Span;
use rustc_hash::FxHashMap;

use super::{StepEffect, Urgency};
use crate::{BuildError, Timing};

/// Interned effects.
pub(super) struct StepEffects<'a> {
    pub(super) system: Option<&'a System>,
    pub(super) timing: &'a Timing,
    pub(super) list: Vec<StepEffect>,
    numbers: FxHashMap<StepEffect, u32>,
    /// A direct-mapped cache from moves to effects.
    recent: Vec<(Vec<Move>, u32)>,
}

/// Entries of that cache.
const RECENT: usize = 256;

impl<'a> StepEffects<'a> {
    pub(super) fn new(system: Option<&'a System>, timing: &'a Timing) -> StepEffects<'a> {
        let (numbers, recent) = (FxHashMap::default(), vec![(Vec::new(), 0); RECENT]);
        StepEffects { system, timing, list: Vec::new(), numbers, recent }
    }

    /// Returns the effect of a successor. Equal moves have equal effects.
    pub(super) fn of(&mut self, successor: &Successor<'_>) -> Result<u32, BuildError> {
        let first = successor.moves.first();
        let place = first.map_or(0, |step| usize::from(step.pid) * 31 + step.transition.0 as usize) % RECENT;
        let (moves, effect) = &self.recent[place];
        if moves == successor.moves && first.is_some() {
            return Ok(*effect);
        }
        let effect = self.find(successor)?;
        let (moves, known) = &mut self.recent[place];
        moves.clear();
        moves.extend_from_slice(successor.moves);
        *known = effect;
        Ok(effect)
    }

    fn find(&mut self, successor: &Successor<'_>) -> Result<u32, BuildError> {
        let timing = self.timing;
        let (mut urgency, mut chance) = (Urgency::Immediate, None);
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
            urgency = match (delay, partners) {
                (Some(_), Some((partner, _))) => {
                    let written = |system: &System, step: &Move| {
                        system.proctype(step.proctype).transition(step.transition).span
                    };
                    let span = |step: &Move| self.system.map_or_else(Span::default, |one| written(one, step));
                    return Err(BuildError::TwoDelays(span(first), span(partner)));
                }
                (Some((pid, delay)), None) => Urgency::Timed(pid, delay),
                (None, Some((partner, delay))) => Urgency::Timed(partner.pid, delay),
                (None, None) => Urgency::Immediate,
            };
            chance = timing.weight_of(first).map(|weight| (first.pid, weight));
        }
        Ok(self.number(StepEffect { urgency, chance, moved, events }))
    }

    /// Returns the number of an effect.
    pub(super) fn number(&mut self, effect: StepEffect) -> u32 {
        if let Some(number) = self.numbers.get(&effect) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.list.push(effect.clone());
        self.numbers.insert(effect, number);
        number
    }
}
