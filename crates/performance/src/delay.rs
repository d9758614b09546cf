//! Delays: how long statements take.

use std::sync::Arc;

use num_rational::Ratio;

use crate::fine::Fine;
use crate::phases::{Phase, Phases};

/// An exact time, in the unit of a study.
pub type Time = Ratio<i128>;

/// How long a statement takes from when it is enabled.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Deterministic.
    Fixed(Time),
    /// An interval: anything from the first to the second in the timed view, uniform in the stochastic one.
    Between(Time, Time),
    /// Exponentially distributed, with this mean.
    Exponential(Time),
    /// Erlang distributed: so many exponential stages, with this mean in total.
    Erlang(u32, Time),
    /// Exponential phases, and the factor by which all of them are longer.
    Phases(Arc<Phases>, Time),
    /// Drawn from another distribution with this mean: for simulation alone.
    Drawn(Time, Distribution),
}

/// A distribution that no exact view takes; its mean stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Normal, with this standard deviation; what is below 0 is drawn again.
    Normal(Time),
    /// Lognormal, with this standard deviation.
    Lognormal(Time),
    /// Weibull, with this shape.
    Weibull(Time),
    /// Pareto, with this shape, above 1.
    Pareto(Time),
    /// Each of some times is as likely as another.
    Empirical(Arc<[f64]>),
}

/// Returns the floating-point number that is nearest to a time, or as good as that.
pub fn as_f64(time: Time) -> f64 {
    *time.numer() as f64 / *time.denom() as f64
}

impl Delay {
    /// Returns the mean, of an interval its midpoint.
    pub fn mean(&self) -> Time {
        match self {
            Delay::Fixed(time)
            | Delay::Exponential(time)
            | Delay::Erlang(_, time)
            | Delay::Drawn(time, _) => *time,
            Delay::Phases(phases, factor) => phases.mean() * factor,
            Delay::Between(least, most) => (least + most) / Time::from_integer(2),
        }
    }

    /// Returns how it is distributed, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Delay::Fixed(_) => "fixed",
            Delay::Between(..) => "between",
            Delay::Exponential(_) => "exponential",
            Delay::Erlang(..) => "erlang",
            Delay::Phases(..) => "phases",
            Delay::Drawn(_, distribution) => match distribution {
                Distribution::Normal(_) => "normal",
                Distribution::Lognormal(_) => "lognormal",
                Distribution::Weibull(_) => "weibull",
                Distribution::Pareto(_) => "pareto",
                Distribution::Empirical(_) => "empirical",
            },
        }
    }

    /// Returns whether it takes time at all.
    pub fn takes_time(&self) -> bool {
        self.window().is_none_or(|(_, most)| most > Time::from_integer(0))
    }

    /// Returns the bounds of a delay; `None` if it is unbounded.
    pub fn window(&self) -> Option<(Time, Time)> {
        match self {
            Delay::Fixed(time) => Some((*time, *time)),
            Delay::Between(least, most) => Some((*least, *most)),
            Delay::Exponential(_) | Delay::Erlang(..) | Delay::Phases(..) | Delay::Drawn(..) => None,
        }
    }

    /// Returns the delay scaled by a factor.
    #[must_use]
    pub fn scaled(&self, factor: Time) -> Delay {
        match self {
            Delay::Fixed(time) => Delay::Fixed(time * factor),
            Delay::Between(least, most) => Delay::Between(least * factor, most * factor),
            Delay::Exponential(mean) => Delay::Exponential(mean * factor),
            Delay::Erlang(stages, mean) => Delay::Erlang(*stages, mean * factor),
            Delay::Phases(phases, known) => Delay::Phases(phases.clone(), known * factor),
            Delay::Drawn(mean, distribution) => {
                let distribution = match distribution {
                    Distribution::Normal(deviation) => Distribution::Normal(deviation * factor),
                    Distribution::Lognormal(deviation) => Distribution::Lognormal(deviation * factor),
                    Distribution::Empirical(times) => {
                        Distribution::Empirical(times.iter().map(|time| time * as_f64(factor)).collect())
                    }
                    shape => shape.clone(),
                };
                Delay::Drawn(mean * factor, distribution)
            }
        }
    }

    /// Returns whether only a simulation takes it.
    pub fn is_drawn(&self) -> bool {
        matches!(self, Delay::Drawn(..))
    }

    /// Returns the number of exponential phases in the stochastic view.
    pub fn stages(&self) -> u32 {
        match self {
            Delay::Erlang(stages, _) => (*stages).max(1),
            Delay::Phases(phases, _) => phases.list().len() as u32,
            _ => 1,
        }
    }

    /// Returns the exponential phases in the stochastic view.
    pub fn phases(&self) -> Vec<Phase> {
        if let Delay::Phases(phases, factor) = self {
            let factor = Fine::of(*factor);
            let scaled = |phase: &Phase| Phase {
                ends: phase.ends.over(factor),
                next: phase.next.iter().map(|(next, rate)| (*next, rate.over(factor))).collect(),
            };
            return phases.list().iter().map(scaled).collect();
        }
        let stages = self.stages();
        let mean = self.mean();
        let rate = match i128::from(stages).checked_mul(*mean.denom()) {
            Some(above) => Fine::ratio(above, *mean.numer()),
            None => Fine::ratio(stages.into(), 1).over(Fine::of(mean)),
        };
        let phase = |stage: u32| {
            let is_last = stage == stages;
            Phase {
                ends: if is_last { rate } else { Fine::ZERO },
                next: if is_last { Vec::new() } else { vec![(stage, rate)] },
            }
        };
        (1..=stages).map(phase).collect()
    }
}
