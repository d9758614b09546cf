//! Depth-first search for an accepting, and fair, strongly connected component, on the fly.
//!
//! The states on the way and those that hang together with them are *open*; they lie on a stack in the order they were
//! found, divided into components, each of them strongly connected by the edges followed so far. An edge back to an open
//! state merges all components above it (H. Gabow, *Path-based depth-first search for strong and biconnected
//! components*, 2000). Each component knows whether it has an accepting state, and which processes were enabled in all
//! its states and moved on none of its edges: as soon as a component is accepting and nobody waits in vain, it holds a
//! violation (J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, 1999; weak fairness as one more
//! acceptance set for each process). So fairness costs no copies of states, and time and memory stay linear.
//!
//! A state that no cycle may have (a barrier) is put aside, and starts a search of its own when all others are closed.

use std::ops::ControlFlow;

use narrows_model::{Colour, Limit, Scratch, Successor, Violation};

use super::lasso::Step;
use super::pids::Pids;
use super::space::Coloured;
use crate::search::{Counts, make_room};
use crate::{Budget, End, Entry, Full, Shape, StateId, Store};

/// The mark of a state whose component is closed.
const CLOSED: u64 = (1 << 40) - 2;

/// Beyond this many bytes, successors on the stack are forgotten, and collected again when they are needed.
const LARGE_STACK: usize = 64 << 20;

/// What was found.
pub(super) enum Found {
    /// No violation: every state was visited.
    Nothing,
    /// The watcher saw one when it looked at the last state of this way, or on a step from there.
    Seen(Vec<StateId>, Violation, Option<Step>),
    /// A component holds one: the way to it, and the number of its first open state.
    Component(Vec<StateId>, u64),
    /// A limit came first.
    Stopped(End),
}

/// A state on the way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    id: StateId,
    /// Its place among the open states; `None` for a barrier.
    open: Option<u64>,
    start: usize,
    next: usize,
    end: usize,
    followed: u32,
    forgotten: bool,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    /// The place of its first state among the open ones.
    start: u64,
    accepting: bool,
    /// Who is enabled in all its states and moves on none of its edges.
    waiting: Pids,
    /// Who moved on the edge that led here.
    came_by: Pids,
}

/// A search; afterwards, its store knows which states are open.
pub(super) struct Search<'a, S: ?Sized> {
    space: &'a S,
    fair: bool,
    budget: Budget<'a>,
    large_stack: usize,
    pub(super) store: Store,
    pub(super) counts: Counts,
    open: Vec<StateId>,
    components: Vec<Component>,
    barriers: Vec<StateId>,
    frames: Vec<Frame>,
    bytes: Vec<u8>,
    current: Vec<u8>,
    scratch: Scratch,
}

/// Why a search stops.
enum Stop {
    Found(Found),
    End(End),
}

impl From<End> for Stop {
    fn from(end: End) -> Stop {
        Stop::End(end)
    }
}

/// The flag of a successor that was known when it was found: its name stands in place of its bytes.
const KNOWN: u32 = 1 << 31;

impl<'a, S: Coloured + ?Sized> Search<'a, S> {
    pub(super) fn new(space: &'a S, fair: bool, budget: Budget<'a>) -> Self {
        let shape = Shape { hidden: space.hidden_bytes(), linked: true };
        Search {
            space,
            fair,
            budget,
            large_stack: LARGE_STACK.min((budget.memory / 8) as usize),
            store: Store::new(shape, budget.memory),
            counts: Counts::default(),
            open: Vec::new(),
            components: Vec::new(),
            barriers: Vec::new(),
            frames: Vec::new(),
            bytes: Vec::new(),
            current: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    pub(super) fn run(&mut self) -> Found {
        match self.visit_all() {
            Ok(()) => Found::Nothing,
            Err(Stop::Found(found)) => found,
            Err(Stop::End(end)) => Found::Stopped(end),
        }
    }

    /// Returns the place of a state among the open ones, if it is open.
    pub(super) fn open_place(&self, id: StateId) -> Option<u64> {
        Some(self.store.mark(id)).filter(|mark| *mark < CLOSED)
    }

    fn visit_all(&mut self) -> Result<(), Stop> {
        let Ok((initial, _)) = self.space.initial() else { return Ok(()) };
        self.current = initial;
        self.enter(Pids::default())?;
        self.drain()?;
        while let Some(id) = self.barriers.pop() {
            self.current.clear();
            self.current.extend_from_slice(self.store.get(id));
            self.expand(id, None, Pids::default())?;
            self.drain()?;
        }
        Ok(())
    }

    /// Follows the successors of the states on the way until there is none.
    fn drain(&mut self) -> Result<(), Stop> {
        while let Some(frame) = self.frames.last().copied() {
            if frame.forgotten {
                self.remember(frame)?;
            } else if frame.next == frame.end {
                self.leave(frame);
            } else {
                self.follow(frame)?;
            }
        }
        Ok(())
    }

    /// Takes the next successor of the state on top.
    fn follow(&mut self, mut frame: Frame) -> Result<(), Stop> {
        let (moved, known, state) = self.take(&mut frame);
        if let Some(top) = self.frames.last_mut() {
            *top = frame;
        }
        self.counts.transitions += 1;
        if let Some(id) = known {
            return self.meet(frame, id, moved);
        }
        self.current.clear();
        self.current.extend_from_slice(&self.bytes[state]);
        match self.store.find(&self.current) {
            Some(id) => self.meet(frame, id, moved),
            None => {
                self.forget();
                self.enter(moved)
            }
        }
    }

    /// Reads the next successor of a state: who moves, and its name or where its bytes are.
    fn take(&self, frame: &mut Frame) -> (Pids, Option<StateId>, std::ops::Range<usize>) {
        let word = |at: usize| {
            let bytes = &self.bytes[at..at + 4];
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        };
        let head = word(frame.next);
        frame.next += 4;
        frame.followed += 1;
        let mut moved = Pids::default();
        if self.fair {
            let count = usize::from(self.bytes[frame.next]);
            moved = Pids::of(&self.bytes[frame.next + 1..frame.next + 1 + count]);
            frame.next += 1 + count;
        }
        let length = (head & !KNOWN) as usize;
        let payload = frame.next..frame.next + length;
        frame.next += length;
        let known = (head & KNOWN != 0).then(|| {
            let mut name = [0; 8];
            name.copy_from_slice(&self.bytes[payload.clone()]);
            StateId::from_number(u64::from_le_bytes(name))
        });
        (moved, known, payload)
    }

    /// Comes to a state that is known: if it is open, everything since then hangs together.
    fn meet(&mut self, from: Frame, id: StateId, moved: Pids) -> Result<(), Stop> {
        let (Some(place), Some(_)) = (self.open_place(id), from.open) else { return Ok(()) };
        while let [.., below, top] = self.components.as_mut_slice()
            && top.start > place
        {
            below.accepting |= top.accepting;
            below.waiting = below.waiting.and(top.waiting).without(top.came_by);
            self.components.pop();
        }
        let Some(top) = self.components.last_mut() else { return Ok(()) };
        top.waiting = top.waiting.without(moved);
        if top.accepting && (!self.fair || top.waiting.is_empty()) {
            let way = self.frames.iter().map(|frame| frame.id).collect();
            return Err(Stop::Found(Found::Component(way, top.start)));
        }
        Ok(())
    }

    /// Stores the current state, which is new, and visits it unless it is a barrier.
    fn enter(&mut self, came_by: Pids) -> Result<(), Stop> {
        let others = self.memory() - self.store.memory();
        self.store.set_limit(self.budget.memory.saturating_sub(others));
        let id = match self.store.insert(&self.current) {
            Ok(Entry::New(id) | Entry::Known(id)) => id,
            Err(Full) => return Err(End::Limit(Limit::Memory).into()),
        };
        if self.store.len() > self.budget.states || self.counts.generated > self.budget.transitions {
            return Err(End::Enough.into());
        }
        self.counts.depth = self.counts.depth.max(self.frames.len() as u64);
        let colour = self.space.colour(&self.current);
        if colour == Colour::Barrier {
            self.store.set_mark(id, CLOSED);
            let others = self.memory();
            make_room(&mut self.barriers, 1, others, self.budget.memory).map_err(full)?;
            self.barriers.push(id);
            return Ok(());
        }
        self.expand(id, Some(colour == Colour::Accepting), came_by)
    }

    /// Visits the current state: collects its successors. `accepting` is `None` for a barrier.
    fn expand(&mut self, id: StateId, accepting: Option<bool>, came_by: Pids) -> Result<(), Stop> {
        let others = self.memory();
        make_room(&mut self.frames, 1, others, self.budget.memory).map_err(full)?;
        let start = self.bytes.len();
        let enabled = match self.collect(0)? {
            Collected::All(enabled) => enabled,
            Collected::Violation(violation, last) => {
                let way = self.frames.iter().map(|frame| frame.id).chain([id]).collect();
                return Err(Stop::Found(Found::Seen(way, violation, last)));
            }
        };
        let open = accepting.map(|_| self.open.len() as u64);
        let end = self.bytes.len();
        self.frames.push(Frame { id, open, start, next: start, end, followed: 0, forgotten: false });
        if let (Some(accepting), Some(place)) = (accepting, open) {
            make_room(&mut self.open, 1, others, self.budget.memory).map_err(full)?;
            make_room(&mut self.components, 1, others, self.budget.memory).map_err(full)?;
            self.store.set_mark(id, place);
            self.open.push(id);
            self.components.push(Component { start: place, accepting, waiting: enabled, came_by });
        }
        Ok(())
    }

    /// Leaves the state on top; if it was the first of its component, that is closed.
    fn leave(&mut self, frame: Frame) {
        self.frames.pop();
        self.bytes.truncate(frame.start);
        let Some(place) = frame.open else { return };
        if self.components.last().is_some_and(|top| top.start == place) {
            self.components.pop();
            for id in self.open.drain(place as usize..) {
                self.store.set_mark(id, CLOSED);
            }
        }
    }

    /// Forgets the successors of the state on top, if the stack is large.
    fn forget(&mut self) {
        if self.bytes.len() <= self.large_stack {
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.forgotten = true;
            self.bytes.truncate(frame.start);
        }
    }

    /// Collects again what comes next at the state on top.
    fn remember(&mut self, mut frame: Frame) -> Result<(), Stop> {
        self.current.clear();
        self.current.extend_from_slice(self.store.get(frame.id));
        frame.start = self.bytes.len();
        self.collect(frame.followed)?;
        frame.forgotten = false;
        frame.next = frame.start;
        frame.end = self.bytes.len();
        if let Some(top) = self.frames.last_mut() {
            *top = frame;
        }
        Ok(())
    }

    fn memory(&self) -> u64 {
        let lists = self.bytes.capacity()
            + self.frames.capacity() * size_of::<Frame>()
            + self.components.capacity() * size_of::<Component>()
            + (self.open.capacity() + self.barriers.capacity()) * size_of::<StateId>();
        self.store.memory() + lists as u64
    }

    /// Puts the successors of the current state on the stack, without the first few.
    fn collect(&mut self, mut skip: u32) -> Result<Collected, Stop> {
        let mut stop = None;
        let mut violation = None;
        let mut enabled = Pids::default();
        let others = self.memory() - self.bytes.capacity() as u64;
        let (fair, bytes, store, counts, budget) =
            (self.fair, &mut self.bytes, &self.store, &mut self.counts, &self.budget);
        self.space.successors(&self.current, &mut self.scratch, &mut |successor| {
            counts.mark(successor.moves);
            if let Some(wrong) = successor.violations.first() {
                violation = Some((*wrong, Step::of(&successor)));
                return ControlFlow::Break(());
            }
            if fair {
                enabled = enabled.or(Pids::enabled(successor.moves));
            }
            if successor.target.is_some() {
                if skip > 0 {
                    skip -= 1;
                } else if push(bytes, &successor, fair, store, others, budget.memory).is_err() {
                    stop = Some(Limit::Memory);
                }
            }
            stop = stop.or_else(|| counts.ask(budget, store.len(), others + bytes.capacity() as u64));
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match (stop, violation) {
            (Some(limit), _) => Err(End::Limit(limit).into()),
            (None, Some((violation, last))) => Ok(Collected::Violation(violation, last)),
            (None, None) => Ok(Collected::All(enabled)),
        }
    }
}

enum Collected {
    All(Pids),
    Violation(Violation, Option<Step>),
}

fn full(_: Full) -> Stop {
    End::Limit(Limit::Memory).into()
}

fn push(
    bytes: &mut Vec<u8>,
    successor: &Successor<'_>,
    fair: bool,
    store: &Store,
    others: u64,
    limit: u64,
) -> Result<(), Full> {
    let Some(state) = successor.target else { return Ok(()) };
    make_room(bytes, state.len() + successor.moves.len() + 16, others, limit)?;
    let known = store.find(state);
    let head = if known.is_some() { KNOWN | 8 } else { state.len() as u32 };
    bytes.extend_from_slice(&head.to_le_bytes());
    if fair {
        let pids = Pids::moved(successor.moves);
        let place = bytes.len();
        bytes.push(0);
        bytes.extend(pids.iter());
        bytes[place] = (bytes.len() - place - 1) as u8;
    }
    match known {
        Some(id) => bytes.extend_from_slice(&id.number().to_le_bytes()),
        None => bytes.extend_from_slice(state),
    }
    Ok(())
}
