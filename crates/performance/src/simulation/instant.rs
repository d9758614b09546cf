//! What follows at once when a delay expires: all immediate steps, up to where time passes again.
//!
//! Every order of the immediate steps is followed, and compared: where all lead to the same distribution over
//! states, clocks, events and requests, the order does not matter, as in the stochastic view. Where they
//! differ, the model leaves a choice open, and each way has equal probability. Steps that lead back to where
//! the search is are left out: nobody goes round for ever. Where there are too many orders, runs draw steps
//! one by one instead.

use std::rc::Rc;

use narrows_graph::Random;
use rustc_hash::{FxHashMap, FxHashSet};

use super::table::{Class, Clock, FRESH, Jump, NONE, Table};
use super::{Mark, Scene, SimulationError};
use crate::requests::{Change, Order, RequestEvents};
use crate::{BuildError, Step, Urgency};

/// So many states of an instant are looked at, and so many ends kept apart.
const MAX_VISITS: usize = 256;
const MAX_ARRIVALS: usize = 64;

/// Probabilities that differ by less are the same.
const SAME: f64 = 1e-12;

/// After so many immediate steps one by one, time is taken to stand still.
const MAX_WALK: usize = 1 << 20;

/// What steps do to events and requests.
#[derive(Clone, Debug, Default, PartialEq)]
struct Delta {
    events: Vec<(u16, u32)>,
    changes: Vec<(u16, Change)>,
}

/// Where an instant ends.
#[derive(Clone, Debug)]
struct Arrival {
    probability: f64,
    state: u32,
    /// Which of the clocks at the beginning still run.
    kept: u128,
    delta: Delta,
}

impl Arrival {
    fn is_like(&self, other: &Arrival) -> bool {
        (self.state, self.kept) == (other.state, other.kept) && self.delta == other.delta
    }
}

/// All ends of an instant.
#[derive(Clone, Debug, Default)]
struct Outcome {
    arrivals: Vec<Arrival>,
    is_open: bool,
}

impl Outcome {
    fn add(&mut self, arrival: Arrival) {
        match self.arrivals.iter_mut().find(|known| known.is_like(&arrival)) {
            Some(known) => known.probability += arrival.probability,
            None => self.arrivals.push(arrival),
        }
    }

    /// Returns whether two are the same distribution.
    fn is_like(&self, other: &Outcome) -> bool {
        let is_in = |one: &Arrival| {
            let mut same = other.arrivals.iter().filter(|other| one.is_like(other));
            same.any(|other| (one.probability - other.probability).abs() < SAME)
        };
        self.arrivals.len() == other.arrivals.len() && self.arrivals.iter().all(is_in)
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

/// Returns the numbers of kinds of requests, with what they begin and end, and their order.
pub(super) fn kinds<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = (u16, [Mark; 2], Order)> + 's {
    let all = scene.requests.iter().flat_map(|one| one.kinds.iter().map(|marks| (*marks, one.order)));
    (0..).zip(all).map(|(number, (marks, order))| (number, marks, order))
}

fn rules(order: Order) -> RequestEvents {
    RequestEvents { from: 0, to: 1, both: 2, order }
}

/// An instant that is looked at.
struct Instant<'t, 'a> {
    table: &'t mut Table<'a>,
    /// The clocks with memory that run when it begins.
    clocks: Vec<Clock>,
    known: FxHashMap<(u32, u128), Rc<Outcome>>,
    path: FxHashSet<(u32, u128)>,
    visits: usize,
}

impl<'t, 'a> Instant<'t, 'a> {
    fn new(table: &'t mut Table<'a>, clocks: Vec<Clock>) -> Instant<'t, 'a> {
        let (known, path) = (FxHashMap::default(), FxHashSet::default());
        Instant { table, clocks, known, path, visits: 0 }
    }

    /// Returns which clocks still run after a step.
    fn follow(&mut self, kept: u128, step: Step) -> Result<u128, SimulationError> {
        if kept == 0 {
            return Ok(0);
        }
        let running = self.table.clocks(step.target)?;
        let effect = self.table.graph.effect(step.effect);
        let goes_on = |(place, clock): (usize, &Clock)| {
            let runs = kept >> place & 1 == 1 && !effect.stops(clock.0, clock.1) && running.contains(clock);
            u128::from(runs) << place
        };
        Ok(self.clocks.iter().enumerate().map(goes_on).fold(0, |all, one| all | one))
    }

    fn outcome(&mut self, state: u32, kept: u128) -> Result<Option<Rc<Outcome>>, Unfollowed> {
        if let Some(known) = self.known.get(&(state, kept)) {
            return Ok(Some(Rc::clone(known)));
        }
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return Err(Unfollowed::TooLarge);
        }
        let state = match self.table.class(state)? {
            Class::Waiting(number) => self.table.waiting[number as usize][0],
            Class::Tangible => state,
            Class::Unknown | Class::Vanishing => {
                if !self.path.insert((state, kept)) {
                    return Ok(None);
                }
                let mut steps = self.table.steps(state)?;
                steps.retain(|step| self.table.is_immediate(step));
                let options: Vec<(u32, Step)> = steps.into_iter().map(|step| (state, step)).collect();
                let found = self.decide(&options, kept)?;
                self.path.remove(&(state, kept));
                if let Some(found) = &found {
                    self.known.insert((state, kept), Rc::clone(found));
                }
                return Ok(found);
            }
        };
        let arrival = Arrival { probability: 1.0, state, kept, delta: Delta::default() };
        Ok(Some(Rc::new(Outcome { arrivals: vec![arrival], is_open: false })))
    }

    /// Returns the outcome of one of some steps; `None` if all lead back. Options are steps, and from where.
    fn decide(&mut self, options: &[(u32, Step)], kept: u128) -> Result<Option<Rc<Outcome>>, Unfollowed> {
        let mut choices: Vec<Outcome> = Vec::new();
        for group in groups(self.table, options) {
            let (mut choice, mut total) = (Outcome::default(), 0.0);
            for (weight, (from, step)) in group {
                let next = self.follow(kept, step)?;
                let Some(rest) = self.outcome(step.target, next)? else {
                    if !self.table.graph.effect(step.effect).events.is_empty() {
                        return Err(BuildError::Zeno(Vec::new(), 0).into());
                    }
                    continue;
                };
                let delta = self.delta(from, step)?;
                total += weight;
                choice.is_open |= rest.is_open;
                for arrival in &rest.arrivals {
                    let probability = arrival.probability * weight;
                    let delta = self.then(&delta, &arrival.delta);
                    choice.add(Arrival { probability, delta, ..*arrival });
                }
            }
            if total > 0.0 {
                choice.arrivals.iter_mut().for_each(|arrival| arrival.probability /= total);
                if !choices.iter().any(|known| known.is_like(&choice)) {
                    choices.push(choice);
                }
            }
        }
        if choices.len() < 2 {
            return Ok(choices.pop().map(Rc::new));
        }
        let count = choices.len() as f64;
        let mut mixture = Outcome { arrivals: Vec::new(), is_open: true };
        for arrival in choices.into_iter().flat_map(|choice| choice.arrivals) {
            mixture.add(Arrival { probability: arrival.probability / count, ..arrival });
        }
        if mixture.arrivals.len() > MAX_ARRIVALS {
            return Err(Unfollowed::TooLarge);
        }
        Ok(Some(Rc::new(mixture)))
    }

    /// Returns what a step does.
    fn delta(&mut self, from: u32, step: Step) -> Result<Delta, SimulationError> {
        let scene = self.table.scene;
        let (before, after) = if scene.requests.is_empty() || scene.values.is_empty() {
            (Vec::new(), Vec::new())
        } else {
            (self.table.values(from)?.to_vec(), self.table.values(step.target)?.to_vec())
        };
        let events = self.table.graph.effect(step.effect).events.clone();
        let changes = changes(scene, &events, Some(&before), &after);
        Ok(Delta { events, changes })
    }

    /// Returns what one delta does and then another.
    fn then(&self, first: &Delta, second: &Delta) -> Delta {
        if *second == Delta::default() {
            return first.clone();
        }
        let mut sum = first.clone();
        for (event, count) in &second.events {
            match sum.events.iter_mut().find(|(known, _)| known == event) {
                Some((_, known)) => *known += count,
                None => sum.events.push((*event, *count)),
            }
        }
        for (kind, _, order) in kinds(self.table.scene).filter(|_| !second.changes.is_empty()) {
            let Some((_, change)) = second.changes.iter().find(|(known, _)| *known == kind) else { continue };
            match sum.changes.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, known)) => *known = rules(order).then(*known, *change),
                None => sum.changes.push((kind, *change)),
            }
        }
        sum.events.sort_unstable();
        sum.changes.sort_unstable_by_key(|(kind, _)| *kind);
        sum
    }

    /// Turns an end into a jump.
    fn jump(&mut self, arrival: &Arrival, upto: f64, is_open: bool) -> Result<Jump, SimulationError> {
        let place = |clock: &Clock| {
            let place = self.clocks.iter().position(|known| known == clock);
            place.filter(|place| arrival.kept >> place & 1 == 1).map_or(FRESH, |place| place as u8)
        };
        let carry = self.table.clocks(arrival.state)?.iter().map(place).collect();
        // Requests that are told apart have numbers beyond those that are counted.
        let counted = self.table.scene.timing.events().len();
        let counts = arrival.delta.events.iter().filter(|(event, _)| usize::from(*event) < counted);
        let counts = counts.map(|(event, count)| (*event, f64::from(*count)));
        Ok(Jump {
            upto,
            row: NONE,
            state: arrival.state,
            counts: counts.collect(),
            changes: arrival.delta.changes.clone().into(),
            carry,
            is_open,
        })
    }

    fn jumps(&mut self, outcome: &Outcome) -> Result<Vec<Jump>, SimulationError> {
        let mut upto = 0.0;
        let mut jumps = Vec::with_capacity(outcome.arrivals.len());
        for arrival in &outcome.arrivals {
            upto += arrival.probability;
            jumps.push(self.jump(arrival, upto, outcome.is_open)?);
        }
        if let Some(last) = jumps.last_mut() {
            last.upto = 1.0;
        }
        Ok(jumps)
    }

    /// Draws steps one by one, until time passes.
    fn walk(
        &mut self,
        mut options: Vec<(u32, Step)>,
        mut delta: Delta,
        random: &mut Random,
    ) -> Result<Jump, SimulationError> {
        let mut kept = u128::MAX;
        for _ in 0..MAX_WALK {
            let groups = groups(self.table, &options);
            let group = &groups[random.index(groups.len())];
            let mut ticket = random.fraction() * group.iter().map(|(weight, _)| weight).sum::<f64>();
            let drawn = group.iter().find(|(weight, _)| {
                ticket -= weight;
                ticket <= 0.0
            });
            let (_, (from, step)) = *drawn.unwrap_or(&group[0]);
            kept = self.follow(kept, step)?;
            let own = self.delta(from, step)?;
            delta = self.then(&delta, &own);
            let state = match self.table.class(step.target)? {
                Class::Waiting(number) => self.table.waiting[number as usize][0],
                Class::Tangible => step.target,
                Class::Unknown | Class::Vanishing => {
                    let mut steps = self.table.steps(step.target)?;
                    steps.retain(|next| self.table.is_immediate(next));
                    options = steps.into_iter().map(|next| (step.target, next)).collect();
                    continue;
                }
            };
            let arrival = Arrival { probability: 1.0, state, kept, delta };
            return self.jump(&arrival, 1.0, true);
        }
        Err(BuildError::Zeno(Vec::new(), 0).into())
    }
}

/// Returns what a step does to requests, given the events and the values before and after it; before the
/// first state, nothing holds.
fn changes(
    scene: &Scene<'_>,
    events: &[(u16, u32)],
    before: Option<&[f64]>,
    after: &[f64],
) -> Vec<(u16, Change)> {
    let count = |event: u16| events.iter().find(|(known, _)| *known == event).map_or(0, |(_, count)| *count);
    let mut list = Vec::new();
    for (kind, [begin, end], order) in kinds(scene) {
        let holds = |mark: Mark| match mark {
            Mark::Event(_) => [false; 2],
            Mark::Becomes(value, is) => {
                let is = |values: &[f64]| (values[value] > 0.0) == is;
                [before.is_some_and(is), is(after)]
            }
        };
        let [was_begin, is_begin] = holds(begin);
        let [was_end, is_end] = holds(end);
        let begins = match begin {
            Mark::Event(event) => count(event),
            Mark::Becomes(..) => u32::from(is_begin && !was_begin),
        };
        let ends = match end {
            Mark::Event(event) => count(event),
            Mark::Becomes(..) => u32::from(is_end && !was_end),
        };
        // What begins where it is over takes no time.
        let (begins, both) = if is_end { (0, begins) } else { (begins, 0) };
        let change = rules(order).step(|event| [begins, ends, both][usize::from(event)]);
        if change != Change::default() {
            list.push((kind, change));
        }
    }
    list
}

/// Puts steps together that are the random choices of one process; each choice comes with its weight.
#[expect(clippy::type_complexity, reason = "a list of lists of what is passed in")]
fn groups(table: &Table<'_>, options: &[(u32, Step)]) -> Vec<Vec<(f64, (u32, Step))>> {
    let mut groups: Vec<(Option<(u32, u8)>, Vec<(f64, (u32, Step))>)> = Vec::new();
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
    let has_weight = |list: &Vec<(f64, (u32, Step))>| list.iter().any(|(weight, _)| *weight > 0.0);
    groups.into_iter().map(|(_, list)| list).filter(has_weight).collect()
}

impl Table<'_> {
    /// Adds the jumps of what follows when a clock expires in a state in which time passes, given what it
    /// stands for; returns their range.
    pub(super) fn expiry(
        &mut self,
        state: u32,
        members: &[u32],
        clock: Clock,
    ) -> Result<(u32, u32), SimulationError> {
        let options = self.options(members, clock)?;
        let clocks = self.clocks(state)?;
        let mut instant = Instant::new(self, clocks);
        let jumps = match instant.decide(&options, u128::MAX) {
            Ok(Some(outcome)) => instant.jumps(&outcome)?,
            Ok(None) => Vec::new(),
            Err(Unfollowed::Wrong(wrong)) => return Err(wrong),
            Err(Unfollowed::TooLarge) => {
                let walk = Jump { upto: 1.0, row: NONE, state: NONE, is_open: true, ..Jump::default() };
                self.walks.insert(self.jumps.len() as u32, (state, clock));
                vec![walk]
            }
        };
        Ok(self.add_jumps(jumps))
    }

    /// Returns the steps of a clock, and from where.
    fn options(&mut self, members: &[u32], clock: Clock) -> Result<Vec<(u32, Step)>, SimulationError> {
        let mut options = Vec::new();
        for member in members {
            self.graph.expand(*member)?;
            let ended = Urgency::Timed(clock.0, clock.1);
            let ends = |step: &Step| self.graph.effect(step.effect).urgency == ended;
            let steps = self.graph.steps_of(*member).iter().filter(|step| ends(step));
            options.extend(steps.map(|step| (*member, *step)));
        }
        Ok(options)
    }

    /// Draws the way of a jump that has no end of its own.
    pub(super) fn walk(&mut self, jump: u32, random: &mut Random) -> Result<Jump, SimulationError> {
        let Some((state, clock)) = self.walks.get(&jump).copied() else {
            return Ok(self.jumps[jump as usize].clone());
        };
        let members = self.members(state)?;
        let options = self.options(&members, clock)?;
        let clocks = self.clocks(state)?;
        Instant::new(self, clocks).walk(options, Delta::default(), random)
    }

    /// Draws the way from the first state to where time passes first.
    pub(super) fn start(&mut self, random: &mut Random) -> Result<Jump, SimulationError> {
        let values = self.values(0)?.to_vec();
        let first = Delta { events: Vec::new(), changes: changes(self.scene, &[], None, &values) };
        let state = match self.class(0)? {
            Class::Waiting(number) => self.waiting[number as usize][0],
            Class::Tangible => 0,
            Class::Unknown | Class::Vanishing => {
                let mut steps = self.steps(0)?;
                steps.retain(|step| self.is_immediate(step));
                let options: Vec<(u32, Step)> = steps.into_iter().map(|step| (0, step)).collect();
                let mut instant = Instant::new(self, Vec::new());
                return match instant.decide(&options, 0) {
                    Ok(Some(outcome)) => {
                        let ticket = random.fraction();
                        let mut jumps = instant.jumps(&outcome)?;
                        let place = jumps.iter().position(|jump| ticket <= jump.upto).unwrap_or(0);
                        let arrival = &outcome.arrivals[place];
                        let delta = instant.then(&first, &arrival.delta);
                        jumps[place].changes = delta.changes.into();
                        Ok(jumps.swap_remove(place))
                    }
                    Ok(None) => Err(BuildError::Zeno(Vec::new(), 0).into()),
                    Err(Unfollowed::Wrong(wrong)) => Err(wrong),
                    Err(Unfollowed::TooLarge) => instant.walk(options, first, random),
                };
            }
        };
        let arrival = Arrival { probability: 1.0, state, kept: 0, delta: first };
        Instant::new(self, Vec::new()).jump(&arrival, 1.0, false)
    }
}
