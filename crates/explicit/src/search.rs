//! What all searches share: what they may use, how they end, what they say on the way.

use narrows_model::{Coverage, Limit, Move, Successor};

use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checkpoint::{Input, Output, Unloaded};
use crate::{Checkpoints, Finding, Full, Store};

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Different states so far.
    pub states: u64,
    /// Edges so far.
    pub transitions: u64,
    /// The length of the longest run that was followed.
    pub depth: u64,
    /// Bytes in use.
    pub memory: u64,
}

/// Looks at a search while it runs: shows its progress, and stops it.
pub trait Watch: Sync {
    /// Returns why the search must stop now, if it must; called every few thousand edges.
    fn check(&self, progress: &Progress) -> Option<Limit>;

    /// Returns how many seconds have passed, if there is a clock.
    fn seconds(&self) -> f64 {
        0.0
    }

    /// Returns how many seconds are left, if there is a limit.
    fn seconds_left(&self) -> Option<f64> {
        None
    }
}

/// A part of the time that another watch has left, so that one question does not use up the time of all.
pub struct Share<W> {
    whole: W,
    /// When the part ends, in the other's seconds, as bits; infinity if it does not.
    until: AtomicU64,
}

impl<W: Deref<Target: Watch>> Share<W> {
    /// Begins with all that is left.
    pub fn new(whole: W) -> Share<W> {
        Share { whole, until: AtomicU64::new(f64::INFINITY.to_bits()) }
    }

    /// Takes so many seconds, if they are limited.
    pub fn of(whole: W, seconds: Option<f64>) -> Share<W> {
        let until = seconds.map_or(f64::INFINITY, |seconds| whole.seconds() + seconds);
        Share { whole, until: AtomicU64::new(until.to_bits()) }
    }

    /// Takes one of so many equal parts of what is left.
    pub fn take(&self, parts: usize) {
        let left = self.whole.seconds_left().filter(|_| parts > 1);
        self.take_seconds(left.map_or(f64::INFINITY, |left| left / parts as f64));
    }

    /// Takes so many seconds, also where time is not limited.
    pub fn take_seconds(&self, seconds: f64) {
        self.until.store((self.whole.seconds() + seconds).to_bits(), Ordering::Relaxed);
    }

    /// Returns how many seconds are left to all, if there is a limit.
    pub fn whole_seconds_left(&self) -> Option<f64> {
        self.whole.seconds_left()
    }

    fn until(&self) -> f64 {
        f64::from_bits(self.until.load(Ordering::Relaxed))
    }
}

impl<W: Deref<Target: Watch> + Sync> Watch for Share<W> {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        let is_over = || self.whole.seconds() >= self.until();
        self.whole.check(progress).or_else(|| is_over().then_some(Limit::Time))
    }

    fn seconds(&self) -> f64 {
        self.whole.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        let left = self.whole.seconds_left()?;
        Some(left.min((self.until() - self.whole.seconds()).max(0.0)))
    }
}

/// Lets a search run to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn check(&self, _: &Progress) -> Option<Limit> {
        None
    }
}

/// What a search may use.
#[derive(Clone, Copy)]
pub struct Budget<'w> {
    /// At most this many bytes for states, stack and queue.
    pub memory: u64,
    /// At most this many states.
    pub states: u64,
    /// At most about this many edges, also those that are found but not followed.
    pub transitions: u64,
    /// At most this many threads.
    pub threads: usize,
    /// So many states tell how keys are best made; a breadth-first search learns that from them.
    pub learn_from: u64,
    /// Who watches.
    pub watch: &'w dyn Watch,
    /// Who keeps what breadth-first search needs to go on later.
    pub checkpoints: Option<&'w dyn Checkpoints>,
}

impl<'w> Budget<'w> {
    /// Allows everything, on one thread, until the watch says no.
    pub fn unlimited(watch: &'w dyn Watch) -> Self {
        Budget {
            memory: u64::MAX,
            states: u64::MAX,
            transitions: u64::MAX,
            threads: 1,
            learn_from: 1 << 15,
            watch,
            checkpoints: None,
        }
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every state was visited.
    Complete,
    /// A limit was hit.
    Limit(Limit),
    /// A fault ended it.
    Fault,
    /// It found what it was to find, or visited as many states as it was to visit.
    Enough,
}

impl End {
    /// Returns why not every state was visited; `None` if every one was.
    pub fn limit(self) -> Option<Limit> {
        match self {
            End::Complete => None,
            End::Limit(limit) => Some(limit),
            End::Fault => Some(Limit::Fault),
            End::Enough => Some(Limit::Enough),
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// How it ended.
    pub end: End,
    /// What it covered.
    pub coverage: Coverage,
    /// What goes wrong, in the order it was found.
    pub findings: Vec<Finding>,
    /// At how many states steps were left out.
    pub partial: u64,
}

impl Exploration {
    /// Returns whether every state was visited.
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }
}

/// After this many edges the watch is asked.
pub(crate) const WATCH_EVERY: u32 = 2048;

/// What a search counts.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) transitions: u64,
    /// Edges found, whether followed or not.
    pub(crate) generated: u64,
    pub(crate) depth: u64,
    /// States at which steps were left out.
    pub(crate) partial: u64,
    taken: Vec<Vec<bool>>,
    since_watch: u32,
}

impl Counts {
    /// Remembers which transitions were taken.
    pub(crate) fn mark(&mut self, moves: &[Move]) {
        self.generated += 1;
        self.mark_all(moves);
    }

    fn mark_all(&mut self, moves: &[Move]) {
        for step in moves {
            let (proctype, transition) = (usize::from(step.proctype.0), step.transition.0 as usize);
            match self.taken.get_mut(proctype).and_then(|taken| taken.get_mut(transition)) {
                Some(taken) => *taken = true,
                None => self.mark_first(proctype, transition),
            }
        }
    }

    fn mark_first(&mut self, proctype: usize, transition: usize) {
        if self.taken.len() <= proctype {
            self.taken.resize_with(proctype + 1, Vec::new);
        }
        let taken = &mut self.taken[proctype];
        if taken.len() <= transition {
            taken.resize(transition + 1, false);
        }
        taken[transition] = true;
    }

    /// Adds the transitions that another has seen taken.
    pub(crate) fn absorb(&mut self, other: &Counts) {
        for (proctype, taken) in other.taken.iter().enumerate() {
            for (transition, _) in taken.iter().enumerate().filter(|(_, taken)| **taken) {
                self.mark_first(proctype, transition);
            }
        }
    }

    /// Counts work that is not seen in edges, as if it were so many: the watch is asked the sooner.
    pub(crate) fn add_work(&mut self, edges: usize) {
        self.since_watch = self.since_watch.saturating_add(edges as u32);
    }

    /// Asks the watch, once in a while.
    pub(crate) fn ask(&mut self, budget: &Budget<'_>, states: u64, memory: u64) -> Option<Limit> {
        self.since_watch += 1;
        if self.since_watch < WATCH_EVERY {
            return None;
        }
        self.since_watch = 0;
        let progress = Progress { states, transitions: self.transitions, depth: self.depth, memory };
        budget.watch.check(&progress)
    }

    /// Hears that a long atomic sequence goes on, in which so many bytes are held; asks the watch at once.
    pub(crate) fn pulse(
        &mut self,
        successor: &Successor<'_>,
        budget: &Budget<'_>,
        states: u64,
        memory: u64,
    ) -> Option<Limit> {
        self.mark_all(successor.moves);
        let memory = memory + successor.pulse.unwrap_or(0);
        if memory > budget.memory {
            return Some(Limit::Memory);
        }
        let progress = Progress { states, transitions: self.transitions, depth: self.depth, memory };
        budget.watch.check(&progress)
    }

    pub(crate) fn coverage(&self, store: &Store, more_memory: u64) -> Coverage {
        self.coverage_of(store.len(), store.memory() + more_memory, store.state_bytes())
    }

    pub(crate) fn coverage_of(&self, states: u64, bytes: u64, state_bytes: u64) -> Coverage {
        Coverage {
            states,
            transitions: self.transitions,
            depth: self.depth,
            bytes,
            state_bytes,
            of_system: true,
            taken: self.taken.clone(),
            labels: Vec::new(),
            loss: None,
            sets: None,
        }
    }
}

impl Counts {
    /// Writes everything that counts.
    pub(crate) fn save(&self, output: &mut Output<'_>) -> io::Result<()> {
        for number in [self.transitions, self.generated, self.depth, self.taken.len() as u64] {
            output.number(number)?;
        }
        for taken in &self.taken {
            output.bytes(&taken.iter().map(|taken| u8::from(*taken)).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Reads what was written.
    pub(crate) fn load(input: &mut Input<'_>) -> Result<Counts, Unloaded> {
        let (transitions, generated, depth) = (input.number()?, input.number()?, input.number()?);
        let mut counts = Counts { transitions, generated, depth, ..Counts::default() };
        for _ in 0..input.number()? {
            let mut taken = Vec::new();
            input.bytes(&mut taken)?;
            counts.taken.push(taken.into_iter().map(|taken| taken != 0).collect());
        }
        Ok(counts)
    }
}

/// Makes room in a vector, counting the memory before it is taken: while it grows, old and new are both
/// there.
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize, others: u64, limit: u64) -> Result<(), Full> {
    let needed = list.len() + more;
    if needed <= list.capacity() {
        return Ok(());
    }
    let size = size_of::<T>() as u64;
    let capacity = list.capacity() + (list.capacity() / 2).max(1 << 12);
    let capacity = capacity.max(needed);
    let peak = (list.capacity() + capacity) as u64 * size;
    if others.saturating_add(peak) > limit {
        return Err(Full);
    }
    list.try_reserve_exact(capacity - list.len()).map_err(|_| Full)
}
