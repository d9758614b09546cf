//! Iterative solution of linear equations about a chain: Gauss–Seidel, accelerated by GMRES and multigrid.
//!
//! An equation is `right(s) − gain·time(s) + Σ rate(s,t)·(x(t) − x(s)) = 0` for the states of a list;
//! elsewhere x is given. A sweep solves it in one state after the other (Gauss–Seidel). A sweep is an affine
//! map, x ↦ M·x + b, so that changes of x can be sought that leave nothing to change: (I − M)·e is to be the
//! change that a sweep makes now. GMRES (Saad and Schultz 1986) finds the best e of those that a few more
//! sweeps lead to. If the gain is unknown, it is chosen best at the same time: what it changes in a sweep,
//! the slope, is kept out of the other directions.
//!
//! If few directions leave much, a sweep is followed by what coarser chains say (`multigrid.rs`), and by
//! another sweep: that is an affine map too.
//!
//! Nothing here is trusted: what comes out is a guess, which `gain.rs` and `total_reward.rs` turn into
//! bounds. So directions are kept with few digits.
//!
//! Memory: besides x, for each state 32 bytes, 12 more if it has many transitions, and 4 for each direction.

use super::chain::Chain;
use super::interval::Accuracy;
use super::multigrid::{Multigrid, WAYS};

/// The equations of some states of a chain.
pub(super) struct Equations<'a, T> {
    pub(super) chain: &'a Chain,
    /// The chain whose states are left: the same, unless transitions are taken backwards.
    pub(super) leaving: &'a Chain,
    /// The states, in the order in which a sweep visits them.
    pub(super) order: &'a [u32],
    pub(super) right: &'a [f64],
    /// The coefficient of the gain in a state; `None` if there is no gain.
    pub(super) time: Option<T>,
    /// Whether the states are a bottom component: if this converges slowly, multigrid helps.
    pub(super) closed: bool,
    pub(super) accuracy: Accuracy<'a>,
}

/// An iteration that can be resumed.
pub(super) struct Iteration {
    pub(super) gain: f64,
    /// How many sweeps there were.
    pub(super) sweeps: usize,
    /// By how much the last sweep changed a value at most.
    pub(super) change: f64,
    /// One over the rate with which each state is left.
    inverse: Vec<f64>,
    /// Room for a value for each state of the chain.
    scratch: Vec<f64>,
    halves: Option<Halves>,
    /// What one unit of gain changes in a sweep, but for a factor: its length is 1, or it is empty.
    slope: Vec<f32>,
    /// That factor.
    steepness: f64,
    /// How much each state counts in lengths and angles.
    weights: Vec<f32>,
    /// One over that.
    lightness: Vec<f32>,
    /// Directions of length 1, at right angles to each other and to the slope.
    directions: Vec<Vec<f32>>,
    /// How many directions there may be now.
    most: usize,
    /// How many sweeps there are before a search now.
    plain: usize,
    /// How long each state is visited, roughly.
    visited: Vec<f32>,
    help: Help,
}

/// What spares a sweep a part of the work, if it begins with the highest number and each state that follows
/// has a lower one.
struct Halves {
    /// Where the transitions of each state to higher numbers begin.
    middle: Vec<u32>,
    /// Room for what each state takes from there.
    kept: Vec<f64>,
}

/// The use of multigrid in an iteration.
enum Help {
    Untried,
    /// The chains, and in which way they were made.
    Given(Box<Multigrid>, usize),
    Useless,
}

impl Iteration {
    /// Returns whether coarser chains are made use of.
    pub(super) fn has_help(&self) -> bool {
        matches!(self.help, Help::Given(..))
    }
}

/// Sweeps between two searches, at first and at most: they make what remains smooth. If a search leaves much,
/// the next one would do the same again, so there are more.
const PLAIN: (usize, usize) = (2, 32);
/// With so many transitions for each state, halves pay.
const LONG: usize = 6;
/// Sweeps that find out how much states count: at first, and before coarser chains are made.
const SPREAD: (usize, usize) = (3, 10);
/// How many directions there are at first, and at most if that is too few.
const DIRECTIONS: (usize, usize) = (20, 60);
/// This share of the time is spread over all states, as if all were visited as often.
const SELDOM: f64 = 0.1;
/// If each direction of a search leaves more than this share of what there was, coarser chains may help. That
/// is seen after so many directions.
const SLOW: (f64, usize) = (0.85, 8);
/// With few digits, no search leaves less than this share.
const LEAST: f64 = 3e-6;
/// If it leaves more than this share with them, they do not.
const VAIN: f64 = 0.3;

impl<T: Fn(usize) -> f64 + Copy> Equations<'_, T> {
    /// Starts an iteration at a guess of the gain.
    pub(super) fn start(&self, gain: f64) -> Iteration {
        let inverse = self.order.iter().map(|state| 1.0 / self.leaving.exit(*state as usize)).collect();
        let mut iteration = Iteration {
            gain,
            sweeps: 0,
            change: f64::INFINITY,
            inverse,
            scratch: vec![0.0; self.chain.states()],
            halves: self.halves(),
            slope: Vec::new(),
            steepness: 0.0,
            weights: Vec::new(),
            lightness: Vec::new(),
            directions: Vec::new(),
            most: DIRECTIONS.0,
            plain: PLAIN.0,
            visited: Vec::new(),
            help: if self.closed { Help::Untried } else { Help::Useless },
        };
        self.weigh(&mut iteration, SPREAD.0);
        self.find_slope(&mut iteration);
        iteration
    }

    /// Finds out what one unit of gain changes in a sweep.
    fn find_slope(&self, iteration: &mut Iteration) {
        iteration.scratch.fill(0.0);
        if let Some(time) = self.time {
            let mut scratch = std::mem::take(&mut iteration.scratch);
            self.relax(iteration, time, &mut scratch);
            iteration.scratch = scratch;
            let weights = iteration.weights.iter().map(|weight| f64::from(*weight));
            let values = || {
                self.order
                    .iter()
                    .zip(weights.clone())
                    .map(|(state, weight)| iteration.scratch[*state as usize] * weight)
            };
            iteration.steepness = values().map(|value| value * value).sum::<f64>().sqrt();
            iteration.slope = values().map(|value| (value / iteration.steepness) as f32).collect();
        }
    }

    /// Weighs states by where sweeps take values from: what is wrong in a state that many depend on spreads
    /// to them.
    ///
    /// With weights that a sweep, backwards, leaves as they are, no sweep makes a vector longer. Those here
    /// are the mean of some sweeps that begin with all states alike.
    fn weigh(&self, iteration: &mut Iteration, spread: usize) {
        iteration.scratch.fill(0.0);
        let share = 1.0 / self.order.len() as f64;
        for state in self.order {
            iteration.scratch[*state as usize] = share;
        }
        let mut sums = vec![share; self.order.len()];
        let (inverse, scratch) = (&iteration.inverse, &mut iteration.scratch);
        let mut visited = vec![0.0; self.order.len()];
        for _ in 0..spread {
            // What is handed to a state that comes later here is handed on; what comes to one that has been
            // here stays.
            let mut hand_on = |place: usize, state: usize| {
                let share = std::mem::take(&mut scratch[state]) * inverse[place];
                visited[place] += share;
                for (target, rate) in self.chain.row(state) {
                    scratch[target as usize] += share * rate;
                }
            };
            self.visit(&mut hand_on);
            for (sum, state) in sums.iter_mut().zip(self.order) {
                *sum += scratch[*state as usize];
            }
        }
        iteration.sweeps += 2 * spread;
        let mean = share * (spread + 1) as f64;
        iteration.weights = sums.iter().map(|sum| (sum / mean).sqrt() as f32).collect();
        iteration.lightness = iteration.weights.iter().map(|weight| 1.0 / weight).collect();
        if self.closed {
            // What is visited rarely counts too.
            let least = SELDOM * visited.iter().sum::<f64>() / inverse.iter().sum::<f64>();
            let visited = visited.iter().zip(inverse).map(|(time, inverse)| (time + least * inverse) as f32);
            iteration.visited = visited.collect();
        }
    }

    /// Visits each state twice: there and back.
    fn visit(&self, mut at: impl FnMut(usize, usize)) {
        for (place, state) in self.order.iter().enumerate() {
            at(place, *state as usize);
        }
        for (place, state) in self.order.iter().enumerate().rev() {
            at(place, *state as usize);
        }
    }

    /// Prepares halves, if they pay.
    fn halves(&self) -> Option<Halves> {
        let is_long = self.chain.transitions() >= LONG * self.chain.states();
        let pays = is_long && self.order.is_sorted_by(|one, next| one > next);
        pays.then(|| Halves {
            middle: self.order.iter().map(|state| self.chain.middle(*state as usize)).collect(),
            kept: vec![0.0; self.order.len()],
        })
    }

    /// Solves the equation of each state, with coarser chains if there are any.
    fn relax(&self, iteration: &mut Iteration, right: impl Fn(usize) -> f64, values: &mut [f64]) {
        self.there_and_back(iteration, &right, values, |_| {});
        iteration.sweeps += 2;
        if let Help::Given(levels, _) = &mut iteration.help {
            levels.correct(self.chain, self.order, &iteration.inverse, &right, values);
            self.there_and_back(iteration, &right, values, |_| {});
            iteration.sweeps += 4;
        }
    }

    /// Solves the equation of each state, and notes how much that changes.
    fn sweep(&self, iteration: &mut Iteration, values: &mut [f64]) {
        let (mut change, gain) = (0.0_f64, iteration.gain);
        let right = |state: usize| self.right[state] - self.time.map_or(0.0, |time| gain * time(state));
        self.there_and_back(iteration, right, values, |changed| change = change.max(changed.abs()));
        iteration.change = change;
        iteration.sweeps += 2;
    }

    /// Solves the equation of each state twice; tells by how much each value changes.
    fn there_and_back(
        &self,
        iteration: &mut Iteration,
        right: impl Fn(usize) -> f64,
        values: &mut [f64],
        mut tell: impl FnMut(f64),
    ) {
        let (chain, inverse) = (self.chain, &iteration.inverse);
        let mut set = |old: &mut f64, new: f64| {
            tell(new - *old);
            *old = new;
        };
        let Some(Halves { middle, kept }) = &mut iteration.halves else {
            self.visit(|place, state| {
                let sum = chain.gather(state, right(state), values);
                set(&mut values[state], sum * inverse[place]);
            });
            return;
        };
        let places = || self.order.iter().map(|state| *state as usize).zip(&*middle).zip(inverse);
        for (((state, middle), inverse), kept) in places().zip(&mut *kept) {
            *kept = chain.gather_above(state, *middle, right(state), values);
            let sum = chain.gather_below(state, *middle, *kept, values);
            set(&mut values[state], sum * inverse);
        }
        // On the way back, states with higher numbers still have the values that they got on the way there.
        for (((state, middle), inverse), kept) in places().zip(kept).rev() {
            let sum = chain.gather_below(state, *middle, *kept, values);
            set(&mut values[state], sum * inverse);
        }
    }

    /// Does some sweeps, and then takes the best change that some more lead to. It may leave so much of what
    /// there was.
    pub(super) fn cycle(&self, iteration: &mut Iteration, values: &mut [f64], enough: f64) {
        for _ in 0..iteration.plain {
            self.sweep(iteration, values);
            if self.accuracy.is_stopped() {
                return;
            }
        }
        if iteration.change > 0.0 && iteration.change.is_finite() {
            self.correct(iteration, values, enough.clamp(LEAST, 0.1));
        }
    }

    fn correct(&self, iteration: &mut Iteration, values: &mut [f64], enough: f64) {
        // What a sweep would change now.
        let mut scratch = std::mem::take(&mut iteration.scratch);
        scratch.copy_from_slice(values);
        let gain = iteration.gain;
        let right = |state: usize| self.right[state] - self.time.map_or(0.0, |time| gain * time(state));
        self.relax(iteration, right, &mut scratch);
        let weights = std::mem::take(&mut iteration.weights);
        let changes = || {
            let changes = self.order.iter().map(|state| scratch[*state as usize] - values[*state as usize]);
            changes.zip(&weights).map(|(change, weight)| change * f64::from(*weight))
        };
        let length = changes().map(|change| change * change).sum::<f64>().sqrt();
        let mut next: Vec<f32> = changes().map(|change| (change / length) as f32).collect();
        let along_slope = remove(&mut next, &iteration.slope) * length;
        let rest = norm(&next);
        if !(length.is_finite() && length > 0.0 && rest > 0.0) {
            (iteration.scratch, iteration.weights) = (scratch, weights);
            return;
        }
        scale(&mut next, 1.0 / rest);
        let mut search = Search::new(rest * length);
        let mut directions = std::mem::take(&mut iteration.directions);
        let mut count = 0;
        scratch.fill(0.0);
        while count < iteration.most {
            keep(&mut directions, count, &next);
            count += 1;
            self.remainder(iteration, &weights, &mut scratch, &mut next);
            search.steep.push(remove(&mut next, &iteration.slope));
            let mut column: Vec<f64> =
                directions[..count].iter().map(|direction| remove(&mut next, direction)).collect();
            let length = norm(&next);
            column.push(length);
            search.add(column);
            let needs_help = count == SLOW.1 && matches!(iteration.help, Help::Untried) && search.is_slow();
            if length <= 1e-6
                || !length.is_finite()
                || search.progress() <= enough
                || needs_help
                || self.accuracy.is_stopped()
            {
                break;
            }
            scale(&mut next, 1.0 / length);
        }
        if search.progress() > 0.02 {
            iteration.most = (iteration.most + 10).min(DIRECTIONS.1);
        }
        let amounts = search.solve();
        if amounts.iter().all(|amount| amount.is_finite()) {
            for (place, state) in self.order.iter().enumerate() {
                let parts = directions.iter().zip(&amounts);
                let sum: f64 = parts.map(|(direction, amount)| amount * f64::from(direction[place])).sum();
                values[*state as usize] += sum * f64::from(iteration.lightness[place]);
            }
            if !iteration.slope.is_empty() {
                let steep: f64 =
                    search.steep.iter().zip(&amounts).map(|(steep, amount)| steep * amount).sum();
                iteration.gain += (along_slope - steep) / iteration.steepness;
            }
        }
        iteration.directions = directions;
        (iteration.scratch, iteration.weights) = (scratch, weights);
        self.reconsider(iteration, &search);
    }

    /// Replaces a direction by what a sweep leaves of it: (I − M)·v. The scratch has zeros for states that
    /// are not relaxed.
    fn remainder(
        &self,
        iteration: &mut Iteration,
        weights: &[f32],
        scratch: &mut [f64],
        direction: &mut [f32],
    ) {
        for ((state, value), inverse) in self.order.iter().zip(&*direction).zip(&iteration.lightness) {
            scratch[*state as usize] = f64::from(*value) * f64::from(*inverse);
        }
        self.relax(iteration, |_| 0.0, scratch);
        for ((state, value), weight) in self.order.iter().zip(direction).zip(weights) {
            *value = (f64::from(*value) - scratch[*state as usize] * f64::from(*weight)) as f32;
        }
    }

    /// Gets help if the last search left so much, or gives it up if that was with help.
    fn reconsider(&self, iteration: &mut Iteration, search: &Search) {
        let (progress, is_slow) = (search.progress(), search.is_slow());
        iteration.plain = if progress > VAIN { (2 * iteration.plain).min(PLAIN.1) } else { PLAIN.0 };
        match iteration.help {
            Help::Untried if is_slow => self.get_help(iteration),
            Help::Given(..) if progress > VAIN || progress.is_nan() => self.get_help(iteration),
            _ => {}
        }
    }

    /// Makes coarser chains, in the way after the last one.
    pub(super) fn get_help(&self, iteration: &mut Iteration) {
        let first = match iteration.help {
            Help::Untried => 0,
            Help::Given(_, way) => way + 1,
            Help::Useless => return,
        };
        if first == 0 {
            self.weigh(iteration, SPREAD.1);
        }
        // What there was is given back before there is more.
        iteration.help = Help::Useless;
        for (number, way) in WAYS.iter().enumerate().skip(first) {
            if let Some(levels) = Multigrid::new(self.chain, self.order, &iteration.visited, *way) {
                iteration.help = Help::Given(Box::new(levels), number);
                break;
            }
        }
        (iteration.most, iteration.plain) = (DIRECTIONS.0, PLAIN.0);
        self.find_slope(iteration);
    }
}

fn keep(directions: &mut Vec<Vec<f32>>, place: usize, direction: &[f32]) {
    match directions.get_mut(place) {
        Some(kept) => kept.copy_from_slice(direction),
        None => directions.push(direction.to_vec()),
    }
}

/// The small least-squares problem of GMRES, kept triangular by rotations.
struct Search {
    /// How long the vector is that is sought.
    length: f64,
    /// How much of each remainder lies along the slope.
    steep: Vec<f64>,
    columns: Vec<Vec<f64>>,
    rotations: Vec<(f64, f64)>,
    right: Vec<f64>,
}

impl Search {
    fn new(length: f64) -> Search {
        Search { length, steep: Vec::new(), columns: Vec::new(), rotations: Vec::new(), right: vec![length] }
    }

    fn add(&mut self, mut column: Vec<f64>) {
        for (place, (cosine, sine)) in self.rotations.iter().enumerate() {
            let (upper, lower) = (column[place], column[place + 1]);
            column[place] = cosine * upper + sine * lower;
            column[place + 1] = cosine * lower - sine * upper;
        }
        let last = self.rotations.len();
        let length = column[last].hypot(column[last + 1]);
        let (cosine, sine) = (column[last] / length, column[last + 1] / length);
        column[last] = length;
        self.rotations.push((cosine, sine));
        let upper = self.right[last];
        self.right[last] = cosine * upper;
        self.right.push(-sine * upper);
        self.columns.push(column);
    }

    /// How much remains of what there was at first.
    fn progress(&self) -> f64 {
        self.right.last().map_or(1.0, |rest| rest.abs() / self.length)
    }

    /// Whether each direction has left much.
    fn is_slow(&self) -> bool {
        self.progress() > SLOW.0.powi(self.columns.len() as i32)
    }

    fn solve(&self) -> Vec<f64> {
        let size = self.columns.len();
        let mut weights = self.right[..size].to_vec();
        for place in (0..size).rev() {
            weights[place] /= self.columns[place][place];
            for above in 0..place {
                weights[above] -= self.columns[place][above] * weights[place];
            }
        }
        weights
    }
}

/// Takes away what lies along a direction of length 1; returns how much it was.
fn remove(vector: &mut [f32], direction: &[f32]) -> f64 {
    if direction.is_empty() {
        return 0.0;
    }
    let along = dot(vector, direction);
    let amount = along as f32;
    for (value, part) in vector.iter_mut().zip(direction) {
        *value -= amount * part;
    }
    along
}

fn norm(vector: &[f32]) -> f64 {
    dot(vector, vector).sqrt()
}

fn scale(vector: &mut [f32], factor: f64) {
    for value in vector {
        *value = (f64::from(*value) * factor) as f32;
    }
}

/// The sum of products, in eight sums that the processor can do at once.
fn dot(left: &[f32], right: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (lefts, rights) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f64 =
        lefts.remainder().iter().zip(rights.remainder()).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    for (xs, ys) in lefts.zip(rights) {
        for ((sum, x), y) in sums.iter_mut().zip(xs).zip(ys) {
            *sum += f64::from(*x) * f64::from(*y);
        }
    }
    sums.iter().sum::<f64>() + rest
}
