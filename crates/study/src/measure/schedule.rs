//! In which order the questions of a study are answered, and how time is shared.

use narrows_explicit::{Share, Watch};
use narrows_model::{
    Bottleneck, Checked, Coverage, Figure, FigureResult, Flow, FormKind, Limit, Number, Refusal,
    StateDiagram, ViewSize,
};

use narrows_performance::{Time, as_f64};

use super::simulated_bottleneck::{by_simulation, estimate_bottleneck};
use super::{Estimation, Measured, blank, expect};
use crate::accepts::{accepts, accepts_delays, view_of_steps, views};
use crate::bottleneck::events;
use crate::{Analysis, Ask, Question, SizePart, Study, StudyEngine, Text, View};

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

    /// Bounds the answer to a question about best and worst cases that the view itself leaves undecided.
    fn bound(&mut self, _: &Ask) -> Option<Figure> {
        None
    }

    /// Estimates the answers to questions that simulation accepts; returns figures for each.
    fn estimate(&mut self, _: &Estimation) -> Vec<Vec<Figure>> {
        Vec::new()
    }

    /// Forgets what was cut short, so that it is tried again.
    fn forget_cut(&mut self);

    /// Returns how large the views are that were built.
    fn sizes(&self) -> Vec<ViewSize>;

    /// Finds which resources overlap, and for what part of the time they are busy.
    fn resources(&mut self, _: &mut Bottleneck) {}

    /// Looks at an event.
    fn look(&mut self, event: &Text) -> Flow;

    /// Leaves out means until they are added, where there is something beside them; returns whether there is.
    fn leave_out_means(&mut self) -> bool {
        false
    }

    /// Adds means to what was found without them.
    fn add_means(&mut self, _: &mut Bottleneck) {}

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

/// Answers the questions of a study, and finds its bottleneck; at a first look, `tell` gets what is known
/// before the means are.
pub(crate) fn analyse(
    study: &Study,
    bench: &mut dyn Bench,
    share: &Share,
    tell: &mut dyn FnMut(&Analysis),
) -> Analysis {
    if study.is_simulated() && bench.form() != FormKind::Synchronous {
        let bottleneck = by_simulation(study, bench);
        if study.is_first_look {
            return Analysis { measured: Measured::default(), bottleneck };
        }
        bench.flows().extend(bottleneck.flows.iter().cloned());
        return Analysis { measured: measure(study, bench, share), bottleneck };
    }
    let mut bottleneck = Bottleneck::default();
    let is_early = study.is_first_look && bench.leave_out_means();
    // One slow view leaves time for the others.
    let parts = if study.is_first_look { 1 } else { 2 };
    share.take(parts);
    bench.resources(&mut bottleneck);
    share.take(parts);
    bottleneck.flows = events(study).iter().map(|event| flow(study, bench, event)).collect();
    if is_early {
        let early = Analysis { bottleneck, measured: Measured::default() };
        tell(&early);
        bottleneck = early.bottleneck;
        bench.add_means(&mut bottleneck);
        bench.flows().clone_from(&bottleneck.flows);
    }
    if !study.is_first_look {
        bottleneck.diagrams = bench.diagrams();
        share.take(parts);
        complete(study, bench, &mut bottleneck);
    }
    Analysis { measured: measure(study, bench, share), bottleneck }
}

/// Bounds and estimates what views have left undecided.
fn complete(study: &Study, bench: &mut dyn Bench, bottleneck: &mut Bottleneck) {
    let is_open = |figure: &Figure| figure.limit().is_some_and(|limit| limit != Limit::Interrupted);
    let flows = bottleneck.flows.iter().map(|flow| &flow.throughput);
    let mut shown = flows.chain(&bottleneck.utilisation).flatten();
    let can_simulate = study.simulation.engine == StudyEngine::Automatic && study.has_delays();
    if !shown.any(is_open) || bench.form() == FormKind::Synchronous {
        return;
    }
    for (flow, event) in bottleneck.flows.iter_mut().zip(events(study)) {
        let ask = Ask::plain(Question::Throughput(event));
        for figure in flow.throughput.iter_mut().filter(|figure| is_open(figure)) {
            if figure.view == View::Timed.name()
                && let Some(bound) = bench.bound(&ask)
            {
                *figure = bound;
            }
        }
    }
    if can_simulate {
        estimate_bottleneck(study, bench, bottleneck);
    }
    let flows = bottleneck.flows.clone();
    for flow in bench.flows() {
        if let Some(known) = flows.iter().find(|known| known.event == flow.event) {
            flow.clone_from(known);
        }
    }
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
    /// Simulation.
    Estimates,
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
            let work = match view {
                _ if matches!(ask.question, Question::Bottleneck(_)) => Work::Exact,
                View::Stochastic => Work::Means,
                View::Simulated => Work::Estimates,
                View::Untimed | View::Timed => Work::Exact,
            };
            jobs.push((work, number, view));
        }
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|job| jobs[*job].0);
    let mut kinds: Vec<Work> = order.iter().map(|job| jobs[*job].0).collect();
    kinds.dedup();
    let mut figures: Vec<Vec<Figure>> = vec![Vec::new(); jobs.len()];
    let mut last = None;
    // What is left undecided is estimated at the end.
    let is_bottleneck = |number: usize| matches!(study.asks[number].question, Question::Bottleneck(_));
    let can_be_estimated = |(_, number, view): &(Work, usize, View)| {
        is_estimable(study, form, *number, *view) || is_bottleneck(*number) && study.has_delays()
    };
    let falls_back = study.simulation.engine == StudyEngine::Automatic && jobs.iter().any(can_be_estimated);
    let mut left = kinds.len() + usize::from(falls_back);
    let mut given: Vec<Option<f64>> = vec![None; jobs.len()];
    for job in order.iter().copied() {
        let (work, number, view) = jobs[job];
        if last.replace(work) != Some(work) {
            share.take(left);
            left -= 1;
        }
        if work == Work::Estimates && accepts(form, &study.asks[number].question, view).is_ok() {
            if figures[job].is_empty() {
                estimate_all(study, bench, &jobs, &mut figures);
            }
            continue;
        }
        given[job] = share.seconds_left();
        figures[job] = answer(study, bench, number, view);
    }
    let limit_of = |figures: &[Figure]| figures.iter().find_map(Figure::limit);
    share.take(1 + usize::from(falls_back));
    for job in order.iter().copied() {
        // With less time than before, it would be cut short again.
        let has_more = share.seconds_left().is_some_and(|left| given[job].is_some_and(|given| left > given));
        if has_more && limit_of(&figures[job]) == Some(Limit::Time) {
            bench.forget_cut();
            figures[job] = answer(study, bench, jobs[job].1, jobs[job].2);
        }
    }
    share.take(1 + usize::from(falls_back));
    let limits: Vec<Option<Limit>> = figures.iter().map(|figures| limit_of(figures)).collect();
    for job in order.iter().copied().filter(|job| jobs[*job].2 == View::Timed) {
        if limits[job].is_some_and(|limit| limit != Limit::Interrupted)
            && let Some(bound) = bench.bound(&study.asks[jobs[job].1])
        {
            figures[job] = vec![bound];
            finish(study, jobs[job].1, &mut figures[job]);
        }
    }
    share.take(1);
    if falls_back {
        estimate_undecided(study, bench, &jobs, &limits, &mut figures);
        name_busiest(study, bench, &jobs, &limits, &mut figures);
    }
    figures.into_iter().flatten().collect()
}

/// Returns whether simulation says something about a question that is asked in an exact view.
fn is_estimable(study: &Study, form: FormKind, number: usize, view: View) -> bool {
    let question = &study.asks[number].question;
    let is_mean = !matches!(question, Question::Overlap(..) | Question::Bottleneck(_));
    is_mean
        && matches!(view, View::Timed | View::Stochastic)
        && accepts(form, question, View::Simulated).is_ok()
}

/// Answers all questions that are asked of a simulation, at once.
fn estimate_all(
    study: &Study,
    bench: &mut dyn Bench,
    jobs: &[(Work, usize, View)],
    figures: &mut [Vec<Figure>],
) {
    let form = bench.form();
    let is_meant = |job: &usize| {
        let (work, number, view) = jobs[*job];
        work == Work::Estimates && accepts(form, &study.asks[number].question, view).is_ok()
    };
    let meant: Vec<usize> = (0..jobs.len()).filter(is_meant).collect();
    let asks = meant.iter().map(|job| study.asks[jobs[*job].1].clone()).collect();
    let found = bench.estimate(&Estimation::new(study, asks, View::Simulated));
    for (job, mut found) in meant.into_iter().zip(found) {
        finish(study, jobs[job].1, &mut found);
        figures[job] = found;
    }
}

/// Estimates what exact views have left undecided. Of the stochastic view, it is the same mean; of the timed
/// one the mean with delays as they are, which says nothing of the best and the worst case: what is expected
/// of these stays undecided. Limits are those of the exact views.
fn estimate_undecided(
    study: &Study,
    bench: &mut dyn Bench,
    jobs: &[(Work, usize, View)],
    limits: &[Option<Limit>],
    figures: &mut [Vec<Figure>],
) {
    let form = bench.form();
    for view in [View::Stochastic, View::Timed] {
        let is_meant = |job: &usize| {
            let (_, number, asked) = jobs[*job];
            let is_open = limits[*job].is_some_and(|limit| limit != Limit::Interrupted);
            asked == view && is_open && is_estimable(study, form, number, view)
        };
        let meant: Vec<usize> = (0..jobs.len()).filter(is_meant).collect();
        if meant.is_empty() {
            continue;
        }
        let asks = meant.iter().map(|job| study.asks[jobs[*job].1].clone()).collect();
        let told = if view == View::Stochastic { View::Stochastic } else { View::Simulated };
        let found = bench.estimate(&Estimation::new(study, asks, told));
        for (job, mut found) in meant.into_iter().zip(found) {
            let number = jobs[job].1;
            let is_estimate = |figure: &Figure| matches!(figure.result, FigureResult::Estimated { .. });
            if !found.first().is_some_and(is_estimate) {
                // Why simulation says nothing either.
                if let (Some(first), Some(Figure { result: FigureResult::None(reason), .. })) =
                    (figures[job].first_mut(), found.first())
                {
                    first.notes.push(format!("Simulation does not answer it either. {reason}"));
                }
                continue;
            }
            let reason = limits[job].map_or("", Limit::reason);
            found[0].notes.insert(0, format!("The {} view is undecided: {reason}.", view.name()));
            let has_bounds = figures[job].iter().all(|figure| figure.limit().is_none());
            if view == View::Timed && (has_bounds || study.asks[number].expect.is_some()) {
                figures[job].extend(found);
            } else {
                finish(study, number, &mut found);
                figures[job] = found;
            }
        }
    }
}

/// Names what is busiest in a simulation where it was left undecided what limits an event. What is expected
/// stays undecided.
fn name_busiest(
    study: &Study,
    bench: &mut dyn Bench,
    jobs: &[(Work, usize, View)],
    limits: &[Option<Limit>],
    figures: &mut [Vec<Figure>],
) {
    let mut flows: Option<Vec<Flow>> = None;
    for (job, (_, number, _)) in jobs.iter().enumerate() {
        let ask = &study.asks[*number];
        let (Question::Bottleneck(event), Some(limit)) = (&ask.question, limits[job]) else { continue };
        if limit == Limit::Interrupted || bench.form() == FormKind::Synchronous {
            continue;
        }
        let flows = flows.get_or_insert_with(|| by_simulation(study, bench).flows);
        let Some(flow) = flows.iter().find(|flow| flow.event == event.text) else { continue };
        let Some(names) = &flow.bottleneck else { continue };
        let mut notes = vec![format!("The exact views are undecided: {}.", limit.reason())];
        notes.extend(flow.findings.iter().cloned());
        let result = FigureResult::Word(names.join(" + "));
        let mut found = vec![Figure { result, notes, ..blank(ask, View::Simulated) }];
        if ask.expect.is_some() {
            figures[job].extend(found);
        } else {
            finish(study, *number, &mut found);
            figures[job] = found;
        }
    }
}

/// Answers a question in a view, and says whether that was expected.
fn answer(study: &Study, bench: &mut dyn Bench, number: usize, view: View) -> Vec<Figure> {
    let ask = &study.asks[number];
    let accepted = accepts(bench.form(), &ask.question, view).and_then(|()| accepts_delays(study, view));
    let mut figures = match accepted {
        Ok(()) => match &ask.question {
            Question::Bottleneck(event) => {
                if view == View::Simulated && bench.flows().is_empty() {
                    let flows = by_simulation(study, bench).flows;
                    bench.flows().extend(flows);
                }
                let flow = flow(study, bench, event);
                // Where all delays are random, means are all that is known.
                let is_mean = flow.cases.is_empty() && !study.has_windows() && view != View::Simulated;
                let view = if is_mean { View::Stochastic } else { view };
                let notes = if view == View::Simulated { flow.findings.clone() } else { Vec::new() };
                vec![Figure { result: limit_of(flow), notes, ..blank(ask, view) }]
            }
            Question::Size(part) => vec![Figure { result: size(*part, bench.cover()), ..blank(ask, view) }],
            _ => bench.answer_one(number, view),
        },
        Err(refusal) => {
            vec![Figure { result: FigureResult::None(refusal.reason), ..blank(ask, view) }]
        }
    };
    finish(study, number, &mut figures);
    figures
}

/// Names the figures of a question, and says whether what came out was expected.
fn finish(study: &Study, number: usize, figures: &mut Vec<Figure>) {
    let ask = &study.asks[number];
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
}

/// Makes a bandwidth of a throughput.
fn scale(figure: &mut Figure, factor: Time) {
    "MB/s".clone_into(&mut figure.unit);
    if let FigureResult::Estimated { value, low, high, .. } = &mut figure.result {
        for number in [value, low, high] {
            *number *= as_f64(factor);
        }
    }
    // The factor is rounded, and so is the product.
    let scaled = |number: f64, is_low: bool| {
        let scaled = number * as_f64(factor);
        let off = 2.0 * f64::EPSILON * scaled.abs();
        if is_low { scaled - off } else { scaled + off }
    };
    let end = |(low, high)| (scaled(low, true), scaled(high, false));
    figure.range = figure.range.map(|range| range.map(end));
    let FigureResult::Value { low, high, .. } = &mut figure.result else { return };
    for (number, is_low) in [(low, true), (high, false)] {
        *number = match *number {
            Number::Ratio(over, under) => {
                let scaled = Time::new(over, under) * factor;
                Number::Ratio(*scaled.numer(), *scaled.denom())
            }
            Number::Float(number) => Number::Float(scaled(number, is_low)),
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
