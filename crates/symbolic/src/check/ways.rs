//! Questions about ways: the least and the most steps from one set to another, and what is counted on them.

use narrows_model::synchronous::{ExprId, Specification, SynchronousSystem};
use narrows_model::{Budget, Checked, Figure, FigureResult, Limit, Number, Reply, Trace};

use super::{CONTRADICTION, ENDS, Engine, Result, blank, checked};
use crate::bdd::Manager;
use crate::bounds::{Bound, Ways};

/// A question with what counts is a way from one set to another.
#[derive(Clone, Debug)]
pub struct Way {
    /// Where it begins.
    pub from: ExprId,
    /// Where it ends.
    pub to: ExprId,
    /// What is counted on it, with its text.
    pub counted: Vec<(ExprId, String)>,
    /// What it is called.
    pub name: String,
}

/// Finds the least and the most steps, and counts, on ways.
pub fn bounds(system: &SynchronousSystem, way: &Way, budget: &Budget) -> Checked {
    let manager = Manager::new(budget);
    let engine = Engine::new(system, manager.clone());
    bounds_with(engine, way, &manager)
}

/// Finds bounds with an engine, if there is one.
pub(crate) fn bounds_with(engine: Result<Engine<'_>>, way: &Way, manager: &Manager) -> Checked {
    let mut limit = engine.as_ref().err().copied();
    let mut replies: Vec<Reply> = Vec::new();
    let mut add = |kind: &'static str, name: String, ask: &dyn Fn(&Engine<'_>) -> Result<Figure>| {
        let figure = match (&engine, limit) {
            (Ok(engine), None) => ask(engine),
            (_, limit) => Err(limit.unwrap_or(Limit::Memory)),
        };
        let figure = figure.unwrap_or_else(|hit| {
            limit = Some(hit);
            blank(kind, name, FigureResult::Undecided(hit))
        });
        replies.push(figure.into());
    };
    for kind in ["min_delay", "max_delay"] {
        add(kind, way.name.clone(), &|engine| engine.delay(kind, way.from, way.to, &way.name, None));
    }
    for (counted, text) in &way.counted {
        for kind in ["min_count", "max_count"] {
            let name = format!("{text}: {}", way.name);
            add(kind, name.clone(), &|engine| engine.occurrences(kind, (way.from, way.to), *counted, &name));
        }
    }
    checked(engine.ok(), replies, manager, limit)
}

impl Engine<'_> {
    pub(super) fn ways(&self, from: ExprId, to: ExprId) -> Result<Ways<'_>> {
        // As for formulas, states that no endless fair run passes do not count.
        let checker = self.checker();
        let is_plain = self.fairness.is_trivial() && self.counts_finite;
        let all = if is_plain { &self.reached.all } else { checker.fair()? };
        let from = self.space.states(self.system, from)?.and(all)?;
        let to = self.space.states(self.system, to)?.and(all)?;
        Ok(Ways { space: &self.space, reached: &self.reached, all, from, to })
    }

    pub(super) fn delay(
        &self,
        kind: &'static str,
        from: ExprId,
        to: ExprId,
        name: &str,
        specification: Option<&Specification>,
    ) -> Result<Figure> {
        let ways = self.ways(from, to)?;
        if kind == "max_delay" && ways.from.is_false() {
            let reason = "No state in which it could begin can be reached.".to_owned();
            return Ok(blank(kind, name.to_owned(), FigureResult::None(reason)));
        }
        let bound = if kind == "min_delay" { ways.minimum()? } else { ways.maximum()? };
        Ok(self.figure(kind, name, bound, specification))
    }

    pub(super) fn occurrences(
        &self,
        kind: &'static str,
        (from, to): (ExprId, ExprId),
        counted: ExprId,
        name: &str,
    ) -> Result<Figure> {
        let ways = self.ways(from, to)?;
        if ways.from.is_false() && kind == "max_count" {
            let reason = "No state in which it could begin can be reached.".to_owned();
            return Ok(blank(kind, name.to_owned(), FigureResult::None(reason)));
        }
        let counted = self.space.states(self.system, counted)?;
        let bound =
            if kind == "min_count" { ways.minimum_count(&counted)? } else { ways.maximum_count(&counted)? };
        Ok(self.figure(kind, name, bound, None))
    }

    pub(super) fn figure(
        &self,
        kind: &'static str,
        name: &str,
        bound: Bound,
        specification: Option<&Specification>,
    ) -> Figure {
        let number = bound.value.map_or(Number::Infinity, |value| Number::Ratio(i128::from(value), 1));
        let result = FigureResult::Value { low: number, high: number, exact: true };
        let mut figure = blank(kind, name.to_owned(), result);
        if !self.ends.is_false() && !self.counts_finite {
            figure.notes.push(ENDS.to_owned());
        }
        if let Some(shown) = bound.run {
            let to = match shown.to {
                Some(to) => format!("from state {} to state {to}", shown.from),
                None => format!("from state {} on, without an end", shown.from),
            };
            match shown.run.replay(&self.reference, specification) {
                Some(trace) => {
                    let part = Some((shown.from, shown.to));
                    figure.witnesses.push((to, Trace { part, ..trace }));
                }
                None => figure.result = FigureResult::None(CONTRADICTION.to_owned()),
            }
        }
        figure
    }
}
