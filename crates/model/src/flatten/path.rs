//! One symbolic path through a step: its path condition, and the values of variables along it.

use super::expressions::Actor;
use super::layout::ChannelId;
use super::terms::Terms;
use crate::synchronous::{ExprId, Node, Operator, VariableId};

/// An offered message, in the middle of a rendezvous.
#[derive(Clone, Debug)]
pub(super) struct HeldMessage {
    pub(super) channel: ChannelId,
    pub(super) message: Vec<ExprId>,
}

/// A prefix of a symbolic path.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Whoever takes it.
    pub(super) actor: Actor,
    /// The value of each variable, as an expression over the variables before the step.
    pub(super) values: Vec<ExprId>,
    /// The path condition, as conjuncts; they are only added.
    facts: Vec<ExprId>,
    /// Variables whose value before the step is implied by the path condition.
    pub(super) known: Vec<(VariableId, ExprId)>,
    pub(super) offer: Option<HeldMessage>,
    /// What the `run` of the statement gave.
    pub(super) run_result: ExprId,
    is_impossible: bool,
}

impl Path {
    pub(super) fn new(terms: &mut Terms) -> Path {
        let count = terms.builder.system.variables.len();
        let values = (0..count).map(|index| terms.current(VariableId(index as u32))).collect();
        let zero = terms.number(0);
        Path {
            actor: Actor::OBSERVER,
            values,
            facts: Vec::new(),
            known: Vec::new(),
            offer: None,
            run_result: zero,
            is_impossible: false,
        }
    }

    pub(super) fn value(&self, variable: VariableId) -> ExprId {
        self.values[variable.0 as usize]
    }

    pub(super) fn set(&mut self, variable: VariableId, value: ExprId) {
        self.values[variable.0 as usize] = value;
    }

    /// Returns whether the path condition is unsatisfiable, as far as that is plain to see.
    pub(super) fn is_impossible(&self) -> bool {
        self.is_impossible
    }

    /// Returns the number of conjuncts so far.
    pub(super) fn mark(&self) -> usize {
        self.facts.len()
    }

    /// Returns the conjunction of what was assumed since a mark.
    pub(super) fn since(&self, terms: &mut Terms, mark: usize) -> ExprId {
        if self.is_impossible {
            return terms.truth(false);
        }
        terms.all(&self.facts[mark.min(self.facts.len())..])
    }

    /// Returns the path condition.
    pub(super) fn condition(&self, terms: &mut Terms) -> ExprId {
        self.since(terms, 0)
    }

    /// Adds a conjunct to the path condition.
    pub(super) fn assume(&mut self, terms: &mut Terms, fact: ExprId) {
        match terms.constant(fact) {
            Some(0) => self.is_impossible = true,
            Some(_) => {}
            None => match terms.parts(fact) {
                Some((left, right)) => {
                    self.assume(terms, left);
                    self.assume(terms, right);
                }
                None => self.add(terms, fact),
            },
        }
    }

    fn add(&mut self, terms: &mut Terms, fact: ExprId) {
        if self.facts.contains(&fact) {
            return;
        }
        let opposite = terms.not(fact);
        let differs = |other: &ExprId| *other == opposite || contradicts(terms, fact, *other);
        if self.facts.iter().any(differs) {
            self.is_impossible = true;
        } else {
            self.facts.push(fact);
        }
    }

    /// Merges two mutually exclusive paths that began with the same conjuncts.
    pub(super) fn joined(terms: &mut Terms, one: Path, other: Path) -> Path {
        if one.is_impossible {
            return other;
        }
        if other.is_impossible {
            return one;
        }
        let common = one.facts.iter().zip(&other.facts).take_while(|(a, b)| a == b).count();
        let (here, there) = (one.since(terms, common), other.since(terms, common));
        let mut path = other;
        for (value, mine) in path.values.iter_mut().zip(&one.values) {
            *value = terms.choose(here, *mine, *value);
        }
        path.run_result = terms.choose(here, one.run_result, path.run_result);
        path.facts.truncate(common);
        path.known.retain(|known| one.known.contains(known));
        let either = terms.or(here, there);
        path.assume(terms, either);
        path
    }
}

/// Returns whether two conjuncts equate one expression with two different constants.
fn contradicts(terms: &Terms, one: ExprId, other: ExprId) -> bool {
    let parts = |id: ExprId| match *terms.builder.system.node(id) {
        Node::Binary(Operator::Equal, left, right) => match (terms.constant(left), terms.constant(right)) {
            (Some(value), None) => Some((right, value)),
            (None, Some(value)) => Some((left, value)),
            _ => None,
        },
        _ => None,
    };
    match (parts(one), parts(other)) {
        (Some((a, x)), Some((b, y))) => a == b && x != y,
        _ => false,
    }
}
