//! Runs that go on for ever and must not: acceptance cycles, with or without fairness.
//!
//! The states near the initial one are searched first, so that a violation close to the start is found at once, however
//! large the rest; if there is none, the whole is searched on the fly. What is found is shortened before it is given
//! away.

mod components;
mod fragment;
mod lasso;
mod pids;
mod space;

use std::ops::ControlFlow;

use narrows_model::{Coverage, Evaluator, Limit, Move, Scratch, StateSpace, Trace, Violation, Watched};

use crate::{Budget, End};
use components::{Found, Search};
use fragment::{Edge, fragment};
pub(crate) use lasso::Step;
use lasso::{different, lasso, shorter, shortest_seen, steps_between};
use pids::Pids;
use space::{Coloured, Within};

/// How many states count as near the initial one.
const NEAR: u64 = 20_000;

/// How many violations that look alike may be seen for each that is wanted.
const ALIKE: usize = 64;

/// What a search for a forbidden run came to.
pub(crate) struct Outcome {
    pub(crate) coverage: Coverage,
    pub(crate) result: Result<Option<Forbidden>, Limit>,
}

/// A run that must not be.
pub(crate) struct Forbidden {
    pub(crate) stem: Vec<Step>,
    /// What comes again and again after it; `None` if the watcher has seen enough.
    pub(crate) cycle: Option<Vec<Step>>,
    /// What the watcher saw.
    pub(crate) violation: Option<Violation>,
    /// Whether no shorter run leads to a violation of this kind.
    pub(crate) shortest: bool,
}

/// Looks for a run that must not be.
pub(crate) fn search(space: &Watched<'_>, fair: bool, budget: &Budget<'_>) -> Outcome {
    let near = fragment(space, &Budget { states: NEAR.min(budget.states), ..*budget }, 1, |_| false);
    let coverage = || near.counts.coverage(&near.store, 0);
    let left = Budget { memory: budget.memory.saturating_sub(near.store.memory()), ..*budget };
    let mut outcome = match (&near.edge, near.seen.first()) {
        (_, Some(seen)) => {
            let (stem, violation) = (near.steps_to(space, seen), Some(seen.violation));
            let forbidden = Forbidden { stem, cycle: None, violation, shortest: true };
            Outcome { coverage: coverage(), result: Ok(Some(forbidden)) }
        }
        (Edge::Limit(End::Limit(limit)), None) => Outcome { coverage: coverage(), result: Err(*limit) },
        (Edge::Limit(_), None) => {
            let outcome = components(&Within { space, store: &near.store }, fair, &left);
            if matches!(outcome.result, Ok(None)) { components(space, fair, &left) } else { outcome }
        }
        _ => components(space, fair, &left),
    };
    if let Ok(Some(Forbidden { stem, cycle: Some(cycle), .. })) = &mut outcome.result
        && let Some(shorter) = shorter(space, &near, fair, stem.len() + cycle.len())
    {
        (*stem, *cycle) = (shorter.stem, shorter.cycle);
    }
    outcome
}

/// Looks for further runs that must not be, among the states near the initial one: each with another cycle, or ending
/// at another place.
pub(crate) fn others(space: &Watched<'_>, fair: bool, most: usize, budget: &Budget<'_>) -> Vec<Forbidden> {
    let budget = Budget { states: NEAR.min(budget.states), ..*budget };
    let near = fragment(space, &budget, most.saturating_mul(ALIKE), |_| false);
    let mut found = Vec::new();
    let mut places = Vec::new();
    for seen in &near.seen {
        let mut control = Vec::new();
        space.control(near.store.get(seen.id), &mut control);
        let moves = seen.last.as_ref().map(|step| step.moves.clone());
        if found.len() < most && !places.contains(&(control.clone(), moves.clone())) {
            places.push((control, moves));
            let (stem, violation) = (near.steps_to(space, seen), Some(seen.violation));
            found.push(Forbidden { stem, cycle: None, violation, shortest: false });
        }
    }
    let left = most - found.len();
    found.extend(different(space, &near, fair, left).into_iter().map(|run| Forbidden {
        stem: run.stem,
        cycle: Some(run.cycle),
        violation: None,
        shortest: false,
    }));
    found
}

/// Returns whether every process that is enabled all along a cycle moves on it.
pub(crate) fn is_fair(evaluator: &Evaluator<'_>, trace: &Trace, start: usize) -> bool {
    let mut waiting = None;
    let mut moved = Pids::default();
    for number in start..trace.steps.len() {
        let mut enabled = Pids::default();
        evaluator.successors(trace.state(number), &mut Scratch::default(), &mut |successor| {
            // A statement that goes wrong and blocks is no step, here as in a watched system.
            if successor.target.is_some() || successor.violations.iter().any(|wrong| wrong.kind.is_fatal()) {
                enabled = enabled.or(Pids::enabled(successor.moves));
            }
            ControlFlow::Continue(())
        });
        waiting = Some(waiting.map_or(enabled, |waiting: Pids| waiting.and(enabled)));
        let moves: Vec<Move> = trace.steps[number].moves.iter().map(|found| found.step).collect();
        moved = moved.or(Pids::moved(&moves));
    }
    waiting.is_none_or(|waiting| waiting.without(moved).is_empty())
}

fn components<S: Coloured + ?Sized>(space: &S, fair: bool, budget: &Budget<'_>) -> Outcome {
    let mut search = Search::new(space, fair, *budget);
    let found = search.run();
    let result = match found {
        Found::Nothing => Ok(None),
        Found::Stopped(end) => Err(end.limit().unwrap_or(Limit::Enough)),
        Found::Seen(way, violation, last) => {
            let short = shortest_seen(space, budget, search.store.len());
            let shortest = short.is_some();
            let (stem, violation) = short.unwrap_or_else(|| {
                let way: Vec<Vec<u8>> = way.iter().map(|id| search.store.get(*id).to_vec()).collect();
                let mut stem = steps_between(space, &way);
                stem.extend(last);
                (stem, violation)
            });
            Ok(Some(Forbidden { stem, cycle: None, violation: Some(violation), shortest }))
        }
        Found::Component(way, start) => {
            let run = lasso(space, &search, &way, start, fair, budget).unwrap_or_default();
            Ok(Some(Forbidden { stem: run.stem, cycle: Some(run.cycle), violation: None, shortest: false }))
        }
    };
    let coverage = search.counts.coverage(&search.store, 0);
    Outcome { coverage, result }
}
