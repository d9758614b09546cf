//! What limits a LOTOS model: how often its actions happen, and which delay makes the difference.

use narrows_model::wording::percent;
use narrows_model::{Bottleneck, Figure, Flow, FormKind, Overlap, Sensitivity, Together};
use narrows_performance::Time;

use super::findings::{matters, most_critical};
use super::{MAX_RESOURCES, NO_DELAYS, resources};
use crate::accepts::views_with_time;
use crate::measure::LabelledBench;
use crate::{Ask, Question, Text, View};

impl LabelledBench<'_> {
    /// Finds which resources overlap, and how much they are used.
    pub(crate) fn look_at_resources(&mut self, bottleneck: &mut Bottleneck) {
        let study = self.study;
        bottleneck.resources = resources(study);
        let all: Vec<usize> = (0..bottleneck.resources.len()).collect();
        if all.is_empty() {
            return;
        }
        let has_time = study.has_delays() && study.has_windows();
        for view in [View::Untimed, View::Timed].into_iter().take(1 + usize::from(has_time)) {
            let (pairs, sets) = match self.overlaps(&all, view) {
                Ok(found) => (found.pairs, Some(found.sets)),
                Err(figure) => {
                    let later = |first: &usize| (first + 1..all.len()).collect::<Vec<_>>();
                    let pairs =
                        all.iter().flat_map(|first| later(first).into_iter().map(|one| (*first, one)));
                    (pairs.map(|(first, second)| (first, second, (*figure).clone())).collect(), None)
                }
            };
            for (first, second, figure) in pairs {
                let overlaps = &mut bottleneck.overlaps;
                match overlaps.iter_mut().find(|one| (one.first, one.second) == (first, second)) {
                    Some(known) => known.answers.push(figure),
                    None => overlaps.push(Overlap { first, second, answers: vec![figure] }),
                }
            }
            let together = |sets| Together { view: view.name(), sets, is_complete: true };
            bottleneck.together.extend(sets.map(together));
        }
        if study.has_delays() {
            for (name, _) in study.resources.iter().take(MAX_RESOURCES) {
                bottleneck.utilisation.push(self.in_views(Question::Utilisation(name.clone())));
            }
        }
    }

    /// Answers a question in all views with time. It is about no way from one action to another, so that its
    /// number does not matter.
    fn in_views(&mut self, question: Question) -> Vec<Figure> {
        let ask = Ask::plain(question);
        let views = views_with_time(self.study, FormKind::Labelled).into_iter();
        views.map(|view| self.answer(&ask, view)).collect()
    }

    /// Looks at an event.
    pub(crate) fn look_at(&mut self, event: &Text) -> Flow {
        let mut flow = Flow { event: event.text.clone(), ..Flow::default() };
        if self.study.has_delays() {
            self.look(event, &mut flow);
        } else {
            flow.findings.push(NO_DELAYS.to_owned());
        }
        flow
    }

    fn look(&mut self, event: &Text, flow: &mut Flow) {
        flow.throughput = self.in_views(Question::Throughput(event.clone()));
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
        for change in most_critical(&flow.changes) {
            let Some(share) = change.elasticity().filter(|share| *share > NOTHING) else { continue };
            flow.findings.push(format!(
                "On average, `{}` waits most for `{}`: {} of the time between two of them depends on it.",
                event.text,
                change.delay,
                percent(share.min(1.0))
            ));
            flow.bottleneck.get_or_insert_default().push(change.delay.clone());
        }
        flow.findings.extend(matters(&flow.changes));
    }
}

/// What makes no more difference than this makes none: figures are no better known.
const NOTHING: f64 = 1e-4;
