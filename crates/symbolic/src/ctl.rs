//! Formulas about paths, from the innermost to the outermost: for each, the states in which it holds.

use std::cell::OnceCell;

use narrows_logic::Paths;
use narrows_model::Limit;
use narrows_model::synchronous::{Branching, BranchingId, Node, SynchronousSystem};

use crate::bdd::Bdd;
use crate::fairness::Fairness;
use crate::space::Space;

type Result<T> = std::result::Result<T, Limit>;

/// What formulas are about: the states that can be reached, and the fair paths between them.
pub(crate) struct CtlChecker<'a> {
    pub(crate) system: &'a SynchronousSystem,
    pub(crate) space: &'a Space,
    /// All states that can be reached.
    pub(crate) all: &'a Bdd,
    /// Those without a successor.
    pub(crate) ends: &'a Bdd,
    pub(crate) fairness: &'a Fairness,
    /// Those from which there is a fair path, if that is known.
    pub(crate) known_fair: &'a OnceCell<Bdd>,
}

impl<'a> CtlChecker<'a> {
    /// Returns the states from which there is a fair path.
    pub(crate) fn fair(&self) -> Result<&'a Bdd> {
        if let Some(known) = self.known_fair.get() {
            return Ok(known);
        }
        let fair = if self.fairness.is_trivial() && self.ends.is_false() {
            self.all.clone()
        } else {
            self.space.staying(self.all, self.fairness)?
        };
        Ok(self.known_fair.get_or_init(|| fair))
    }

    /// Returns where each of the formulas holds.
    pub(crate) fn evaluate(&self, formulas: &[Branching]) -> Result<Vec<Bdd>> {
        let mut sets: Vec<Bdd> = Vec::new();
        for formula in formulas {
            let set = self.one(*formula, &sets)?;
            sets.push(set);
        }
        Ok(sets)
    }

    fn not(&self, set: &Bdd) -> Result<Bdd> {
        self.all.minus(set)
    }

    /// Where some fair path has its next state in a set.
    pub(crate) fn some_next(&self, set: &Bdd) -> Result<Bdd> {
        self.space.before(&set.and(self.fair()?)?, self.all, false)
    }

    fn all_next(&self, set: &Bdd) -> Result<Bdd> {
        self.not(&self.some_next(&self.not(set)?)?)
    }

    fn some_until(&self, left: &Bdd, right: &Bdd) -> Result<Bdd> {
        self.space.leading(left, &right.and(self.fair()?)?, false)
    }

    pub(crate) fn some_always(&self, set: &Bdd) -> Result<Bdd> {
        self.space.staying(set, self.fairness)
    }

    fn one(&self, formula: Branching, sets: &[Bdd]) -> Result<Bdd> {
        let of = |id: BranchingId| &sets[id.0 as usize];
        match formula {
            Branching::Atom(root) => self.space.states(self.system, root)?.and(self.all),
            Branching::Not(one) => self.not(of(one)),
            Branching::And(left, right) => of(left).and(of(right)),
            Branching::Or(left, right) => of(left).or(of(right)),
            Branching::Next(Paths::Some, one) => self.some_next(of(one)),
            Branching::Next(Paths::All, one) => self.all_next(of(one)),
            Branching::Eventually(Paths::Some, one) => self.some_until(self.all, of(one)),
            Branching::Always(Paths::All, one) => {
                let bad = self.not(of(one))?;
                self.not(&self.some_until(self.all, &bad)?)
            }
            Branching::Always(Paths::Some, one) => self.some_always(of(one)),
            Branching::Eventually(Paths::All, one) => {
                let bad = self.not(of(one))?;
                self.not(&self.some_always(&bad)?)
            }
            Branching::Until(Paths::Some, left, right) => self.some_until(of(left), of(right)),
            Branching::Until(Paths::All, left, right) => {
                let without = self.not(of(right))?;
                let neither = without.minus(of(left))?;
                let broken = self.some_until(&without, &neither)?;
                self.not(&broken.or(&self.some_always(&without)?)?)
            }
            Branching::EventuallyWithin(Paths::Some, low, high, one) => {
                self.within(self.all, of(one), low, high, Paths::Some)
            }
            Branching::EventuallyWithin(Paths::All, low, high, one) => {
                self.within(self.all, of(one), low, high, Paths::All)
            }
            Branching::AlwaysWithin(Paths::All, low, high, one) => {
                let bad = self.not(of(one))?;
                self.not(&self.within(self.all, &bad, low, high, Paths::Some)?)
            }
            Branching::AlwaysWithin(Paths::Some, low, high, one) => {
                let bad = self.not(of(one))?;
                self.not(&self.within(self.all, &bad, low, high, Paths::All)?)
            }
            Branching::UntilWithin(paths, low, high, left, right) => {
                self.within(of(left), of(right), low, high, paths)
            }
        }
    }

    /// Where, on some path or on all, the left holds until the right does, after so many steps.
    fn within(&self, left: &Bdd, right: &Bdd, low: u32, high: u32, paths: Paths) -> Result<Bdd> {
        // Where there is no fair path, everything is so on all.
        let goal = match paths {
            Paths::Some => right.and(self.fair()?)?,
            Paths::All => right.or(&self.not(self.fair()?)?)?,
        };
        let step = |set: &Bdd| match paths {
            Paths::Some => self.some_next(set),
            Paths::All => self.all_next(set),
        };
        let mut set = goal.clone();
        for _ in low..high {
            let next = goal.or(&left.and(&step(&set)?)?)?;
            if next == set {
                break;
            }
            set = next;
        }
        for _ in 0..low {
            let next = left.and(&step(&set)?)?;
            if next == set {
                break;
            }
            set = next;
        }
        Ok(set)
    }
}

/// Returns what a formula is in all states from which there is a fair path, if that can be seen without
/// looking at them.
pub(crate) fn constant(
    system: &SynchronousSystem,
    formulas: &[Branching],
    root: BranchingId,
) -> Option<bool> {
    let mut values: Vec<Option<bool>> = Vec::new();
    for formula in formulas {
        let of = |id: &BranchingId| values[id.0 as usize];
        let value = match formula {
            Branching::Atom(id) => match system.node(*id) {
                Node::Constant(value) => Some(*value != 0),
                _ => None,
            },
            Branching::Not(one) => of(one).map(|value| !value),
            Branching::And(left, right) => match (of(left), of(right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), other) | (other, Some(true)) => other,
                _ => None,
            },
            Branching::Or(left, right) => match (of(left), of(right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), other) | (other, Some(false)) => other,
                _ => None,
            },
            // A fair path goes on to states from which there is one.
            Branching::Next(_, one)
            | Branching::Eventually(_, one)
            | Branching::Always(_, one)
            | Branching::Until(_, _, one) => of(one),
            _ => None,
        };
        values.push(value);
    }
    values[root.0 as usize]
}
