//! Whether the model settles: whether numbers that should stay bounded do.
//!
//! A queue with a load below 1 settles; at 1 its length grows with the square root of time, above 1 with
//! time, and no mean over the past tells anything of the future. On a logarithmic scale of time that is a
//! line: the mean logarithm of the length rises by 1/2 or by 1 for each factor *e*, and by nothing where it
//! settles. The slope over the last five doublings of time is estimated in each replication, and they are
//! independent: Student's *t* says how far the slope may be off. Logarithms have means even where lengths
//! have none.
//!
//! While the slope may be more than a little, runs become longer, whatever the accuracy: what settles shows
//! it at last. What certainly rises after [`ENOUGH`] events, or was rising when a limit came, is taken not to
//! settle. What rises with time itself leaves other things settled, such as the throughput of an overloaded
//! server: there, each quantity is looked at by itself.

use super::estimate::{Evidence, are_apart, ratio};
use super::tally::INTERVALS;
use super::{Channel, Estimate, Quantity, Simulated};

/// So many doublings of time are looked at.
const DOUBLINGS: usize = 5;

/// With a slope below this, a number has settled.
const LEVEL: f64 = 0.1;

/// With a slope above this, it grows in proportion to time.
const STEEP: f64 = 0.7;

/// Standard errors, with 31 degrees of freedom: one side of 97.5 % and of 99.74 %.
const NEAR: f64 = 2.04;
const FAR: f64 = 3.0;

/// After so many events, what grows is taken not to settle.
const ENOUGH: u64 = 1 << 26;

/// Before so many events, nothing is said about growth in proportion to time.
const FIRST: u64 = 1 << 20;

/// By how much the mean logarithm of a number rises when time becomes *e* times as long.
#[derive(Clone, Copy, Debug)]
struct Slope {
    mean: f64,
    error: f64,
}

/// How the model as a whole behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trend {
    /// Nothing grows.
    Settled,
    /// Something grows in proportion to time.
    Linear,
    /// It is not known yet.
    Unknown,
    /// Something has grown for so long that it is taken not to settle, or was still growing at the end.
    Diverging,
}

/// How fast numbers grow that should stay bounded.
#[derive(Debug)]
pub(super) struct Growths(Vec<Slope>);

impl Slope {
    fn trend(self, events: u64, is_last: bool) -> Trend {
        let (low, high) = (self.mean - FAR * self.error, self.mean + NEAR * self.error);
        if high < LEVEL {
            Trend::Settled
        } else if low > STEEP && events >= FIRST {
            Trend::Linear
        } else if is_last && self.grows() || events >= ENOUGH && low > LEVEL {
            Trend::Diverging
        } else {
            Trend::Unknown
        }
    }

    /// Returns whether the number was growing, for all that is known.
    fn grows(self) -> bool {
        self.mean > LEVEL && self.mean > NEAR * self.error
    }
}

impl Growths {
    /// Returns how the model behaves after so many events.
    pub(super) fn trend(&self, events: u64, is_last: bool) -> Trend {
        let trends = self.0.iter().map(|slope| slope.trend(events, is_last));
        trends.max().unwrap_or(Trend::Settled)
    }

    /// Returns which numbers grow.
    pub(super) fn growing(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|number| self.0[*number].grows()).collect()
    }
}

impl Evidence<'_> {
    /// Finds how fast numbers grow, of which the channels come after those of some requests.
    pub(super) fn growths(&self, requests: usize, sizes: usize) -> Growths {
        let first = self.events + self.values + 2 * requests;
        Growths((first..first + sizes).map(|channel| self.slope(channel)).collect())
    }

    fn slope(&self, channel: usize) -> Slope {
        let octaves = (0..DOUBLINGS).rev().map(|octave| INTERVALS >> (octave + 1)..INTERVALS >> octave);
        let octaves: Vec<std::ops::Range<usize>> = octaves.collect();
        let middle = (DOUBLINGS - 1) as f64 / 2.0;
        let place = |octave: usize| (octave as f64 - middle) * std::f64::consts::LN_2;
        let squares: f64 = (0..DOUBLINGS).map(|octave| place(octave).powi(2)).sum();
        let slopes: Vec<f64> = self
            .tallies
            .iter()
            .map(|tally| {
                let rises = octaves.iter().enumerate().map(|(number, octave)| {
                    let time = octave.len() as f64 * self.width;
                    place(number) * tally.sum(channel, octave.clone()) / time
                });
                rises.sum::<f64>() / squares
            })
            .collect();
        let count = slopes.len() as f64;
        let mean = slopes.iter().sum::<f64>() / count;
        let spread: f64 = slopes.iter().map(|slope| (slope - mean).powi(2)).sum();
        Slope { mean, error: (spread / (count * (count - 1.0))).sqrt() }
    }

    /// Estimates a ratio from the last half of the time; `None` if it was surely another one before.
    pub(super) fn settled_ratio(&self, above: Channel, below: Channel) -> Option<Estimate> {
        let part = |intervals: std::ops::Range<usize>| -> Option<Estimate> {
            let sum = |channel, tally| self.sum(tally, channel, intervals.clone());
            let pairs = self.tallies.iter().map(|tally| (sum(above, tally), sum(below, tally)));
            ratio(&pairs.collect::<Vec<_>>())
        };
        let (before, after) = (part(INTERVALS / 4..INTERVALS / 2), part(INTERVALS / 2..INTERVALS));
        after.filter(|after| before.is_some_and(|before| !are_apart(&before, after)))
    }
}

impl Simulated {
    /// Leaves out what has not settled.
    pub(super) fn without_unsettled(mut self, asked: &[Quantity]) -> Simulated {
        let unsettled: Vec<usize> = (0..asked.len()).filter(|number| self.unsettled[*number]).collect();
        for number in unsettled {
            self.estimates[number] = None;
            if let Quantity::Ratio(Channel::Times(requests), _) | Quantity::Quantile(requests, _) =
                asked[number]
            {
                self.curves[requests].clear();
            }
        }
        self
    }
}
