//! Many short runs from the start, each independent of all others: a value at some time, and the way to a
//! target.
//!
//! A run to a target ends there, or where nothing happens any more. One that comes to neither is given up
//! after some events, and counts for both: as one that arrives where the probability is bounded from above,
//! and as one that does not where it is bounded from below.

use narrows_graph::Random;
use narrows_model::{Budget, Progress};

use super::drive::{Job, Work, is_enough, with_workers};
use super::estimate::{NORMAL, REPLICATIONS};
use super::run::Run;
use super::sample::scale_of;
use super::table::Table;
use super::tally::Tally;
use super::{Effort, Estimate, Scene, Simulated, SimulationError};
use crate::BuildError;

/// So many short runs are handed out at a time.
const PART: usize = 1 << 16;

/// There are at least so many.
const FEWEST: usize = REPLICATIONS * REPLICATIONS;

/// What was never seen after so many events is not waited for.
pub(super) const UNSEEN: u64 = 1 << 23;

/// What is asked about the way to the target of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Passage {
    /// How likely it is ever reached.
    Ever,
    /// How likely it is reached until some time.
    Before(f64),
    /// How long that takes.
    Time,
    /// How much of a reward is gained until then, and in the instant in which it is reached.
    Reward(usize),
}

/// What is seen in a short run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Glance {
    /// A value, at a moment.
    Moment { until: f64, value: usize },
    /// The way to the target, for so many events at most.
    Passage { what: Passage, most: u64 },
}

/// What some short runs have added up to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    sum: f64,
    squares: f64,
    /// Runs in which nothing happens any more before the target.
    missed: usize,
    /// Runs that were given up.
    open: usize,
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.squares += value * value;
    }

    fn extend(&mut self, more: Sums) {
        self.sum += more.sum;
        self.squares += more.squares;
        self.missed += more.missed;
        self.open += more.open;
    }
}

/// Estimates the mean of a value of the state at some time.
///
/// # Errors
///
/// As those of [`simulate`](super::simulate).
pub fn transient(
    scene: &Scene<'_>,
    value: usize,
    time: f64,
    effort: Effort,
    budget: &Budget,
) -> Result<Simulated, SimulationError> {
    let glance = Glance::Moment { until: time * scale_of(scene), value };
    let found = Simulated { time, ..Simulated::default() };
    sample(scene, glance, found, effort, budget, |count, sums| {
        Some(proportion(count as f64, sums.sum, sums.squares))
    })
}

/// Estimates what is asked about the way to the target of a scene.
///
/// # Errors
///
/// As those of [`simulate`](super::simulate).
pub fn passage(
    scene: &Scene<'_>,
    what: Passage,
    effort: Effort,
    budget: &Budget,
) -> Result<Simulated, SimulationError> {
    let glance = Glance::Passage { what, most: effort.events / FEWEST as u64 };
    sample(scene, glance, Simulated::default(), effort, budget, |count, sums| {
        let runs = count as f64;
        match what {
            Passage::Ever | Passage::Before(_) => {
                let [least, most] = [0, sums.open].map(|more| {
                    let hits = sums.sum + more as f64;
                    proportion(runs, hits, hits)
                });
                Some(Estimate { high: most.high, ..least })
            }
            // What may never end has no mean.
            _ if sums.missed + sums.open > 0 => None,
            Passage::Time | Passage::Reward(_) => Some(mean(runs, sums.sum, sums.squares)),
        }
    })
}

/// Makes more and more runs, until the estimate is good enough.
fn sample(
    scene: &Scene<'_>,
    glance: Glance,
    mut found: Simulated,
    effort: Effort,
    budget: &Budget,
    estimate: impl Fn(usize, &Sums) -> Option<Estimate>,
) -> Result<Simulated, SimulationError> {
    let work = Work::Short { seed: effort.seed, glance };
    with_workers(scene, budget, |workers| {
        let (mut sums, mut next) = (Sums::default(), 0);
        loop {
            let end = (2 * next).max(FEWEST);
            while next < end {
                // A run in which little happens does not look at the clock.
                let progress = Progress { transitions: found.events, ..Progress::default() };
                let limit = budget.watch.check(&progress).map(|limit| BuildError::Limit(limit).into());
                let part = end.min(next + PART);
                let jobs = (next..part).step_by(REPLICATIONS).map(|first| Job::new(first, scene, work));
                let done = match limit.map_or_else(|| workers.all(jobs.collect()), Err) {
                    Ok(done) => done,
                    Err(SimulationError::Build(BuildError::Limit(limit))) if found.replications > 0 => {
                        found.limit = Some(limit);
                        return Ok(found);
                    }
                    Err(error) => return Err(error),
                };
                next = part;
                for job in done {
                    found.events += job.tally.events;
                    found.has_choices |= job.tally.has_choices;
                    sums.extend(job.sums);
                }
            }
            found.replications = next;
            (found.missed, found.open) = (sums.missed, sums.open);
            let now = estimate(next, &sums);
            found.estimates = vec![now];
            // Where nothing happens before the end, there are runs all the same.
            let looked = found.events.max(next as u64);
            let is_unseen = sums.sum == 0.0 && looked < UNSEEN.min(effort.events);
            let is_good = now.is_none_or(|now| now.accuracy() <= effort.accuracy) || sums.sum == 0.0;
            if !is_unseen && is_good || sums.open > 0 || is_enough(looked, effort) {
                return Ok(found);
            }
        }
    })
}

/// Makes as many runs as there are replications, from some number on.
pub(super) fn glimpse(
    table: &mut Table<'_>,
    (seed, first): (u64, u64),
    glance: Glance,
    tally: &mut Tally,
) -> Result<Sums, SimulationError> {
    let mut sums = Sums::default();
    for one in first..first + REPLICATIONS as u64 {
        tally.now.fill(0.0);
        tally.has_arrived = false;
        // Streams of their own, beside those of long runs.
        let random = Random::stream(seed, one + (1 << 32));
        let mut run = Run::start(table, random, tally)?;
        match glance {
            Glance::Moment { until, value } => {
                run.advance(table, until, tally)?;
                sums.add(run.value(table, value));
            }
            Glance::Passage { what, most } => follow(table, &mut run, (what, most), tally, &mut sums)?,
        }
    }
    Ok(sums)
}

/// Follows a run to the target.
fn follow(
    table: &mut Table<'_>,
    run: &mut Run,
    (what, most): (Passage, u64),
    tally: &mut Tally,
    sums: &mut Sums,
) -> Result<(), SimulationError> {
    let until = if let Passage::Before(time) = what { time * table.scale } else { f64::MAX };
    let most = tally.events + most;
    while !tally.has_arrived {
        if run.is_stuck(table) {
            sums.missed += 1;
            return Ok(());
        }
        if !run.step(table, until, tally, 1.0)? {
            return Ok(());
        }
        if tally.events >= most && !tally.has_arrived {
            sums.open += 1;
            return Ok(());
        }
        if tally.events.is_multiple_of(super::run::WATCH_EVERY) {
            run.pause(table)?;
        }
    }
    sums.add(match what {
        Passage::Ever | Passage::Before(_) => 1.0,
        Passage::Time => run.time / table.scale,
        Passage::Reward(number) => {
            let first = table.scene.timing.events().len();
            table.scene.rewards[number]
                .sum(|event| tally.now[usize::from(event)], |value| tally.now[first + value] / table.scale)
        }
    });
    Ok(())
}

/// Estimates a mean of independent values from their number, their sum and that of their squares: of values
/// that are 0 or 1 as a probability, and of others as a mean.
fn proportion(count: f64, sum: f64, squares: f64) -> Estimate {
    let value = sum / count;
    // Of 0 and 1, the squares are the same.
    if (sum - squares).abs() >= 0.5 || !(0.0..=1.0).contains(&value) {
        return mean(count, sum, squares);
    }
    // The score interval of E. B. Wilson (1927), which holds for rare events too.
    let square = NORMAL * NORMAL;
    let middle = (value + square / (2.0 * count)) / (1.0 + square / count);
    let off = NORMAL / (1.0 + square / count)
        * (value * (1.0 - value) / count + square / (4.0 * count * count)).sqrt();
    Estimate { value, low: (middle - off).max(0.0), high: (middle + off).min(1.0) }
}

/// Estimates a mean by the normal approximation.
fn mean(count: f64, sum: f64, squares: f64) -> Estimate {
    let value = sum / count;
    let off = NORMAL * ((squares / count - value * value).max(0.0) / count).sqrt();
    Estimate { value, low: value - off, high: value + off }
}
