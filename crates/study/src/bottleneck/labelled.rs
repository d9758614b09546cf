//! What limits a LOTOS model: how often its actions happen, and which delay makes the difference.

use narrows_explicit::Budget;
use narrows_model::wording::percent;
use narrows_model::{Bottleneck, Figure, FigureResult, Flow, Sensitivity};
use narrows_performance::Time;

use super::Analysis;
use super::findings::matters;
use crate::labelled::Labelled;
use crate::measure::{Bench, new_figure, on_graph};
use crate::{Ask, Question, Study, Text, View};

/// Answers the questions of a study about a LOTOS model, and finds its bottleneck.
pub fn analyse_labelled(study: &Study, model: &Labelled, budget: &Budget<'_>) -> Analysis {
    let analysed = on_graph(study, model, budget, |mut bench| {
        for event in events(study) {
            bench.flow(&event);
        }
        let measured = bench.answer_all();
        let flows = bench.flows;
        Analysis { measured, bottleneck: Bottleneck { flows, ..Bottleneck::default() } }
    });
    analysed.unwrap_or_else(|nothing| Analysis { measured: nothing, ..Analysis::default() })
}

/// Returns the events to look at: those of which it is asked how often they happen, or what limits them, or else all.
fn events(study: &Study) -> Vec<Text> {
    let asked = study.asks.iter().filter_map(|ask| match &ask.question {
        Question::Throughput(event) | Question::MeanPeriod(event) | Question::Bottleneck(event) => {
            Some(event)
        }
        _ => None,
    });
    let asked: Vec<Text> = asked.cloned().collect();
    if asked.is_empty() { study.events.iter().map(|(name, _)| name.clone()).collect() } else { asked }
}

impl Bench<'_> {
    /// Looks at an event, once.
    fn flow(&mut self, event: &Text) -> Flow {
        if let Some(flow) = self.flows.iter().find(|flow| flow.event == event.text) {
            return flow.clone();
        }
        let mut flow = Flow { event: event.text.clone(), ..Flow::default() };
        if self.study.has_delays() {
            self.look(event, &mut flow);
        } else {
            flow.findings.push("The study gives no delays, so nothing is known about time.".to_owned());
        }
        self.flows.push(flow.clone());
        flow
    }

    fn look(&mut self, event: &Text, flow: &mut Flow) {
        let ask = Ask::plain(Question::Throughput(event.clone()));
        // The question is about no way from one action to another, so that its number does not matter.
        let views = [(View::Timed, self.study.has_windows()), (View::Stochastic, true)];
        for (view, _) in views.into_iter().filter(|(_, is_there)| *is_there) {
            flow.throughput.push(self.answer(&ask, usize::MAX, view));
        }
        let Some(now) = self.throughput_with(&self.model.delays, &event.text) else {
            flow.findings.push(
                "It is not known how often it happens on average, and so not what limits it.".to_owned(),
            );
            return;
        };
        for (index, delayed) in self.model.delays.iter().enumerate() {
            let with = |part: i128| {
                let mut delays = self.model.delays.clone();
                delays[index].delay = delayed.delay.scaled(Time::new(part, 10));
                self.throughput_with(&delays, &event.text)
            };
            let (delay, view) = (delayed.text.clone(), View::Stochastic.name());
            flow.changes.push(Sensitivity { delay, view, now, less: with(9), more: with(11) });
        }
        let gain = |change: &Sensitivity| change.gain().unwrap_or(f64::NEG_INFINITY);
        flow.changes.sort_by(|one, other| gain(other).total_cmp(&gain(one)));
        if let Some((first, share)) =
            flow.changes.first().and_then(|first| Some((first, first.elasticity()?)))
            && share > NOTHING
        {
            flow.findings.push(format!(
                "On average, `{}` is what `{}` waits for most: {} of the time between two of them depends on it.",
                first.delay,
                event.text,
                percent(share.min(1.0))
            ));
            flow.bottleneck = Some(vec![first.delay.clone()]);
        }
        flow.findings.extend(matters(&flow.changes));
    }

    /// Names the bottleneck that a question asks for.
    pub(crate) fn name_bottleneck(&mut self, ask: &Ask, event: &Text) -> Figure {
        let mut figure = new_figure("bottleneck", ask.name.clone(), View::Stochastic.name());
        let flow = self.flow(event);
        figure.result = match flow.bottleneck {
            Some(names) => FigureResult::Word(names.join(" + ")),
            None => FigureResult::None("There is no bottleneck to name.".to_owned()),
        };
        figure
    }
}

/// What makes no more difference than this makes none: figures are no better known.
const NOTHING: f64 = 1e-4;
