//! How often an event happens, and everything that says why not more often.

use narrows_model::wording::short;
use narrows_model::{Bar, Bottleneck, Case, Figure, FigureResult, Flow, FormKind};
use narrows_performance::requests::RequestEvents;
use narrows_performance::timed::ratio::Extreme;
use narrows_performance::timed::{Timed, Walk};
use narrows_performance::{Time, as_f64};

use super::case::{BARS, Described};
use super::rate::{Rate, rate};
use super::{NO_DELAYS, events};
use crate::accepts::views_with_time;
use crate::measure::{Built, Exact, Workbench};
use crate::{Ask, LatencyKind, Question, Text, View};

impl Workbench<'_, '_> {
    /// Looks at an event.
    pub(crate) fn look_at(&mut self, event: &Text) -> Flow {
        let mut flow = Flow { event: event.text.clone(), ..Flow::default() };
        if !self.study.has_delays() {
            flow.findings.push(NO_DELAYS.to_owned());
            return flow;
        }
        flow.throughput = self.in_views(&Question::Throughput(event.clone()));
        if self.study.has_windows() {
            self.cases(event, &mut flow);
            flow.mean_overlapped = self.mean_overlapped(&flow);
        }
        if !self.study.is_first_look {
            self.changes(event, &mut flow);
        }
        self.conclude(&mut flow);
        if !self.leaves_out_means {
            self.blame_misses(event, &mut flow);
        }
        flow
    }

    /// Adds means to what was found without them.
    pub(crate) fn add_means_to(&mut self, bottleneck: &mut Bottleneck) {
        let mean = |bench: &mut Self, question| bench.answer(&Ask::plain(question), View::Stochastic);
        let busy = self.study.resources.iter().zip(&mut bottleneck.utilisation);
        for ((name, _), figures) in busy {
            figures.push(mean(self, Question::Utilisation(name.clone())));
        }
        for (event, flow) in events(self.study).iter().zip(&mut bottleneck.flows) {
            flow.throughput.push(mean(self, Question::Throughput(event.clone())));
            flow.mean_overlapped = self.mean_overlapped(flow);
            self.blame_misses(event, flow);
        }
    }

    /// Says which variable's misses cost most, if there are caches.
    fn blame_misses(&mut self, event: &Text, flow: &mut Flow) {
        if self.prepared.caches.is_none() {
            return;
        }
        let times = self.means.miss_times(&Ask::plain(Question::MissTime(event.clone())), event);
        let Some((name, time)) = times.first().and_then(|figure| match figure.result {
            FigureResult::Value { low, high, .. } => {
                Some((figure.name.clone(), f64::midpoint(low.to_f64(), high.to_f64())))
            }
            _ => None,
        }) else {
            return;
        };
        let share = times[0].notes.first().map_or("", String::as_str).trim_end_matches('.');
        let unit = &self.study.unit;
        flow.findings.insert(
            0,
            format!(
                "Misses on `{name}` cost most: for each `{}`, processes wait {} {unit} for them, {share}.",
                event.text,
                short(time)
            ),
        );
        flow.bottleneck.get_or_insert_with(|| vec![name]);
    }

    /// Answers a question in all views with time.
    pub(super) fn in_views(&mut self, question: &Question) -> Vec<Figure> {
        let ask = Ask::plain(question.clone());
        let views = views_with_time(self.study, FormKind::Processes).into_iter();
        let views = views.filter(|view| !self.leaves_out_means || *view != View::Stochastic);
        views.collect::<Vec<_>>().into_iter().map(|view| self.answer(&ask, view)).collect()
    }

    /// Returns how often an event could happen on average, with the work that there is for it on average, if
    /// the mean is more than the work of the best run allows.
    fn mean_overlapped(&mut self, flow: &Flow) -> Option<f64> {
        let possible = flow.cases.last()?.all_overlapped.to_f64();
        let mean = flow.throughput.iter().find(|figure| figure.view == View::Stochastic.name())?;
        let FigureResult::Value { low, high, .. } = &mean.result else { return None };
        let is_exceeded = low.to_f64() > possible * (1.0 + 1e-9);
        is_exceeded.then(|| self.means.busiest().map(|part| high.to_f64() / part)).flatten()
    }

    /// Looks at the best and the worst run.
    fn cases(&mut self, event: &Text, flow: &mut Flow) {
        let Some(busy) = self.busy_states() else { return };
        let Some(event) = self.prepared.event(event) else { return };
        let resources = self.study.resources.len();
        let delays = self.prepared.delays_of_resources(self.study);
        let asked = self.study.asks.iter().filter_map(|ask| match &ask.question {
            Question::Latency(latency) if latency.kind == LatencyKind::Latency && !latency.is_percentile => {
                Some((ask.name.as_str(), latency.by.is_some(), self.prepared.requests(latency)))
            }
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        // Requests that are told apart are counted in a view of their own.
        let apart = asked.iter().map(|(_, is_apart, (timing, _, values))| {
            is_apart.then(|| self.timed.apart(timing, values.as_ref())).flatten()
        });
        let apart: Vec<Option<Exact<'_>>> = apart.collect();
        let (unit, evaluator) = (&self.study.unit, self.engine.evaluator());
        let Ok(timed) = self.timed.timed() else { return };
        let evaluator = Some(evaluator);
        let requests = |name: &str, timed: &Timed<'_>, walk: &Walk| {
            let which = if name == "worst" { Extreme::Worst } else { Extreme::Best };
            let each = asked.iter().zip(&apart).filter_map(|((name, is_apart, (_, kinds, _)), own)| {
                let bars = match own {
                    Some(own) => {
                        let (rate, own) = rate(own.as_built(), event, which)?;
                        first_requests(&own, &rate.walk, kinds)
                    }
                    None if *is_apart => return None,
                    None => first_requests(timed, walk, kinds),
                };
                Some(((*name).to_owned(), bars))
            });
            each.collect::<Vec<_>>()
        };
        let [worst, best] = [Extreme::Worst, Extreme::Best].map(|which| rate(timed.as_built(), event, which));
        for (name, (rate, timed)) in told(worst, best) {
            let described =
                Described { timed: &timed, evaluator, busy: &busy, resources, delays: &delays, unit };
            let mut case = described.case(name, &rate);
            case.gantt.requests = requests(name, &timed, &rate.walk);
            flow.cases.push(case);
        }
    }
}

/// Returns when the first requests on a run are open.
fn first_requests(timed: &Timed<'_>, walk: &Walk, kinds: &[RequestEvents]) -> Vec<Bar> {
    let tick = timed.tick().unwrap_or_else(|| Time::from_integer(1));
    let time = |ticks: u64| as_f64(tick * Time::from_integer(i128::from(ticks)));
    let rounds = if walk.cycle.is_some() { 2 * BARS } else { 1 };
    let requests = walk.unrolled(rounds).requests(timed, kinds);
    requests.into_iter().take(BARS).map(|(from, to)| Bar { from: time(from), to: time(to) }).collect()
}

/// Describes the worst and the best run of an event; where they are alike, one stands for every run.
pub(crate) fn cases(described: &Described<'_, '_>, event: u16) -> Vec<(Case, Walk)> {
    let built = Built::Ticks(described.timed);
    let [worst, best] = [Extreme::Worst, Extreme::Best].map(|which| rate(built, event, which));
    told(worst, best).map(|(name, (rate, _))| (described.case(name, &rate), rate.walk)).collect()
}

/// Returns which of the worst and the best run are told, each with its name.
fn told<T>(
    worst: Option<(Rate, T)>,
    best: Option<(Rate, T)>,
) -> impl Iterator<Item = (&'static str, (Rate, T))> {
    let ratio = |(rate, _): &(Rate, T)| (u128::from(rate.count), u128::from(rate.ticks));
    let is_same = worst.as_ref().zip(best.as_ref()).is_some_and(|(worst, best)| {
        let ((low, low_ticks), (high, high_ticks)) = (ratio(worst), ratio(best));
        low * high_ticks == high * low_ticks
    });
    let counts = |(rate, _): &(Rate, T)| rate.count > 0;
    let worst = worst.filter(|worst| !is_same && counts(worst)).map(|worst| ("worst", worst));
    let best = best.filter(counts).map(|best| (if is_same { "every" } else { "best" }, best));
    worst.into_iter().chain(best)
}
