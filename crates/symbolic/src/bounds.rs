//! How long and how often, at least and at most (Campos and others, 1995).
//!
//! A way begins in a state of one set and ends in the first state of another. Paths that end before count as
//! endless ones. Sets of states are kept for every length and every count, so that each bound comes with a
//! run that has it.

use narrows_model::Limit;
use narrows_model::synchronous::Run;

use crate::bdd::Bdd;
use crate::fairness::Fairness;
use crate::space::{Reached, Space};
use crate::walk::Path;

type Result<T> = std::result::Result<T, Limit>;

/// A bound, and a run that has it: from which state on, and to which.
pub(crate) struct Bound {
    /// `None` for infinity.
    pub(crate) value: Option<u64>,
    pub(crate) run: Option<Shown>,
}

/// A run with the part that shows something.
pub(crate) struct Shown {
    pub(crate) run: Run,
    pub(crate) from: usize,
    /// `None` if it never ends.
    pub(crate) to: Option<usize>,
}

/// Where ways go, and between what.
pub(crate) struct Ways<'a> {
    pub(crate) space: &'a Space,
    pub(crate) reached: &'a Reached,
    /// The states that count: all that can be reached, or those from which there is a fair path.
    pub(crate) all: &'a Bdd,
    pub(crate) from: Bdd,
    pub(crate) to: Bdd,
}

impl Ways<'_> {
    fn pairs(&self) -> Bdd {
        self.space.manager().truth(true)
    }

    /// Returns a run to one of these states.
    fn lead(&self, to: &Bdd) -> Result<Option<Path>> {
        Ok(self.space.lead(self.reached, to)?.map(|lead| lead.path))
    }

    /// Returns the length of a shortest way.
    pub(crate) fn minimum(&self) -> Result<Bound> {
        let mut seen = self.from.clone();
        let mut layers = vec![seen.clone()];
        loop {
            let last = &layers[layers.len() - 1];
            if last.meets(&self.to)? {
                break;
            }
            let new = self.space.relation.successors(last)?.and(self.all)?.minus(&seen)?;
            if new.is_false() {
                return Ok(Bound { value: None, run: None });
            }
            seen = seen.or(&new)?;
            layers.push(new);
        }
        // Back to where such a way begins, and forwards again from a start that is reached soonest.
        let mut goals = vec![layers[layers.len() - 1].and(&self.to)?];
        for layer in layers.iter().rev().skip(1) {
            let before = self.space.relation.predecessors(&goals[goals.len() - 1], layer, false)?;
            goals.push(before);
        }
        let value = Some(layers.len() as u64 - 1);
        let start = goals.pop().unwrap_or_else(|| self.from.clone());
        self.through(&start, goals, value)
    }

    /// Shows a bound by a run to one of some states, and from there through sets, the last one first.
    fn through(&self, start: &Bdd, mut goals: Vec<Bdd>, value: Option<u64>) -> Result<Bound> {
        let Some(mut path) = self.lead(start)? else { return Ok(Bound { value, run: None }) };
        let from = path.len() - 1;
        while let Some(goal) = goals.pop() {
            if !self.space.step(&mut path, &self.pairs(), &goal)? {
                return Ok(Bound { value, run: None });
            }
        }
        let to = Some(path.len() - 1);
        Ok(Bound { value, run: Some(Shown { run: Run { states: path, cycle: None }, from, to }) })
    }

    /// Returns the states from which no step leads on.
    fn ends(&self) -> Result<Bdd> {
        self.all.minus(&self.space.before(self.all, self.all, false)?)
    }

    /// Returns the length of a longest way; `None` as value if some path goes on for ever before it ends.
    pub(crate) fn maximum(&self) -> Result<Bound> {
        let before = self.all.minus(&self.to)?;
        let ends = self.ends()?.and(&before)?;
        // From these, a path can go on for at least as many steps as there are sets before each.
        let mut sets = vec![self.all.clone()];
        loop {
            let last = &sets[sets.len() - 1];
            let next = self.space.before(last, &before, false)?.or(&ends)?;
            if !next.meets(&self.from)? {
                break;
            }
            if next == *last {
                let run = self.endless(&before, &ends, None)?;
                return Ok(Bound { value: None, run });
            }
            sets.push(next);
        }
        let value = Some(sets.len() as u64 - 1);
        let start = sets[sets.len() - 1].and(&self.from)?;
        sets.pop();
        self.through(&start, sets, value)
    }

    /// Returns a run that does not come to its end: one that stops before, or one that goes round, maybe
    /// through something again and again.
    fn endless(&self, before: &Bdd, ends: &Bdd, through: Option<&Bdd>) -> Result<Option<Shown>> {
        let fairness = Fairness { justice: through.into_iter().cloned().collect(), ..Fairness::default() };
        let core = self.space.core(before, &fairness)?;
        let states = core.exists(&self.space.inputs)?;
        let reaching = self.space.leading(before, &states, false)?;
        let start = reaching.and(&self.from)?;
        if let Some(mut path) = self.lead(&start)? {
            let from = path.len() - 1;
            if self.space.go(&mut path, before, &states)? {
                let run = self.space.lasso(path, &core, &fairness)?;
                return Ok(run.map(|run| Shown { run, from, to: None }));
            }
        }
        let reaching = self.space.leading(before, ends, false)?;
        let Some(mut path) = self.lead(&reaching.and(&self.from)?)? else { return Ok(None) };
        let from = path.len() - 1;
        self.space.go(&mut path, before, ends)?;
        Ok(Some(Shown { run: Run { states: path, cycle: None }, from, to: None }))
    }

    /// Returns how many states of a set there are at least on a way, both ends included.
    pub(crate) fn minimum_count(&self, counted: &Bdd) -> Result<Bound> {
        // For each count, the layers of states that are reached with it and not with less.
        let mut levels: Vec<Vec<Bdd>> = Vec::new();
        let mut seen = self.space.manager().truth(false);
        let mut waiting = [self.from.minus(counted)?, self.from.and(counted)?];
        loop {
            let mut layers = Vec::new();
            let [mut new, mut later] = waiting;
            new = new.minus(&seen)?;
            while !new.is_false() {
                seen = seen.or(&new)?;
                layers.push(new.clone());
                if new.meets(&self.to)? {
                    levels.push(layers);
                    return self.counted_way(&levels);
                }
                let next =
                    self.space.relation.successors(&new.minus(&self.to)?)?.and(self.all)?.minus(&seen)?;
                later = later.or(&next.and(counted)?)?;
                new = next.minus(counted)?;
            }
            levels.push(layers);
            later = later.minus(&seen)?;
            if later.is_false() {
                return Ok(Bound { value: None, run: None });
            }
            // All that comes next counts one more, whatever it is.
            waiting = [later, self.space.manager().truth(false)];
        }
    }

    /// Walks back through layers of counts.
    fn counted_way(&self, levels: &[Vec<Bdd>]) -> Result<Bound> {
        let value = Some(levels.len() as u64 - 1);
        let flat: Vec<&Bdd> = levels.iter().flatten().collect();
        let Some(last) = flat.last() else { return Ok(Bound { value, run: None }) };
        // Each state is reached from one of an earlier layer: goals become those that lead on.
        let mut goals = vec![last.and(&self.to)?];
        let mut rest = &flat[..flat.len() - 1];
        while !goals[goals.len() - 1].meets(&self.from)? {
            let before = self.space.before(&goals[goals.len() - 1], &self.all.minus(&self.to)?, false)?;
            let found = rest.iter().enumerate().rev().find_map(|(index, layer)| match before.and(layer) {
                Ok(set) if set.is_false() => None,
                other => Some((index, other)),
            });
            let Some((index, set)) = found else { return Ok(Bound { value, run: None }) };
            goals.push(set?);
            rest = &rest[..index];
        }
        let start = goals.pop().unwrap_or_else(|| self.from.clone()).and(&self.from)?;
        self.through(&start, goals, value)
    }

    /// Returns how many states of a set there are at most on a way, or on a path that never ends; both ends
    /// included.
    pub(crate) fn maximum_count(&self, counted: &Bdd) -> Result<Bound> {
        let before = self.all.minus(&self.to)?;
        let counted = counted.and(self.all)?;
        // From these, a way passes at least as many as there are sets before each.
        let mut sets = vec![self.all.clone()];
        let mut hits = Vec::new();
        loop {
            let last = &sets[sets.len() - 1];
            let hit = if sets.len() == 1 {
                counted.clone()
            } else {
                self.space.before(last, &before, false)?.and(&counted)?
            };
            let next = self.space.leading(&before, &hit, false)?;
            if !next.meets(&self.from)? {
                break;
            }
            if next == *last && sets.len() > 1 {
                let none = self.space.manager().truth(false);
                let run = self.endless(&before, &none, Some(&counted))?;
                return Ok(Bound { value: None, run });
            }
            hits.push(hit);
            sets.push(next);
        }
        let value = Some(hits.len() as u64);
        let start = sets[sets.len() - 1].and(&self.from)?;
        let Some(mut path) = self.lead(&start)? else { return Ok(Bound { value, run: None }) };
        let from = path.len() - 1;
        let anywhere = self.pairs();
        while let Some(hit) = hits.pop() {
            sets.pop();
            if !self.space.go(&mut path, &before, &hit)? {
                return Ok(Bound { value, run: None });
            }
            if !hits.is_empty() && !self.space.step(&mut path, &anywhere, &sets[sets.len() - 1])? {
                return Ok(Bound { value, run: None });
            }
        }
        let came = self.space.go(&mut path, &before, &self.to)?;
        let to = came.then(|| path.len() - 1);
        Ok(Bound { value, run: Some(Shown { run: Run { states: path, cycle: None }, from, to }) })
    }
}
