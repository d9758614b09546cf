//! What goes wrong in the reachable states of a system: one state for each fault, and a deadlock.

use std::ops::ControlFlow;

use narrows_model::flatten::Flat;
use narrows_model::{Evaluator, Expansion, Limit, Scratch, StateSpace, Successor, Violation};

use super::Trouble;
use crate::check::Engine;

/// Finds a state for each thing that goes wrong; `None` if the evaluator does not confirm one.
pub(super) fn problems(
    evaluator: &Evaluator<'_>,
    flat: &Flat<'_>,
    engine: &Engine<'_>,
) -> Result<Option<Vec<Trouble>>, Limit> {
    let mut list: Vec<Trouble> = Vec::new();
    for hazard in &flat.hazards {
        let meant = hazard.violation;
        let is_same = |other: &Violation| other.kind == meant.kind && other.span == meant.span;
        if list.iter().any(|(known, _)| known.as_ref().is_some_and(is_same)) {
            continue;
        }
        let Some(values) = engine.reached_where(hazard.condition)? else { continue };
        let state = flat.state(&values);
        let mut found: Option<Violation> = None;
        evaluator.successors(&state, &mut Scratch::default(), &mut |successor| {
            for violation in successor.violations.iter().filter(|violation| violation.kind == meant.kind) {
                found = Some(found.filter(is_same).unwrap_or(*violation));
            }
            ControlFlow::Continue(())
        });
        if found.is_none() {
            return Ok(None);
        }
        list.push((found, state));
    }
    if let Some(values) = engine.reached_where(flat.deadlock)? {
        let state = flat.state(&values);
        let nothing = &mut |_: Successor<'_>| ControlFlow::Continue(());
        if evaluator.successors(&state, &mut Scratch::default(), nothing) != Expansion::Deadlock {
            return Ok(None);
        }
        list.push((None, state));
    }
    Ok(Some(list))
}
