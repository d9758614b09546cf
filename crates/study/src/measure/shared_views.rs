//! Views of a labelled model that several questions share.
//!
//! What a state does not tell by itself, and requests that are told apart by values, get views of their own.

use std::cell::OnceCell;

use narrows_lts::Graph;
use narrows_model::{Figure, FigureResult, FormKind, Refusal};
use narrows_performance::actions::{Actions, Condition};
use narrows_performance::requests::Change;
use narrows_performance::stochastic::{self, Stochastic};
use narrows_performance::{BuildError, StateGraph, Timing};

use super::actions::{Actual, Frame, Known, add_size};
use super::blank;
use super::exact::Exact;
use super::labelled::LabelledBench;
use super::latency::Followed;
use super::observed::fill_mean;
use super::solve::{Solvable, no_chain};
use super::stochastic::undecided_if_cut;
use super::together::{RequestsTogether, ends_of};
use crate::conditions::meant;
use crate::labelled::LabelledStudy;
use crate::{Ask, Latency, Question, Study, View};

/// What views are built from that several questions share.
pub(super) struct SharedSpace<'g> {
    /// The graph, with nothing beside it.
    plain: Actions<'g>,
    /// The graph, with conditions that a state tells by itself.
    seen: Actions<'g>,
    conditions: Vec<Condition>,
    /// Delays and events, in the untimed, the timed and the stochastic view.
    timings: [OnceCell<Result<Timing, Refusal>>; 3],
    /// Delays alone.
    delays: OnceCell<Result<Timing, Refusal>>,
    together: OnceCell<Result<RequestsTogether, Refusal>>,
}

/// The views that were built so far.
#[derive(Default)]
pub(super) struct SharedViews<'a> {
    exact: Vec<(View, Exact<'a>)>,
    /// The stochastic view in which nothing is counted.
    seen: Option<Solvable<'a>>,
    /// The stochastic view in which requests are followed.
    followed: Option<Stochastic<'a>>,
}

impl<'g> SharedSpace<'g> {
    pub(super) fn new(study: &Study, model: &LabelledStudy, graph: &'g Graph) -> SharedSpace<'g> {
        let asked = study.asks.iter().filter_map(|ask| match &ask.question {
            Question::Utilisation(what) | Question::Transient(what, _) => Some(what),
            _ => None,
        });
        let mut conditions: Vec<Condition> = Vec::new();
        for what in study.resources.iter().map(|(name, _)| name).chain(asked) {
            let found = model.conditions.get(meant(study, what));
            let is_seen =
                |one: &&Condition| matches!(one, Condition::Possible(_)) && !conditions.contains(one);
            conditions.extend(found.filter(is_seen).cloned());
        }
        let plain = Actions::new(graph);
        let seen = plain.clone().observing(&conditions);
        let timings = [const { OnceCell::new() }; 3];
        let (delays, together) = (OnceCell::new(), OnceCell::new());
        SharedSpace { plain, seen, conditions, timings, delays, together }
    }

    fn timing(&self, asked: &Actual<'_>, view: View) -> Result<&Timing, &Refusal> {
        let place = match view {
            View::Untimed => 0,
            View::Timed => 1,
            View::Stochastic | View::Simulated => 2,
        };
        self.timings[place].get_or_init(|| asked.timing(view, &asked.model.named_events())).as_ref()
    }

    fn together(&self, asked: &Actual<'_>) -> Result<&RequestsTogether, &Refusal> {
        let find = || {
            let timing = asked.timing(View::Stochastic, &asked.model.named_events())?;
            let event = |text: &_| asked.model.event(text);
            Ok(RequestsTogether::new(asked.study, FormKind::Labelled, timing, &event).alone())
        };
        self.together.get_or_init(find).as_ref()
    }
}

impl LabelledBench<'_> {
    /// Answers a question about runs, in a view that is shared with others if it can be.
    pub(super) fn exact(&mut self, ask: &Ask, view: View) -> Figure {
        let asked = self.actual();
        let is_by_value = matches!(&ask.question, Question::Latency(latency) if latency.by.is_some());
        if is_by_value || asked.condition(&ask.question).is_some() {
            return asked.answer(ask, view, &mut self.observed);
        }
        let space = self.space;
        let timing = match space.timing(&asked, view) {
            Ok(timing) => timing,
            Err(refusal) => return Figure { result: refusal.clone().into(), ..blank(ask, view) },
        };
        let kinds = match &ask.question {
            Question::Latency(latency) => vec![asked.kind(latency)],
            _ => Vec::new(),
        };
        let frame = Frame { actions: &space.plain, timing, kinds };
        let known = self.views.exact.iter().position(|(known, _)| *known == view);
        let place = match known {
            Some(place) => place,
            None => match asked.exact(&frame, view) {
                Ok(exact) => {
                    self.views.exact.push((view, exact));
                    self.views.exact.len() - 1
                }
                Err(error) => return asked.not_built(ask, view, &frame, error),
            },
        };
        asked.told(ask, view, &frame, &self.views.exact[place].1, &mut self.observed)
    }

    /// Answers how long or how likely a condition holds.
    pub(super) fn share_of_time(&mut self, ask: &Ask) -> Figure {
        let asked = self.actual();
        let space = self.space;
        let condition = asked.condition(&ask.question);
        let place = space.conditions.iter().position(|known| Some(known) == condition.as_ref());
        let Some(place) = place else { return asked.mean(ask, &mut self.observed) };
        let mut figure = blank(ask, View::Stochastic);
        // What is not asked about may happen again and again while the model waits.
        let timing = match space.delays.get_or_init(|| asked.timing(View::Stochastic, &[])) {
            Ok(timing) => timing,
            Err(refusal) => return Figure { result: refusal.clone().into(), ..figure },
        };
        if self.views.seen.is_none() {
            let rows = StateGraph::new(&space.seen, None, timing, asked.budget.clone());
            let view = match rows.and_then(stochastic::build) {
                Ok(view) => view,
                Err(error) => {
                    Known { asked: &asked, actions: &space.seen }.say(&error, &mut figure);
                    return figure;
                }
            };
            match Solvable::new(view, &asked.budget.watch) {
                Ok(solvable) => self.views.seen = Some(solvable),
                Err(wrong) => figure.result = no_chain(&wrong),
            }
        }
        let Some(solvable) = &self.views.seen else { return figure };
        fill_mean((&space.seen, place), solvable, &ask.question, &mut figure);
        undecided_if_cut(solvable, &mut figure);
        let view = &solvable.view;
        let states = u64::from(view.tangible_states()) + u64::from(view.decisions());
        let size = (states, view.transition_count());
        add_size(&mut self.observed, View::Stochastic, size, solvable.minimised());
        figure
    }

    /// Says how long requests take, in a view that is shared with other questions if it can be.
    pub(super) fn latency(&mut self, ask: &Ask, latency: &Latency) -> Vec<Figure> {
        let shared = self.latency_together(ask, latency);
        shared.unwrap_or_else(|| self.actual().latency(ask, latency, &mut self.observed))
    }

    fn latency_together(&mut self, ask: &Ask, latency: &Latency) -> Option<Vec<Figure>> {
        let asked = self.actual();
        let ends = ends_of(latency)?;
        let space = self.space;
        let RequestsTogether { timing, kinds } = space.together(&asked).ok()?;
        let place = kinds.iter().position(|(known, _)| *known == ends).filter(|_| kinds.len() > 1)?;
        if self.views.followed.is_none() {
            let events: Vec<_> = kinds.iter().map(|(_, kind)| *kind).collect();
            let rows = StateGraph::new(&space.plain, None, timing, asked.budget.clone());
            match rows.and_then(|rows| stochastic::build_ordered(rows, &events)) {
                Ok(view) => self.views.followed = Some(view),
                // A view of its own would be as large.
                Err(BuildError::Limit(limit)) => {
                    let result = FigureResult::Undecided(limit);
                    return Some(vec![Figure { result, ..blank(ask, View::Stochastic) }]);
                }
                Err(_) => return None,
            }
        }
        // Choices that differ in nothing but what they count are open choices.
        let view = self.views.followed.as_ref().filter(|view| view.decisions() == 0)?;
        add_size(
            &mut self.observed,
            View::Stochastic,
            (view.tangible_states().into(), view.transition_count()),
            None,
        );
        let (unit, watch) = (&self.study.unit, &*asked.budget.watch);
        let (kinds, first_kind, initially) = (&[kinds[place].1][..], place as u32, Change::default());
        Some(Followed { ask, latency, unit, view, kinds, first_kind, initially, watch }.figures())
    }
}
