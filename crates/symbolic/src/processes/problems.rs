//! What goes wrong in the reachable states of processes: each fault once, and a deadlock.

use std::ops::ControlFlow;

use narrows_model::flatten::Flat;
use narrows_model::{Evaluator, Expansion, Limit, Problem, Scratch, StateSpace, Successor, Violation};

use crate::check::Engine;

/// Finds everything that goes wrong, each place once; `None` if the evaluator does not confirm one.
pub(super) fn problems(
    evaluator: &Evaluator<'_>,
    flat: &Flat<'_>,
    engine: &Engine<'_>,
) -> Result<Option<Vec<Problem>>, Limit> {
    let mut known: Vec<Violation> = Vec::new();
    for hazard in &flat.hazards {
        let meant = hazard.violation;
        let is_same = |other: &Violation| other.kind == meant.kind && other.span == meant.span;
        if known.iter().any(is_same) {
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
        let Some(found) = found else { return Ok(None) };
        known.push(found);
    }
    let mut list: Vec<Problem> = known.iter().map(|violation| Problem::violation(violation, 1)).collect();
    if let Some(values) = engine.reached_where(flat.deadlock)? {
        let state = flat.state(&values);
        let nothing = &mut |_: Successor<'_>| ControlFlow::Continue(());
        if evaluator.successors(&state, &mut Scratch::default(), nothing) != Expansion::Deadlock {
            return Ok(None);
        }
        list.push(evaluator.deadlock(&state, 1));
    }
    Ok(Some(list))
}
