//! From what replications have added up to estimates with confidence intervals.

use super::tally::{Histogram, INTERVALS, Tally, TimeClass};
use super::{Channel, Estimate, Gain, Quantity};

/// So many replications run side by side.
pub(super) const REPLICATIONS: usize = 32;

/// Within so many standard errors lies the mean in 99 of 100 cases: Student's t with 31 degrees of freedom.
const STUDENT: f64 = 2.744_04;

/// The same for many independent observations.
pub(super) const NORMAL: f64 = 2.575_83;

/// Intervals that MSER-5 looks at together.
const BATCH: usize = 5;

/// Each replication must have so many requests above a quantile before it says something.
const BEYOND: f64 = 20.0;

/// A distribution is drawn with so many points, up to where so few are left.
const POINTS: usize = 50;
const UNDRAWN: f64 = 1e-3;

/// All replications, and where their channels are.
pub(super) struct Evidence<'t> {
    pub(super) tallies: Vec<&'t Tally>,
    /// The events and values before the channels of requests.
    pub(super) events: usize,
    pub(super) values: usize,
    pub(super) rewards: &'t [Gain],
    /// How much time an interval takes.
    pub(super) width: f64,
    /// How many units of time in which runs are counted make one of the study's.
    pub(super) scale: f64,
    /// Whether all replications have come to an end after which nothing happens.
    pub(super) is_over: bool,
}

impl Evidence<'_> {
    /// Returns the estimate of a quantity, and what was left out as warm-up; `None` if nothing was seen.
    pub(super) fn estimate(&self, quantity: Quantity) -> (Option<Estimate>, f64) {
        match quantity {
            Quantity::Ratio(above, below) => self.ratio(above, below),
            Quantity::Quantile(requests, part) => (self.quantile(requests, part), 0.0),
        }
    }

    /// Returns what a channel adds up to in a replication, in some intervals.
    pub(super) fn sum(&self, tally: &Tally, channel: Channel, intervals: std::ops::Range<usize>) -> f64 {
        let requests = self.events + self.values;
        match channel {
            Channel::Time => intervals.len() as f64 * self.width / self.scale,
            Channel::Event(event) => tally.sum(usize::from(event), intervals),
            Channel::Value(value) => tally.sum(self.events + value, intervals) / self.scale,
            Channel::Times(number) => tally.sum(requests + 2 * number, intervals) / self.scale,
            Channel::Ended(number) => tally.sum(requests + 2 * number + 1, intervals),
            Channel::Reward(number) => self.rewards[number].sum(
                |event| self.sum(tally, Channel::Event(event), intervals.clone()),
                |value| self.sum(tally, Channel::Value(value), intervals.clone()),
            ),
        }
    }

    fn ratio(&self, above: Channel, below: Channel) -> (Option<Estimate>, f64) {
        let first = if !self.is_over {
            self.warm_up(above, below)
        } else if below == Channel::Time {
            // In the long run there is nothing but the last state.
            INTERVALS - 1
        } else {
            0
        };
        let pairs: Vec<(f64, f64)> = self
            .tallies
            .iter()
            .map(|tally| [above, below].map(|channel| self.sum(tally, channel, first..INTERVALS)))
            .map(|[above, below]| (above, below))
            .collect();
        let seen = |one: &(f64, f64)| one.0 != 0.0;
        let is_certain = self.is_over && below == Channel::Time;
        let warm_up = if is_certain { 0.0 } else { first as f64 / INTERVALS as f64 };
        let found = if pairs.iter().any(seen) || is_certain { ratio(&pairs) } else { None };
        (found, warm_up)
    }

    /// Finds how many intervals at the beginning differ from what comes later, at most half of them: the
    /// number after which the mean of what is left has the smallest standard error (MSER-5).
    fn warm_up(&self, above: Channel, below: Channel) -> usize {
        let total = |intervals: std::ops::Range<usize>| {
            let sum = |channel| {
                self.tallies.iter().map(|tally| self.sum(tally, channel, intervals.clone())).sum::<f64>()
            };
            [sum(above), sum(below)]
        };
        let [all_above, all_below] = total(0..INTERVALS);
        if all_below <= 0.0 {
            return BATCH;
        }
        let level = all_above / all_below;
        let batches: Vec<f64> = (0..INTERVALS / BATCH)
            .map(|batch| total(batch * BATCH..(batch + 1) * BATCH))
            .map(|[above, below]| above - level * below)
            .collect();
        let error = |first: usize| {
            let rest = &batches[first..];
            let count = rest.len() as f64;
            let mean = rest.iter().sum::<f64>() / count;
            rest.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count * count)
        };
        // What happens before the first interval is counted with it.
        let best = (1..=batches.len() / 2).min_by(|one, other| error(*one).total_cmp(&error(*other)));
        best.unwrap_or(1) * BATCH
    }

    /// Estimates a quantile by sectioning: the value is that of all replications together, and how far those
    /// of single replications are from it tells how far it may be off.
    fn quantile(&self, requests: usize, part: f64) -> Option<Estimate> {
        let all: Vec<Vec<TimeClass>> = self.classes(requests);
        let enough = |classes: &Vec<TimeClass>| {
            classes.iter().map(|one| one.2).sum::<u64>() as f64 * (1.0 - part).max(1e-9) >= BEYOND
        };
        if !all.iter().all(enough) {
            return None;
        }
        let value = quantile_of(&merged(&all), part);
        let count = all.len() as f64;
        let spread: f64 = all.iter().map(|one| (quantile_of(one, part) - value).powi(2)).sum();
        // A value is known as far as its class.
        let off = STUDENT * (spread / (count * (count - 1.0))).sqrt() + value / 1024.0;
        let [value, off] = [value, off].map(|time| time / self.scale);
        Some(Estimate { value, low: (value - off).max(0.0), high: value + off })
    }

    fn classes(&self, requests: usize) -> Vec<Vec<TimeClass>> {
        self.tallies.iter().map(|tally| Histogram::classes(&tally.histograms[requests])).collect()
    }

    /// Returns points of the distribution of times.
    pub(super) fn curve(&self, requests: usize) -> Vec<(f64, Estimate)> {
        let all = self.classes(requests);
        let merged = merged(&all);
        let end = quantile_of(&merged, 1.0 - UNDRAWN);
        if end <= 0.0 || all.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let point = |number: usize| {
            let time = end * number as f64 / POINTS as f64;
            let pairs: Vec<(f64, f64)> = all.iter().map(|classes| below(classes, time)).collect();
            let found = ratio(&pairs)?;
            let found = Estimate { low: found.low.max(0.0), high: found.high.min(1.0), ..found };
            Some((time / self.scale, found))
        };
        (0..=POINTS).filter_map(point).collect()
    }
}

/// Returns whether two estimates do not overlap, but for rounding.
pub(super) fn are_apart(one: &Estimate, other: &Estimate) -> bool {
    let rounding = 1e-9 * one.value.abs().max(other.value.abs());
    one.low > other.high + rounding || other.low > one.high + rounding
}

/// Estimates the ratio of two sums from what they are in each replication.
pub(super) fn ratio(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let count = pairs.len() as f64;
    let (above, below) = pairs.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let value = above / below;
    if !value.is_finite() {
        return None;
    }
    let spread: f64 = pairs.iter().map(|one| (one.0 - value * one.1).powi(2)).sum();
    let off = STUDENT * (spread / (count - 1.0) / count).sqrt() / (below / count);
    Some(Estimate { value, low: value - off, high: value + off })
}

/// Returns how many times are not above a time, and how many there are.
fn below(classes: &[TimeClass], time: f64) -> (f64, f64) {
    let all = classes.iter().map(|one| one.2).sum::<u64>() as f64;
    let part = |(from, to, count): &TimeClass| {
        let share = if time >= *to { 1.0 } else { ((time - from) / (to - from)).max(0.0) };
        share * *count as f64
    };
    (classes.iter().map(part).sum(), all)
}

fn merged(all: &[Vec<TimeClass>]) -> Vec<TimeClass> {
    let mut list: Vec<TimeClass> = all.iter().flatten().copied().collect();
    list.sort_by(|one, other| one.0.total_cmp(&other.0));
    list
}

/// Returns the time within which such a part is over, given classes in order.
fn quantile_of(classes: &[TimeClass], part: f64) -> f64 {
    let wanted = classes.iter().map(|one| one.2).sum::<u64>() as f64 * part;
    let mut seen = 0.0;
    for (from, to, count) in classes {
        let next = seen + *count as f64;
        if next >= wanted {
            return from + (to - from) * ((wanted - seen) / *count as f64);
        }
        seen = next;
    }
    classes.last().map_or(0.0, |class| class.1)
}
