//! A synchronous system that has all reachable states of some processes: its domains are widened until no
//! step leads out of them.
//!
//! How far values, channels and processes extend is guessed from states that were seen. If a reachable state
//! leads further, what follows it is explored, and all is done again with larger domains. Invariant: what is
//! handed on is a system from which no reachable step leads beyond its domains, so that it has the same
//! states and steps as the processes.

use std::rc::Rc;
use std::sync::Arc;

use narrows_model::flatten::{Ending, Extent, Flat, Refused};
use narrows_model::{Budget, Evaluator, Limit, Progress};

use super::CONTRADICTION;
use crate::bdd::Manager;
use crate::check::Engine;

/// A budget that goes from one synchronous system to the next.
pub(super) struct Resources<'b> {
    budget: &'b Budget,
    /// What the watch said when states were looked at one by one.
    limit: Option<Limit>,
}

impl<'b> Resources<'b> {
    pub(super) fn new(budget: &'b Budget) -> Resources<'b> {
        Resources { budget, limit: None }
    }

    pub(super) fn manager(&self) -> Manager {
        Manager::new(self.budget)
    }

    fn go_on(&mut self) -> bool {
        self.limit = self.limit.or_else(|| self.budget.watch.check(&Progress::default()));
        self.limit.is_none()
    }
}

/// How often a system is made larger at most.
const MAX_ROUNDS: usize = 60;

/// Uses an engine for a system that has all states.
pub(super) type Use<'u, P, T> =
    &'u dyn Fn(&Flat<'_>, &P, std::result::Result<Engine<'_>, Limit>, &Manager) -> T;

/// Makes systems, each larger than the one before, until one has all states; then uses it. The inner error
/// is a limit that was hit before there was a system.
pub(super) fn widen_until_complete<P, T>(
    evaluator: &Evaluator<'_>,
    resources: &mut Resources<'_>,
    ending: Ending,
    prepare: &mut dyn FnMut(&mut Flat<'_>) -> Result<P, Refused>,
    then: Use<'_, P, T>,
) -> Result<Result<T, Limit>, Refused> {
    let mut extent = Extent::scout(evaluator, &mut || resources.go_on());
    for _ in 0..MAX_ROUNDS {
        if let Some(limit) = resources.limit {
            return Ok(Err(limit));
        }
        let watch = Arc::clone(&resources.budget.watch);
        let go_on = Rc::new(move || watch.check(&Progress::default()).is_none());
        let made = Flat::new(evaluator, &extent, ending, go_on);
        if !resources.go_on()
            && let Some(limit) = resources.limit
        {
            return Ok(Err(limit));
        }
        let mut flat = made?;
        let plans = prepare(&mut flat)?;
        let manager = resources.manager();
        let engine = Engine::new(flat.synchronous(), manager.clone());
        let outside = engine.and_then(|engine| Ok((outside(&engine, &flat)?, engine)));
        match outside {
            Ok((None, engine)) => return Ok(Ok(then(&flat, &plans, Ok(engine), &manager))),
            Err(limit) => return Ok(Ok(then(&flat, &plans, Err(limit), &manager))),
            Ok((Some(state), engine)) => {
                drop(engine);
                let grew = extent.widen(evaluator, &state, &mut || resources.go_on());
                if !grew && resources.limit.is_none() {
                    return Err(Refused { reason: CONTRADICTION.to_owned(), span: None });
                }
            }
        }
    }
    let reason = "Values go on growing, or there are ever more processes.".to_owned();
    Err(Refused { reason, span: None })
}

/// Returns a state from which a step leads to where the system has no states.
fn outside(engine: &Engine<'_>, flat: &Flat<'_>) -> Result<Option<Vec<u8>>, Limit> {
    for condition in &flat.beyond {
        if let Some(values) = engine.reached_where(*condition)? {
            return Ok(Some(flat.state(&values)));
        }
    }
    Ok(None)
}
