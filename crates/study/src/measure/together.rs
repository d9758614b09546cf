//! Requests of several questions, followed in one view.
//!
//! A view that counts more events has the same states, and costs as much as one that counts few. But choices
//! that differ in nothing but what they count are open choices: where there are any, each question gets a
//! view of its own.

use narrows_model::{Figure, FigureResult, FormKind};
use narrows_performance::requests::{Change, Order, RequestEvents};
use narrows_performance::{Timing, stochastic};

use super::blank;
use super::equal_parts::either;
use super::failure::{Failure, result_of};
use super::latency::Followed;
use super::stochastic::{Means, size_of};
use crate::accepts::views;
use crate::{Ask, Latency, LatencyKind, Question, Study, Text, View};

/// What tells requests between two events from others: with which they begin and end, and their order.
pub(super) type Ends = (String, String, Order);

/// A timing that counts the events of several kinds of requests, each under numbers of its own.
#[derive(Clone, Debug)]
pub(crate) struct RequestsTogether {
    pub(super) timing: Timing,
    pub(super) kinds: Vec<(Ends, RequestEvents)>,
}

impl RequestsTogether {
    /// Finds the requests between two events that a study asks about in the stochastic view, given the
    /// timing in which these are counted.
    pub(crate) fn new(
        study: &Study,
        form: FormKind,
        mut timing: Timing,
        event: &dyn Fn(&Text) -> Option<u16>,
    ) -> RequestsTogether {
        let mut kinds: Vec<(Ends, RequestEvents)> = Vec::new();
        for ask in &study.asks {
            let Question::Latency(latency) = &ask.question else { continue };
            let views = views(study, form, ask.view, &ask.question);
            let Some(ends) = ends_of(latency).filter(|_| views.contains(&View::Stochastic)) else { continue };
            if kinds.iter().any(|(known, _)| *known == ends) {
                continue;
            }
            let Some((from, to)) = event(&latency.from).zip(event(&latency.to)) else { continue };
            let begin = timing.counted_again(from);
            let end = if from == to { begin } else { timing.counted_again(to) };
            // What ends and begins has a number that no statement has.
            let both = timing.counted_again(u16::MAX);
            kinds.push((ends, RequestEvents { from: begin, to: end, both, order: latency.order }));
        }
        RequestsTogether { timing, kinds }
    }

    /// Counts nothing but these requests.
    pub(super) fn alone(self) -> RequestsTogether {
        let events: Vec<u16> = self.kinds.iter().flat_map(|(_, kind)| [kind.from, kind.to]).collect();
        RequestsTogether { timing: self.timing.counting(&events), ..self }
    }
}

/// Returns the ends of requests that are told by events alone.
pub(super) fn ends_of(latency: &Latency) -> Option<Ends> {
    let is_of_events = matches!(latency.kind, LatencyKind::Latency | LatencyKind::Period);
    let ends = || (latency.from.text.clone(), latency.to.text.clone(), latency.order);
    (is_of_events && latency.by.is_none()).then(ends)
}

/// A view in which requests of several questions are followed.
pub(super) struct Shared<'a> {
    view: stochastic::Stochastic<'a>,
    /// How many seconds it took to build it.
    seconds: f64,
}

impl Means<'_, '_> {
    /// Builds the view in which requests of several questions are followed.
    fn share(&mut self) {
        let RequestsTogether { timing, kinds } = self.prepared.together(self.study);
        if self.shared.is_some() || kinds.len() < 2 {
            return;
        }
        let before = self.budget.watch.seconds();
        let events: Vec<RequestEvents> = kinds.iter().map(|(_, kind)| *kind).collect();
        let view = either(self.equal.quotient, &self.budget, |counting, budget| {
            let model = (&self.prepared.system, timing);
            stochastic::build_ordered(self.equal.rows((counting, self.engine), model, budget)?, &events)
        });
        let seconds = self.budget.watch.seconds() - before;
        let failure = |error| -> Failure { Box::new(result_of(&error, self.engine.evaluator())) };
        self.shared = Some(view.map(|view| Shared { view, seconds }).map_err(failure));
    }

    /// Says how long requests take, in a view that is shared with other questions; `None` if it needs one of
    /// its own.
    pub(super) fn latency_together(&mut self, ask: &Ask, latency: &Latency) -> Option<Vec<Figure>> {
        let ends = ends_of(latency)?;
        self.share();
        match self.shared.as_ref()? {
            Ok(shared) if shared.view.decisions() == 0 => {
                let kinds = &self.prepared.together(self.study).kinds;
                let place = kinds.iter().position(|(known, _)| *known == ends)?;
                let (view, kinds) = (&shared.view, &[kinds[place].1]);
                let (unit, watch) = (&self.study.unit, &*self.budget.watch);
                let (first_kind, initially) = (place as u32, Change::default());
                let followed = Followed { ask, latency, unit, view, kinds, first_kind, initially, watch };
                let figures = followed.figures();
                self.followed = Some(size_of(&shared.view, shared.seconds));
                Some(figures)
            }
            // A view of its own would be as large.
            Err(failure) if matches!(failure.0, FigureResult::Undecided(_)) => {
                let (result, witness) = (**failure).clone();
                let witnesses = witness.into_iter().collect();
                Some(vec![Figure { result, witnesses, ..blank(ask, View::Stochastic) }])
            }
            _ => None,
        }
    }
}
