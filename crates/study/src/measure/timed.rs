//! Best and worst cases: questions about all runs.

use narrows_explicit::{Budget, Engine};
use narrows_model::{Expr, Figure, FigureResult, Number, Trace};
use narrows_performance::timed::bounds::{Between, Bound, Cost};
use narrows_performance::timed::ratio::{Extreme, Frequency};
use narrows_performance::timed::{self, Timed, Walk};
use narrows_performance::{Rows, Time};

use super::Size;
use super::trouble::{reason_of, result_of, trace_of};
use crate::{Ask, Prepared, Question, Study, Text, View};

/// The views of a model in which runs are exact, built when they are needed.
pub(super) struct Views<'a, 's> {
    study: &'a Study,
    prepared: &'a Prepared,
    engine: &'a Engine<'s>,
    budget: Budget<'a>,
    timed: Option<Result<Timed<'a>, Failure>>,
    untimed: Option<Result<Timed<'a>, Failure>>,
    /// How many seconds it took to build each view that there is.
    seconds: Vec<(View, f64)>,
}

/// Why there is no view.
type Failure = Box<(FigureResult, Option<(String, Trace)>)>;

impl<'a, 's> Views<'a, 's> {
    pub(super) fn new(
        study: &'a Study,
        prepared: &'a Prepared,
        engine: &'a Engine<'s>,
        budget: Budget<'a>,
    ) -> Views<'a, 's> {
        Views { study, prepared, engine, budget, timed: None, untimed: None, seconds: Vec::new() }
    }

    pub(super) fn sizes(&self) -> Vec<Size> {
        let views = [(View::Untimed, &self.untimed), (View::Timed, &self.timed)];
        let built =
            views.into_iter().filter_map(|(view, built)| Some((view, built.as_ref()?.as_ref().ok()?)));
        let size = |(view, built): (View, &Timed<'_>)| Size {
            view: view.name(),
            states: u64::from(built.nodes()),
            transitions: built.edge_count(),
            seconds: self
                .seconds
                .iter()
                .find(|(known, _)| *known == view)
                .map_or(0.0, |(_, seconds)| *seconds),
        };
        built.map(size).collect()
    }

    fn build(&self, view: View) -> Result<Timed<'a>, Failure> {
        let evaluator = self.engine.evaluator();
        let rows = Rows::new(self.engine, &self.prepared.system, &self.prepared.timing, self.budget);
        let rows = rows.map_err(|trouble| Box::new(result_of(&trouble, evaluator)))?;
        let built = match view {
            View::Untimed => timed::build_untimed(rows),
            _ => match timed::build(rows) {
                Ok(built) => built,
                Err(unscalable) => return Err(Box::new((FigureResult::None(reason_of(&unscalable)), None))),
            },
        };
        built.map_err(|trouble| Box::new(result_of(&trouble, evaluator)))
    }

    /// Answers a question in a view.
    pub(super) fn answer(&mut self, ask: &Ask, view: View) -> Figure {
        let is_missing = if view == View::Untimed { self.untimed.is_none() } else { self.timed.is_none() };
        if is_missing {
            let before = self.budget.watch.seconds();
            let built = Some(self.build(view));
            self.seconds.push((view, self.budget.watch.seconds() - before));
            if view == View::Untimed { self.untimed = built } else { self.timed = built }
        }
        let built = if view == View::Untimed { &self.untimed } else { &self.timed };
        let mut figure = Figure {
            kind: ask.question.kind(),
            name: ask.name.clone(),
            view: view.name(),
            result: FigureResult::None(String::new()),
            unit: String::new(),
            witnesses: Vec::new(),
            notes: Vec::new(),
            expected: None,
        };
        match built {
            None => {}
            Some(Err(failure)) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Some(Ok(timed)) => {
                let asked = Asked {
                    views: self,
                    timed,
                    unit: if view == View::Untimed { "steps" } else { &self.study.unit },
                };
                asked.fill(&ask.question, &mut figure);
            }
        }
        figure
    }
}

/// A question about a view that was built.
struct Asked<'v, 'a, 's> {
    views: &'v Views<'a, 's>,
    timed: &'v Timed<'a>,
    unit: &'v str,
}

impl Asked<'_, '_, '_> {
    fn fill(&self, question: &Question, figure: &mut Figure) {
        match question {
            Question::MinDelay(from, to) | Question::MaxDelay(from, to) => {
                let most = matches!(question, Question::MaxDelay(..));
                self.unit.clone_into(&mut figure.unit);
                self.bound(from, to, Cost::Time, most, figure);
            }
            Question::MinCount(what, from, to) | Question::MaxCount(what, from, to) => {
                let most = matches!(question, Question::MaxCount(..));
                if let Some(event) = self.views.prepared.event(what) {
                    return self.bound(from, to, Cost::Event(event), most, figure);
                }
                if let Some(holds) = self.holds(what, figure) {
                    let unit = if self.timed.tick().is_some() { self.unit } else { "states" };
                    unit.clone_into(&mut figure.unit);
                    self.bound(from, to, Cost::While(&holds), most, figure);
                }
            }
            Question::Makespan => {
                self.unit.clone_into(&mut figure.unit);
                self.makespan(figure);
            }
            Question::Throughput(event) => {
                figure.unit = format!("1/{}", self.unit);
                if let Some(event) = self.views.prepared.event(event) {
                    self.throughput(event, figure);
                }
            }
            _ => {
                figure.result = FigureResult::None(format!(
                    "This is a mean over runs: ask it in the stochastic view, not in the {} one.",
                    figure.view
                ));
            }
        }
    }

    /// Returns for each state whether an expression holds; `None` if that goes wrong somewhere.
    fn holds(&self, text: &Text, figure: &mut Figure) -> Option<Vec<bool>> {
        let evaluator = self.views.engine.evaluator();
        let expr: &Expr = self.views.prepared.predicate(text)?;
        let rows = self.timed.rows();
        let mut list = Vec::with_capacity(rows.states() as usize);
        for state in 0..rows.states() {
            match evaluator.holds(expr, &rows.state(state)) {
                Ok(holds) => list.push(holds),
                Err(violation) => {
                    let reason = violation.kind.message();
                    figure.result =
                        FigureResult::None(format!("`{}` goes wrong in a state: {reason}.", text.text));
                    return None;
                }
            }
        }
        Some(list)
    }

    /// Returns so many ticks as a time, for costs that are times.
    fn number(&self, value: u64, cost: Cost<'_>) -> Number {
        let is_time = match cost {
            Cost::Time => true,
            Cost::While(_) => self.timed.tick().is_some(),
            Cost::Event(_) => false,
        };
        let tick = self.timed.tick().filter(|_| is_time).unwrap_or_else(|| Time::from_integer(1));
        let time = tick * Time::from_integer(i128::from(value));
        Number::Ratio(*time.numer(), *time.denom())
    }

    fn bound(&self, from: &Text, to: &Text, cost: Cost<'_>, most: bool, figure: &mut Figure) {
        let Some(from_holds) = self.holds(from, figure) else { return };
        let Some(to_holds) = self.holds(to, figure) else { return };
        let between = Between { from: &from_holds, to: &to_holds };
        let bound = if most { self.timed.most(between, cost) } else { self.timed.least(between, cost) };
        self.set(bound, cost, &from.text, figure);
    }

    fn set(&self, bound: Bound, cost: Cost<'_>, from: &str, figure: &mut Figure) {
        match bound {
            Bound::NeverBegins => {
                figure.result = FigureResult::None(format!("`{from}` never holds, so that nothing begins."));
            }
            Bound::Finite(value, walk) => {
                let number = self.number(value, cost);
                figure.result = FigureResult::Value { low: number, high: number, exact: true };
                self.witness("a run that takes so much", &walk, figure);
            }
            Bound::Infinite(walk) => {
                figure.result =
                    FigureResult::Value { low: Number::Infinity, high: Number::Infinity, exact: true };
                let what =
                    if walk.cycle.is_some() { "a run that goes round for ever" } else { "a run that stops" };
                self.witness(what, &walk, figure);
            }
        }
    }

    /// Measures the time until nothing happens any more.
    fn makespan(&self, figure: &mut Figure) {
        let rows = self.timed.rows();
        let from: Vec<bool> = (0..rows.states()).map(|state| state == self.timed.state(0)).collect();
        let mut to = vec![false; rows.states() as usize];
        for node in (0..self.timed.nodes()).filter(|node| self.timed.edges(*node).is_empty()) {
            to[self.timed.state(node) as usize] = true;
        }
        let between = Between { from: &from, to: &to };
        let mut ends = Vec::new();
        for bound in [self.timed.least(between, Cost::Time), self.timed.most(between, Cost::Time)] {
            self.set(bound, Cost::Time, "the start", figure);
            match figure.result {
                FigureResult::Value { low, .. } => ends.push(low),
                _ => return,
            }
        }
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: true };
    }

    fn throughput(&self, event: u16, figure: &mut Figure) {
        let mut ends = Vec::new();
        for (which, name) in [(Extreme::Worst, "worst"), (Extreme::Best, "best")] {
            let (number, walk) = match self.timed.frequency(event, which) {
                Frequency::Every { count, ticks, walk } => {
                    let tick = self.timed.tick().unwrap_or_else(|| Time::from_integer(1));
                    let per = Time::new(i128::from(count), i128::from(ticks.max(1))) / tick;
                    (Number::Ratio(*per.numer(), *per.denom()), walk)
                }
                Frequency::Infinite(walk) => (Number::Infinity, walk),
                Frequency::Ends(walk) => (Number::Ratio(0, 1), walk),
            };
            ends.push(number);
            let what = match (which, walk.cycle) {
                (_, None) => "a run that comes to an end".to_owned(),
                (Extreme::Best, _) => format!("the critical cycle, {name} case"),
                (Extreme::Worst, _) => format!("the critical cycle, {name} case"),
            };
            self.witness(&what, &walk, figure);
        }
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: true };
    }

    /// Replays a run, with times.
    fn witness(&self, what: &str, walk: &Walk, figure: &mut Figure) {
        let evaluator = self.views.engine.evaluator();
        let Some(mut trace) = trace_of(evaluator, &walk.choices(self.timed)) else {
            figure
                .notes
                .push("The run that shows it can't be replayed: this is a mistake in narrows.".to_owned());
            return;
        };
        trace.cycle = walk.cycle;
        if self.timed.tick().is_some() {
            let times = walk.times(self.timed);
            trace.times = times.iter().map(|time| format!("{time} {}", self.unit)).collect();
        }
        figure.witnesses.push((what.to_owned(), trace));
    }
}
