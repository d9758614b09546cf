//! Best and worst cases: questions about all runs.

use std::rc::Rc;

use narrows_explicit::{Budget, Engine};
use narrows_model::{Evaluator, Expr, Figure, FigureResult, Number, Trace};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::timed::bounds::{Bound, Cost, Endpoints};
use narrows_performance::timed::ratio::{Extreme, Frequency};
use narrows_performance::timed::{self, Edge, FollowError, Followed, Timed, Walk};
use narrows_performance::{StateGraph, Time, Timing};

use super::trouble::{Failure, is_cut, reason_of, result_of, trace_of};
use super::{Size, blank};
use crate::bottleneck::whole;
use crate::{Ask, Latency, LatencyKind, Prepared, Question, Study, Text, View};

/// The views of a model in which runs are exact, built when they are needed.
pub(crate) struct Views<'a, 's> {
    study: &'a Study,
    prepared: &'a Prepared,
    engine: &'a Engine<'s>,
    budget: Budget,
    timed: Option<Result<Timed<'a>, Failure>>,
    untimed: Option<Result<Timed<'a>, Failure>>,
    /// How many seconds it took to build each view that there is.
    seconds: Vec<(View, f64)>,
}

impl<'a, 's> Views<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a Prepared,
        engine: &'a Engine<'s>,
        budget: Budget,
    ) -> Views<'a, 's> {
        Views { study, prepared, engine, budget, timed: None, untimed: None, seconds: Vec::new() }
    }

    pub(crate) fn sizes(&self) -> Vec<Size> {
        let views = [(View::Untimed, &self.untimed), (View::Timed, &self.timed)];
        let built =
            views.into_iter().filter_map(|(view, built)| Some((view, built.as_ref()?.as_ref().ok()?)));
        let size = |(view, built): (View, &Timed<'_>)| Size {
            view: view.name(),
            states: built.nodes().to_string(),
            transitions: Some(built.edge_count()),
            minimised: None,
            seconds: self
                .seconds
                .iter()
                .find(|(known, _)| *known == view)
                .map_or(0.0, |(_, seconds)| *seconds),
        };
        built.map(size).collect()
    }

    fn build<'t>(&self, view: View, timing: &'t Timing) -> Result<Timed<'t>, Failure>
    where
        'a: 't,
    {
        let evaluator = self.engine.evaluator();
        let rows = StateGraph::new(self.engine, Some(&self.prepared.system), timing, self.budget.clone());
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

    /// Makes sure that a view is built, if it can be.
    fn ensure(&mut self, view: View) {
        let is_missing = if view == View::Untimed { self.untimed.is_none() } else { self.timed.is_none() };
        if is_missing {
            let before = self.budget.watch.seconds();
            let built = Some(self.build(view, &self.prepared.timing));
            self.seconds.push((view, self.budget.watch.seconds() - before));
            if view == View::Untimed { self.untimed = built } else { self.timed = built }
        }
    }

    /// Forgets views that were cut short, so that they are tried again.
    pub(crate) fn forget_cut(&mut self) {
        for view in [&mut self.timed, &mut self.untimed] {
            if matches!(view, Some(Err(failure)) if is_cut(failure)) {
                *view = None;
            }
        }
    }

    /// Returns the timed view, or why there is none.
    pub(crate) fn timed(&mut self) -> Result<&Timed<'a>, FigureResult> {
        self.ensure(View::Timed);
        match &self.timed {
            Some(Ok(timed)) => Ok(timed),
            Some(Err(failure)) => Err(failure.0.clone()),
            None => Err(FigureResult::None("There is no timed view.".to_owned())),
        }
    }

    /// Builds the timed view with other delays.
    pub(crate) fn changed<'t>(&self, timing: &'t Timing) -> Option<Timed<'t>>
    where
        'a: 't,
    {
        self.build(View::Timed, timing).ok()
    }

    /// Answers a question in a view.
    pub(crate) fn answer(&mut self, ask: &Ask, view: View) -> Figure {
        self.ensure(view);
        let built = if view == View::Untimed { &self.untimed } else { &self.timed };
        let mut figure = blank(ask, view);
        match built {
            None => {}
            Some(Err(failure)) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Some(Ok(timed)) => {
                let unit = if view == View::Untimed { "steps" } else { &self.study.unit };
                let kinds = match &ask.question {
                    Question::Latency(latency) => self.prepared.requests(latency).1,
                    _ => Vec::new(),
                };
                Asked { model: self, timed, unit, kinds: &kinds, anywhere: ask.anywhere }
                    .fill(&ask.question, &mut figure);
            }
        }
        figure
    }

    /// Says how long requests take that are told apart, in a view of its own.
    pub(crate) fn told_apart(&self, ask: &Ask, latency: &Latency, view: View) -> Figure {
        let mut figure = blank(ask, view);
        let (timing, kinds) = self.prepared.requests(latency);
        match self.build(view, &timing) {
            Err(failure) => {
                figure.result = failure.0;
                figure.witnesses.extend(failure.1);
            }
            Ok(timed) => {
                let unit = if view == View::Untimed { "steps" } else { &self.study.unit };
                let asked = Asked { model: self, timed: &timed, unit, kinds: &kinds, anywhere: false };
                asked.fill(&ask.question, &mut figure);
            }
        }
        figure
    }
}

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
    fn holds(&self, timed: &Timed<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<bool>>;

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

impl Model for Views<'_, '_> {
    fn event(&self, what: &Text) -> Option<u16> {
        self.prepared.event(what)
    }

    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        self.study.busy(what)
    }

    fn holds(&self, timed: &Timed<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<bool>> {
        let evaluator = self.engine.evaluator();
        let expr: &Expr = self.prepared.predicate(text)?;
        let rows = timed.state_graph();
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

    fn trace(&self, timed: &Timed<'_>, walk: &Walk, unit: &str) -> Option<Trace> {
        timed_trace(timed, self.engine.evaluator(), walk, unit)
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
enum End {
    /// An event happens.
    Event(u16),
    /// Something becomes true, which holds in these states.
    Holds(Vec<bool>),
}

/// Returns what an edge does to what is measured between two ends.
fn change_between(timed: &Timed<'_>, [begin, end]: &[End; 2], node: u32, edge: &Edge) -> Change {
    let [before, after] = [node, edge.target].map(|node| timed.state(node) as usize);
    let begin = match begin {
        End::Event(event) => timed.count(edge, *event),
        End::Holds(holds) => u32::from(holds[after] && !holds[before]),
    };
    match end {
        End::Event(event) => Change { begin, end: timed.count(edge, *event).min(1), both: 0 },
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
                if let Some(holds) = self.model.holds(self.timed, what, figure) {
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
                if let Some(holds) = self.model.holds(self.timed, self.model.busy(what), figure) {
                    self.frequency(Cost::While(&holds), figure);
                }
            }
            _ => {}
        }
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

    /// Finds with what something begins or ends; `None` if that is not known, and then the figure says why.
    fn end(&self, text: &Text, figure: &mut Figure) -> Option<End> {
        match self.model.event(text) {
            Some(event) => Some(End::Event(event)),
            None => self.model.holds(self.timed, text, figure).map(End::Holds),
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
        let change = |node: u32, edge: &Edge| change_between(timed, ends, node, edge);
        let order = RequestEvents { from: 0, to: 1, both: 2, order: Order::Next };
        known(timed.follow(order, initially, change), figure)
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
            let Some(holds) = self.model.holds(timed, self.model.busy(&latency.from), figure) else { return };
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
            let followed = timed.follow(*ends, Change::default(), |_, edge| timed.change(*ends, edge));
            let Some(followed) = known(followed, figure) else { return };
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
        let never = format!("`{}` never happens, so that nothing begins.", latency.from.text);
        let mut found = Vec::new();
        for (bound, followed) in bounds.into_iter().zip(&shown) {
            let timed = followed.as_ref().map_or(timed, |followed| &followed.timed);
            Asked { timed, ..*self }.set(bound, Cost::Time, &never, figure);
            found.push(figure.result.clone());
        }
        figure.result = span(&found);
    }

    fn set(&self, bound: Bound, cost: Cost<'_>, never: &str, figure: &mut Figure) {
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
                Frequency::Ends(walk) => (Number::Ratio(0, 1), walk),
            };
            ends.push(number);
            let what = match (walk.cycle, cost) {
                (None, _) => "a run that comes to an end".to_owned(),
                (_, Cost::Event(_)) if which == Extreme::Worst => "the critical cycle, worst case".to_owned(),
                (_, Cost::Event(_)) => "the critical cycle, best case".to_owned(),
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
    fn witness(&self, what: &str, walk: &Walk, figure: &mut Figure) {
        match self.model.trace(self.timed, walk, self.unit) {
            Some(trace) => figure.witnesses.push((what.to_owned(), trace)),
            None => figure
                .notes
                .push("The run that shows it can't be replayed: this is a mistake in narrows.".to_owned()),
        }
    }
}

/// Which bounds are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Least,
    Most,
    Both,
}

impl Ends {
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
