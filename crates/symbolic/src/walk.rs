//! Runs out of sets: from one state to the next, with the inputs of each step.

use narrows_model::Limit;
use narrows_model::synchronous::{Run, Value};

use crate::bdd::Bdd;
use crate::fairness::Fairness;
use crate::relation::Event;
use crate::space::{Reached, Space, smaller};

type Result<T> = std::result::Result<T, Limit>;

/// States with the inputs of the step that follows each; of the last one, inputs mean nothing.
pub(crate) type Path = Vec<Vec<Value>>;

/// A run to where something is to be shown.
pub(crate) struct Lead {
    pub(crate) path: Path,
    pub(crate) shortest: bool,
}

/// So many steps of operations may be spent on a shortest run, and half as many as it took to find all
/// states.
const MIN_PATIENCE: u64 = 1_000_000;

impl Space {
    /// Returns a run from an initial state to one of these states: a shortest one, unless that is far harder
    /// to find than all states were.
    pub(crate) fn lead(&self, reached: &Reached, to: &Bdd) -> Result<Option<Lead>> {
        if !reached.all.meets(to)? {
            return Ok(None);
        }
        // Layers hold nothing but states that can be reached.
        let to = &smaller(to, &reached.all)?;
        let most = self.manager().effort() + reached.effort / 2 + MIN_PATIENCE;
        let is_hard = || self.relation.has_events() && self.manager().effort() > most;
        let events = self.relation.concerning(&to.support());
        let mut layers: Vec<Bdd> = Vec::new();
        let mut seen = self.initial.clone();
        loop {
            let layer = match (&events, layers.last()) {
                (Some(_), None) => Some(self.initial.clone()),
                (Some(events), Some(last)) => self.new_by(events, last, &mut seen)?,
                (None, _) => reached.layer(self, layers.len())?,
            };
            let Some(layer) = layer else { return Ok(None) };
            let there = layer.and(to)?;
            if !there.is_false() {
                let path = self.back(&layers, &there, &self.manager().truth(true))?;
                return Ok(path.map(|path| Lead { path, shortest: true }));
            }
            layers.push(layer);
            if is_hard() {
                let path = self.detour(&self.initial, &to.and(&reached.all)?)?;
                return Ok(path.map(|path| Lead { path, shortest: false }));
            }
        }
    }

    /// Returns what follows some states by certain events, and was not seen before.
    fn new_by(&self, events: &[&Event], states: &Bdd, seen: &mut Bdd) -> Result<Option<Bdd>> {
        let mut new = self.manager().truth(false);
        for event in events {
            new = new.or(&event.successors(states)?)?;
        }
        new = new.minus(seen)?;
        *seen = seen.or(&new)?;
        Ok((!new.is_false()).then_some(new))
    }

    /// Walks back through layers, from one of the states after the last.
    fn back(&self, layers: &[Bdd], last: &Bdd, pairs: &Bdd) -> Result<Option<Path>> {
        let Some(values) = self.pick(last) else { return Ok(None) };
        let mut path = vec![values];
        for layer in layers.iter().rev() {
            let after = self.encoding.exactly(&path[path.len() - 1], false)?;
            let before = self.relation.predecessors(&after, &layer.and(pairs)?, true)?;
            let Some(values) = self.pick(&before) else { return Ok(None) };
            path.push(values);
        }
        path.reverse();
        Ok(Some(path))
    }

    /// Returns a shortest path from a state to one of these, with steps out of the given states with inputs.
    pub(crate) fn path(&self, from: &[Value], pairs: &Bdd, to: &Bdd) -> Result<Option<Path>> {
        let mut seen = self.encoding.exactly(from, false)?;
        let mut layers = vec![seen.clone()];
        loop {
            let last = &layers[layers.len() - 1];
            let there = last.and(to)?;
            if !there.is_false() {
                let number = layers.len() - 1;
                return self.back(&layers[..number], &there, pairs);
            }
            let new = self.relation.successors(&last.and(pairs)?)?.minus(&seen)?;
            if new.is_false() {
                return Ok(None);
            }
            seen = seen.or(&new)?;
            layers.push(new);
        }
    }

    /// Makes a step from the last state of a path to one of these states, or none if there is no such step.
    pub(crate) fn step(&self, path: &mut Path, pairs: &Bdd, to: &Bdd) -> Result<bool> {
        let Some(from) = path.last() else { return Ok(false) };
        let from = self.encoding.exactly(from, false)?.and(pairs)?;
        let next = self.relation.successors(&from)?.and(to)?;
        match self.back(&[from], &next, pairs)? {
            Some(two) => {
                path.pop();
                path.extend(two);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Goes on with a path to one of these states.
    pub(crate) fn go(&self, path: &mut Path, pairs: &Bdd, to: &Bdd) -> Result<bool> {
        let Some(from) = path.last() else { return Ok(false) };
        match self.path(from, pairs, to)? {
            Some(more) => {
                path.pop();
                path.extend(more);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Goes on with a path to a fair cycle within a set that [`Space::core`] has cut down, and round it.
    pub(crate) fn lasso(&self, mut path: Path, core: &Bdd, fairness: &Fairness) -> Result<Option<Run>> {
        let states = core.exists(&self.inputs)?;
        let mut pairs = core.clone();
        if !fairness.compassion.is_empty() {
            // What a cycle must pass depends on what it can reach: so first to where everything leads back.
            let Some(home) = self.bottom(&mut path, core, &states)? else { return Ok(None) };
            pairs = core.and(&home)?;
        }
        let mut goals: Vec<Bdd> = Vec::new();
        for justice in &fairness.justice {
            goals.push(pairs.and(justice)?);
        }
        for (first, second) in &fairness.compassion {
            if pairs.meets(first)? {
                goals.push(pairs.and(second)?);
            }
        }
        if goals.is_empty() {
            goals.push(pairs.clone());
        }
        // A round that does not lead back has left a component for good: the next one starts further down.
        loop {
            let start = path.len() - 1;
            let anchor = self.encoding.exactly(&path[start], false)?;
            for goal in &goals {
                let there = goal.exists(&self.inputs)?;
                if !(self.go(&mut path, &pairs, &there)? && self.step(&mut path, goal, &states)?) {
                    return Ok(None);
                }
            }
            if self.go(&mut path, &pairs, &anchor)? {
                // The last state is the one that the cycle started from.
                path.pop();
                return Ok(Some(Run { states: path, cycle: Some(start) }));
            }
        }
    }

    /// Goes on with a path to where everything that can be reached leads back; returns that.
    fn bottom(&self, path: &mut Path, core: &Bdd, states: &Bdd) -> Result<Option<Bdd>> {
        loop {
            let Some(last) = path.last() else { return Ok(None) };
            let here = self.encoding.exactly(last, false)?;
            let ahead = self.onward(&here, core, states)?;
            let back = self.leading(states, &here, false)?.and(&ahead)?;
            let away = ahead.minus(&back)?;
            if away.is_false() {
                return Ok(Some(ahead));
            }
            if !self.go(path, core, &away)? {
                return Ok(None);
            }
        }
    }

    /// Returns what can be reached from some states within a set; with them.
    fn onward(&self, from: &Bdd, core: &Bdd, states: &Bdd) -> Result<Bdd> {
        if self.relation.has_events() {
            let of_inputs = core.support().iter().any(|v| self.inputs.support().contains(v));
            return self.relation.all_after(self.manager(), from, core, of_inputs)?.and(states);
        }
        let mut all = from.clone();
        let mut new = from.clone();
        while !new.is_false() {
            new = self.relation.successors(&new.and(core)?)?.and(states)?.minus(&all)?;
            all = all.or(&new)?;
        }
        Ok(all)
    }
}
