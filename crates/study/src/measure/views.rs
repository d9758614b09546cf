//! The views of processes in which runs are exact, built when they are needed. What state classes don't
//! answer, ticks do, if need be with delays that are rounded to fewer of them.

use narrows_explicit::{Budget, Engine, Symmetry};
use narrows_model::{Evaluator, Expr, Figure, FigureResult, StateSpace, Trace, ViewSize};
use narrows_performance::requests::RequestEvents;
use narrows_performance::timed::{Timed, Unclocked, Walk};
use narrows_performance::{BuildError, StateGraph, Timing};

use super::blank;
use super::bracket::{Bracket, FIRST_TICKS, MAX_BRACKET_EDGES, MAX_BRACKET_TICKS};
use super::equal_parts::Equal;
use super::exact::{CHEAP_EDGES, Exact, ExactError, MAX_SHOWN_EDGES, Source};
use super::failure::{Failure, is_cut, result_of};
use super::stochastic::values_of;
use super::timed::{Asked, ModelFacts, fits_classes, timed_trace};
use crate::request_values::ValueEvents;
use crate::{Ask, Latency, ProcessStudy, Question, Study, Text, View};

/// It is built in ticks up to so many edges where state classes do not answer.
const MAX_EDGES: usize = 1 << 22;

/// What is counted in a view: events, by values where those tell them apart.
#[derive(Clone, Copy)]
struct Counted<'t> {
    timing: &'t Timing,
    values: Option<&'t ValueEvents>,
    /// What may be exchanged, if that is known.
    symmetry: Option<&'t Symmetry>,
}

/// The views that were built so far.
pub(crate) struct Views<'a, 's> {
    pub(super) study: &'a Study,
    pub(super) prepared: &'a ProcessStudy,
    pub(super) engine: &'a Engine<'s>,
    pub(super) budget: Budget,
    pub(super) equal: Equal<'a>,
    timed: Option<Result<Exact<'a>, Failure>>,
    untimed: Option<Result<Exact<'a>, Failure>>,
    /// The timed view in ticks, where state classes do not answer.
    ticks: Option<Result<Exact<'a>, Failure>>,
    /// The states without clocks, where both are too large.
    pub(super) unclocked: Option<Unclocked<'a>>,
    /// How many seconds it took to build each view that there is.
    seconds: Vec<(View, f64)>,
}

impl<'a, 's> Views<'a, 's> {
    pub(crate) fn new(
        study: &'a Study,
        prepared: &'a ProcessStudy,
        engine: &'a Engine<'s>,
        budget: Budget,
        equal: Equal<'a>,
    ) -> Views<'a, 's> {
        let (timed, untimed, ticks, unclocked, seconds) = (None, None, None, None, Vec::new());
        Views { study, prepared, engine, budget, equal, timed, untimed, ticks, unclocked, seconds }
    }

    pub(crate) fn sizes(&self) -> Vec<ViewSize> {
        let views = [(View::Untimed, &self.untimed), (View::Timed, &self.timed)];
        let built =
            views.into_iter().filter_map(|(view, built)| Some((view, built.as_ref()?.as_ref().ok()?)));
        let size = |(view, built): (View, &Exact<'_>)| {
            let (states, transitions) = built.size();
            let known = self.seconds.iter().find(|(known, _)| *known == view);
            ViewSize {
                view: view.name(),
                unit: built.unit(),
                states: states.to_string(),
                transitions: Some(transitions),
                minimised: None,
                seconds: known.map_or(0.0, |(_, seconds)| *seconds),
            }
        };
        built.map(size).collect()
    }

    /// Counts what a timing counts, and knows which parts are equal.
    fn plain<'t>(&self, timing: &'t Timing) -> Counted<'t>
    where
        'a: 't,
    {
        Counted { timing, values: None, symmetry: self.equal.known_symmetry() }
    }

    fn rows<'t>(&self, counted: Counted<'t>, is_exchanged: bool) -> Result<StateGraph<'t>, BuildError>
    where
        'a: 't,
    {
        let Counted { timing, values, symmetry } = counted;
        let symmetry = symmetry.filter(|_| is_exchanged);
        let forgets = symmetry.is_some_and(Symmetry::forgets);
        let space: &'t dyn StateSpace = if forgets { self.equal.forgetting } else { self.engine };
        let rows = StateGraph::new(space, Some(&self.prepared.system), timing, self.budget.clone())?;
        let rows = match symmetry {
            Some(symmetry) => rows.exchanging(symmetry),
            None => rows,
        };
        Ok(match values {
            Some(values) => rows.renaming(values.rename(Evaluator::new(&self.prepared.system))),
            None => rows,
        })
    }

    fn build<'t>(&self, view: View, counted: Counted<'t>) -> Result<Exact<'t>, Failure>
    where
        'a: 't,
    {
        let states = |is_exchanged: bool| self.rows(counted, is_exchanged);
        let source = Source { states: &states, can_exchange: counted.symmetry.is_some() };
        let built = Exact::build(view, counted.timing.has_ranges(), &source);
        built.map_err(|error| self.failure(error))
    }

    /// Builds the timed view in ticks; `None` if there are more edges than that.
    fn count_ticks<'t>(&self, counted: Counted<'t>, max_edges: usize) -> Result<Option<Exact<'t>>, Failure>
    where
        'a: 't,
    {
        let states = |is_exchanged: bool| self.rows(counted, is_exchanged);
        let source = Source { states: &states, can_exchange: counted.symmetry.is_some() };
        source.in_ticks(max_edges).map_err(|error| self.failure(error))
    }

    /// Builds the timed view in ticks, however many there are.
    fn in_ticks<'t>(&self, counted: Counted<'t>) -> Result<Exact<'t>, Failure>
    where
        'a: 't,
    {
        self.count_ticks(counted, usize::MAX)?.ok_or_else(|| self.failure(ExactError::TooMany))
    }

    fn failure(&self, error: ExactError) -> Failure {
        let told = |error: &BuildError| result_of(error, self.engine.evaluator());
        Box::new(error.result(told, |result| (result, None)))
    }

    /// Makes sure that a view is built, if it can be.
    fn ensure(&mut self, view: View) {
        let is_missing = if view == View::Untimed { self.untimed.is_none() } else { self.timed.is_none() };
        if is_missing {
            let before = self.budget.watch.seconds();
            let built = Some(self.build(view, self.plain(&self.prepared.timing)));
            self.seconds.push((view, self.budget.watch.seconds() - before));
            if view == View::Untimed { self.untimed = built } else { self.timed = built }
        }
    }

    /// Forgets views that were cut short, so that they are tried again.
    pub(crate) fn forget_cut(&mut self) {
        for view in [&mut self.timed, &mut self.untimed, &mut self.ticks] {
            if matches!(view, Some(Err(failure)) if is_cut(failure)) {
                *view = None;
            }
        }
    }

    /// Returns the timed view with the runs through it, or why there is none.
    pub(crate) fn timed(&mut self) -> Result<&Exact<'a>, FigureResult> {
        self.ensure(View::Timed);
        match &self.timed {
            Some(Ok(timed)) if timed.is_of_orbits() => Err(FigureResult::None(
                "Equal parts of the model are counted once, so that there is no run to look at.".to_owned(),
            )),
            Some(Ok(timed)) => Ok(timed),
            Some(Err(failure)) => Err(failure.0.clone()),
            None => Err(FigureResult::None("There is no timed view.".to_owned())),
        }
    }

    /// Builds the timed view with other delays.
    pub(crate) fn changed<'t>(&self, timing: &'t Timing) -> Option<Exact<'t>>
    where
        'a: 't,
    {
        self.build(View::Timed, self.plain(timing)).ok()
    }

    /// Answers a question in a view.
    pub(crate) fn answer(&mut self, ask: &Ask, view: View) -> Figure {
        self.ensure(view);
        let kinds = match &ask.question {
            Question::Latency(latency) => self.prepared.requests(latency).1,
            _ => Vec::new(),
        };
        let built = if view == View::Untimed { &self.untimed } else { &self.timed };
        let mut figure = blank(ask, view);
        if let Some(built) = built {
            let is_answered = self.fill(built, ask, &kinds, view, &mut figure);
            if !is_answered {
                self.answer_in_ticks(ask, &kinds, &mut figure);
            }
        }
        figure
    }

    /// Builds the timed view in which requests are told apart.
    pub(crate) fn apart<'t>(&self, timing: &'t Timing, values: Option<&'t ValueEvents>) -> Option<Exact<'t>>
    where
        'a: 't,
    {
        self.build(View::Timed, Counted { timing, values, symmetry: None }).ok()
    }

    /// Says how long requests take that are told apart, in a view of its own.
    pub(crate) fn told_apart(&self, ask: &Ask, latency: &Latency, view: View) -> Figure {
        let mut figure = blank(ask, view);
        let (timing, kinds, values) = self.prepared.requests(latency);
        // Requests of equal processes take the same times: those of one are enough.
        let one = self.equal.one_of_all(values.as_ref(), self.prepared);
        let of_one = one.map(|one| timing.counting(&values_of(values.as_ref(), one)));
        let own = of_one.as_ref().and_then(|of_one| self.equal.symmetry(self.prepared, of_one));
        if view == View::Timed
            && let (Some(one), Some(of_one), Some(own)) = (one, &of_one, &own)
        {
            let all = Counted { timing: &timing, values: values.as_ref(), symmetry: None };
            if let Some(built) = self.count_shown(all) {
                match values.as_ref().and_then(|values| values.why_not(latency.by.as_ref()?)) {
                    Some(reason) => figure.result = FigureResult::None(reason),
                    None => _ = self.fill(&built, ask, &kinds, view, &mut figure),
                }
                return figure;
            }
            let counted = Counted { timing: of_one, values: values.as_ref(), symmetry: Some(own) };
            let kinds = &kinds[usize::from(one)..=usize::from(one)];
            return self.tell_apart((ask, latency), counted, kinds, view);
        }
        self.tell_apart(
            (ask, latency),
            Counted { timing: &timing, values: values.as_ref(), symmetry: None },
            &kinds,
            view,
        )
    }

    /// Builds the view of all states where that is cheap, so that runs can be shown.
    fn count_shown<'t>(&self, counted: Counted<'t>) -> Option<Result<Exact<'t>, Failure>>
    where
        'a: 't,
    {
        let max_edges = if counted.timing.has_ranges() { CHEAP_EDGES } else { MAX_SHOWN_EDGES };
        self.count_ticks(counted, max_edges).transpose()
    }

    /// Says how long some requests take that are told apart.
    fn tell_apart(
        &self,
        (ask, latency): (&Ask, &Latency),
        counted: Counted<'_>,
        kinds: &[RequestEvents],
        view: View,
    ) -> Figure {
        let mut figure = blank(ask, view);
        let built = self.build(view, counted);
        if let Some(reason) = counted.values.and_then(|values| values.why_not(latency.by.as_ref()?)) {
            figure.result = FigureResult::None(reason);
            return figure;
        }
        if !self.fill(&built, ask, kinds, view, &mut figure) {
            let built = self.in_ticks(counted);
            figure = blank(ask, view);
            self.fill(&built, ask, kinds, view, &mut figure);
        }
        figure
    }

    /// Answers a question in a view that was built; returns whether it could.
    fn fill(
        &self,
        built: &Result<Exact<'_>, Failure>,
        ask: &Ask,
        kinds: &[RequestEvents],
        view: View,
        figure: &mut Figure,
    ) -> bool {
        let unit = if view == View::Untimed { "steps" } else { &self.study.unit };
        let anywhere = ask.anywhere && !matches!(ask.question, Question::Latency(_));
        match built {
            Err(failure) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Ok(built) => {
                let built = built.as_built();
                return Asked { model: self, built, unit, kinds, anywhere }.fill(&ask.question, figure);
            }
        }
        true
    }

    /// Answers a question in ticks that classes do not answer.
    fn answer_in_ticks(&mut self, ask: &Ask, kinds: &[RequestEvents], figure: &mut Figure) {
        let is_fit = fits_classes(&ask.question, self);
        if self.ticks.is_none() {
            let max_edges = if is_fit { usize::MAX } else { MAX_EDGES };
            self.ticks = match self.count_ticks(self.plain(&self.prepared.timing), max_edges) {
                Ok(built) => built.map(Ok),
                Err(failure) => Some(Err(failure)),
            };
        }
        *figure = blank(ask, View::Timed);
        if let Some(built) = &self.ticks {
            self.fill(built, ask, kinds, View::Timed, figure);
            return;
        }
        self.bracket(ask, kinds, figure);
    }

    /// Answers a question with delays rounded to a grid, which is made finer as long as that is cheap:
    /// rounded outwards there are all runs, rounded inwards some of them.
    fn bracket(&self, ask: &Ask, kinds: &[RequestEvents], figure: &mut Figure) {
        let answer = |timing: &Timing, max_edges: usize| {
            let mut figure = blank(ask, View::Timed);
            let built = match self.count_ticks(self.plain(timing), max_edges) {
                Ok(built) => Ok(built?),
                Err(failure) => Err(failure),
            };
            self.fill(&built, ask, kinds, View::Timed, &mut figure);
            figure.witnesses.clear();
            Some(figure)
        };
        let mut bracket = Bracket::default();
        let mut ticks = FIRST_TICKS;
        while let Some(grid) = self.prepared.timing.grid(ticks) {
            let before = self.budget.watch.seconds();
            let is_first = ticks == FIRST_TICKS;
            let max_edges = if is_first { usize::MAX } else { MAX_BRACKET_EDGES };
            let Some(outer) = answer(&self.prepared.timing.rounded_outwards(grid), max_edges) else { break };
            let FigureResult::Value { low, high, .. } = outer.result else {
                if is_first {
                    *figure = outer;
                }
                break;
            };
            bracket.narrow(low, high);
            bracket.grid = Some(grid);
            let inner = self.prepared.timing.rounded_inwards(grid);
            let inner = inner.and_then(|timing| answer(&timing, MAX_BRACKET_EDGES));
            if let Some(FigureResult::Value { low, high, .. }) = inner.map(|inner| inner.result) {
                bracket.widen(low, high);
            }
            bracket.fill(outer, &self.study.unit, figure);
            let took = self.budget.watch.seconds() - before;
            let is_late = self.budget.watch.seconds_left().is_some_and(|left| left < 8.0 * took);
            if bracket.is_closed() || is_late || ticks >= MAX_BRACKET_TICKS {
                break;
            }
            ticks *= 2;
        }
    }
}

impl ModelFacts for Views<'_, '_> {
    fn event(&self, what: &Text) -> Option<u16> {
        self.prepared.event(what)
    }

    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        self.study.busy(what)
    }

    fn holds(&self, rows: &StateGraph<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<bool>> {
        let values = self.values(rows, text, figure)?;
        Some(values.into_iter().map(|value| value != 0).collect())
    }

    fn values(&self, rows: &StateGraph<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<i64>> {
        let evaluator = self.engine.evaluator();
        let expr: &Expr = self.prepared.predicate(text)?;
        let mut list = Vec::with_capacity(rows.states() as usize);
        for state in 0..rows.states() {
            match evaluator.observe(&rows.state(state)).value(expr) {
                Ok(value) => list.push(i64::from(value)),
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
