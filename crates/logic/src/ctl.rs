//! Computation tree logic: what can happen, and what must.

/// A formula of computation tree logic over atoms of type `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ctl<A> {
    /// A proposition.
    Atom(A),
    /// Negation.
    Not(Box<Ctl<A>>),
    /// Conjunction.
    And(Box<Ctl<A>>, Box<Ctl<A>>),
    /// Disjunction.
    Or(Box<Ctl<A>>, Box<Ctl<A>>),
    /// Implication.
    Implies(Box<Ctl<A>>, Box<Ctl<A>>),
    /// Equivalence.
    Equivalent(Box<Ctl<A>>, Box<Ctl<A>>),
    /// On some path (`E`) or on all (`A`), in the next state.
    Next(Paths, Box<Ctl<A>>),
    /// On some path or on all, in some state.
    Eventually(Paths, Box<Ctl<A>>),
    /// On some path or on all, in every state.
    Always(Paths, Box<Ctl<A>>),
    /// On some path or on all, the left until the right, which must come.
    Until(Paths, Box<Ctl<A>>, Box<Ctl<A>>),
    /// On some path or on all, the left until the right, or for ever.
    WeakUntil(Paths, Box<Ctl<A>>, Box<Ctl<A>>),
}

/// Which of the paths from a state are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// There is one.
    Some,
    /// All of them.
    All,
}
