//! How often an event happens, and everything that says why not more often.

use narrows_model::wording::short;
use narrows_model::{Figure, FigureResult, Flow};
use narrows_performance::timed::ratio::Extreme;

use super::case::Described;
use super::rate::rate;
use crate::measure::Workbench;
use crate::{Ask, Question, Text, View};

impl Workbench<'_, '_> {
    /// Looks at an event, once.
    pub(crate) fn flow(&mut self, event: &Text) -> Flow {
        if let Some(flow) = self.flows.iter().find(|flow| flow.event == event.text) {
            return flow.clone();
        }
        let flow = self.look(event);
        self.flows.push(flow.clone());
        flow
    }

    fn look(&mut self, event: &Text) -> Flow {
        let mut flow = Flow { event: event.text.clone(), ..Flow::default() };
        if !self.study.has_delays() {
            flow.findings.push("The study gives no delays, so nothing is known about time.".to_owned());
            return flow;
        }
        flow.throughput = self.in_views(&Question::Throughput(event.clone()));
        if self.study.has_windows() {
            self.cases(event, &mut flow);
        }
        self.changes(event, &mut flow);
        self.conclude(&mut flow);
        self.blame_misses(event, &mut flow);
        flow
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
        let views = [(View::Timed, self.study.has_windows()), (View::Stochastic, true)];
        views.into_iter().filter(|(_, is_there)| *is_there).map(|(view, _)| self.answer(&ask, view)).collect()
    }

    /// Looks at the best and the worst run.
    fn cases(&mut self, event: &Text, flow: &mut Flow) {
        let Some(busy) = self.busy_states() else { return };
        let Some(event) = self.prepared.event(event) else { return };
        let resources = self.study.resources.len();
        let (unit, evaluator) = (&self.study.unit, self.engine.evaluator());
        let Ok(timed) = self.timed.timed() else { return };
        let described = Described { timed, evaluator: Some(evaluator), busy: &busy, resources, unit };
        let (worst, best) = (rate(timed, event, Extreme::Worst), rate(timed, event, Extreme::Best));
        let ratio = |rate: &super::rate::Rate| (u128::from(rate.count), u128::from(rate.ticks));
        let is_same = worst.as_ref().zip(best.as_ref()).is_some_and(|(worst, best)| {
            let ((low, low_ticks), (high, high_ticks)) = (ratio(worst), ratio(best));
            low * high_ticks == high * low_ticks
        });
        if let Some(worst) = worst.filter(|worst| !is_same && worst.count > 0) {
            flow.cases.push(described.case("worst", &worst));
        }
        if let Some(best) = best.filter(|best| best.count > 0) {
            let name = if is_same { "every" } else { "best" };
            flow.cases.push(described.case(name, &best));
        }
    }
}
