//! Claims about a system as claims about its synchronous system.

use narrows_logic::{Ctl, Ltl};
use narrows_source::Span;

use super::{Flat, Refused};
use crate::synchronous::{Branching, BranchingId, ExprId, Linear, LinearId, Specification, SynchronousClaim};
use crate::{Atom, Claim};

/// A translated claim, and the condition under which a proposition of it has a fault.
#[derive(Clone, Debug)]
pub struct FlatClaim {
    /// Its number among the synchronous system's specifications.
    pub index: usize,
    /// The condition under which a proposition has a fault.
    pub wrong: ExprId,
}

impl Flat<'_> {
    /// Translates a claim of the system; `None` if synchronous systems have no such claims.
    pub fn add_claim(&mut self, claim: &Claim) -> Result<Option<FlatClaim>, Refused> {
        let mut wrong = vec![self.maker.terms.truth(false)];
        let made = match claim {
            Claim::Ltl(formula) => {
                let mut list = Vec::new();
                self.linear(formula, &mut list, &mut wrong)?;
                SynchronousClaim::Linear(list)
            }
            Claim::Ctl(formula) => {
                let mut list = Vec::new();
                self.branching(formula, &mut list, &mut wrong)?;
                SynchronousClaim::Branching(list)
            }
            Claim::Never(_) | Claim::Trace { .. } => return Ok(None),
        };
        let wrong = self.maker.terms.any(&wrong);
        Ok(Some(FlatClaim { index: self.add(made), wrong }))
    }

    /// Adds a claim that a condition holds in no state.
    pub fn add_never(&mut self, condition: ExprId) -> usize {
        let fine = self.maker.terms.not(condition);
        self.add(SynchronousClaim::Invariant(fine))
    }

    /// Adds the claim that a condition holds only finitely often.
    pub fn add_not_always_again(&mut self, condition: ExprId) -> usize {
        let mut list = vec![Linear::Atom(condition)];
        let again = push(&mut list, |list| always_eventually(list, LinearId(0)));
        push(&mut list, |_| Linear::Not(again));
        self.add(SynchronousClaim::Linear(list))
    }

    /// Adds the claim that a condition holds infinitely often.
    pub fn add_always_again(&mut self, condition: ExprId) -> usize {
        let mut list = vec![Linear::Atom(condition)];
        push(&mut list, |list| always_eventually(list, LinearId(0)));
        self.add(SynchronousClaim::Linear(list))
    }

    fn add(&mut self, claim: SynchronousClaim) -> usize {
        let specifications = &mut self.maker.terms.builder.system.specifications;
        let (name, atoms, span) = (String::new(), Vec::new(), Span::default());
        specifications.push(Specification { name, claim, atoms, span });
        specifications.len() - 1
    }

    fn atom(&mut self, atom: &Atom, wrong: &mut Vec<ExprId>) -> Result<ExprId, Refused> {
        let (holds, goes_wrong) = self.predicate(&atom.expr)?;
        wrong.push(goes_wrong);
        Ok(holds)
    }

    fn linear(
        &mut self,
        formula: &Ltl<Atom>,
        list: &mut Vec<Linear>,
        wrong: &mut Vec<ExprId>,
    ) -> Result<LinearId, Refused> {
        let mut of =
            |this: &mut Self, formula: &Ltl<Atom>, list: &mut Vec<Linear>| this.linear(formula, list, wrong);
        let made = match formula {
            Ltl::Constant(value) => Linear::Atom(self.maker.terms.truth(*value)),
            Ltl::Atom(atom) => Linear::Atom(self.atom(atom, wrong)?),
            Ltl::Not(one) => Linear::Not(of(self, one, list)?),
            Ltl::And(left, right) => Linear::And(of(self, left, list)?, of(self, right, list)?),
            Ltl::Or(left, right) => Linear::Or(of(self, left, list)?, of(self, right, list)?),
            Ltl::Implies(left, right) => {
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let left = push(list, |_| Linear::Not(left));
                Linear::Or(left, right)
            }
            Ltl::Equivalent(left, right) => {
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let both = push(list, |_| Linear::And(left, right));
                let either = push(list, |_| Linear::Or(left, right));
                let neither = push(list, |_| Linear::Not(either));
                Linear::Or(both, neither)
            }
            Ltl::Next(one) => Linear::Next(of(self, one, list)?),
            Ltl::Eventually(one) => {
                let one = of(self, one, list)?;
                eventually(list, self.maker.terms.truth(true), one)
            }
            Ltl::Always(one) => {
                let one = of(self, one, list)?;
                let opposite = push(list, |_| Linear::Not(one));
                let always = self.maker.terms.truth(true);
                let some = push(list, |list| eventually(list, always, opposite));
                Linear::Not(some)
            }
            Ltl::Until(left, right) => Linear::Until(of(self, left, list)?, of(self, right, list)?),
            Ltl::WeakUntil(left, right) => {
                // Not: without the right, until neither.
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let without = push(list, |_| Linear::Not(right));
                let either = push(list, |_| Linear::Or(left, right));
                let neither = push(list, |_| Linear::Not(either));
                let broken = push(list, |_| Linear::Until(without, neither));
                Linear::Not(broken)
            }
            Ltl::Release(left, right) => {
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let (left, right) = (push(list, |_| Linear::Not(left)), push(list, |_| Linear::Not(right)));
                let broken = push(list, |_| Linear::Until(left, right));
                Linear::Not(broken)
            }
        };
        Ok(push(list, |_| made))
    }

    fn branching(
        &mut self,
        formula: &Ctl<Atom>,
        list: &mut Vec<Branching>,
        wrong: &mut Vec<ExprId>,
    ) -> Result<BranchingId, Refused> {
        let mut of = |this: &mut Self, formula: &Ctl<Atom>, list: &mut Vec<Branching>| {
            this.branching(formula, list, wrong)
        };
        let made = match formula {
            Ctl::Atom(atom) => Branching::Atom(self.atom(atom, wrong)?),
            Ctl::Not(one) => Branching::Not(of(self, one, list)?),
            Ctl::And(left, right) => Branching::And(of(self, left, list)?, of(self, right, list)?),
            Ctl::Or(left, right) => Branching::Or(of(self, left, list)?, of(self, right, list)?),
            Ctl::Implies(left, right) => {
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let left = add(list, Branching::Not(left));
                Branching::Or(left, right)
            }
            Ctl::Equivalent(left, right) => {
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let both = add(list, Branching::And(left, right));
                let either = add(list, Branching::Or(left, right));
                let neither = add(list, Branching::Not(either));
                Branching::Or(both, neither)
            }
            Ctl::Next(paths, one) => Branching::Next(*paths, of(self, one, list)?),
            Ctl::Eventually(paths, one) => Branching::Eventually(*paths, of(self, one, list)?),
            Ctl::Always(paths, one) => Branching::Always(*paths, of(self, one, list)?),
            Ctl::Until(paths, left, right) => {
                Branching::Until(*paths, of(self, left, list)?, of(self, right, list)?)
            }
            Ctl::WeakUntil(paths, left, right) => {
                // Not, on the other paths: without the right, until neither.
                let (left, right) = (of(self, left, list)?, of(self, right, list)?);
                let without = add(list, Branching::Not(right));
                let either = add(list, Branching::Or(left, right));
                let neither = add(list, Branching::Not(either));
                let others = match paths {
                    narrows_logic::Paths::All => narrows_logic::Paths::Some,
                    narrows_logic::Paths::Some => narrows_logic::Paths::All,
                };
                let broken = add(list, Branching::Until(others, without, neither));
                Branching::Not(broken)
            }
        };
        Ok(add(list, made))
    }
}

fn push(list: &mut Vec<Linear>, make: impl FnOnce(&mut Vec<Linear>) -> Linear) -> LinearId {
    let made = make(list);
    list.push(made);
    LinearId(list.len() as u32 - 1)
}

fn add(list: &mut Vec<Branching>, formula: Branching) -> BranchingId {
    list.push(formula);
    BranchingId(list.len() as u32 - 1)
}

/// Makes: true until it comes.
fn eventually(list: &mut Vec<Linear>, always: ExprId, one: LinearId) -> Linear {
    let always = push(list, |_| Linear::Atom(always));
    Linear::Until(always, one)
}

/// Makes: again and again, as not from some point on never.
fn always_eventually(list: &mut Vec<Linear>, one: LinearId) -> Linear {
    let opposite = push(list, |_| Linear::Not(one));
    let always = push(list, |_| Linear::Or(one, opposite));
    let some = push(list, |_| Linear::Until(always, one));
    let none = push(list, |_| Linear::Not(some));
    let end = push(list, |_| Linear::Until(always, none));
    Linear::Not(end)
}
