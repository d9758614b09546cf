//! Answers the questions of a study about a LOTOS model.

use narrows_explicit::Budget;
use narrows_lts::mu::{Checker, Run};
use narrows_lts::{Graph, LabelPattern, linear};
use narrows_model::behaviour::Behaviour;
use narrows_model::{Figure, FigureResult};
use narrows_performance::labelled::{Paced, Throughput, Unbuilt, build, replay};
use narrows_performance::markov::{Accuracy, Interval};

use super::solve::set;
use super::stochastic::reciprocal;
use super::{Measured, Size, blank, expect};
use crate::labelled::{Formula, Labelled};
use crate::{Ask, Question, Study, Text, View};

/// How wide an interval may be.
const ACCURACY: Accuracy = Accuracy { relative: 1e-6, sweeps: 100_000 };

/// Answers all questions of a study about a LOTOS model.
pub fn measure_labelled(study: &Study, model: &Labelled, budget: &Budget<'_>) -> Measured {
    let before = budget.watch.seconds();
    let built = build(&model.behaviour, budget);
    let graph = match &built {
        Ok(built) => &built.graph,
        Err(unbuilt) => {
            let result = match unbuilt {
                Unbuilt::Limit(limit) => FigureResult::Undecided(*limit),
                Unbuilt::Fault(fault) => FigureResult::None(format!(
                    "The model goes wrong ({}), so that there is nothing to measure.",
                    Behaviour::fault_text(fault)
                )),
            };
            return Measured { figures: all(study, |_| result.clone()), sizes: Vec::new() };
        }
    };
    let mut sizes = Vec::new();
    let needs_time = study.asks.iter().any(|ask| !matches!(ask.question, Question::Mu(_) | Question::Ltl(_)));
    let means = if needs_time { Some(means(model, graph, &mut sizes)) } else { None };
    let (states, transitions) = (graph.states().to_string(), Some(graph.edges().len() as u64));
    let seconds = budget.watch.seconds() - before;
    let minimised = sizes.pop();
    let view = if needs_time { View::Stochastic } else { View::Untimed };
    let sizes = vec![Size { view: view.name(), states, transitions, minimised, seconds }];
    let checker = Checker::new(graph);
    let mut figures = Vec::new();
    for (number, ask) in study.asks.iter().enumerate() {
        let formula = model.formulas.iter().find(|(index, _)| *index == number).map(|(_, formula)| formula);
        let mut figure = match (formula, &means) {
            (Some(formula), _) => check(ask, formula, graph, &checker, model),
            (None, Some(Ok(means))) => mean(study, ask, model, means),
            (None, Some(Err(reason))) => {
                let mut figure = blank(ask, View::Stochastic);
                figure.result = FigureResult::None(reason.clone());
                figure
            }
            (None, None) => blank(ask, View::Untimed),
        };
        ask.name.clone_into(&mut figure.name);
        expect::finish(&mut figure, ask, study);
        figures.push(figure);
    }
    Measured { figures, sizes }
}

fn all(study: &Study, result: impl Fn(&Ask) -> FigureResult) -> Vec<Figure> {
    let figure = |ask: &Ask| {
        let mut figure = blank(ask, View::Stochastic);
        figure.result = result(ask);
        ask.name.clone_into(&mut figure.name);
        expect::finish(&mut figure, ask, study);
        figure
    };
    study.asks.iter().map(figure).collect()
}

/// Finds out how often everything that is counted happens; the error is a sentence.
fn means(model: &Labelled, graph: &Graph, sizes: &mut Vec<u64>) -> Result<Vec<Throughput>, String> {
    check_delays(model, graph)?;
    let paced =
        Paced::new(graph, &model.tempo).map_err(|trouble| format!("There is no Markov chain: {trouble}."))?;
    sizes.push(u64::from(paced.size().0));
    paced.throughputs(ACCURACY).map_err(|trouble| format!("There is no Markov chain: {trouble}."))
}

/// Finds delays for gates that are never used, and actions that were forgotten: where some actions at a gate take time, all
/// have to be named.
fn check_delays(model: &Labelled, graph: &Graph) -> Result<(), String> {
    for (pattern, text) in &model.delays {
        if !graph.labels().iter().any(|label| pattern.is_about(label)) {
            return Err(format!(
                "No label is about the gate of the delay `{text}`; `narrows explore` lists the labels there are."
            ));
        }
    }
    let is_forgotten = |label: &&String| {
        let is_about = |(pattern, _): &(LabelPattern, String)| pattern.is_about(label);
        let fits = |(pattern, _): &(LabelPattern, String)| pattern.fits(label);
        model.delays.iter().any(is_about) && !model.delays.iter().any(fits)
    };
    match graph.labels().iter().find(is_forgotten) {
        None => Ok(()),
        Some(label) => Err(format!(
            "`{label}` has no delay, though other actions at its gate have; give it one, which may be `fixed = 0`."
        )),
    }
}

fn mean(study: &Study, ask: &Ask, model: &Labelled, means: &[Throughput]) -> Figure {
    let mut figure = blank(ask, View::Stochastic);
    let of = |text: &Text| model.events.iter().position(|name| *name == text.text).map(|index| means[index]);
    let span = |found: Throughput| match found.open {
        Some((least, greatest)) => Interval { low: least.low, high: greatest.high },
        None => found.uniform,
    };
    let mut note = |found: Throughput, of: &dyn Fn(Interval) -> Interval| {
        if found.open.is_some() {
            let even = of(found.uniform);
            let middle = f64::midpoint(even.low, even.high);
            figure.notes.push(format!(
                "Choices are left open: the least and the greatest over all of them. If they are equally likely, it is {middle:.6e}."
            ));
        }
    };
    match &ask.question {
        Question::Throughput(what) => {
            if let Some(found) = of(what) {
                note(found, &|one| one);
                set(&Ok(span(found)), &mut figure);
            }
            figure.unit = format!("1/{}", study.unit);
        }
        Question::MeanPeriod(what) => {
            if let Some(found) = of(what) {
                note(found, &reciprocal);
                set(&Ok(reciprocal(span(found))), &mut figure);
            }
            study.unit.clone_into(&mut figure.unit);
        }
        Question::MeanCount(what, per) => {
            if let (Some(what), Some(per)) = (of(what), of(per)) {
                let (what, per) = (span(what), span(per));
                if per.high <= 0.0 {
                    let reason = "What it is counted for never happens in the long run.";
                    figure.result = FigureResult::None(reason.to_owned());
                } else {
                    let high = if per.low > 0.0 { what.high / per.low } else { f64::INFINITY };
                    set(&Ok(Interval { low: what.low / per.high, high }), &mut figure);
                }
            }
        }
        _ => {}
    }
    figure
}

fn check(ask: &Ask, formula: &Formula, graph: &Graph, checker: &Checker<'_>, model: &Labelled) -> Figure {
    let mut figure = blank(ask, View::Untimed);
    let found: Result<(bool, Option<Run>), String> = match formula {
        Formula::Mu(formula) => checker
            .check(formula)
            .map(|answer| (answer.holds(), answer.run()))
            .map_err(|error| error.to_string()),
        Formula::Linear(formula) => linear::counterexample(formula, graph).map(|run| (run.is_none(), run)),
    };
    match found {
        Ok((holds, run)) => {
            figure.result = FigureResult::Word(if holds { "holds" } else { "fails" }.to_owned());
            let Some(run) = run else { return figure };
            if replay(&model.behaviour, graph, &run.steps).is_none() {
                figure.result = FigureResult::None("internal error: a run can't be replayed".to_owned());
            } else if !holds {
                let labels = run.steps.iter().take(MOST).map(|(label, _)| graph.label(*label));
                let more = if run.steps.len() > MOST { " …" } else { "" };
                let labels = labels.collect::<Vec<_>>().join("; ");
                figure.notes.push(format!("A run that shows it: {labels}{more}."));
            }
        }
        Err(reason) => figure.result = FigureResult::None(reason),
    }
    figure
}

/// So many steps of a run are told.
const MOST: usize = 40;
