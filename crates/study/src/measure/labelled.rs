//! Answers the questions of a study about a LOTOS model.

use std::sync::OnceLock;

use narrows_explicit::{Budget, Progress};
use narrows_lts::edit::{Choice, hide};
use narrows_lts::{Evidence, Graph, LabelPattern, Settings, Verdict, compare};
use narrows_model::behaviour::Behaviour;
use narrows_model::{
    Bottleneck, Checked, Figure, FigureResult, Flow, FormKind, Limit, Refusal, RunStep, ViewSize,
};
use narrows_performance::actions::ambiguous;
use narrows_performance::busy_waiting::{LabelKind, without_busy_waiting};
use narrows_performance::graphs::AutomatonError;
use narrows_performance::labelled::{ActionRates, BuiltGraph, GraphError, RatedGraph, build};
use narrows_performance::markov::{Accuracy, Interval, OverSchedulers};
use narrows_performance::stages::{Stages, spread};

use super::actions::{Actual, Sizes, add_size, two_clocks};
use super::observed::Together;
use super::shared_views::{SharedSpace, SharedViews};
use super::simulated::{Estimation, estimate_labelled};
use super::solve::{range_of, set, told};
use super::stochastic::reciprocal;
use super::{Bench, Measured, blank, expect, new_figure};
use crate::conditions::meant;
use crate::labelled::{Delayed, LabelledStudy, rate_of};
use crate::verdicts::{Asker, Verdicts};
use crate::{Ask, Equivalence, Latency, Question, Study, Text, View};

/// How wide an interval may be.
const ACCURACY: Accuracy<'static> = Accuracy::relative(1e-6);

/// Answers a study that asks for nothing but verdicts; `None` if it asks for more.
pub(crate) fn of_verdicts(
    study: &Study,
    model: &LabelledStudy,
    budget: &Budget,
    verdicts: &dyn Verdicts,
) -> Option<Measured> {
    let is_asked = |number: usize| model.asked.iter().any(|(index, _)| *index == number);
    if study.asks.is_empty() || !(0..study.asks.len()).all(is_asked) {
        return None;
    }
    let begun = budget.watch.seconds();
    let mut asker = Asker::new(verdicts, &budget.watch);
    let asked: Vec<_> = model.asked.iter().map(|(_, question)| question.clone()).collect();
    let covered = asker.ask(&asked, false).coverage;
    let figure = |(ask, question): (&Ask, &narrows_model::Question)| {
        let mut figure = verdict(study, ask, question, &mut asker);
        expect::finish(&mut figure, ask, study);
        figure
    };
    let figures = study.asks.iter().zip(&asked).map(figure).collect();
    let size = ViewSize {
        view: View::Untimed.name(),
        unit: "states",
        states: covered.states.to_string(),
        transitions: Some(covered.transitions),
        minimised: None,
        seconds: budget.watch.seconds() - begun,
    };
    Some(Measured { figures, sizes: if covered.states > 0 { vec![size] } else { Vec::new() } })
}

/// Does something with the graph of all states. If there is none, no question has an answer, and the error
/// says why.
pub(crate) fn on_graph<T>(
    study: &Study,
    model: &LabelledStudy,
    budget: &Budget,
    verdicts: &dyn Verdicts,
    work: impl FnOnce(&mut LabelledBench<'_>) -> T,
) -> Result<T, Measured> {
    let begun = budget.watch.seconds();
    let graph = &graph_of(study, model, budget)?;
    let space = &SharedSpace::new(study, model, graph);
    let (means, views, observed, flows) = (None, SharedViews::default(), Sizes::new(), Vec::new());
    let asker = Asker::new(verdicts, &budget.watch);
    Ok(work(&mut LabelledBench {
        study,
        model,
        graph,
        budget: budget.clone(),
        asker,
        begun,
        means,
        space,
        views,
        observed,
        flows,
    }))
}

/// Makes the graph of all states; the error says of each question why it has no answer.
pub(super) fn graph_of(study: &Study, model: &LabelledStudy, budget: &Budget) -> Result<Graph, Measured> {
    let result = match build(&*model.system, budget) {
        Ok(BuiltGraph { graph, .. }) => return Ok(graph),
        Err(GraphError::Limit(limit)) => FigureResult::Undecided(limit),
        Err(GraphError::Fault(fault)) => FigureResult::None(format!(
            "The model goes wrong ({}), so that there is nothing to measure.",
            Behaviour::fault_text(&fault)
        )),
    };
    Err(Measured { figures: all(study, |_| result.clone()), sizes: Vec::new() })
}

/// Says which gates are asked about and never used: they may be written in another way.
fn unknown_gates(study: &Study, ask: &Ask, model: &LabelledStudy, graph: &Graph) -> Vec<String> {
    let named = |text: &Text| {
        let place = model.events.iter().position(|name| *name == text.text);
        place.map_or(&[][..], |place| &model.counted[place])
    };
    let mut patterns: Vec<&LabelPattern> = match &ask.question {
        Question::Throughput(what) | Question::MeanPeriod(what) | Question::Bottleneck(what) => {
            named(what).iter().collect()
        }
        Question::MeanCount(of, per) => named(of).iter().chain(named(per)).collect(),
        Question::Reach(_, to) => named(to).iter().collect(),
        Question::Reward(_, Some(per)) => named(per).iter().collect(),
        Question::Latency(latency) => named(&latency.from).iter().chain(named(&latency.to)).collect(),
        Question::MinCount(of, from, to)
        | Question::MaxCount(of, from, to)
        | Question::Count(of, from, to) => [of, from, to].into_iter().flat_map(named).collect(),
        Question::MinDelay(from, to)
        | Question::MaxDelay(from, to)
        | Question::Delay(from, to)
        | Question::MeanDelay(from, to) => [from, to].into_iter().flat_map(named).collect(),
        _ => Vec::new(),
    };
    if let Question::Utilisation(what) | Question::Transient(what, _) = &ask.question {
        let condition = model.conditions.get(meant(study, what));
        patterns.extend(condition.iter().flat_map(|condition| condition.patterns()));
    }
    patterns.retain(|pattern| !graph.labels().iter().any(|label| pattern.is_about(label)));
    let note = |pattern: &LabelPattern| {
        format!("No label is about the gate of `{pattern}`; `narrows explore` lists the labels there are.")
    };
    patterns.into_iter().map(note).collect()
}

/// A study with the graph of its model, and what is known of it so far.
pub(crate) struct LabelledBench<'a> {
    pub(crate) study: &'a Study,
    pub(crate) model: &'a LabelledStudy,
    graph: &'a Graph,
    budget: Budget,
    asker: Asker<'a>,
    /// When the graph was begun.
    begun: f64,
    means: Option<Means>,
    pub(super) space: &'a SharedSpace<'a>,
    pub(super) views: SharedViews<'a>,
    /// How large the views are that were built from the graph and observers.
    pub(super) observed: Sizes,
    /// The events that were looked at.
    pub(crate) flows: Vec<Flow>,
}

/// How often everything that is counted happens.
struct Means {
    /// The error is a sentence, or a limit.
    found: Result<Vec<OverSchedulers>, FigureResult>,
    /// How many states and edges there were with all stages of delays, and how many states after
    /// minimisation.
    size: Option<(u32, usize, u32)>,
}

impl<'a> LabelledBench<'a> {
    /// Returns what views are built from.
    pub(super) fn actual(&self) -> Actual<'a> {
        Actual { study: self.study, model: self.model, graph: self.graph, budget: self.budget.clone() }
    }

    /// Answers a question in a view.
    pub(crate) fn answer(&mut self, ask: &Ask, view: View) -> Figure {
        match (&ask.question, view) {
            (Question::Overlap(first, second), _) => {
                let number =
                    |name: &Text| self.study.resources.iter().position(|(known, _)| known.text == name.text);
                match (number(first), number(second)) {
                    (Some(first), Some(second)) => self.overlap([first, second], view),
                    _ => blank(ask, view),
                }
            }
            (Question::Utilisation(_) | Question::Transient(..), View::Stochastic) => self.share_of_time(ask),
            (Question::Reward(..) | Question::Reach(..), View::Stochastic) => {
                self.actual().gained(ask, &mut self.observed)
            }
            (_, View::Stochastic) => self.mean(ask),
            (_, View::Timed | View::Untimed) => self.exact(ask, view),
            // Simulations answer several questions at once.
            (_, View::Simulated) => blank(ask, view),
        }
    }

    /// Says whether two resources overlap.
    fn overlap(&mut self, pair: [usize; 2], view: View) -> Figure {
        match self.overlaps(&pair, view) {
            Ok(together) => together
                .pairs
                .into_iter()
                .next()
                .map_or_else(|| new_figure("overlap", String::new(), view.name()), |(_, _, figure)| figure),
            Err(figure) => *figure,
        }
    }

    /// Says of each pair of some resources whether they overlap in a view; the error says why there is no
    /// view.
    pub(crate) fn overlaps(&mut self, resources: &[usize], view: View) -> Result<Together, Box<Figure>> {
        self.actual().overlaps(resources, view, &mut self.observed)
    }

    /// Returns how often an event would happen on average with other delays; `None` if that is not known.
    pub(crate) fn throughput_with(&self, delays: &[Delayed], event: &str) -> Option<f64> {
        let place = self.model.events.iter().position(|name| name == event)?;
        let found = means(self.model, delays, self.graph, &self.budget).found.ok()?;
        let found = found.get(place).filter(|found| found.open.is_none())?;
        Some(f64::midpoint(found.even.low, found.even.high))
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
}

impl Bench for LabelledBench<'_> {
    fn form(&self) -> FormKind {
        FormKind::Labelled
    }

    /// All are asked together.
    fn group(&self, number: usize) -> Option<usize> {
        self.model.asked.iter().any(|(index, _)| *index == number).then_some(0)
    }

    fn cover(&self) -> Result<Checked, Refusal> {
        self.asker.cover()
    }

    fn answer_one(&mut self, number: usize, view: View) -> Vec<Figure> {
        let LabelledBench { study, model, graph, .. } = *self;
        let ask = &study.asks[number];
        let asked = model.asked.iter().find(|(index, _)| *index == number);
        if let Question::Equivalence(other) = &ask.question {
            return vec![self.compared(ask, number, other)];
        }
        let mut figures = match (asked, &ask.question) {
            (Some((_, asked)), _) => {
                self.asker.ask_all(model.asked.iter().map(|(_, question)| question.clone()));
                vec![verdict(study, ask, asked, &mut self.asker)]
            }
            (None, Question::Latency(latency)) if view == View::Stochastic => self.latency(ask, latency),
            (None, Question::MeanDelay(from, to)) if view == View::Stochastic => {
                self.latency(ask, &Latency::delay(from, to))
            }
            (None, _) => vec![self.answer(ask, view)],
        };
        figures[0].notes.extend(unknown_gates(study, ask, model, graph));
        figures
    }

    fn forget_cut(&mut self) {
        self.asker.forget_cut();
        self.means.take_if(|means| matches!(means.found, Err(FigureResult::Undecided(Limit::Time))));
    }

    fn estimate(&mut self, estimation: &Estimation) -> Vec<Vec<Figure>> {
        estimate_labelled(&self.actual(), estimation)
    }

    /// That of the graph itself counts if there is no other.
    fn sizes(&self) -> Vec<ViewSize> {
        let seconds = self.budget.watch.seconds() - self.begun;
        let (states, edges) = (u64::from(self.graph.states()), self.graph.edges().len() as u64);
        let size = |view: View, (states, edges): (u64, u64), minimised: Option<u64>, unit| ViewSize {
            view: view.name(),
            unit,
            states: states.to_string(),
            transitions: Some(edges),
            minimised,
            seconds,
        };
        let mut sizes: Vec<ViewSize> = Vec::new();
        let mut observed = self.observed.clone();
        if let Some((states, edges, left)) = self.means.as_ref().and_then(|means| means.size) {
            let found = (u64::from(states), edges as u64);
            add_size(&mut observed, View::Stochastic, found, Some(u64::from(left)));
        }
        for (view, found, minimised, unit) in observed {
            sizes.push(size(view, found, minimised, unit));
        }
        if sizes.is_empty() {
            let view = if self.means.is_some() { View::Stochastic } else { View::Untimed };
            sizes.push(size(view, (states, edges), None, "states"));
        }
        sizes
    }

    fn resources(&mut self, bottleneck: &mut Bottleneck) {
        self.look_at_resources(bottleneck);
    }

    fn look(&mut self, event: &Text) -> Flow {
        self.look_at(event)
    }

    fn flows(&mut self) -> &mut Vec<Flow> {
        &mut self.flows
    }
}

impl LabelledBench<'_> {
    /// Says whether the model behaves as another one, once all but some gates are hidden in both.
    fn compared(&self, ask: &Ask, number: usize, how: &Equivalence) -> Figure {
        let mut figure = blank(ask, View::Untimed);
        let relation = Equivalence::RELATIONS.iter().find(|(name, _)| *name == how.relation);
        let other = self.model.others.iter().find(|(index, _)| *index == number);
        let (Some((_, relation)), Some((_, other))) = (relation, other) else { return figure };
        let other = match build(&**other, &self.budget) {
            Ok(BuiltGraph { graph, .. }) => graph,
            Err(GraphError::Limit(limit)) => {
                figure.result = FigureResult::Undecided(limit);
                return figure;
            }
            Err(GraphError::Fault(fault)) => {
                let what = Behaviour::fault_text(&fault);
                figure.result = FigureResult::None(format!("`{}` goes wrong: {what}.", how.with.text));
                return figure;
            }
        };
        let choice = Choice { names: how.only.clone(), all_but: true, ..Choice::default() };
        let seen = |graph: &Graph| if how.only.is_empty() { graph.clone() } else { hide(graph, &choice) };
        let compared = compare(&seen(self.graph), &seen(&other), Settings::plain(*relation));
        let (word, note) = match compared {
            Err(error) => {
                figure.result = FigureResult::None(error.to_string());
                return figure;
            }
            Ok(Verdict::Equivalent) => ("holds", None),
            Ok(Verdict::Different(evidence)) => ("fails", Some(evidence)),
        };
        figure.result = FigureResult::Word(word.to_owned());
        figure.notes.extend(note.map(|evidence| match evidence {
            Evidence::Formula(formula) => format!("This holds of the model and not of the other: {formula}"),
            Evidence::Trace { labels, is_first: true } => {
                format!("Only the model can do {}.", labels.join("; "))
            }
            Evidence::Trace { labels, .. } => format!("Only the other can do {}.", labels.join("; ")),
            Evidence::None(reason) => format!("Nothing is shown: {reason}."),
        }));
        figure
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
fn means(model: &LabelledStudy, delays: &[Delayed], graph: &Graph, budget: &Budget) -> Means {
    let rate = |one: &Delayed| (one.pattern.clone(), rate_of(&one.delay).map(|(_, rate)| rate));
    let tempo = ActionRates { rates: delays.iter().map(rate).collect(), events: model.counted.clone() };
    let mut size = None;
    let found = check_delays(delays, graph).map_err(FigureResult::from).and_then(|()| {
        let none = |error: AutomatonError| FigureResult::None(format!("There is no Markov chain: {error}."));
        let settled = without_busy_waiting(graph, &kinds(model, delays, graph)).map_err(none)?;
        let graph = settled.as_ref().unwrap_or(graph);
        let staged = with_stages(delays, graph, budget)?;
        let graph = staged.as_ref().unwrap_or(graph);
        let paced = RatedGraph::new(graph, &tempo).map_err(none)?;
        size = Some((paced.before.0, paced.before.1, paced.size().0));
        let cut = OnceLock::new();
        let stop = || match budget.watch.check(&Progress::default()) {
            Some(limit) => cut.set(limit).is_ok() || cut.get().is_some(),
            None => false,
        };
        let found = paced.throughputs(Accuracy { stop: Some(&stop), ..ACCURACY });
        cut.get().map_or(found.map_err(none), |limit| Err(FigureResult::Undecided(*limit)))
    });
    Means { found, size }
}

/// Says which labels take no time, and which are counted.
fn kinds(model: &LabelledStudy, delays: &[Delayed], graph: &Graph) -> Vec<LabelKind> {
    let kind = |label: &String| {
        let delay = delays.iter().find(|delay| delay.pattern.fits(label));
        let is_now = delay.is_none_or(|delay| rate_of(&delay.delay).is_none());
        let is_counted = model.counted.iter().flatten().any(|pattern| pattern.fits(label));
        LabelKind { is_now, is_counted }
    };
    graph.labels().iter().map(kind).collect()
}

/// Returns the graph with the stages of delays that have several; `None` if there are none.
fn with_stages(delays: &[Delayed], graph: &Graph, budget: &Budget) -> Result<Option<Graph>, FigureResult> {
    let stages_of = |label: &String| {
        let delay = delays.iter().find(|delay| delay.pattern.fits(label));
        let delay = delay.filter(|delay| rate_of(&delay.delay).is_some());
        delay.map_or(Stages::None, |delay| Stages::Some(delay.delay.phases()))
    };
    let stages: Vec<Stages> = graph.labels().iter().map(stages_of).collect();
    let has_several =
        |label: u32| matches!(&stages[label as usize], Stages::Some(phases) if phases.len() > 1);
    if !(0..stages.len() as u32).any(has_several) {
        return Ok(None);
    }
    let is_now = |label: u32| stages[label as usize] == Stages::None;
    if let Some(label) = ambiguous(graph, is_now, has_several) {
        return Err(FigureResult::None(two_clocks(label)));
    }
    spread(graph, &stages, budget).map(Some).map_err(FigureResult::Undecided)
}

/// Finds delays for gates that are never used, and actions that were forgotten: where some actions at a gate
/// take time, all have to be named.
pub(super) fn check_delays(delays: &[Delayed], graph: &Graph) -> Result<(), Refusal> {
    for Delayed { pattern, text, .. } in delays {
        if !graph.labels().iter().any(|label| pattern.is_about(label)) {
            return Err(Refusal::new(format!(
                "No label is about the gate of the delay `{text}`; `narrows explore` lists the labels there \
                 are."
            )));
        }
    }
    let is_forgotten = |label: &&String| {
        let is_about = |delay: &Delayed| delay.pattern.is_about(label);
        let fits = |delay: &Delayed| delay.pattern.fits(label);
        delays.iter().any(is_about) && !delays.iter().any(fits)
    };
    match graph.labels().iter().find(is_forgotten) {
        None => Ok(()),
        Some(label) => Err(Refusal::new(format!(
            "`{label}` has no delay, though other actions at its gate have; give it one, which may be `fixed \
             = 0`."
        ))),
    }
}

fn mean(study: &Study, ask: &Ask, model: &LabelledStudy, means: &[OverSchedulers]) -> Figure {
    let mut figure = blank(ask, View::Stochastic);
    let of = |text: &Text| model.events.iter().position(|name| *name == text.text).map(|index| means[index]);
    let mut note = |found: OverSchedulers, of: &dyn Fn(Interval) -> Interval| {
        if let Some(ends) = found.open {
            let even = of(found.even);
            let mut ends = ends.map(of);
            ends.sort_by(|one, other| one.low.total_cmp(&other.low));
            figure.range = Some(range_of(ends[0], ends[1]));
            figure.notes.push(format!(
                "The model leaves choices open; this is the range over all schedulers; with equally likely \
                 choices it is {}.",
                told(even)
            ));
        }
    };
    match &ask.question {
        Question::Throughput(what) => {
            if let Some(found) = of(what) {
                note(found, &|one| one);
                set(&Ok(found.span()), &mut figure);
            }
            figure.unit = format!("1/{}", study.unit);
        }
        Question::MeanPeriod(what) => {
            if let Some(found) = of(what) {
                note(found, &reciprocal);
                set(&Ok(reciprocal(found.span())), &mut figure);
            }
            study.unit.clone_into(&mut figure.unit);
        }
        Question::MeanCount(what, per) => {
            if let (Some(what), Some(per)) = (of(what), of(per)) {
                let (what, per) = (what.span(), per.span());
                if per.high <= 0.0 {
                    let reason = "What it is counted for never happens in the long run.";
                    figure.result = FigureResult::None(reason.to_owned());
                } else {
                    set(&Ok(what.over(per)), &mut figure);
                }
            }
        }
        _ => {}
    }
    figure
}

/// Answers whether something holds, and lists the labels of a run against it.
fn verdict(study: &Study, ask: &Ask, asked: &narrows_model::Question, asker: &mut Asker<'_>) -> Figure {
    let mut figure = asker.figure(study, ask, std::slice::from_ref(asked), View::Untimed);
    if figure.result == FigureResult::Word("fails".to_owned())
        && let Some((_, run)) = figure.witnesses.first()
    {
        let labels: Vec<&str> = run.steps.iter().take(MAX_TOLD_STEPS).filter_map(RunStep::label).collect();
        let more = if run.steps.len() > MAX_TOLD_STEPS { " …" } else { "" };
        figure.notes.push(format!("A run that shows it: {}{more}.", labels.join("; ")));
    }
    figure
}

/// So many steps of a run are told.
const MAX_TOLD_STEPS: usize = 40;
