//! Depth-first search for an accepting, and fair, strongly connected component, on the fly, by one of several
//! threads.
//!
//! The states on the way and those of their components are *open*; they lie on a stack in the order
//! they were found, divided into components, each of them strongly connected by the edges followed so far. An
//! edge back to an open state merges all components above it (H. Gabow, *Path-based depth-first search for
//! strong and biconnected components*, 2000). Each component knows whether it has an accepting state, and
//! which processes were enabled in all its states and moved on none of its edges: as soon as a component is
//! accepting and nobody waits in vain, it holds a violation (J.-M. Couvreur, *On-the-fly verification of
//! linear temporal logic*, 1999; weak fairness as one more acceptance set for each process). So fairness
//! costs no copies of states, and time and memory stay linear.
//!
//! Every thread has its own way, open states and components; what they share is the states, and which of them
//! are *dead*: a component that a thread has left without finding anything is dead for all (E. Renault, A.
//! Duret-Lutz, F. Kordon, D. Poitrenaud, *Parallel explicit model checking for generalized Büchi automata*,
//! 2015). From a dead state only dead ones are reached, so a thread that passes them over still meets the
//! same violation first, with the same way to it and the same open states.
//!
//! With a reduction, enough successors of a state do instead of all, unless one of them is open: then a cycle
//! is closed, and everybody moves. That depends on the way to the state, so there is one thread then.
//!
//! This is not [`narrows_graph::components`]: it works on the fly, stops at the first accepting component,
//! and shares its dead states with other threads.
//!
//! A state that no cycle may have (a barrier) is put aside, and starts a search of its own later: see
//! `rounds.rs`.

use std::ops::ControlFlow;

use narrows_graph::Random;
use narrows_model::{Colour, Limit, ProcessSet, Scratch, Successor, Violation};
use rustc_hash::FxHashMap;

use super::lasso::Step;
use super::pids;
use super::places::Places;
use super::space::Coloured;
use crate::reduction::Chooser;
use crate::search::{Counts, WATCH_EVERY, work_of};
use crate::store::{Coder, Flag, Memory, States, Stop as Reason};
use crate::{End, Full, Progress, Reduction, SearchScope, Watch};

/// What was found.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// The watcher saw a violation when it looked at the last state of this way, or on a step from there.
    Seen(Vec<u32>, Violation, Option<Step>),
    /// A component holds one: the way to it, and its states.
    Component(Vec<u32>, Vec<u32>),
}

impl Found {
    /// Returns the way to what was found, from where the search began.
    pub(super) fn way(&self) -> &[u32] {
        match self {
            Found::Seen(way, ..) | Found::Component(way, _) => way,
        }
    }
}

/// Why a search stops.
#[derive(Debug)]
pub(super) enum Stop {
    Found(Found),
    End(End),
    /// A table must grow.
    Grow,
    /// Another thread wants a table to grow.
    Pause,
    /// What is found here would not matter any more.
    Over,
}

impl From<End> for Stop {
    fn from(end: End) -> Stop {
        Stop::End(end)
    }
}

impl From<Full> for Stop {
    fn from(Full: Full) -> Stop {
        Stop::End(End::Limit(Limit::Memory))
    }
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Stop {
        match reason {
            Reason::Grow => Stop::Grow,
            Reason::Full => Full.into(),
        }
    }
}

/// What one thread tells the others.
pub(super) trait Others {
    /// Returns why this thread must stop now, if it must; asked before every state.
    fn interrupt(&self, states: &States) -> Option<Stop>;

    /// Returns how many edges all threads have counted, those just counted by this one included.
    fn count(&self, edges: u64) -> u64;
}

/// The place of a barrier, which is not open.
const NOT_OPEN: u32 = u32::MAX;

/// A state on the way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    number: u32,
    /// Its place among the open states.
    open: u32,
    /// Where its successors begin; it has followed all of them once the list ends here.
    start: usize,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    /// The place of its first state among the open ones.
    start: u32,
    accepting: bool,
}

/// What fairness must know about a component.
#[derive(Clone, Copy, Debug, Default)]
struct Patience {
    /// Who is enabled in all its states and moves on none of its edges.
    waiting: ProcessSet,
    /// Who moved on the edge that led here.
    came_by: ProcessSet,
}

/// Sets of processes that move together, each with a number.
#[derive(Debug, Default)]
struct Movers {
    numbers: FxHashMap<ProcessSet, u32>,
    sets: Vec<ProcessSet>,
}

impl Movers {
    fn number(&mut self, pids: ProcessSet) -> u32 {
        *self.numbers.entry(pids).or_insert_with(|| {
            self.sets.push(pids);
            self.sets.len() as u32 - 1
        })
    }
}

/// A successor of the state that is visited.
#[derive(Clone, Copy, Debug)]
struct Target {
    /// How many bytes it has that are not hidden.
    length: u32,
    /// Who moves, if that matters.
    movers: u32,
    is_aside: bool,
}

/// The search of one thread.
pub(super) struct Search<'a, S: ?Sized> {
    pub(super) space: &'a S,
    chooser: Option<Chooser<'a, 'a>>,
    fair: bool,
    scope: SearchScope<'a>,
    memory: &'a Memory,
    /// How the successors of a state are ordered: as they are for 0.
    pub(super) order: u64,
    pub(super) counts: Counts,
    since_watch: u32,
    uncounted: u64,
    frames: Vec<Frame>,
    /// The successors of the states on the way that were not followed yet, the next one last; and who moves
    /// there.
    pending: Vec<u32>,
    pending_movers: Vec<u32>,
    movers: Movers,
    open: Vec<u32>,
    places: Places,
    components: Vec<Component>,
    patience: Vec<Patience>,
    /// States that this thread was the first to put aside.
    pub(super) aside: Vec<u32>,
    /// The hidden bytes of all states; with any, there is one thread.
    pub(super) hidden: Vec<u8>,
    coder: Coder,
    scratch: Scratch,
    targets: Vec<Target>,
    target_hidden: Vec<u8>,
    /// How many bytes the states have that this thread was the first to find.
    pub(super) state_bytes: u64,
}

impl<'a, S: Coloured + ?Sized> Search<'a, S> {
    /// Prepares a search; with fairness, or others beside it, a reduction must not be given.
    pub(super) fn new(
        space: &'a S,
        reduction: Option<&'a Reduction<'a>>,
        fair: bool,
        scope: SearchScope<'a>,
        memory: &'a Memory,
    ) -> Self {
        Search {
            space,
            chooser: reduction.filter(|_| !fair).map(Reduction::chooser),
            fair,
            scope,
            memory,
            order: 0,
            counts: Counts::default(),
            since_watch: 0,
            uncounted: 0,
            frames: Vec::new(),
            pending: Vec::new(),
            pending_movers: Vec::new(),
            movers: Movers::default(),
            open: Vec::new(),
            places: Places::default(),
            components: Vec::new(),
            patience: Vec::new(),
            aside: Vec::new(),
            hidden: Vec::new(),
            coder: Coder::default(),
            scratch: Scratch::with_pulses(),
            targets: Vec::new(),
            target_hidden: Vec::new(),
            state_bytes: 0,
        }
    }

    /// Visits all that can be reached from a state; goes on with what it was about unless it had stopped for
    /// good.
    pub(super) fn run(&mut self, states: &States, root: u32, others: &dyn Others) -> Result<(), Stop> {
        if self.frames.is_empty() {
            if states.has(root, Flag::Dead) {
                return Ok(());
            }
            self.expand(states, root, ProcessSet::default(), others, true)?;
        }
        while let Some(frame) = self.frames.last().copied() {
            if self.pending.len() == frame.start || states.has(frame.number, Flag::Dead) {
                self.leave(states, frame);
            } else {
                self.follow(states, frame, others)?;
            }
        }
        Ok(())
    }

    /// Forgets where it is.
    pub(super) fn reset(&mut self) {
        self.frames.clear();
        self.pending.clear();
        self.pending_movers.clear();
        self.open.clear();
        self.components.clear();
        self.patience.clear();
    }

    /// Returns the place of a state among the open ones, if it is open.
    fn open_place(&self, number: u32) -> Option<u32> {
        let place = self.places.get(number);
        (self.open.get(place as usize) == Some(&number)).then_some(place)
    }

    /// Takes the next successor of the state on top.
    fn follow(&mut self, states: &States, frame: Frame, others: &dyn Others) -> Result<(), Stop> {
        let Some(number) = self.pending.pop() else { return Ok(()) };
        let movers = if self.fair { self.pending_movers.pop().unwrap_or(0) } else { 0 };
        let moved = if self.fair { self.movers.sets[movers as usize] } else { ProcessSet::default() };
        if let Some(place) = self.open_place(number) {
            return self.meet(frame, place, moved);
        }
        if states.is_settled(number) {
            return Ok(());
        }
        let result = self.expand(states, number, moved, others, false);
        if matches!(result, Err(Stop::Grow | Stop::Pause)) {
            // It will be taken again.
            self.pending.push(number);
            if self.fair {
                self.pending_movers.push(movers);
            }
        }
        result
    }

    /// Comes to an open state: everything since then hangs together.
    fn meet(&mut self, from: Frame, place: u32, moved: ProcessSet) -> Result<(), Stop> {
        if from.open == NOT_OPEN {
            return Ok(());
        }
        while let [.., below, top] = self.components.as_mut_slice()
            && top.start > place
        {
            below.accepting |= top.accepting;
            self.components.pop();
            if let [.., below, top] = self.patience.as_mut_slice() {
                below.waiting = below.waiting.intersection(top.waiting).difference(top.came_by);
                self.patience.pop();
            }
        }
        let Some(top) = self.components.last() else { return Ok(()) };
        let mut nobody_waits = true;
        if let Some(patience) = self.patience.last_mut() {
            patience.waiting = patience.waiting.difference(moved);
            nobody_waits = patience.waiting.is_empty();
        }
        if top.accepting && nobody_waits {
            let members = self.open[top.start as usize..].to_vec();
            return Err(Stop::Found(Found::Component(self.way(), members)));
        }
        Ok(())
    }

    fn way(&self) -> Vec<u32> {
        self.frames.iter().map(|frame| frame.number).collect()
    }

    /// Visits a state: collects its successors. Unless a search begins there, a barrier is put aside instead.
    ///
    /// This is the one place where states are expanded, and `collect` the one where successors are found.
    fn expand(
        &mut self,
        states: &States,
        number: u32,
        came_by: ProcessSet,
        others: &dyn Others,
        is_root: bool,
    ) -> Result<(), Stop> {
        if let Some(stop) = others.interrupt(states) {
            return Err(stop);
        }
        let hidden_bytes = self.space.hidden_bytes();
        let hidden = number as usize * hidden_bytes..(number as usize + 1) * hidden_bytes;
        states.load(number, self.hidden.get(hidden).unwrap_or_default(), &mut self.coder);
        let colour = self.space.colour(&self.coder.state);
        if colour == Colour::Barrier && !is_root {
            return self.put_aside(states, number);
        }
        self.memory.reserve(&mut self.frames, 1)?;
        self.memory.reserve(&mut self.open, 1)?;
        self.memory.reserve(&mut self.components, 1)?;
        if self.fair {
            self.memory.reserve(&mut self.patience, 1)?;
        }
        self.places.reach(number, self.memory)?;
        let start = self.pending.len();
        // No cycle goes through a barrier, so nothing but the barrier itself keeps processes from waiting for
        // ever.
        let collected = match colour {
            Colour::Barrier => self.collect(states, None, others),
            Colour::Plain | Colour::Accepting => self.collect_enough(states, number, others),
        };
        let enabled = match collected {
            Ok(Collected::All(enabled)) => enabled,
            Ok(Collected::Violation(violation, last)) => {
                let mut way = self.way();
                way.push(number);
                return Err(Stop::Found(Found::Seen(way, violation, last)));
            }
            Err(stop) => {
                self.pending.truncate(start);
                self.pending_movers.truncate(if self.fair { start } else { 0 });
                return Err(stop);
            }
        };
        if states.set(number, Flag::Counted) {
            self.counts.transitions += self.targets.len() as u64;
            self.uncounted += self.targets.len() as u64;
        }
        self.arrange(start, u64::from(number));
        let mut open = NOT_OPEN;
        if colour != Colour::Barrier {
            open = self.open.len() as u32;
            self.places.set(number, open);
            self.open.push(number);
            self.components.push(Component { start: open, accepting: colour == Colour::Accepting });
            if self.fair {
                self.patience.push(Patience { waiting: enabled, came_by });
            }
        }
        self.frames.push(Frame { number, open, start });
        self.counts.depth = self.counts.depth.max(self.frames.len() as u64 - 1);
        Ok(())
    }

    fn put_aside(&mut self, states: &States, number: u32) -> Result<(), Stop> {
        self.memory.reserve(&mut self.aside, 1)?;
        if states.set(number, Flag::Aside) {
            self.aside.push(number);
        }
        Ok(())
    }

    /// Leaves the state on top; if it was the first of its component, that is dead.
    fn leave(&mut self, states: &States, frame: Frame) {
        self.frames.pop();
        self.pending.truncate(frame.start);
        if self.fair {
            self.pending_movers.truncate(frame.start);
        }
        if frame.open == NOT_OPEN {
            states.set(frame.number, Flag::Dead);
        } else if self.components.last().is_some_and(|top| top.start == frame.open) {
            self.components.pop();
            self.patience.pop();
            for number in self.open.drain(frame.open as usize..) {
                states.set(number, Flag::Dead);
            }
        }
    }

    /// Puts those successors of the current state on the list that are enough, unless one of them is open:
    /// else, all.
    fn collect_enough(
        &mut self,
        states: &States,
        number: u32,
        others: &dyn Others,
    ) -> Result<Collected, Stop> {
        if self.chooser.is_some() {
            // To choose takes the longer the more processes there are.
            self.since_watch += self.coder.state.len() as u32 / 4;
        }
        let choice = self.chooser.as_mut().and_then(|chooser| {
            chooser.look_at(self.space.system_state(&self.coder.state));
            chooser.next()
        });
        if let Some(choice) = choice {
            let (start, generated) = (self.pending.len(), self.counts.generated);
            let collected = self.collect(states, Some(choice.processes), others)?;
            let is_open = |next: &u32| *next == number || self.open_place(*next).is_some();
            let closes = self.pending[start..].iter().any(is_open);
            if matches!(collected, Collected::All(_)) && !closes {
                return Ok(collected);
            }
            // It closes a cycle, and everybody moves: to choose others instead would keep what the watcher
            // sees waiting until all cycles of those that it does not see are exhausted.
            self.pending.truncate(start);
            self.counts.generated = generated;
        }
        self.collect(states, None, others)
    }

    /// Puts the successors of the current state, or those that some processes begin, on the list, except
    /// those from where there is nothing to find.
    fn collect(
        &mut self,
        states: &States,
        processes: Option<ProcessSet>,
        others: &dyn Others,
    ) -> Result<Collected, Stop> {
        let mut stop = None;
        let mut violation = None;
        let mut enabled = ProcessSet::default();
        let (fair, space, memory, counts) = (self.fair, self.space, self.memory, &mut self.counts);
        let scope = &self.scope;
        let hidden_bytes = space.hidden_bytes();
        let (targets, movers, hidden) = (&mut self.targets, &mut self.movers, &mut self.target_hidden);
        targets.clear();
        hidden.clear();
        let (state, mut folded) = self.coder.split();
        let since_watch = &mut self.since_watch;
        let mut visit = |successor: Successor<'_>| {
            if successor.pulse.is_some() {
                let limit = counts.pulse(&successor, scope.budget, states.len(), memory.used());
                stop = limit.map(|limit| Stop::from(End::Limit(limit)));
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(&successor);
            *since_watch += work_of(&successor);
            if let Some(wrong) = successor.violations.first() {
                violation = Some((*wrong, Step::of(&successor)));
                return ControlFlow::Break(());
            }
            if fair {
                enabled = enabled.union(pids::enabled(successor.moves));
            }
            let Some(target) = successor.target else { return ControlFlow::Continue(()) };
            if let Err(reason) = states.take(space, target, successor.difference, &mut folded, memory) {
                stop = Some(Stop::from(reason));
                return ControlFlow::Break(());
            }
            let (visible, invisible) = target.split_at(target.len() - hidden_bytes);
            targets.push(Target {
                length: visible.len() as u32,
                movers: if fair { movers.number(pids::moved(successor.moves)) } else { 0 },
                is_aside: space.is_aside(target),
            });
            hidden.extend_from_slice(invisible);
            ControlFlow::Continue(())
        };
        match processes {
            Some(processes) => space.successors_of(processes, state, &mut self.scratch, &mut visit),
            None => _ = space.successors(state, &mut self.scratch, &mut visit),
        }
        if let Some(stop) = stop {
            return Err(stop);
        }
        if *since_watch >= WATCH_EVERY {
            *since_watch = 0;
            self.watch(states, others)?;
        }
        if let Some((violation, last)) = violation {
            return Ok(Collected::Violation(violation, last));
        }
        self.number(states)?;
        if states.len() > self.scope.states || self.counts.generated > self.scope.transitions {
            return Err(End::Enough.into());
        }
        Ok(Collected::All(enabled))
    }

    /// Finds out which of the collected successors are new, and which are to be followed.
    fn number(&mut self, states: &States) -> Result<(), Stop> {
        let (fair, memory, hidden_bytes) = (self.fair, self.memory, self.space.hidden_bytes());
        let mut index = 0;
        states.number(&mut self.coder, memory, |number, new| {
            let target = self.targets[index];
            if new {
                self.state_bytes += u64::from(target.length);
                memory.reserve(&mut self.hidden, hidden_bytes)?;
                let hidden = &self.target_hidden[index * hidden_bytes..(index + 1) * hidden_bytes];
                self.hidden.extend_from_slice(hidden);
            }
            if new && target.is_aside {
                memory.reserve(&mut self.aside, 1)?;
                states.set(number, Flag::Aside);
                self.aside.push(number);
            } else if new || !states.is_settled(number) {
                memory.reserve(&mut self.pending, 1)?;
                self.pending.push(number);
                if fair {
                    memory.reserve(&mut self.pending_movers, 1)?;
                    self.pending_movers.push(target.movers);
                }
            }
            index += 1;
            Ok(())
        })?;
        Ok(())
    }

    /// Puts the successors of a state in this thread's order, the first one last.
    fn arrange(&mut self, start: usize, state: u64) {
        let pending = &mut self.pending[start..];
        let movers = if self.fair { &mut self.pending_movers[start..] } else { &mut [][..] };
        if self.order == 0 {
            pending.reverse();
            movers.reverse();
            return;
        }
        let mut random = Random::new((state + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.order);
        for last in (1..pending.len()).rev() {
            let other = random.index(last + 1);
            pending.swap(last, other);
            if self.fair {
                movers.swap(last, other);
            }
        }
    }

    /// Returns who watches.
    pub(super) fn watcher(&self) -> &'a dyn Watch {
        &*self.scope.budget.watch
    }

    fn watch(&mut self, states: &States, others: &dyn Others) -> Result<(), Stop> {
        let transitions = others.count(std::mem::take(&mut self.uncounted));
        let (states, depth, memory) = (states.len(), self.counts.depth, self.memory.used());
        match self.scope.budget.watch.check(&Progress { states, transitions, depth, memory }) {
            Some(limit) => Err(End::Limit(limit).into()),
            None => Ok(()),
        }
    }
}

enum Collected {
    All(ProcessSet),
    Violation(Violation, Option<Step>),
}
