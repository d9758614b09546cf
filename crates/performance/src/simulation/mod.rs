//! Statistical discrete-event simulation: estimates with confidence intervals, for what no exact view fits.
//!
//! Independent replications run side by side, each with a stream of random numbers of its own, so that the
//! figures depend on the seed but not on threads. All have the same length in time; it is doubled until the
//! intervals are narrow enough (`estimate`). Warm-up is found by MSER-5 (K. White, M. Cobb, S. Spratt, *A
//! comparison of five steady-state truncation heuristics for simulation*, WSC 2000), and intervals are
//! Student's t over the replications.
//!
//! A run is a walk through a table: for each state in which time passes, a row has what its delays lead to,
//! past all immediate steps (`instant`). Rows are made when they are first met, from the same state graph
//! as those of the exact views; a table that has grown too large is emptied. Exponential delays have no
//! memory: those of a row are one race with a single draw. The others keep the work that is left.
//!
//! What holds at a time, and the way to something, are seen in many short runs from the start (`short_runs`).
//!
//! Choices that the model leaves open are taken with equal probability, and results say that there were some.
//!
//! What keeps growing has no mean: numbers of the state that stay bounded if the model settles are watched,
//! and where they do not, there is no estimate (`growth`).

mod changes;
mod drive;
mod estimate;
#[cfg(test)]
mod exchange_tests;
mod growth;
mod instant;
mod run;
mod sample;
mod short_runs;
mod splitting;
mod table;
mod tally;
#[cfg(test)]
mod tests;

use narrows_explicit::Symmetry;
use narrows_model::{Limit, StateSpace, System, Violation};

use crate::requests::Order;
use crate::{BuildError, Timing};

pub use drive::simulate;
pub use sample::drawn;
pub use short_runs::{Passage, passage, transient};

/// How delays are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// As the study says; intervals are uniform.
    AsGiven,
    /// As in the stochastic view: every delay is exponential or Erlang distributed.
    Random,
}

/// A number that depends on the state; of a predicate, 0 or 1.
pub type StateValue<'a> = Box<dyn Fn(&[u8]) -> Result<f64, Violation> + Sync + 'a>;

/// Returns the event that an event is, given the state after it: as [`Rename`](crate::Rename), for several
/// threads.
pub type RenameShared<'a> = dyn Fn(u16, &[u8]) -> Result<u16, Violation> + Sync + 'a;

/// With what a request begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// With an event.
    Event(u16),
    /// Where a value of the state becomes positive, or 0.
    Becomes(usize, bool),
}

/// Requests whose times are measured together.
#[derive(Clone, Debug)]
pub struct Requests {
    /// With what those of each kind begin and end.
    pub kinds: Vec<[Mark; 2]>,
    /// Which end belongs to which beginning, within a kind.
    pub order: Order,
}

/// What is gained: per time, and with events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gain {
    /// Values of the state, and so many times as much of each per time.
    pub values: Vec<(usize, f64)>,
    /// How much with each event.
    pub events: Vec<(u16, f64)>,
}

impl Gain {
    /// Returns what is gained, given how often events happen and the integrals of values.
    fn sum(&self, event: impl Fn(u16) -> f64, value: impl Fn(usize) -> f64) -> f64 {
        let events: f64 = self.events.iter().map(|(number, amount)| amount * event(*number)).sum();
        events + self.values.iter().map(|(number, amount)| amount * value(*number)).sum::<f64>()
    }
}

/// What is simulated and observed.
pub struct Scene<'a> {
    /// The model.
    pub space: &'a dyn StateSpace,
    /// The system, if moves are those of its processes.
    pub system: Option<&'a System>,
    /// Delays, weights and events.
    pub timing: &'a Timing,
    /// How delays are drawn.
    pub draw: Draw,
    /// Gives events other numbers, by the states after them; what is no event of the timing is not counted.
    pub rename: Option<&'a RenameShared<'a>>,
    /// Values of states that are averaged or tell when requests begin and end.
    pub values: Vec<StateValue<'a>>,
    /// Requests whose times are measured.
    pub requests: Vec<Requests>,
    /// What is gained.
    pub rewards: Vec<Gain>,
    /// Where short runs end.
    pub target: Option<Mark>,
    /// Numbers that stay bounded if the model settles, such as the length of a queue.
    pub sizes: Vec<StateValue<'a>>,
    /// The value that says how near a state is to what is rare: then runs are split, and requests not
    /// followed.
    pub level: Option<usize>,
    /// Exchanges of equal processes, after which all that is observed is the same. The space must forget if
    /// they [do](Symmetry::forgets).
    pub symmetry: Option<&'a Symmetry>,
    /// Whether the kinds of requests are those of the processes with the same numbers, and processes may be
    /// exchanged all the same.
    pub by_process: bool,
}

/// Something that adds up along a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Time.
    Time,
    /// How often an event has happened.
    Event(u16),
    /// The integral of a value over time.
    Value(usize),
    /// The times of requests that have ended.
    Times(usize),
    /// How many requests have ended.
    Ended(usize),
    /// What is gained.
    Reward(usize),
}

/// What is asked of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// The ratio of what two channels add up to in the long run.
    Ratio(Channel, Channel),
    /// The time within which such a part of some requests is over.
    Quantile(usize, f64),
}

/// How far a simulation goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// It ends when the half width of each interval, relative to its middle, is at most this.
    pub accuracy: f64,
    /// It ends after about so many events.
    pub events: u64,
    /// What decides about all random numbers.
    pub seed: u64,
}

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.99;

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// Returns how far off the estimate may be, relative to it.
    pub fn accuracy(&self) -> f64 {
        if self.high <= self.low {
            return 0.0;
        }
        (self.high - self.value).max(self.value - self.low) / self.value.abs()
    }
}

/// What came out of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Simulated {
    /// The estimates, in the order of what was asked; `None` where nothing was seen, or it does not settle.
    pub estimates: Vec<Option<Estimate>>,
    /// Whether each of them was still changing when the simulation ended.
    pub unsettled: Vec<bool>,
    /// Which of the numbers that should stay bounded were still growing.
    pub growing: Vec<usize>,
    /// The distribution of times, for each of the requests: how likely they are not above some times.
    pub curves: Vec<Vec<(f64, Estimate)>>,
    /// How many delays have expired.
    pub events: u64,
    /// How much time each replication has lasted.
    pub time: f64,
    /// What is left out at the beginning, at most, as a part of that.
    pub warm_up: f64,
    /// How many replications there were.
    pub replications: usize,
    /// How many of them have come to an end after which nothing happens.
    pub ended: usize,
    /// In how many of them nothing happens any more before the target is reached.
    pub missed: usize,
    /// How many of them were given up on the way to the target.
    pub open: usize,
    /// Whether choices were open, and taken with equal probability.
    pub has_choices: bool,
    /// What cut it short, if something did.
    pub limit: Option<Limit>,
}

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulationError {
    /// The model can't be run; there is no path to where it goes wrong.
    Build(BuildError),
    /// A value that is averaged changes while the model is busy waiting.
    Unsteady(usize),
    /// More delays with memory run side by side than can be followed.
    TooManyClocks,
}

impl From<BuildError> for SimulationError {
    fn from(error: BuildError) -> SimulationError {
        SimulationError::Build(error)
    }
}

impl From<Limit> for SimulationError {
    fn from(limit: Limit) -> SimulationError {
        SimulationError::Build(BuildError::Limit(limit))
    }
}
