//! Best and worst cases: questions about all runs.

use std::rc::Rc;

use narrows_model::{Evaluator, Figure, FigureResult, Number, Trace};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::timed::bounds::{Bound, Cost, Endpoints};
use narrows_performance::timed::ratio::{Extreme, Frequency};
use narrows_performance::timed::{FollowError, Followed, Span, Timed, Walk};
use narrows_performance::{StateGraph, Step, Time};

use super::failure::trace_of;
use crate::bottleneck::whole;
use crate::{Latency, LatencyKind, Question, Text};

/// Where ways begin and end, state by state or node by node.
pub(crate) type Ways = (Vec<bool>, Vec<bool>);

/// What a model knows about the states and runs of a view of it.
pub(crate) trait Model {
    /// Returns the number of an event, if it is one.
    fn event(&self, what: &Text) -> Option<u16>;

    /// Returns what says when a resource is busy; the text itself if there is no such resource.
    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text;

    /// Returns for each state whether an expression holds; `None` if that is not known, and then the
    /// figure says why.
    fn holds(&self, rows: &StateGraph<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<bool>>;

    /// Returns the value of an expression in each state; `None` if that is not known, and then the figure
    /// says why.
    fn values(&self, rows: &StateGraph<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<i64>>;

    /// Replays a run, with times in a unit; `None` if it is no run of the model.
    fn trace(&self, timed: &Timed<'_>, walk: &Walk, unit: &str) -> Option<Trace>;

    /// Returns whether states are counted where something holds, and not the time that passes there.
    fn counts_states(&self) -> bool {
        false
    }

    /// Returns where runs begin, and where they end for good, by node.
    fn whole(&self, timed: &Timed<'_>) -> Ways {
        whole(timed)
    }
}

/// A question about a view that was built.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'v, 'a> {
    pub(crate) model: &'v dyn Model,
    pub(crate) timed: &'v Timed<'a>,
    pub(crate) unit: &'v str,
    /// The events of each kind of request, if it is about some.
    pub(crate) kinds: &'v [RequestEvents],
    /// Whether what is measured begins in any state where something holds.
    pub(crate) anywhere: bool,
}

/// With what something begins or ends.
pub(super) enum End {
    /// An event happens.
    Event(u16),
    /// Something becomes true, which holds in these states.
    Holds(Vec<bool>),
}

/// Returns what a step does to what is measured between two ends.
pub(super) fn change_between(
    graph: &StateGraph<'_>,
    [begin, end]: &[End; 2],
    state: u32,
    step: &Step,
) -> Change {
    let [before, after] = [state, step.target].map(|state| state as usize);
    let count = |event: u16| {
        let events = &graph.effect(step.effect).events;
        events.iter().find(|(number, _)| *number == event).map_or(0, |(_, count)| *count)
    };
    let begin = match begin {
        End::Event(event) => count(*event),
        End::Holds(holds) => u32::from(holds[after] && !holds[before]),
    };
    match end {
        End::Event(event) => Change { begin, end: count(*event).min(1), both: 0 },
        End::Holds(holds) if holds[after] => Change { begin: 0, end: u32::from(!holds[before]), both: begin },
        End::Holds(_) => Change { begin, end: 0, both: 0 },
    }
}

/// Says why requests can't be followed, if they can't.
pub(super) fn known<T>(found: Result<T, FollowError>, figure: &mut Figure) -> Option<T> {
    figure.result = match found {
        Ok(found) => return Some(found),
        Err(FollowError::Limit(limit)) => FigureResult::Undecided(limit),
        Err(FollowError::TooManyOpen) => {
            FigureResult::None("More requests are open at the same time than can be followed.".to_owned())
        }
    };
    None
}

impl Asked<'_, '_> {
    pub(crate) fn fill(&self, question: &Question, figure: &mut Figure) {
        match question {
            Question::MinDelay(from, to) | Question::MaxDelay(from, to) | Question::Delay(from, to) => {
                self.unit.clone_into(&mut figure.unit);
                self.bounds(from, to, Cost::Time, Ends::of(question), figure);
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                let ends = Ends::of(question);
                if let Some(event) = self.model.event(what) {
                    return self.bounds(from, to, Cost::Event(event), ends, figure);
                }
                if let Some(holds) = self.model.holds(self.timed.state_graph(), what, figure) {
                    let unit = if self.timed.tick().is_some() { self.unit } else { "states" };
                    let unit = if self.model.counts_states() { "" } else { unit };
                    unit.clone_into(&mut figure.unit);
                    self.bounds(from, to, Cost::While(&holds), ends, figure);
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
                    self.frequency(Cost::Event(event), figure);
                }
            }
            Question::Utilisation(what) => {
                if let Some(holds) = self.model.holds(self.timed.state_graph(), self.model.busy(what), figure)
                {
                    self.frequency(Cost::While(&holds), figure);
                }
            }
            Question::Mean(what) => self.mean(what, figure),
            _ => {}
        }
    }

    /// Bounds what an expression is on average, over all runs.
    fn mean(&self, what: &Text, figure: &mut Figure) {
        let Some(values) = self.model.values(self.timed.state_graph(), what, figure) else { return };
        let least = values.iter().copied().min().unwrap_or(0);
        // Cycles compare amounts that are not negative.
        let worth: Option<Vec<u32>> =
            values.iter().map(|value| u32::try_from(value.checked_sub(least)?).ok()).collect();
        let Some(worth) = worth else {
            let reason = format!("The values of `{}` are too far apart.", what.text);
            figure.result = FigureResult::None(reason);
            return;
        };
        self.frequency(Cost::Worth(&worth), figure);
        if let FigureResult::Value { low, high, .. } = &mut figure.result {
            for number in [low, high] {
                if let Number::Ratio(above, below) = number {
                    *above += i128::from(least) * *below;
                }
            }
        }
    }

    /// Returns so many ticks as a time, for costs that are times.
    fn number(&self, value: u64, cost: Cost<'_>) -> Number {
        let is_time = match cost {
            Cost::Time => true,
            Cost::While(_) => self.timed.tick().is_some(),
            Cost::Event(_) | Cost::Worth(_) => false,
        };
        let tick = self.timed.tick().filter(|_| is_time).unwrap_or_else(|| Time::from_integer(1));
        let time = tick * Time::from_integer(i128::from(value));
        Number::Ratio(*time.numer(), *time.denom())
    }

    /// Finds with what something begins or ends; `None` if that is not known, and then the figure says why.
    fn end(&self, text: &Text, figure: &mut Figure) -> Option<End> {
        match self.model.event(text) {
            Some(event) => Some(End::Event(event)),
            None => self.model.holds(self.timed.state_graph(), text, figure).map(End::Holds),
        }
    }

    fn bounds(&self, from: &Text, to: &Text, cost: Cost<'_>, ends: Ends, figure: &mut Figure) {
        let Some(begin) = self.end(from, figure) else { return };
        let Some(end) = self.end(to, figure) else { return };
        let verb = if matches!(begin, End::Event(_)) { "happens" } else { "holds" };
        let never = format!("`{}` never {verb}, so that nothing begins.", from.text);
        if self.anywhere
            && let (End::Holds(from), End::Holds(to)) = (&begin, &end)
        {
            let [from, to] = [from, to].map(|states| self.timed.by_node(states));
            return self.extremes(Endpoints { from: &from, to: &to }, cost, ends, &never, figure);
        }
        if let Some(mut followed) = self.follow(&[begin, end], figure) {
            if matches!(cost, Cost::While(_)) && self.model.counts_states() {
                followed.timed = followed.timed.in_steps();
            }
            let between = Endpoints { from: &followed.begins, to: &followed.ends };
            let asked = Asked { timed: &followed.timed, ..*self };
            asked.extremes(between, cost, ends, &never, figure);
        }
    }

    /// Follows what is measured between two ends, to the next one; `None` if that is not possible, and then
    /// the figure says why.
    fn follow(&self, ends: &[End; 2], figure: &mut Figure) -> Option<Followed<'_>> {
        let timed = self.timed;
        let first = |end: &End| matches!(end, End::Holds(holds) if holds[timed.state(0) as usize]);
        let initially = Change::between([false; 2], [first(&ends[0]), first(&ends[1])]);
        let graph = timed.state_graph();
        let change = |state: u32, step: &Step| change_between(graph, ends, state, step);
        let order = RequestEvents { from: 0, to: 1, both: 2, order: Order::Next };
        known(timed.follow(&Span::Request { ends: order, initially, change: &change }), figure)
    }

    /// Finds the least and the most between nodes, as far as they are asked for.
    fn extremes(&self, between: Endpoints<'_>, cost: Cost<'_>, ends: Ends, never: &str, figure: &mut Figure) {
        let mut found = Vec::new();
        if ends != Ends::Most {
            self.set(self.timed.least(between, cost), cost, never, figure);
            found.push(figure.result.clone());
        }
        if ends != Ends::Least {
            self.set(self.timed.most(between, cost), cost, never, figure);
            found.push(figure.result.clone());
        }
        figure.result = span(&found);
    }

    /// Bounds how long requests take.
    fn latency(&self, latency: &Latency, figure: &mut Figure) {
        let timed = self.timed;
        if latency.kind == LatencyKind::Duration {
            let Some(holds) = self.model.holds(timed.state_graph(), self.model.busy(&latency.from), figure)
            else {
                return;
            };
            let never = format!("`{}` never holds, so that nothing begins.", latency.from.text);
            let fails = holds.iter().map(|holds| !holds).collect();
            if let Some(followed) = self.follow(&[End::Holds(holds), End::Holds(fails)], figure) {
                let between = Endpoints { from: &followed.begins, to: &followed.ends };
                let asked = Asked { timed: &followed.timed, ..*self };
                asked.extremes(between, Cost::Time, Ends::Both, &never, figure);
            }
            return;
        }
        let happens = |ends: &RequestEvents| {
            let effects = timed.state_graph().effects();
            effects.iter().any(|effect| effect.events.iter().any(|(event, _)| *event == ends.from))
        };
        let mut bounds = [Bound::NeverBegins, Bound::NeverBegins];
        let mut shown: [Option<Rc<Followed<'_>>>; 2] = [None, None];
        for ends in self.kinds.iter().filter(|ends| happens(ends)) {
            let change = |_: u32, step: &Step| timed.state_graph().change(*ends, step);
            let span = Span::Request { ends: *ends, initially: Change::default(), change: &change };
            let Some(followed) = known(timed.follow(&span), figure) else { return };
            let followed = Rc::new(followed);
            let between = Endpoints { from: &followed.begins, to: &followed.ends };
            let found = [followed.timed.least(between, Cost::Time), followed.timed.most(between, Cost::Time)];
            for (side, found) in found.into_iter().enumerate() {
                let best = bounds[side].clone().extreme(found.clone(), side == 0);
                if best == found {
                    shown[side] = Some(Rc::clone(&followed));
                }
                bounds[side] = best;
            }
        }
        let never = latencies_never(latency);
        let mut found = Vec::new();
        for (bound, followed) in bounds.into_iter().zip(&shown) {
            let timed = followed.as_ref().map_or(timed, |followed| &followed.timed);
            Asked { timed, ..*self }.set(bound, Cost::Time, &never, figure);
            found.push(figure.result.clone());
        }
        figure.result = span(&found);
    }

    pub(super) fn set(&self, bound: Bound, cost: Cost<'_>, never: &str, figure: &mut Figure) {
        match bound {
            Bound::NeverBegins => figure.result = FigureResult::None(never.to_owned()),
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
        let (from, to) = self.model.whole(self.timed);
        let between = Endpoints { from: &from, to: &to };
        let mut ends = Vec::new();
        for bound in [self.timed.least(between, Cost::Time), self.timed.most(between, Cost::Time)] {
            self.set(bound, Cost::Time, "Nothing begins.", figure);
            match figure.result {
                FigureResult::Value { low, .. } => ends.push(low),
                _ => return,
            }
        }
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: true };
    }

    /// Measures how often something happens in the long run, or for what part of the time something holds.
    fn frequency(&self, cost: Cost<'_>, figure: &mut Figure) {
        let mut ends = Vec::new();
        for (which, name) in [(Extreme::Worst, "least"), (Extreme::Best, "most")] {
            let (number, walk) = match self.timed.frequency(cost, which) {
                Frequency::Every { count, ticks, walk } => {
                    let tick = self.timed.tick().filter(|_| matches!(cost, Cost::Event(_)));
                    let tick = tick.unwrap_or_else(|| Time::from_integer(1));
                    let per = Time::new(i128::from(count), i128::from(ticks.max(1))) / tick;
                    (Number::Ratio(*per.numer(), *per.denom()), walk)
                }
                Frequency::Infinite(walk) => (Number::Infinity, walk),
                Frequency::Ends(walk) if matches!(cost, Cost::Worth(_)) => {
                    let reason = "Some run comes to an end, and so there is no mean over all of time.";
                    figure.result = FigureResult::None(reason.to_owned());
                    self.witness("a run that comes to an end", &walk, figure);
                    return;
                }
                Frequency::Ends(walk) => (Number::Ratio(0, 1), walk),
            };
            ends.push(number);
            let what = match (walk.cycle, cost) {
                (None, _) => "a run that comes to an end".to_owned(),
                (_, Cost::Event(_)) if which == Extreme::Worst => "the critical cycle, worst case".to_owned(),
                (_, Cost::Event(_)) => "the critical cycle, best case".to_owned(),
                (_, Cost::Worth(_)) => format!("a run on which the mean is the {name}"),
                _ => format!("a run on which it holds for the {name} time"),
            };
            self.witness(&what, &walk, figure);
            // It is about the whole run.
            figure.witnesses.iter_mut().for_each(|(_, trace)| trace.part = None);
        }
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: true };
        if ends[0] == ends[1] && figure.witnesses.len() == 2 {
            // Both runs show the same.
            figure.witnesses.truncate(1);
            if matches!(cost, Cost::Event(_)) && figure.witnesses[0].1.cycle.is_some() {
                "the critical cycle".clone_into(&mut figure.witnesses[0].0);
            }
        }
    }

    /// Replays a run, with times.
    pub(super) fn witness(&self, what: &str, walk: &Walk, figure: &mut Figure) {
        match self.model.trace(self.timed, walk, self.unit) {
            Some(trace) => figure.witnesses.push((what.to_owned(), trace)),
            None => figure
                .notes
                .push("The run that shows it can't be replayed: this is a bug in narrows.".to_owned()),
        }
    }
}

/// Says that no request begins.
pub(super) fn latencies_never(latency: &Latency) -> String {
    format!("`{}` never happens, so that nothing begins.", latency.from.text)
}

/// Which bounds are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Least,
    Most,
    Both,
}

impl Ends {
    pub(super) fn of(question: &Question) -> Ends {
        match question {
            Question::MinDelay(..) | Question::MinCount(..) => Ends::Least,
            Question::MaxDelay(..) | Question::MaxCount(..) => Ends::Most,
            _ => Ends::Both,
        }
    }
}

/// Puts the least and the most together; what is no number comes first.
pub(crate) fn span(found: &[FigureResult]) -> FigureResult {
    let mut range: Option<(Number, Number)> = None;
    for result in found {
        match result {
            FigureResult::Value { low, high, .. } => {
                range = Some((range.map_or(*low, |(least, _)| least), *high));
            }
            other => return other.clone(),
        }
    }
    match range {
        Some((low, high)) => FigureResult::Value { low, high, exact: true },
        None => FigureResult::None(String::new()),
    }
}

/// Replays a run, with times in a unit; `None` if it is no run of the model.
pub(crate) fn timed_trace(
    timed: &Timed<'_>,
    evaluator: Evaluator<'_>,
    walk: &Walk,
    unit: &str,
) -> Option<Trace> {
    let mut trace = trace_of(evaluator, &walk.choices(timed))?;
    trace.cycle = walk.cycle;
    if timed.tick().is_some() {
        trace.times = walk.times(timed).iter().map(|time| format!("{time} {unit}")).collect();
    }
    Some(trace)
}
