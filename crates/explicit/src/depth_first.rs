//! Depth-first search in SPIN's order.
//!
//! A state's successors are collected when it is first visited, and then followed one by one, each to its end. The
//! stack is one string of bytes: the successors of each state on the way, one state after the other, so that going down
//! and coming back allocate nothing and depth has no limit but memory. When the stack gets large, a state's successors
//! are forgotten on the way down and collected again on the way back: as every state is reached from one other, that
//! at most doubles the work. Time and memory are linear in states and edges.

use std::ops::ControlFlow;

use narrows_model::{Expansion, Limit, Scratch, StateSpace, Successor, Violation};

use crate::findings::Findings;
use crate::search::{Counts, make_room};
use crate::{Budget, End, Entry, Exploration, Full, Run, Shape, StateId, Store};

/// What a fault after which there is no state does to the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// It ends the search, as in SPIN.
    Stop,
    /// It ends the run, and the search goes on with the others.
    Continue,
}

/// Visits every state, depth first.
pub fn depth_first<S: StateSpace + ?Sized>(space: &S, faults: Faults, budget: &Budget<'_>) -> Exploration {
    let mut search = Search::new(space, faults, *budget);
    let end = match search.run() {
        Ok(()) => End::Complete,
        Err(end) => end,
    };
    let memory = search.stack.memory();
    let coverage = search.counts.coverage(&search.store, memory);
    Exploration { end, coverage, findings: search.findings.into_list() }
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
    /// Whether the successors must be collected again.
    forgotten: bool,
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

    fn push(&mut self, successor: &Successor<'_>, store: &Store, limit: u64) -> Result<(), Full> {
        let mut head = match successor.target {
            None => Head::NOWHERE,
            Some(state) if store.contains(state) => Head::KNOWN,
            Some(state) => state.len() as u32,
        };
        if !successor.violations.is_empty() {
            head |= Head::NOTED;
        }
        let state = successor.target.unwrap_or(&[]);
        let frames = (self.frames.capacity() * size_of::<Frame>()) as u64;
        make_room(&mut self.bytes, state.len() + 8, store.memory() + frames, limit)?;
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

struct Search<'a, S: ?Sized> {
    space: &'a S,
    faults: Faults,
    budget: Budget<'a>,
    large_stack: usize,
    store: Store,
    stack: Stack,
    current: Vec<u8>,
    control: Vec<u8>,
    scratch: Scratch,
    counts: Counts,
    findings: Findings,
}

impl<'a, S: StateSpace + ?Sized> Search<'a, S> {
    fn new(space: &'a S, faults: Faults, budget: Budget<'a>) -> Self {
        let shape = Shape { hidden: space.hidden_bytes(), linked: false };
        Search {
            space,
            faults,
            budget,
            large_stack: LARGE_STACK.min((budget.memory / 8) as usize),
            store: Store::new(shape, budget.memory),
            stack: Stack::default(),
            current: Vec::new(),
            control: Vec::new(),
            scratch: Scratch::default(),
            counts: Counts::default(),
            findings: Findings::default(),
        }
    }

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
            self.findings.add(violations, || self.stack.run());
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
        self.store.set_limit(self.budget.memory.saturating_sub(self.stack.memory()));
        match self.store.insert(&self.current) {
            Ok(Entry::Known(_)) => Ok(None),
            Ok(Entry::New(_)) if self.is_enough() => Err(End::Enough),
            Ok(Entry::New(id)) => {
                self.counts.depth = self.counts.depth.max(self.stack.frames.len() as u64);
                Ok(Some(id))
            }
            Err(Full) => Err(End::Limit(Limit::Memory)),
        }
    }

    fn is_enough(&self) -> bool {
        self.store.len() > self.budget.states || self.counts.generated > self.budget.transitions
    }

    /// Visits the current state: collects its successors.
    fn expand(&mut self, id: StateId) -> Result<(), End> {
        let others = self.store.memory() + self.stack.bytes.capacity() as u64;
        make_room(&mut self.stack.frames, 1, others, self.budget.memory)
            .map_err(|Full| End::Limit(Limit::Memory))?;
        let (start, notes) = (self.stack.bytes.len(), self.stack.notes.len() as u32);
        if self.collect(0)? == Expansion::Deadlock {
            self.control.clear();
            self.space.control(&self.current, &mut self.control);
            self.findings.add_deadlock(&self.control, &self.current, || self.stack.run());
        }
        let end = self.stack.bytes.len();
        let frame = Frame { id, start, next: start, end, followed: 0, notes, forgotten: false };
        self.stack.frames.push(frame);
        Ok(())
    }

    /// Forgets the successors of the state on top, if the stack is large.
    fn forget(&mut self) {
        if self.stack.bytes.len() <= self.large_stack {
            return;
        }
        if let Some(frame) = self.stack.frames.last_mut() {
            frame.forgotten = true;
            self.stack.bytes.truncate(frame.start);
            self.stack.notes.truncate(frame.notes as usize);
        }
    }

    /// Collects again what comes next at the state on top.
    fn remember(&mut self, mut frame: Frame) -> Result<(), End> {
        self.current.clear();
        self.current.extend_from_slice(self.store.get(frame.id));
        self.collect(frame.followed)?;
        frame.forgotten = false;
        frame.next = frame.start;
        frame.end = self.stack.bytes.len();
        if let Some(top) = self.stack.frames.last_mut() {
            *top = frame;
        }
        Ok(())
    }

    /// Puts the successors of the current state on the stack, without the first few.
    fn collect(&mut self, mut skip: u32) -> Result<Expansion, End> {
        let mut stop = None;
        let (stack, store, counts, budget) = (&mut self.stack, &self.store, &mut self.counts, &self.budget);
        let expansion = self.space.successors(&self.current, &mut self.scratch, &mut |successor| {
            counts.mark(successor.moves);
            if skip > 0 {
                skip -= 1;
            } else if stack.push(&successor, store, budget.memory).is_err() {
                stop = Some(Limit::Memory);
            }
            stop = stop.or_else(|| counts.ask(budget, store.len(), store.memory() + stack.memory()));
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match stop {
            Some(limit) => Err(End::Limit(limit)),
            None => Ok(expansion),
        }
    }
}
