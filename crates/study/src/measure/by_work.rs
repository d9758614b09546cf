//! Bounds of throughput by the work that it takes, where the timed view has too many clocks.

use narrows_model::{Figure, FigureResult, Number};
use narrows_performance::timed::{Unclocked, WorkBounds, Workers};
use narrows_performance::{BuildError, StateGraph};

use super::blank;
use super::views::Views;
use crate::{Ask, Question, View};

/// Cycles are looked for among no more steps than this.
const MAX_EDGES: usize = 1 << 21;

impl Views<'_, '_> {
    /// Bounds how often an event happens at best and at worst; `None` if it takes too long, or there is
    /// nothing to say.
    pub(crate) fn bound_by_work(&mut self, ask: &Ask) -> Option<Figure> {
        let Question::Throughput(event) = &ask.question else { return None };
        let event = self.prepared.event(event)?;
        if self.unclocked.is_none() {
            self.unclocked = self.forget_clocks();
        }
        let WorkBounds { least, most } = self.unclocked.as_mut()?.frequency(event);
        let (most, Workers { name, processes }) = most?;
        let mut figure = blank(ask, View::Timed);
        figure.unit = format!("1/{}", self.study.unit);
        let [low, high] = [least, most].map(|rate| Number::Ratio(*rate.numer(), *rate.denom()));
        figure.result = FigureResult::Value { low, high, exact: false };
        let who = match processes[..] {
            [_] => format!("`{name}` works"),
            _ => format!("{} processes `{name}` work", processes.len()),
        };
        figure.notes.push(format!(
            "No run is beyond these bounds, but perhaps none attains them: there are too many clocks for exact \
             ones. At best, {who} all the time."
        ));
        Some(figure)
    }
}

impl<'a> Views<'a, '_> {
    /// Builds the graph of states in which clocks are forgotten, with equal parts counted once.
    fn forget_clocks(&self) -> Option<Unclocked<'a>> {
        let (system, timing) = (Some(&self.prepared.system), &self.prepared.timing);
        if let Some(quotient) = self.equal.quotient {
            let rows = StateGraph::new(quotient, system, timing, self.budget.clone()).ok()?;
            match Unclocked::build(rows.of_orbits(), MAX_EDGES).ok()? {
                Err(BuildError::Limit(_)) => return None,
                // Busy waiting, perhaps: there it is not known who waits.
                Err(_) => {}
                Ok(built) => return Some(built),
            }
        }
        let rows = StateGraph::new(self.engine, system, timing, self.budget.clone()).ok()?;
        Unclocked::build(rows, MAX_EDGES).ok()?.ok()
    }
}
