//! Best and worst cases: questions about all runs.

use std::ops::Deref;
use std::rc::Rc;

use narrows_model::decimals::{DIGITS, outwards};
use narrows_model::{Evaluator, Figure, FigureResult, Limit, Number, Trace};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::timed::bounds::{Bound, Cost, Endpoints};
use narrows_performance::timed::ratio::{Extreme, Frequency};
use narrows_performance::timed::{
    ClassCost, ClassFrequency, Classes, DatedRun, FollowError, Followed, Span, Timed, Walk,
};
use narrows_performance::{StateGraph, Step, Time};

use super::failure::trace_of;
use crate::bottleneck::whole;
use crate::{Latency, LatencyKind, Question, Text};

/// Where ways begin and end, state by state or node by node.
pub(crate) type Ways = (Vec<bool>, Vec<bool>);

/// What a model knows about the states and runs of a view of it.
pub(crate) trait ModelFacts {
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

/// A view that was built.
#[derive(Clone, Copy)]
pub(crate) enum Built<'v, 'a> {
    /// Time is counted in ticks, or steps are.
    Ticks(&'v Timed<'a>),
    /// Times are those of state classes.
    Classes(&'v Classes<'a>),
}

/// The view through which a run leads: the whole, or one made for what was asked.
pub(crate) enum Through<'v, 'a> {
    Whole(&'v Timed<'a>),
    Own(Rc<Timed<'a>>),
}

impl<'a> Deref for Through<'_, 'a> {
    type Target = Timed<'a>;

    fn deref(&self) -> &Timed<'a> {
        match self {
            Through::Whole(timed) => timed,
            Through::Own(timed) => timed,
        }
    }
}

/// A bound, and what the run that shows it leads through; `None` if there is no run.
struct Found<'v, 'a> {
    bound: Bound,
    through: Option<Through<'v, 'a>>,
}

/// How often something happens, or for what part of the time it holds.
enum LongRun {
    /// So often in so many ticks; where both do not meet, also what it can't be beyond.
    Every { count: u64, ticks: u64, beyond: Option<(u64, u64)> },
    /// Infinitely often in no time.
    Infinite,
    /// Some run ends.
    Ends,
}

impl<'v, 'a> Built<'v, 'a> {
    pub(super) fn state_graph(self) -> &'v StateGraph<'a> {
        match self {
            Built::Ticks(timed) => timed.state_graph(),
            Built::Classes(classes) => classes.state_graph(),
        }
    }

    /// Returns how long a tick is; `None` if steps are counted.
    pub(crate) fn tick(self) -> Option<Time> {
        match self {
            Built::Ticks(timed) => timed.tick(),
            Built::Classes(classes) => Some(classes.tick()),
        }
    }

    /// Finds the least and the most that is measured, as far as they are asked for; of what holds in states,
    /// perhaps the number of states.
    fn extremes(
        self,
        span: Span<'_>,
        cost: Cost<'_>,
        ends: Ends,
        counts_states: bool,
    ) -> Result<Vec<Found<'v, 'a>>, FollowError> {
        match self {
            Built::Ticks(timed) => {
                let (through, from, to) = match &span {
                    Span::Between { from, to } => {
                        (Through::Whole(timed), timed.by_node(from), timed.by_node(to))
                    }
                    Span::Request { .. } => {
                        let Followed { timed, begins, ends } = timed.follow(&span)?;
                        let timed = if counts_states { timed.in_steps() } else { timed };
                        (Through::Own(Rc::new(timed)), begins, ends)
                    }
                };
                Ok(paths(&through, Endpoints { from: &from, to: &to }, cost, ends))
            }
            Built::Classes(classes) => {
                let cost = match cost {
                    Cost::Event(event) => ClassCost::Event(event),
                    _ => ClassCost::Time,
                };
                let found = |is_least: &bool| {
                    let found =
                        if *is_least { classes.least(span, cost)? } else { classes.most(span, cost)? };
                    let through = found.timed.map(|timed| Through::Own(Rc::new(timed)));
                    Ok(Found { bound: found.bound, through })
                };
                ends.sides().iter().map(found).collect()
            }
        }
    }

    /// Finds how often something happens in the long run at worst or at best, and a run that shows it.
    fn long_run(
        self,
        cost: Cost<'_>,
        which: Extreme,
    ) -> Result<(LongRun, Option<(Through<'v, 'a>, Walk)>), Limit> {
        match self {
            Built::Ticks(timed) => {
                let (found, walk) = match timed.frequency(cost, which) {
                    Frequency::Every { count, ticks, walk } => {
                        (LongRun::Every { count, ticks, beyond: None }, walk)
                    }
                    Frequency::Infinite(walk) => (LongRun::Infinite, walk),
                    Frequency::Ends(walk) => (LongRun::Ends, walk),
                };
                Ok((found, Some((Through::Whole(timed), walk))))
            }
            Built::Classes(classes) => {
                let Cost::Event(event) = cost else { return Err(Limit::Memory) };
                let (found, run) = match classes.frequency(event, which)? {
                    ClassFrequency::Every { count, ticks, beyond, run } => {
                        (LongRun::Every { count, ticks, beyond }, run)
                    }
                    ClassFrequency::Infinite(run) => (LongRun::Infinite, run),
                    ClassFrequency::Ends(run) => (LongRun::Ends, run),
                };
                Ok((found, run.map(|DatedRun { timed, walk }| (Through::Own(Rc::new(timed)), walk))))
            }
        }
    }
}

/// Finds the least and the most between nodes, as far as they are asked for.
fn paths<'v, 'a>(
    through: &Through<'v, 'a>,
    between: Endpoints<'_>,
    cost: Cost<'_>,
    ends: Ends,
) -> Vec<Found<'v, 'a>> {
    let found = |is_least: &bool| Found {
        bound: if *is_least { through.least(between, cost) } else { through.most(between, cost) },
        through: Some(match through {
            Through::Whole(timed) => Through::Whole(timed),
            Through::Own(timed) => Through::Own(Rc::clone(timed)),
        }),
    };
    ends.sides().iter().map(found).collect()
}

/// A question about a view that was built.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'v, 'a> {
    pub(crate) model: &'v dyn ModelFacts,
    pub(crate) built: Built<'v, 'a>,
    pub(crate) unit: &'v str,
    /// The events of each kind of request, if it is about some.
    pub(crate) kinds: &'v [RequestEvents],
    /// Whether what is measured begins in any state where something holds.
    pub(crate) anywhere: bool,
}

/// With which a request begins where something starts, and ends with the next that is over.
const NEXT: RequestEvents = RequestEvents { from: 0, to: 1, both: 2, order: Order::Next };

/// Returns whether state classes answer a question: all but for what part of the time something holds.
pub(crate) fn fits_classes(question: &Question, model: &dyn ModelFacts) -> bool {
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

/// With what something begins or ends.
enum End {
    /// An event happens.
    Event(u16),
    /// Something becomes true, which holds in these states.
    Holds(Vec<bool>),
}

/// Returns what a step does to what is measured between two ends.
fn change_between(graph: &StateGraph<'_>, [begin, end]: &[End; 2], state: u32, step: &Step) -> Change {
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
fn known<T>(found: Result<T, FollowError>, figure: &mut Figure) -> Option<T> {
    figure.result = match found {
        Ok(found) => return Some(found),
        Err(FollowError::Limit(limit)) => FigureResult::Undecided(limit),
        Err(FollowError::TooManyOpen) => {
            FigureResult::None("More requests are open at the same time than can be followed.".to_owned())
        }
    };
    None
}

impl<'v, 'a> Asked<'v, 'a> {
    /// Answers a question; returns whether the view could.
    pub(crate) fn fill(&self, question: &Question, figure: &mut Figure) -> bool {
        let by_classes = matches!(self.built, Built::Classes(_));
        if by_classes && !fits_classes(question, self.model) {
            return false;
        }
        self.answer(question, figure);
        !by_classes || figure.result != FigureResult::Undecided(Limit::Memory)
    }

    fn answer(&self, question: &Question, figure: &mut Figure) {
        let ends = Ends::of(question);
        match question {
            Question::MinDelay(from, to) | Question::MaxDelay(from, to) | Question::Delay(from, to) => {
                self.unit.clone_into(&mut figure.unit);
                self.bounds(from, to, Cost::Time, ends, figure);
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                if let Some(event) = self.model.event(what) {
                    return self.bounds(from, to, Cost::Event(event), ends, figure);
                }
                if let Some(holds) = self.model.holds(self.state_graph(), what, figure) {
                    let unit = if self.built.tick().is_some() { self.unit } else { "states" };
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
                if let Some(holds) = self.model.holds(self.state_graph(), self.model.busy(what), figure) {
                    self.frequency(Cost::While(&holds), figure);
                }
            }
            Question::Mean(what) => self.mean(what, figure),
            _ => {}
        }
    }

    fn state_graph(&self) -> &'v StateGraph<'a> {
        self.built.state_graph()
    }

    /// Bounds what an expression is on average, over all runs.
    fn mean(&self, what: &Text, figure: &mut Figure) {
        let Some(values) = self.model.values(self.state_graph(), what, figure) else { return };
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

    /// Finds with what something begins or ends; `None` if that is not known, and then the figure says why.
    fn end(&self, text: &Text, figure: &mut Figure) -> Option<End> {
        match self.model.event(text) {
            Some(event) => Some(End::Event(event)),
            None => self.model.holds(self.state_graph(), text, figure).map(End::Holds),
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
            return self.extremes(Span::Between { from, to }, cost, ends, &never, figure);
        }
        self.between(&[begin, end], cost, ends, &never, figure);
    }

    /// Measures between two ends, to the next one.
    fn between(&self, between: &[End; 2], cost: Cost<'_>, ends: Ends, never: &str, figure: &mut Figure) {
        let graph = self.state_graph();
        let start = match self.built {
            Built::Ticks(timed) => timed.state(0) as usize,
            Built::Classes(_) => 0,
        };
        let first = |end: &End| matches!(end, End::Holds(holds) if holds[start]);
        let initially = Change::between([false; 2], [first(&between[0]), first(&between[1])]);
        let change = |state: u32, step: &Step| change_between(graph, between, state, step);
        self.extremes(Span::Request { ends: NEXT, initially, change: &change }, cost, ends, never, figure);
    }

    fn extremes(&self, span: Span<'_>, cost: Cost<'_>, ends: Ends, never: &str, figure: &mut Figure) {
        let counts_states = matches!(cost, Cost::While(_)) && self.model.counts_states();
        let found = self.built.extremes(span, cost, ends, counts_states);
        if let Some(found) = known(found, figure) {
            self.set(&found, cost, never, figure);
        }
    }

    /// Bounds how long requests take.
    fn latency(&self, latency: &Latency, figure: &mut Figure) {
        let graph = self.state_graph();
        if latency.kind == LatencyKind::Duration {
            let Some(holds) = self.model.holds(graph, self.model.busy(&latency.from), figure) else { return };
            let never = format!("`{}` never holds, so that nothing begins.", latency.from.text);
            let fails = holds.iter().map(|holds| !holds).collect();
            return self.between(
                &[End::Holds(holds), End::Holds(fails)],
                Cost::Time,
                Ends::Both,
                &never,
                figure,
            );
        }
        let happens = |ends: &&RequestEvents| {
            let mut effects = graph.effects().iter();
            effects.any(|effect| effect.events.iter().any(|(event, _)| *event == ends.from))
        };
        let mut best = [true, false].map(|_| Found { bound: Bound::NeverBegins, through: None });
        for ends in self.kinds.iter().filter(happens) {
            let change = |_: u32, step: &Step| graph.change(*ends, step);
            let span = Span::Request { ends: *ends, initially: Change::default(), change: &change };
            let found = self.built.extremes(span, Cost::Time, Ends::Both, false);
            let Some(found) = known(found, figure) else { return };
            for ((best, found), is_least) in best.iter_mut().zip(found).zip(Ends::Both.sides()) {
                if best.bound.clone().extreme(found.bound.clone(), *is_least) == found.bound {
                    *best = found;
                }
            }
        }
        let never = format!("`{}` never happens, so that nothing begins.", latency.from.text);
        self.set(&best, Cost::Time, &never, figure);
    }

    /// Says what bounds are, and shows runs.
    fn set(&self, found: &[Found<'_, '_>], cost: Cost<'_>, never: &str, figure: &mut Figure) {
        let mut results = Vec::new();
        for Found { bound, through } in found {
            let infinite = FigureResult::Value { low: Number::Infinity, high: Number::Infinity, exact: true };
            let (result, run) = match bound {
                Bound::NeverBegins => (FigureResult::None(never.to_owned()), None),
                Bound::Finite(value, walk) => {
                    let number = number(*value, cost, through.as_deref().and_then(Timed::tick));
                    let result = FigureResult::Value { low: number, high: number, exact: true };
                    (result, Some(("a run that takes so much", walk)))
                }
                Bound::Infinite(walk) if walk.cycle.is_some() => {
                    (infinite, Some(("a run that goes round for ever", walk)))
                }
                Bound::Infinite(walk) => (infinite, Some(("a run that stops", walk))),
            };
            if let (Some((what, walk)), Some(timed)) = (run, through) {
                self.witness(what, timed, walk, figure);
            }
            results.push(result);
        }
        figure.result = span(&results);
    }

    /// Measures the time until nothing happens any more.
    fn makespan(&self, figure: &mut Figure) {
        match self.built {
            Built::Ticks(timed) => {
                let (from, to) = self.model.whole(timed);
                let between = Endpoints { from: &from, to: &to };
                let found = paths(&Through::Whole(timed), between, Cost::Time, Ends::Both);
                self.set(&found, Cost::Time, "Nothing begins.", figure);
            }
            Built::Classes(classes) => {
                let is_end = |state: u32| classes.state_graph().steps_of(state).is_empty();
                let begin = Change { begin: u32::from(!is_end(0)), end: 0, both: u32::from(is_end(0)) };
                let change =
                    |_: u32, step: &Step| Change { begin: 0, end: u32::from(is_end(step.target)), both: 0 };
                let span = Span::Request { ends: NEXT, initially: begin, change: &change };
                self.extremes(span, Cost::Time, Ends::Both, "Nothing begins.", figure);
            }
        }
    }

    /// Measures how often something happens in the long run, or for what part of the time something holds.
    fn frequency(&self, cost: Cost<'_>, figure: &mut Figure) {
        let is_event = matches!(cost, Cost::Event(_));
        let tick = self.built.tick().filter(|_| is_event).unwrap_or_else(|| Time::from_integer(1));
        let per_time = |(count, ticks): (u64, u64)| {
            let rate = Time::new(i128::from(count), i128::from(ticks.max(1))) / tick;
            Number::Ratio(*rate.numer(), *rate.denom())
        };
        let (mut ends, mut is_exact) = (Vec::new(), true);
        for which in [Extreme::Worst, Extreme::Best] {
            let (found, run) = match self.built.long_run(cost, which) {
                Ok(found) => found,
                Err(limit) => {
                    figure.result = FigureResult::Undecided(limit);
                    return;
                }
            };
            let is_worst = which == Extreme::Worst;
            let what = match (&run, cost) {
                (Some((_, walk)), _) if walk.cycle.is_none() => "a run that comes to an end",
                (_, Cost::Event(_)) if is_worst => "the critical cycle, worst case",
                (_, Cost::Event(_)) => "the critical cycle, best case",
                (_, Cost::Worth(_)) if is_worst => "a run on which the mean is the least",
                (_, Cost::Worth(_)) => "a run on which the mean is the most",
                _ if is_worst => "a run on which it holds for the least time",
                _ => "a run on which it holds for the most time",
            };
            if let Some((timed, walk)) = &run {
                self.witness(what, timed, walk, figure);
            }
            ends.push(match found {
                LongRun::Every { count, ticks, beyond } => {
                    let attained = per_time((count, ticks));
                    if let Some(beyond) = beyond {
                        is_exact = false;
                        let mut ends = [per_time(beyond), attained];
                        ends.sort_by(|one, other| one.to_f64().total_cmp(&other.to_f64()));
                        let [low, high] = outwards(ends[0].told_below(), ends[1].told_above(), DIGITS);
                        figure.notes.push(format!(
                            "At {} it is between {low} and {high}: both are certified, but they do not meet.",
                            if is_worst { "worst" } else { "best" },
                        ));
                    }
                    beyond.map_or(attained, per_time)
                }
                LongRun::Infinite => Number::Infinity,
                LongRun::Ends if matches!(cost, Cost::Worth(_)) => {
                    let reason = "Some run comes to an end, and so there is no mean over all of time.";
                    figure.result = FigureResult::None(reason.to_owned());
                    return;
                }
                LongRun::Ends => Number::Ratio(0, 1),
            });
            // It is about the whole run.
            figure.witnesses.iter_mut().for_each(|(_, trace)| trace.part = None);
        }
        figure.result = FigureResult::Value { low: ends[0], high: ends[1], exact: is_exact };
        if ends[0] == ends[1] && figure.witnesses.len() == 2 {
            // Both runs show the same.
            figure.witnesses.truncate(1);
            if is_event && figure.witnesses[0].1.cycle.is_some() {
                "the critical cycle".clone_into(&mut figure.witnesses[0].0);
            }
        }
    }

    /// Replays a run, with times.
    fn witness(&self, what: &str, timed: &Timed<'_>, walk: &Walk, figure: &mut Figure) {
        if self.state_graph().is_of_orbits() {
            let note = "Equal parts of the model are counted once, so that no run is shown.".to_owned();
            if !figure.notes.contains(&note) {
                figure.notes.push(note);
            }
            return;
        }
        match self.model.trace(timed, walk, self.unit) {
            Some(trace) => figure.witnesses.push((what.to_owned(), trace)),
            None => figure
                .notes
                .push("The run that shows it can't be replayed: this is a bug in narrows.".to_owned()),
        }
    }
}

/// Returns so many ticks as a time, for costs that are times.
fn number(value: u64, cost: Cost<'_>, tick: Option<Time>) -> Number {
    let is_time = matches!(cost, Cost::Time | Cost::While(_));
    let tick = tick.filter(|_| is_time).unwrap_or_else(|| Time::from_integer(1));
    let time = tick * Time::from_integer(i128::from(value));
    Number::Ratio(*time.numer(), *time.denom())
}

/// Which bounds are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Least,
    Most,
    Both,
}

impl Ends {
    /// Returns of each bound that is asked for whether it is the least.
    fn sides(self) -> &'static [bool] {
        match self {
            Ends::Least => &[true],
            Ends::Most => &[false],
            Ends::Both => &[true, false],
        }
    }

    fn of(question: &Question) -> Ends {
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
