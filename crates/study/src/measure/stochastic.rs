//! Means: questions about the long run, where every delay is random.

use narrows_explicit::{Budget, Engine};
use narrows_model::{Figure, FigureResult, Number, Trace};
use narrows_performance::markov::{
    Accuracy, Aim, Automaton, Chain, Interval, Reward, Zeno, average, long_run, reward_at, steady, uniform,
    until,
};
use narrows_performance::stochastic::{self, Stochastic};
use narrows_performance::{Rows, as_f64};

use super::Size;
use super::trouble::result_of;
use crate::{Ask, Prepared, Question, Study, Text, View};

/// The stochastic view of a model, built when it is needed.
pub(super) struct Means<'a, 's> {
    study: &'a Study,
    prepared: &'a Prepared,
    engine: &'a Engine<'s>,
    budget: Budget<'a>,
    built: Option<Result<Solvable<'a>, Failure>>,
    /// How many seconds that took.
    seconds: f64,
}

/// Why there is no view.
type Failure = Box<(FigureResult, Option<(String, Trace)>)>;

/// A view, and what is solved.
struct Solvable<'a> {
    view: Stochastic<'a>,
    solver: Solver,
}

enum Solver {
    Chain(Box<Chain>),
    Automaton(Box<Automaton>),
}

/// How wide an interval may be.
const ACCURACY: Accuracy = Accuracy { relative: 1e-6, sweeps: 100_000 };

impl<'a, 's> Means<'a, 's> {
    pub(super) fn new(
        study: &'a Study,
        prepared: &'a Prepared,
        engine: &'a Engine<'s>,
        budget: Budget<'a>,
    ) -> Means<'a, 's> {
        Means { study, prepared, engine, budget, built: None, seconds: 0.0 }
    }

    pub(super) fn size(&self) -> Option<Size> {
        let view = &self.built.as_ref()?.as_ref().ok()?.view;
        let states = u64::from(view.rests()) + u64::from(view.decisions());
        let transitions = view.arrow_count();
        Some(Size { view: View::Stochastic.name(), states, transitions, seconds: self.seconds })
    }

    fn build(&self) -> Result<Solvable<'a>, Failure> {
        let evaluator = self.engine.evaluator();
        let rows = Rows::new(self.engine, &self.prepared.system, &self.prepared.timing, self.budget);
        let view = rows.and_then(stochastic::build);
        let view = view.map_err(|trouble| Box::new(result_of(&trouble, evaluator)))?;
        let solver = if view.is_chain() {
            view.chain().map(|chain| Solver::Chain(Box::new(chain)))
        } else {
            view.automaton().map(|automaton| Solver::Automaton(Box::new(automaton)))
        };
        match solver {
            Ok(solver) => Ok(Solvable { view, solver }),
            Err(wrong) => {
                Err(Box::new((FigureResult::None(format!("There is no Markov chain: {wrong}.")), None)))
            }
        }
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, ask: &Ask) -> Figure {
        if self.built.is_none() {
            let before = self.budget.watch.seconds();
            self.built = Some(self.build());
            self.seconds = self.budget.watch.seconds() - before;
        }
        let mut figure = Figure {
            kind: ask.question.kind(),
            name: ask.name.clone(),
            view: View::Stochastic.name(),
            result: FigureResult::None(String::new()),
            unit: String::new(),
            witnesses: Vec::new(),
            notes: Vec::new(),
            expected: None,
        };
        match &self.built {
            None => {}
            Some(Err(failure)) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Some(Ok(solvable)) => self.fill(solvable, &ask.question, &mut figure),
        }
        figure
    }

    fn fill(&self, solvable: &Solvable<'_>, question: &Question, figure: &mut Figure) {
        let none = |reason: &str| FigureResult::None(reason.to_owned());
        match question {
            Question::Throughput(event) => {
                figure.unit = format!("1/{}", self.study.unit);
                if let Some(event) = self.prepared.event(event) {
                    let found = solvable.average(&solvable.event(event), figure);
                    set(&found, figure);
                }
            }
            Question::Utilisation(what) => {
                if let Some(rates) = self.rates(solvable, self.busy(what), figure) {
                    let found = solvable.average(&Gain::State(rates), figure);
                    set(&found.map(|found| found.and(Interval { low: 0.0, high: 1.0 })), figure);
                }
            }
            Question::MeanCount(of, per) => {
                let (Some(of), Some(per)) = (self.prepared.event(of), self.prepared.event(per)) else {
                    return;
                };
                let of = solvable.average(&solvable.event(of), figure);
                let per = solvable.average(&solvable.event(per), figure);
                match (of, per) {
                    (Ok(_), Ok(per)) if per.high <= 0.0 => {
                        figure.result = none("What it is counted for never happens in the long run.");
                    }
                    (Ok(of), Ok(per)) => {
                        let high = if per.low > 0.0 { of.high / per.low } else { f64::INFINITY };
                        set(&Ok(Interval { low: of.low / per.high, high }), figure);
                    }
                    (Err(zeno), _) | (_, Err(zeno)) => set(&Err(zeno), figure),
                }
            }
            Question::Transient(what, time) => {
                let Some(rates) = self.rates(solvable, what, figure) else { return };
                match &solvable.solver {
                    Solver::Chain(chain) => {
                        let found = reward_at(chain, &rates, as_f64(*time), ACCURACY);
                        set(&Ok(found.and(Interval { low: 0.0, high: 1.0 })), figure);
                    }
                    Solver::Automaton(_) => figure.result = none(OPEN),
                }
            }
            Question::MeanDelay(from, to) => {
                self.unit_of_time(figure);
                match &solvable.solver {
                    Solver::Chain(chain) => self.mean_delay(solvable, chain, from, to, figure),
                    Solver::Automaton(_) => figure.result = none(OPEN),
                }
            }
            _ => {
                figure.result = none(
                    "This is about best and worst cases: ask it in the timed view, not in the stochastic one.",
                );
            }
        }
    }

    fn unit_of_time(&self, figure: &mut Figure) {
        self.study.unit.clone_into(&mut figure.unit);
    }

    /// Returns the predicate of a resource, or the text itself.
    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        self.study.resources.iter().find(|(name, _)| name.text == what.text).map_or(what, |(_, text)| text)
    }

    /// Returns 1 for each rest in which an expression holds, and 0 for others; `None` if that is not clear.
    fn rates(&self, solvable: &Solvable<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<f64>> {
        let evaluator = self.engine.evaluator();
        let expr = self.prepared.predicate(text)?;
        let view = &solvable.view;
        let mut rates = Vec::with_capacity(view.rests() as usize);
        for rest in 0..view.rests() {
            let mut value = None;
            for state in view.states(rest) {
                match evaluator.holds(expr, &view.rows().state(*state)) {
                    Ok(holds) if value.is_none_or(|value| value == holds) => value = Some(holds),
                    Ok(_) => {
                        figure.result = FigureResult::None(format!(
                            "`{}` changes while the model is busy waiting, so that it has no value there.",
                            text.text
                        ));
                        return None;
                    }
                    Err(violation) => {
                        let reason = violation.kind.message();
                        figure.result =
                            FigureResult::None(format!("`{}` goes wrong in a state: {reason}.", text.text));
                        return None;
                    }
                }
            }
            rates.push(if value == Some(true) { 1.0 } else { 0.0 });
        }
        Some(rates)
    }

    /// Measures how long it takes on average from when a predicate begins to hold until another does.
    fn mean_delay(
        &self,
        solvable: &Solvable<'_>,
        chain: &Chain,
        from: &Text,
        to: &Text,
        figure: &mut Figure,
    ) {
        let Some(from) = self.rates(solvable, from, figure) else { return };
        let Some(to) = self.rates(solvable, to, figure) else { return };
        let holds = |rates: &[f64], rest: u32| rates[rest as usize] > 0.5;
        // How often each rest is entered in which the first begins to hold.
        let shares = steady(chain, Accuracy { relative: 1e-10, ..ACCURACY });
        let mut entered = vec![0.0; chain.states()];
        for rest in (0..chain.states()).filter(|rest| !holds(&from, *rest as u32)) {
            for (target, rate) in chain.row(rest).filter(|(target, _)| holds(&from, *target)) {
                entered[target as usize] += shares[rest] * rate;
            }
        }
        let total: f64 = entered.iter().sum();
        let initial: Vec<(u32, f64)> = if total > 0.0 {
            let entered = entered.iter().enumerate().filter(|(_, share)| **share > 0.0);
            entered.map(|(rest, share)| (rest as u32, share / total)).collect()
        } else if chain.initial().iter().all(|(rest, _)| holds(&from, *rest)) {
            chain.initial().to_vec()
        } else {
            figure.result = FigureResult::None(
                "The first predicate does not begin to hold again and again, nor does it hold at the start."
                    .to_owned(),
            );
            return;
        };
        let Ok(started) = chain.starting(initial) else { return };
        let ones = vec![1.0; chain.states()];
        set(&Ok(until(&started, &ones, |rest| holds(&to, rest), ACCURACY)), figure);
        if total > 0.0 {
            figure
                .notes
                .push("How likely each start is was solved to 1e-10, without a proof of that.".to_owned());
        }
    }
}

/// What is said where a mean depends on open choices.
const OPEN: &str = "Choices are left open in this model, and this question has no answer for all of them yet. Give the \
                    choices weights under `[weight]`.";

/// What is gained.
enum Gain {
    State(Vec<f64>),
    Event(u16),
}

impl Solvable<'_> {
    fn event(&self, event: u16) -> Gain {
        match self.solver {
            Solver::Chain(_) => Gain::State(self.view.frequencies(event)),
            Solver::Automaton(_) => Gain::Event(event),
        }
    }

    /// Bounds a mean of the long run, over all schedulers where choices are left open.
    fn average(&self, gain: &Gain, figure: &mut Figure) -> Result<Interval, Zeno> {
        let automaton = match &self.solver {
            Solver::Chain(chain) => {
                let rates = match gain {
                    Gain::State(rates) => rates.clone(),
                    Gain::Event(event) => self.view.frequencies(*event),
                };
                return Ok(long_run(chain, &[rates], ACCURACY).remove(0));
            }
            Solver::Automaton(automaton) => automaton,
        };
        let reward: Reward = match gain {
            Gain::State(rates) => self.view.state_reward(rates.clone()),
            Gain::Event(event) => self.view.event_reward(*event),
        };
        let least = average(automaton, &reward, Aim::Least, ACCURACY)?;
        let greatest = average(automaton, &reward, Aim::Greatest, ACCURACY)?;
        let vanished = uniform(automaton, std::slice::from_ref(&reward))?;
        let even = long_run(&vanished.chain, &vanished.rewards, ACCURACY);
        if let Some(even) = even.first() {
            figure.notes.push(format!(
                "Choices are left open: this is the least and the greatest mean over all ways to decide; with all \
                 choices equally likely it is {:.9}.",
                even.middle()
            ));
        }
        Ok(Interval { low: least.low, high: greatest.high })
    }
}

fn set(found: &Result<Interval, Zeno>, figure: &mut Figure) {
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
