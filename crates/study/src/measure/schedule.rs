//! In which order the questions of a study are answered, and how time is shared.

use narrows_explicit::{Share, Watch};
use narrows_model::{
    Bottleneck, Checked, Coverage, Figure, FigureResult, Flow, FormKind, Limit, Number, Refusal, StateDiagram,
};

use narrows_performance::{Time, as_f64};

use super::{Measured, Size, blank, expect};
use crate::accepts::{accepts, view_of_steps, views};
use crate::bottleneck::events;
use crate::{Analysis, Question, SizePart, Study, Text, View};

/// A study with a model of some form, and what was found out so far.
pub(crate) trait Bench {
    /// Returns the form of the model.
    fn form(&self) -> FormKind;

    /// Returns which questions a question is asked together with, by a number that they share, if engines
    /// answer it.
    fn group(&self, number: usize) -> Option<usize>;

    /// Visits all states of the model, and says what was covered.
    fn cover(&self) -> Result<Checked, Refusal>;

    /// Answers a question that is accepted in a view.
    fn answer_one(&mut self, number: usize, view: View) -> Vec<Figure>;

    /// Forgets what was cut short, so that it is tried again.
    fn forget_cut(&mut self);

    /// Returns how large the views are that were built.
    fn sizes(&self) -> Vec<Size>;

    /// Finds which resources overlap, and for what part of the time they are busy.
    fn resources(&mut self, _: &mut Bottleneck) {}

    /// Looks at an event.
    fn look(&mut self, event: &Text) -> Flow;

    /// Returns the events that were looked at.
    fn flows(&mut self) -> &mut Vec<Flow>;

    /// Returns how variables change that hold the state of something.
    fn diagrams(&mut self) -> Vec<StateDiagram> {
        Vec::new()
    }
}

/// Answers all questions of a study.
pub(crate) fn measure(study: &Study, bench: &mut dyn Bench, share: &Share) -> Measured {
    let figures = answer_all(study, bench, share);
    Measured { figures, sizes: bench.sizes() }
}

/// Answers the questions of a study, and finds its bottleneck.
pub(crate) fn analyse(study: &Study, bench: &mut dyn Bench, share: &Share) -> Analysis {
    let mut bottleneck = Bottleneck::default();
    bench.resources(&mut bottleneck);
    bottleneck.flows = events(study).iter().map(|event| flow(study, bench, event)).collect();
    bottleneck.diagrams = bench.diagrams();
    Analysis { measured: measure(study, bench, share), bottleneck }
}

/// Looks at an event, once.
fn flow(study: &Study, bench: &mut dyn Bench, event: &Text) -> Flow {
    if let Some(flow) = bench.flows().iter().find(|flow| flow.event == event.text) {
        return flow.clone();
    }
    let mut flow = bench.look(event);
    flow.megabytes = study.bandwidth_of(event).map(as_f64);
    bench.flows().push(flow.clone());
    flow
}

/// What it takes to answer a question, the cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// The stochastic view.
    Means,
    /// Engines, for questions with this number.
    Verdicts(usize),
    /// The timed or the untimed view.
    Exact,
}

/// Answers all questions of a study. What is cheap comes first, and each kind of work gets a share of the
/// time, so that one slow view leaves time for the others; what was cut short by its share is tried again at
/// the end.
fn answer_all(study: &Study, bench: &mut dyn Bench, share: &Share) -> Vec<Figure> {
    let form = bench.form();
    let mut jobs: Vec<(Work, usize, View)> = Vec::new();
    for (number, ask) in study.asks.iter().enumerate() {
        if let Some(group) = bench.group(number) {
            jobs.push((Work::Verdicts(group), number, view_of_steps(form)));
            continue;
        }
        for view in views(study, form, ask.view, &ask.question) {
            let is_mean = view == View::Stochastic && !matches!(ask.question, Question::Bottleneck(_));
            jobs.push((if is_mean { Work::Means } else { Work::Exact }, number, view));
        }
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|job| jobs[*job].0);
    let mut kinds: Vec<Work> = order.iter().map(|job| jobs[*job].0).collect();
    kinds.dedup();
    let mut figures: Vec<Vec<Figure>> = vec![Vec::new(); jobs.len()];
    let mut last = None;
    let mut left = kinds.len();
    for job in order.iter().copied() {
        let (work, number, view) = jobs[job];
        if last.replace(work) != Some(work) {
            share.take(left);
            left -= 1;
        }
        figures[job] = answer(study, bench, number, view);
    }
    share.take(1);
    let is_cut = |figure: &Figure| matches!(figure.result, FigureResult::Undecided(Limit::Time));
    for job in order.iter().copied() {
        let has_time = share.seconds_left().is_some_and(|left| left > 0.0);
        if has_time && figures[job].iter().any(is_cut) {
            bench.forget_cut();
            figures[job] = answer(study, bench, jobs[job].1, jobs[job].2);
        }
    }
    figures.into_iter().flatten().collect()
}

/// Answers a question in a view, and says whether that was expected.
fn answer(study: &Study, bench: &mut dyn Bench, number: usize, view: View) -> Vec<Figure> {
    let ask = &study.asks[number];
    let mut figures = match accepts(bench.form(), &ask.question, view) {
        Ok(()) => match &ask.question {
            Question::Bottleneck(event) => {
                let flow = flow(study, bench, event);
                // Where all delays are random, means are all that is known.
                let is_mean = flow.cases.is_empty() && !study.has_windows();
                let view = if is_mean { View::Stochastic } else { view };
                vec![Figure { result: limit_of(flow), ..blank(ask, view) }]
            }
            Question::Size(part) => vec![Figure { result: size(*part, bench.cover()), ..blank(ask, view) }],
            _ => bench.answer_one(number, view),
        },
        Err(refusal) => {
            vec![Figure { result: FigureResult::None(refusal.reason), ..blank(ask, view) }]
        }
    };
    if let (Question::Throughput(event), None) = (&ask.question, &ask.each)
        && let Some(factor) = study.bandwidth_of(event)
    {
        let mut data = Figure { kind: "bandwidth", witnesses: Vec::new(), ..figures[0].clone() };
        scale(&mut data, factor);
        ask.name.clone_into(&mut data.name);
        figures.push(data);
    }
    // One for each variable has its name.
    if !matches!(ask.question, Question::MissTime(_)) {
        // Percentiles stand beside what was asked.
        for figure in figures.iter_mut().take(1) {
            ask.name.clone_into(&mut figure.name);
            if let Some(factor) = study.bandwidth(ask) {
                scale(figure, factor);
            }
            expect::finish(figure, ask, study);
        }
    }
    figures
}

/// Makes a bandwidth of a throughput.
fn scale(figure: &mut Figure, factor: Time) {
    "MB/s".clone_into(&mut figure.unit);
    let FigureResult::Value { low, high, .. } = &mut figure.result else { return };
    for (number, is_low) in [(low, true), (high, false)] {
        *number = match *number {
            Number::Ratio(over, under) => {
                let scaled = Time::new(over, under) * factor;
                Number::Ratio(*scaled.numer(), *scaled.denom())
            }
            Number::Float(number) => {
                // The factor is rounded, and so is the product.
                let scaled = number * as_f64(factor);
                let off = 2.0 * f64::EPSILON * scaled.abs();
                Number::Float(if is_low { scaled - off } else { scaled + off })
            }
            Number::Infinity => Number::Infinity,
        };
    }
}

/// Returns how large the state space is, in one respect.
fn size(part: SizePart, found: Result<Checked, Refusal>) -> FigureResult {
    let found = match found {
        Ok(found) => found,
        Err(refusal) => return FigureResult::None(refusal.reason),
    };
    if let Some(limit) = found.limit {
        return FigureResult::Undecided(limit);
    }
    let Coverage { states, transitions, depth, sets, .. } = found.coverage;
    let number = match (part, sets) {
        (SizePart::States, Some(sets)) => sets.states.and_then(|states| states.parse().ok()),
        (SizePart::Depth, Some(sets)) => sets.depth.map(i128::from),
        (SizePart::Transitions, Some(_)) => None,
        (SizePart::States, None) => Some(i128::from(states)),
        (SizePart::Transitions, None) => Some(i128::from(transitions)),
        (SizePart::Depth, None) => Some(i128::from(depth)),
    };
    match number {
        Some(number) => {
            let number = Number::Ratio(number, 1);
            FigureResult::Value { low: number, high: number, exact: true }
        }
        None => FigureResult::None(format!(
            "The engine that visits all states does not count {}.",
            match part {
                SizePart::Depth => "steps",
                part => part.name(),
            }
        )),
    }
}

/// Names what limits an event, or says why that is not known.
fn limit_of(flow: Flow) -> FigureResult {
    let mut found = flow.throughput.into_iter().map(|figure| figure.result);
    match (flow.bottleneck, found.find(|result| matches!(result, FigureResult::Undecided(_)))) {
        (Some(names), _) => FigureResult::Word(names.join(" + ")),
        (None, Some(open)) => open,
        (None, None) => FigureResult::None("There is no bottleneck to name.".to_owned()),
    }
}
