//! Solves a stochastic view: one number if it is a chain, and the least and the greatest if choices are left
//! open.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_explicit::{Progress, Watch};
use narrows_model::decimals::{DIGITS, certain, outwards, told_above, told_below};
use narrows_model::{Figure, FigureResult, Limit, Number};
use narrows_performance::markov::{
    Accuracy, Aim, Automaton, Chain, ChainError, Interval, Reward, Vanished, Zeno, average, long_run, lump,
    occupancy, ratio, reward_at, reward_at_over, uniform,
};
use narrows_performance::stochastic::Stochastic;
use narrows_performance::{Fine, Time, as_f64};

/// How wide an interval may be.
pub(super) const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// A view, and what is solved.
pub(super) struct Solvable<'a> {
    pub(super) view: Stochastic<'a>,
    solver: Solver,
    /// How many states were left after minimisation, at most.
    most: Cell<usize>,
    /// Means that were found together.
    found: Vec<(Wanted, Interval)>,
    watch: Arc<dyn Watch>,
    /// Whether solving was cut short by a limit.
    cut: AtomicBool,
}

/// A mean that is asked for: of an event, or of how long something holds.
#[derive(Clone, PartialEq)]
pub(super) enum Wanted {
    Event(u16),
    Holds(String),
}

enum Solver {
    Chain(Box<Chain>),
    Automaton(Box<Automaton>),
}

/// What is gained.
pub(super) enum Gain {
    State(Vec<f64>),
    Event(u16),
    /// So much per time, and so much with each of some events.
    Sum(Gains),
}

/// What is gained in each rest per time, and with each of some events.
#[derive(Clone, Default)]
pub(super) struct Gains {
    pub(super) rates: Vec<f64>,
    pub(super) events: Vec<(u16, f64)>,
}

/// What came out over all schedulers, and for choices that are equally likely.
pub(super) struct Open {
    pub(super) least: Interval,
    pub(super) greatest: Interval,
    pub(super) even: Interval,
}

impl<'a> Solvable<'a> {
    pub(super) fn new(view: Stochastic<'a>, watch: &Arc<dyn Watch>) -> Result<Solvable<'a>, ChainError> {
        let solver = if view.is_chain() {
            Solver::Chain(Box::new(view.chain()?))
        } else {
            Solver::Automaton(Box::new(view.automaton()?))
        };
        Ok(Solvable {
            view,
            solver,
            most: Cell::new(0),
            found: Vec::new(),
            watch: Arc::clone(watch),
            cut: AtomicBool::new(false),
        })
    }

    /// Solves something, unless a limit is reached before it is narrow enough.
    fn solve<R>(&self, solve: impl FnOnce(Accuracy<'_>) -> R) -> R {
        let (watch, cut, progress) = (&self.watch, &self.cut, self.progress());
        let stop = || {
            let is_over = watch.check(&progress).is_some();
            cut.fetch_or(is_over, Ordering::Relaxed);
            is_over
        };
        solve(Accuracy { stop: Some(&stop), ..ACCURACY })
    }

    fn progress(&self) -> Progress {
        Progress { states: self.view.tangible_states().into(), ..Progress::default() }
    }

    /// Returns the limit that has cut solving short since this was last asked.
    pub(super) fn take_cut(&self) -> Option<Limit> {
        let was_cut = self.cut.swap(false, Ordering::Relaxed);
        was_cut.then(|| self.watch.check(&self.progress()).unwrap_or(Limit::Time))
    }

    /// Returns whether nothing is left open.
    pub(super) fn is_chain(&self) -> bool {
        matches!(self.solver, Solver::Chain(_))
    }

    /// Returns a mean, if it was found together with others.
    pub(super) fn found(&self, wanted: &Wanted) -> Option<Interval> {
        self.found.iter().find(|(known, _)| known == wanted).map(|(_, found)| *found)
    }

    /// Finds some means of the long run at the same time, each on a thread of its own. What comes out does
    /// not depend on that.
    pub(super) fn find(&mut self, gains: Vec<(Wanted, Gain)>) {
        let Solver::Chain(chain) = &self.solver else { return };
        let smaller: Vec<_> = gains
            .into_iter()
            .map(|(wanted, gain)| (wanted, self.smaller(chain, vec![self.rates(gain)])))
            .collect();
        let found: Vec<(Wanted, Interval)> = self.solve(|accuracy| {
            std::thread::scope(|scope| {
                let solve = |(wanted, (chain, rewards)): (Wanted, (Cow<'_, Chain>, Vec<Vec<f64>>))| {
                    (wanted, long_run(&chain, &rewards, accuracy).remove(0))
                };
                let threads: Vec<_> =
                    smaller.into_iter().map(|one| scope.spawn(move || solve(one))).collect();
                // One that has failed is asked for again, alone.
                threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
            })
        });
        // What was cut short is asked for again too.
        if self.take_cut().is_none() {
            self.found.extend(found);
        }
    }

    /// Returns what is gained in each rest, per time.
    fn rates(&self, gain: Gain) -> Vec<f64> {
        match gain {
            Gain::State(rates) => rates,
            Gain::Event(event) => self.view.frequencies(event),
            Gain::Sum(Gains { rates: mut sum, events }) => {
                sum.resize(self.view.tangible_states() as usize, 0.0);
                add(&mut sum, &self.view.gains(&events), 1.0);
                sum
            }
        }
    }

    /// Returns how many states were left after minimisation, if there were fewer for every question.
    pub(super) fn minimised(&self) -> Option<u64> {
        let most = self.most.get();
        (most > 0 && most < self.view.tangible_states() as usize).then_some(most as u64)
    }

    /// Makes a chain smaller, as far as it makes no difference to some rewards.
    fn smaller<'c>(&self, chain: &'c Chain, rewards: Vec<Vec<f64>>) -> (Cow<'c, Chain>, Vec<Vec<f64>>) {
        // What was not worth it for one question is rarely worth it for the next.
        let is_in_vain = self.most.get() == chain.states();
        let columns: Vec<&[f64]> = rewards.iter().map(Vec::as_slice).collect();
        let lumped = if is_in_vain { None } else { lump(chain, &columns) };
        let (chain, rewards) = match lumped {
            Some(lumped) => {
                let rewards = rewards.iter().map(|reward| lumped.reward(reward)).collect();
                (Cow::Owned(lumped.chain), rewards)
            }
            None => (Cow::Borrowed(chain), rewards),
        };
        self.most.set(self.most.get().max(chain.states()));
        (chain, rewards)
    }

    /// Bounds a mean of the long run, over all schedulers where choices are left open.
    pub(super) fn average(&self, gain: Gain, figure: &mut Figure) -> Result<Interval, Zeno> {
        let automaton = match &self.solver {
            Solver::Chain(chain) => {
                if let Gain::Event(event) = gain
                    && let Some(found) = self.found(&Wanted::Event(event))
                {
                    return Ok(found);
                }
                let (chain, rewards) = self.smaller(chain, vec![self.rates(gain)]);
                return Ok(self.solve(|accuracy| long_run(&chain, &rewards, accuracy)).remove(0));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let reward = self.reward(gain);
        let vanished = uniform(automaton, std::slice::from_ref(&reward))?;
        let even = self.solve(|accuracy| long_run(&vanished.chain, &vanished.rewards, accuracy));
        let open = Open {
            least: self.solve(|accuracy| average(automaton, &reward, Aim::Least, accuracy))?,
            greatest: self.solve(|accuracy| average(automaton, &reward, Aim::Greatest, accuracy))?,
            even: even.first().copied().unwrap_or(Interval::ANY),
        };
        Ok(open.tell("", figure))
    }

    /// Returns what is gained in the automaton.
    fn reward(&self, gain: Gain) -> Reward {
        match gain {
            Gain::State(rates) => self.view.state_reward(rates),
            Gain::Event(event) => self.view.event_reward(event),
            Gain::Sum(Gains { rates, events }) => {
                let mut sum = self.view.state_reward(rates);
                for (event, amount) in events {
                    let one = self.view.event_reward(event);
                    add(&mut sum.rates, &one.rates, amount);
                    add(&mut sum.impulses, &one.impulses, amount);
                }
                sum
            }
        }
    }

    /// Bounds how much of one thing is gained for each of another in the long run, over all schedulers where
    /// choices are left open; `None` if the other is never gained.
    fn quotient(&self, of: Gain, per: Gain, figure: &mut Figure) -> Result<Option<Interval>, Zeno> {
        let automaton = match &self.solver {
            Solver::Chain(_) => {
                let (of, per) = (self.average(of, figure)?, self.average(per, figure)?);
                return Ok((per.high > 0.0).then(|| of.over(per)));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let rewards = [self.reward(of), self.reward(per)];
        let most = self.solve(|accuracy| average(automaton, &rewards[1], Aim::Greatest, accuracy))?;
        if most.high <= 0.0 {
            return Ok(None);
        }
        let vanished = uniform(automaton, &rewards)?;
        let even = self.solve(|accuracy| long_run(&vanished.chain, &vanished.rewards, accuracy));
        let over = |aim| self.solve(|accuracy| ratio(automaton, &rewards[0], &rewards[1], aim, accuracy));
        let (least, greatest) = (over(Aim::Least)?, over(Aim::Greatest)?);
        let open = Open { least, greatest, even: even[0].over(even[1]) };
        Ok(Some(open.tell("", figure)))
    }

    /// Says how much is gained for each time an event happens.
    pub(super) fn per(&self, of: Gain, per: u16, figure: &mut Figure) {
        match self.quotient(of, Gain::Event(per), figure) {
            Ok(Some(found)) => set(&Ok(found), figure),
            Ok(None) => {
                let reason = "What it is counted for never happens in the long run.";
                figure.result = FigureResult::None(reason.to_owned());
            }
            Err(zeno) => set(&Err(zeno), figure),
        }
    }

    /// Bounds for what part of the time something has each of its values, and its variance, given what it is
    /// on average; `None` where choices are left open.
    pub(super) fn spread(&self, values: &[f64], mean: Interval) -> Option<(Vec<(f64, Interval)>, Interval)> {
        let Solver::Chain(chain) = &self.solver else { return None };
        let (chain, columns) = self.smaller(chain, vec![values.to_vec()]);
        let parts = self.solve(|accuracy| occupancy(&chain, &columns[0], accuracy));
        // Around the mean, nothing is lost by cancellation.
        let middle = mean.middle();
        let squares = columns[0].iter().map(|value| (value - middle) * (value - middle)).collect();
        let found = self.solve(|accuracy| long_run(&chain, &[squares], accuracy)).remove(0);
        let off = (mean.width() * mean.width()).next_up();
        let rounded = 4.0 * f64::EPSILON * found.high;
        let low = (found.low - off - rounded).next_down().max(0.0);
        Some((parts, Interval { low, high: (found.high + rounded).next_up() }))
    }

    /// Bounds how likely it is that a rest where something holds is the one at a time.
    pub(super) fn transient(
        &self,
        holds: Vec<f64>,
        time: Time,
        figure: &mut Figure,
    ) -> Result<Interval, Zeno> {
        let likely = Interval { low: 0.0, high: 1.0 };
        let automaton = match &self.solver {
            Solver::Chain(chain) => {
                // Rates and time keep all their digits.
                let (near, factor) = Fine::split(time);
                let fine = self.view.fine_chain(factor);
                let (chain, time) = fine.as_ref().map_or((&**chain, as_f64(time)), |fine| (fine, near));
                let (chain, rewards) = self.smaller(chain, vec![holds]);
                return Ok(self.solve(|accuracy| reward_at(&chain, &rewards[0], time, accuracy)).and(likely));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let (near, factor) = Fine::split(time);
        let rates = self.view.state_reward(holds).rates;
        let vanished = uniform(automaton, &[])?;
        let chain = vanished.chain.scaled(factor);
        let even = self.solve(|accuracy| reward_at(&chain, &of_states(&vanished, &rates), near, accuracy));
        // Over schedulers, it allows for a time that is rounded.
        let time = as_f64(time);
        let open = Open {
            least: self
                .solve(|accuracy| reward_at_over(automaton, &rates, time, Aim::Least, accuracy))?
                .and(likely),
            greatest: self
                .solve(|accuracy| reward_at_over(automaton, &rates, time, Aim::Greatest, accuracy))?
                .and(likely),
            even: even.and(likely),
        };
        Ok(open.tell(", also those that look at the clock", figure))
    }
}

/// Adds a multiple of some numbers to others.
fn add(sum: &mut [f64], more: &[f64], factor: f64) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += factor * more;
    }
}

/// What the states of a chain gain, from what those of the automaton do.
fn of_states(vanished: &Vanished, rates: &[f64]) -> Vec<f64> {
    vanished.states.iter().map(|state| rates[*state as usize]).collect()
}

impl Open {
    /// Says what an interval means if choices are left open, and returns it.
    pub(super) fn tell(&self, what: &str, figure: &mut Figure) -> Interval {
        figure.notes.push(format!(
            "The model leaves choices open; this is the range over all schedulers{what}; with equally likely \
             choices it is {}.",
            told(self.even)
        ));
        figure.range = Some(range_of(self.least, self.greatest));
        for (name, end) in [("least", self.least), ("greatest", self.greatest)] {
            if !ACCURACY.is_met(end) {
                let [low, high] = outwards(told_below(end.low), told_above(end.high), DIGITS);
                figure.notes.push(format!("The {name} is only known to lie between {low} and {high}."));
            }
        }
        Interval { low: self.least.low, high: self.greatest.high }
    }
}

/// Returns the least and the greatest, each between two numbers.
pub(super) fn range_of(least: Interval, greatest: Interval) -> [(f64, f64); 2] {
    [least, greatest].map(|end| (end.low, end.high))
}

/// Writes a number in a sentence, with the digits that are certain.
pub(super) fn told(found: Interval) -> String {
    certain(found.low, found.high, DIGITS)
}

/// Says what came out.
pub(super) fn set(found: &Result<Interval, Zeno>, figure: &mut Figure) {
    figure.result = match found {
        Ok(found) if found.low.is_infinite() => {
            FigureResult::Value { low: Number::Infinity, high: Number::Infinity, exact: false }
        }
        Ok(found) => {
            let high = if found.high.is_infinite() { Number::Infinity } else { Number::Float(found.high) };
            FigureResult::Value { low: Number::Float(found.low), high, exact: false }
        }
        Err(_) => standstill(),
    };
}

/// Says that choices are made for ever in no time.
fn standstill() -> FigureResult {
    let reason = "Choices that take no time may follow each other for ever, so that time stands still.";
    FigureResult::None(reason.to_owned())
}

/// Says why there is no chain.
pub(super) fn no_chain(wrong: &ChainError) -> FigureResult {
    FigureResult::None(format!("There is no Markov chain: {wrong}."))
}
