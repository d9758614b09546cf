//! Steps that can be taken again and again: how long each round takes, at least or at most, in the long run.
//!
//! If the zone after some steps allows all that the one before allows, they can be repeated for ever. Once
//! zones do not grow any more, the distances from the dates before a round to those after it are the same in
//! every round: a matrix in the algebra of minimum and sum. What many rounds take is a power of it, and so
//! each takes as long as its least cycle mean (F. Baccelli and others, *Synchronization and Linearity*,
//! 1992).

use super::Classes;
use super::exchanged::exchanged;
use super::steps::{ClassStep, LATEST, Scale, Waiting};
use super::zone::{Side, UNBOUNDED, Zone};
use crate::Urgency;
use crate::timed::build::divisor;

/// A zone grows at most so many times.
const MAX_ROUNDS: usize = 4096;

impl Classes<'_> {
    /// Takes all steps of a class; if it is still, no time passes.
    pub(super) fn steps(
        &self,
        place: (u32, &Zone),
        is_still: bool,
        scale: Scale,
        visit: &mut dyn FnMut(ClassStep),
    ) {
        let graph = &self.state_graph;
        let visit = &mut |step| visit(self.exchanged(step));
        self.clocks.immediate(graph, place, scale, visit);
        if self.rests(place) == Waiting::Rests {
            self.clocks.timed(graph, place, !is_still, scale, visit);
        }
    }

    /// Puts the class that stands for it in place of the one that a step leads to.
    fn exchanged(&self, step: ClassStep) -> ClassStep {
        exchanged(self.exchange.as_deref(), &self.state_graph, &self.clocks, step)
    }

    /// Returns the state that stands for a state.
    fn canonical(&self, state: u32) -> u32 {
        let canon = self.exchange.as_ref().and_then(|exchange| exchange.of(state));
        canon.map_or(state, |canon| canon.state)
    }

    /// Returns whether time passes in a class.
    pub(super) fn rests(&self, place: (u32, &Zone)) -> Waiting {
        self.clocks.rests(&self.state_graph, self.rests[place.0 as usize], place)
    }

    /// Returns how many times an effect is an event.
    pub(super) fn count(&self, effect: u32, event: u16) -> i64 {
        let events = &self.state_graph.effect(effect).events;
        events.iter().find(|(number, _)| *number == event).map_or(0, |(_, count)| i64::from(*count))
    }

    /// Returns how many times some steps from a state are an event.
    pub(super) fn count_all(&self, mut state: u32, choices: &[u32], event: u16) -> i64 {
        let mut count = 0;
        for choice in choices {
            let step = self.state_graph.steps_of(state)[*choice as usize];
            count += self.count(step.effect, event);
            state = self.canonical(step.target);
        }
        count
    }

    /// Returns whether a run stops in a class: nothing happens at once, and no delay runs.
    pub(super) fn stops(&self, place: (u32, &Zone)) -> bool {
        self.clocks.of(place.0).is_empty() && self.rests(place) == Waiting::Rests
    }

    /// Returns whether no time may pass in a state, given where it may not.
    pub(super) fn is_still(still: &[bool], state: u32) -> bool {
        still.get(state as usize).is_some_and(|still| *still)
    }

    /// Takes one step of a class; `None` if that is not possible.
    fn take(
        &self,
        (state, zone): (u32, &Zone),
        choice: u32,
        scale: Scale,
        still: &[bool],
    ) -> Option<(u32, Zone)> {
        let graph = &self.state_graph;
        let step = graph.steps_of(state).get(choice as usize)?;
        let mut found = None;
        let mut visit = |next: ClassStep| {
            if next.choice == choice {
                let next = self.exchanged(next);
                found = Some((next.step.target, next.zone));
            }
        };
        match graph.effect(step.effect).urgency {
            Urgency::Immediate => self.clocks.immediate(graph, (state, zone), scale, &mut visit),
            Urgency::Timed(..) => {
                let may_pass = !Classes::is_still(still, state);
                self.clocks.timed(graph, (state, zone), may_pass, scale, &mut visit);
            }
        }
        found
    }

    /// Takes some steps from a class.
    fn take_all(
        &self,
        (mut state, zone): (u32, &Zone),
        choices: &[u32],
        scale: Scale,
        still: &[bool],
    ) -> Option<Zone> {
        let (first, mut zone) = (state, zone.clone());
        for choice in choices {
            (state, zone) = self.take((state, &zone), *choice, scale, still)?;
        }
        // With larger zones, equal processes may be in another order.
        (state == first).then_some(zone)
    }

    /// Returns how many ticks each round takes in the long run, at most or at least, as a quotient, if some
    /// steps are repeated that lead from a class back to its state and allow all dates there that it allows.
    /// `None` if that is not known.
    pub(super) fn period(
        &self,
        (state, zone): (u32, &Zone),
        choices: &[u32],
        side: Side,
        still: &[bool],
    ) -> Option<(i64, i64)> {
        let mut zone = zone.unmarked();
        let mut is_stable = false;
        for _ in 0..MAX_ROUNDS {
            let next = self.take_all((state, &zone), choices, LATEST, still)?;
            is_stable = next == zone;
            if is_stable {
                break;
            }
            zone = next;
        }
        if !is_stable {
            return None;
        }
        let marked = zone.marked_at_dates(side);
        let after = self.take_all((state, &marked), choices, Scale { side, scale: 1 }, still)?;
        let (over, under) = least_cycle_mean(after.marks(), after.size())?;
        Some(if side == Side::Latest { (over, under) } else { (-over, under) })
    }
}

/// Returns the least mean weight of a cycle, given weights row by row; `None` if there is no cycle (R. Karp,
/// *A characterization of the minimum cycle mean in a digraph*, 1978).
fn least_cycle_mean(weights: &[i64], size: usize) -> Option<(i64, i64)> {
    let is_edge = |weight: i64| weight < UNBOUNDED / 2;
    let mut lengths: Vec<Vec<Option<i64>>> = vec![vec![Some(0); size]];
    for _ in 0..size {
        let last = &lengths[lengths.len() - 1];
        let reach = |to: usize| {
            let ways = last.iter().enumerate().filter_map(|(from, length)| {
                let weight = weights[from * size + to];
                is_edge(weight).then_some((*length)? + weight)
            });
            ways.min()
        };
        let next = (0..size).map(reach).collect();
        lengths.push(next);
    }
    let is_less = |(over, under): (i64, i64), (other, below): (i64, i64)| {
        i128::from(over) * i128::from(below) < i128::from(other) * i128::from(under)
    };
    let mut best: Option<(i64, i64)> = None;
    for node in 0..size {
        let Some(longest) = lengths[size][node] else { continue };
        let mut worst: Option<(i64, i64)> = None;
        for (steps, lengths) in lengths[..size].iter().enumerate() {
            if let Some(length) = lengths[node] {
                let mean = (longest - length, (size - steps) as i64);
                if worst.is_none_or(|worst| is_less(worst, mean)) {
                    worst = Some(mean);
                }
            }
        }
        if let Some(mean) = worst
            && best.is_none_or(|best| is_less(mean, best))
        {
            best = Some(mean);
        }
    }
    let (over, under) = best?;
    let common = divisor(over.into(), under.into()).max(1) as i64;
    Some((over / common, under / common))
}
