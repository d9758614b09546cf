//! Why a formula about paths fails, or holds: a run, where one run can show it.

use narrows_logic::Paths;
use narrows_model::Limit;
use narrows_model::synchronous::{Branching, BranchingId, Run};

use crate::bdd::Bdd;
use crate::ctl::CtlChecker;
use crate::walk::Path;

type Result<T> = std::result::Result<T, Limit>;

/// A formula whose parts have been evaluated.
pub(crate) struct Evidence<'a> {
    pub(crate) checker: &'a CtlChecker<'a>,
    pub(crate) formulas: &'a [Branching],
    /// Where each of them holds.
    pub(crate) sets: &'a [Bdd],
}

impl Evidence<'_> {
    /// Goes on with a path, to show that the formula holds, or does not, in its last state. What is said of
    /// all paths of some kind can't be shown by one: there the path ends.
    pub(crate) fn show(&self, mut path: Path, mut id: BranchingId, mut holds: bool) -> Result<Run> {
        let space = self.checker.space;
        let anywhere = space.manager().truth(true);
        loop {
            let set = |id: BranchingId, holds: bool| -> Result<Bdd> {
                let set = &self.sets[id.0 as usize];
                if holds { Ok(set.clone()) } else { self.checker.all.minus(set) }
            };
            let formula = self.formulas[id.0 as usize];
            match (formula, holds) {
                (Branching::Not(one), _) => {
                    id = one;
                    holds = !holds;
                    continue;
                }
                (Branching::And(left, right) | Branching::Or(left, right), _) => {
                    id = self.telling(formula, left, right, holds, &path)?;
                    continue;
                }
                (Branching::Next(Paths::Some, one), true) | (Branching::Next(Paths::All, one), false) => {
                    let goal = set(one, holds)?.and(self.checker.fair()?)?;
                    if space.step(&mut path, &anywhere, &goal)? {
                        id = one;
                        continue;
                    }
                }
                (Branching::Eventually(Paths::Some, one), true)
                | (Branching::Always(Paths::All, one), false) => {
                    let goal = set(one, holds)?.and(self.checker.fair()?)?;
                    if space.go(&mut path, &anywhere, &goal)? {
                        id = one;
                        continue;
                    }
                }
                (Branching::Until(Paths::Some, left, right), true) => {
                    let goal = set(right, true)?.and(self.checker.fair()?)?;
                    if space.go(&mut path, &set(left, true)?, &goal)? {
                        id = right;
                        continue;
                    }
                }
                (Branching::Always(Paths::Some, one), true)
                | (Branching::Eventually(Paths::All, one), false) => {
                    if let Some(run) = self.lasso(&path, &set(one, holds)?)? {
                        return Ok(run);
                    }
                }
                (Branching::Until(Paths::All, left, right), false) => {
                    let without = set(right, false)?;
                    let neither = without.and(&set(left, false)?)?.and(self.checker.fair()?)?;
                    if space.go(&mut path, &without, &neither)? {
                        // Both fail there: the one that says more is worth a word.
                        id = if self.is_plain(left) { right } else { left };
                        continue;
                    }
                    if let Some(run) = self.lasso(&path, &without)? {
                        return Ok(run);
                    }
                }
                (Branching::EventuallyWithin(Paths::Some, low, high, one), true)
                | (Branching::AlwaysWithin(Paths::All, low, high, one), false) => {
                    let goal = set(one, holds)?.and(self.checker.fair()?)?;
                    if self.after(&mut path, (low, high), &anywhere, &goal)? {
                        id = one;
                        continue;
                    }
                }
                (Branching::UntilWithin(Paths::Some, low, high, left, right), true) => {
                    let goal = set(right, true)?.and(self.checker.fair()?)?;
                    if self.after(&mut path, (low, high), &set(left, true)?, &goal)? {
                        id = right;
                        continue;
                    }
                }
                (Branching::AlwaysWithin(Paths::Some, low, high, one), true)
                | (Branching::EventuallyWithin(Paths::All, low, high, one), false) => {
                    self.staying(&mut path, (low, high), &set(one, holds)?)?;
                }
                _ => {}
            }
            break;
        }
        Ok(Run { states: path, cycle: None })
    }

    /// Chooses the side of a conjunction or disjunction that shows what it is.
    fn telling(
        &self,
        formula: Branching,
        left: BranchingId,
        right: BranchingId,
        holds: bool,
        path: &Path,
    ) -> Result<BranchingId> {
        let decided_by_one = matches!(formula, Branching::Or(..)) == holds;
        if !decided_by_one {
            return Ok(if self.is_plain(left) { right } else { left });
        }
        let Some(last) = path.last() else { return Ok(left) };
        let here = self.checker.space.encoding.exactly(last, false)?;
        let is_so = |id: BranchingId| here.meets(&self.sets[id.0 as usize]);
        Ok(if is_so(left)? == holds { left } else { right })
    }

    /// Returns whether a formula is about the state alone.
    fn is_plain(&self, id: BranchingId) -> bool {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let formula = self.formulas[id.0 as usize];
            match formula {
                Branching::Atom(_) => {}
                Branching::Not(_) | Branching::And(..) | Branching::Or(..) => {
                    waiting.extend(formula.operands());
                }
                _ => return false,
            }
        }
        true
    }

    fn lasso(&self, path: &Path, within: &Bdd) -> Result<Option<Run>> {
        let space = self.checker.space;
        let core = space.core(within, self.checker.fairness)?;
        let mut path = path.clone();
        let states = core.exists(&space.inputs)?;
        if !space.go(&mut path, within, &states)? {
            return Ok(None);
        }
        space.lasso(path, &core, self.checker.fairness)
    }

    /// Goes on with a path by at least and at most so many steps to one of some states, within others before.
    fn after(&self, path: &mut Path, (low, high): (u32, u32), within: &Bdd, to: &Bdd) -> Result<bool> {
        let space = self.checker.space;
        let Some(last) = path.last() else { return Ok(false) };
        // Where one can be after so many steps.
        let mut layers = vec![space.encoding.exactly(last, false)?];
        while layers.len() <= high as usize {
            let number = layers.len() as u32 - 1;
            let last = &layers[layers.len() - 1];
            if number >= low && last.meets(to)? {
                break;
            }
            layers.push(space.relation.successors(&last.and(within)?)?);
        }
        let goal = layers[layers.len() - 1].and(to)?;
        self.through(path, &layers, within, goal)
    }

    /// Goes on with a path by so many steps; after so many of them it stays within a set.
    fn staying(&self, path: &mut Path, (low, high): (u32, u32), within: &Bdd) -> Result<bool> {
        let space = self.checker.space;
        let Some(last) = path.last() else { return Ok(false) };
        let fair = self.checker.fair()?;
        let here = space.encoding.exactly(last, false)?;
        let mut layers = vec![if low == 0 { here.and(within)? } else { here }];
        for number in 1..=high.max(low) {
            let next = space.relation.successors(&layers[layers.len() - 1])?.and(fair)?;
            layers.push(if number >= low { next.and(within)? } else { next });
        }
        let goal = layers[layers.len() - 1].clone();
        self.through(path, &layers, &space.manager().truth(true), goal)
    }

    /// Goes on with a path through layers, of which the first holds its last state, to a goal in the last
    /// one.
    fn through(&self, path: &mut Path, layers: &[Bdd], within: &Bdd, mut goal: Bdd) -> Result<bool> {
        let space = self.checker.space;
        let mut goals = vec![goal.clone()];
        for layer in layers.iter().rev().skip(1) {
            goal = space.relation.predecessors(&goal, &layer.and(within)?, false)?;
            goals.push(goal.clone());
        }
        goals.reverse();
        for goal in &goals[1..] {
            if !space.step(path, within, goal)? {
                return Ok(false);
            }
        }
        Ok(!goals[0].is_false())
    }
}
