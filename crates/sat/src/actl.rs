//! Formulas about all paths that say the same as formulas about one run.
//!
//! `A` before each operator can be left out where no choice between formulas depends on what is to come:
//! Maidl (2000).

use narrows_logic::Paths;
use narrows_model::synchronous::{Branching, BranchingId, Linear, LinearId};

/// Returns a formula about runs that holds on all fair ones exactly where the last of these holds; `None` if
/// none is known.
pub(crate) fn as_linear(formulas: &[Branching]) -> Option<Vec<Linear>> {
    let mut translation = Translation { formulas, made: Vec::new() };
    let last = BranchingId(formulas.len().checked_sub(1)? as u32);
    translation.formula(last, false)?;
    Some(translation.made)
}

struct Translation<'f> {
    formulas: &'f [Branching],
    made: Vec<Linear>,
}

impl Translation<'_> {
    fn get(&self, id: BranchingId) -> Branching {
        self.formulas[id.0 as usize]
    }

    fn add(&mut self, formula: Linear) -> LinearId {
        self.made.push(formula);
        LinearId(self.made.len() as u32 - 1)
    }

    fn not(&mut self, one: LinearId) -> LinearId {
        self.add(Linear::Not(one))
    }

    /// Returns whether a formula is about the state alone.
    fn is_plain(&self, id: BranchingId) -> bool {
        match self.get(id) {
            Branching::Atom(_) => true,
            formula @ (Branching::Not(_) | Branching::And(..) | Branching::Or(..)) => {
                formula.operands().all(|operand| self.is_plain(operand))
            }
            _ => false,
        }
    }

    fn plain(&mut self, id: BranchingId, negate: bool) -> Option<LinearId> {
        if !self.is_plain(id) {
            return None;
        }
        let made = match self.get(id) {
            Branching::Atom(root) => self.add(Linear::Atom(root)),
            Branching::Not(one) => {
                let one = self.plain(one, false)?;
                self.not(one)
            }
            Branching::And(left, right) => {
                let (left, right) = (self.plain(left, false)?, self.plain(right, false)?);
                self.add(Linear::And(left, right))
            }
            Branching::Or(left, right) => {
                let (left, right) = (self.plain(left, false)?, self.plain(right, false)?);
                self.add(Linear::Or(left, right))
            }
            _ => return None,
        };
        Some(if negate { self.not(made) } else { made })
    }

    /// Translates a formula, or its opposite.
    fn formula(&mut self, id: BranchingId, negate: bool) -> Option<LinearId> {
        if self.is_plain(id) {
            return self.plain(id, negate);
        }
        // Of an opposite, what is said of some path is said of all.
        let is_universal = |paths: Paths| (paths == Paths::All) != negate;
        match self.get(id) {
            Branching::Not(one) => self.formula(one, !negate),
            Branching::And(left, right) | Branching::Or(left, right) => {
                let is_both = matches!(self.get(id), Branching::And(..)) != negate;
                if !is_both && !self.is_plain(left) && !self.is_plain(right) {
                    return None;
                }
                let (left, right) = (self.formula(left, negate)?, self.formula(right, negate)?);
                Some(self.add(if is_both { Linear::And(left, right) } else { Linear::Or(left, right) }))
            }
            Branching::Next(paths, one) if is_universal(paths) => {
                let one = self.formula(one, negate)?;
                Some(self.add(Linear::Next(one)))
            }
            Branching::Always(paths, one) if is_universal(paths) && !negate => {
                let one = self.formula(one, false)?;
                Some(self.always(one))
            }
            Branching::Eventually(paths, one) if is_universal(paths) && negate => {
                let one = self.formula(one, true)?;
                Some(self.always(one))
            }
            Branching::Eventually(paths, one) if is_universal(paths) && !negate => {
                let one = self.plain(one, false)?;
                Some(self.eventually(one))
            }
            Branching::Always(paths, one) if is_universal(paths) && negate => {
                let one = self.plain(one, true)?;
                Some(self.eventually(one))
            }
            Branching::Until(Paths::All, left, right) if !negate => {
                let (left, right) = (self.plain(left, false)?, self.plain(right, false)?);
                Some(self.add(Linear::Until(left, right)))
            }
            _ => None,
        }
    }

    fn eventually(&mut self, one: LinearId) -> LinearId {
        let other = self.not(one);
        let anything = self.add(Linear::Or(one, other));
        self.add(Linear::Until(anything, one))
    }

    fn always(&mut self, one: LinearId) -> LinearId {
        let other = self.not(one);
        let never = self.eventually(other);
        self.not(never)
    }
}
