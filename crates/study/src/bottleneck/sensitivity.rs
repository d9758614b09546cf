//! What a throughput would be if a delay were 10 % shorter, or longer.

use narrows_model::{FigureResult, Flow, Sensitivity};
use narrows_performance::timed::ratio::Extreme;
use narrows_performance::{Delay, Time, as_f64};

use super::rate::rate;
use crate::measure::Workbench;
use crate::{Text, View};

impl Workbench<'_, '_> {
    /// Changes each delay in turn.
    pub(super) fn changes(&mut self, event: &Text, flow: &mut Flow) {
        let Some(number) = self.prepared.event(event) else { return };
        let timing = &self.prepared.timing;
        let tenth = |delay: &Delay, part: i128| delay.scaled(Time::new(part, 10));
        // At best, where there is a best case, and on average otherwise.
        let best = flow.cases.last().map(|case| case.throughput.to_f64());
        let mean = flow.throughput.iter().find(|figure| figure.view == View::Stochastic.name());
        let mean = mean.and_then(|figure| match figure.result {
            FigureResult::Value { low, high, .. } => Some(f64::midpoint(low.to_f64(), high.to_f64())),
            _ => None,
        });
        let (view, Some(now)) = (if best.is_some() { View::Timed } else { View::Stochastic }, best.or(mean))
        else {
            return;
        };
        for (index, delayed) in timing.delays().iter().enumerate() {
            let with = |part: i128| -> Option<f64> {
                let changed = timing.with_delay(index, tenth(&delayed.delay, part));
                if view == View::Stochastic {
                    return self.means.throughput_with(&changed, number);
                }
                let exact = self.timed.changed(&changed)?;
                let (found, _) = rate(exact.as_built(), number, Extreme::Best)?;
                let tick = exact.as_built().tick()?;
                Some(as_f64(found.per_time(tick)))
            };
            let (less, more) = (with(9), with(11));
            flow.changes.push(Sensitivity {
                delay: delayed.name.clone(),
                view: view.name(),
                now,
                less,
                more,
            });
        }
        let gain = |change: &Sensitivity| change.gain().unwrap_or(f64::NEG_INFINITY);
        flow.changes.sort_by(|one, other| gain(other).total_cmp(&gain(one)));
    }
}
