//! Formulas about paths, from the innermost to the outermost: for each, the states in which it holds.

use narrows_logic::Paths;
use narrows_model::Limit;
use narrows_model::synchronous::{Branching, BranchingId, Machine};

use crate::bdd::Bdd;
use crate::fair::Fairness;
use crate::space::Space;

type Result<T> = std::result::Result<T, Limit>;

/// What formulas are about: the states that can be reached, and the fair paths between them.
pub(crate) struct Judge<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) space: &'a Space,
    /// All states that can be reached.
    pub(crate) all: &'a Bdd,
    /// Those from which there is a fair path.
    pub(crate) fair: &'a Bdd,
    pub(crate) fairness: &'a Fairness,
}

impl Judge<'_> {
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
        self.space.before(&set.and(self.fair)?, self.all, false)
    }

    fn all_next(&self, set: &Bdd) -> Result<Bdd> {
        self.not(&self.some_next(&self.not(set)?)?)
    }

    fn some_until(&self, left: &Bdd, right: &Bdd) -> Result<Bdd> {
        self.space.leading(left, &right.and(self.fair)?, false)
    }

    pub(crate) fn some_always(&self, set: &Bdd) -> Result<Bdd> {
        self.space.staying(set, self.fairness)
    }

    fn one(&self, formula: Branching, sets: &[Bdd]) -> Result<Bdd> {
        let of = |id: BranchingId| &sets[id.0 as usize];
        match formula {
            Branching::Atom(root) => self.space.states(self.machine, root)?.and(self.all),
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
            Paths::Some => right.and(self.fair)?,
            Paths::All => right.or(&self.not(self.fair)?)?,
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
