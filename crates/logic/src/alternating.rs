//! What a formula demands of the first letter of a word, and of the rest.
//!
//! A formula becomes a list of ways to satisfy it: a way has a guard for the letter and a set of formulas that the rest of
//! the word must satisfy. An `a U b` that is put off is noted in the way as a promise. These ways are the transitions of a
//! very weak alternating automaton whose states are the formulas (Gastin and Oddoux, *Fast LTL to Büchi automata
//! translation*, CAV 2001), with promises as in Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999.
//!
//! Invariant: a word satisfies the formula if and only if it has a way whose guard holds on the first letter and whose
//! formulas hold on the rest, and no promise is put off for ever. Cost: at worst exponential in the conjunctions inside of
//! disjunctions; the number of ways that are made is bounded by the budget.

use narrows_graph::BitSet;
use rustc_hash::FxHashMap;

use crate::budget::{Budget, TooLarge};
use crate::cube::Cube;
use crate::formula::{Formulas, Id, Node};

/// A way to satisfy a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Way {
    /// What must hold of the letter.
    pub(crate) guard: Cube,
    /// The formulas that the rest must satisfy, as numbers of [`Formulas`].
    pub(crate) rest: BitSet,
    /// The untils among them that were put off.
    pub(crate) promises: BitSet,
}

impl Way {
    fn free() -> Way {
        Way { guard: Cube::default(), rest: BitSet::default(), promises: BitSet::default() }
    }

    /// Whether this one demands no more than the other.
    fn covers(&self, other: &Way) -> bool {
        other.guard.implies(&self.guard)
            && self.rest.is_subset(&other.rest)
            && self.promises.is_subset(&other.promises)
    }

    fn and(&self, formulas: &Formulas, other: &Way) -> Option<Way> {
        Some(Way {
            guard: self.guard.and(&other.guard)?,
            rest: without_contained(formulas, &self.rest.union(&other.rest)),
            promises: self.promises.union(&other.promises),
        })
    }
}

/// The ways of all formulas that were asked for.
#[derive(Default)]
pub(crate) struct Ways {
    known: FxHashMap<Id, Vec<Way>>,
}

impl Ways {
    /// The ways to satisfy all formulas of a set at once.
    pub(crate) fn of_all(
        &mut self,
        formulas: &Formulas,
        set: &BitSet,
        budget: &mut Budget,
    ) -> Result<Vec<Way>, TooLarge> {
        let mut ways = vec![Way::free()];
        for member in set.iter() {
            let more = self.of(formulas, Id(member as u32), budget)?;
            ways = product(formulas, &ways, &more, budget)?;
        }
        for way in &mut ways {
            self.redeem(way);
        }
        undominated(ways, budget)
    }

    /// The ways to satisfy a formula.
    fn of(&mut self, formulas: &Formulas, id: Id, budget: &mut Budget) -> Result<Vec<Way>, TooLarge> {
        if let Some(ways) = self.known.get(&id) {
            return Ok(ways.clone());
        }
        let ways = match formulas.node(id) {
            Node::True => vec![Way::free()],
            Node::False => Vec::new(),
            Node::Literal(atom, holds) => vec![Way { guard: Cube::literal(*atom, *holds), ..Way::free() }],
            Node::And(operands) => {
                let mut ways = vec![Way::free()];
                for operand in operands {
                    ways = product(formulas, &ways, &self.of(formulas, *operand, budget)?, budget)?;
                }
                ways
            }
            Node::Or(operands) => {
                let mut ways = Vec::new();
                for operand in operands {
                    ways.extend(self.of(formulas, *operand, budget)?);
                }
                ways
            }
            Node::Next(operand) => {
                vec![Way { rest: without_contained(formulas, &parts(formulas, *operand)), ..Way::free() }]
            }
            Node::Until(left, right) => {
                let put_off =
                    Way { rest: BitSet::of(id.index()), promises: BitSet::of(id.index()), ..Way::free() };
                let mut ways = product(formulas, &self.of(formulas, *left, budget)?, &[put_off], budget)?;
                ways.extend(self.of(formulas, *right, budget)?);
                ways
            }
            Node::Release(left, right) => {
                let go_on = Way { rest: BitSet::of(id.index()), ..Way::free() };
                let mut ends = self.of(formulas, *left, budget)?;
                ends.push(go_on);
                product(formulas, &self.of(formulas, *right, budget)?, &ends, budget)?
            }
        };
        let ways = undominated(ways, budget)?;
        self.known.insert(id, ways.clone());
        Ok(ways)
    }

    /// Takes back promises that are kept already by what else the way demands.
    fn redeem(&self, way: &mut Way) {
        let kept: Vec<usize> = way
            .promises
            .iter()
            .filter(|&promise| {
                let ways = self.known.get(&Id(promise as u32)).map_or(&[][..], Vec::as_slice);
                ways.iter().any(|other| {
                    !other.promises.contains(promise)
                        && way.guard.implies(&other.guard)
                        && other.rest.is_subset(&way.rest)
                })
            })
            .collect();
        for promise in kept {
            way.promises.remove(promise);
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
    left: &[Way],
    right: &[Way],
    budget: &mut Budget,
) -> Result<Vec<Way>, TooLarge> {
    budget.spend(left.len() * right.len())?;
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
    let ways = pairs.filter_map(|(one, other)| one.and(formulas, other)).collect();
    undominated(ways, budget)
}

/// Only the ways that demand no more than another one.
fn undominated(mut ways: Vec<Way>, budget: &mut Budget) -> Result<Vec<Way>, TooLarge> {
    ways.sort();
    ways.dedup();
    let mut kept: Vec<Way> = Vec::with_capacity(ways.len());
    for way in ways {
        budget.spend(kept.len() / 8)?;
        if !kept.iter().any(|other| other.covers(&way)) {
            kept.retain(|other| !way.covers(other));
            kept.push(way);
        }
    }
    Ok(kept)
}
