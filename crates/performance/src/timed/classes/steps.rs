//! Steps from class to class.

use super::Rest;
use super::zone::{Side, Source, Window, Zone};
use crate::{StateGraph, Step, Urgency};

/// A running delay: its process and its number.
pub(super) type Clock = (u8, u16);

/// The delays that run in each state.
#[derive(Debug)]
pub(super) struct Clocks {
    /// The least and the most ticks of each delay.
    windows: Vec<Window>,
    /// For each state that was expanded, what runs there, in order.
    running: Vec<Option<Box<[Clock]>>>,
}

/// How zones are kept in a search: which side of marks, and in which part of a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) side: Side,
    pub(super) scale: i64,
}

/// Zones without marks, or with marks that bound times from above.
pub(super) const LATEST: Scale = Scale { side: Side::Latest, scale: 1 };

/// A step from a class to another.
pub(super) struct ClassStep {
    pub(super) choice: u32,
    pub(super) step: Step,
    pub(super) zone: Zone,
}

impl Clocks {
    pub(super) fn new(windows: Vec<Window>) -> Clocks {
        Clocks { windows, running: Vec::new() }
    }

    /// Notes what runs in a state that was expanded.
    pub(super) fn note(&mut self, graph: &StateGraph<'_>, state: u32) {
        if self.running.len() <= state as usize {
            self.running.resize(graph.states() as usize, None);
        }
        let clocks = &mut self.running[state as usize];
        if clocks.is_none() {
            let urgencies = graph.steps_of(state).iter().map(|step| graph.effect(step.effect).urgency);
            let timed = urgencies.filter_map(|urgency| match urgency {
                Urgency::Timed(pid, delay) => Some((pid, delay)),
                Urgency::Immediate => None,
            });
            let mut names: Vec<Clock> = timed.collect();
            names.sort_unstable();
            names.dedup();
            *clocks = Some(names.into());
        }
    }

    /// Returns what runs in a state.
    pub(super) fn of(&self, state: u32) -> &[Clock] {
        self.running.get(state as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    /// Returns the least and the most ticks of a delay.
    pub(super) fn window(&self, (_, delay): Clock) -> Window {
        self.windows[usize::from(delay)]
    }

    /// Returns the zone of a state whose delays have all just started.
    pub(super) fn fresh(&self, state: u32) -> Zone {
        let windows: Vec<Window> = self.of(state).iter().map(|clock| self.window(*clock)).collect();
        Zone::fresh(&windows)
    }

    /// Takes the immediate steps of a class.
    pub(super) fn immediate(
        &self,
        graph: &StateGraph<'_>,
        (state, zone): (u32, &Zone),
        scale: Scale,
        visit: &mut dyn FnMut(ClassStep),
    ) {
        for (choice, step) in (0..).zip(graph.steps_of(state)) {
            if graph.effect(step.effect).urgency == Urgency::Immediate {
                let zone = self.arrive(graph, (state, zone), None, step, scale);
                visit(ClassStep { choice, step: *step, zone });
            }
        }
    }

    /// Lets time pass in a class until a delay expires, for each that may be the first; if no time may pass,
    /// for each that may expire now.
    pub(super) fn timed(
        &self,
        graph: &StateGraph<'_>,
        (state, zone): (u32, &Zone),
        may_pass: bool,
        scale: Scale,
        visit: &mut dyn FnMut(ClassStep),
    ) {
        let Scale { side, scale: factor } = scale;
        for (number, clock) in self.of(state).iter().enumerate() {
            let date = number + 1;
            let now = if may_pass { None } else { zone.at_once(date, side, factor) };
            if !may_pass && now.is_none() {
                continue;
            }
            let Some(passed) = now.as_ref().unwrap_or(zone).pass(date, side, factor) else { continue };
            for (choice, step) in (0..).zip(graph.steps_of(state)) {
                if graph.effect(step.effect).urgency == Urgency::Timed(clock.0, clock.1) {
                    let zone = self.arrive(graph, (state, &passed), Some(date), step, scale);
                    visit(ClassStep { choice, step: *step, zone });
                }
            }
        }
    }

    /// Returns where the dates of a state come from, after a step by which a delay may have expired.
    pub(super) fn sources(
        &self,
        graph: &StateGraph<'_>,
        state: u32,
        expired: Option<usize>,
        step: &Step,
    ) -> Vec<Source> {
        let effect = graph.effect(step.effect);
        let source = |clock: &Clock| {
            let fresh = Source::Fresh(self.window(*clock));
            if effect.stops(clock.0, clock.1) {
                return fresh;
            }
            self.of(state).binary_search(clock).map_or(fresh, |place| {
                let date = place + 1;
                // The date that has come is now, and those after it moved up.
                Source::Kept(date - usize::from(expired.is_some_and(|expired| expired < date)))
            })
        };
        self.of(step.target).iter().map(source).collect()
    }

    fn arrive(
        &self,
        graph: &StateGraph<'_>,
        (state, zone): (u32, &Zone),
        expired: Option<usize>,
        step: &Step,
        scale: Scale,
    ) -> Zone {
        zone.arrive(&self.sources(graph, state, expired, step), scale.side, scale.scale)
    }

    /// Returns whether time passes in a class.
    pub(super) fn rests(&self, graph: &StateGraph<'_>, rest: Rest, (state, zone): (u32, &Zone)) -> Waiting {
        match rest {
            Rest::Always => Waiting::Rests,
            Rest::Never | Rest::Unknown => Waiting::GoesOn,
            Rest::Waiting => self.waits(graph, state, &zone.unmarked()),
        }
    }

    /// Follows the immediate steps of busy waiting from a class, until nothing new comes.
    fn waits(&self, graph: &StateGraph<'_>, state: u32, zone: &Zone) -> Waiting {
        let mut found: Vec<(u32, Zone)> = vec![(state, zone.clone())];
        let mut edges: Vec<Vec<u32>> = Vec::new();
        while let Some((state, zone)) = found.get(edges.len()).cloned() {
            let mut targets = Vec::new();
            self.immediate(graph, (state, &zone), LATEST, &mut |next| {
                let next = (next.step.target, next.zone);
                let known = found.iter().position(|known| *known == next);
                targets.push(known.unwrap_or(found.len()) as u32);
                if known.is_none() {
                    found.push(next);
                }
            });
            edges.push(targets);
        }
        let groups = narrows_graph::components::find_in_lists(found.len(), [0], |node| &edges[node]);
        let own = groups.of[0];
        // Everything was found from it: it is in a bottom component if that is all there is.
        if groups.of.iter().any(|group| *group != own) {
            return Waiting::GoesOn;
        }
        let is_same = |(other, dates): &(u32, Zone)| self.of(*other) == self.of(state) && dates == zone;
        if found.iter().all(is_same) { Waiting::Rests } else { Waiting::StandsStill }
    }
}

/// Whether time passes in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// It does.
    Rests,
    /// It does not: immediate steps lead on.
    GoesOn,
    /// Not the same delays run on all of a cycle.
    StandsStill,
}
