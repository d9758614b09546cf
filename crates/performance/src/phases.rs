//! Phase-type delays: sums and mixtures of exponential phases (Neuts 1975), without cycles.
//!
//! A delay begins in its first phase. Each phase ends with a rate, and then the next one begins, or the delay
//! is over. A mixture has to be chosen from when it begins; but nothing is decided until time has passed. So
//! all begin with one phase that is as fast as the fastest of the mixture: an exponential time with rate µ is
//! one with rate λ ≥ µ, after which it is over with probability µ/λ, or else one with rate µ follows (from
//! there on it is as it was at the start). That is exact, and needs one phase more than the mixture has.

use crate::delay::{Time, as_f64};
use crate::fine::Fine;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul};

/// A phase: with which rates the delay is over, or other phases begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// The rate with which the delay is over; 0 if it never is.
    pub ends: Fine,
    /// The phases that may follow, all of them later ones, with their rates.
    pub next: Vec<(u32, Fine)>,
}

/// The phases of a delay, the first of which begins it.
#[derive(Clone, Debug, PartialEq)]
pub struct Phases {
    list: Vec<Phase>,
    mean: Time,
    /// The cumulative part that takes each way, with the means of its phases: to draw times.
    branches: Vec<(f64, Vec<f64>)>,
    /// The mean phases that always come, and how likely it goes on after each of them; of mixtures empty.
    row: Vec<(f64, f64)>,
}

/// Why there is no such delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhasesError {
    /// There are no phases.
    #[error("there are no phases")]
    Empty,
    /// There are too many phases.
    #[error("there are more than {MAX_PHASES} phases")]
    TooMany,
    /// A mean is not above 0.
    #[error("the mean of each phase must be above 0")]
    NoMean,
    /// Probabilities are not between 0 and 1, or add up to another number.
    #[error("the parts must be above 0, and add up to 1")]
    NoParts,
    /// A probability of going on is not above 0, or greater than 1.
    #[error("the probabilities of going on must be above 0 and not greater than 1")]
    NoProbability,
    /// Numbers have too many digits.
    #[error("the numbers have too many digits")]
    TooLong,
}

/// So many phases are allowed: each multiplies states.
pub const MAX_PHASES: usize = 200;

impl Phases {
    /// Makes phases in a row with these means; after each but the last it goes on with a probability, or is
    /// over (Cox 1955).
    pub fn row(means: &[Time], further: &[Time]) -> Result<Phases, PhasesError> {
        let (zero, one) = (Time::from_integer(0), Time::from_integer(1));
        check(means, means.len())?;
        if further.iter().any(|one_of| *one_of <= zero || *one_of > one) {
            return Err(PhasesError::NoProbability);
        }
        let (mut reached, mut mean) = (one, zero);
        let (mut list, mut row) = (Vec::new(), Vec::new());
        for (number, phase) in means.iter().enumerate() {
            mean = add(mean, multiply(reached, *phase)?)?;
            let goes_on = further.get(number).copied().filter(|_| number + 1 < means.len()).unwrap_or(zero);
            reached = multiply(reached, goes_on)?;
            let rate = |part: Time| divide(part, *phase).map(Fine::of);
            let mut made = Phase { ends: rate(one - goes_on)?, next: Vec::new() };
            if goes_on > zero {
                made.next.push((number as u32 + 1, rate(goes_on)?));
            }
            list.push(made);
            row.push((as_f64(*phase), as_f64(goes_on)));
        }
        Ok(Phases { list, mean, branches: Vec::new(), row })
    }

    /// Makes a mixture of Erlang delays: for each, how likely it is, its number of stages, and its mean.
    pub fn mixture(branches: &[(Time, u32, Time)]) -> Result<Phases, PhasesError> {
        let (zero, one) = (Time::from_integer(0), Time::from_integer(1));
        let means: Vec<Time> = branches.iter().map(|(.., mean)| *mean).collect();
        let phases =
            branches.iter().fold(0_usize, |sum, (_, stages, _)| sum.saturating_add(*stages as usize));
        check(&means, phases)?;
        let parts = branches.iter().try_fold(zero, |sum, (part, ..)| add(sum, *part))?;
        if parts != one || branches.iter().any(|(part, stages, _)| *part <= zero || *stages == 0) {
            return Err(PhasesError::NoParts);
        }
        let rate =
            |(_, stages, mean): &(Time, u32, Time)| divide(Time::from_integer((*stages).into()), *mean);
        let rates: Vec<Time> = branches.iter().map(rate).collect::<Result<_, _>>()?;
        let fastest = rates.iter().copied().fold(zero, Time::max);
        let mut list = vec![Phase { ends: Fine::ZERO, next: Vec::new() }];
        let (mut mean, mut drawn, mut below) = (zero, Vec::new(), zero);
        for ((part, stages, own), rate) in branches.iter().zip(&rates) {
            mean = add(mean, multiply(*part, *own)?)?;
            below = add(below, *part)?;
            drawn.push((as_f64(below), vec![as_f64(*own) / f64::from(*stages); *stages as usize]));
            let begins = list.len() as u32;
            // What is over with the first phase has one stage less to go.
            let is_first_needed = *rate < fastest;
            let over = multiply(*part, *rate)?;
            if is_first_needed {
                list[0].next.push((begins, Fine::of(multiply(*part, fastest - *rate)?)));
            }
            let second = begins + u32::from(is_first_needed);
            if *stages == 1 {
                list[0].ends = list[0].ends.plus(Fine::of(over));
            } else {
                list[0].next.push((second, Fine::of(over)));
            }
            let own_phases = u32::from(is_first_needed) + *stages - 1;
            for number in 0..own_phases {
                let rate = Fine::of(*rate);
                list.push(if number + 1 == own_phases {
                    Phase { ends: rate, next: Vec::new() }
                } else {
                    Phase { ends: Fine::ZERO, next: vec![(begins + number + 1, rate)] }
                });
            }
        }
        Ok(Phases { list, mean, branches: drawn, row: Vec::new() })
    }

    /// Returns the phases.
    pub fn list(&self) -> &[Phase] {
        &self.list
    }

    /// Returns the mean of the whole delay.
    pub fn mean(&self) -> Time {
        self.mean
    }

    /// Draws a time: as it was given, not by way of the phases in which chains see it.
    pub(crate) fn draw(&self, fraction: &mut dyn FnMut() -> f64) -> f64 {
        let exponential = |fraction: &mut dyn FnMut() -> f64, mean: f64| -mean * (1.0 - fraction()).ln();
        if self.branches.is_empty() {
            let mut time = 0.0;
            for (mean, goes_on) in &self.row {
                time += exponential(fraction, *mean);
                if *goes_on < 1.0 && fraction() >= *goes_on {
                    break;
                }
            }
            return time;
        }
        let chosen = fraction();
        let branch = self.branches.iter().find(|(below, _)| chosen < *below).or(self.branches.last());
        branch.map_or(0.0, |(_, means)| means.iter().map(|mean| exponential(fraction, *mean)).sum())
    }
}

fn check(means: &[Time], phases: usize) -> Result<(), PhasesError> {
    if means.is_empty() {
        return Err(PhasesError::Empty);
    }
    if phases > MAX_PHASES {
        return Err(PhasesError::TooMany);
    }
    if means.iter().any(|mean| *mean <= Time::from_integer(0)) {
        return Err(PhasesError::NoMean);
    }
    Ok(())
}

fn add(one: Time, other: Time) -> Result<Time, PhasesError> {
    one.checked_add(&other).ok_or(PhasesError::TooLong)
}

fn multiply(one: Time, other: Time) -> Result<Time, PhasesError> {
    one.checked_mul(&other).ok_or(PhasesError::TooLong)
}

fn divide(one: Time, other: Time) -> Result<Time, PhasesError> {
    one.checked_div(&other).ok_or(PhasesError::TooLong)
}

#[cfg(test)]
mod tests {
    use narrows_graph::Random;

    use super::{Phases, PhasesError, Time, as_f64};

    /// The mean and the second moment, by what is still to come after each phase.
    fn moments(phases: &Phases) -> (f64, f64) {
        let mut to_go = vec![(0.0, 0.0); phases.list().len()];
        for (number, phase) in phases.list().iter().enumerate().rev() {
            let exit = phase.ends.near() + phase.next.iter().map(|(_, rate)| rate.near()).sum::<f64>();
            let (mut first, mut second) = (1.0 / exit, 2.0 / (exit * exit));
            for (next, rate) in &phase.next {
                let (mean, square): (f64, f64) = to_go[*next as usize];
                let part = rate.near() / exit;
                first += part * mean;
                second += part * (2.0 * mean / exit + square);
            }
            to_go[number] = (first, second);
        }
        to_go[0]
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        let time = Time::from_integer;
        let part = |number| Time::new(number, 10);
        let mixture =
            Phases::mixture(&[(part(3), 1, time(2)), (part(5), 3, time(12)), (part(2), 1, time(40))]);
        let mixture = mixture.unwrap();
        assert_eq!(mixture.mean(), part(146));
        let (mean, square) = moments(&mixture);
        // Of an Erlang time with k stages and mean m: m²·(1 + 1/k).
        let expected = 0.3 * 8.0 + 0.5 * 144.0 * 4.0 / 3.0 + 0.2 * 3200.0;
        assert!((mean - 14.6).abs() < 1e-12 && (square - expected).abs() < 1e-9, "{mean} {square}");
        let row = Phases::row(&[time(4), time(2), time(6)], &[part(5), part(10)]).unwrap();
        assert_eq!(row.mean(), time(8));
        let (mean, square) = moments(&row);
        let both = 4.0 * 4.0 * 2.0 + 0.5 * (2.0 * 4.0 * 8.0 + 2.0 * 4.0 + 2.0 * 36.0 + 2.0 * 2.0 * 6.0);
        assert!((mean - 8.0).abs() < 1e-12 && (square - both).abs() < 1e-9, "{mean} {square} {both}");
        // What is drawn is the same, up to chance.
        for phases in [mixture, row] {
            let (mut random, mut sum, count) = (Random::new(1), 0.0, 200_000);
            for _ in 0..count {
                sum += phases.draw(&mut || random.fraction());
            }
            let (mean, square) = moments(&phases);
            let deviation = ((square - mean * mean) / f64::from(count)).sqrt();
            assert!((sum / f64::from(count) - as_f64(phases.mean())).abs() < 4.0 * deviation);
        }
    }

    #[test]
    fn what_is_no_delay_is_refused() {
        let (time, half) = (Time::from_integer(1), Time::new(1, 2));
        assert_eq!(Phases::row(&[], &[]), Err(PhasesError::Empty));
        assert_eq!(Phases::row(&[time, Time::from_integer(0)], &[half]), Err(PhasesError::NoMean));
        assert_eq!(Phases::row(&[time, time], &[Time::new(3, 2)]), Err(PhasesError::NoProbability));
        assert_eq!(Phases::mixture(&[(half, 1, time)]), Err(PhasesError::NoParts));
        assert_eq!(Phases::mixture(&[(time, 1_000, time)]), Err(PhasesError::TooMany));
        let long = Time::new(1, i128::MAX / 3);
        assert_eq!(Phases::row(&[long, time / Time::from_integer(7)], &[long]), Err(PhasesError::TooLong));
    }
}
