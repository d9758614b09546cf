//! The range of the expected reward at a time, over all schedulers.
//!
//! Schedulers may depend on time. Let v(τ) be the greatest value with time τ left: `v' = max Q·v`, where each
//! choice is the best one at that instant. Time is divided into steps, in each of which a policy is fixed, so
//! that v is followed by `w(x) = exp(Q·x)·w`, a power series in x. This is the value of an actual scheduler:
//! a lower bound, for any policies.
//!
//! Upper bound: let no choice gain more than `a(x)` on w(x), anywhere. Then no scheduler is ahead of w by
//! more than the integral of `a(x)` times a bound on how often choices are made (w with that added grows at
//! least as fast as any scheduler's value). The advantage of a choice is a power series too, a polynomial but
//! for a small remainder, and a polynomial is at most its largest coefficient in the Bernstein basis. So the
//! bounds meet unless the best choice changes within a step; such steps are halved until that costs next to
//! nothing.
//!
//! Rounding and rests of series only add up: `exp(Q·x)` makes no difference larger.

use super::automaton::Automaton;
use super::end_components::{Zeno, find_zeno, reachable};
use super::interval::{Accuracy, Interval, rounding};
use super::optimal_average::decisions;
use super::optimal_total::Aim;
use super::vanishing::{Resolved, resolve};

/// How many terms of a series are taken, after the first.
const TERMS: usize = 16;

/// How long a step is at most, compared with the shortest mean time in a state.
const STRIDE: f64 = 0.5;

/// How many units a time is counted in.
const UNITS: u64 = 1 << 50;

/// How many transitions are looked at, at most, before bounds are given as wide as they are.
const WORK: f64 = 4e9;

/// How much may be lost to changes of policy at least, compared with the largest reward: rounding does as
/// much.
const FINEST: f64 = 1e-13;

/// Bounds the greatest or the least expected reward at a time. Only rewards of tangible states count.
pub fn reward_at_over(
    automaton: &Automaton,
    reward: &[f64],
    time: f64,
    aim: Aim,
    accuracy: Accuracy<'_>,
) -> Result<Interval, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    let reached = reachable(automaton);
    let waits = |state: &usize| reached[*state] && automaton.waits(*state);
    let signed: Vec<f64> = match aim {
        Aim::Greatest => reward.to_vec(),
        Aim::Least => reward.iter().map(|reward| 0.0 - reward).collect(),
    };
    let rewards = (0..automaton.states()).filter(waits).map(|state| signed[state]);
    let known = rewards.fold(Interval { low: f64::INFINITY, high: f64::NEG_INFINITY }, |known, reward| {
        Interval { low: known.low.min(reward), high: known.high.max(reward) }
    });
    if known.is_exact() {
        return Ok(aim.unsigned(known));
    }
    let largest = known.low.abs().max(known.high.abs());
    let mut best = known;
    let mut tolerance = accuracy.relative * largest / 4.0;
    loop {
        best = best.and(Course::new(automaton, &reached, &signed, tolerance)?.run(time, accuracy)?);
        if accuracy.is_met(best) || accuracy.is_stopped() || tolerance <= FINEST * largest {
            break;
        }
        // It was more than the value itself allows.
        let size = best.low.abs().min(best.high.abs());
        let wanted = if size > 0.0 { accuracy.relative * size / 8.0 } else { tolerance };
        tolerance = wanted.min(tolerance / 64.0).max(FINEST / 2.0 * largest);
    }
    Ok(aim.unsigned(best))
}

/// The values of states, computed backwards from the time horizon.
struct Course<'a> {
    automaton: &'a Automaton,
    waiting: Vec<u32>,
    deciding: Vec<u32>,
    /// Above all rates of leaving.
    pace: f64,
    /// How many transitions there are, and at one place at most.
    transitions: usize,
    terms: usize,
    /// How many decisions follow each other at most, on average.
    steps: Vec<f64>,
    /// How often decisions are taken at most, per time.
    often: f64,
    tolerance: f64,
    policy: Vec<u32>,
    resolved: Resolved,
    /// The worth of each state, but for `below` and `above`.
    worth: Vec<f64>,
    below: f64,
    above: f64,
}

/// One step's series: the terms for each state, the largest of each term, and by how much all of them may be
/// off together.
struct Series {
    terms: Vec<Vec<f64>>,
    largest: Vec<f64>,
    error: f64,
}

/// What any choice gains at most: on average over a step, and where it begins.
struct Gains {
    mean: f64,
    first: f64,
    /// Whether more than rounding makes it so.
    is_real: bool,
}

impl<'a> Course<'a> {
    fn new(
        automaton: &'a Automaton,
        reached: &[bool],
        reward: &[f64],
        tolerance: f64,
    ) -> Result<Course<'a>, Zeno> {
        let of_kind = |waits: bool| {
            let states = (0..automaton.states()).filter(|state| reached[*state]);
            states.filter(|state| automaton.waits(*state) == waits).map(|state| state as u32).collect()
        };
        let (waiting, deciding): (Vec<u32>, Vec<u32>) = (of_kind(true), of_kind(false));
        let policy: Vec<u32> =
            (0..automaton.states()).map(|state| automaton.choices(state).start as u32).collect();
        let up = 1.0 + 1e-12;
        let exits = waiting.iter().map(|state| automaton.exit(*state as usize));
        let pace = exits.fold(0.0, f64::max) * up;
        let steps = enough_steps(automaton, &deciding, decisions(automaton, reached));
        let often = |state: &u32| -> f64 {
            let row = automaton.row(automaton.choices(*state as usize).start);
            row.filter(|(to, _)| !automaton.waits(*to as usize))
                .map(|(to, rate)| rate * steps[to as usize])
                .sum()
        };
        let often = waiting.iter().map(often).fold(0.0, f64::max) * up;
        let sizes = (0..automaton.choice_count()).map(|choice| automaton.targets(choice).len());
        let (transitions, terms) = sizes.fold((1, 1), |(sum, most), size| (sum + size, most.max(size)));
        let resolved = resolve(automaton, &policy)?;
        let mut worth = vec![0.0; automaton.states()];
        for state in &waiting {
            worth[*state as usize] = reward[*state as usize];
        }
        let (below, above) = (0.0, 0.0);
        Ok(Course {
            automaton,
            waiting,
            deciding,
            pace,
            transitions,
            terms,
            steps,
            often,
            tolerance,
            policy,
            resolved,
            worth,
            below,
            above,
        })
    }

    /// Bounds the worth at the beginning, if so much time is left there.
    fn run(mut self, time: f64, accuracy: Accuracy<'_>) -> Result<Interval, Zeno> {
        // Time is counted in units, so that no step is lost to rounding.
        let unit = time / UNITS as f64;
        let longest = ((STRIDE / self.pace / unit).min(UNITS as f64) as u64).max(1);
        if unit * self.pace > STRIDE {
            return Ok(self.hull());
        }
        let most = WORK / ((TERMS + 1) * self.transitions) as f64;
        let (mut left, mut units, mut number) = (if time > 0.0 { UNITS } else { 0 }, longest, 0.0);
        while left > 0 {
            units = units.min(left);
            let length = units as f64 * unit;
            let (series, gains) = self.step(length)?;
            let excess = if gains.mean > 0.0 { length * self.often * gains.mean } else { 0.0 };
            let allowed = self.tolerance * (length / time + 1e-5);
            number += 1.0;
            if excess > allowed && gains.is_real && units > 1 && number < most {
                units /= 2;
                continue;
            }
            // If nothing changes faster than this now, it never will.
            let ahead = if gains.first > 0.0 { self.often * gains.first } else { 0.0 };
            let change = (((series.largest[1] + series.error) / length) + ahead) * (left as f64 * unit);
            if change <= self.tolerance / 2.0 {
                (self.below, self.above) = (self.below + change, self.above + change);
                break;
            }
            if number >= most || accuracy.is_stopped() {
                return Ok(self.hull());
            }
            for state in self.waiting.iter().map(|state| *state as usize) {
                self.worth[state] = series.terms.iter().rev().map(|term| term[state]).sum();
            }
            let error = series.error + rounding(TERMS, series.largest.iter().sum());
            (self.below, self.above) = (self.below + error, self.above + error + excess);
            left -= units;
            units = (2 * units).min(longest);
        }
        // Each length was rounded once, and these sums were too.
        let largest = self.waiting.iter().map(|state| self.worth[*state as usize].abs()).fold(0.0, f64::max);
        let clock = rounding(4, self.pace * time * 2.0 * largest);
        self.below = (self.below + clock) * (1.0 + 1e-9);
        self.above = (self.above + clock) * (1.0 + 1e-9);
        self.first()
    }

    /// Finds a policy for a step, the series of what it gains, and how much any choice gains on that at most.
    fn step(&mut self, length: f64) -> Result<(Series, Gains), Zeno> {
        let mut rounds = 0;
        loop {
            let series = self.series(length);
            rounds += 1;
            if rounds > 20 || !self.improve(&series)? {
                let gains = self.gains(&series);
                return Ok((series, gains));
            }
        }
    }

    /// Fills in what decisions are worth.
    fn fill(&self, values: &mut [f64]) {
        for state in &self.deciding {
            let row = &self.resolved.rows[*state as usize];
            values[*state as usize] = row.iter().map(|(to, share)| share * values[*to as usize]).sum();
        }
    }

    /// What rounding does when values up to so much are mixed, or changed at the pace of the automaton,
    /// divided by the pace.
    fn slip(&self, largest: f64) -> f64 {
        let terms = self.terms.max(self.resolved.terms);
        let roundings = self.automaton.roundings() + self.resolved.roundings;
        rounding(4 * terms + 16 + 2 * roundings, 2.0 * largest)
    }

    /// The series of `exp(Q·x)` applied to what states are worth, at the end of a step.
    fn series(&self, length: f64) -> Series {
        let largest_of = |values: &[f64]| {
            self.waiting.iter().map(|state| values[*state as usize].abs()).fold(0.0, f64::max)
        };
        let mut first = self.worth.clone();
        self.fill(&mut first);
        let mut largest = vec![largest_of(&first)];
        let mut terms = vec![first];
        let (mut error, mut sum) = (0.0, 0.0);
        for number in 1..=TERMS {
            let last = &terms[number - 1];
            let factor = length / number as f64;
            let mut next = vec![0.0; last.len()];
            for state in self.waiting.iter().map(|state| *state as usize) {
                let here = last[state];
                let row = self.automaton.row(self.automaton.choices(state).start);
                next[state] =
                    factor * row.fold(0.0, |sum, (to, rate)| sum + rate * (last[to as usize] - here));
            }
            self.fill(&mut next);
            error = factor * self.pace * (2.0 * error + self.slip(largest[number - 1])) * (1.0 + 1e-9);
            sum += error;
            largest.push(largest_of(&next));
            terms.push(next);
        }
        let quotient = 2.0 * self.pace * length / (TERMS + 1) as f64;
        let rest = (largest[TERMS] + error) * quotient / (1.0 - quotient);
        Series { terms, largest, error: (sum + rest) * (1.0 + 1e-9) }
    }

    /// What a choice gains on a term.
    fn gained(&self, state: u32, choice: usize, term: &[f64]) -> f64 {
        let here = term[state as usize];
        self.automaton.row(choice).fold(0.0, |sum, (to, weight)| sum + weight * (term[to as usize] - here))
    }

    /// All choices that the policy does not take.
    fn others(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.deciding.iter().flat_map(|state| {
            let taken = self.policy[*state as usize] as usize;
            let choices = self.automaton.choices(*state as usize);
            choices.filter(move |choice| *choice != taken).map(|choice| (*state, choice))
        })
    }

    /// By how much what a choice is found to gain may be off.
    fn doubt(&self, series: &Series) -> f64 {
        let sum: f64 = series.largest.iter().sum();
        2.0 * series.error + 4.0 * self.slip(sum) + rounding(TERMS, 4.0 * sum)
    }

    /// Takes choices that are better in the middle of a step; returns whether there are any.
    fn improve(&mut self, series: &Series) -> Result<bool, Zeno> {
        let doubt = self.doubt(series);
        let mut better: Vec<(u32, f64, usize)> = Vec::new();
        for (state, choice) in self.others() {
            let mut power = 1.0;
            let mut gained = 0.0;
            for term in &series.terms {
                gained += power * self.gained(state, choice, term);
                power /= 2.0;
            }
            if gained <= doubt {
                continue;
            }
            match better.last_mut() {
                Some(last) if last.0 == state && last.1 >= gained => {}
                Some(last) if last.0 == state => *last = (state, gained, choice),
                _ => better.push((state, gained, choice)),
            }
        }
        for (state, _, choice) in &better {
            self.policy[*state as usize] = *choice as u32;
        }
        if !better.is_empty() {
            self.resolved = resolve(self.automaton, &self.policy)?;
        }
        Ok(!better.is_empty())
    }

    /// Bounds how much any choice gains.
    fn gains(&self, series: &Series) -> Gains {
        if self.others().next().is_none() {
            return Gains { mean: 0.0, first: 0.0, is_real: false };
        }
        let mut most = [0.0_f64; TERMS + 1];
        for (state, choice) in self.others() {
            let mut powers = [0.0; TERMS + 1];
            for (power, term) in powers.iter_mut().zip(&series.terms) {
                *power = self.gained(state, choice, term);
            }
            for (place, most) in most.iter_mut().enumerate() {
                *most = most.max(bernstein(&powers, place));
            }
        }
        let doubt = self.doubt(series);
        let mean = most.iter().sum::<f64>() / (TERMS + 1) as f64;
        Gains { mean: mean + doubt, first: most[0] + doubt, is_real: mean > doubt }
    }

    /// What can be said about all states, however much time is left.
    fn hull(&self) -> Interval {
        let worth = self.waiting.iter().map(|state| self.worth[*state as usize]);
        let (low, high) = worth
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), worth| (low.min(worth), high.max(worth)));
        Interval { low: low - self.below, high: high + self.above }.widened(0.0)
    }

    /// Bounds the worth of the state that the automaton begins in.
    fn first(mut self) -> Result<Interval, Zeno> {
        let initial = self.automaton.initial() as usize;
        let series = |course: &Course<'_>| {
            let mut first = course.worth.clone();
            course.fill(&mut first);
            let largest = vec![first.iter().fold(0.0, |most: f64, worth| most.max(worth.abs()))];
            Series { terms: vec![first], largest, error: 0.0 }
        };
        let mut now = series(&self);
        for _ in 0..20 {
            if !self.improve(&now)? {
                break;
            }
            now = series(&self);
        }
        let gains = self.others().map(|(state, choice)| self.gained(state, choice, &now.terms[0]));
        let gains = gains.fold(0.0, f64::max) + self.doubt(&now);
        let ahead = if self.automaton.waits(initial) { 0.0 } else { gains * self.steps[initial] };
        let slip = self.slip(now.largest[0]);
        let worth = now.terms[0][initial];
        Ok(Interval { low: worth - self.below - slip, high: worth + self.above + slip + ahead }.widened(0.0))
    }
}

/// A coefficient of a polynomial in Bernstein's basis, from those of its powers.
fn bernstein(powers: &[f64; TERMS + 1], place: usize) -> f64 {
    let mut share = 1.0;
    let mut sum = powers[0];
    for (number, power) in powers.iter().enumerate().take(place + 1).skip(1) {
        share *= (place + 1 - number) as f64 / (TERMS + 1 - number) as f64;
        sum += share * power;
    }
    sum
}

/// Makes a guess of how many decisions follow each other into an upper bound: each must be one more than what
/// follows.
fn enough_steps(automaton: &Automaton, deciding: &[u32], mut steps: Vec<f64>) -> Vec<f64> {
    let mut least = 1.0_f64;
    for state in deciding {
        for choice in automaton.choices(*state as usize) {
            let row = automaton.row(choice).filter(|(to, _)| !automaton.waits(*to as usize));
            let next: f64 = row.map(|(to, weight)| weight * steps[to as usize]).sum();
            let slack = rounding(automaton.targets(choice).len(), steps[*state as usize] + next);
            least = least.min(steps[*state as usize] - next - slack);
        }
    }
    for state in deciding {
        // If the guess is no good, nothing is known.
        let enough = if least > 0.0 { steps[*state as usize] / least } else { f64::INFINITY };
        steps[*state as usize] = enough * (1.0 + 1e-12);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::{TERMS, bernstein};

    #[test]
    fn polynomials_in_bernsteins_basis() {
        // x has the coefficients j/n, and x² those of j·(j − 1)/(n·(n − 1)).
        let mut powers = [0.0; TERMS + 1];
        powers[0] = 2.0;
        powers[1] = 1.0;
        let count = TERMS as f64;
        for place in 0..=TERMS {
            let expected = 2.0 + place as f64 / count;
            assert!((bernstein(&powers, place) - expected).abs() < 1e-14);
        }
        powers = [0.0; TERMS + 1];
        powers[2] = 1.0;
        for place in 0..=TERMS {
            let expected = (place as f64) * (place as f64 - 1.0) / (count * (count - 1.0));
            assert!((bernstein(&powers, place) - expected).abs() < 1e-14);
        }
    }
}
