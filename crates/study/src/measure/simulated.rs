//! Estimates by simulation, for what no exact view fits.

use std::fmt::Write as _;

use narrows_explicit::{Budget, Engine, Symmetry};
use narrows_model::wording::{percent, short};
use narrows_model::{CurvePoint, Figure, FigureResult, Limit, WideVariable};
use narrows_performance::BuildError;
use narrows_performance::actions::{Actions, Condition};
use narrows_performance::simulation::{
    self, Channel, Draw, Effort, Estimate, Quantity, RenameShared, Scene, Simulated, SimulationError,
    StateValue,
};

use super::actions::Actual;
use super::equal_parts::Equal;
use super::failure::result_of;
use super::simulation_plan::{Names, Plan, Watched, groups, unit_of, within};
use super::stochastic::changes_while_waiting;
use super::{blank, new_figure};
use crate::{Ask, ProcessStudy, Question, Study, Text, View};

/// So many variables are watched that may grow beyond all bounds.
const MAX_SIZES: usize = 64;

/// A simulation goes no further than about so many events.
pub(crate) const MOST_EVENTS: u64 = 1 << 28;

/// At a first look it goes no further than this.
const FEW_EVENTS: u64 = 1 << 16;

/// Which questions are answered by simulation, and how.
#[derive(Clone, Debug)]
pub(crate) struct Estimation {
    /// The questions.
    pub(crate) asks: Vec<Ask>,
    /// The view that is told in figures.
    pub(crate) view: View,
    /// How delays are drawn.
    pub(crate) draw: Draw,
    /// How far it goes.
    pub(crate) effort: Effort,
}

impl Estimation {
    /// Estimates answers to questions, as far as a study says, for a view.
    pub(crate) fn new(study: &Study, asks: Vec<Ask>, view: View) -> Estimation {
        let draw = if view == View::Stochastic { Draw::Random } else { Draw::AsGiven };
        let settings = &study.simulation;
        let events = if study.is_first_look { FEW_EVENTS } else { MOST_EVENTS };
        let effort = Effort { accuracy: settings.accuracy, events, seed: settings.seed };
        Estimation { asks, view, draw, effort }
    }
}

/// What was found for a quantity, and whether it was still changing at the end.
type Found = (Quantity, Option<Estimate>, bool);

/// Turns an estimate into a result; `growing` names what kept growing.
fn result(
    (found, is_unsettled): (Option<Estimate>, bool),
    simulated: &Simulated,
    growing: &str,
    unit: &str,
) -> FigureResult {
    match found {
        Some(Estimate { value, low, high }) => FigureResult::Estimated { value, low, high, decides: true },
        None if is_unsettled => FigureResult::None(format!(
            "It does not settle: {growing} kept growing for {} replications of {} {unit}, as where more \
             arrives than can be served.",
            simulated.replications,
            short(simulated.time)
        )),
        None => FigureResult::None(format!(
            "It was not seen often enough in {} replications of {} {unit}.",
            simulated.replications,
            short(simulated.time)
        )),
    }
}

/// Answers questions by what a simulation has found.
struct Telling<'s> {
    study: &'s Study,
    estimation: &'s Estimation,
}

impl Telling<'_> {
    /// Says what came out for a question: the figure of the question, and its percentiles.
    fn figures(
        &self,
        ask: &Ask,
        found: &[Found],
        (simulated, growing): (&Simulated, &str),
        is_first: bool,
    ) -> Vec<Figure> {
        let unit = unit_of(self.study, &ask.question);
        let mut figures = Vec::new();
        for (quantity, estimate, is_unsettled) in found {
            let view = self.estimation.view;
            let mut figure = match quantity {
                Quantity::Quantile(_, part) if !figures.is_empty() => {
                    let name = format!("{}, {} %", ask.name, part * 100.0);
                    new_figure("percentile", name, view.name())
                }
                _ => blank(ask, view),
            };
            figure.unit.clone_from(&unit);
            let estimate = within(*estimate, &ask.question);
            figure.result = result((estimate, *is_unsettled), simulated, growing, &self.study.unit);
            self.note_limit(&mut figure, simulated.limit);
            figures.push(figure);
        }
        if let (
            Some(first),
            Some((Quantity::Ratio(Channel::Times(number), _) | Quantity::Quantile(number, _), ..)),
        ) = (figures.first_mut(), found.first())
            && matches!(ask.question, Question::Latency(_))
        {
            let point =
                |(time, one): &(f64, Estimate)| CurvePoint { time: *time, low: one.low, high: one.high };
            first.curve = simulated.curves[*number].iter().map(point).collect();
        }
        if let Some(first) = figures.first_mut() {
            self.add_notes(first, (simulated, growing), is_first);
            if let FigureResult::Estimated { decides, .. } = &mut first.result {
                // What is expected is expected of all schedulers.
                *decides = ask.expect.is_none() || !simulated.has_choices;
            }
        }
        figures
    }

    /// Leaves open what was to be estimated from a number of events, where a limit came before them.
    fn note_limit(&self, figure: &mut Figure, limit: Option<Limit>) {
        let (Some(limit), FigureResult::Estimated { low, high, .. }) = (limit, &figure.result) else {
            return;
        };
        if self.estimation.effort.accuracy > 0.0 {
            return;
        }
        let known = format!("Until then, it was estimated as {} to {}.", short(*low), short(*high));
        figure.notes.push(known);
        figure.result = FigureResult::Undecided(limit);
    }

    fn add_notes(&self, figure: &mut Figure, (simulated, growing): (&Simulated, &str), is_first: bool) {
        if is_first {
            self.add_method(figure, simulated);
            let is_estimate = matches!(figure.result, FigureResult::Estimated { .. });
            if is_estimate && !growing.is_empty() {
                figure.notes.push(format!(
                    "The model does not settle: {growing} kept growing. What is estimated was the same in \
                     all parts of the runs."
                ));
            }
        }
        let FigureResult::Estimated { value, low, high, .. } = figure.result else { return };
        let (asked, reached) = (self.estimation.effort.accuracy, Estimate { value, low, high }.accuracy());
        if asked > 0.0 && reached > asked {
            let why = simulated.limit.map_or("the effort allowed", Limit::reason);
            let (reached, asked) = (percent(reached), percent(asked));
            figure.notes.push(format!("An accuracy of {reached} was reached, not {asked}: {why}."));
        }
    }

    /// Says how much was simulated, and what that leaves open.
    fn add_method(&self, figure: &mut Figure, simulated: &Simulated) {
        let Simulated { replications, time, events, warm_up, ended, .. } = simulated;
        let unit = &self.study.unit;
        let mut how = format!(
            "Estimated by simulation, with 99 % confidence: {replications} replications{}, {events} events",
            if *time > 0.0 { format!(" of {} {unit}", short(*time)) } else { String::new() }
        );
        if *warm_up > 0.0 {
            let _ = write!(how, "; up to {} of each left out as warm-up", percent(*warm_up));
        }
        figure.notes.push(how + ".");
        if self.estimation.draw == Draw::Random {
            figure.notes.push("All delays were drawn as the stochastic view takes them.".to_owned());
        }
        if simulated.has_choices {
            let note = "The model leaves choices open: here each was equally likely, and the range over all \
                        schedulers is not known.";
            figure.notes.push(note.to_owned());
        }
        if *ended > 0 && ended < replications {
            figure.notes.push(format!("Nothing happens any more in {ended} of the replications."));
        }
    }

    /// Says of some questions why there is no estimate.
    fn none(&self, numbers: impl Iterator<Item = usize>, result: &FigureResult) -> Vec<(usize, Vec<Figure>)> {
        let figure = |number: usize| {
            let ask = &self.estimation.asks[number];
            Figure { result: result.clone(), ..blank(ask, self.estimation.view) }
        };
        numbers.map(|number| (number, vec![figure(number)])).collect()
    }

    /// Simulates, and answers what the plan is about.
    fn run(
        &self,
        plan: &Plan<'_>,
        scene: &Scene<'_>,
        budget: &Budget,
        why: &dyn Fn(&BuildError) -> FigureResult,
    ) -> Vec<(usize, Vec<Figure>)> {
        let effort = self.estimation.effort;
        let reason = |error: &SimulationError| match error {
            SimulationError::Build(error) => why(error),
            SimulationError::Unsteady(value) => changes_while_waiting(match plan.values[*value] {
                Watched::One(text)
                | Watched::Number(text)
                | Watched::Both(text, _)
                | Watched::Level(text) => &text.text,
            }),
            SimulationError::TooManyClocks => FigureResult::None(
                "More than 128 delays that are not exponential run at the same time.".to_owned(),
            ),
        };
        let mut all = Vec::new();
        if !plan.asked.is_empty() {
            match simulation::simulate(scene, &plan.asked, effort, budget) {
                Ok(simulated) => {
                    let pairs = simulated.estimates.iter().zip(&simulated.unsettled);
                    let pairs = plan.asked.iter().zip(pairs);
                    let found: Vec<Found> =
                        pairs.map(|(asked, (found, unsettled))| (*asked, *found, *unsettled)).collect();
                    let growing = plan.growing(&simulated);
                    let told = (&simulated, growing.as_str());
                    for (number, part) in &plan.parts {
                        let ask = &self.estimation.asks[*number];
                        let is_first = all.is_empty();
                        all.push((*number, self.figures(ask, &found[part.clone()], told, is_first)));
                    }
                }
                Err(error) => {
                    all.extend(self.none(plan.parts.iter().map(|(number, _)| *number), &reason(&error)));
                }
            }
        }
        let moment = |(number, value, time): &(usize, usize, f64)| {
            (*number, simulation::transient(scene, *value, *time, effort, budget))
        };
        let way = |(number, _, what)| (number, simulation::passage(scene, what, effort, budget));
        for (number, found) in plan.moments.iter().map(moment).chain(plan.way.map(way)) {
            let figures = found.map(|simulated| {
                let ask = &self.estimation.asks[number];
                let found = (Channel::Time.often(), simulated.estimates[0], false);
                let mut figures = self.figures(ask, &[found], (&simulated, ""), true);
                add_way(&mut figures[0], &simulated);
                (number, figures)
            });
            match figures {
                Ok(figures) => all.push(figures),
                Err(error) => all.extend(self.none(std::iter::once(number), &reason(&error))),
            }
        }
        all
    }
}

/// Says of short runs what has become of those that did not arrive.
fn add_way(figure: &mut Figure, simulated: &Simulated) {
    let Simulated { missed, open, replications, .. } = simulated;
    if *open > 0 {
        figure.notes.push(format!(
            "{open} of {replications} runs were given up on the way: the interval allows for both ends of them."
        ));
    }
    if simulated.estimates[0].is_none() {
        figure.notes.clear();
        figure.result = FigureResult::None(if *missed > 0 {
            format!(
                "It may never come to that, and then there is no end to it: in {missed} of {replications} \
                 runs nothing happened any more before."
            )
        } else {
            format!("It had not come to that in {open} of {replications} runs when they were given up.")
        });
    }
}

/// Puts answers into the order of their questions.
fn in_order(mut all: Vec<(usize, Vec<Figure>)>) -> Vec<Vec<Figure>> {
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, figures)| figures).collect()
}

impl Names for ProcessStudy {
    fn event(&self, text: &Text) -> Option<u16> {
        ProcessStudy::event(self, text)
    }
}

/// Estimates the answers to some questions about processes.
pub(crate) fn estimate(
    (study, prepared): (&Study, &ProcessStudy),
    engine: &Engine<'_>,
    equal: Equal<'_>,
    budget: &Budget,
    estimation: &Estimation,
) -> Vec<Vec<Figure>> {
    let evaluator = engine.evaluator();
    let telling = Telling { study, estimation };
    let mut all = Vec::new();
    let level = study.simulation.level.as_ref();
    for (is_split, numbers) in groups(&estimation.asks, level.is_some()) {
        let mut plan = Plan::default();
        if let Some(level) = level.filter(|_| is_split) {
            plan.level = Some(plan.value(Watched::Level(level)));
        }
        let (mut own, mut by_value) = (None, None);
        for number in numbers {
            let ask = &estimation.asks[number];
            let mut kinds = Vec::new();
            if let Question::Latency(latency) = &ask.question {
                let (timing, found, values) = prepared.requests(latency);
                kinds = found;
                own = own.or(Some(timing));
                by_value = values.zip(latency.by.as_ref());
            }
            plan.add(study, (number, ask), prepared, &kinds);
        }
        let rename = |event: u16, state: &[u8]| match &by_value {
            Some((values, _)) => values.number(evaluator, event, state),
            None => Ok(event),
        };
        let holds = |text: &Text| {
            let expr = prepared.predicate(text);
            move |state: &[u8]| expr.map_or(Ok(false), |expr| evaluator.holds(expr, state))
        };
        let value = |watched: &Watched<'_>| -> StateValue<'_> {
            match watched {
                Watched::One(text) => {
                    let holds = holds(text);
                    Box::new(move |state| Ok(f64::from(u8::from(holds(state)?))))
                }
                Watched::Number(text) => {
                    let expr = prepared.predicate(text);
                    let value = move |state: &[u8]| match expr {
                        Some(expr) => evaluator.observe(state).value(expr).map(f64::from),
                        None => Ok(0.0),
                    };
                    Box::new(value)
                }
                Watched::Both(one, other) => {
                    let (one, other) = (holds(one), holds(other));
                    Box::new(move |state| Ok(f64::from(u8::from(one(state)? && other(state)?))))
                }
                Watched::Level(text) => match prepared.predicate(text) {
                    Some(expr) => Box::new(move |state| evaluator.observe(state).value(expr).map(f64::from)),
                    None => Box::new(move |state| {
                        let channels = evaluator.describe(state).channels;
                        let lengths = channels.iter().map(|channel| channel.messages.len());
                        Ok(lengths.max().unwrap_or(0) as f64)
                    }),
                },
            }
        };
        let observed = plan.values.iter().map(value).collect();
        let (system, requests) = (Some(&prepared.system), plan.requests.clone());
        let timing = own.as_deref().unwrap_or(&prepared.timing);
        let size = |wide: &WideVariable| -> StateValue<'_> {
            let value = wide.value.clone();
            Box::new(move |state| evaluator.observe(state).value(&value).map(f64::from))
        };
        plan.sizes = prepared.system.wide_variables();
        plan.sizes.truncate(MAX_SIZES);
        let sizes = plan.sizes.iter().map(size).collect();
        // Requests that are told apart by equal processes go with these.
        let values = by_value.as_ref().map(|(values, _)| values);
        let by_process = equal.one_of_all(values, prepared).is_some();
        let symmetry = equal.known_symmetry().filter(|_| values.is_none() || by_process);
        let forgets = symmetry.is_some_and(Symmetry::forgets);
        let scene = Scene {
            space: if forgets { equal.forgetting } else { engine },
            system,
            timing,
            draw: estimation.draw,
            rename: by_value.as_ref().map(|_| &rename as &RenameShared<'_>),
            values: observed,
            requests,
            rewards: plan.rewards.clone(),
            target: plan.way.map(|(_, target, _)| target),
            sizes,
            level: plan.level,
            symmetry,
            by_process,
        };
        let mut found = telling.run(&plan, &scene, budget, &|error| result_of(error, evaluator).0);
        if let Some(reason) = by_value.as_ref().and_then(|(values, by)| values.why_not(by)) {
            found = telling.none(found.iter().map(|(number, _)| *number), &FigureResult::None(reason));
        }
        all.extend(found);
    }
    in_order(all)
}

impl Names for Actual<'_> {
    fn event(&self, text: &Text) -> Option<u16> {
        self.model.event(text)
    }
}

/// Estimates the answers to some questions about a labelled model, of which the graph is known.
pub(super) fn estimate_labelled(actual: &Actual<'_>, estimation: &Estimation) -> Vec<Vec<Figure>> {
    let study = actual.study;
    let view = if estimation.draw == Draw::Random { View::Stochastic } else { View::Timed };
    let telling = Telling { study, estimation };
    let mut all = Vec::new();
    for (_, numbers) in groups(&estimation.asks, false) {
        let mut plan = Plan::default();
        let mut timing = actual.timing(view, &actual.model.named_events());
        for number in &numbers {
            let mut kinds = Vec::new();
            if let Question::Latency(latency) = &estimation.asks[*number].question {
                match actual.requests(view, latency) {
                    Ok((own, found)) if latency.by.is_some() => {
                        timing = Ok(own);
                        kinds = found;
                    }
                    Ok((_, found)) => kinds = found,
                    Err(refusal) => timing = Err(refusal),
                }
            }
            plan.add(study, (*number, &estimation.asks[*number]), actual, &kinds);
        }
        let timing = match timing {
            Ok(timing) => timing,
            Err(refusal) => {
                all.extend(telling.none(numbers.into_iter(), &refusal.into()));
                continue;
            }
        };
        let texts: Vec<&Text> = plan
            .values
            .iter()
            .flat_map(|one| match one {
                Watched::One(text) | Watched::Number(text) => vec![*text],
                Watched::Both(one, other) => vec![*one, *other],
                Watched::Level(text) => vec![*text],
            })
            .collect();
        let known: Vec<Option<Condition>> =
            texts.iter().map(|text| actual.model.conditions.get(text).cloned()).collect();
        let conditions: Vec<Condition> = known.iter().flatten().cloned().collect();
        let actions = Actions::new(actual.graph).observing(&conditions);
        // Where each text is among the conditions.
        let place = |text: &Text| {
            let text = texts.iter().position(|known| **known == *text)?;
            known[text].as_ref()?;
            Some(known[..text].iter().flatten().count())
        };
        let holds = |text: &Text| {
            let (place, actions) = (place(text), &actions);
            move |state: &[u8]| place.is_some_and(|place| actions.holds(place, state))
        };
        let value = |watched: &Watched<'_>| -> StateValue<'_> {
            match watched {
                Watched::One(text) => {
                    let holds = holds(text);
                    Box::new(move |state| Ok(f64::from(u8::from(holds(state)))))
                }
                Watched::Both(one, other) => {
                    let (one, other) = (holds(one), holds(other));
                    Box::new(move |state| Ok(f64::from(u8::from(one(state) && other(state)))))
                }
                // Labels have no values.
                Watched::Number(_) | Watched::Level(_) => Box::new(|_| Ok(0.0)),
            }
        };
        let values = plan.values.iter().map(value).collect();
        let (space, timing, requests) = (&actions, &timing, plan.requests.clone());
        let scene = Scene {
            space,
            system: None,
            timing,
            draw: estimation.draw,
            rename: None,
            values,
            requests,
            rewards: plan.rewards.clone(),
            target: plan.way.map(|(_, target, _)| target),
            // A graph has an end.
            sizes: Vec::new(),
            level: None,
            symmetry: None,
            by_process: false,
        };
        let why = |error: &BuildError| match error {
            BuildError::Limit(limit) => FigureResult::Undecided(*limit),
            _ => FigureResult::None(
                "Time stands still: actions without delay follow each other for ever.".to_owned(),
            ),
        };
        all.extend(telling.run(&plan, &scene, &actual.budget, &why));
    }
    in_order(all)
}
