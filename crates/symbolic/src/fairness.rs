//! Endless paths that are fair.
//!
//! A set is cut down until each of its states can, within it, go on, reach every justice condition, and reach
//! `q` where `p` holds for every compassion pair: then it has a fair cycle wherever it ends (Kesten, Pnueli,
//! Raviv, 1998). Conditions may be about inputs: then the sets are of states with the inputs of the step that
//! follows.

use narrows_model::Limit;

use crate::bdd::Bdd;
use crate::space::Space;

type Result<T> = std::result::Result<T, Limit>;

/// What makes a run fair.
#[derive(Clone, Default)]
pub(crate) struct Fairness {
    /// What holds again and again.
    pub(crate) justice: Vec<Bdd>,
    /// If the first holds again and again, so does the second.
    pub(crate) compassion: Vec<(Bdd, Bdd)>,
    /// Whether one of them is about inputs.
    pub(crate) of_inputs: bool,
}

impl Fairness {
    pub(crate) fn is_trivial(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }

    fn add(&mut self, space: &Space, set: &Bdd) {
        let inputs = space.inputs.support();
        self.of_inputs |= set.support().iter().any(|variable| inputs.contains(variable));
    }

    pub(crate) fn with_justice(&mut self, space: &Space, set: Bdd) {
        self.add(space, &set);
        self.justice.push(set);
    }

    pub(crate) fn with_compassion(&mut self, space: &Space, first: Bdd, second: Bdd) {
        self.add(space, &first);
        self.add(space, &second);
        self.compassion.push((first, second));
    }
}

impl Space {
    /// Returns the states of a set, or the states with inputs, that one of these can follow.
    pub(crate) fn before(&self, set: &Bdd, within: &Bdd, of_inputs: bool) -> Result<Bdd> {
        let states = if of_inputs { set.exists(&self.inputs)? } else { set.clone() };
        self.relation.predecessors(&self.trimmed(&states)?, within, of_inputs)
    }

    /// Returns where a path within a set leads to another set, of which it is part or not.
    pub(crate) fn leading(&self, within: &Bdd, to: &Bdd, of_inputs: bool) -> Result<Bdd> {
        if self.relation.has_events() {
            return self.relation.all_before(self.manager(), within, to, of_inputs.then_some(&self.inputs));
        }
        let mut all = to.clone();
        let mut new = to.clone();
        while !new.is_false() {
            new = self.before(&new, within, of_inputs)?.minus(&all)?;
            all = all.or(&new)?;
        }
        Ok(all)
    }

    /// Returns what is left of a set when all is cut off that is not on, or before, a fair cycle within it.
    pub(crate) fn core(&self, within: &Bdd, fairness: &Fairness) -> Result<Bdd> {
        let of_inputs = fairness.of_inputs;
        let mut set = within.clone();
        loop {
            let old = set.clone();
            loop {
                let next = self.before(&set, &set, of_inputs)?;
                if next == set {
                    break;
                }
                set = next;
            }
            for justice in &fairness.justice {
                let goal = set.and(justice)?;
                set = self.leading(&set, &goal, of_inputs)?;
            }
            for (first, second) in &fairness.compassion {
                let goal = set.and(second)?;
                let reaching = self.leading(&set, &goal, of_inputs)?;
                set = set.minus(first)?.or(&reaching)?;
            }
            if set == old || set.is_false() {
                return Ok(set);
            }
        }
    }

    /// Returns the states of a set from which a fair path stays within it.
    pub(crate) fn staying(&self, within: &Bdd, fairness: &Fairness) -> Result<Bdd> {
        let core = self.core(within, fairness)?;
        let states = if fairness.of_inputs { core.exists(&self.inputs)? } else { core };
        if fairness.compassion.is_empty() {
            return Ok(states);
        }
        self.leading(within, &states, false)
    }
}
