//! Dates for a run through classes.
//!
//! Each step has a date. That a delay takes its time, that steps follow each other and that no delay is
//! overdue bounds differences of dates: shortest paths in the graph of these bounds are the latest dates from
//! some step on, or the earliest (Bellman and Ford). A run that goes round has three rounds more at its end,
//! of which each is the one before, moved by the period: what holds for these holds for all that follow.

use std::rc::Rc;

use super::steps::Clock;
use super::zone::{Side, Zone};
use super::{Classes, DatedRun};
use crate::timed::{Edge, Timed, Walk};
use crate::{Step, Urgency};

/// Which part of a run is measured.
#[derive(Clone, Copy)]
pub(super) struct Part<'p> {
    /// The step at which it begins.
    pub(super) begins: usize,
    /// Whether dates are as late as possible from there on, or as early.
    pub(super) side: Side,
    /// States in which no time may pass.
    pub(super) still: &'p [bool],
}

/// By how much the second date is after the first, at most.
type Bound = (usize, usize, i64);

/// A run is repeated at most so many times before it comes to its period.
const MAX_ROUNDS: usize = 64;

/// A run is not longer than this.
const MAX_STEPS: usize = 100_000;

/// The states and steps of a run, and what bounds its dates.
struct Course {
    /// The states, one more than there are steps.
    states: Vec<u32>,
    steps: Vec<Step>,
    bounds: Vec<Bound>,
}

impl<'a> Classes<'a> {
    /// Follows a run, and collects what bounds its dates.
    fn course(&self, choices: &[u32], still: &[bool]) -> Option<Course> {
        let graph = &self.state_graph;
        if graph.is_of_orbits() {
            // Processes have other numbers after a step.
            return None;
        }
        let mut course = Course { states: vec![0], steps: Vec::new(), bounds: Vec::new() };
        let mut state = 0;
        let mut running: Vec<(Clock, usize)> = self.clocks.of(0).iter().map(|clock| (*clock, 0)).collect();
        for (before, choice) in choices.iter().enumerate() {
            let (now, bounds) = (before + 1, &mut course.bounds);
            let step = *graph.steps_of(state).get(*choice as usize)?;
            let effect = graph.effect(step.effect);
            bounds.push((now, before, 0));
            if effect.urgency == Urgency::Immediate || Classes::is_still(still, state) {
                bounds.push((before, now, 0));
            }
            for (clock, start) in &running {
                let (least, most) = self.clocks.window(*clock);
                bounds.push((*start, now, most));
                if effect.urgency == Urgency::Timed(clock.0, clock.1) {
                    bounds.push((now, *start, -least));
                }
            }
            let started = |clock: &Clock| {
                let kept =
                    running.iter().find(|(known, _)| known == clock && !effect.stops(clock.0, clock.1));
                (*clock, kept.map_or(now, |(_, start)| *start))
            };
            running = self.clocks.of(step.target).iter().map(started).collect();
            state = step.target;
            course.states.push(state);
            course.steps.push(step);
        }
        Some(course)
    }

    /// Gives dates to a run.
    pub(super) fn dated(&self, choices: &[u32], part: Part<'_>) -> Option<DatedRun<'a>> {
        let course = self.course(choices, part.still)?;
        let dates = solve(course.states.len(), &course.bounds, part)?;
        Some(self.run(&course, choices, &dates, part, None))
    }

    /// Gives dates to a run after which some steps are taken again and again, from a class that allows all
    /// dates that it allowed a round before.
    pub(super) fn lasso(
        &self,
        choices: &[u32],
        place: (u32, &Zone),
        cycle: &[u32],
        part: Part<'_>,
    ) -> Option<DatedRun<'a>> {
        let (ticks, rounds) = self.period(place, cycle, part.side, part.still)?;
        let cycle = cycle.repeat(rounds as usize);
        let mut before = 0;
        while before <= MAX_ROUNDS {
            let mut long = choices.to_vec();
            long.extend(cycle.repeat(before));
            let begins = long.len() + cycle.len();
            long.extend(cycle.repeat(3));
            if long.len() > MAX_STEPS {
                return None;
            }
            let mut course = self.course(&long, part.still)?;
            for date in begins..long.len() {
                let later = date + 1;
                let earlier = later - cycle.len();
                course.bounds.push((earlier, later, ticks));
                course.bounds.push((later, earlier, -ticks));
            }
            if let Some(dates) = solve(course.states.len(), &course.bounds, part) {
                let end = begins + cycle.len();
                course.states.truncate(end + 1);
                course.steps.truncate(end);
                return Some(self.run(&course, &long, &dates, part, Some(begins)));
            }
            before = (before * 2).max(1);
        }
        None
    }

    /// Makes a view of a run.
    fn run(
        &self,
        course: &Course,
        choices: &[u32],
        dates: &[i64],
        part: Part<'_>,
        cycle: Option<usize>,
    ) -> DatedRun<'a> {
        let count = course.steps.len();
        let edge = |number: usize| Edge {
            target: match cycle {
                Some(cycle) if number + 1 == count => cycle,
                _ => number + 1,
            } as u32,
            ticks: (dates[number + 1] - dates[number]) as u32,
            effect: course.steps[number].effect,
            choice: choices[number],
        };
        let edges: Vec<Edge> = (0..count).map(edge).collect();
        let mut states = course.states.clone();
        let mut starts: Vec<u32> = (0..=count as u32).collect();
        if cycle.is_some() {
            states.pop();
        } else {
            starts.push(count as u32);
        }
        let state_graph = Rc::clone(&self.state_graph);
        let timed = Timed { state_graph, states, starts, edges, tick: Some(self.tick) };
        let walk =
            Walk { steps: (0..count as u32).map(|node| (node, 0)).collect(), begins: part.begins, cycle };
        DatedRun { timed, walk }
    }
}

/// Finds dates within bounds, as late as possible from where a part begins on, or as early; `None` if there
/// are none.
fn solve(count: usize, bounds: &[Bound], part: Part<'_>) -> Option<Vec<i64>> {
    let is_latest = part.side == Side::Latest;
    let mut far: Vec<Option<i64>> = vec![None; count];
    far[part.begins] = Some(0);
    for _ in 0..=count {
        let mut is_changed = false;
        let mut relax = |(from, to, weight): &Bound| {
            let (from, to) = if is_latest { (*from, *to) } else { (*to, *from) };
            if let Some(length) = far[from]
                && far[to].is_none_or(|known| length + weight < known)
            {
                far[to] = Some(length + weight);
                is_changed = true;
            }
        };
        bounds.iter().for_each(&mut relax);
        bounds.iter().rev().for_each(&mut relax);
        if far[part.begins] != Some(0) {
            return None;
        }
        if !is_changed {
            let sign = if is_latest { 1 } else { -1 };
            return far.into_iter().map(|length| length.map(|length| sign * length)).collect();
        }
    }
    None
}
