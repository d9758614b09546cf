//! Rare events by importance splitting: RESTART (M. Villén-Altamirano, J. Villén-Altamirano, *RESTART: a
//! straightforward method for fast simulation of rare events*, WSC 1994).
//!
//! A level function says how near a state is to what is rare. Where a run rises above one of some thresholds,
//! it is repeated from there several times, each repetition until it falls below that threshold again. What
//! happens above thresholds is counted with one over the number of repetitions that there are, and so stays
//! what it is on average; but there is much more to see. Thresholds are found by pilot runs: a run goes above
//! each from the one before it about one time in three.

use narrows_graph::Random;

use super::SimulationError;
use super::run::Run;
use super::table::Table;
use super::tally::Tally;

/// A threshold is where runs rise no more often than this, relative to the one before it.
const RARE: f64 = 0.35;

/// A level says something if pilot runs have risen to it so often.
const SEEN: u64 = 30;

/// So many events happen in each of so many pilot runs, at most.
const PILOT: u64 = 20_000;
const MAX_PILOTS: usize = 24;

/// Levels above this are this one.
const MAX_LEVEL: u32 = 1 << 10;

/// Runs are repeated no more than so many times at a threshold.
const MAX_FACTOR: f64 = 10.0;

/// Where runs are repeated.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Splitting {
    /// The thresholds, rising, and how many runs go on from each.
    thresholds: Vec<(u32, u32)>,
    /// What counts in each zone: below the first threshold, above it, and so on.
    weights: Vec<f64>,
}

/// How often runs have risen to each level.
#[derive(Default)]
struct Rises {
    counts: Vec<u64>,
    weights: Vec<f64>,
}

impl Rises {
    fn add(&mut self, from: u32, to: u32, weight: f64) {
        let places = to.min(MAX_LEVEL) as usize + 1;
        if self.counts.len() < places {
            self.counts.resize(places, 0);
            self.weights.resize(places, 0.0);
        }
        for level in from as usize + 1..places {
            self.counts[level] += 1;
            self.weights[level] += weight;
        }
    }
}

impl Splitting {
    /// Finds thresholds by pilot runs.
    pub(super) fn find(
        table: &mut Table<'_>,
        seed: u64,
        tally: &Tally,
    ) -> Result<Splitting, SimulationError> {
        let mut splitting = Splitting { thresholds: Vec::new(), weights: vec![1.0] };
        for pilot in 0..MAX_PILOTS as u64 {
            let mut tally = tally.clone();
            let mut rises = Rises::default();
            let mut run = Run::start(table, Random::stream(seed, u64::MAX - 1 - pilot), &mut tally)?;
            while tally.events < PILOT && !run.is_stuck(table) {
                splitting.step(&mut run, table, f64::MAX, &mut tally, &mut rises)?;
            }
            let next = Splitting::new(&rises);
            if next.thresholds.last() <= splitting.thresholds.last() {
                break;
            }
            splitting = next;
        }
        Ok(splitting)
    }

    fn new(rises: &Rises) -> Splitting {
        let (mut thresholds, mut weights) = (Vec::new(), vec![1.0]);
        let mut last: Option<f64> = None;
        for (level, (count, weight)) in rises.counts.iter().zip(&rises.weights).enumerate() {
            if *count < SEEN {
                continue;
            }
            let part = weight / *last.get_or_insert(*weight);
            if part <= RARE {
                let factor = (1.0 / part).round().min(MAX_FACTOR);
                thresholds.push((level as u32, factor as u32));
                weights.push(weights.last().copied().unwrap_or(1.0) / factor);
                last = Some(*weight);
            }
        }
        Splitting { thresholds, weights }
    }

    /// Returns how many thresholds are not above a level.
    fn zone(&self, level: u32) -> usize {
        self.thresholds.partition_point(|(threshold, _)| *threshold <= level)
    }

    /// Lets time pass until some moment.
    pub(super) fn advance(
        &self,
        run: &mut Run,
        table: &mut Table<'_>,
        until: f64,
        tally: &mut Tally,
    ) -> Result<(), SimulationError> {
        let mut rises = Rises::default();
        let mut looked = tally.events;
        while self.step(run, table, until, tally, &mut rises)? {
            if tally.events - looked > super::run::WATCH_EVERY {
                looked = tally.events;
                run.pause(table)?;
            }
        }
        Ok(())
    }

    /// Takes one step, and repeats what follows if it rises; returns whether the moment has not come yet.
    fn step(
        &self,
        run: &mut Run,
        table: &mut Table<'_>,
        until: f64,
        tally: &mut Tally,
        rises: &mut Rises,
    ) -> Result<bool, SimulationError> {
        let before = run.level(table);
        let zone = self.zone(before);
        if !run.step(table, until, tally, self.weights[zone])? {
            return Ok(false);
        }
        let after = run.level(table);
        if after > before {
            rises.add(before, after, self.weights[zone]);
            self.rise(run, table, (zone, self.zone(after)), tally, rises)?;
        }
        Ok(true)
    }

    /// Repeats what follows after a run has risen from one zone to another.
    fn rise(
        &self,
        run: &mut Run,
        table: &mut Table<'_>,
        (from, to): (usize, usize),
        tally: &mut Tally,
        rises: &mut Rises,
    ) -> Result<(), SimulationError> {
        for zone in from..to {
            for _ in 1..self.thresholds[zone].1 {
                let mut again = run.split();
                self.rise(&mut again, table, (zone + 1, to), tally, rises)?;
                while self.zone(again.level(table)) > zone && !again.is_stuck(table) {
                    self.step(&mut again, table, f64::MAX, tally, rises)?;
                    table.watch_now_and_then(tally.events)?;
                }
            }
        }
        Ok(())
    }
}
