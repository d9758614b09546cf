//! Formulas of linear temporal logic.

use std::fmt::{self, Display, Formatter};

/// A formula of linear temporal logic over atoms of type `A`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ltl<A> {
    /// A proposition.
    Atom(A),
    /// True, or false.
    Constant(bool),
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

impl<A> Ltl<A> {
    /// The formula that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Ltl<A> {
        match self {
            Ltl::Not(operand) => *operand,
            formula => Ltl::Not(Box::new(formula)),
        }
    }

    /// Whether it looks at the next state, so that repeating a state can change its value.
    pub fn has_next(&self) -> bool {
        matches!(self, Ltl::Next(_)) || self.operands().any(Ltl::has_next)
    }

    /// Its atoms, from left to right, each as often as it occurs.
    pub fn atoms(&self) -> Vec<&A> {
        let mut found = Vec::new();
        let mut rest = vec![self];
        while let Some(formula) = rest.pop() {
            match formula {
                Ltl::Atom(atom) => found.push(atom),
                _ => rest.extend(formula.operands().collect::<Vec<_>>().into_iter().rev()),
            }
        }
        found
    }

    /// The same formula over other atoms.
    pub fn map<B>(&self, f: &mut impl FnMut(&A) -> B) -> Ltl<B> {
        self.replace(&mut |atom| Ltl::Atom(f(atom)))
    }

    /// The formula with others in the place of its atoms.
    pub fn replace<B>(&self, f: &mut impl FnMut(&A) -> Ltl<B>) -> Ltl<B> {
        let mut inside = |operand: &Ltl<A>| Box::new(operand.replace(f));
        match self {
            Ltl::Atom(atom) => f(atom),
            Ltl::Constant(value) => Ltl::Constant(*value),
            Ltl::Not(operand) => Ltl::Not(inside(operand)),
            Ltl::Next(operand) => Ltl::Next(inside(operand)),
            Ltl::Always(operand) => Ltl::Always(inside(operand)),
            Ltl::Eventually(operand) => Ltl::Eventually(inside(operand)),
            Ltl::And(left, right) => Ltl::And(inside(left), inside(right)),
            Ltl::Or(left, right) => Ltl::Or(inside(left), inside(right)),
            Ltl::Implies(left, right) => Ltl::Implies(inside(left), inside(right)),
            Ltl::Equivalent(left, right) => Ltl::Equivalent(inside(left), inside(right)),
            Ltl::Until(left, right) => Ltl::Until(inside(left), inside(right)),
            Ltl::WeakUntil(left, right) => Ltl::WeakUntil(inside(left), inside(right)),
            Ltl::Release(left, right) => Ltl::Release(inside(left), inside(right)),
        }
    }

    /// The formulas right below the outermost operator.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Ltl<A>> {
        let (first, second) = match self {
            Ltl::Atom(_) | Ltl::Constant(_) => (None, None),
            Ltl::Not(operand) | Ltl::Next(operand) | Ltl::Always(operand) | Ltl::Eventually(operand) => {
                (Some(operand), None)
            }
            Ltl::And(left, right)
            | Ltl::Or(left, right)
            | Ltl::Implies(left, right)
            | Ltl::Equivalent(left, right)
            | Ltl::Until(left, right)
            | Ltl::WeakUntil(left, right)
            | Ltl::Release(left, right) => (Some(left), Some(right)),
        };
        first.into_iter().chain(second).map(|operand| &**operand)
    }

    fn write(
        &self,
        to: &mut Formatter<'_>,
        write_atom: &impl Fn(&A, &mut Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let (sign, left, right) = match self {
            Ltl::Atom(atom) => return write_atom(atom, to),
            Ltl::Constant(value) => return write!(to, "{value}"),
            Ltl::Not(operand) => ("!", None, operand),
            Ltl::Next(operand) => ("X ", None, operand),
            Ltl::Always(operand) => ("[] ", None, operand),
            Ltl::Eventually(operand) => ("<> ", None, operand),
            Ltl::And(left, right) => ("&&", Some(left), right),
            Ltl::Or(left, right) => ("||", Some(left), right),
            Ltl::Implies(left, right) => ("->", Some(left), right),
            Ltl::Equivalent(left, right) => ("<->", Some(left), right),
            Ltl::Until(left, right) => ("U", Some(left), right),
            Ltl::WeakUntil(left, right) => ("W", Some(left), right),
            Ltl::Release(left, right) => ("V", Some(left), right),
        };
        let is_binary = |formula: &Ltl<A>| formula.operands().count() == 2;
        let operand = |formula: &Ltl<A>, to: &mut Formatter<'_>| {
            if is_binary(formula) {
                to.write_str("(")?;
                formula.write(to, write_atom)?;
                to.write_str(")")
            } else {
                formula.write(to, write_atom)
            }
        };
        if let Some(left) = left {
            operand(left, to)?;
            write!(to, " {sign} ")?;
        } else {
            to.write_str(sign)?;
        }
        operand(right, to)
    }
}

/// Writes the formula as Promela does, every binary operand in parentheses. Atoms are written as they are.
impl<A: Display> Display for Ltl<A> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        self.write(to, &|atom: &A, to: &mut Formatter<'_>| atom.fmt(to))
    }
}
