//! What follows at once when a delay expires: all immediate steps, up to where time passes again.
//!
//! Every order of the immediate steps is followed, and compared: where all lead to the same distribution over
//! states, clocks, events and requests, the order does not matter, as in the stochastic view. Where they
//! differ, the model leaves a choice open, and each way has equal probability. What follows a state is found
//! once, whatever delay led to it: an end says which clock it goes on with by its place in that state. Steps
//! in a cycle are left out: nobody goes round for ever. Where too much may follow, or chance decides how
//! often it goes round, runs draw steps one by one instead.
//!
//! Invariant: whether steps are drawn one by one depends on the model alone, and not on what is known so far.

use std::rc::Rc;

use narrows_graph::{Random, components};
use rustc_hash::FxHashMap;

use super::changes::{Delta, Kinds};
use super::table::{Class, Clock, FRESH, Jump, NONE, Table};
use super::{Scene, SimulationError};
use crate::exchange::{Moved, place};
use crate::{BuildError, Step, Urgency};

/// So many states of an instant are looked at, and so many ends kept apart.
const MAX_VISITS: usize = 1 << 9;
const MAX_ARRIVALS: usize = 64;

/// Probabilities that differ by less are the same.
const SAME: f64 = 1e-12;

/// After so many immediate steps one by one, time is taken to stand still.
const MAX_WALK: usize = 1 << 20;

/// From one state to another, which stands for all that exchanges make of it.
#[derive(Clone, Debug, PartialEq)]
struct Link {
    state: u32,
    /// For each clock there its place among those here, or [`FRESH`].
    carry: Box<[u8]>,
    /// Where processes go, if that is of interest and they do not stay.
    moved: Option<Moved>,
    delta: Delta,
}

/// Where an instant ends.
#[derive(Clone, Debug)]
struct Arrival {
    probability: f64,
    link: Link,
}

/// All ends of an instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    arrivals: Vec<Arrival>,
    is_open: bool,
}

impl Link {
    /// Returns one link and then another.
    fn then(&self, next: &Link, kinds: &Kinds) -> Link {
        let carry =
            next.carry.iter().map(|at| if *at == FRESH { FRESH } else { self.carry[usize::from(*at)] });
        let delta = match &self.moved {
            None => self.delta.then(&next.delta, kinds),
            Some(moved) => self.delta.then(&next.delta.before(moved), kinds),
        };
        let moved = match (&self.moved, &next.moved) {
            (None, moved) | (moved, None) => moved.clone(),
            (Some(first), second) => Some(first.iter().map(|pid| place(second.as_ref(), *pid)).collect()),
        };
        Link { state: next.state, carry: carry.collect(), moved, delta }
    }
}

impl Outcome {
    fn add(&mut self, arrival: Arrival) {
        match self.arrivals.iter_mut().find(|known| known.link == arrival.link) {
            Some(known) => known.probability += arrival.probability,
            None => self.arrivals.push(arrival),
        }
    }

    /// Returns whether two are the same distribution.
    fn is_like(&self, other: &Outcome) -> bool {
        let is_in = |one: &Arrival| {
            let mut same = other.arrivals.iter().filter(|other| one.link == other.link);
            same.any(|other| (one.probability - other.probability).abs() < SAME)
        };
        self.arrivals.len() == other.arrivals.len() && self.arrivals.iter().all(is_in)
    }

    /// Returns about how many bytes it takes.
    fn memory(&self) -> usize {
        let link = |link: &Link| link.carry.len() + link.moved.as_ref().map_or(0, |moved| moved.len());
        48 + self.arrivals.iter().map(|one| size_of::<Arrival>() + 40 + link(&one.link)).sum::<usize>()
    }
}

/// Why an instant was not followed.
enum Unfollowed {
    TooLarge,
    Wrong(SimulationError),
}

impl<E: Into<SimulationError>> From<E> for Unfollowed {
    fn from(error: E) -> Unfollowed {
        Unfollowed::Wrong(error.into())
    }
}

/// A step, and from where.
type Taken = (u32, Step);

/// Steps with their weights.
type Weighted = Vec<(f64, Taken)>;

/// States that are left at once, with the immediate steps between them.
#[derive(Default)]
struct Region {
    states: Vec<u32>,
    places: FxHashMap<u32, u32>,
    /// For each state its immediate steps, and where those lead that stay within the region.
    steps: Vec<Vec<(Taken, Option<u32>)>>,
}

impl Region {
    fn place(&mut self, state: u32) -> u32 {
        let next = self.states.len() as u32;
        let place = *self.places.entry(state).or_insert(next);
        if place == next {
            self.states.push(state);
        }
        place
    }
}

impl Table<'_> {
    /// Follows a step to the state that stands for the one it leads to.
    fn link(&mut self, (from, step): Taken) -> Result<Link, SimulationError> {
        self.note_clocks(from)?;
        let (state, moved) = self.canonical(step.target)?;
        self.note_clocks(state)?;
        let effect = self.graph.effect(step.effect);
        let (before, after) = (self.known_clocks(from), self.known_clocks(state));
        let carry = |clock: &Clock| {
            let pid = match &moved {
                None => clock.0,
                Some(moved) => moved.iter().position(|to| *to == clock.0).map_or(clock.0, |pid| pid as u8),
            };
            let known = before.binary_search(&(pid, clock.1)).ok();
            known.filter(|_| !effect.stops(pid, clock.1)).map_or(FRESH, |place| place as u8)
        };
        let carry = after.iter().map(carry).collect();
        let events = effect.events.clone();
        let delta = self.delta(from, state, events)?;
        Ok(Link { state, carry, moved: moved.filter(|_| self.scene.by_process), delta })
    }

    /// Returns what a step does that leads from one state to another.
    fn delta(&mut self, from: u32, to: u32, events: Vec<(u16, u32)>) -> Result<Delta, SimulationError> {
        if !self.kinds.watch_values() {
            return Ok(self.kinds.delta(events, None, &[]));
        }
        let before = self.values(from)?.to_vec();
        let after = self.values(to)?.to_vec();
        Ok(self.kinds.delta(events, Some(&before), &after))
    }

    /// Stays where it is, or in the first of the states of busy waiting.
    fn rest(&mut self, state: u32) -> Result<Option<Link>, SimulationError> {
        let first = match self.class(state)? {
            Class::Waiting(number) => self.waiting[number as usize][0],
            Class::Tangible => state,
            Class::Unknown | Class::Vanishing => return Ok(None),
        };
        if first == state {
            self.note_clocks(state)?;
            let carry = (0..self.known_clocks(state).len() as u8).collect();
            return Ok(Some(Link { state, carry, moved: None, delta: Delta::default() }));
        }
        // A step that does nothing, to a state in which the same delays run.
        let (end, moved) = self.canonical(first)?;
        self.note_clocks(state)?;
        self.note_clocks(end)?;
        let before = self.known_clocks(state);
        let carry = |clock: &Clock| {
            let mut named = before.iter().map(|(pid, delay)| (place(moved.as_ref(), *pid), *delay));
            named.position(|known| known == *clock).map_or(FRESH, |place| place as u8)
        };
        let carry = self.known_clocks(end).iter().map(carry).collect();
        let moved = moved.filter(|_| self.scene.by_process);
        Ok(Some(Link { state: end, carry, moved, delta: Delta::default() }))
    }

    fn immediate(&mut self, state: u32) -> Result<Vec<Taken>, SimulationError> {
        let mut steps = self.steps(state)?;
        steps.retain(|step| self.is_immediate(step));
        Ok(steps.into_iter().map(|step| (state, step)).collect())
    }

    /// Finds all states that are left at once after some steps, if they are few.
    fn region(&mut self, options: &[Taken]) -> Result<Region, Unfollowed> {
        let mut region = Region::default();
        for (_, step) in options {
            let (target, _) = self.canonical(step.target)?;
            if !self.is_rest(target)? {
                region.place(target);
            }
        }
        while let Some(state) = region.states.get(region.steps.len()).copied() {
            let mut steps = Vec::new();
            for taken in self.immediate(state)? {
                let (target, _) = self.canonical(taken.1.target)?;
                let inside = if self.is_rest(target)? { None } else { Some(region.place(target)) };
                steps.push((taken, inside));
            }
            region.steps.push(steps);
            if region.states.len() > MAX_VISITS {
                return Err(Unfollowed::TooLarge);
            }
        }
        Ok(region)
    }

    fn is_rest(&mut self, state: u32) -> Result<bool, SimulationError> {
        Ok(matches!(self.class(state)?, Class::Tangible | Class::Waiting(_)))
    }

    /// Finds what follows after some steps; `None` if all of them lead back for ever.
    fn outcome(&mut self, options: &[Taken]) -> Result<Option<Outcome>, Unfollowed> {
        let region = self.region(options)?;
        let inside = |node: u32, edge: u32| {
            let steps = &region.steps[node as usize];
            // Ends of the instant are no nodes.
            steps.get(edge as usize).map(|(_, target)| *target)
        };
        let count = region.states.len();
        let found = components::find_among(count, 0..count as u32, inside);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); found.count as usize];
        for (node, component) in (0..).zip(&found.of) {
            members[*component as usize].push(node);
        }
        // Steps lead to components with smaller numbers.
        for nodes in members {
            if nodes.iter().all(|node| self.known.contains_key(&region.states[*node as usize])) {
                continue;
            }
            self.pass(&region, &found.of, &nodes)?;
        }
        self.decide(options)
    }

    /// Finds what follows after the states of a component, which are left at once.
    fn pass(&mut self, region: &Region, of: &[u32], nodes: &[u32]) -> Result<(), Unfollowed> {
        let own = of[nodes[0] as usize];
        let stays = |target: Option<u32>| target.is_some_and(|target| of[target as usize] == own);
        let (mut ways_out, mut by_chance): (Vec<Taken>, bool) = (Vec::new(), false);
        for (taken, target) in nodes.iter().flat_map(|node| &region.steps[*node as usize]) {
            let effect = self.graph.effect(taken.1.effect);
            if stays(*target) {
                by_chance |= effect.chance.is_some();
                if !effect.events.is_empty() {
                    return Err(BuildError::Zeno(Vec::new(), 0).into());
                }
            } else {
                ways_out.push(*taken);
            }
        }
        if by_chance && nodes.len() > 1 {
            return Err(Unfollowed::TooLarge);
        }
        if nodes.len() == 1 {
            let state = region.states[nodes[0] as usize];
            let outcome = self.decide(&ways_out)?.unwrap_or_default();
            self.keep(state, outcome);
            return Ok(());
        }
        for node in nodes {
            let ways = self.ways_within(region, *node, &stays)?;
            let (mut outcome, mut choices) = (Outcome::default(), Vec::new());
            for group in groups(self, &ways_out) {
                let group: Vec<Taken> = group.into_iter().map(|(_, taken)| taken).collect();
                let Some(way) = ways.get(&group[0].0) else { continue };
                if let Some(found) = self.decide(&group)? {
                    let link = |arrival: &Arrival| way.then(&arrival.link, &self.kinds);
                    let arrivals = found.arrivals.iter();
                    let arrivals = arrivals.map(|one| Arrival { link: link(one), ..one.clone() });
                    add_choice(&mut choices, Outcome { arrivals: arrivals.collect(), ..found });
                }
            }
            mix(choices, &mut outcome)?;
            self.keep(region.states[*node as usize], outcome);
        }
        Ok(())
    }

    /// Finds how to get from a state of a component to all others of it, if all ways there do the same.
    fn ways_within(
        &mut self,
        region: &Region,
        from: u32,
        stays: &dyn Fn(Option<u32>) -> bool,
    ) -> Result<FxHashMap<u32, Link>, Unfollowed> {
        let state = region.states[from as usize];
        self.note_clocks(state)?;
        let carry = (0..self.known_clocks(state).len() as u8).collect();
        let here = Link { state, carry, moved: None, delta: Delta::default() };
        let mut ways: FxHashMap<u32, Link> = FxHashMap::default();
        ways.insert(state, here);
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            let before = ways[&region.states[node as usize]].clone();
            for (taken, target) in &region.steps[node as usize] {
                let Some(target) = target.filter(|_| stays(*target)) else { continue };
                let way = before.then(&self.link(*taken)?, &self.kinds);
                match ways.get(&way.state) {
                    Some(known) if *known == way => {}
                    Some(_) => return Err(Unfollowed::TooLarge),
                    None => {
                        ways.insert(way.state, way);
                        open.push(target);
                    }
                }
            }
        }
        Ok(ways)
    }

    fn keep(&mut self, state: u32, outcome: Outcome) {
        self.bytes += outcome.memory();
        self.known.insert(state, Rc::new(outcome));
    }

    /// Returns the outcome of one of some steps, given what follows each; `None` if nothing does.
    fn decide(&mut self, options: &[Taken]) -> Result<Option<Outcome>, Unfollowed> {
        let mut choices: Vec<Outcome> = Vec::new();
        for group in groups(self, options) {
            let (mut choice, mut total) = (Outcome::default(), 0.0);
            for (weight, taken) in group {
                let link = self.link(taken)?;
                if let Some(rest) = self.rest(link.state)? {
                    total += weight;
                    let link = link.then(&rest, &self.kinds);
                    choice.add(Arrival { probability: weight, link });
                    continue;
                }
                let Some(rest) = self.known.get(&link.state).cloned() else { continue };
                if rest.arrivals.is_empty() {
                    continue;
                }
                total += weight;
                choice.is_open |= rest.is_open;
                for arrival in &rest.arrivals {
                    let link = link.then(&arrival.link, &self.kinds);
                    choice.add(Arrival { probability: arrival.probability * weight, link });
                }
            }
            if total > 0.0 {
                choice.arrivals.iter_mut().for_each(|arrival| arrival.probability /= total);
                add_choice(&mut choices, choice);
            }
        }
        let mut outcome = Outcome::default();
        mix(choices, &mut outcome)?;
        Ok((!outcome.arrivals.is_empty()).then_some(outcome))
    }

    /// Draws steps one by one, until time passes.
    fn wander(
        &mut self,
        mut options: Vec<Taken>,
        mut way: Link,
        random: &mut Random,
    ) -> Result<Jump, SimulationError> {
        for _ in 0..MAX_WALK {
            let groups = groups(self, &options);
            let group = &groups[random.index(groups.len())];
            let mut ticket = random.fraction() * group.iter().map(|(weight, _)| weight).sum::<f64>();
            let drawn = group.iter().find(|(weight, _)| {
                ticket -= weight;
                ticket <= 0.0
            });
            let (_, taken) = *drawn.unwrap_or(&group[0]);
            way = way.then(&self.link(taken)?, &self.kinds);
            if let Some(rest) = self.rest(way.state)? {
                let link = way.then(&rest, &self.kinds);
                return Ok(jump(self.scene, &Arrival { probability: 1.0, link }, 1.0, true));
            }
            options = self.immediate(way.state)?;
        }
        Err(BuildError::Zeno(Vec::new(), 0).into())
    }
}

/// Adds an outcome unless there is one like it.
fn add_choice(choices: &mut Vec<Outcome>, choice: Outcome) {
    if !choices.iter().any(|known| known.is_like(&choice)) {
        choices.push(choice);
    }
}

/// Takes each of some outcomes with equal probability.
fn mix(mut choices: Vec<Outcome>, outcome: &mut Outcome) -> Result<(), Unfollowed> {
    if choices.len() < 2 {
        *outcome = choices.pop().unwrap_or_default();
        return Ok(());
    }
    let count = choices.len() as f64;
    outcome.is_open = true;
    for arrival in choices.into_iter().flat_map(|choice| choice.arrivals) {
        outcome.add(Arrival { probability: arrival.probability / count, ..arrival });
    }
    if outcome.arrivals.len() > MAX_ARRIVALS { Err(Unfollowed::TooLarge) } else { Ok(()) }
}

/// Turns an end into a jump.
fn jump(scene: &Scene<'_>, arrival: &Arrival, upto: f64, is_open: bool) -> Jump {
    let Link { state, carry, moved, delta } = &arrival.link;
    // Requests that are told apart have numbers beyond those that are counted.
    let counted = scene.timing.events().len();
    let counts = delta.events.iter().filter(|(event, _)| usize::from(*event) < counted);
    let counts = counts.map(|(event, count)| (*event, f64::from(*count)));
    Jump {
        upto,
        row: NONE,
        state: *state,
        count: 0,
        counts: counts.collect(),
        changes: delta.changes.clone().into(),
        carry: carry.clone(),
        moved: moved.clone(),
        is_open,
    }
}

fn jumps(scene: &Scene<'_>, outcome: &Outcome) -> Vec<Jump> {
    let mut upto = 0.0;
    let mut jumps = Vec::with_capacity(outcome.arrivals.len());
    for arrival in &outcome.arrivals {
        upto += arrival.probability;
        jumps.push(jump(scene, arrival, upto, outcome.is_open));
    }
    if let Some(last) = jumps.last_mut() {
        last.upto = 1.0;
    }
    jumps
}

/// Puts steps together that are the random choices of one process; each choice comes with its weight.
fn groups(table: &Table<'_>, options: &[Taken]) -> Vec<Weighted> {
    let mut groups: Vec<(Option<(u32, u8)>, Weighted)> = Vec::new();
    for option in options {
        match table.graph.effect(option.1.effect).chance {
            None => groups.push((None, vec![(1.0, *option)])),
            Some((pid, weight)) => {
                let (key, one) = (Some((option.0, pid)), (f64::from(weight), *option));
                match groups.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, list)) => list.push(one),
                    None => groups.push((key, vec![one])),
                }
            }
        }
    }
    let has_weight = |list: &Weighted| list.iter().any(|(weight, _)| *weight > 0.0);
    groups.into_iter().map(|(_, list)| list).filter(has_weight).collect()
}

impl Table<'_> {
    /// Finds what follows when a clock expires in a state in which time passes: completes the jump that was
    /// made for it, which may be one of several then, or one that is drawn step by step.
    pub(super) fn expire(&mut self, number: u32) -> Result<(), SimulationError> {
        let Some((state, clock)) = self.expiries.get(&number).copied() else { return Ok(()) };
        let options = self.options(state, clock)?;
        let mut found = match self.outcome(&options) {
            Ok(Some(outcome)) => jumps(self.scene, &outcome),
            Ok(None) | Err(Unfollowed::TooLarge) => Vec::new(),
            Err(Unfollowed::Wrong(wrong)) => return Err(wrong),
        };
        if found.len() == 1
            && let Some(only) = found.pop()
        {
            self.bytes += only.memory();
            self.jumps[number as usize] = only;
        } else if found.is_empty() {
            self.jumps[number as usize].row = super::table::DRAWN;
        } else {
            let (first, count) = (self.jumps.len() as u32, found.len() as u32);
            self.bytes += found.iter().map(Jump::memory).sum::<usize>();
            self.jumps.extend(found);
            self.jumps[number as usize] = Jump { row: first, state: NONE, count, ..Jump::default() };
        }
        Ok(())
    }

    /// Returns the steps of a clock in a state in which time passes, and from where.
    fn options(&mut self, state: u32, clock: Clock) -> Result<Vec<Taken>, SimulationError> {
        let mut options = Vec::new();
        for member in self.members(state)? {
            self.graph.expand(member)?;
            let ended = Urgency::Timed(clock.0, clock.1);
            let ends = |step: &Step| self.graph.effect(step.effect).urgency == ended;
            let steps = self.graph.steps_of(member).iter().filter(|step| ends(step));
            options.extend(steps.map(|step| (member, *step)));
        }
        Ok(options)
    }

    /// Draws the way of a jump that has no end of its own.
    pub(super) fn draw(&mut self, number: u32, random: &mut Random) -> Result<Jump, SimulationError> {
        let Some((state, clock)) = self.expiries.get(&number).copied() else {
            return Ok(self.jumps[number as usize].clone());
        };
        let options = self.options(state, clock)?;
        self.note_clocks(state)?;
        let carry = (0..self.known_clocks(state).len() as u8).collect();
        let here = Link { state, carry, moved: None, delta: Delta::default() };
        self.wander(options, here, random)
    }

    /// Draws the way from the first state to where time passes first.
    pub(super) fn start(&mut self, random: &mut Random) -> Result<Jump, SimulationError> {
        let (state, _) = self.canonical(0)?;
        let values = self.values(state)?.to_vec();
        let delta = self.kinds.delta(Vec::new(), None, &values);
        // No delay has run before.
        self.note_clocks(state)?;
        let carry = vec![FRESH; self.known_clocks(state).len()].into();
        let first = Link { state, carry, moved: None, delta };
        if let Some(rest) = self.rest(state)? {
            let link = first.then(&rest, &self.kinds);
            return Ok(jump(self.scene, &Arrival { probability: 1.0, link }, 1.0, false));
        }
        let options = self.immediate(state)?;
        match self.outcome(&options) {
            Ok(Some(mut outcome)) => {
                for arrival in &mut outcome.arrivals {
                    arrival.link = first.then(&arrival.link, &self.kinds);
                }
                let ticket = random.fraction();
                let mut jumps = jumps(self.scene, &outcome);
                let place = jumps.iter().position(|jump| ticket <= jump.upto).unwrap_or(0);
                Ok(jumps.swap_remove(place))
            }
            Ok(None) => Err(BuildError::Zeno(Vec::new(), 0).into()),
            Err(Unfollowed::Wrong(wrong)) => Err(wrong),
            Err(Unfollowed::TooLarge) => self.wander(options, first, random),
        }
    }
}
