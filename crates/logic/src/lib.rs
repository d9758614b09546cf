//! Temporal logic, generic in its atoms: it knows no model.

mod ctl;

pub use ctl::{Ctl, Paths};

/// A formula of linear temporal logic over atoms of type `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ltl<A> {
    /// A proposition.
    Atom(A),
    /// Negation.
    Not(Box<Ltl<A>>),
    /// In the next state.
    Next(Box<Ltl<A>>),
    /// In every state from now on.
    Always(Box<Ltl<A>>),
    /// In some state from now on.
    Eventually(Box<Ltl<A>>),
    /// Conjunction.
    And(Box<Ltl<A>>, Box<Ltl<A>>),
    /// Disjunction.
    Or(Box<Ltl<A>>, Box<Ltl<A>>),
    /// Implication.
    Implies(Box<Ltl<A>>, Box<Ltl<A>>),
    /// Equivalence.
    Equivalent(Box<Ltl<A>>, Box<Ltl<A>>),
    /// The left holds until the right does, and the right does at some time.
    Until(Box<Ltl<A>>, Box<Ltl<A>>),
    /// The left holds until the right does, or for ever.
    WeakUntil(Box<Ltl<A>>, Box<Ltl<A>>),
    /// The right holds until and including when the left does, or for ever.
    Release(Box<Ltl<A>>, Box<Ltl<A>>),
}
