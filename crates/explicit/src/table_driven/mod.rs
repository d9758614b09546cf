//! Breadth-first search by tables, on a GPU or whatever else is a [`Device`](narrows_gpu::Device).
//!
//! The device has the states, as keys, and a table of what processes do, by the bits that they look at; the
//! host has the model. What the table lacks, the host adds, after it has evaluated one state in the
//! reference. States in which something goes wrong, and those without a step, are expanded by the host, in an
//! order that depends on the states alone. So counts, verdicts and the length of runs are those of a search
//! on the processor, whatever the device.
//!
//! `encoding.rs` turns states into keys, `observer.rs` finds out what processes do and which bits decide,
//! `learner.rs` fills the table with that, `search.rs` goes from level to level, `paths.rs` finds runs
//! without links to predecessors.

mod encoding;
mod invariants;
mod learner;
mod observer;
mod paths;
mod search;

use narrows_gpu::{Device, Failure};
use narrows_model::{Coverage, Refusal};

pub use invariants::{Invariants, check_invariants, invariants_by_tables, is_invariant};
use search::Aims;

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
    let aims = Aims { goals, ..Aims::default() };
    let searched = search::search(engine, aims, scope, device, samples);
    searched.map(|(exploration, _)| exploration).map_err(Refusal::new)
}

/// Visits states in the order of their distance from the initial state, as [`breadth_first`] does, on a
/// device if there is one and it takes the system.
pub(crate) fn breadth_first_on(engine: &Engine<'_>, goals: &[Goal], scope: &SearchScope<'_>) -> Exploration {
    let Some(accelerator) = scope.accelerator else { return breadth_first(engine, goals, scope) };
    let without = |reason: &str| {
        if accelerator.refused(reason) { breadth_first(engine, goals, scope) } else { nothing() }
    };
    let accepted = match scope.checkpoints {
        Some(_) => Err(Refusal::new("a search that is saved stays on the processor")),
        None => accepts_tables(engine),
    };
    if let Err(refusal) = accepted {
        return without(&refusal.reason);
    }
    let threshold = accelerator.threshold();
    if threshold > 0 {
        let first =
            breadth_first(engine, goals, &SearchScope { states: threshold.min(scope.states), ..*scope });
        let is_over = first.end != End::Enough || first.coverage.states <= threshold;
        if is_over || threshold >= scope.states {
            return first;
        }
    }
    let mut device = match accelerator.open() {
        Ok(device) => device,
        Err(failure) => return without(&failure.to_string()),
    };
    let aims = Aims { goals, ..Aims::default() };
    let searched = search::search(engine, aims, scope, &mut *device, accelerator.samples());
    searched.map_or_else(|reason| without(&reason), |(exploration, _)| exploration)
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
