//! Answers the questions of a study about a LOTOS model.

use narrows_explicit::Budget;
use narrows_lts::mu::{Checker, Run};
use narrows_lts::{Graph, LabelPattern, deadlocks, linear};
use narrows_model::behaviour::Behaviour;
use narrows_model::{Figure, FigureResult, Flow};
use narrows_performance::actions::ambiguous;
use narrows_performance::busy_waiting::{LabelKind, without_busy_waiting};
use narrows_performance::graphs::AutomatonError;
use narrows_performance::labelled::{
    ActionRates, GraphError, Labelled as Built, RatedGraph, Throughput, build, replay,
};
use narrows_performance::markov::{Accuracy, Interval};
use narrows_performance::stages::{Stages, spread};

use super::actions::{Actual, Sizes, two_clocks};
use super::solve::set;
use super::stochastic::{NO_MEAN, reciprocal};
use super::{Measured, Size, blank, expect, views};
use crate::labelled::{Delayed, Formula, Labelled, rate_of};
use crate::{Ask, Question, Study, Text, View};

/// How wide an interval may be.
const ACCURACY: Accuracy = Accuracy { relative: 1e-6, sweeps: 100_000 };

/// Answers all questions of a study about a LOTOS model.
pub fn measure_labelled(study: &Study, model: &Labelled, budget: &Budget<'_>) -> Measured {
    on_graph(study, model, budget, |mut bench| bench.answer_all()).unwrap_or_else(|nothing| nothing)
}

/// Does something with the graph of all states. If there is none, no question has an answer, and the error says why.
pub(crate) fn on_graph<T>(
    study: &Study,
    model: &Labelled,
    budget: &Budget<'_>,
    work: impl FnOnce(Bench<'_>) -> T,
) -> Result<T, Measured> {
    let begun = budget.watch.seconds();
    let result = match build(&*model.system, budget) {
        Ok(Built { graph, .. }) => {
            let (means, exact, flows) = (None, Sizes::new(), Vec::new());
            return Ok(work(Bench {
                study,
                model,
                graph: &graph,
                budget: *budget,
                begun,
                means,
                exact,
                flows,
            }));
        }
        Err(GraphError::Limit(limit)) => FigureResult::Undecided(limit),
        Err(GraphError::Fault(fault)) => FigureResult::None(format!(
            "The model goes wrong ({}), so that there is nothing to measure.",
            Behaviour::fault_text(&fault)
        )),
    };
    Err(Measured { figures: all(study, |_| result.clone()), sizes: Vec::new() })
}

/// Says which gates are asked about and never used: they may be written in another way.
fn unknown_gates(ask: &Ask, number: usize, model: &Labelled, graph: &Graph) -> Vec<String> {
    let named = |text: &Text| {
        let place = model.events.iter().position(|name| *name == text.text);
        place.map_or(&[][..], |place| &model.counted[place])
    };
    let mut patterns: Vec<&LabelPattern> = match &ask.question {
        Question::Throughput(what) | Question::MeanPeriod(what) | Question::Bottleneck(what) => {
            named(what).iter().collect()
        }
        Question::MeanCount(of, per) => named(of).iter().chain(named(per)).collect(),
        Question::MinCount(of, ..) | Question::MaxCount(of, ..) | Question::Count(of, ..) => {
            named(of).iter().collect()
        }
        _ => Vec::new(),
    };
    if let Some((_, (from, to))) = model.ways.iter().find(|(index, _)| *index == number) {
        patterns.extend([from, to]);
    }
    patterns.retain(|pattern| !graph.labels().iter().any(|label| pattern.is_about(label)));
    let note = |pattern: &LabelPattern| {
        format!("No label is about the gate of `{pattern}`; `narrows explore` lists the labels there are.")
    };
    patterns.into_iter().map(note).collect()
}

/// A study with the graph of its model, and what is known of it so far.
pub(crate) struct Bench<'a> {
    pub(crate) study: &'a Study,
    pub(crate) model: &'a Labelled,
    graph: &'a Graph,
    budget: Budget<'a>,
    /// When the graph was begun.
    begun: f64,
    means: Option<Means>,
    /// How large the views are in which runs are exact.
    exact: Sizes,
    /// The events that were looked at.
    pub(crate) flows: Vec<Flow>,
}

/// How often everything that is counted happens.
struct Means {
    /// The error is a sentence, or a limit.
    found: Result<Vec<Throughput>, FigureResult>,
    /// How many states and edges there were with all stages of delays, and how many states after minimisation.
    size: Option<(u32, usize, u32)>,
}

impl Bench<'_> {
    /// Answers all questions.
    pub(crate) fn answer_all(&mut self) -> Measured {
        let Bench { study, model, graph, .. } = *self;
        let checker = Checker::new(graph);
        let mut figures = Vec::new();
        for (number, ask) in study.asks.iter().enumerate() {
            let formula =
                model.formulas.iter().find(|(index, _)| *index == number).map(|(_, formula)| formula);
            let found = match (formula, &ask.question) {
                (Some(formula), _) => vec![check(ask, formula, graph, &checker, model)],
                (None, Question::Deadlock) => vec![deadlock(ask, graph, model)],
                (None, Question::Bottleneck(event)) => vec![self.name_bottleneck(ask, event)],
                (None, question) => {
                    let views = views(study, ask.view, question);
                    views.into_iter().map(|view| self.answer(ask, number, view)).collect()
                }
            };
            for mut figure in found {
                figure.notes.extend(unknown_gates(ask, number, model, graph));
                ask.name.clone_into(&mut figure.name);
                expect::finish(&mut figure, ask, study);
                figures.push(figure);
            }
        }
        Measured { figures, sizes: self.sizes(self.budget.watch.seconds() - self.begun) }
    }

    /// Answers a question in a view. Its number is where ways were noted for it.
    pub(crate) fn answer(&mut self, ask: &Ask, number: usize, view: View) -> Figure {
        match view {
            View::Stochastic => self.mean(ask),
            View::Timed | View::Untimed => self.exact(ask, number, view),
        }
    }

    /// Returns how often an event would happen on average with other delays; `None` if that is not known.
    pub(crate) fn throughput_with(&self, delays: &[Delayed], event: &str) -> Option<f64> {
        let place = self.model.events.iter().position(|name| name == event)?;
        let found = means(self.model, delays, self.graph, &self.budget).found.ok()?;
        let found = found.get(place).filter(|found| found.open.is_none())?;
        Some(f64::midpoint(found.uniform.low, found.uniform.high))
    }

    fn exact(&mut self, ask: &Ask, number: usize, view: View) -> Figure {
        let way = self.model.ways.iter().find(|(index, _)| *index == number).map(|(_, way)| way);
        let asked = Actual { study: self.study, model: self.model, graph: self.graph, budget: self.budget };
        asked.answer(ask, way, view, &mut self.exact)
    }

    fn mean(&mut self, ask: &Ask) -> Figure {
        let means =
            self.means.get_or_insert_with(|| means(self.model, &self.model.delays, self.graph, &self.budget));
        match &means.found {
            Ok(found) => mean(self.study, ask, self.model, found),
            Err(result) => {
                let mut figure = blank(ask, View::Stochastic);
                figure.result = result.clone();
                figure
            }
        }
    }

    /// Returns how large the views are that were built; that of the graph itself if there is no other.
    fn sizes(&self, seconds: f64) -> Vec<Size> {
        let (states, edges) = (u64::from(self.graph.states()), self.graph.edges().len() as u64);
        let size = |view: View, states: u64, edges: u64, minimised: Option<u32>| Size {
            view: view.name(),
            states: states.to_string(),
            transitions: Some(edges),
            minimised: minimised.map(u64::from),
            seconds,
        };
        let mut sizes: Vec<Size> = Vec::new();
        for (view, nodes, edges) in &self.exact {
            sizes.push(size(*view, *nodes, *edges, None));
        }
        if let Some((states, edges, left)) = self.means.as_ref().and_then(|means| means.size) {
            sizes.push(size(View::Stochastic, u64::from(states), edges as u64, Some(left)));
        }
        if sizes.is_empty() {
            let view = if self.means.is_some() { View::Stochastic } else { View::Untimed };
            sizes.push(size(view, states, edges, None));
        }
        sizes
    }
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

/// Finds out how often everything that is counted happens.
fn means(model: &Labelled, delays: &[Delayed], graph: &Graph, budget: &Budget<'_>) -> Means {
    let rate = |one: &Delayed| (one.pattern.clone(), rate_of(&one.delay).map(|(_, rate)| rate));
    let tempo = ActionRates { rates: delays.iter().map(rate).collect(), events: model.counted.clone() };
    let mut size = None;
    let found = check_delays(delays, graph).map_err(FigureResult::None).and_then(|()| {
        let none =
            |trouble: AutomatonError| FigureResult::None(format!("There is no Markov chain: {trouble}."));
        let settled = without_busy_waiting(graph, &kinds(model, delays, graph)).map_err(none)?;
        let graph = settled.as_ref().unwrap_or(graph);
        let staged = with_stages(delays, graph, budget)?;
        let graph = staged.as_ref().unwrap_or(graph);
        let paced = RatedGraph::new(graph, &tempo).map_err(none)?;
        size = Some((paced.before.0, paced.before.1, paced.size().0));
        paced.throughputs(ACCURACY).map_err(none)
    });
    Means { found, size }
}

/// Says which labels take no time, and which are counted.
fn kinds(model: &Labelled, delays: &[Delayed], graph: &Graph) -> Vec<LabelKind> {
    let kind = |label: &String| {
        let delay = delays.iter().find(|delay| delay.pattern.fits(label));
        let is_now = delay.is_none_or(|delay| rate_of(&delay.delay).is_none());
        let is_counted = model.counted.iter().flatten().any(|pattern| pattern.fits(label));
        LabelKind { is_now, is_counted }
    };
    graph.labels().iter().map(kind).collect()
}

/// Returns the graph with the stages of delays that have several; `None` if there are none.
fn with_stages(
    delays: &[Delayed],
    graph: &Graph,
    budget: &Budget<'_>,
) -> Result<Option<Graph>, FigureResult> {
    let stages_of = |label: &String| {
        let delay = delays.iter().find(|delay| delay.pattern.fits(label));
        let stages = delay.and_then(|delay| rate_of(&delay.delay));
        stages.map_or(Stages::None, |(count, rate)| Stages::Some(count, rate))
    };
    let stages: Vec<Stages> = graph.labels().iter().map(stages_of).collect();
    let has_several = |label: u32| matches!(stages[label as usize], Stages::Some(count, _) if count > 1);
    if !(0..stages.len() as u32).any(has_several) {
        return Ok(None);
    }
    let is_now = |label: u32| stages[label as usize] == Stages::None;
    if let Some(label) = ambiguous(graph, is_now, has_several) {
        return Err(FigureResult::None(two_clocks(label)));
    }
    spread(graph, &stages, budget).map(Some).map_err(FigureResult::Undecided)
}

/// Finds delays for gates that are never used, and actions that were forgotten: where some actions at a gate take time, all
/// have to be named.
pub(super) fn check_delays(delays: &[Delayed], graph: &Graph) -> Result<(), String> {
    for Delayed { pattern, text, .. } in delays {
        if !graph.labels().iter().any(|label| pattern.is_about(label)) {
            return Err(format!(
                "No label is about the gate of the delay `{text}`; `narrows explore` lists the labels there are."
            ));
        }
    }
    let is_forgotten = |label: &&String| {
        let is_about = |delay: &Delayed| delay.pattern.is_about(label);
        let fits = |delay: &Delayed| delay.pattern.fits(label);
        delays.iter().any(is_about) && !delays.iter().any(fits)
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
        _ => figure.result = FigureResult::None(NO_MEAN.to_owned()),
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
        Formula::Linear(formula) => linear::counterexample(formula, graph)
            .map(|run| (run.is_none(), run))
            .map_err(|error| error.to_string()),
    };
    match found {
        Ok((holds, run)) => tell(&mut figure, holds, run.as_ref(), graph, model),
        Err(reason) => figure.result = FigureResult::None(reason),
    }
    figure
}

/// Says whether no run stops where it should not.
fn deadlock(ask: &Ask, graph: &Graph, model: &Labelled) -> Figure {
    let mut figure = blank(ask, View::Untimed);
    let run = deadlocks(graph, 1).pop();
    tell(&mut figure, run.is_none(), run.as_ref(), graph, model);
    figure
}

/// Says whether something holds, with a run that is followed in the model itself.
fn tell(figure: &mut Figure, holds: bool, run: Option<&Run>, graph: &Graph, model: &Labelled) {
    figure.result = FigureResult::Word(if holds { "holds" } else { "fails" }.to_owned());
    let Some(run) = run else { return };
    if replay(&*model.system, graph, &run.steps).is_none() {
        figure.result = FigureResult::None("internal error: a run can't be replayed".to_owned());
    } else if !holds {
        let labels = run.steps.iter().take(MAX_TOLD_STEPS).map(|(label, _)| graph.label(*label));
        let more = if run.steps.len() > MAX_TOLD_STEPS { " …" } else { "" };
        let labels = labels.collect::<Vec<_>>().join("; ");
        figure.notes.push(format!("A run that shows it: {labels}{more}."));
    }
}

/// So many steps of a run are told.
const MAX_TOLD_STEPS: usize = 40;
