//! Best and worst cases of a LOTOS model: from one action to another, over all runs.

use narrows_explicit::Budget;
use narrows_lts::{Graph, LabelPattern};
use narrows_model::{Action, Choice, Figure, FigureResult, Trace, TraceStep};
use narrows_performance::actions::{Actions, ambiguous, timing};
use narrows_performance::labelled::replay;
use narrows_performance::timed::{self, Timed, Walk};
use narrows_performance::{BuildError, Delay, StateGraph, Timing};
use narrows_source::Span;

use super::blank;
use super::labelled::check_delays;
use super::timed::{Asked, Model, Ways};
use super::trouble::reason_of;
use crate::labelled::{Labelled, rate_of};
use crate::{Ask, Study, Text, View};

/// How many nodes and edges the views have, at most, that were built so far.
pub(super) type Sizes = Vec<(View, u64, u64)>;

/// A study with the graph of its model.
pub(super) struct Actual<'a> {
    pub(super) study: &'a Study,
    pub(super) model: &'a Labelled,
    pub(super) graph: &'a Graph,
    pub(super) budget: Budget<'a>,
}

/// Says that it can't be told what the clock of an action is.
pub(super) fn two_clocks(label: &str) -> String {
    format!(
        "Two steps of a state have the label `{label}`, so that it can't be told whether its delay runs once or twice. Give \
         the action a value that says who does it, or make the delay `exponential`."
    )
}

impl Actual<'_> {
    /// Answers a question, from actions of one kind to the next one of another if there is a way.
    pub(super) fn answer(
        &self,
        ask: &Ask,
        way: Option<&(LabelPattern, LabelPattern)>,
        view: View,
        sizes: &mut Sizes,
    ) -> Figure {
        let mut figure = blank(ask, view);
        let timing = match self.timing(view) {
            Ok(timing) => timing,
            Err(reason) => {
                figure.result = FigureResult::None(reason);
                return figure;
            }
        };
        let actions = match way {
            Some((from, to)) => Actions::between(self.graph, from, to),
            None => Actions::new(self.graph),
        };
        let known = Known { asked: self, actions: &actions };
        match self.build(&actions, &timing, view) {
            Ok(Ok(timed)) => {
                let unit = if view == View::Untimed { "steps" } else { &self.study.unit };
                Asked { model: &known, timed: &timed, unit }.fill(&ask.question, &mut figure);
                add_size(sizes, view, &timed);
            }
            Ok(Err(trouble)) => known.say(&trouble, &mut figure),
            Err(reason) => figure.result = FigureResult::None(reason),
        }
        figure
    }

    /// Says which labels take how long; the error is a sentence.
    fn timing(&self, view: View) -> Result<Timing, String> {
        let delays: Vec<(LabelPattern, Delay)> =
            self.model.delays.iter().map(|one| (one.pattern.clone(), one.delay.clone())).collect();
        let patterns = self.model.counted.iter().cloned();
        let events: Vec<_> = self.model.events.iter().cloned().zip(patterns).collect();
        if view == View::Timed {
            check_delays(&self.model.delays, self.graph)?;
            let takes_time = |label: &String| {
                let delay = delays.iter().find(|(pattern, _)| pattern.fits(label));
                delay.is_some_and(|(_, delay)| rate_of(delay).is_some())
            };
            let takes_time: Vec<bool> = self.graph.labels().iter().map(takes_time).collect();
            let is_later = |label: u32| takes_time[label as usize];
            if let Some(label) = ambiguous(self.graph, |label| !is_later(label), is_later) {
                return Err(two_clocks(label));
            }
        }
        timing(self.graph, &delays, &events)
            .ok_or_else(|| "More actions than there can be have delays of their own.".to_owned())
    }

    /// Builds a view; the outer error is a sentence.
    fn build<'t>(
        &'t self,
        actions: &'t Actions<'t>,
        timing: &'t Timing,
        view: View,
    ) -> Result<Result<Timed<'t>, BuildError>, String> {
        let rows = match StateGraph::new(actions, None, timing, self.budget) {
            Ok(rows) => rows,
            Err(trouble) => return Ok(Err(trouble)),
        };
        match view {
            View::Untimed => Ok(timed::build_untimed(rows)),
            _ => timed::build(rows).map_err(|unscalable| reason_of(&unscalable)),
        }
    }
}

fn add_size(sizes: &mut Sizes, view: View, timed: &Timed<'_>) {
    let found = (u64::from(timed.nodes()), timed.edge_count());
    match sizes.iter_mut().find(|(known, ..)| *known == view) {
        Some((_, nodes, edges)) => (*nodes, *edges) = found.max((*nodes, *edges)),
        None => sizes.push((view, found.0, found.1)),
    }
}

/// What a LOTOS model knows about its views.
struct Known<'a> {
    asked: &'a Actual<'a>,
    actions: &'a Actions<'a>,
}

impl Known<'_> {
    /// Says why there is no view.
    fn say(&self, trouble: &BuildError, figure: &mut Figure) {
        let none = |text: &str| FigureResult::None(text.to_owned());
        figure.result = match trouble {
            BuildError::Limit(limit) => FigureResult::Undecided(*limit),
            BuildError::Zeno(choices, begins) => {
                let what = "the run on which time stands still".to_owned();
                let trace = self.follow(choices);
                let trace = trace.map(|trace| Trace { cycle: Some(*begins), ..trace });
                figure.witnesses.extend(trace.map(|trace| (what, trace)));
                none(
                    "Time stands still: actions without delay follow each other for ever, and the delays beside them do not \
                     run on. Give one of the actions of the cycle a delay.",
                )
            }
            // Labels do nothing that could go wrong, and each has one delay.
            BuildError::Wrong(..) | BuildError::TwoDelays(..) => none("There is no graph of all states."),
        };
    }

    /// Follows a run in the model itself.
    fn follow(&self, choices: &[u32]) -> Option<Trace> {
        let steps = self.actions.run(choices)?;
        let mut states = replay(&*self.asked.model.system, self.asked.graph, &steps)?.into_iter();
        let initial = states.next()?;
        let step = |(((label, _), choice), state): ((&(u32, u32), &u32), Vec<u8>)| {
            let action = Action {
                actor: None,
                label: self.asked.graph.label(*label).to_owned(),
                span: Span::default(),
                is_glue: false,
                choice: Choice::Number(*choice),
            };
            TraceStep { actions: vec![action], violations: Vec::new(), state, changes: Vec::new() }
        };
        Some(Trace {
            initial,
            steps: steps.iter().zip(choices).zip(states).map(step).collect(),
            ..Trace::default()
        })
    }
}

impl Model for Known<'_> {
    fn verb(&self) -> &'static str {
        "happens"
    }

    fn event(&self, what: &Text) -> Option<u16> {
        let place = self.asked.model.events.iter().position(|name| *name == what.text)?;
        u16::try_from(place).ok()
    }

    fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        what
    }

    fn holds(&self, _: &Timed<'_>, text: &Text, figure: &mut Figure) -> Option<Vec<bool>> {
        figure.result = FigureResult::None(format!("`{}` is no action that is counted.", text.text));
        None
    }

    fn ways(&self, timed: &Timed<'_>, _: (&Text, &Text), _: &mut Figure) -> Option<Vec<Ways>> {
        let rows = timed.state_graph();
        let turns: &[bool] = if self.actions.has_turns() { &[false, true] } else { &[false] };
        let all = |is: fn(&[u8], bool) -> bool, turn: bool| {
            (0..rows.states()).map(|state| is(&rows.state(state), turn)).collect()
        };
        Some(turns.iter().map(|turn| (all(Actions::begins, *turn), all(Actions::ends, *turn))).collect())
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
