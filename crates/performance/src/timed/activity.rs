//! Activities along a run: which delay runs from when to when, and what caused it.
//!
//! A delay starts when its statement becomes enabled, and that happens right after another delay has expired:
//! so every delay has a cause. The causes along a cyclic run lead back to the chain of delays that determines
//! its period: the critical chain.

use super::Timed;
use super::paths::Walk;
use crate::Urgency;

/// A delay that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The process.
    pub pid: u8,
    /// The delay, by number.
    pub delay: u16,
    /// When it began, in ticks.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// The delay after whose end it began, as a place in the list; `None` at the beginning of the run.
    pub cause: Option<usize>,
}

impl Walk {
    /// Returns the run with its cycle so many times; as it is if it has none.
    #[must_use]
    pub fn unrolled(&self, rounds: usize) -> Walk {
        let mut steps = self.steps.clone();
        if let Some(cycle) = self.cycle {
            for _ in 1..rounds {
                steps.extend_from_slice(&self.steps[cycle..]);
            }
        }
        Walk { steps, ..self.clone() }
    }

    /// Returns how many ticks the cycle takes; 0 if there is none.
    pub fn period(&self, timed: &Timed<'_>) -> u64 {
        self.edges(timed).skip(self.cycle.unwrap_or(usize::MAX)).map(|edge| u64::from(edge.ticks)).sum()
    }

    /// Returns the delays that run to their ends along the run, in the order in which they end.
    pub fn activities(&self, timed: &Timed<'_>) -> Vec<Activity> {
        let mut list: Vec<Activity> = Vec::new();
        // What runs: the process, the delay, since when, and what ended before.
        let mut running: Vec<(u8, u16, u64, Option<usize>)> = Vec::new();
        let mut now = 0;
        for (node, edge) in &self.steps {
            let row = timed.state_graph().steps_of(timed.state(*node));
            let urgency = || row.iter().map(|step| timed.state_graph().effect(step.effect).urgency);
            running
                .retain(|(pid, delay, ..)| urgency().any(|urgency| urgency == Urgency::Timed(*pid, *delay)));
            for urgency in urgency() {
                if let Urgency::Timed(pid, delay) = urgency
                    && !running.iter().any(|(other, number, ..)| (*other, *number) == (pid, delay))
                {
                    running.push((pid, delay, now, list.len().checked_sub(1)));
                }
            }
            let edge = &timed.edges(*node)[*edge as usize];
            now += u64::from(edge.ticks);
            let effect = timed.state_graph().effect(edge.effect);
            if let Urgency::Timed(pid, delay) = effect.urgency {
                let own = running.iter().find(|(other, number, ..)| (*other, *number) == (pid, delay));
                let (start, cause) = own.map_or((now, None), |(.., start, cause)| (*start, *cause));
                list.push(Activity { pid, delay, start, end: now, cause });
            }
            running.retain(|(pid, delay, ..)| !effect.stops(*pid, *delay));
        }
        list
    }

    /// Returns when something holds while time passes: from when to when, in ticks. A step after which it
    /// does not hold ends a part, even if it holds again at once.
    pub fn parts(&self, timed: &Timed<'_>, holds: impl Fn(u32) -> bool) -> Vec<(u64, u64)> {
        let mut parts: Vec<(u64, u64)> = Vec::new();
        let mut now = 0;
        let mut goes_on = false;
        for (node, edge) in &self.steps {
            let ticks = u64::from(timed.edges(*node)[*edge as usize].ticks);
            if holds(timed.state(*node)) {
                match parts.last_mut().filter(|_| goes_on) {
                    Some(part) => part.1 = now + ticks,
                    None => parts.push((now, now + ticks)),
                }
                goes_on = true;
            } else {
                goes_on = false;
            }
            now += ticks;
        }
        parts.retain(|(from, to)| to > from);
        parts
    }
}

/// Returns the critical chain of the last activity in a window of time: which activities, and for how long
/// each within the window, the earliest first.
pub fn chain(activities: &[Activity], window: (u64, u64)) -> Vec<(usize, u64)> {
    let mut chain = Vec::new();
    let mut next = activities.len().checked_sub(1);
    while let Some(number) = next {
        let activity = &activities[number];
        let inside = activity.end.min(window.1).saturating_sub(activity.start.max(window.0));
        if inside > 0 {
            chain.push((number, inside));
        }
        if activity.start <= window.0 {
            break;
        }
        next = activity.cause;
    }
    chain.reverse();
    chain
}
