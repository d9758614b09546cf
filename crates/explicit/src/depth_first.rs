//! Depth-first search in SPIN's order.
//!
//! A state's successors are collected when it is first visited, and then followed one by one, each to its
//! end. The stack is one string of bytes: the successors of each state on the way, one state after the other,
//! so that going down and coming back allocate nothing and depth has no limit but memory. When the stack gets
//! large, a state's successors are forgotten on the way down and collected again on the way back: as every
//! state is reached from one other, that at most doubles the work. Time and memory are linear in states and
//! edges.
//!
//! What has been seen is a [`Visited`]: a store, or a table that does not keep whole states. With the latter,
//! the stack keeps the states on the way, and if there is no room for a longer run, the search turns back
//! there.

use std::ops::ControlFlow;

use narrows_model::{Expansion, Limit, ProcessSet, Question, Scratch, StateSpace, Successor, Violation};
use rustc_hash::FxHashSet;

use crate::findings::Findings;
use crate::reduction::Chooser;
use crate::search::{Counts, make_room};
use crate::{End, Entry, Exploration, Full, Reduction, Run, SearchScope, Shape, StateId, Store};

/// What a fault after which there is no state does to the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// It ends the search, as in SPIN.
    Stop,
    /// It ends the run, and the search goes on with the others.
    Continue,
}

/// Visits every state, depth first.
pub fn depth_first(space: &dyn StateSpace, faults: Faults, scope: &SearchScope<'_>) -> Exploration {
    depth_first_reduced(space, None, faults, scope)
}

/// Visits states depth first: every one, or enough of them to find all that goes wrong.
pub fn depth_first_reduced(
    space: &dyn StateSpace,
    reduction: Option<&Reduction<'_>>,
    faults: Faults,
    scope: &SearchScope<'_>,
) -> Exploration {
    let shape = Shape { hidden: space.hidden_bytes(), linked: false };
    search(space, reduction, Store::new(shape, scope.budget.memory), faults, &[], scope).exploration
}

/// The states that a search has seen.
pub(crate) trait Visited {
    /// Whether states are given back. If not, the stack keeps those on the way.
    const KEEPS: bool;

    /// Adds a state; `None` if it is known.
    fn add(&mut self, state: &[u8]) -> Result<Option<StateId>, Full>;

    /// Returns whether a state is known.
    fn knows(&self, state: &[u8]) -> bool;

    /// Finds a state, if states are given back.
    fn find(&self, _: &[u8]) -> Option<StateId> {
        None
    }

    /// Returns a state that was added; nothing if states are not given back.
    fn state(&self, _: StateId) -> &[u8] {
        &[]
    }

    /// Returns how many states there are.
    fn count(&self) -> u64;

    /// Returns how many bytes all states have together.
    fn bytes(&self) -> u64;

    /// Returns how many bytes are in use.
    fn memory(&self) -> u64;

    /// Changes how many bytes may be used.
    fn set_limit(&mut self, limit: u64);
}

impl Visited for Store {
    const KEEPS: bool = true;

    fn add(&mut self, state: &[u8]) -> Result<Option<StateId>, Full> {
        Ok(match self.insert(state)? {
            Entry::New(id) => Some(id),
            Entry::Known(_) => None,
        })
    }

    fn knows(&self, state: &[u8]) -> bool {
        self.contains(state)
    }

    fn find(&self, state: &[u8]) -> Option<StateId> {
        Store::find(self, state)
    }

    fn state(&self, id: StateId) -> &[u8] {
        self.get(id)
    }

    fn count(&self) -> u64 {
        self.len()
    }

    fn bytes(&self) -> u64 {
        self.state_bytes()
    }

    fn memory(&self) -> u64 {
        Store::memory(self)
    }

    fn set_limit(&mut self, limit: u64) {
        Store::set_limit(self, limit);
    }
}

/// What a search leaves behind.
pub(crate) struct Searched<V> {
    pub(crate) exploration: Exploration,
    pub(crate) visited: V,
    /// How many states were found and not followed, as there was no room for a longer run.
    pub(crate) cut: u64,
}

/// Visits states depth first until every goal is answered; without goals, until all are visited. A reduction
/// needs a store that gives states back.
pub(crate) fn search<S: StateSpace + ?Sized, V: Visited>(
    space: &S,
    reduction: Option<&Reduction<'_>>,
    visited: V,
    faults: Faults,
    goals: &[Question],
    scope: &SearchScope<'_>,
) -> Searched<V> {
    let mut search = Search {
        space,
        chooser: reduction.map(Reduction::chooser),
        on_the_way: FxHashSet::default(),
        faults,
        goals,
        scope: *scope,
        large_stack: LARGE_STACK.min((scope.budget.memory / 8) as usize),
        visited,
        stack: Stack::default(),
        current: Vec::new(),
        control: Vec::new(),
        scratch: Scratch::with_pulses(),
        counts: Counts::default(),
        findings: Findings::default(),
        cut: 0,
    };
    let end = search.run().err().unwrap_or(End::Complete);
    let Search { stack, visited, counts, findings, cut, .. } = search;
    let memory = visited.memory() + stack.memory();
    let coverage = counts.coverage_of(visited.count(), memory, visited.bytes());
    let exploration = Exploration {
        end,
        coverage,
        findings: findings.into_list(),
        partial: counts.partial,
        profile: None,
        labels: Vec::new(),
    };
    Searched { exploration, visited, cut }
}

/// Beyond this many bytes, successors on the stack are forgotten.
const LARGE_STACK: usize = 64 << 20;

/// A state on the way, and which of its successors come next.
#[derive(Clone, Copy, Debug)]
struct Frame {
    id: StateId,
    start: usize,
    next: usize,
    end: usize,
    /// How many successors have been followed.
    followed: u32,
    notes: u32,
    /// How many bytes the state has, if the stack keeps it before its successors.
    kept: u32,
    /// Whether the successors must be collected again.
    forgotten: bool,
    /// The process that the choice of successors grew from; `None` if all are followed.
    seed: Option<u8>,
}

impl Frame {
    /// Returns where the successors begin.
    fn first(&self) -> usize {
        self.start + self.kept as usize
    }
}

/// A successor's first word: its length and what it is.
#[derive(Clone, Copy)]
struct Head(u32);

impl Head {
    /// The state was known when the successor was found; its bytes are left out.
    const KNOWN: u32 = 1 << 31;
    /// There is no state.
    const NOWHERE: u32 = 1 << 30;
    /// Something went wrong; the next word is the number of the note.
    const NOTED: u32 = 1 << 29;

    fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    fn length(self) -> usize {
        (self.0 & (Head::NOTED - 1)) as usize
    }
}

/// The successors of the states on the way, and what went wrong on the way to some of them.
#[derive(Debug, Default)]
struct Stack {
    bytes: Vec<u8>,
    notes: Vec<Box<[Violation]>>,
    frames: Vec<Frame>,
}

impl Stack {
    fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.frames.capacity() * size_of::<Frame>()) as u64
    }

    fn push(&mut self, successor: &Successor<'_>, visited: &impl Visited, limit: u64) -> Result<(), Full> {
        let mut head = match successor.target {
            None => Head::NOWHERE,
            Some(state) if visited.knows(state) => Head::KNOWN,
            Some(state) => state.len() as u32,
        };
        if !successor.violations.is_empty() {
            head |= Head::NOTED;
        }
        let state = successor.target.unwrap_or(&[]);
        let frames = (self.frames.capacity() * size_of::<Frame>()) as u64;
        make_room(&mut self.bytes, state.len() + 8, visited.memory() + frames, limit)?;
        self.bytes.extend_from_slice(&head.to_le_bytes());
        if head & Head::NOTED != 0 {
            self.bytes.extend_from_slice(&(self.notes.len() as u32).to_le_bytes());
            self.notes.push(successor.violations.into());
        }
        if head & (Head::KNOWN | Head::NOWHERE) == 0 {
            self.bytes.extend_from_slice(state);
        }
        Ok(())
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = &self.bytes[at..at + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Returns the run that the stack holds.
    fn run(&self) -> Run {
        let choices = self.frames.iter().map(|frame| frame.followed.wrapping_sub(1));
        Run { choices: choices.take_while(|choice| *choice != u32::MAX).collect() }
    }
}

struct Search<'a, S: ?Sized, V> {
    space: &'a S,
    chooser: Option<Chooser<'a, 'a>>,
    /// The states on the way, if it matters.
    on_the_way: FxHashSet<StateId>,
    faults: Faults,
    /// The search ends when something was found for each of these.
    goals: &'a [Question],
    scope: SearchScope<'a>,
    large_stack: usize,
    visited: V,
    stack: Stack,
    current: Vec<u8>,
    control: Vec<u8>,
    scratch: Scratch,
    counts: Counts,
    findings: Findings,
    cut: u64,
}

impl<S: StateSpace + ?Sized, V: Visited> Search<'_, S, V> {
    fn run(&mut self) -> Result<(), End> {
        match self.space.initial() {
            Ok((state, violations)) => {
                self.findings.add(&violations, Run::default);
                self.current = state;
            }
            Err(fault) => {
                self.findings.add(&[fault], Run::default);
                return Err(End::Fault);
            }
        }
        if let Some(id) = self.enter()? {
            self.expand(id)?;
        }
        while let Some(frame) = self.stack.frames.last().copied() {
            if frame.forgotten {
                self.remember(frame)?;
            } else if frame.next == frame.end {
                self.stack.frames.pop();
                self.on_the_way.remove(&frame.id);
                self.stack.bytes.truncate(frame.start);
                self.stack.notes.truncate(frame.notes as usize);
            } else if let Some(id) = self.follow(frame)? {
                self.forget();
                self.expand(id)?;
            }
        }
        Ok(())
    }

    /// Takes the next successor of the state on top; if it is new, it becomes the current state.
    fn follow(&mut self, mut frame: Frame) -> Result<Option<StateId>, End> {
        let head = Head(self.stack.word(frame.next));
        frame.next += 4;
        frame.followed += 1;
        let mut note = None;
        if head.has(Head::NOTED) {
            note = Some(self.stack.word(frame.next) as usize);
            frame.next += 4;
        }
        let has_state = !head.has(Head::KNOWN | Head::NOWHERE);
        let start = frame.next;
        if has_state {
            frame.next += head.length();
        }
        if let Some(top) = self.stack.frames.last_mut() {
            *top = frame;
        }
        if let Some(note) = note {
            let violations = &self.stack.notes[note];
            let (space, visited, stack) = (self.space, &self.visited, &self.stack);
            let reduced = self.chooser.is_some();
            self.findings.add(violations, || {
                if reduced { through(space, visited, stack, None, violations) } else { stack.run() }
            });
            let fatal = head.has(Head::NOWHERE) && violations.iter().any(|v| v.kind.is_fatal());
            if fatal && self.faults == Faults::Stop {
                return Err(End::Fault);
            }
        }
        if !head.has(Head::NOWHERE) {
            self.counts.transitions += 1;
        }
        if !has_state {
            return Ok(None);
        }
        self.current.clear();
        self.current.extend_from_slice(&self.stack.bytes[start..frame.next]);
        self.enter()
    }

    /// Stores the current state; `None` if it is known.
    fn enter(&mut self) -> Result<Option<StateId>, End> {
        self.visited.set_limit(self.scope.budget.memory.saturating_sub(self.stack.memory()));
        match self.visited.add(&self.current) {
            Ok(None) => Ok(None),
            Ok(Some(_)) if self.is_enough() || self.is_decided() => Err(End::Enough),
            Ok(Some(id)) => {
                self.counts.depth = self.counts.depth.max(self.stack.frames.len() as u64);
                Ok(Some(id))
            }
            Err(full) => Err(no_room(full)),
        }
    }

    fn is_enough(&self) -> bool {
        self.visited.count() > self.scope.states || self.counts.generated > self.scope.transitions
    }

    fn is_decided(&self) -> bool {
        !self.goals.is_empty() && self.goals.iter().all(|goal| self.findings.answers(goal))
    }

    /// Visits the current state: collects its successors.
    fn expand(&mut self, id: StateId) -> Result<(), End> {
        let (start, notes) = (self.stack.bytes.len(), self.stack.notes.len() as u32);
        let seed = match self.make_frame(id).and_then(|()| self.collect_some()) {
            Ok(None) => self.collect_all(id).map(|()| None),
            result => result,
        };
        let seed = match seed {
            Err(End::Limit(Limit::Memory)) if !V::KEEPS => {
                self.cut += 1;
                self.stack.bytes.truncate(start);
                self.stack.notes.truncate(notes as usize);
                return Ok(());
            }
            seed => seed?,
        };
        self.counts.partial += u64::from(seed.is_some());
        let kept = if V::KEEPS { 0 } else { self.current.len() as u32 };
        let (next, end) = (start + kept as usize, self.stack.bytes.len());
        let frame = Frame { id, start, next, end, followed: 0, notes, kept, forgotten: false, seed };
        self.stack.frames.push(frame);
        Ok(())
    }

    /// Makes room for a frame, and keeps the current state if nobody else does.
    fn make_frame(&mut self, id: StateId) -> Result<(), End> {
        let Search { stack, visited, .. } = self;
        let others = visited.memory() + stack.bytes.capacity() as u64;
        make_room(&mut stack.frames, 1, others, self.scope.budget.memory).map_err(no_room)?;
        if !V::KEEPS {
            let others = visited.memory() + (stack.frames.capacity() * size_of::<Frame>()) as u64;
            make_room(&mut stack.bytes, self.current.len(), others, self.scope.budget.memory)
                .map_err(no_room)?;
            stack.bytes.extend_from_slice(&self.current);
        }
        if self.chooser.is_some() {
            self.on_the_way.insert(id);
        }
        Ok(())
    }

    /// Collects all successors of the current state, and finds out whether it is a deadlock.
    fn collect_all(&mut self, id: StateId) -> Result<(), End> {
        if self.collect(0, None)? == Expansion::Deadlock {
            self.control.clear();
            self.space.control(&self.current, &mut self.control);
            let (space, visited, stack) = (self.space, &self.visited, &self.stack);
            let reduced = self.chooser.is_some();
            self.findings.add_deadlock(&self.control, &self.current, || {
                if reduced { through(space, visited, stack, Some(id), &[]) } else { stack.run() }
            });
        }
        Ok(())
    }

    /// Collects the successors that are enough, unless all of them are on the way; returns whose choice it
    /// was.
    fn collect_some(&mut self) -> Result<Option<u8>, End> {
        let Some(mut chooser) = self.chooser.take() else { return Ok(None) };
        chooser.look_at(&self.current);
        // To choose takes the longer the more processes there are.
        self.counts.add_work(self.current.len() / 4);
        let marks = (self.stack.bytes.len(), self.stack.notes.len(), self.counts.generated);
        let mut chosen = None;
        while let Some(choice) = chooser.next() {
            let mut leads_on = false;
            self.collect(0, Some((choice.processes, &mut leads_on)))?;
            if leads_on {
                chosen = Some(choice.seed);
                break;
            }
            self.stack.bytes.truncate(marks.0);
            self.stack.notes.truncate(marks.1);
            self.counts.generated = marks.2;
        }
        self.chooser = Some(chooser);
        Ok(chosen)
    }

    /// Forgets the successors of the state on top, if the stack is large.
    fn forget(&mut self) {
        if self.stack.bytes.len() <= self.large_stack {
            return;
        }
        if let Some(frame) = self.stack.frames.last_mut() {
            frame.forgotten = true;
            self.stack.bytes.truncate(frame.first());
            self.stack.notes.truncate(frame.notes as usize);
        }
    }

    /// Collects again what comes next at the state on top.
    fn remember(&mut self, mut frame: Frame) -> Result<(), End> {
        self.current.clear();
        self.current.extend_from_slice(if V::KEEPS {
            self.visited.state(frame.id)
        } else {
            &self.stack.bytes[frame.start..frame.first()]
        });
        let choice = match (&mut self.chooser, frame.seed) {
            (Some(chooser), Some(seed)) => chooser.again(&self.current, seed),
            _ => None,
        };
        let mut leads_on = false;
        self.collect(frame.followed, choice.map(|choice| (choice.processes, &mut leads_on)))?;
        frame.forgotten = false;
        frame.next = frame.first();
        frame.end = self.stack.bytes.len();
        if let Some(top) = self.stack.frames.last_mut() {
            *top = frame;
        }
        Ok(())
    }

    /// Puts the successors of the current state on the stack, without the first few. Of those that some
    /// processes begin, it finds out whether one is not on the way.
    fn collect(&mut self, mut skip: u32, choice: Option<(ProcessSet, &mut bool)>) -> Result<Expansion, End> {
        let mut stop = None;
        let (stack, visited, counts, scope) = (&mut self.stack, &self.visited, &mut self.counts, &self.scope);
        let mut push = |successor: Successor<'_>| {
            if successor.pulse.is_some() {
                let memory = visited.memory() + stack.memory();
                stop = counts.pulse(&successor, scope.budget, visited.count(), memory);
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(&successor);
            if skip > 0 {
                skip -= 1;
            } else if stack.push(&successor, visited, scope.budget.memory).is_err() {
                stop = Some(Limit::Memory);
            }
            stop =
                stop.or_else(|| counts.ask(scope.budget, visited.count(), visited.memory() + stack.memory()));
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let expansion = match choice {
            None => self.space.successors(&self.current, &mut self.scratch, &mut push),
            Some((processes, leads_on)) => {
                let on_the_way = &self.on_the_way;
                let mut push = |successor: Successor<'_>| {
                    let known = successor.target.and_then(|target| visited.find(target));
                    *leads_on |=
                        successor.pulse.is_none() && known.is_none_or(|id| !on_the_way.contains(&id));
                    push(successor)
                };
                self.space.successors_of(processes, &self.current, &mut self.scratch, &mut push);
                Expansion::Moves
            }
        };
        match stop {
            Some(limit) => Err(End::Limit(limit)),
            None => Ok(expansion),
        }
    }
}

fn no_room(_: Full) -> End {
    End::Limit(Limit::Memory)
}

/// Returns the run that the stack holds, where some successors were left out.
fn through<S: StateSpace + ?Sized>(
    space: &S,
    visited: &impl Visited,
    stack: &Stack,
    last: Option<StateId>,
    violations: &[Violation],
) -> Run {
    let ids = stack.frames.iter().map(|frame| frame.id).chain(last);
    Run::through(space, ids.map(|id| visited.state(id)), violations)
}
