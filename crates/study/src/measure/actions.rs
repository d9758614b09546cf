//! Best and worst cases of a LOTOS model: from one action to another, over all runs.

use std::collections::BTreeMap;

use narrows_explicit::Budget;
use narrows_lts::{Graph, LabelPattern, LabelValue};
use narrows_model::{Figure, FigureResult, Refusal, RunStep, Trace};
use narrows_performance::actions::{Actions, Condition, ambiguous, timing, twins};
use narrows_performance::labelled::replay;
use narrows_performance::requests::RequestEvents;
use narrows_performance::timed::{self, Timed, Walk};
use narrows_performance::{BuildError, Delay, Site, StateGraph, Timing};

use super::blank;
use super::exact::{Exact, ExactError, Source};
use super::failure::reason_of;
use super::labelled::check_delays;
use super::timed::{Asked, ModelFacts};
use crate::conditions::meant;
use crate::labelled::{LabelledStudy, rate_of};
use crate::{Ask, Latency, Question, Study, Text, View};

/// How many nodes and edges the views have, at most, that were built so far; how many nodes were left after
/// minimisation; and what nodes are called.
pub(super) type Sizes = Vec<(View, (u64, u64), Option<u64>, &'static str)>;

/// A study with the graph of its model.
pub(super) struct Actual<'a> {
    pub(super) study: &'a Study,
    pub(super) model: &'a LabelledStudy,
    pub(super) graph: &'a Graph,
    pub(super) budget: Budget,
}

/// What an exact view is built from, and which requests are followed in it.
pub(super) struct Frame<'t> {
    pub(super) actions: &'t Actions<'t>,
    pub(super) timing: &'t Timing,
    pub(super) kinds: Vec<RequestEvents>,
}

/// Says that it can't be told what the clock of an action is.
pub(super) fn two_clocks(label: &str) -> String {
    format!(
        "Two steps of a state have the label `{label}`, so that it can't be told whether its delay runs once \
         or twice. Give the action a value that says who does it, or make the delay `exponential`."
    )
}

impl Actual<'_> {
    /// Answers a question, from actions of one kind to the next one of another if there is a way.
    pub(super) fn answer(&self, ask: &Ask, view: View, sizes: &mut Sizes) -> Figure {
        let timing = match &ask.question {
            Question::Latency(latency) => self.requests(view, latency),
            _ => self.timing(view, &self.model.named_events()).map(|timing| (timing, Vec::new())),
        };
        let (timing, kinds) = match timing {
            Ok(timing) => timing,
            Err(refusal) => return Figure { result: refusal.into(), ..blank(ask, view) },
        };
        let conditions: Vec<Condition> = self.condition(&ask.question).into_iter().collect();
        let actions = Actions::new(self.graph).observing(&conditions);
        let frame = Frame { actions: &actions, timing: &timing, kinds };
        match self.exact(&frame, view) {
            Ok(exact) => self.told(ask, view, &frame, &exact, sizes),
            Err(error) => self.not_built(ask, view, &frame, error),
        }
    }

    /// Builds a view in which runs are exact.
    pub(super) fn exact<'t>(&self, frame: &Frame<'t>, view: View) -> Result<Exact<'t>, ExactError> {
        let states = |_: bool| StateGraph::new(frame.actions, None, frame.timing, self.budget.clone());
        let source = Source { states: &states, can_exchange: false };
        Exact::build(view, frame.timing.has_ranges(), &source)
    }

    /// Answers a question by a view; in ticks, if state classes do not answer it.
    pub(super) fn told(
        &self,
        ask: &Ask,
        view: View,
        frame: &Frame<'_>,
        exact: &Exact<'_>,
        sizes: &mut Sizes,
    ) -> Figure {
        let known = Known { asked: self, actions: frame.actions };
        let unit = if view == View::Untimed { "steps" } else { &self.study.unit };
        let mut fill = |exact: &Exact<'_>| {
            let mut figure = blank(ask, view);
            let built = exact.as_built();
            let asked = Asked { model: &known, built, unit, kinds: &frame.kinds, anywhere: false };
            let is_answered = asked.fill(&ask.question, &mut figure);
            note_size(sizes, view, exact.size(), None, exact.unit());
            is_answered.then_some(figure)
        };
        if let Some(figure) = fill(exact) {
            return figure;
        }
        let states = |_: bool| StateGraph::new(frame.actions, None, frame.timing, self.budget.clone());
        let source = Source { states: &states, can_exchange: false };
        match source.in_ticks(usize::MAX).and_then(|built| built.ok_or(ExactError::TooMany)) {
            Ok(ticks) => fill(&ticks).unwrap_or_else(|| blank(ask, view)),
            Err(error) => self.not_built(ask, view, frame, error),
        }
    }

    /// Says why there is no view.
    pub(super) fn not_built(&self, ask: &Ask, view: View, frame: &Frame<'_>, error: ExactError) -> Figure {
        let mut figure = blank(ask, view);
        let known = Known { asked: self, actions: frame.actions };
        figure.result = error.result(|error| known.told(error, &mut figure), |result| result);
        figure
    }

    /// Says which labels take how long, and which of them are events.
    pub(super) fn timing(
        &self,
        view: View,
        events: &[(String, Vec<LabelPattern>)],
    ) -> Result<Timing, Refusal> {
        let delays: Vec<(LabelPattern, Delay)> =
            self.model.delays.iter().map(|one| (one.pattern.clone(), one.delay.clone())).collect();
        if view != View::Untimed {
            check_delays(&self.model.delays, self.graph)?;
            let delay_of = |label: &String| {
                let delay = delays.iter().find(|(pattern, _)| pattern.fits(label)).map(|(_, delay)| delay);
                delay.filter(|delay| rate_of(delay).is_some())
            };
            let found: Vec<Option<&Delay>> = self.graph.labels().iter().map(delay_of).collect();
            // Random times without memory may run side by side; it makes no difference which is which.
            let has_memory = |label: u32| {
                let is_window = |delay: &Delay| view == View::Timed && delay.window().is_some();
                found[label as usize]
                    .is_some_and(|delay| delay.stages() > 1 || delay.is_drawn() || is_window(delay))
            };
            if let Some(label) = ambiguous(self.graph, |label| found[label as usize].is_none(), has_memory) {
                return Err(Refusal::new(two_clocks(label)));
            }
            if let Some(label) = twins(self.graph, usize::from(u8::MAX)) {
                return Err(Refusal::new(format!("Too many steps of a state have the label `{label}`.")));
            }
        }
        timing(self.graph, &delays, events)
            .ok_or_else(|| Refusal::new("More actions than there can be have delays of their own."))
    }

    /// Returns the events of a latency whose requests are not told apart.
    pub(super) fn kind(&self, latency: &Latency) -> RequestEvents {
        let next = self.model.events.len() as u16;
        let event = |end: &Text, other: u16| self.model.event(end).unwrap_or(other);
        let (from, to) = (event(&latency.from, next), event(&latency.to, next + 1));
        RequestEvents { from, to, both: next + 2, order: latency.order }
    }

    /// Returns the timing in which the events of a latency are counted, by value if they are told apart; and
    /// the events of each kind.
    pub(super) fn requests(
        &self,
        view: View,
        latency: &Latency,
    ) -> Result<(Timing, Vec<RequestEvents>), Refusal> {
        let mut timing = self.timing(view, &self.model.named_events())?;
        let order = latency.order;
        let events = [&latency.from, &latency.to].map(|end| self.model.event(end));
        let Some(by) = &latency.by else { return Ok((timing, vec![self.kind(latency)])) };
        let by_end = latency.value_at_end().unwrap_or(by);
        let read = |by: &Text| {
            LabelValue::new(&by.text)
                .map_err(|error| Refusal::new(format!("`by = \"{}\"`: {error}.", by.text)))
        };
        let wanted = [(by, read(by)?), (by_end, read(by_end)?)];
        let mut values: BTreeMap<String, [Vec<Site>; 2]> = BTreeMap::new();
        for (number, label) in (0..).zip(self.graph.labels()) {
            for (end, event) in events.iter().enumerate() {
                let patterns = event.map_or(&[][..], |event| &self.model.counted[usize::from(event)]);
                if !patterns.iter().any(|pattern| pattern.fits(label)) {
                    continue;
                }
                let (text, wanted) = &wanted[end];
                let none = || match wanted {
                    LabelValue::Place(place) => {
                        Refusal::new(format!("`{label}` has no value number {place}."))
                    }
                    LabelValue::Match(_) => {
                        Refusal::new(format!("`{label}` does not match `{}`.", text.text))
                    }
                };
                let value = wanted.of(label).ok_or_else(none)?;
                values.entry(value.to_owned()).or_default()[end].push(Timing::label(number));
            }
        }
        let ends: Vec<(u16, u16)> = values
            .iter()
            .map(|(value, [from, to])| (timing.event(from, value), timing.event(to, value)))
            .collect();
        let last = timing.events().len() as u16;
        let kinds = (last..).zip(ends).map(|(both, (from, to))| RequestEvents { from, to, both, order });
        Ok((timing, kinds.collect()))
    }

    /// Builds a view, if its delays can be counted.
    pub(super) fn build<'t>(
        &'t self,
        actions: &'t Actions<'t>,
        timing: &'t Timing,
        view: View,
    ) -> Result<Result<Timed<'t>, BuildError>, Refusal> {
        let rows = match StateGraph::new(actions, None, timing, self.budget.clone()) {
            Ok(rows) => rows,
            Err(error) => return Ok(Err(error)),
        };
        match view {
            View::Untimed => Ok(timed::build_untimed(rows)),
            _ => timed::build(rows).map_err(|unscalable| Refusal::new(reason_of(&unscalable))),
        }
    }
}

pub(super) fn add_size(sizes: &mut Sizes, view: View, found: (u64, u64), minimised: Option<u64>) {
    note_size(sizes, view, found, minimised, "states");
}

fn note_size(sizes: &mut Sizes, view: View, found: (u64, u64), minimised: Option<u64>, unit: &'static str) {
    match sizes.iter_mut().find(|(known, ..)| *known == view) {
        Some((_, size, least, called)) => {
            if found > *size {
                (*size, *least, *called) = (found, minimised, unit);
            }
        }
        None => sizes.push((view, found, minimised, unit)),
    }
}

/// What a LOTOS model knows about its views.
pub(super) struct Known<'a> {
    pub(super) asked: &'a Actual<'a>,
    pub(super) actions: &'a Actions<'a>,
}

impl Known<'_> {
    /// Says why there is no view.
    pub(super) fn say(&self, error: &BuildError, figure: &mut Figure) {
        figure.result = self.told(error, figure);
    }

    fn told(&self, error: &BuildError, figure: &mut Figure) -> FigureResult {
        let none = |text: &str| FigureResult::None(text.to_owned());
        match error {
            BuildError::Limit(limit) => FigureResult::Undecided(*limit),
            BuildError::Zeno(choices, begins) => {
                let what = "the run on which time stands still".to_owned();
                let trace = self.follow(choices);
                let trace = trace.map(|trace| Trace { cycle: Some(*begins), ..trace });
                figure.witnesses.extend(trace.map(|trace| (what, trace)));
                none(
                    "Time stands still: actions without delay follow each other for ever, and the delays \
                     beside them do not run on. Give one of the actions of the cycle a delay.",
                )
            }
            // Labels do nothing that could go wrong, and each has one delay.
            BuildError::Wrong(..) | BuildError::TwoDelays(..) | BuildError::Entangled => {
                none("There is no graph of all states.")
            }
        }
    }

    /// Follows a run in the model itself.
    fn follow(&self, choices: &[u32]) -> Option<Trace> {
        let steps = self.actions.run(choices)?;
        let mut states = replay(&*self.asked.model.system, self.asked.graph, &steps)?.into_iter();
        let initial = states.next()?;
        let step = |(((label, _), choice), state): ((&(u32, u32), &u32), Vec<u8>)| {
            RunStep::labelled(self.asked.graph.label(*label), *choice, state)
        };
        Some(Trace {
            initial,
            steps: steps.iter().zip(choices).zip(states).map(step).collect(),
            ..Trace::default()
        })
    }
}

impl ModelFacts for Known<'_> {
    fn event(&self, what: &Text) -> Option<u16> {
        self.asked.model.event(what)
    }

    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        meant(self.asked.study, what)
    }

    fn holds(&self, rows: &StateGraph<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<bool>> {
        if self.asked.model.conditions.get(text).is_some() {
            return Some((0..rows.states()).map(|state| self.actions.holds(0, &rows.state(state))).collect());
        }
        figure.result = FigureResult::None(format!("`{}` is not an action that is counted.", text.text));
        None
    }

    /// Labels have none that lasts.
    fn values(&self, _: &StateGraph<'_>, _: &Text, _: &mut Figure) -> Option<Vec<i64>> {
        None
    }

    fn trace(&self, timed: &Timed<'_>, walk: &Walk, unit: &str) -> Option<Trace> {
        let mut trace = self.follow(&walk.choices(timed))?;
        trace.cycle = walk.cycle;
        if timed.tick().is_some() {
            trace.times = walk.times(timed).iter().map(|time| format!("{time} {unit}")).collect();
        }
        Some(trace)
    }
}
