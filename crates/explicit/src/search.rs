//! What all searches share: how far they go, how they end, what they say on the way.

use std::io;

use narrows_model::{Coverage, Limit, SearchProfile, StateSpace, Successor};

use crate::checkpoint::{Input, Output, Unloaded};
use crate::taken::Taken;
use crate::{Accelerator, Budget, Checkpoints, Finding, Full, Goal, Progress, Store};

/// How far a search goes within its budget, and who keeps it.
#[derive(Clone, Copy)]
pub struct SearchScope<'a> {
    /// What it may use: bytes are for states, stack and queue.
    pub budget: &'a Budget,
    /// At most this many states.
    pub states: u64,
    /// At most about this many edges, also those that are found but not followed.
    pub transitions: u64,
    /// So many states tell how keys are best made; a breadth-first search learns that from them.
    pub learn_from: u64,
    /// Who keeps what breadth-first search needs to go on later.
    pub checkpoints: Option<&'a dyn Checkpoints>,
    /// What takes over a breadth-first search of a system's states, if it can.
    pub accelerator: Option<&'a dyn Accelerator>,
    /// Who visits all states, if that is not breadth-first search on this machine.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// Visits states on several machines.
pub trait Elsewhere: Sync {
    /// Does what [`breadth_first`](crate::breadth_first) does: a search that visits all states has the same
    /// counts and the same findings, with the same runs, in the same order.
    fn breadth_first(&self, space: &dyn StateSpace, goals: &[Goal], scope: &SearchScope<'_>) -> Exploration;
}

impl<'a> SearchScope<'a> {
    /// Goes as far as the budget allows.
    pub fn within(budget: &'a Budget) -> Self {
        SearchScope {
            budget,
            states: u64::MAX,
            transitions: u64::MAX,
            learn_from: 1 << 15,
            checkpoints: None,
            accelerator: None,
            elsewhere: None,
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
    /// Where the time went, if that was measured.
    pub profile: Option<SearchProfile>,
    /// The labels of steps, with how many there are of each, in the order in which they are found first;
    /// counted on several machines alone.
    pub labels: Vec<(Vec<u8>, u64)>,
}

impl Exploration {
    /// Returns whether every state was visited.
    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }
}

/// After this many edges the watch is asked.
pub(crate) const WATCH_EVERY: u32 = 2048;

/// A state of so many bytes takes as much time as an edge.
const EDGE_BYTES: usize = 256;

/// Returns for how many edges one counts that leads to a large state: the watch is asked the sooner.
pub(crate) fn work_of(successor: &Successor<'_>) -> u32 {
    1 + successor.target.map_or(0, |state| state.len() / EDGE_BYTES) as u32
}

/// What a search counts.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) transitions: u64,
    /// Edges found, whether followed or not.
    pub(crate) generated: u64,
    pub(crate) depth: u64,
    /// States at which steps were left out.
    pub(crate) partial: u64,
    taken: Taken,
    since_watch: u32,
}

impl Counts {
    /// Remembers which transitions were taken, and counts the work of an edge.
    pub(crate) fn mark(&mut self, successor: &Successor<'_>) {
        self.generated += 1;
        self.since_watch = self.since_watch.saturating_add(work_of(successor) - 1);
        self.taken.mark(successor.moves);
    }

    /// Adds the transitions that another has seen taken.
    pub(crate) fn absorb(&mut self, other: &Counts) {
        self.taken.absorb(&other.taken);
    }

    /// Counts work that is not seen in edges, as if it were so many: the watch is asked the sooner.
    pub(crate) fn add_work(&mut self, edges: usize) {
        self.since_watch = self.since_watch.saturating_add(edges as u32);
    }

    /// Asks the watch, once in a while.
    pub(crate) fn ask(&mut self, budget: &Budget, states: u64, memory: u64) -> Option<Limit> {
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
        budget: &Budget,
        states: u64,
        memory: u64,
    ) -> Option<Limit> {
        self.taken.mark(successor.moves);
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
            taken: self.taken.0.clone(),
            labels: Vec::new(),
            loss: None,
            sets: None,
            orbits: None,
        }
    }
}

impl Counts {
    /// Writes everything that counts.
    pub(crate) fn save(&self, output: &mut Output<'_>) -> io::Result<()> {
        for number in [self.transitions, self.generated, self.depth, self.taken.0.len() as u64] {
            output.number(number)?;
        }
        for taken in &self.taken.0 {
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
            counts.taken.0.push(taken.into_iter().map(|taken| taken != 0).collect());
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
