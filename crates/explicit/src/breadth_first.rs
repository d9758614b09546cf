//! Breadth-first search: the first run that shows something is a shortest one.
//!
//! The store keeps states in the order they came, each with a link to the one it came from, so it is queue and tree of
//! runs at once. A fault ends its run, not the search.

use std::ops::ControlFlow;

use narrows_model::{Expansion, Limit, Question, Scratch, StateSpace, Violation};

use crate::findings::Findings;
use crate::search::Counts;
use crate::{Budget, End, Entry, Exploration, Run, Shape, StateId, Store};

/// Something to find out.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The question; it is decided when something is found that answers it.
    pub question: Question,
    /// Beyond this many states it is not worth waiting for; `None` if it is.
    pub patience: Option<u64>,
}

/// Visits states in the order of their distance from the initial state, until every goal is decided; without goals,
/// until all are visited.
pub fn breadth_first<S: StateSpace + ?Sized>(space: &S, goals: &[Goal], budget: &Budget<'_>) -> Exploration {
    let shape = Shape { hidden: space.hidden_bytes(), linked: true };
    let mut search = Search {
        space,
        goals,
        budget: *budget,
        store: Store::new(shape, budget.memory),
        counts: Counts::default(),
        findings: Findings::default(),
    };
    let end = match search.run() {
        Ok(()) => End::Complete,
        Err(end) => end,
    };
    let coverage = search.counts.coverage(&search.store, 0);
    Exploration { end, coverage, findings: search.findings.into_list() }
}

struct Search<'a, S: ?Sized> {
    space: &'a S,
    goals: &'a [Goal],
    budget: Budget<'a>,
    store: Store,
    counts: Counts,
    findings: Findings,
}

impl<S: StateSpace + ?Sized> Search<'_, S> {
    fn run(&mut self) -> Result<(), End> {
        let (initial, violations) = match self.space.initial() {
            Ok(initial) => initial,
            Err(fault) => {
                self.findings.add(&[fault], Run::default);
                return Err(End::Fault);
            }
        };
        self.findings.add(&violations, Run::default);
        self.store.insert_linked(&initial, None).map_err(|_| End::Limit(Limit::Memory))?;
        let mut state = Vec::new();
        let mut scratch = Scratch::default();
        let mut next = self.store.first();
        // The last state of the level that is being visited.
        let mut level_end = next;
        let mut last = next;
        while let Some(id) = next {
            if self.is_decided() || self.is_enough() {
                return Err(End::Enough);
            }
            state.clear();
            state.extend_from_slice(self.store.get(id));
            last = self.expand(id, &state, &mut scratch)?.or(last);
            next = self.store.next(id);
            if level_end == Some(id) && next.is_some() {
                level_end = last;
                self.counts.depth += 1;
            }
        }
        Ok(())
    }

    fn is_enough(&self) -> bool {
        self.store.len() > self.budget.states || self.counts.generated > self.budget.transitions
    }

    fn is_decided(&self) -> bool {
        let states = self.store.len();
        let is_decided = |goal: &Goal| {
            goal.patience.is_some_and(|patience| states > patience) || self.findings.answers(&goal.question)
        };
        !self.goals.is_empty() && self.goals.iter().all(is_decided)
    }

    /// Stores the successors of a state; returns the last new one.
    fn expand(&mut self, id: StateId, state: &[u8], scratch: &mut Scratch) -> Result<Option<StateId>, End> {
        let mut last = None;
        let mut stop = None;
        let mut choice = 0;
        let mut noted: Vec<(u32, Vec<Violation>)> = Vec::new();
        let (store, counts, budget) = (&mut self.store, &mut self.counts, &self.budget);
        let expansion = self.space.successors(state, scratch, &mut |successor| {
            counts.mark(successor.moves);
            if !successor.violations.is_empty() {
                noted.push((choice, successor.violations.to_vec()));
            }
            choice += 1;
            if let Some(target) = successor.target {
                counts.transitions += 1;
                match store.insert_linked(target, Some(id)) {
                    Ok(Entry::New(new)) => last = Some(new),
                    Ok(Entry::Known(_)) => {}
                    Err(_) => stop = Some(Limit::Memory),
                }
            }
            stop = stop.or(counts.ask(budget, store.len(), store.memory()));
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.note(id, state, &noted, expansion);
        match stop {
            Some(limit) => Err(End::Limit(limit)),
            None => Ok(last),
        }
    }

    fn note(&mut self, id: StateId, state: &[u8], noted: &[(u32, Vec<Violation>)], expansion: Expansion) {
        let (space, store) = (self.space, &self.store);
        for (choice, violations) in noted {
            self.findings.add(violations, || {
                let mut run = run_to(space, store, id);
                run.choices.push(*choice);
                run
            });
        }
        if expansion == Expansion::Deadlock {
            let mut control = Vec::new();
            space.control(state, &mut control);
            self.findings.add_deadlock(&control, state, || run_to(space, store, id));
        }
    }
}

/// Returns the run that first reached a state.
fn run_to<S: StateSpace + ?Sized>(space: &S, store: &Store, id: StateId) -> Run {
    let mut scratch = Scratch::default();
    let mut choices = Vec::new();
    let mut child = id;
    while let Some(parent) = store.link(child) {
        choices.push(choice_to(space, store, parent, child, &mut scratch));
        child = parent;
    }
    choices.reverse();
    Run { choices }
}

/// Returns which successor of a state was the first to reach another.
fn choice_to<S: StateSpace + ?Sized>(
    space: &S,
    store: &Store,
    parent: StateId,
    child: StateId,
    scratch: &mut Scratch,
) -> u32 {
    let mut choice = 0;
    let wanted = store.get(child);
    space.successors(store.get(parent), scratch, &mut |successor| {
        if successor.target == Some(wanted) {
            return ControlFlow::Break(());
        }
        choice += 1;
        ControlFlow::Continue(())
    });
    choice
}
