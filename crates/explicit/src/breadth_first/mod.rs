//! Breadth-first search on all cores: the first run that shows something is a shortest one.
//!
//! States are visited in batches. In each, threads take turns at blocks of states: they find the successors
//! and fold each into a key ([`Components`]). Then they take turns at the partitions of the set of keys
//! ([`KeySet`]), and add to each the keys that belong there, in the order of the states they come from; so of
//! several ways to a new state the same one counts, whoever was faster. What is new is put in that order too.
//! So states have the same numbers, and everything else is the same, with any number of threads; and in the
//! set, no two threads ever meet.
//!
//! A state that waits to be visited is a key of 8 bytes; one that was visited is an entry in the set and a
//! few bits in the [`Tree`], which gives back the run to it. A fault ends its run, not the search.
//!
//! Between two batches the search can be saved, and later go on as if nothing had happened (`resume.rs`);
//! between two levels, another search can go on with it (`frontier.rs`).
//!
//! Where every state is visited, what was found in a batch is noted while the next one is visited.
//!
//! `block.rs` computes successors, `memo.rs`, `remembered.rs` and `block/recall.rs` memoise those of a
//! process by its read set (`reduction/read_set.rs`), `batch.rs` has the states that wait, `team.rs` the
//! threads and their clocks, `reduced.rs` applies partial-order reduction, `renewal.rs` makes keys anew.

mod batch;
mod block;
mod frontier;
mod memo;
mod reduced;
mod remembered;
mod renewal;
mod resume;
mod team;

#[cfg(test)]
mod resume_tests;

use std::collections::VecDeque;

use narrows_model::{Coverage, Limit, Question, SearchProfile, StateSpace};
use rustc_hash::FxHashSet;

use crate::findings::Findings;
use crate::search::Counts;
use crate::store::{Blank, Components, KeySet, Memory, Stop, Tree};
use crate::{Checkpoints, End, Exploration, Full, Progress, Reduction, Run, SearchScope};
use batch::{Batch, Level};
use block::{Block, Tally, Task, Turn, Worker};
pub(crate) use frontier::Frontier;
use reduced::Reduced;
use remembered::Remembered;
use renewal::Renewal;
use resume::Stopped;
use team::{Activity, Team};

/// Something to find out.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The question; it is decided when something is found that answers it.
    pub question: Question,
    /// Beyond this many states it is not worth waiting for; `None` if it is.
    pub patience: Option<u64>,
}

/// Visits states in the order of their distance from the initial state, until every goal is decided; without
/// goals, until all are visited.
pub fn breadth_first(space: &dyn StateSpace, goals: &[Goal], scope: &SearchScope<'_>) -> Exploration {
    breadth_first_reduced(space, None, goals, scope)
}

/// Visits states breadth first, every one or enough of them to find all that goes wrong, until every goal is
/// decided. With a reduction, a run that is found need not be a shortest one.
pub fn breadth_first_reduced(
    space: &dyn StateSpace,
    reduction: Option<&Reduction<'_>>,
    goals: &[Goal],
    scope: &SearchScope<'_>,
) -> Exploration {
    search(space, reduction, goals, scope, u64::MAX).0
}

/// Visits states as [`breadth_first`] does, until a level ends with more than so many found. What is needed
/// to go on from there is returned too, unless the search is over.
pub(crate) fn breadth_first_until(
    space: &dyn StateSpace,
    goals: &[Goal],
    scope: &SearchScope<'_>,
    states: u64,
) -> (Exploration, Option<Frontier>) {
    search(space, None, goals, scope, states)
}

fn search(
    space: &dyn StateSpace,
    reduction: Option<&Reduction<'_>>,
    goals: &[Goal],
    scope: &SearchScope<'_>,
    hand_over_at: u64,
) -> (Exploration, Option<Frontier>) {
    let memory = Memory::new(scope.budget.memory);
    let mut frontier = None;
    let mut findings = Findings::default();
    let mut totals = Totals::default();
    let team = Team::new(scope.budget.threads.max(1), &scope.budget.watch);
    let mut counts = Vec::new();
    let end = match Search::new(space, reduction, goals, scope, &memory, &team) {
        Ok(mut search) => {
            search.hand_over_at = hand_over_at;
            let end = team.lead(|| search.run());
            counts = Tally::counts(&search.workers);
            if let Some(waiting) = search.handed_over.take() {
                frontier = Some(Frontier::take(search, waiting));
            } else {
                (findings, totals) = (search.findings, search.totals);
                // Those that were not visited are as large as the others.
                totals.state_bytes = totals.state_bytes * totals.found / totals.visited.max(1);
                for worker in &search.workers {
                    totals.counts.absorb(&worker.counts);
                }
            }
            counts.push(("batches", totals.batches));
            counts.push(("rebuilds", totals.rebuilds));
            end.err().unwrap_or(End::Complete)
        }
        Err(Full) => End::Limit(Limit::Memory),
    };
    let coverage: Coverage = totals.counts.coverage_of(totals.found, memory.peak(), totals.state_bytes);
    let profile = SearchProfile { threads: scope.budget.threads.max(1), phases: team.phases(), counts };
    let exploration = Exploration {
        end,
        coverage,
        findings: findings.into_list(),
        partial: totals.counts.partial,
        profile: Some(profile),
        labels: Vec::new(),
    };
    (exploration, frontier)
}

/// With fewer states than this in a batch, one thread is faster than several.
const WORTH_SHARING: usize = 48;

/// A batch larger than the usual is at most one in so many of the states found.
const SMALL_PART: u64 = 256;

#[derive(Default)]
struct Totals {
    counts: Counts,
    /// How many states were found, and how many of them were visited.
    found: u64,
    visited: u64,
    /// How many bytes the visited ones have.
    state_bytes: u64,
    /// How many batches there were, and how often all keys were made anew.
    batches: u64,
    rebuilds: u64,
}

/// A batch whose successors are known, and not noted yet.
struct Pending {
    batch: Batch,
    blocks: Vec<Block>,
    /// How many blocks are in use.
    count: usize,
}

struct Search<'a, S: ?Sized> {
    space: &'a S,
    /// Leaves out steps, if that is wanted; not there while it is at work.
    reduced: Option<Reduced<'a>>,
    goals: &'a [Goal],
    scope: SearchScope<'a>,
    memory: &'a Memory,
    components: Components,
    blank: Blank,
    keys: KeySet,
    /// Whether it is known how keys are best divided.
    learned: bool,
    /// What is left of making keys anew, if a limit has ended that.
    renewal: Option<Renewal>,
    /// Whether keys may have been lost, or no longer tell their states: there was no room for a change.
    damaged: bool,
    tree: Tree,
    next: Level,
    workers: Vec<Worker<'a>>,
    remembered: Remembered,
    team: &'a Team,
    blocks: Vec<Block>,
    /// How often blocks were filled: what they hold from before is worth nothing.
    round: u64,
    /// What is noted while successors of other states are found; and its blocks, after that.
    pending: Option<Pending>,
    spare: Vec<Block>,
    totals: Totals,
    findings: Findings,
    /// When a level ends with more states than this, others go on with it; and that level, then.
    hand_over_at: u64,
    handed_over: Option<Vec<u64>>,
}

impl<'a, S: StateSpace + ?Sized> Search<'a, S> {
    fn new(
        space: &'a S,
        reduction: Option<&'a Reduction<'a>>,
        goals: &'a [Goal],
        scope: &SearchScope<'a>,
        memory: &'a Memory,
        team: &'a Team,
    ) -> Result<Self, Full> {
        let threads = scope.budget.threads.max(1);
        Ok(Search {
            space,
            reduced: reduction.map(Reduced::new),
            goals,
            scope: *scope,
            memory,
            components: Components::new(memory)?,
            blank: Blank::default(),
            keys: KeySet::new(memory)?,
            learned: false,
            renewal: None,
            damaged: false,
            tree: Tree::default(),
            next: Level::new(space.hidden_bytes(), scope.budget.memory),
            workers: (0..threads).map(|_| Worker::new(reduction, threads)).collect(),
            remembered: Remembered::default(),
            team,
            blocks: Vec::new(),
            round: 0,
            pending: None,
            spare: Vec::new(),
            totals: Totals::default(),
            findings: Findings::default(),
            hand_over_at: u64::MAX,
            handed_over: None,
        })
    }

    fn run(&mut self) -> Result<(), End> {
        let mut level = match self.resume()? {
            Some(level) => level,
            None => self.begin()?,
        };
        self.begin_level().map_err(full)?;
        loop {
            while let Some(mut batch) = level.pop_front() {
                if self.is_decided() || self.is_enough() {
                    return Err(End::Enough);
                }
                if let Err(stopped) = self.visit(&mut batch, &mut level) {
                    level.push_front(batch);
                    self.save_stopped(stopped.undone, &level);
                    return Err(stopped.end);
                }
                match &mut self.pending {
                    Some(pending) => pending.batch = batch,
                    None => batch.release(self.memory),
                }
                if self.scope.checkpoints.is_some_and(Checkpoints::is_due) {
                    self.save(&level, &FxHashSet::default());
                }
            }
            self.append_pending()?;
            if self.next.is_empty() {
                return Ok(());
            }
            self.totals.counts.depth += 1;
            self.set_batch_states();
            level = self.next.take();
            if self.is_to_be_handed_over() {
                self.handed_over = Some(level.iter().flat_map(|batch| batch.keys.iter().copied()).collect());
                return Err(End::Enough);
            }
            self.begin_level().map_err(full)?;
        }
    }

    /// Returns whether others go on with the next level: there are enough states, and each key tells its own.
    fn is_to_be_handed_over(&self) -> bool {
        let is_whole = self.renewal.is_none() && !self.damaged && self.space.hidden_bytes() == 0;
        is_whole && self.totals.found > self.hand_over_at
    }

    /// Returns whether there is nothing to look for that would end the search, and nobody to go on with it.
    fn visits_all(&self) -> bool {
        let SearchScope { states, transitions, checkpoints, .. } = self.scope;
        let is_limited = states.min(transitions) != u64::MAX || checkpoints.is_some();
        self.workers.len() > 1 && self.reduced.is_none() && self.goals.is_empty() && !is_limited
    }

    /// Decides how many states a batch may have. Many threads wait less for each other where batches are
    /// large, which matters to nothing else if every state is visited.
    fn set_batch_states(&mut self) {
        if !self.visits_all() {
            return;
        }
        let least = Level::batch_states(self.scope.budget.memory);
        let most = least * (self.workers.len() / 4).clamp(1, 8);
        self.next.set_most(((self.totals.found / SMALL_PART) as usize).clamp(least, most));
    }

    /// Tells the reduction which states have been found at the next distance.
    fn begin_level(&mut self) -> Result<(), Full> {
        let Some(reduced) = &mut self.reduced else { return Ok(()) };
        let found = self.next.batches_mut().flat_map(|batch| batch.keys.iter().copied());
        reduced.begin(found, self.memory)
    }

    /// Finds the first level.
    fn begin(&mut self) -> Result<VecDeque<Batch>, End> {
        let (initial, violations) = match self.space.initial() {
            Ok(initial) => initial,
            Err(fault) => {
                self.findings.add(&[fault], Run::default);
                return Err(End::Fault);
            }
        };
        self.findings.add(&violations, Run::default);
        self.start(&initial).map_err(End::Limit)?;
        Ok(self.next.take())
    }

    fn start(&mut self, initial: &[u8]) -> Result<(), Limit> {
        let key = self.key(initial)?;
        let hidden = &initial[initial.len() - self.space.hidden_bytes()..];
        self.keys.insert(key, self.memory)?;
        self.next.extend(&[key], hidden, self.memory)?;
        self.totals.found = 1;
        Ok(())
    }

    /// Returns the key of a state.
    fn key(&mut self, state: &[u8]) -> Result<u64, Limit> {
        let mut parts = Vec::new();
        self.space.parts(state, &mut parts);
        let visible = &state[..state.len() - self.space.hidden_bytes()];
        loop {
            match self.components.add(visible, &parts, &mut self.blank, self.memory) {
                Ok(key) => return Ok(key),
                Err(Stop::Grow) => self.make_room(Vec::new())?,
                Err(Stop::Full) => return Err(Limit::Memory),
            }
        }
    }

    /// Learns from the states found so far how they are best cut, and makes all keys anew.
    fn learn(&mut self, batch: &mut Batch, level: &mut VecDeque<Batch>) -> Result<(), Limit> {
        self.learned = true;
        let learned = || self.components.learned(self.keys.iter(), self.totals.found, self.memory);
        let components = self.team.alone(Activity::Learn, learned)?;
        self.renew(components, live(batch, level))?;
        Ok(self.begin_level()?)
    }

    fn progress(&self) -> Progress {
        let Totals { counts, found, .. } = &self.totals;
        let memory = self.memory.used();
        Progress { states: *found, transitions: counts.transitions, depth: counts.depth, memory }
    }

    fn is_enough(&self) -> bool {
        self.totals.found > self.scope.states || self.totals.counts.generated > self.scope.transitions
    }

    fn is_decided(&self) -> bool {
        let states = self.totals.found;
        let is_decided = |goal: &Goal| {
            goal.patience.is_some_and(|patience| states > patience) || self.findings.answers(&goal.question)
        };
        !self.goals.is_empty() && self.goals.iter().all(is_decided)
    }

    /// Visits the states of a batch. The level is what comes after it.
    fn visit(&mut self, batch: &mut Batch, level: &mut VecDeque<Batch>) -> Result<(), Stopped> {
        if self.totals.found >= self.scope.learn_from && !self.learned {
            self.learn(batch, level).map_err(End::Limit)?;
        }
        self.totals.batches += 1;
        if self.remembered.is_full() {
            self.remembered.forget_steps();
        }
        if let Some(mut reduced) = self.reduced.take() {
            let result = self.visit_some(batch, level, &mut reduced);
            self.reduced = Some(reduced);
            return result;
        }
        let threads = if batch.keys.len() < WORTH_SHARING { 1 } else { self.workers.len() };
        let (states, size) = (batch.keys.len(), Block::size_for(batch.keys.len(), threads));
        let count = self.provide_blocks(states.div_ceil(size)).map_err(full)?;
        while let Err(limit) = self.expand(batch, size, threads) {
            match limit {
                Some(limit) => return Err(End::Limit(limit).into()),
                None if self.components.is_cramped() => {
                    self.make_room(live(batch, level)).map_err(End::Limit)?;
                    self.provide_blocks(count).map_err(full)?;
                }
                None => self.grow().map_err(full)?,
            }
        }
        let merged = self.merge(states, count, threads, Activity::Probe);
        let blocks = || self.blocks[..count].iter();
        if let Err(reason) = merged.and_then(|()| self.ensure_room(blocks())) {
            return Err(Stopped { end: full(reason), undone: self.new_keys(blocks()) });
        }
        if self.learned && self.visits_all() {
            let blocks = std::mem::replace(&mut self.blocks, std::mem::take(&mut self.spare));
            self.pending = Some(Pending { batch: Batch::default(), blocks, count });
            return Ok(());
        }
        let team = self.team;
        let appended = team.alone(Activity::Append, || self.append(batch, count));
        appended.map_err(|end| Stopped { end, undone: None })
    }

    /// Makes room for more components.
    fn grow(&mut self) -> Result<(), Full> {
        self.workers.iter_mut().for_each(Worker::forget_keys);
        self.team.alone(Activity::Grow, || self.components.grow(self.memory))
    }

    /// Makes sure that there are so many blocks; what they hold is worth nothing from now on.
    fn provide_blocks(&mut self, count: usize) -> Result<usize, Full> {
        self.round += 1;
        Block::provide(count, &mut self.blocks, self.memory)?;
        Ok(count)
    }

    /// Finds the successors, in blocks of so many states; the error is `None` if components need room first.
    /// Meanwhile, what is pending is noted.
    fn expand(&mut self, batch: &Batch, size: usize, threads: usize) -> Result<(), Option<Limit>> {
        let count = batch.keys.len().div_ceil(size);
        let progress = self.progress();
        let mixer = Block::are_many(batch.keys.len(), threads).then(|| self.keys.mixer());
        let (space, components, memory) = (self.space, &self.components, self.memory);
        let turn = Turn { round: self.round, size, mixer };
        let task = Task::new(space, components, &self.remembered, turn, batch, memory, &self.scope, progress);
        let (workers, blocks) = (&mut self.workers[..threads], &mut self.blocks[..count]);
        let pending = self.pending.take();
        let mut appended = Ok(());
        let mut notes = Notes::of(&mut self.tree, &mut self.next, &mut self.totals, &mut self.findings);
        let first = || {
            if let Some(Pending { batch, blocks, count }) = &pending {
                appended = notes.append(&blocks[..*count], batch, space, components, memory);
            }
        };
        let mut jobs: Vec<_> = blocks.iter_mut().enumerate().collect();
        self.team.share_after(Activity::Expand, first, workers, &mut jobs, |worker, (number, block)| {
            task.visit(worker, *number, block);
        });
        let result = task.result();
        if let Some(pending) = pending {
            self.put_aside(pending);
        }
        // There was no room.
        appended.map_err(|_| Some(Limit::Memory))?;
        result
    }

    /// Finds out which of the successors are new.
    fn merge(&mut self, states: usize, count: usize, threads: usize, activity: Activity) -> Result<(), Full> {
        let largest = self.blocks[..count]
            .iter()
            .fold((0, 0), |(left, right), block| (left.max(block.largest.0), right.max(block.largest.1)));
        let largest = u64::from(largest.0) << 32 | u64::from(largest.1);
        let is_sorted = Block::are_many(states, threads);
        if self.keys.make_fit(largest, self.memory)? && is_sorted {
            let mixer = self.keys.mixer();
            for block in &mut self.blocks[..count] {
                block.sort(mixer, self.memory)?;
            }
        }
        let (blocks, memory) = (&mut self.blocks[..count], self.memory);
        if !is_sorted {
            return self.team.alone(activity, || {
                blocks.iter_mut().try_for_each(|block| {
                    block.merge_alone(&mut self.keys, memory)?;
                    block.gather(memory)
                })
            });
        }
        let workers = &mut self.workers[..threads];
        let mut results = vec![Ok(()); self.keys.partitions_mut().len()];
        let mut jobs: Vec<_> = self.keys.partitions_mut().iter_mut().zip(&mut results).enumerate().collect();
        let shared = &*blocks;
        self.team.share(activity, workers, &mut jobs, |_, (number, (partition, result))| {
            **result = Block::merge(shared, *number, partition, memory);
        });
        let merged = results.into_iter().collect();
        let mut jobs: Vec<_> = blocks.iter_mut().map(|block| (block, Ok(()))).collect();
        let activity = if activity == Activity::Probe { Activity::Gather } else { activity };
        self.team.share(activity, workers, &mut jobs, |_, (block, result)| {
            block.collect();
            *result = block.gather(memory);
        });
        jobs.into_iter().fold(merged, |before, (_, result)| before.and(result))
    }

    /// Notes what was found, in order.
    fn append(&mut self, batch: &Batch, count: usize) -> Result<(), End> {
        let blocks = std::mem::take(&mut self.blocks);
        let (space, components, memory) = (self.space, &self.components, self.memory);
        let mut notes = Notes::of(&mut self.tree, &mut self.next, &mut self.totals, &mut self.findings);
        let appended = notes.append(&blocks[..count], batch, space, components, memory);
        self.blocks = blocks;
        appended
    }

    /// Notes what was found last, if that has not been done yet.
    fn append_pending(&mut self) -> Result<(), End> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        let (space, components, memory) = (self.space, &self.components, self.memory);
        let mut notes = Notes::of(&mut self.tree, &mut self.next, &mut self.totals, &mut self.findings);
        let appended = self.team.alone(Activity::Append, || {
            notes.append(&pending.blocks[..pending.count], &pending.batch, space, components, memory)
        });
        self.put_aside(pending);
        appended
    }

    /// Keeps what is left of a batch whose successors were noted.
    fn put_aside(&mut self, pending: Pending) {
        pending.batch.release(self.memory);
        self.spare = pending.blocks;
    }
}

/// Where successors are noted.
struct Notes<'n> {
    tree: &'n mut Tree,
    next: &'n mut Level,
    totals: &'n mut Totals,
    findings: &'n mut Findings,
}

impl<'n> Notes<'n> {
    fn of(
        tree: &'n mut Tree,
        next: &'n mut Level,
        totals: &'n mut Totals,
        findings: &'n mut Findings,
    ) -> Notes<'n> {
        Notes { tree, next, totals, findings }
    }

    /// Notes the successors of a batch.
    fn append<S: StateSpace + ?Sized>(
        &mut self,
        blocks: &[Block],
        batch: &Batch,
        space: &S,
        components: &Components,
        memory: &Memory,
    ) -> Result<(), End> {
        let Totals { counts, found, visited, state_bytes, .. } = &mut *self.totals;
        let first = *visited;
        for block in blocks {
            self.tree.append(&block.twigs, memory).map_err(full)?;
            self.next.extend(&block.fresh, &block.fresh_hidden, memory).map_err(full)?;
            *found += block.fresh.len() as u64;
            *visited += block.visited() as u64;
            *state_bytes += block.state_bytes;
            counts.generated += block.targets.len() as u64;
            counts.transitions += block.transitions;
            let tree = &*self.tree;
            let run = |state: u32, choice: Option<u32>| {
                let mut choices = tree.choices_to(first + u64::from(state));
                choices.extend(choice);
                Run { choices }
            };
            block.report(space, components, batch, &run, self.findings);
        }
        Ok(())
    }
}

/// Returns the keys of a batch, and of those that come after it.
fn live<'b>(batch: &'b mut Batch, level: &'b mut VecDeque<Batch>) -> Vec<&'b mut u64> {
    std::iter::once(batch).chain(level).flat_map(|batch| &mut batch.keys).collect()
}

fn full(_: Full) -> End {
    End::Limit(Limit::Memory)
}
