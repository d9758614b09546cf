//! How long things take.

use num_rational::Ratio;

/// An exact time, in the unit of a study.
pub type Time = Ratio<i128>;

/// How long a statement takes, once it can be executed.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Always the same time.
    Fixed(Time),
    /// Any time from the first to the second.
    Between(Time, Time),
    /// A random time without memory, with this mean.
    Exponential(Time),
    /// The sum of so many random times without memory, with this mean in all.
    Erlang(u32, Time),
}

/// Returns the floating-point number that is nearest to a time, or as good as that.
pub fn as_f64(time: Time) -> f64 {
    *time.numer() as f64 / *time.denom() as f64
}

impl Delay {
    /// Returns the mean; any time of a range is as likely as another.
    pub fn mean(&self) -> Time {
        match self {
            Delay::Fixed(time) | Delay::Exponential(time) | Delay::Erlang(_, time) => *time,
            Delay::Between(least, most) => (least + most) / Time::from_integer(2),
        }
    }

    /// Returns the least and the most time it can take; `None` if it is random, and has no most.
    pub fn window(&self) -> Option<(Time, Time)> {
        match self {
            Delay::Fixed(time) => Some((*time, *time)),
            Delay::Between(least, most) => Some((*least, *most)),
            Delay::Exponential(_) | Delay::Erlang(..) => None,
        }
    }

    /// Returns the delay that takes so many times as long.
    #[must_use]
    pub fn scaled(&self, factor: Time) -> Delay {
        match self {
            Delay::Fixed(time) => Delay::Fixed(time * factor),
            Delay::Between(least, most) => Delay::Between(least * factor, most * factor),
            Delay::Exponential(mean) => Delay::Exponential(mean * factor),
            Delay::Erlang(stages, mean) => Delay::Erlang(*stages, mean * factor),
        }
    }

    /// Returns of how many random times without memory it consists in the stochastic view.
    pub fn stages(&self) -> u32 {
        match self {
            Delay::Erlang(stages, _) => (*stages).max(1),
            _ => 1,
        }
    }
}
