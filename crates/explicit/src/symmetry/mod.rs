//! Identical parts count once: states that differ only in which of several equal instances does what.
//!
//! Sixteen commands on eight channels have 8! · 16! names for what is one state in all that matters. Where an
//! exchange of instances is an automorphism of the state graph that leaves the initial state as it is, the
//! graph of orbits, with one state for each, has the same reachable violations and deadlocks, and each run of
//! it is a run of the model (E. Clarke et al. and A. Emerson, P. Sistla, both in *Formal Methods in System
//! Design* 9, 1996). Instances are found by the program: see `analysis.rs`.
//!
//! | file | contents |
//! |---|---|
//! | `unify.rs`, `variables.rs`, `typing.rs` | which values number instances |
//! | `analysis.rs` | which instances may be exchanged |
//! | `base.rs` | from which state on |
//! | `place.rs`, `layout.rs` | where their parts are in a state; exchanging them |
//! | `canonical.rs`, `refinement.rs` | the state that stands for an orbit, and how large the orbit is |
//! | `quotient.rs` | the graph of orbits, and runs of the model for its runs |
//! | `check.rs` | answers to questions on orbits |
//!
//! Invariant: an exchange that is not certain to be an automorphism is never made. Cost: a state is written
//! down once more, a few microseconds.

mod analysis;
mod base;
mod canonical;
mod check;
mod layout;
mod place;
mod quotient;
mod refinement;
mod typing;
mod unify;
mod variables;

use narrows_model::{Evaluator, Expr, ProctypeId, TransitionId};

use analysis::{Alike, analyse};
use base::Guard;
use layout::Layout;

pub use analysis::Label;
pub use canonical::{Canonical, CanonicalScratch};
pub use check::{accepts_symmetric, check_symmetric};
pub use quotient::{OrbitCount, Quotient};

/// Exchanges of instances under which nothing changes but names.
#[derive(Debug)]
pub struct Symmetry {
    layout: Layout,
    alike: Vec<Alike>,
    words: Vec<String>,
    forgets: bool,
    guard: Guard,
    is_counted: bool,
    processes: usize,
}

/// What must not be exchanged.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The expressions that are asked about states.
    pub exprs: &'a [&'a Expr],
    /// Processes that are asked about by their numbers.
    pub processes: &'a [u8],
    /// What else is said about transitions.
    pub label: Label<'a>,
}

impl Asked<'_> {
    /// Asks about nothing but what the model says itself.
    pub const NOTHING: Asked<'static> = Asked { exprs: &[], processes: &[], label: &|_, _| String::new() };
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Asked {{ {} expressions, processes {:?} }}", self.exprs.len(), self.processes)
    }
}

impl Symmetry {
    /// Finds instances that neither the model nor a question tells apart. If values that nobody reads are all
    /// that differs at the start, states are meant in which [such values are forgotten](Symmetry::forgets).
    ///
    /// # Errors
    ///
    /// Says why nothing can be exchanged.
    pub fn find(evaluator: Evaluator<'_>, asked: &Asked<'_>) -> Result<Symmetry, &'static str> {
        Symmetry::choose(evaluator, asked, false)
    }

    /// Finds the same, but in states in which values are forgotten that nobody reads, unless more can be
    /// exchanged where they are remembered: there are fewer such states, and less names an instance.
    ///
    /// # Errors
    ///
    /// Says why nothing can be exchanged.
    pub fn find_forgetting(evaluator: Evaluator<'_>, asked: &Asked<'_>) -> Result<Symmetry, &'static str> {
        Symmetry::choose(evaluator, asked, true)
    }

    fn choose(
        evaluator: Evaluator<'_>,
        asked: &Asked<'_>,
        would_forget: bool,
    ) -> Result<Symmetry, &'static str> {
        let look = |evaluator: Evaluator<'_>| analyse(evaluator, asked.exprs, asked.processes, asked.label);
        let plain = look(evaluator.remembering());
        let is_even = matches!(&plain, Ok(found) if !found.is_uneven);
        let forgetful = if is_even && !would_forget { Err("") } else { look(evaluator.forgetting()) };
        let blocks = |found: &Result<analysis::Analysis, &str>| {
            found.as_ref().map_or(0, |found| found.layout.blocks.len())
        };
        let is_as_good = would_forget && forgetful.is_ok() && blocks(&forgetful) == blocks(&plain);
        let forgets = is_as_good || blocks(&forgetful) > blocks(&plain);
        let found = if forgets { forgetful? } else { plain? };
        let analysis::Analysis { layout, alike, words, guard, is_counted, processes, .. } = found;
        Ok(Symmetry { layout, alike, words, forgets, guard, is_counted, processes })
    }

    /// Returns whether it is about states in which values are 0 that nobody reads any more.
    pub fn forgets(&self) -> bool {
        self.forgets
    }

    /// Says which instances are exchanged, as `8 × channel`.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns how many exchanges there are; `None` if they are too many to be counted, or tell nothing of
    /// how many states there are.
    pub fn order(&self) -> Option<u128> {
        self.layout.order().filter(|_| self.is_counted)
    }

    /// Finds the state that stands for all that an exchange makes of a state.
    pub fn canonical(&self, state: &[u8], scratch: &mut CanonicalScratch, output: &mut Vec<u8>) -> Canonical {
        scratch.tags.clear();
        if !self.guard.opens(state) {
            return self.layout.alone(state, scratch, output);
        }
        self.layout.canonical(state, scratch, output)
    }

    /// Finds the same where more is known of each process than the state says: of states that are equal but
    /// for that, one stands for all. There is a tag for each process; what is known of those that can't be
    /// exchanged makes no difference.
    pub fn canonical_with(
        &self,
        state: &[u8],
        tags: &[Vec<u8>],
        scratch: &mut CanonicalScratch,
        output: &mut Vec<u8>,
    ) -> Canonical {
        if !self.guard.opens(state) {
            return self.layout.alone(state, scratch, output);
        }
        scratch.tags.clear();
        scratch.tags.extend_from_slice(tags);
        self.layout.canonical(state, scratch, output)
    }

    /// Returns whether each of some processes may be exchanged with each other of them.
    pub fn are_equal(&self, processes: &[usize]) -> bool {
        let domain = |process: &usize| {
            let block = self.layout.processes.iter().position(|own| own.contains(process))?;
            Some(self.layout.domain_of(block))
        };
        let domains: Vec<Option<usize>> = processes.iter().map(domain).collect();
        domains.iter().all(|domain| domain.is_some() && *domain == domains[0])
    }

    /// Returns how many processes there are.
    pub fn process_count(&self) -> usize {
        self.processes
    }

    /// Returns the number that each process has in the canonical state that was found last.
    pub fn processes(&self, scratch: &CanonicalScratch) -> Vec<u8> {
        scratch.processes(&self.layout, self.processes)
    }

    /// Completes which transitions were taken: if one of several that are alike was, all can be.
    pub fn complete(&self, taken: &mut [Vec<bool>]) {
        let get = |taken: &[Vec<bool>], (proctype, transition): &(ProctypeId, TransitionId)| {
            let row = taken.get(usize::from(proctype.0));
            row.and_then(|row| row.get(transition.0 as usize)).copied().unwrap_or(false)
        };
        for group in &self.alike {
            if group.iter().any(|one| get(taken, one)) {
                for (proctype, transition) in group {
                    let Some(row) = taken.get_mut(usize::from(proctype.0)) else { continue };
                    let place = transition.0 as usize;
                    row.resize(row.len().max(place + 1), false);
                    row[place] = true;
                }
            }
        }
    }
}
