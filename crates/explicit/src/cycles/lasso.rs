//! From a component that holds a violation to a short run that shows it.
//!
//! The way to the component is a shortest one, unless finding it would take much longer than finding the
//! component did. The cycle is a shortest one through one of the accepting states nearest to where the run
//! comes in; with fairness, it is led to where each waiting process moves or is not enabled, always to the
//! nearest such place. Among the states near the initial one there may be a shorter run than the one found;
//! they are gone through in the order of their distance, as long as that takes no longer than a moment.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::ControlFlow;

use narrows_model::{Budget, Colour, Limit, Move, ProcessSet, Progress, Scratch, Successor, Violation};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fragment::{Edge, Fragment, fragment};
use super::pids;
use super::space::Coloured;
use crate::store::{Memory, States};
use crate::{SearchScope, StateId, Store};

/// A step of a run: who moves.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) moves: Vec<Move>,
}

impl Step {
    /// Returns the step of a successor; `None` if nobody moves, or to no state.
    pub(super) fn of(successor: &Successor<'_>) -> Option<Step> {
        let moves = (successor.target.is_some() && !successor.moves.is_empty()).then_some(successor.moves)?;
        Some(Step { moves: moves.to_vec() })
    }
}

/// A run into a component, and round it.
#[derive(Clone, Debug, Default)]
pub(super) struct Lasso {
    pub(super) stem: Vec<Step>,
    pub(super) cycle: Vec<Step>,
}

/// Some states, in which a run is looked for.
pub(super) trait Region {
    /// Returns the name of a state, if it is there.
    fn find(&self, state: &[u8]) -> Option<StateId>;

    /// Returns a state, hidden bytes included.
    fn state(&self, id: StateId) -> Cow<'_, [u8]>;
}

impl Region for Store {
    fn find(&self, state: &[u8]) -> Option<StateId> {
        Store::find(self, state)
    }

    fn state(&self, id: StateId) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.get(id))
    }
}

/// The states of a component.
pub(super) struct Inside<'a, S: ?Sized> {
    pub(super) space: &'a S,
    pub(super) states: &'a States,
    /// The hidden bytes of all states.
    pub(super) hidden: &'a [u8],
    pub(super) members: FxHashSet<u32>,
    pub(super) memory: &'a Memory,
}

impl<S: Coloured + ?Sized> Region for Inside<'_, S> {
    fn find(&self, state: &[u8]) -> Option<StateId> {
        let number = self.states.find(self.space, state, self.memory)?;
        self.members.contains(&number).then(|| StateId::from_number(u64::from(number)))
    }

    fn state(&self, id: StateId) -> Cow<'_, [u8]> {
        Cow::Owned(state_of(self.space, self.states, self.hidden, id.number() as u32))
    }
}

/// Returns the state with a number; `hidden` has the hidden bytes of all states.
pub(super) fn state_of<S: Coloured + ?Sized>(
    space: &S,
    states: &States,
    hidden: &[u8],
    number: u32,
) -> Vec<u8> {
    let mut state = states.visible(number);
    let bytes = space.hidden_bytes();
    state.extend_from_slice(&hidden[number as usize * bytes..(number as usize + 1) * bytes]);
    state
}

/// How many accepting states are tried, and up to what size of the component.
const CANDIDATES: usize = 12;
const SMALL: usize = 20_000;

/// Returns a shortest way to a state that is looked for, if the budget allows it; else, what was in the way.
pub(super) fn shortest_way<S: Coloured + ?Sized>(
    space: &S,
    scope: &SearchScope<'_>,
    looked_for: impl Fn(&[u8]) -> bool,
) -> Result<Vec<Vec<u8>>, Limit> {
    let found = fragment(space, scope, usize::MAX, looked_for);
    match found.edge {
        Edge::Reached(id) => Ok(found.way_to(id)),
        Edge::Limit(end) => Err(end.limit().unwrap_or(Limit::Enough)),
        Edge::Seen | Edge::Complete => Err(Limit::Enough),
    }
}

/// Returns the steps of a shortest run on which the watcher sees a violation, and the violation, if the
/// budget allows it.
pub(super) fn shortest_seen<S: Coloured + ?Sized>(
    space: &S,
    scope: &SearchScope<'_>,
) -> Option<(Vec<Step>, Violation)> {
    let found = fragment(space, scope, 1, |_| false);
    let seen = found.seen.first()?;
    Some((found.steps_to(space, seen), seen.violation))
}

/// Turns states on a way into steps, taking the first edge from one to the next.
pub(super) fn steps_between<S: Coloured + ?Sized>(space: &S, way: &[Vec<u8>]) -> Vec<Step> {
    let mut scratch = Scratch::default();
    let mut steps = Vec::new();
    for pair in way.windows(2) {
        space.successors(&pair[0], &mut scratch, &mut |successor| {
            if successor.target == Some(pair[1].as_slice()) {
                steps.push(Step { moves: successor.moves.to_vec() });
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
    }
    steps
}

/// Finds a short run round a component that a way leads to, if the budget allows it.
pub(super) fn lasso<S: Coloured + ?Sized>(
    space: &S,
    part: &dyn Region,
    way: &[Vec<u8>],
    fair: bool,
    budget: &Budget,
) -> Result<Option<Lasso>, Limit> {
    let round = Round::new(space, part, fair, u64::MAX, budget);
    let Some(entry) = way.last().and_then(|last| part.find(last)) else { return Ok(None) };
    let Some((approach, cycle)) = round.shortest(entry) else {
        return round.limit.get().map_or(Ok(None), Err);
    };
    let mut stem = steps_between(space, way);
    stem.extend(approach);
    Ok(Some(Lasso { stem, cycle }))
}

/// How many states may be looked at to find a shorter run.
const A_MOMENT: u64 = 100_000;

/// The watch is asked after so many states.
const LOOK_UP: u64 = 4096;

/// Looks for a run that is shorter than one of the given length, among the states near the initial one.
pub(super) fn shorter<S: Coloured + ?Sized>(
    space: &S,
    near: &Fragment,
    fair: bool,
    mut length: usize,
    budget: &Budget,
) -> Option<Lasso> {
    let store = &near.store;
    let round = Round::new(space, store, fair, A_MOMENT, budget);
    let mut best = None;
    let mut next = store.first();
    while let Some(id) = next {
        next = store.next(id);
        if !round.may_go_on() {
            break;
        }
        if space.colour(store.get(id)) != Colour::Accepting {
            continue;
        }
        let distance = near.distance(id);
        if distance + 1 >= length {
            break;
        }
        if let Some(cycle) = round.cycle(id, length - distance - 1) {
            length = distance + cycle.len();
            best = Some((id, cycle));
        }
    }
    let (id, cycle) = best?;
    Some(Lasso { stem: steps_between(space, &near.way_to(id)), cycle: round.steps(&cycle) })
}

/// Looks for runs with different cycles among the states near the initial one: no two of them take the same
/// transitions on their cycles.
pub(super) fn different<S: Coloured + ?Sized>(
    space: &S,
    near: &Fragment,
    fair: bool,
    most: usize,
    budget: &Budget,
) -> Vec<Lasso> {
    let store = &near.store;
    let round = Round::new(space, store, fair, A_MOMENT, budget);
    let mut taken: Vec<Vec<(u8, u32)>> = Vec::new();
    let mut list = Vec::new();
    let mut next = store.first();
    while let Some(id) = next
        && list.len() < most
        && round.may_go_on()
    {
        next = store.next(id);
        if space.colour(store.get(id)) != Colour::Accepting {
            continue;
        }
        let Some(cycle) = round.cycle(id, usize::MAX) else { continue };
        let cycle = round.steps(&cycle);
        let moves = cycle.iter().flat_map(|step| &step.moves);
        let mut transitions: Vec<(u8, u32)> = moves.map(|step| (step.pid, step.transition.0)).collect();
        transitions.sort_unstable();
        transitions.dedup();
        if !taken.contains(&transitions) {
            taken.push(transitions);
            list.push(Lasso { stem: steps_between(space, &near.way_to(id)), cycle });
        }
    }
    list
}

/// A part of the state space as a graph of its own.
struct Round<'r, S: ?Sized> {
    space: &'r S,
    part: &'r dyn Region,
    fair: bool,
    /// How many more states may be looked at.
    work: Cell<u64>,
    budget: &'r Budget,
    /// The limit that was reached.
    limit: Cell<Option<Limit>>,
    /// Room for successors, kept because it is large.
    scratch: RefCell<Scratch>,
}

/// An edge of the component: the number of the successor, and where it leads.
#[derive(Clone, Copy)]
struct Hop {
    from: StateId,
    choice: u32,
    target: StateId,
}

/// What a walk is looking for.
#[derive(Clone, Copy)]
enum Goal {
    /// Coming back to a state.
    Return(StateId),
    /// A step by one of these processes, or a state where one of them is not enabled.
    Serve(ProcessSet),
}

impl<'r, S: Coloured + ?Sized> Round<'r, S> {
    fn new(space: &'r S, part: &'r dyn Region, fair: bool, work: u64, budget: &'r Budget) -> Self {
        let (work, limit, scratch) = (Cell::new(work), Cell::default(), RefCell::default());
        Round { space, part, fair, work, budget, limit, scratch }
    }

    fn may_go_on(&self) -> bool {
        self.work.get() > 0
    }

    /// Notes that a state is looked at.
    fn work(&self) {
        let left = self.work.get().saturating_sub(1);
        self.work.set(left);
        if left.is_multiple_of(LOOK_UP)
            && let Some(limit) = self.budget.watch.check(&Progress::default())
        {
            self.limit.set(Some(limit));
            self.work.set(0);
        }
    }

    /// Visits the edges of a state that stay inside, and returns who is enabled there.
    fn hops(&self, from: StateId, mut visit: impl FnMut(Hop, ProcessSet) -> ControlFlow<()>) -> ProcessSet {
        let mut enabled = ProcessSet::default();
        let mut choice = 0;
        let mut broken = false;
        self.work();
        let mut scratch = self.scratch.take();
        self.space.successors(&self.part.state(from), &mut scratch, &mut |successor| {
            enabled = enabled.union(pids::enabled(successor.moves));
            if let Some(target) = successor.target.and_then(|target| self.part.find(target))
                && !broken
            {
                broken = visit(Hop { from, choice, target }, pids::moved(successor.moves)).is_break();
            }
            choice += 1;
            ControlFlow::Continue(())
        });
        self.scratch.replace(scratch);
        enabled
    }

    /// Returns a way from the entry to an accepting state, and a cycle through it.
    fn shortest(&self, entry: StateId) -> Option<(Vec<Step>, Vec<Step>)> {
        let (parents, candidates) = self.candidates(entry);
        let before = self.work.get();
        let mut best: Option<(Vec<Hop>, Vec<Hop>)> = None;
        for candidate in candidates {
            let approach = unwind(&parents, entry, candidate);
            let most = match &best {
                None => usize::MAX,
                // Where cycles are long, one is enough.
                Some(_) if before - self.work.get() > A_MOMENT => break,
                Some((stem, cycle)) => (stem.len() + cycle.len()).saturating_sub(approach.len() + 1),
            };
            if let Some(cycle) = self.cycle(candidate, most) {
                best = Some((approach, cycle));
            }
        }
        let (approach, cycle) = best?;
        Some((self.steps(&approach), self.steps(&cycle)))
    }

    /// Returns the accepting states nearest to the entry, and how they are reached.
    fn candidates(&self, entry: StateId) -> (FxHashMap<StateId, Hop>, Vec<StateId>) {
        let mut parents: FxHashMap<StateId, Hop> = FxHashMap::default();
        let mut found = Vec::new();
        let mut waiting = VecDeque::from([entry]);
        while let Some(id) = waiting.pop_front()
            && self.may_go_on()
        {
            if self.space.colour(&self.part.state(id)) == Colour::Accepting {
                found.push(id);
            }
            let most = if parents.len() > SMALL || self.fair { 1 } else { CANDIDATES };
            if found.len() >= most {
                break;
            }
            self.hops(id, |hop, _| {
                if hop.target != entry && !parents.contains_key(&hop.target) {
                    parents.insert(hop.target, hop);
                    waiting.push_back(hop.target);
                }
                ControlFlow::Continue(())
            });
        }
        (parents, found)
    }

    /// Returns a short cycle through a state, of at most the given length, fair if it must be.
    fn cycle(&self, from: StateId, most: usize) -> Option<Vec<Hop>> {
        let mut cycle = Vec::new();
        let mut here = from;
        if self.fair {
            let mut unserved = self.hops(from, |_, _| ControlFlow::Continue(()));
            while !unserved.is_empty() {
                let hops = self.walk(here, Goal::Serve(unserved), most.checked_sub(cycle.len())?)?;
                for hop in &hops {
                    unserved = self.after(unserved, *hop);
                }
                here = hops.last().map_or(here, |hop| hop.target);
                cycle.extend(hops);
            }
        }
        if here != from || cycle.is_empty() {
            cycle.extend(self.walk(here, Goal::Return(from), most.checked_sub(cycle.len())?)?);
        }
        (cycle.len() <= most).then_some(cycle)
    }

    /// Returns who is still waiting after a step.
    fn after(&self, waiting: ProcessSet, hop: Hop) -> ProcessSet {
        let mut moved = ProcessSet::default();
        self.hops(hop.from, |other, movers| {
            if other.choice == hop.choice {
                moved = movers;
            }
            ControlFlow::Continue(())
        });
        let enabled = self.hops(hop.target, |_, _| ControlFlow::Break(()));
        waiting.difference(moved).intersection(enabled)
    }

    /// Returns a shortest walk of at least one step to a goal, and of at most the given number of steps.
    fn walk(&self, from: StateId, goal: Goal, most: usize) -> Option<Vec<Hop>> {
        let mut parents: FxHashMap<StateId, Hop> = FxHashMap::default();
        let mut waiting = VecDeque::from([(from, 0)]);
        while let Some((id, distance)) = waiting.pop_front() {
            if distance >= most || !self.may_go_on() {
                return None;
            }
            let mut last = None;
            let enabled = self.hops(id, |hop, moved| {
                let is_goal = match goal {
                    Goal::Return(state) => hop.target == state,
                    Goal::Serve(pids) => pids.meets(moved),
                };
                if is_goal {
                    last = Some(hop);
                    return ControlFlow::Break(());
                }
                if hop.target != from && !parents.contains_key(&hop.target) {
                    parents.insert(hop.target, hop);
                    waiting.push_back((hop.target, distance + 1));
                }
                ControlFlow::Continue(())
            });
            if let Goal::Serve(pids) = goal
                && id != from
                && !pids.difference(enabled).is_empty()
            {
                return Some(unwind(&parents, from, id));
            }
            if let Some(last) = last {
                let mut hops = unwind(&parents, from, id);
                hops.push(last);
                return Some(hops);
            }
        }
        None
    }

    fn steps(&self, hops: &[Hop]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut scratch = self.scratch.take();
        for hop in hops {
            let mut choice = 0;
            self.space.successors(&self.part.state(hop.from), &mut scratch, &mut |successor| {
                if choice == hop.choice {
                    steps.push(Step { moves: successor.moves.to_vec() });
                    return ControlFlow::Break(());
                }
                choice += 1;
                ControlFlow::Continue(())
            });
        }
        self.scratch.replace(scratch);
        steps
    }
}

fn unwind(parents: &FxHashMap<StateId, Hop>, from: StateId, to: StateId) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut here = to;
    while here != from {
        let Some(hop) = parents.get(&here) else { break };
        hops.push(*hop);
        here = hop.from;
    }
    hops.reverse();
    hops
}
