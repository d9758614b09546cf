//! Solves a stochastic view: one number if it is a chain, and the least and the greatest if choices are left open.

use std::borrow::Cow;
use std::cell::Cell;

use narrows_model::{Figure, FigureResult, Number};
use narrows_performance::markov::{
    Accuracy, Aim, Automaton, Chain, ChainError, Interval, Reward, Vanished, Zeno, average, long_run, lump,
    passage, passage_over, reward_at, reward_at_over, uniform,
};
use narrows_performance::stochastic::Stochastic;

/// How wide an interval may be.
const ACCURACY: Accuracy = Accuracy { relative: 1e-6, sweeps: 100_000 };

/// A view, and what is solved.
pub(super) struct Solvable<'a> {
    pub(super) view: Stochastic<'a>,
    solver: Solver,
    /// How many states were left after minimisation, at most.
    most: Cell<usize>,
    /// Means that were found together.
    found: Vec<(Wanted, Interval)>,
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
    /// So much with each of some events.
    Events(Vec<(u16, f64)>),
}

/// What came out over all ways to decide, and for choices that are equally likely.
struct Open {
    least: Interval,
    greatest: Interval,
    even: Interval,
}

impl<'a> Solvable<'a> {
    pub(super) fn new(view: Stochastic<'a>) -> Result<Solvable<'a>, ChainError> {
        let solver = if view.is_chain() {
            Solver::Chain(Box::new(view.chain()?))
        } else {
            Solver::Automaton(Box::new(view.automaton()?))
        };
        Ok(Solvable { view, solver, most: Cell::new(0), found: Vec::new() })
    }

    /// Returns whether nothing is left open.
    pub(super) fn is_chain(&self) -> bool {
        matches!(self.solver, Solver::Chain(_))
    }

    /// Returns a mean, if it was found together with others.
    pub(super) fn found(&self, wanted: &Wanted) -> Option<Interval> {
        self.found.iter().find(|(known, _)| known == wanted).map(|(_, found)| *found)
    }

    /// Finds some means of the long run at the same time, each on a thread of its own. What comes out does not depend on
    /// that.
    pub(super) fn find(&mut self, gains: Vec<(Wanted, Gain)>) {
        let Solver::Chain(chain) = &self.solver else { return };
        let smaller: Vec<_> = gains
            .into_iter()
            .map(|(wanted, gain)| (wanted, self.smaller(chain, vec![self.rates(gain)])))
            .collect();
        let found: Vec<(Wanted, Interval)> = std::thread::scope(|scope| {
            let solve = |(wanted, (chain, rewards)): (Wanted, (Cow<'_, Chain>, Vec<Vec<f64>>))| {
                (wanted, long_run(&chain, &rewards, ACCURACY).remove(0))
            };
            let threads: Vec<_> = smaller.into_iter().map(|one| scope.spawn(move || solve(one))).collect();
            // One that has failed is asked for again, alone.
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        self.found.extend(found);
    }

    /// Returns what is gained in each rest, per time.
    fn rates(&self, gain: Gain) -> Vec<f64> {
        match gain {
            Gain::State(rates) => rates,
            Gain::Event(event) => self.view.frequencies(event),
            Gain::Events(events) => {
                let mut sum = vec![0.0; self.view.tangible_states() as usize];
                for (event, amount) in events {
                    add(&mut sum, &self.view.frequencies(event), amount);
                }
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
                return Ok(long_run(&chain, &rewards, ACCURACY).remove(0));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let reward: Reward = match gain {
            Gain::State(rates) => self.view.state_reward(rates),
            Gain::Event(event) => self.view.event_reward(event),
            Gain::Events(events) => {
                let mut sum = self.view.state_reward(Vec::new());
                for (event, amount) in events {
                    let one = self.view.event_reward(event);
                    add(&mut sum.rates, &one.rates, amount);
                    add(&mut sum.impulses, &one.impulses, amount);
                }
                sum
            }
        };
        let vanished = uniform(automaton, std::slice::from_ref(&reward))?;
        let even = long_run(&vanished.chain, &vanished.rewards, ACCURACY);
        let open = Open {
            least: average(automaton, &reward, Aim::Least, ACCURACY)?,
            greatest: average(automaton, &reward, Aim::Greatest, ACCURACY)?,
            even: even.first().copied().unwrap_or(Interval::ANY),
        };
        Ok(open.tell("mean over all ways to decide", figure))
    }

    /// Bounds how likely it is that a rest where something holds is the one at a time.
    pub(super) fn transient(
        &self,
        holds: Vec<f64>,
        time: f64,
        figure: &mut Figure,
    ) -> Result<Interval, Zeno> {
        let likely = Interval { low: 0.0, high: 1.0 };
        let automaton = match &self.solver {
            Solver::Chain(chain) => {
                let (chain, rewards) = self.smaller(chain, vec![holds]);
                return Ok(reward_at(&chain, &rewards[0], time, ACCURACY).and(likely));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let rates = self.view.state_reward(holds).rates;
        let vanished = uniform(automaton, &[])?;
        let even = reward_at(&vanished.chain, &of_states(&vanished, &rates), time, ACCURACY);
        let open = Open {
            least: reward_at_over(automaton, &rates, time, Aim::Least, ACCURACY)?.and(likely),
            greatest: reward_at_over(automaton, &rates, time, Aim::Greatest, ACCURACY)?.and(likely),
            even: even.and(likely),
        };
        Ok(open.tell("probability over all ways to decide, also by the clock", figure))
    }

    /// Bounds the mean time from when something begins to hold until something else does; `None` if it never begins.
    pub(super) fn passage(
        &self,
        from: Vec<f64>,
        to: Vec<f64>,
        figure: &mut Figure,
    ) -> Result<Option<Interval>, Zeno> {
        let automaton = match &self.solver {
            Solver::Chain(chain) => {
                let (chain, rewards) = self.smaller(chain, vec![from, to]);
                return Ok(passage(&chain, holds(&rewards[0]), holds(&rewards[1]), ACCURACY));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let (from, to) = (self.view.state_reward(from).rates, self.view.state_reward(to).rates);
        let over = |aim| passage_over(automaton, holds(&from), holds(&to), aim, ACCURACY);
        let (Some(least), Some(greatest)) = (over(Aim::Least)?, over(Aim::Greatest)?) else {
            return Ok(None);
        };
        let vanished = uniform(automaton, &[])?;
        let (from, to) = (of_states(&vanished, &from), of_states(&vanished, &to));
        let even = passage(&vanished.chain, holds(&from), holds(&to), ACCURACY).unwrap_or(Interval::ANY);
        let what = "mean over all ways to decide, from the start that is best or worst among those that may come \
                    again and again";
        Ok(Some(Open { least, greatest, even }.tell(what, figure)))
    }
}

/// Adds a multiple of some numbers to others.
fn add(sum: &mut [f64], more: &[f64], factor: f64) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += factor * more;
    }
}

/// Whether something holds, for each state.
fn holds(values: &[f64]) -> impl Fn(u32) -> bool + Copy + '_ {
    |state| values.get(state as usize).is_some_and(|value| *value > 0.5)
}

/// What the states of a chain gain, from what those of the automaton do.
fn of_states(vanished: &Vanished, rates: &[f64]) -> Vec<f64> {
    vanished.states.iter().map(|state| rates[*state as usize]).collect()
}

impl Open {
    /// Says what an interval means if choices are left open, and returns it.
    fn tell(&self, what: &str, figure: &mut Figure) -> Interval {
        let even = self.even.middle();
        let even = if even.is_infinite() { "infinite".to_owned() } else { format!("{even:.9}") };
        let even = if self.even == Interval::ANY { "not known".to_owned() } else { even };
        figure.notes.push(format!(
            "Choices are left open: this is the least and the greatest {what}; with all choices equally likely it \
             is {even}."
        ));
        for (name, end) in [("least", self.least), ("greatest", self.greatest)] {
            if !ACCURACY.is_met(end) {
                figure
                    .notes
                    .push(format!("The {name} is only known to lie between {} and {}.", end.low, end.high));
            }
        }
        Interval { low: self.least.low, high: self.greatest.high }
    }
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
        Err(_) => FigureResult::None(
            "Choices that take no time may follow each other for ever, so that time stands still.".to_owned(),
        ),
    };
}
