//! The very weak alternating automaton of a formula: what a formula demands of the first letter of a word,
//! and of the rest.
//!
//! The states are formulas. A transition has a guard for the letter, and a set of formulas that the rest of
//! the word must satisfy. An `a U b` that is postponed is noted in the transition as a promise (Gastin and
//! Oddoux, *Fast LTL to Büchi automata translation*, CAV 2001, with promises as in Couvreur, *On-the-fly
//! verification of linear temporal logic*, FM 1999).
//!
//! Invariant: a word satisfies the formula if and only if there is a transition whose guard holds on the
//! first letter and whose formulas hold on the rest, and no promise is postponed for ever. Cost: at worst
//! exponential in the conjunctions inside of disjunctions; the number of transitions is bounded by the
//! limits.

use narrows_graph::BitSet;
use rustc_hash::FxHashMap;

use crate::cube::Cube;
use crate::formula::{Formulas, Id, Node};
use crate::translation_limits::{TooLarge, TranslationLimits};

/// A transition of the automaton.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Transition {
    /// What must hold of the letter.
    pub(crate) guard: Cube,
    /// The formulas that the rest must satisfy, as numbers of [`Formulas`].
    pub(crate) rest: BitSet,
    /// The untils among them that were put off.
    pub(crate) promises: BitSet,
}

impl Transition {
    fn free() -> Transition {
        Transition { guard: Cube::default(), rest: BitSet::default(), promises: BitSet::default() }
    }

    /// Whether this one demands no more than the other.
    fn covers(&self, other: &Transition) -> bool {
        other.guard.implies(&self.guard)
            && self.rest.is_subset(&other.rest)
            && self.promises.is_subset(&other.promises)
    }

    fn and(&self, formulas: &Formulas, other: &Transition) -> Option<Transition> {
        Some(Transition {
            guard: self.guard.and(&other.guard)?,
            rest: without_contained(formulas, &self.rest.union(&other.rest)),
            promises: self.promises.union(&other.promises),
        })
    }
}

/// The transitions of all formulas that were asked for.
#[derive(Default)]
pub(crate) struct Transitions {
    known: FxHashMap<Id, Vec<Transition>>,
}

impl Transitions {
    /// The transitions of the conjunction of a set of formulas.
    pub(crate) fn of_all(
        &mut self,
        formulas: &Formulas,
        set: &BitSet,
        limits: &mut TranslationLimits,
    ) -> Result<Vec<Transition>, TooLarge> {
        let mut transitions = vec![Transition::free()];
        for member in set.iter() {
            let more = self.of(formulas, Id(member as u32), limits)?;
            transitions = product(formulas, &transitions, &more, limits)?;
        }
        for transition in &mut transitions {
            self.redeem(transition);
        }
        undominated(transitions, limits)
    }

    /// The transitions of a formula.
    fn of(
        &mut self,
        formulas: &Formulas,
        id: Id,
        limits: &mut TranslationLimits,
    ) -> Result<Vec<Transition>, TooLarge> {
        if let Some(transitions) = self.known.get(&id) {
            return Ok(transitions.clone());
        }
        let transitions = match formulas.node(id) {
            Node::True => vec![Transition::free()],
            Node::False => Vec::new(),
            Node::Literal(atom, holds) => {
                vec![Transition { guard: Cube::literal(*atom, *holds), ..Transition::free() }]
            }
            Node::And(operands) => {
                let mut transitions = vec![Transition::free()];
                for operand in operands {
                    transitions =
                        product(formulas, &transitions, &self.of(formulas, *operand, limits)?, limits)?;
                }
                transitions
            }
            Node::Or(operands) => {
                let mut transitions = Vec::new();
                for operand in operands {
                    transitions.extend(self.of(formulas, *operand, limits)?);
                }
                transitions
            }
            Node::Next(operand) => {
                vec![Transition {
                    rest: without_contained(formulas, &parts(formulas, *operand)),
                    ..Transition::free()
                }]
            }
            Node::Until(left, right) => {
                let put_off = Transition {
                    rest: BitSet::of(id.index()),
                    promises: BitSet::of(id.index()),
                    ..Transition::free()
                };
                let mut transitions =
                    product(formulas, &self.of(formulas, *left, limits)?, &[put_off], limits)?;
                transitions.extend(self.of(formulas, *right, limits)?);
                transitions
            }
            Node::Release(left, right) => {
                let go_on = Transition { rest: BitSet::of(id.index()), ..Transition::free() };
                let mut ends = self.of(formulas, *left, limits)?;
                ends.push(go_on);
                product(formulas, &self.of(formulas, *right, limits)?, &ends, limits)?
            }
        };
        let transitions = undominated(transitions, limits)?;
        self.known.insert(id, transitions.clone());
        Ok(transitions)
    }

    /// Removes promises that are fulfilled by what else the transition demands.
    fn redeem(&self, transition: &mut Transition) {
        let kept: Vec<usize> = transition
            .promises
            .iter()
            .filter(|&promise| {
                let transitions = self.known.get(&Id(promise as u32)).map_or(&[][..], Vec::as_slice);
                transitions.iter().any(|other| {
                    !other.promises.contains(promise)
                        && transition.guard.implies(&other.guard)
                        && other.rest.is_subset(&transition.rest)
                })
            })
            .collect();
        for promise in kept {
            transition.promises.remove(promise);
        }
    }
}

/// The formulas that a conjunction is made of.
pub(crate) fn parts(formulas: &Formulas, id: Id) -> BitSet {
    match formulas.node(id) {
        Node::True => BitSet::default(),
        Node::And(operands) => operands.iter().map(|operand| operand.index()).collect(),
        _ => BitSet::of(id.index()),
    }
}

/// Leaves out formulas that another one unfolds at every step anyway: `F a` beside `G F a`.
pub(crate) fn without_contained(formulas: &Formulas, set: &BitSet) -> BitSet {
    let mut kept = set.clone();
    for member in set.iter() {
        let mut releases = vec![Id(member as u32)];
        while let Some(id) = releases.pop() {
            if let Node::Release(_, right) = formulas.node(id) {
                for part in parts(formulas, *right).iter() {
                    kept.remove(part);
                    releases.push(Id(part as u32));
                }
            }
        }
    }
    kept
}

fn product(
    formulas: &Formulas,
    left: &[Transition],
    right: &[Transition],
    limits: &mut TranslationLimits,
) -> Result<Vec<Transition>, TooLarge> {
    limits.spend(left.len() * right.len())?;
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
    let transitions = pairs.filter_map(|(one, other)| one.and(formulas, other)).collect();
    undominated(transitions, limits)
}

/// Removes transitions that are subsumed by another one.
fn undominated(
    mut transitions: Vec<Transition>,
    limits: &mut TranslationLimits,
) -> Result<Vec<Transition>, TooLarge> {
    transitions.sort();
    transitions.dedup();
    let mut kept: Vec<Transition> = Vec::with_capacity(transitions.len());
    for transition in transitions {
        limits.spend(kept.len() / 8)?;
        if !kept.iter().any(|other| other.covers(&transition)) {
            kept.retain(|other| !transition.covers(other));
            kept.push(transition);
        }
    }
    Ok(kept)
}
