//! What steps are made of: one event, or one for each process or group of alternatives.

use std::collections::BTreeSet;

use narrows_model::Limit;
use narrows_model::synchronous::{Role, SynchronousSystem, VariableId};

use crate::bdd::{Bdd, Manager};
use crate::encode::{Encoding, Side};
use crate::relation::{Event, Relation, settled};
use crate::value::arithmetic;

type Result<T> = std::result::Result<T, Limit>;

/// Steps of single variables are looked at if at least so many of these may stay what they are.
const MIN_FREE: usize = 8;

/// A conjunct of the transition relation.
pub(crate) struct Conjunct {
    pub(crate) set: Bdd,
    /// The variable that it assigns.
    pub(crate) assigned: Option<VariableId>,
    /// Whether the conjunct mentions only next-state variables, so it can also be read as a predicate on the
    /// current state.
    pub(crate) is_next_only: bool,
}

/// Returns whether a conjunct mentions only next-state variables and initial states satisfy it too: then it
/// is an invariant.
pub(crate) fn is_invariant(set: &Bdd, initial: &Bdd) -> Result<bool> {
    if set.is_true() || set.support().iter().any(|variable| variable % 2 == 0) {
        return Ok(false);
    }
    let all = set.or(&set.not())?;
    let met = set.image(&all, &all)?;
    Ok(initial.minus(&met)?.is_false())
}

/// What events are made of.
pub(crate) struct Events<'a> {
    pub(crate) system: &'a SynchronousSystem,
    pub(crate) encoding: &'a Encoding,
    /// Constraints on steps.
    pub(crate) conjuncts: Vec<Conjunct>,
    pub(crate) inputs: &'a [u32],
}

impl Conjunct {
    /// Reads bits that do not change as what they were before the step; `None` if nothing is left to demand.
    fn settled(&self, manager: &Manager, is_kept: impl Fn(u32) -> bool) -> Result<Option<Bdd>> {
        let set = settled(manager, &self.set, is_kept)?;
        let is_old = self.is_next_only && set.support().iter().all(|variable| variable % 2 == 0);
        Ok((!is_old).then_some(set))
    }
}

impl Events<'_> {
    /// Makes one event of all steps.
    pub(crate) fn together(&self) -> Result<Relation> {
        let manager = &self.encoding.manager;
        let changing = self.encoding.bits_of(|role| role == Role::State);
        let parts = self.conjuncts.iter().map(|part| part.set.clone()).collect();
        let all = Event::new(manager, parts, &changing, self.inputs)?;
        Ok(Relation::new(vec![all], self.easy(&self.conjuncts)?))
    }

    /// Returns steps of an event in which a single variable changes, if most may do so by themselves:
    /// whatever can be reached by these is found sooner with them.
    fn easy(&self, conjuncts: &[Conjunct]) -> Result<Vec<Event>> {
        let manager = &self.encoding.manager;
        // What is demanded of a step in which nothing changes.
        let mut still = Vec::new();
        for part in conjuncts {
            still.push(part.settled(manager, |_| true)?);
        }
        let assigned: Vec<VariableId> = conjuncts.iter().filter_map(|part| part.assigned).collect();
        let is_free = |(part, still): &(&Conjunct, &Option<Bdd>)| {
            part.assigned.is_some() && still.as_ref().is_none_or(Bdd::is_true)
        };
        let free = conjuncts.iter().zip(&still).filter(is_free).count();
        if free < MIN_FREE || free * 4 < assigned.len() * 3 {
            return Ok(Vec::new());
        }
        let mut events = Vec::new();
        for id in assigned {
            let mine = &self.encoding.bits[id.0 as usize];
            let mut demands = Vec::new();
            for (part, still) in conjuncts.iter().zip(&still) {
                let is_about = part
                    .set
                    .support()
                    .iter()
                    .any(|variable| variable % 2 == 1 && mine.contains(&(variable / 2)));
                if is_about {
                    demands.extend(part.settled(manager, |bit| !mine.contains(&bit))?);
                } else {
                    demands.extend(still.clone().filter(|still| !still.is_true()));
                }
            }
            if !demands.iter().any(Bdd::is_false) {
                events.push(Event::new(manager, demands, mine, self.inputs)?);
            }
        }
        Ok(events)
    }

    /// Makes an event for each group of alternatives; each comes with the variables that it leaves alone.
    pub(crate) fn by_alternative(&self, groups: &[(Bdd, &Vec<VariableId>)]) -> Result<Relation> {
        let manager = &self.encoding.manager;
        let changing = self.encoding.bits_of(|role| role == Role::State);
        let mut events = Vec::new();
        for (any, kept) in groups {
            let quiet: BTreeSet<u32> =
                kept.iter().flat_map(|id| self.encoding.bits[id.0 as usize].iter().copied()).collect();
            let mut parts = vec![settled(manager, any, |bit| quiet.contains(&bit))?];
            for part in &self.conjuncts {
                parts.extend(part.settled(manager, |bit| quiet.contains(&bit))?);
            }
            let written: Vec<u32> = changing.iter().copied().filter(|bit| !quiet.contains(bit)).collect();
            events.push(Event::new(manager, parts, &written, self.inputs)?);
        }
        Ok(Relation::new(events, Vec::new()))
    }

    /// Makes an event for each process: what a process does not change is no part of its event.
    pub(crate) fn by_process(&self, selector: VariableId) -> Result<Relation> {
        let manager = &self.encoding.manager;
        let mut arithmetic = arithmetic(manager);
        let bits: Vec<u32> = self.encoding.bits[selector.0 as usize].iter().map(|bit| 2 * bit).collect();
        let choice = manager.cube(&bits)?;
        let mut kept = Vec::new();
        for (id, variable) in self.system.each_variable() {
            let same = if variable.role == Role::State {
                let (now, then) =
                    (self.encoding.variable(id, Side::Current)?, self.encoding.variable(id, Side::Next)?);
                Some(arithmetic.equal(&now, &then)?)
            } else {
                None
            };
            kept.push(same);
        }
        let mut events = Vec::new();
        let mut easy = Vec::new();
        for process in self.system.variable(selector).domain.values() {
            let process = arithmetic.constant(process);
            let chosen = arithmetic.equal(&self.encoding.variable(selector, Side::Current)?, &process)?;
            let mut rest = Vec::new();
            let mut quiet = Vec::new();
            for part in &self.conjuncts {
                let set = part.set.and_exists(&chosen, &choice)?;
                match part.assigned {
                    Some(id) if kept[id.0 as usize].as_ref() == Some(&set) => quiet.push(id),
                    assigned => rest.push(Conjunct { set, assigned, is_next_only: part.is_next_only }),
                }
            }
            let quiet_bits: Vec<u32> =
                quiet.iter().flat_map(|id| self.encoding.bits[id.0 as usize].iter().copied()).collect();
            let mut parts = Vec::new();
            for part in &rest {
                parts.extend(part.settled(manager, |bit| quiet_bits.contains(&bit))?);
            }
            let written: Vec<u32> = self
                .encoding
                .bits_of(|role| role == Role::State)
                .into_iter()
                .filter(|bit| !quiet_bits.contains(bit))
                .collect();
            parts.push(chosen);
            easy.extend(self.easy(&rest)?);
            events.push(Event::new(manager, parts, &written, self.inputs)?);
        }
        Ok(Relation::new(events, easy))
    }
}
