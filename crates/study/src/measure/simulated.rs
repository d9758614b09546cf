//! Estimates from a random run: a check of what is computed.

use narrows_explicit::{Budget, Engine};
use narrows_model::{Expr, FigureResult, Number};
use narrows_performance::actions::{Actions, Condition};
use narrows_performance::simulation::{self, Batch, Draw};
use narrows_performance::{BuildError, StateGraph};

use super::actions::{Actual, Known};
use super::labelled::graph_of;
use super::trouble::{Failure, result_of};
use super::{Measured, blank, new_figure};
use crate::{Labelled, Prepared, Question, Study, Text, View};

/// A run has so many parts; how much they differ tells how far the estimate may be off.
const PARTS: usize = 30;

/// Within so many standard errors lies the mean, for 99 in 100 runs of as many parts (Student's t).
const ERRORS: f64 = 2.756;

/// Estimates the answers to those questions of a study that are about means, by a random run in which so many
/// delays end. With exact delays, `view` is the timed one.
pub fn simulate(
    study: &Study,
    prepared: &Prepared,
    engine: &Engine<'_>,
    budget: &Budget,
    view: View,
    ends: u64,
    seed: u64,
) -> Measured {
    let busy = |text: &Text| -> Option<&Expr> {
        let resource = study.resources.iter().find(|(name, _)| name.text == text.text);
        prepared.predicate(resource.map_or(text, |(_, text)| text))
    };
    let predicates: Vec<&Expr> = study
        .asks
        .iter()
        .filter_map(|ask| match &ask.question {
            Question::Utilisation(what) => busy(what),
            _ => None,
        })
        .collect();
    let parts = run(prepared, engine, budget, view, ends, seed, &predicates);
    let parts = parts.map_err(|trouble| Box::new(result_of(&trouble, engine.evaluator())));
    estimates(study, view, &parts, &|event| prepared.event(event))
}

/// Estimates the same for a study of a labelled model. The conditions of `utilisation` are observed along the
/// run.
pub fn simulate_labelled(
    study: &Study,
    model: &Labelled,
    budget: &Budget,
    view: View,
    ends: u64,
    seed: u64,
) -> Measured {
    match graph_of(study, model, budget) {
        Ok(graph) => {
            let actual = Actual { study, model, graph: &graph, budget: budget.clone() };
            let parts = actual.random_run(view, ends, seed);
            estimates(study, view, &parts, &|event| model.event(event))
        }
        Err(nothing) => nothing,
    }
}

impl Actual<'_> {
    fn random_run(&self, view: View, ends: u64, seed: u64) -> Result<Vec<Batch>, Failure> {
        let conditions: Vec<Condition> = self
            .study
            .asks
            .iter()
            .filter(|ask| is_mean(&ask.question))
            .filter_map(|ask| self.condition(&ask.question))
            .collect();
        let none = |reason: String| Box::new((FigureResult::None(reason), None));
        let timing = self.timing(view, &self.model.named_events()).map_err(none)?;
        let actions = Actions::new(self.graph).observing(&conditions);
        let mut holds =
            |rows: &StateGraph<'_>, state: u32, number: usize| actions.holds(number, &rows.state(state));
        let rows = StateGraph::new(&actions, None, &timing, self.budget.clone());
        let parts = rows.and_then(|mut rows| {
            go(&mut rows, view, ends, seed, conditions.len(), &mut holds, &mut |_, _, _| 1.0)
        });
        parts.map_err(|trouble| {
            let mut figure = new_figure("", String::new(), view.name());
            Known { asked: self, actions: &actions }.say(&trouble, &mut figure);
            Box::new((figure.result, figure.witnesses.pop()))
        })
    }
}

/// Says what the parts of a random run come to, given the numbers of events.
fn estimates(
    study: &Study,
    view: View,
    parts: &Result<Vec<Batch>, Failure>,
    event: &dyn Fn(&Text) -> Option<u16>,
) -> Measured {
    let mut measured = Measured::default();
    let mut predicate = 0;
    for ask in study.asks.iter().filter(|ask| is_mean(&ask.question)) {
        let mut figure = blank(ask, view);
        figure.result =
            FigureResult::None("The run came to an end before there was enough to count.".to_owned());
        match parts {
            Err(failure) => {
                figure.result = failure.0.clone();
                figure.witnesses.extend(failure.1.clone());
            }
            Ok(parts) => {
                let count = |part: &Batch, what: &Text| {
                    event(what).map_or(0.0, |event| part.counts[usize::from(event)] as f64)
                };
                let ratios: Vec<(f64, f64)> = match &ask.question {
                    Question::Throughput(event) => {
                        figure.unit = format!("1/{}", study.unit);
                        parts.iter().map(|part| (count(part, event), part.time)).collect()
                    }
                    Question::MeanPeriod(event) => {
                        study.unit.clone_into(&mut figure.unit);
                        parts.iter().map(|part| (part.time, count(part, event))).collect()
                    }
                    Question::MeanCount(of, per) => {
                        parts.iter().map(|part| (count(part, of), count(part, per))).collect()
                    }
                    _ => {
                        let number = predicate;
                        predicate += 1;
                        parts.iter().map(|part| (part.held[number], part.time)).collect()
                    }
                };
                if let Some((low, high)) = estimate(&ratios) {
                    figure.result = FigureResult::Value {
                        low: Number::Float(low),
                        high: Number::Float(high),
                        exact: false,
                    };
                }
            }
        }
        measured.figures.push(figure);
    }
    measured
}

fn is_mean(question: &Question) -> bool {
    matches!(
        question,
        Question::Throughput(_)
            | Question::MeanPeriod(_)
            | Question::MeanCount(..)
            | Question::Utilisation(_)
    )
}

fn run(
    prepared: &Prepared,
    engine: &Engine<'_>,
    budget: &Budget,
    view: View,
    ends: u64,
    seed: u64,
    predicates: &[&Expr],
) -> Result<Vec<Batch>, BuildError> {
    let evaluator = engine.evaluator();
    let mut rows = StateGraph::new(engine, Some(&prepared.system), &prepared.timing, budget.clone())?;
    let mut holds = |rows: &StateGraph<'_>, state: u32, number: usize| {
        evaluator.holds(predicates[number], &rows.state(state)).unwrap_or(false)
    };
    let mut speed = |rows: &StateGraph<'_>, state: u32, delay: u16| {
        let Some((times, over)) = &prepared.timing.delays()[usize::from(delay)].speed else { return 1.0 };
        let mut seen = evaluator.observe(&rows.state(state));
        let times = f64::from(seen.value(times).unwrap_or(0));
        let over = over.as_ref().map_or(1.0, |over| f64::from(seen.value(over).unwrap_or(0)));
        if times > 0.0 && over > 0.0 { times / over } else { 0.0 }
    };
    go(&mut rows, view, ends, seed, predicates.len(), &mut holds, &mut speed)
}

/// Runs until so many delays have ended, in parts.
fn go(
    rows: &mut StateGraph<'_>,
    view: View,
    ends: u64,
    seed: u64,
    predicates: usize,
    holds: &mut dyn FnMut(&StateGraph<'_>, u32, usize) -> bool,
    speed: &mut dyn FnMut(&StateGraph<'_>, u32, u16) -> f64,
) -> Result<Vec<Batch>, BuildError> {
    let draw = if view == View::Stochastic { Draw::Random } else { Draw::AsGiven };
    let ends = (ends / PARTS as u64).max(1);
    simulation::simulate(rows, draw, seed, PARTS, ends, predicates, holds, speed)
}

/// Estimates the ratio of two sums, and how far it may be off; `None` if there are too few parts.
fn estimate(ratios: &[(f64, f64)]) -> Option<(f64, f64)> {
    // What happens at first depends on where it begins.
    let parts = ratios.get(1..)?;
    if parts.len() + 1 < PARTS {
        return None;
    }
    let count = parts.len() as f64;
    let (above, below) = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let ratio = above / below;
    let mean = below / count;
    let variance: f64 =
        parts.iter().map(|part| (part.0 - ratio * part.1).powi(2)).sum::<f64>() / (count - 1.0);
    let off = ERRORS * (variance / count).sqrt() / mean;
    ratio.is_finite().then_some((ratio - off, ratio + off))
}
