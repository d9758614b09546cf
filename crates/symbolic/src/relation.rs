//! Steps as sets of pairs: successors and predecessors of sets of states.
//!
//! A step is one of several events: the process that moves, or all of the system if it has no processes. An
//! event changes some bits and leaves the others as they are. It is a conjunction that is never built: sets
//! are joined with one part of it after the other, and each bit is forgotten as soon as no part to come looks
//! at it (Burch, Clarke, Long, 1991; parts are put in order and joined as Ranjan and others do it, IWLS
//! 1995).

use std::collections::BTreeSet;

use narrows_model::Limit;

use crate::bdd::{Bdd, Manager};
use crate::saturation::{Direction, closure};

type Result<T> = std::result::Result<T, Limit>;

/// Parts are joined while they stay smaller than this.
const CLUSTER: usize = 1500;

/// All steps.
pub(crate) struct Relation {
    events: Vec<Event>,
    /// Steps that are among those of events, and easy to take.
    easy: Vec<Event>,
}

/// Some of the steps: those that change certain bits.
pub(crate) struct Event {
    forward: Schedule,
    backward: Schedule,
    /// As `backward`, without forgetting the inputs.
    backward_with_inputs: Schedule,
    /// The bits of the state that may change.
    written: Bdd,
    parts: Vec<Bdd>,
    /// The variables that are forgotten: of states before and after, and of inputs.
    current: Vec<u32>,
    next: Vec<u32>,
    inputs: Vec<u32>,
    /// All variables that it looks at or changes, but for inputs.
    variables: Vec<u32>,
}

/// Parts of a conjunction in an order, each with the variables that are forgotten with it.
#[derive(Clone)]
struct Schedule {
    /// What no part looks at.
    first: Bdd,
    parts: Vec<(Bdd, Bdd)>,
}

impl Relation {
    pub(crate) fn new(events: Vec<Event>, easy: Vec<Event>) -> Relation {
        Relation { events, easy }
    }

    /// Returns the states that can follow one of these.
    pub(crate) fn successors(&self, states: &Bdd) -> Result<Bdd> {
        let mut all: Option<Bdd> = None;
        for event in &self.events {
            let next = event.successors(states)?;
            all = Some(match all {
                Some(all) => all.or(&next)?,
                None => next,
            });
        }
        Ok(all.unwrap_or_else(|| states.clone()))
    }

    /// Returns whether steps are of several events.
    pub(crate) fn has_events(&self) -> bool {
        self.events.len() > 1 || !self.easy.is_empty()
    }

    /// Returns the events, and what helps to take many steps at once.
    pub(crate) fn all(&self) -> Vec<&Event> {
        self.easy.iter().chain(&self.events).collect()
    }

    /// Adds what can follow, out of states within a set with inputs, until there is nothing to add.
    pub(crate) fn all_after(
        &self,
        manager: &Manager,
        states: &Bdd,
        pairs: &Bdd,
        of_inputs: bool,
    ) -> Result<Bdd> {
        if of_inputs {
            return chained(states, &self.all(), |event, all| all.or(&event.successors(&all.and(pairs)?)?));
        }
        closure(manager, &self.all(), states, pairs, Direction::Forwards)
    }

    /// Adds what one of these can follow within a set, until there is nothing to add. If sets are of states
    /// with inputs, `inputs` are these.
    pub(crate) fn all_before(
        &self,
        manager: &Manager,
        within: &Bdd,
        to: &Bdd,
        inputs: Option<&Bdd>,
    ) -> Result<Bdd> {
        let Some(inputs) = inputs else {
            return closure(manager, &self.all(), to, within, Direction::Backwards);
        };
        chained(to, &self.all(), |event, all| {
            all.or(&event.predecessors(&all.exists(inputs)?, true)?.and(within)?)
        })
    }

    /// Returns those of some states, or states with inputs, that one of these can follow.
    pub(crate) fn predecessors(&self, states: &Bdd, within: &Bdd, with_inputs: bool) -> Result<Bdd> {
        if let [event] = self.events.as_slice() {
            return event.predecessors(states, with_inputs)?.and(within);
        }
        // What one event leads back to need not be looked at again.
        let mut rest = within.clone();
        for event in &self.events {
            if rest.is_false() {
                break;
            }
            rest = rest.minus(&event.predecessors(states, with_inputs)?)?;
        }
        within.minus(&rest)
    }

    /// Returns those of some states that no step leaves.
    pub(crate) fn stuck(&self, states: &Bdd) -> Result<Bdd> {
        let mut rest = states.clone();
        let everything = states.or(&states.not())?;
        for event in &self.events {
            if rest.is_false() {
                break;
            }
            rest = rest.minus(&event.predecessors(&everything, false)?)?;
        }
        Ok(rest)
    }

    /// Returns the steps that have to do with how some variables change, if these are not all of them: those
    /// of events that change one of them, or one that such an event looks at, and so on.
    pub(crate) fn concerning(&self, variables: &[u32]) -> Option<Vec<&Event>> {
        let mut bits: BTreeSet<u32> = variables.iter().map(|variable| variable / 2).collect();
        let mut is_in = vec![false; self.events.len()];
        loop {
            let mut has_more = false;
            for (index, event) in self.events.iter().enumerate() {
                if !is_in[index] && event.current.iter().any(|variable| bits.contains(&(variable / 2))) {
                    is_in[index] = true;
                    has_more = true;
                    bits.extend(event.parts.iter().flat_map(Bdd::support).map(|variable| variable / 2));
                }
            }
            if !has_more {
                break;
            }
        }
        let events: Vec<&Event> =
            self.events.iter().zip(&is_in).filter(|(_, is_in)| **is_in).map(|(event, _)| event).collect();
        (events.len() < self.events.len()).then_some(events)
    }

    /// Makes parts smaller where only steps from some states count from now on.
    pub(crate) fn simplify(&mut self, manager: &Manager, states: &Bdd) -> Result<()> {
        for event in &mut self.events {
            let mut parts = Vec::new();
            for part in &event.parts {
                let smaller = part.restrict(states)?;
                parts.push(if smaller.size() < part.size() { smaller } else { part.clone() });
            }
            event.schedule(manager, parts)?;
        }
        Ok(())
    }

    /// Returns the same steps with further constraints on each.
    pub(crate) fn constrained(
        &self,
        manager: &Manager,
        more: &[Bdd],
        written: &[u32],
        inputs: &[u32],
    ) -> Result<Relation> {
        let mut events = Vec::new();
        for event in &self.events {
            let mut bits: Vec<u32> = event.written.support().iter().map(|variable| variable / 2).collect();
            bits.extend(written);
            let mut parts = event.parts.clone();
            for part in more {
                parts.push(settled(manager, part, |bit| !bits.contains(&bit))?);
            }
            events.push(Event::new(manager, parts, &bits, inputs)?);
        }
        Ok(Relation { events, easy: Vec::new() })
    }
}

impl Event {
    /// Returns the variables it looks at or changes, but for inputs.
    pub(crate) fn variables(&self) -> &[u32] {
        &self.variables
    }

    /// Makes an event of the conjunction of parts; `written` and `inputs` are bits.
    pub(crate) fn new(manager: &Manager, parts: Vec<Bdd>, written: &[u32], inputs: &[u32]) -> Result<Event> {
        let current: Vec<u32> = written.iter().map(|bit| 2 * bit).collect();
        let next: Vec<u32> = written.iter().map(|bit| 2 * bit + 1).collect();
        let inputs: Vec<u32> = inputs.iter().map(|bit| 2 * bit).collect();
        let forgotten: Vec<u32> = current.iter().chain(&inputs).copied().collect();
        let parts = clustered(manager, parts, &forgotten)?;
        let empty = Schedule { first: manager.truth(true), parts: Vec::new() };
        let written = manager.cube(&current)?;
        let mut event = Event {
            forward: empty.clone(),
            backward: empty.clone(),
            backward_with_inputs: empty,
            written,
            parts: Vec::new(),
            current,
            next,
            inputs,
            variables: Vec::new(),
        };
        event.schedule(manager, parts)?;
        Ok(event)
    }

    /// Puts parts in order, for each direction.
    fn schedule(&mut self, manager: &Manager, parts: Vec<Bdd>) -> Result<()> {
        let forward: Vec<u32> = self.current.iter().chain(&self.inputs).copied().collect();
        let backward: Vec<u32> = self.next.iter().chain(&self.inputs).copied().collect();
        self.forward = Schedule::new(manager, &parts, &forward)?;
        self.backward = Schedule::new(manager, &parts, &backward)?;
        self.backward_with_inputs = Schedule::new(manager, &parts, &self.next)?;
        self.variables = parts.iter().flat_map(Bdd::support).chain(self.current.iter().copied()).collect();
        self.variables.retain(|variable| !self.inputs.contains(variable));
        self.variables.sort_unstable();
        self.variables.dedup();
        self.parts = parts;
        Ok(())
    }

    pub(crate) fn successors(&self, states: &Bdd) -> Result<Bdd> {
        let mut product = states.exists(&self.forward.first)?;
        let last = self.forward.parts.len().saturating_sub(1);
        for (index, (part, cube)) in self.forward.parts.iter().enumerate() {
            product =
                if index == last { product.image(part, cube)? } else { product.and_exists(part, cube)? };
        }
        Ok(product)
    }

    pub(crate) fn predecessors(&self, states: &Bdd, with_inputs: bool) -> Result<Bdd> {
        let schedule = if with_inputs { &self.backward_with_inputs } else { &self.backward };
        let mut product = states.to_next(&self.written)?.exists(&schedule.first)?;
        for (part, cube) in &schedule.parts {
            product = product.and_exists(part, cube)?;
        }
        Ok(product)
    }
}

impl Schedule {
    /// Orders parts such that variables can be forgotten early.
    fn new(manager: &Manager, parts: &[Bdd], forgotten: &[u32]) -> Result<Schedule> {
        let supports: Vec<Vec<u32>> = parts.iter().map(Bdd::support).collect();
        let order = ordered(&supports, forgotten);
        let is_named = |variable: &&u32| supports.iter().any(|support| support.contains(variable));
        let first: Vec<u32> = forgotten.iter().filter(|variable| !is_named(variable)).copied().collect();
        let mut scheduled = Vec::new();
        for (place, index) in order.iter().enumerate() {
            let later =
                |variable: &u32| order[place + 1..].iter().any(|other| supports[*other].contains(variable));
            let now: Vec<u32> = supports[*index]
                .iter()
                .filter(|variable| forgotten.contains(variable) && !later(variable))
                .copied()
                .collect();
            scheduled.push((parts[*index].clone(), manager.cube(&now)?));
        }
        // Renaming comes with the last part: there must be one.
        if scheduled.is_empty() {
            scheduled.push((manager.truth(true), manager.truth(true)));
        }
        Ok(Schedule { first: manager.cube(&first)?, parts: scheduled })
    }
}

/// Applies what each event adds, one after the other, until none adds anything.
fn chained(start: &Bdd, events: &[&Event], add: impl Fn(&Event, &Bdd) -> Result<Bdd>) -> Result<Bdd> {
    let mut all = start.clone();
    loop {
        let before = all.clone();
        for event in events {
            loop {
                let more = add(event, &all)?;
                if more == all {
                    break;
                }
                all = more;
            }
        }
        if all == before {
            return Ok(all);
        }
    }
}

/// Reads bits that do not change as what they were before the step.
pub(crate) fn settled(manager: &Manager, part: &Bdd, is_kept: impl Fn(u32) -> bool) -> Result<Bdd> {
    let mut part = part.clone();
    for bit in part.support().iter().filter(|variable| **variable % 2 == 1).map(|variable| variable / 2) {
        if is_kept(bit) {
            let (now, then) = (manager.literal(2 * bit)?, manager.literal(2 * bit + 1)?);
            part = part.and_exists(&now.same(&then)?, &then)?;
        }
    }
    Ok(part)
}

/// Returns an order in which many variables to be forgotten are soon in no part to come, and few others come
/// in.
fn ordered(supports: &[Vec<u32>], forgotten: &[u32]) -> Vec<usize> {
    let variables = supports.iter().flatten().chain(forgotten).max().map_or(0, |most| *most as usize + 1);
    let mut is_forgotten = vec![false; variables];
    for variable in forgotten {
        is_forgotten[*variable as usize] = true;
    }
    // Which parts have a variable, and how many of those that are left.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); variables];
    for (index, support) in supports.iter().enumerate() {
        for variable in support {
            users[*variable as usize].push(index);
        }
    }
    let mut uses: Vec<usize> = users.iter().map(Vec::len).collect();
    let mut seen = vec![false; variables];
    let score = |index: usize, uses: &[usize], seen: &[bool]| {
        let support = &supports[index];
        let (mut mine, mut done, mut new) = (0, 0, 0);
        for variable in support.iter().map(|variable| *variable as usize) {
            mine += usize::from(is_forgotten[variable]);
            done += usize::from(is_forgotten[variable] && uses[variable] == 1);
            new += usize::from(!is_forgotten[variable] && !seen[variable]);
        }
        let mine = mine.max(1) as f64;
        2.0 * done as f64 / mine - new as f64 / support.len().max(1) as f64
            + 0.5 * mine / forgotten.len().max(1) as f64
    };
    let mut scores: Vec<f64> = (0..supports.len()).map(|index| score(index, &uses, &seen)).collect();
    let mut rest: Vec<usize> = (0..supports.len()).collect();
    let mut order = Vec::new();
    while !rest.is_empty() {
        let best = rest
            .iter()
            .enumerate()
            .max_by(|left, right| scores[*left.1].total_cmp(&scores[*right.1]).then(right.1.cmp(left.1)))
            .map_or(0, |(place, _)| place);
        let index = rest.remove(best);
        order.push(index);
        let mut changed = Vec::new();
        for variable in supports[index].iter().map(|variable| *variable as usize) {
            uses[variable] -= 1;
            if uses[variable] == 1 || !seen[variable] {
                changed.extend(&users[variable]);
            }
            seen[variable] = true;
        }
        for other in changed {
            scores[other] = score(other, &uses, &seen);
        }
    }
    order
}

/// Joins parts, in the order in which they are used, while they stay small.
fn clustered(manager: &Manager, parts: Vec<Bdd>, forgotten: &[u32]) -> Result<Vec<Bdd>> {
    let parts: Vec<Bdd> = parts.into_iter().filter(|part| !part.is_true()).collect();
    let supports: Vec<Vec<u32>> = parts.iter().map(Bdd::support).collect();
    let mut clusters: Vec<Bdd> = Vec::new();
    let mut current = manager.truth(true);
    for index in ordered(&supports, forgotten) {
        let joined = current.and(&parts[index])?;
        if joined.size() <= CLUSTER {
            current = joined;
        } else {
            if !current.is_true() {
                clusters.push(current);
            }
            current = parts[index].clone();
        }
    }
    if !current.is_true() {
        clusters.push(current);
    }
    Ok(clusters)
}
