//! What runs add up to, interval by interval.

use rustc_hash::FxHashMap;

/// A run is cut into so many intervals of time, which grow with it.
pub(super) const INTERVALS: usize = 320;

/// Times of requests are sorted into so many classes from one power of two to the next, as bits.
const FINENESS: u32 = 9;

/// How often times were, in classes of about the same relative width.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    counts: FxHashMap<u32, u64>,
}

/// A class of times: from, up to, and how many.
pub(super) type TimeClass = (f64, f64, u64);

impl Histogram {
    pub(super) fn add(&mut self, time: f64) {
        *self.counts.entry((time.max(0.0).to_bits() >> (52 - FINENESS)) as u32).or_default() += 1;
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
    }

    /// Returns the classes in order.
    pub(super) fn classes(&self) -> Vec<TimeClass> {
        let mut list: Vec<(u32, u64)> = self.counts.iter().map(|(class, count)| (*class, *count)).collect();
        list.sort_unstable();
        let edge = |class: u32| f64::from_bits(u64::from(class) << (52 - FINENESS));
        let class =
            |(class, count): (u32, u64)| (edge(class), if class == 0 { 0.0 } else { edge(class + 1) }, count);
        list.into_iter().map(class).collect()
    }
}

/// What a replication has added up.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// The channels of each interval, one after the other.
    pub(super) series: Vec<f64>,
    /// The times of each of the requests, in the last half of the run.
    pub(super) histograms: Vec<Histogram>,
    /// The channels of the interval that goes on.
    pub(super) now: Vec<f64>,
    /// How many delays have expired.
    pub(super) events: u64,
    /// Whether choices were open.
    pub(super) has_choices: bool,
    /// Whether the target has been reached.
    pub(super) has_arrived: bool,
}

impl Tally {
    pub(super) fn new(channels: usize, requests: usize) -> Tally {
        let histograms = vec![Histogram::default(); requests];
        let (series, now) = (Vec::new(), vec![0.0; channels]);
        Tally { series, histograms, now, events: 0, has_choices: false, has_arrived: false }
    }

    /// Ends an interval.
    pub(super) fn next_interval(&mut self) {
        self.series.extend_from_slice(&self.now);
        self.now.fill(0.0);
    }

    /// Returns whether there is room for no more intervals.
    pub(super) fn is_full(&self) -> bool {
        self.series.len() >= INTERVALS * self.now.len()
    }

    /// Puts two intervals each together, so that there is room for as many more.
    pub(super) fn halve(&mut self) {
        let channels = self.now.len();
        let pairs = self.series.chunks_exact(2 * channels);
        let sums = pairs.flat_map(|pair| (0..channels).map(|one| pair[one] + pair[channels + one]));
        self.series = sums.collect();
    }

    /// Returns what a channel adds up to in some intervals.
    pub(super) fn sum(&self, channel: usize, intervals: std::ops::Range<usize>) -> f64 {
        intervals.map(|interval| self.series[interval * self.now.len() + channel]).sum()
    }
}
