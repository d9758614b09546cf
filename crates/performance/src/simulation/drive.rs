//! Runs replications until the estimates are good enough, on all threads.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use narrows_graph::Random;
use narrows_model::Budget;

use super::estimate::{Evidence, REPLICATIONS, are_apart};
use super::growth::{Growths, Trend};
use super::run::Run;
use super::sample::scale_of;
use super::short_runs::{Glance, Sums, UNSEEN, glimpse};
use super::splitting::Splitting;
use super::table::Table;
use super::tally::{INTERVALS, Tally};
use super::{Channel, Effort, Estimate, Quantity, Scene, Simulated, SimulationError};
use crate::{BuildError, as_f64};

/// So many delays expire in the run that tells how long replications are at first.
const PILOT: u64 = 250;

/// Before so many events, no estimate is taken for good.
const LEAST_EVENTS: u64 = 1 << 17;

/// Estimates quantities.
///
/// # Errors
///
/// There are none if the model can't be run, or a limit was hit before there was enough to see.
pub fn simulate(
    scene: &Scene<'_>,
    asked: &[Quantity],
    effort: Effort,
    budget: &Budget,
) -> Result<Simulated, SimulationError> {
    with_workers(scene, budget, |workers| {
        Drive::new(scene, effort, workers).and_then(|drive| drive.run(asked))
    })
}

/// Returns whether twice as many events would be further from what is allowed.
pub(super) fn is_enough(events: u64, effort: Effort) -> bool {
    events as f64 * std::f64::consts::SQRT_2 >= effort.events as f64
}

/// Returns how many channels there are.
fn channels(scene: &Scene<'_>) -> usize {
    scene.timing.events().len() + scene.values.len() + 2 * scene.requests.len() + scene.sizes.len()
}

/// What a job is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Find how long it takes until some delays have expired.
    Pilot { seed: u64 },
    /// Go on for some intervals of time. A new replication begins somewhere in the time that all of them
    /// have at first, so that those of a model without chance are not all alike.
    Intervals { seed: u64, width: f64 },
    /// See something in as many new runs as there are replications.
    Short { seed: u64, glance: Glance },
}

/// A part of the work, with the replication it is done on.
pub(super) struct Job {
    number: usize,
    run: Option<Run>,
    pub(super) tally: Tally,
    /// What short runs have added up to.
    pub(super) sums: Sums,
    work: Work,
    /// Where runs are split, if they are.
    splitting: Option<Arc<Splitting>>,
}

impl Job {
    pub(super) fn new(number: usize, scene: &Scene<'_>, work: Work) -> Job {
        let tally = Tally::new(channels(scene), scene.requests.len());
        Job { number, run: None, tally, sums: Sums::default(), work, splitting: None }
    }

    fn run(&mut self, table: &mut Table<'_>) -> Result<(), SimulationError> {
        let number = self.number as u64;
        match self.work {
            Work::Pilot { seed } => {
                if table.scene.level.is_some() {
                    self.splitting = Some(Arc::new(Splitting::find(table, seed, &self.tally)?));
                }
                let mut run = Run::start(table, Random::stream(seed, u64::MAX), &mut self.tally)?;
                let delays = table.scene.timing.delays().iter();
                let mut width = delays.map(|one| as_f64(one.delay.mean())).sum::<f64>() * table.scale;
                if width <= 0.0 {
                    width = 1.0;
                }
                while !run.is_over && self.tally.events < PILOT && run.time + width < f64::MAX {
                    run.advance(table, run.time + width, &mut self.tally)?;
                    width *= 2.0;
                }
                self.run = Some(run);
            }
            Work::Intervals { seed, width } => {
                let mut run = match self.run.take() {
                    Some(mut run) => {
                        run.enter(table)?;
                        run
                    }
                    None => {
                        let mut random = Random::stream(seed, number);
                        let phase = random.fraction() * width * INTERVALS as f64;
                        let mut run = Run::start(table, random, &mut self.tally)?;
                        run.advance(table, phase, &mut self.tally)?;
                        run
                    }
                };
                if !run.is_over {
                    self.tally.histograms.iter_mut().for_each(super::tally::Histogram::clear);
                }
                while !self.tally.is_full() {
                    let until = run.time + width;
                    match &self.splitting {
                        Some(splitting) => splitting.advance(&mut run, table, until, &mut self.tally)?,
                        None => run.advance(table, until, &mut self.tally)?,
                    }
                    self.tally.next_interval();
                }
                run.leave(table);
                self.run = Some(run);
            }
            Work::Short { seed, glance } => {
                self.sums = glimpse(table, (seed, number), glance, &mut self.tally)?;
            }
        }
        Ok(())
    }
}

type Done = (usize, Result<Job, SimulationError>);

/// Those who do jobs.
pub(super) enum Workers<'w, 'a> {
    /// Everything is done here.
    Here(&'w mut Table<'a>),
    /// Others do it.
    Threads(&'w Sender<(usize, Job)>, &'w Receiver<Done>),
}

impl Workers<'_, '_> {
    /// Does all jobs; returns them in their order. Of several errors, the first in that order counts; a limit
    /// counts only if there is no other.
    pub(super) fn all(&mut self, jobs: Vec<Job>) -> Result<Vec<Job>, SimulationError> {
        let count = jobs.len();
        let mut done: Vec<Done> = match self {
            Workers::Here(table) => {
                let mut done = Vec::with_capacity(count);
                for (place, mut job) in jobs.into_iter().enumerate() {
                    let result = job.run(table).map(|()| job);
                    let is_over = result.is_err();
                    done.push((place, result));
                    if is_over {
                        break;
                    }
                }
                done
            }
            Workers::Threads(work, results) => {
                let sent = jobs.into_iter().enumerate().filter_map(|job| work.send(job).ok()).count();
                (0..sent).filter_map(|_| results.recv().ok()).collect()
            }
        };
        done.sort_by_key(|(place, _)| *place);
        let (mut jobs, mut limit) = (Vec::with_capacity(count), None);
        for (_, result) in done {
            match result {
                Ok(job) => jobs.push(job),
                Err(error @ SimulationError::Build(BuildError::Limit(_))) => limit = limit.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        match limit {
            Some(limit) => Err(limit),
            None if jobs.len() < count => Err(narrows_model::Limit::Interrupted.into()),
            None => Ok(jobs),
        }
    }
}

/// Does something with as many workers as there may be threads, each with a table of its own.
pub(super) fn with_workers<T>(
    scene: &Scene<'_>,
    budget: &Budget,
    task: impl FnOnce(&mut Workers<'_, '_>) -> Result<T, SimulationError>,
) -> Result<T, SimulationError> {
    let threads = budget.threads.clamp(1, REPLICATIONS);
    let share = Budget { memory: budget.memory / threads as u64, ..budget.clone() };
    if threads == 1 {
        let mut table = Table::new(scene, &share)?;
        return task(&mut Workers::Here(&mut table));
    }
    let (work, jobs) = channel::<(usize, Job)>();
    let (results, done) = channel::<Done>();
    let jobs = Mutex::new(jobs);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (results, jobs, share) = (results.clone(), &jobs, &share);
            scope.spawn(move || {
                let mut table = Table::new(scene, share);
                loop {
                    let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((place, mut job)) = next else { return };
                    let result = match &mut table {
                        Ok(table) => job.run(table).map(|()| job),
                        Err(error) => Err(error.clone()),
                    };
                    if results.send((place, result)).is_err() {
                        return;
                    }
                }
            });
        }
        let found = task(&mut Workers::Threads(&work, &done));
        // Without senders, the workers go home.
        drop(work);
        found
    })
}

/// Replications that grow together.
struct Drive<'w, 't, 'a, 's> {
    scene: &'s Scene<'s>,
    effort: Effort,
    workers: &'w mut Workers<'t, 'a>,
    jobs: Vec<Job>,
    /// How much time an interval takes.
    width: f64,
    scale: f64,
}

impl<'w, 't, 'a, 's> Drive<'w, 't, 'a, 's> {
    fn new(
        scene: &'s Scene<'s>,
        effort: Effort,
        workers: &'w mut Workers<'t, 'a>,
    ) -> Result<Drive<'w, 't, 'a, 's>, SimulationError> {
        let seed = effort.seed;
        let pilot = workers.all(vec![Job::new(0, scene, Work::Pilot { seed })])?.pop();
        let splitting = pilot.as_ref().and_then(|job| job.splitting.clone());
        let length = pilot.and_then(|job| job.run).map_or(1.0, |run| run.time);
        let width = if length > 0.0 { length / INTERVALS as f64 } else { 1.0 };
        let work = Work::Intervals { seed, width };
        let job = |number| Job { splitting: splitting.clone(), ..Job::new(number, scene, work) };
        let jobs = (0..REPLICATIONS).map(job).collect();
        Ok(Drive { scene, effort, workers, jobs, width, scale: scale_of(scene) })
    }

    fn run(mut self, asked: &[Quantity]) -> Result<Simulated, SimulationError> {
        let mut found: Option<(Simulated, Growths)> = None;
        loop {
            match self.workers.all(std::mem::take(&mut self.jobs)) {
                Ok(jobs) => self.jobs = jobs,
                Err(SimulationError::Build(BuildError::Limit(limit))) if found.is_some() => {
                    let Some((mut last, growths)) = found else { return Err(limit.into()) };
                    if growths.trend(last.events, true) == Trend::Diverging {
                        last.unsettled.fill(true);
                        last.growing = growths.growing();
                    }
                    return Ok(Simulated { limit: Some(limit), ..last }.without_unsettled(asked));
                }
                Err(error) => return Err(error),
            }
            let (mut now, growths) = self.look(asked);
            let is_last = is_enough(now.events, self.effort);
            let trend = growths.trend(now.events, is_last);
            match trend {
                Trend::Settled | Trend::Unknown => {}
                Trend::Linear => self.keep_settled(asked, found.as_ref().map(|found| &found.0), &mut now),
                Trend::Diverging => now.unsettled.fill(true),
            }
            if matches!(trend, Trend::Linear | Trend::Diverging) {
                now.growing = growths.growing();
            }
            let is_good = |(one, is_unsettled): (&Option<Estimate>, &bool)| match one {
                Some(one) => *is_unsettled || one.accuracy() <= self.effort.accuracy,
                None => *is_unsettled || now.events > UNSEEN.min(self.effort.events / 2),
            };
            // The first looks have too little behind them.
            let is_over = self.ended() == self.jobs.len();
            let is_known = found.is_some() && (now.events >= LEAST_EVENTS || is_over);
            let is_known = is_known && matches!(trend, Trend::Settled | Trend::Linear);
            let is_good = is_known && now.estimates.iter().zip(&now.unsettled).all(is_good);
            if is_good || is_last || trend == Trend::Diverging {
                return Ok(now.without_unsettled(asked));
            }
            found = Some((now, growths));
            self.double();
        }
    }

    /// Makes replications twice as long.
    fn double(&mut self) {
        self.width *= 2.0;
        let (seed, width) = (self.effort.seed, self.width);
        for job in &mut self.jobs {
            job.tally.halve();
            job.work = Work::Intervals { seed, width };
        }
    }

    /// Returns how many replications have come to an end after which nothing happens.
    fn ended(&self) -> usize {
        self.jobs.iter().filter(|job| job.run.as_ref().is_some_and(|run| run.is_over)).count()
    }

    fn evidence(&self) -> Evidence<'_> {
        let (events, values) = (self.scene.timing.events().len(), self.scene.values.len());
        let is_over = self.ended() == self.jobs.len();
        let tallies: Vec<&Tally> = self.jobs.iter().map(|job| &job.tally).collect();
        let (width, scale, rewards) = (self.width, self.scale, self.scene.rewards.as_slice());
        Evidence { tallies, events, values, rewards, width, scale, is_over }
    }

    /// Keeps what does not change any more where something grows all the time, and says what does.
    fn keep_settled(&self, asked: &[Quantity], before: Option<&Simulated>, now: &mut Simulated) {
        let evidence = self.evidence();
        for (number, quantity) in asked.iter().enumerate() {
            let settled = match quantity {
                Quantity::Ratio(above, below) => evidence.settled_ratio(*above, *below),
                // Times are those of the last half of each run: what was seen before was another part.
                Quantity::Quantile(..) => {
                    let before = before.and_then(|before| before.estimates[number]);
                    now.estimates[number].filter(|now| before.is_some_and(|before| !are_apart(&before, now)))
                }
            };
            now.unsettled[number] = settled.is_none();
            now.estimates[number] = settled.or(now.estimates[number]);
        }
    }

    /// Estimates from what there is, and looks at what grows.
    fn look(&self, asked: &[Quantity]) -> (Simulated, Growths) {
        let (ended, evidence) = (self.ended(), self.evidence());
        let found: Vec<(Option<Estimate>, f64)> = asked.iter().map(|one| evidence.estimate(*one)).collect();
        let growths = evidence.growths(self.scene.requests.len(), self.scene.sizes.len());
        let simulated = Simulated {
            estimates: found.iter().map(|(estimate, _)| *estimate).collect(),
            unsettled: vec![false; asked.len()],
            growing: Vec::new(),
            curves: (0..self.scene.requests.len()).map(|number| evidence.curve(number)).collect(),
            events: self.jobs.iter().map(|job| job.tally.events).sum(),
            time: self.width * INTERVALS as f64 / self.scale,
            warm_up: found.iter().map(|(_, warm_up)| *warm_up).fold(0.0, f64::max),
            replications: self.jobs.len(),
            ended,
            has_choices: self.jobs.iter().any(|job| job.tally.has_choices),
            ..Simulated::default()
        };
        (simulated, growths)
    }
}

impl Channel {
    /// Returns how much of it there is in a unit of time.
    pub fn often(self) -> Quantity {
        Quantity::Ratio(self, Channel::Time)
    }
}
