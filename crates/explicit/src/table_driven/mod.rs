//! Breadth-first search by tables, on a GPU or whatever else is a [`Device`](narrows_gpu::Device).
//!
//! The device has the states, as keys, and a table of what processes do, by the bits that they look at; the
//! host has the model. What the table lacks, the host adds, after it has evaluated one state in the
//! reference. States in which something goes wrong, and those without a step, are expanded by the host, in an
//! order that depends on the states alone. So counts, verdicts and the length of runs are those of a search
//! on the processor, whatever the device.
//!
//! | file | contents |
//! |---|---|
//! | `search.rs`, `paths.rs` | from level to level; runs, found without links to predecessors |
//! | `rows.rs`, `fields.rs` | what a search asks of a model; bits of keys |
//! | `encoding.rs`, `observer.rs`, `learner.rs` | processes: keys; which bits decide what they do; rows |
//! | `component_rows.rs` | labelled systems: keys and rows of their components |
//! | `special.rs`, `batches.rs` | states that are the host's; work for all threads |
//! | `hand_over.rs` | what a search on the processor has found, as keys |
//! | `invariants.rs` | what is to hold in every state |

mod batches;
mod component_rows;
mod encoding;
mod fields;
mod hand_over;
mod invariants;
mod learner;
mod observer;
mod paths;
mod rows;
mod search;
mod special;

use narrows_gpu::{Device, Failure};
use narrows_model::{Coverage, LabelledSystem, Limit, Refusal, StateSpace};

use component_rows::ComponentRows;
pub use invariants::{Invariants, check_invariants, invariants_by_tables, is_invariant};
use learner::Learner;
use rows::Rows;
use search::{Aims, search};

use crate::breadth_first::{Frontier, breadth_first_until};
use crate::{End, Engine, Exploration, Goal, SearchScope, breadth_first};

/// What opens a device, when a search has become large enough for it.
pub trait Accelerator: Sync {
    /// Opens the device.
    ///
    /// # Errors
    ///
    /// There may be none.
    fn open(&self) -> Result<Box<dyn Device>, Failure>;

    /// Returns how many states are visited on the processor before the device is opened; 0 for none.
    fn threshold(&self) -> u64 {
        0
    }

    /// Returns from how many states tables are made; as many as is good, unless a test wants few.
    fn samples(&self) -> usize {
        1 << 13
    }

    /// Hears why the device can't be used, or not to the end. Returns whether the search is to be done
    /// without it then.
    fn refused(&self, reason: &str) -> bool;
}

/// Returns why a system can't be searched by tables, if it can't.
pub fn accepts_tables(engine: &Engine<'_>) -> Result<(), Refusal> {
    let system = engine.system();
    let reasons = [
        (system.has_priorities, "priorities make every process look at all others"),
        (system.tracks_last, "`_last` makes every step look at the one before"),
        (system.hidden_bytes > 0, "hidden variables are not part of a key"),
        (engine.evaluator().records_events(), "a trace assertion watches every message"),
        (engine.forgets(), "a reduced search leaves out steps by what was visited before"),
    ];
    match reasons.iter().find(|(is_so, _)| *is_so) {
        Some((_, reason)) => Err(Refusal::new(format!("no tables can be made of this model: {reason}"))),
        None => Ok(()),
    }
}

/// Visits states in the order of their distance from the initial state, as [`breadth_first`] does, by tables
/// on a device that are made from so many states.
///
/// # Errors
///
/// There may be something about the system, or the device, with which that can't be done.
pub fn breadth_first_by_tables(
    engine: &Engine<'_>,
    goals: &[Goal],
    scope: &SearchScope<'_>,
    device: &mut dyn Device,
    samples: usize,
) -> Result<Exploration, Refusal> {
    accepts_tables(engine)?;
    let mut rows = Learner::new(engine, &[], scope.budget)?;
    by_tables((engine, &mut rows), (goals, None), scope, device, samples).map_err(Refusal::new)
}

/// Visits the states of a labelled system, as [`breadth_first_by_tables`] does.
///
/// # Errors
///
/// There may be something about the system, or the device, with which that can't be done.
pub fn labelled_by_tables(
    system: &dyn LabelledSystem,
    goals: &[Goal],
    scope: &SearchScope<'_>,
    device: &mut dyn Device,
    samples: usize,
) -> Result<Exploration, Refusal> {
    let mut rows = ComponentRows::new(system, scope.budget);
    by_tables((&system, &mut rows), (goals, None), scope, device, samples).map_err(Refusal::new)
}

fn by_tables(
    of: (&dyn StateSpace, &mut dyn Rows),
    (goals, from): (&[Goal], Option<&Frontier>),
    scope: &SearchScope<'_>,
    device: &mut dyn Device,
    samples: usize,
) -> Result<Exploration, String> {
    let aims = Aims { goals, from, ..Aims::default() };
    search(of, aims, scope, device, samples).map(|(exploration, _)| exploration)
}

/// Visits all states of a labelled system on the accelerator of a scope, until every goal is decided.
pub fn labelled_on_accelerator(
    system: &dyn LabelledSystem,
    goals: &[Goal],
    scope: &SearchScope<'_>,
    accelerator: &dyn Accelerator,
) -> Exploration {
    let found = accelerator.open().map_err(|failure| Refusal::new(failure.to_string()));
    let found = found
        .and_then(|mut device| labelled_by_tables(system, goals, scope, &mut *device, accelerator.samples()));
    found.unwrap_or_else(|refusal| {
        accelerator.refused(&refusal.reason);
        nothing()
    })
}

/// Visits states in the order of their distance from the initial state, as [`breadth_first`] does, on the
/// accelerator of the scope if there is one and it takes the system. If that waits until there are many
/// states, all that was found until then goes over to it.
pub fn breadth_first_accelerated(
    engine: &Engine<'_>,
    goals: &[Goal],
    scope: &SearchScope<'_>,
) -> Exploration {
    let Some(accelerator) = scope.accelerator else { return breadth_first(engine, goals, scope) };
    let without = |reason: &str| {
        if accelerator.refused(reason) { breadth_first(engine, goals, scope) } else { nothing() }
    };
    let accepted = match scope.checkpoints {
        Some(_) => Err(Refusal::new("a search that is saved stays on the processor")),
        None => accepts_tables(engine).and_then(|()| Learner::new(engine, &[], scope.budget)),
    };
    let mut rows = match accepted {
        Ok(rows) => rows,
        Err(refusal) => return without(&refusal.reason),
    };
    let threshold = accelerator.threshold();
    let mut frontier = None;
    if threshold > 0 {
        let (first, handed) = breadth_first_until(engine, goals, scope, threshold);
        if handed.is_none() {
            return first;
        }
        frontier = handed;
    }
    let mut device = match accelerator.open() {
        Ok(device) => device,
        Err(failure) => return without(&failure.to_string()),
    };
    let goals = (goals, frontier.as_ref());
    match by_tables((engine, &mut rows), goals, scope, &mut *device, accelerator.samples()) {
        // Nobody asked for a device: the processor may have more memory, and stores states in less.
        Ok(found) if found.end == End::Limit(Limit::DeviceMemory) && threshold > 0 => {
            without(Limit::DeviceMemory.reason())
        }
        Ok(found) => found,
        Err(reason) => without(&reason),
    }
}

/// A search that was not done.
fn nothing() -> Exploration {
    Exploration {
        end: End::Enough,
        coverage: Coverage::default(),
        findings: Vec::new(),
        partial: 0,
        profile: None,
        labels: Vec::new(),
    }
}
