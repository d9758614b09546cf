//! Best and worst cases by state classes, where ticks are too many.

use narrows_model::{Figure, FigureResult, Number};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::timed::bounds::{Bound, Cost};
use narrows_performance::timed::ratio::Extreme;
use narrows_performance::timed::{
    ClassBound, ClassCost, ClassFrequency, Classes, DatedRun, FollowError, Span, Timed, Walk,
};
use narrows_performance::{Step, Time};

use super::timed::{Asked, End, Ends, Model, change_between, known, latencies_never, span};
use crate::{Latency, LatencyKind, Question, Text};

/// A question about the classes of a model.
#[derive(Clone, Copy)]
pub(crate) struct AskedOfClasses<'v, 'a> {
    pub(crate) model: &'v dyn Model,
    pub(crate) classes: &'v Classes<'a>,
    pub(crate) unit: &'v str,
    /// The events of each kind of request, if it is about some.
    pub(crate) kinds: &'v [RequestEvents],
    /// Whether what is measured begins in any state where something holds.
    pub(crate) anywhere: bool,
}

/// Returns whether state classes answer a question: all but for what part of the time something holds.
pub(crate) fn fits(question: &Question, model: &dyn Model) -> bool {
    match question {
        Question::MinCount(what, ..) | Question::MaxCount(what, ..) | Question::Count(what, ..) => {
            model.event(what).is_some()
        }
        Question::MinDelay(..)
        | Question::MaxDelay(..)
        | Question::Delay(..)
        | Question::Latency(_)
        | Question::Makespan
        | Question::Throughput(_) => true,
        _ => false,
    }
}

/// With which a request begins at the start of a run, or ends where nothing happens any more.
const RUN: RequestEvents = RequestEvents { from: 0, to: 1, both: 2, order: Order::Next };

impl<'a> AskedOfClasses<'_, 'a> {
    pub(crate) fn fill(&self, question: &Question, figure: &mut Figure) {
        match question {
            Question::MinDelay(from, to) | Question::MaxDelay(from, to) | Question::Delay(from, to) => {
                self.unit.clone_into(&mut figure.unit);
                self.bounds([from, to], ClassCost::Time, Ends::of(question), figure);
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                if let Some(event) = self.model.event(what) {
                    self.bounds([from, to], ClassCost::Event(event), Ends::of(question), figure);
                }
            }
            Question::Latency(latency) => {
                self.unit.clone_into(&mut figure.unit);
                self.latency(latency, figure);
            }
            Question::Makespan => {
                self.unit.clone_into(&mut figure.unit);
                self.makespan(figure);
            }
            Question::Throughput(event) => {
                figure.unit = format!("1/{}", self.unit);
                if let Some(event) = self.model.event(event) {
                    self.frequency(event, figure);
                }
            }
            _ => {}
        }
    }

    fn end(&self, text: &Text, figure: &mut Figure) -> Option<End> {
        match self.model.event(text) {
            Some(event) => Some(End::Event(event)),
            None => self.model.holds(self.classes.state_graph(), text, figure).map(End::Holds),
        }
    }

    fn bounds(&self, [from, to]: [&Text; 2], cost: ClassCost, ends: Ends, figure: &mut Figure) {
        let Some(begin) = self.end(from, figure) else { return };
        let Some(end) = self.end(to, figure) else { return };
        let verb = if matches!(begin, End::Event(_)) { "happens" } else { "holds" };
        let never = format!("`{}` never {verb}, so that nothing begins.", from.text);
        if self.anywhere
            && let (End::Holds(from), End::Holds(to)) = (&begin, &end)
        {
            return self.extremes(Span::Between { from, to }, cost, ends, &never, figure);
        }
        self.between(&[begin, end], cost, ends, &never, figure);
    }

    /// Measures between two ends, to the next one.
    fn between(&self, between: &[End; 2], cost: ClassCost, ends: Ends, never: &str, figure: &mut Figure) {
        let graph = self.classes.state_graph();
        let first = |end: &End| matches!(end, End::Holds(holds) if holds[0]);
        let initially = Change::between([false; 2], [first(&between[0]), first(&between[1])]);
        let change = |state: u32, step: &Step| change_between(graph, between, state, step);
        let span = Span::Request { ends: RUN, initially, change: &change };
        self.extremes(span, cost, ends, never, figure);
    }

    fn extremes(&self, between: Span<'_>, cost: ClassCost, ends: Ends, never: &str, figure: &mut Figure) {
        let mut found = Vec::new();
        for (side, is_least) in [(Ends::Most, true), (Ends::Least, false)] {
            if ends != side {
                let bound = self.bound(between, cost, is_least);
                let Some(bound) = known(bound, figure) else { return };
                self.set(bound, cost, never, figure);
                found.push(figure.result.clone());
            }
        }
        figure.result = span(&found);
    }

    fn bound(&self, span: Span<'_>, cost: ClassCost, is_least: bool) -> Result<ClassBound<'a>, FollowError> {
        if is_least { self.classes.least(span, cost) } else { self.classes.most(span, cost) }
    }

    /// Says what a bound is, and shows a run.
    fn set(&self, found: ClassBound<'a>, cost: ClassCost, never: &str, figure: &mut Figure) {
        let cost = match cost {
            ClassCost::Time => Cost::Time,
            ClassCost::Event(event) => Cost::Event(event),
        };
        match found.timed {
            Some(timed) => self.as_ticks(&timed).set(found.bound, cost, never, figure),
            None => {
                figure.result = match found.bound {
                    Bound::NeverBegins => FigureResult::None(never.to_owned()),
                    // A finite bound has a run.
                    Bound::Finite(..) | Bound::Infinite(_) => {
                        FigureResult::Value { low: Number::Infinity, high: Number::Infinity, exact: true }
                    }
                };
            }
        }
    }

    /// Returns the same question about a view that consists of a run.
    fn as_ticks<'t>(&'t self, timed: &'t Timed<'a>) -> Asked<'t, 'a> {
        Asked { model: self.model, timed, unit: self.unit, kinds: self.kinds, anywhere: self.anywhere }
    }

    /// Bounds how long requests take.
    fn latency(&self, latency: &Latency, figure: &mut Figure) {
        let graph = self.classes.state_graph();
        if latency.kind == LatencyKind::Duration {
            let Some(holds) = self.model.holds(graph, self.model.busy(&latency.from), figure) else { return };
            let never = format!("`{}` never holds, so that nothing begins.", latency.from.text);
            let fails = holds.iter().map(|holds| !holds).collect();
            let ends = [End::Holds(holds), End::Holds(fails)];
            return self.between(&ends, ClassCost::Time, Ends::Both, &never, figure);
        }
        let happens = |ends: &RequestEvents| {
            let mut effects = graph.effects().iter();
            effects.any(|effect| effect.events.iter().any(|(event, _)| *event == ends.from))
        };
        let mut found = Vec::new();
        for is_least in [true, false] {
            let mut best = ClassBound { bound: Bound::NeverBegins, timed: None };
            for ends in self.kinds.iter().filter(|ends| happens(ends)) {
                let change = |_: u32, step: &Step| graph.change(*ends, step);
                let span = Span::Request { ends: *ends, initially: Change::default(), change: &change };
                let Some(bound) = known(self.bound(span, ClassCost::Time, is_least), figure) else { return };
                if best.bound.clone().extreme(bound.bound.clone(), is_least) == bound.bound {
                    best = bound;
                }
            }
            self.set(best, ClassCost::Time, &latencies_never(latency), figure);
            found.push(figure.result.clone());
        }
        figure.result = span(&found);
    }

    /// Measures the time until nothing happens any more.
    fn makespan(&self, figure: &mut Figure) {
        let graph = self.classes.state_graph();
        let is_end = |state: u32| graph.steps_of(state).is_empty();
        let begin = Change { begin: u32::from(!is_end(0)), end: 0, both: u32::from(is_end(0)) };
        let change = |_: u32, step: &Step| Change { begin: 0, end: u32::from(is_end(step.target)), both: 0 };
        let span = Span::Request { ends: RUN, initially: begin, change: &change };
        self.extremes(span, ClassCost::Time, Ends::Both, "Nothing begins.", figure);
    }

    /// Measures how often something happens in the long run.
    fn frequency(&self, event: u16, figure: &mut Figure) {
        let per_time = |(count, ticks): (u64, u64)| {
            let rate = Time::new(i128::from(count), i128::from(ticks.max(1))) / self.classes.tick();
            Number::Ratio(*rate.numer(), *rate.denom())
        };
        let (mut ends, mut is_exact) = (Vec::new(), true);
        for (which, name) in [(Extreme::Worst, "worst"), (Extreme::Best, "best")] {
            let (number, run) = match self.classes.frequency(event, which) {
                Err(limit) => {
                    figure.result = FigureResult::Undecided(limit);
                    return;
                }
                Ok(ClassFrequency::Every { count, ticks, beyond, run }) => {
                    let attained = per_time((count, ticks));
                    if let Some(beyond) = beyond {
                        is_exact = false;
                        let (low, high) = (per_time(beyond).to_f64(), attained.to_f64());
                        figure.notes.push(format!(
                            "At {name} it is between {:.6e} and {:.6e}: both are certified, but they do not meet.",
                            low.min(high),
                            low.max(high)
                        ));
                    }
                    (beyond.map_or(attained, per_time), run)
                }
                Ok(ClassFrequency::Infinite(run)) => (Number::Infinity, run),
                Ok(ClassFrequency::Ends(run)) => (Number::Ratio(0, 1), run),
            };
            ends.push(number);
            if let Some(DatedRun { timed, walk }) = run {
                let what = match walk.cycle {
                    None => "a run that comes to an end".to_owned(),
                    Some(_) => format!("the critical cycle, {name} case"),
                };
                self.witness(&what, &timed, &walk, figure);
            }
        }
        figure.witnesses.iter_mut().for_each(|(_, trace)| trace.part = None);
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: is_exact };
        if ends[0] == ends[1] && figure.witnesses.len() == 2 {
            figure.witnesses.truncate(1);
            if figure.witnesses[0].1.cycle.is_some() {
                "the critical cycle".clone_into(&mut figure.witnesses[0].0);
            }
        }
    }

    fn witness(&self, what: &str, timed: &Timed<'a>, walk: &Walk, figure: &mut Figure) {
        self.as_ticks(timed).witness(what, walk, figure);
    }
}
