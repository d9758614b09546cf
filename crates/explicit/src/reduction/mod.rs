//! Partial-order reduction: of steps that do not get in each other's way, one order is enough.
//!
//! In each state a *stubborn set* of processes is looked for: whatever the others do, now or later, neither
//! touches what the steps of these processes touch, nor makes further steps of them possible. Then the steps
//! of the others can wait: every run that begins with one of them could as well begin with one of the set (A.
//! Valmari, *Stubborn sets for reduced state space generation*, 1989). The set grows from one process: all
//! processes are added that may ever do what depends on a possible step of the set, and all that could make
//! an impossible one possible. What a process may ever do is computed from the model, once for each location,
//! with the values that are known of it: its number, and the variables that no step writes. So the one reader
//! of a channel is found whether or not it is declared.
//!
//! Deadlocks, faults and failing assertions are all still found, if no process is left waiting for ever: a
//! state of which only a part of the steps is taken must have a successor that is visited later, or that is
//! finished (C. Flanagan and others call this the ignoring problem; the conditions are those of D. Bošnački,
//! S. Leue and A. Lluch Lafuente, *Partial-order reduction for general state exploring algorithms*, 2009).
//! For formulas without X, the set must not have a step that the formula can see, and none that closes a
//! cycle (D. Peled, *Combining partial order reductions with on-the-fly model-checking*, 1996).
//!
//! Invariant: a choice depends on the state alone. Cost: about that of one expansion, for each state.
//!
//! Before all that, local steps are merged into those before them (`merge.rs`).
//!
//! `statics.rs` analyses a system once, `resolve.rs` finds what a statement touches when a given process
//! executes it, `instances.rs` memoises that and what a process may do later, `need_cache.rs` what its steps
//! depend on, `visible.rs` which variables a formula reads, and `choose.rs` chooses a stubborn set in a
//! state. `read_set.rs` and `read_rounds.rs` tell for memos what decides about the steps of a process.
//! Searches have their own cycle provisos; `breadth_first/reduced.rs` has the parallel one.

mod choose;
mod footprint;
mod instances;
mod merge;
mod need_cache;
mod read_rounds;
mod read_set;
mod resolve;
mod statics;
mod visible;

use narrows_model::{Evaluator, StateSpace, Watcher};

use crate::Engine;

pub(crate) use choose::Chooser;
pub use merge::{merged, unmerge};
pub(crate) use merge::{merged_for, take_apart};
pub(crate) use read_set::ReadSets;
use statics::Statics;
pub(crate) use statics::is_else;
use visible::Visible;

/// What can be left out of a search, and what can't.
pub struct Reduction<'s> {
    evaluator: Evaluator<'s>,
    /// What tells which steps a process has.
    space: &'s dyn StateSpace,
    statics: Statics<'s>,
    visible: Option<Visible>,
}

impl<'s> Reduction<'s> {
    /// Prepares a search for deadlocks, faults and failing assertions; `None` if nothing can be left out.
    pub fn for_safety(engine: &'s Engine<'_>) -> Option<Reduction<'s>> {
        let statics = Statics::new(engine)?;
        Some(Reduction { evaluator: engine.evaluator(), space: engine, statics, visible: None })
    }

    /// Prepares a search for runs that a watcher accepts; `None` if nothing can be left out.
    pub(crate) fn for_watcher(engine: &'s Engine<'_>, watcher: Watcher<'_>) -> Option<Reduction<'s>> {
        let statics = Statics::new(engine)?;
        let visible = Visible::new(&statics, watcher)?;
        Some(Reduction { evaluator: engine.evaluator(), space: engine, statics, visible: Some(visible) })
    }

    /// Makes what chooses; one for each thread.
    pub(crate) fn chooser(&self) -> Chooser<'_, 's> {
        Chooser::new(self)
    }
}
