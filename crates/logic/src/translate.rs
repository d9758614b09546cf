//! From a formula to a small Büchi automaton: the steps in their order.
//!
//! The formula is simplified and becomes a generalised automaton with marks on edges, which is small because
//! marks on edges need no copies of states. It is reduced, turned into automata with accepting states in
//! several ways, and each of these is reduced again; the smallest one is the result, unless a deterministic
//! one is smaller still.
//!
//! Invariant: the automaton accepts exactly the words on which the formula holds.

use crate::buchi::{Buchi, BuchiEdge, BuchiState};
use crate::degeneralise::{Entry, degeneralise};
use crate::formula::{Formulas, Id};
use crate::generalised::Generalised;
use crate::ltl::Ltl;
use crate::merge::Trials;
use crate::reduce::{Freedom, reduce};
use crate::translation_limits::{TooLarge, TranslationLimits};
use crate::weak::weak_deterministic;

/// With more edges than this, only one way to make states accepting is tried.
const MAX_EDGES_FOR_TRIALS: usize = 400;

/// With more marks than this, only two orders of them are tried.
const MAX_MARKS_FOR_ORDERS: usize = 4;

/// As many edges are turned into ones with accepting states, over all orders of marks.
const MAX_EDGES_FOR_ORDERS: usize = 600;

/// Returns an automaton that accepts exactly the words on which the formula holds.
pub fn translate<A: Clone + Eq>(formula: &Ltl<A>) -> Result<Buchi<A>, TooLarge> {
    translate_within(formula, TranslationLimits::default())
}

/// Like [`translate`], with limits of one's own.
pub fn translate_within<A: Clone + Eq>(
    formula: &Ltl<A>,
    mut limits: TranslationLimits,
) -> Result<Buchi<A>, TooLarge> {
    let mut atoms: Vec<A> = Vec::new();
    let mut number = |atom: &A| {
        atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
            atoms.push(atom.clone());
            atoms.len() - 1
        })
    };
    let mut formulas = Formulas::new();
    let (formula, negation) = formulas.read(formula, &mut number);
    let mut generalised = generalised(&formulas, formula, &mut limits)?;
    // The opposite may be larger than what was asked for: then there is just nothing to compare with.
    let opposite = match generalised.edge_count() {
        0..=MAX_EDGES_FOR_TRIALS => {
            self::generalised(&formulas, negation, &mut TranslationLimits::modest()).ok()
        }
        _ => None,
    };
    let mut best = smallest(&generalised, &limits)?;
    if let Some(opposite) = opposite {
        let mut trials = Trials::new(&opposite);
        best = trials.merged(best);
        if let Some(weak) = weak_deterministic(&generalised, &opposite) {
            best = smaller(best, trials.merged(reduced(weak)));
        }
        if trials.merge(&mut generalised, false) | trials.add_marks(&mut generalised) {
            reduce(&mut generalised, false, Freedom::Unmarked);
            reduce(&mut generalised, false, Freedom::Marked);
            best = smaller(best, trials.merged(smallest(&generalised, &limits)?));
        }
    }
    Ok(finished(&best, atoms))
}

fn generalised(
    formulas: &Formulas,
    formula: Id,
    limits: &mut TranslationLimits,
) -> Result<Generalised, TooLarge> {
    let mut generalised = Generalised::of(formulas, formula, limits)?;
    reduce(&mut generalised, false, Freedom::Unmarked);
    reduce(&mut generalised, false, Freedom::Marked);
    Ok(generalised)
}

fn reduced(mut automaton: Generalised) -> Generalised {
    loop {
        let before = automaton.states.len();
        reduce(&mut automaton, true, Freedom::Unmarked);
        reduce(&mut automaton, true, Freedom::Marked);
        if automaton.states.len() == before {
            return automaton;
        }
    }
}

impl Trials<'_> {
    /// Merges states of an automaton with accepting states as long as there are any to merge.
    fn merged(&mut self, mut automaton: Generalised) -> Generalised {
        while self.merge(&mut automaton, true) {
            automaton = reduced(automaton);
        }
        automaton
    }
}

/// The automaton with fewer states, or as many and fewer edges.
fn smaller(one: Generalised, other: Generalised) -> Generalised {
    let size = |automaton: &Generalised| (automaton.states.len(), automaton.edge_count());
    if size(&other) < size(&one) { other } else { one }
}

/// The smallest automaton with accepting states among several.
fn smallest(generalised: &Generalised, limits: &TranslationLimits) -> Result<Generalised, TooLarge> {
    let is_large = generalised.edge_count() > MAX_EDGES_FOR_TRIALS;
    let orders = orders(generalised.marks, is_large);
    let mut best: Option<Generalised> = None;
    for order in orders.iter().take((MAX_EDGES_FOR_ORDERS / generalised.edge_count().max(1)).max(1)) {
        for entry in [Entry::First, Entry::Accepting] {
            let candidate = reduced(degeneralise(generalised, order, entry, limits)?);
            best = Some(match best {
                Some(best) => smaller(best, candidate),
                None => candidate,
            });
            if is_large {
                break;
            }
        }
    }
    Ok(best.unwrap_or_else(Generalised::nothing))
}

/// In which orders marks are waited for. Waiting goes round, so the first one can be the same in all of them.
fn orders(marks: usize, is_large: bool) -> Vec<Vec<usize>> {
    let plain: Vec<usize> = (0..marks).collect();
    if is_large {
        return vec![plain];
    }
    if marks > MAX_MARKS_FOR_ORDERS {
        return vec![plain.clone(), plain.into_iter().rev().collect()];
    }
    let mut orders = vec![Vec::new()];
    for mark in 0..marks {
        let longer = |order: &Vec<usize>| {
            (order.len().min(1)..=order.len())
                .map(|place| {
                    let mut order = order.clone();
                    order.insert(place, mark);
                    order
                })
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// Numbers the states as they are reached.
fn finished<A>(automaton: &Generalised, atoms: Vec<A>) -> Buchi<A> {
    let mut numbers = vec![None; automaton.states.len()];
    let mut order = vec![automaton.initial];
    numbers[automaton.initial] = Some(0);
    let mut states = Vec::new();
    while let Some(&state) = order.get(states.len()) {
        let mut edges: Vec<BuchiEdge> = Vec::new();
        for edge in &automaton.states[state] {
            let target = *numbers[edge.target].get_or_insert_with(|| {
                order.push(edge.target);
                order.len() - 1
            });
            edges.push(BuchiEdge { guard: edge.guard.clone(), target });
        }
        let accepting = automaton.states[state].first().is_some_and(|edge| !edge.marks.is_empty());
        states.push(BuchiState { accepting, edges });
    }
    Buchi { atoms, states, initial: 0 }
}
