//! The search for a component that holds a violation, on several threads, in rounds.
//!
//! A round has *roots*: the initial state in the first one, later the barriers that were put aside in the
//! round before. Threads take turns at roots, and search from each in the fixed order. A thread that finds no
//! root left helps the others: it searches from their roots too, in an order of its own, and what it leaves
//! behind is dead for all. A round ends when all its roots are dead.
//!
//! Of the roots in a round from which a violation is found, the one with the smallest state counts, and of
//! the violations there the one that its own thread met, in the fixed order. So the answer, and the run that
//! shows it, are the same for every number of threads and however fast they are. Which states are barriers in
//! a round is the same too, and so are the figures of a search that finds nothing: each state is counted by
//! the thread that adds it, its edges by the first thread that has followed them.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{
    Barrier, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::thread;

use narrows_model::{Colour, Limit};

use super::components::{Found, Others, Search, Stop};
use super::space::Coloured;
use crate::search::Counts;
use crate::store::{Components, Flag, Memory, States, Stop as Reason};
use crate::{End, Full, Progress, Reduction, SearchScope, Watch};

/// Atomic sequences need a deep stack.
const STACK: usize = 512 << 20;

/// A violation, and where it was found.
#[derive(Debug)]
pub(super) struct Violation {
    /// The state from where it was found, without hidden bytes.
    pub(super) root: Vec<u8>,
    pub(super) found: Found,
    /// Whether the root is the initial state.
    pub(super) from_start: bool,
    /// How many states there were when the round began.
    pub(super) before: u64,
}

/// What came out.
pub(super) struct Explored {
    pub(super) states: States,
    pub(super) state_bytes: u64,
    pub(super) hidden: Vec<u8>,
    pub(super) counts: Counts,
    /// The violation, or none if there is none, or why that is not known.
    pub(super) result: Result<Option<Violation>, End>,
}

/// How all that can be reached is searched.
#[derive(Clone, Copy)]
pub(super) struct Way<'r> {
    /// Leaves out steps; then there is one thread.
    pub(super) reduction: Option<&'r Reduction<'r>>,
    pub(super) fair: bool,
    pub(super) threads: usize,
    /// In which order successors are followed: that of the space for 0.
    pub(super) order: u64,
}

/// Searches all that can be reached.
pub(super) fn explore<S: Coloured + ?Sized>(
    space: &S,
    way: Way<'_>,
    components: Components,
    scope: &SearchScope<'_>,
    memory: &Memory,
) -> Result<Explored, Limit> {
    let Way { reduction, fair, threads, order } = way;
    let mut states = States::new(components, memory)?;
    let mut searches: Vec<Search<'_, S>> =
        (0..threads.max(1)).map(|_| Search::new(space, reduction, fair, *scope, memory)).collect();
    let mut roots = Vec::new();
    if let Ok((initial, _)) = space.initial() {
        let number = loop {
            match states.add(space, &initial, memory) {
                Ok(number) => break number,
                Err(Reason::Grow) => states.grow(space, memory, &|| None)?,
                Err(Reason::Full) => return Err(Limit::Memory),
            }
        };
        if space.colour(&initial) == Colour::Barrier {
            states.set(number, Flag::Aside);
        }
        let (visible, hidden) = initial.split_at(initial.len() - space.hidden_bytes());
        searches[0].hidden.extend_from_slice(hidden);
        searches[0].state_bytes = visible.len() as u64;
        roots.push(number);
    }
    let team = Team::new(states, roots, (searches.len(), order), memory);
    thread::scope(|scope| {
        let (own, others) = searches.split_at_mut(1);
        let mut count = 1;
        for (index, search) in others.iter_mut().enumerate() {
            let team = &team;
            let work = move || team.work(index + 1, search);
            // If there are no more threads to be had, those that are there will do.
            count += usize::from(thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_ok());
        }
        team.meeting.get_or_init(|| Barrier::new(count));
        team.work(0, &mut own[0]);
    });
    let mut counts = Counts::default();
    for search in &searches {
        counts.absorb(&search.counts);
        counts.transitions += search.counts.transitions;
        counts.depth = counts.depth.max(search.counts.depth);
    }
    let state_bytes = searches.iter().map(|search| search.state_bytes).sum();
    let hidden = std::mem::take(&mut searches[0].hidden);
    let (states, result) = team.result();
    Ok(Explored { states, state_bytes, hidden, counts, result })
}

/// Which roots are taken.
#[derive(Debug, Default)]
struct Claims {
    next: usize,
    /// What each thread has taken last.
    active: Vec<Range<usize>>,
}

/// What threads share.
struct Team<'a> {
    memory: &'a Memory,
    /// In which order the threads that have taken a root follow successors.
    order: u64,
    states: RwLock<States>,
    /// Whether somebody waits for the states to be left alone.
    wants_growth: AtomicBool,
    roots: RwLock<Vec<u32>>,
    claims: Mutex<Claims>,
    /// What was put aside in this round.
    aside: Mutex<Vec<u32>>,
    /// The violation that counts so far, and how often it has changed.
    best: Mutex<Option<Violation>>,
    changes: AtomicU32,
    /// A violation that was met in another order: it counts only if a limit comes before the one that does.
    known: Mutex<Option<Violation>>,
    stopped: AtomicBool,
    end: Mutex<Option<End>>,
    transitions: AtomicU64,
    round: AtomicU64,
    /// How many states there were when the round began.
    before: AtomicU64,
    /// Where threads wait for each other at the end of a round, once it is known how many there are.
    meeting: OnceLock<Barrier>,
    over: AtomicBool,
}

/// What a thread that searches from a root is told by others.
struct News<'t, 'a> {
    team: &'t Team<'a>,
    root: u32,
    /// The change that was seen last.
    seen: Cell<u32>,
}

impl Others for News<'_, '_> {
    fn interrupt(&self, states: &States) -> Option<Stop> {
        if self.team.stopped.load(Ordering::Relaxed) {
            return Some(Stop::Over);
        }
        if self.team.wants_growth.load(Ordering::Relaxed) {
            return Some(Stop::Pause);
        }
        let changes = self.team.changes.load(Ordering::Acquire);
        if changes != self.seen.replace(changes) && self.team.has_better(&states.visible(self.root)) {
            return Some(Stop::Over);
        }
        None
    }

    fn count(&self, edges: u64) -> u64 {
        self.team.transitions.fetch_add(edges, Ordering::Relaxed) + edges
    }
}

/// Roots are taken in pieces of at most this many.
const PIECE: usize = 64;

impl<'a> Team<'a> {
    fn new(states: States, roots: Vec<u32>, (threads, order): (usize, u64), memory: &'a Memory) -> Team<'a> {
        Team {
            memory,
            order,
            states: RwLock::new(states),
            wants_growth: AtomicBool::new(false),
            roots: RwLock::new(roots),
            claims: Mutex::new(Claims { next: 0, active: vec![0..0; threads] }),
            aside: Mutex::new(Vec::new()),
            best: Mutex::new(None),
            changes: AtomicU32::new(0),
            known: Mutex::new(None),
            stopped: AtomicBool::new(false),
            end: Mutex::new(None),
            transitions: AtomicU64::new(0),
            round: AtomicU64::new(0),
            before: AtomicU64::new(0),
            meeting: OnceLock::new(),
            over: AtomicBool::new(false),
        }
    }

    /// Does one thread's part of all rounds.
    fn work<S: Coloured + ?Sized>(&self, thread: usize, search: &mut Search<'_, S>) {
        let meeting = self.meeting.wait();
        let mut panic = None;
        while !self.over.load(Ordering::Relaxed) {
            let turn = catch_unwind(AssertUnwindSafe(|| {
                self.take_turns(thread, search);
                self.help(thread, search);
                self.hand_in(&mut search.aside);
            }));
            if let Err(what) = turn {
                // The others must not wait for ever.
                self.stop(End::Enough);
                panic = Some(what);
            }
            if meeting.wait().is_leader() {
                self.prepare_round();
            }
            meeting.wait();
        }
        if let Some(what) = panic {
            resume_unwind(what);
        }
    }

    /// Searches from roots that nobody has taken.
    fn take_turns<S: Coloured + ?Sized>(&self, thread: usize, search: &mut Search<'_, S>) {
        let roots = read(&self.roots);
        search.order = self.order;
        loop {
            let range = {
                let mut claims = lock(&self.claims);
                let left = roots.len() - claims.next;
                let piece = (left / (claims.active.len() * 4)).clamp(1, PIECE).min(left);
                let range = claims.next..claims.next + piece;
                claims.next = range.end;
                claims.active[thread] = range.clone();
                range
            };
            if range.is_empty() {
                return;
            }
            for root in &roots[range] {
                self.search_from(*root, search, &self.best);
            }
        }
    }

    /// Searches from roots that others have taken, the last ones first.
    fn help<S: Coloured + ?Sized>(&self, thread: usize, search: &mut Search<'_, S>) {
        let roots = read(&self.roots);
        search.order = self.order + thread as u64 + 1;
        let mut helped = Vec::new();
        let find = |helped: &[Range<usize>]| {
            let claims = lock(&self.claims);
            claims.active.iter().find(|range| !range.is_empty() && !helped.contains(range)).cloned()
        };
        while let Some(range) = find(&helped) {
            for root in roots[range.clone()].iter().rev() {
                self.search_from(*root, search, &self.known);
            }
            helped.push(range);
        }
    }

    /// Searches from a root to the end, or to a violation, which goes into a list of one.
    fn search_from<S: Coloured + ?Sized>(
        &self,
        root: u32,
        search: &mut Search<'_, S>,
        list: &Mutex<Option<Violation>>,
    ) {
        let news = News { team: self, root, seen: Cell::new(0) };
        loop {
            let result = search.run(&read(&self.states), root, &news);
            match result {
                Err(Stop::Pause) => continue,
                Err(Stop::Grow) => {
                    if let Err(limit) = self.grow(search.space, search.watcher()) {
                        self.stop(End::Limit(limit));
                    }
                    continue;
                }
                Err(Stop::Found(found)) => self.note(root, found, list),
                Err(Stop::End(end)) => self.stop(end),
                Err(Stop::Over) | Ok(()) => {}
            }
            return search.reset();
        }
    }

    fn grow<S: Coloured + ?Sized>(&self, space: &S, watch: &dyn Watch) -> Result<(), Limit> {
        self.wants_growth.store(true, Ordering::Relaxed);
        let mut states = write(&self.states);
        let progress = Progress { states: states.len(), memory: self.memory.used(), ..Progress::default() };
        let grown = states.grow(space, self.memory, &|| watch.check(&progress));
        self.wants_growth.store(false, Ordering::Relaxed);
        grown
    }

    fn note(&self, root: u32, found: Found, list: &Mutex<Option<Violation>>) {
        let root = read(&self.states).visible(root);
        let mut list = lock(list);
        if list.as_ref().is_none_or(|other| root < other.root) {
            let from_start = self.round.load(Ordering::Relaxed) == 0;
            let before = self.before.load(Ordering::Relaxed);
            *list = Some(Violation { root, found, from_start, before });
            self.changes.fetch_add(1, Ordering::Release);
        }
    }

    /// Returns whether a violation was found that counts before any from this root.
    fn has_better(&self, root: &[u8]) -> bool {
        lock(&self.best).as_ref().is_some_and(|best| best.root.as_slice() <= root)
    }

    fn stop(&self, end: End) {
        lock(&self.end).get_or_insert(end);
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn hand_in(&self, own: &mut Vec<u32>) {
        let mut aside = lock(&self.aside);
        match self.memory.reserve(&mut aside, own.len()) {
            Ok(()) => aside.append(own),
            Err(Full) => self.stop(End::Limit(Limit::Memory)),
        }
    }

    /// Makes what was put aside the roots of the next round, if there is to be one.
    fn prepare_round(&self) {
        let (mut roots, mut aside) = (write(&self.roots), lock(&self.aside));
        let decided = self.stopped.load(Ordering::Relaxed) || lock(&self.best).is_some();
        if decided || aside.is_empty() {
            self.over.store(true, Ordering::Relaxed);
            return;
        }
        std::mem::swap(&mut *roots, &mut *aside);
        aside.clear();
        let mut claims = lock(&self.claims);
        claims.next = 0;
        claims.active.fill(0..0);
        self.round.fetch_add(1, Ordering::Relaxed);
        self.before.store(read(&self.states).len(), Ordering::Relaxed);
    }

    fn result(self) -> (States, Result<Option<Violation>, End>) {
        let end = self.end.into_inner().unwrap_or_else(PoisonError::into_inner);
        let best = self.best.into_inner().unwrap_or_else(PoisonError::into_inner);
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        let states = self.states.into_inner().unwrap_or_else(PoisonError::into_inner);
        let result = match (best.or(known.filter(|_| end.is_some())), end) {
            (Some(violation), _) => Ok(Some(violation)),
            (None, Some(end)) => Err(end),
            (None, None) => Ok(None),
        };
        (states, result)
    }
}

// A thread that panics takes the whole search with it in the end, so what it leaves behind does not matter.

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(cell: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    cell.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(cell: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    cell.write().unwrap_or_else(PoisonError::into_inner)
}
