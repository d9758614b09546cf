//! Breadth-first search by several workers.
//!
//! A state belongs to the worker that its hash chooses. A round expands one level: each worker expands its
//! own states, keeps the successors that are its own, and sends the others. When the round is over, the next
//! level is complete everywhere. At the end of a round everybody tells everybody what came of it
//! ([`Summary`]), so that all decide the same about what comes next: nobody leads.
//!
//! Where something goes wrong, `marks.rs` finds the run that one machine would show.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use narrows_explicit::{Budget, End, Goal, NumberedStates, Progress};
use narrows_graph::varint;
use narrows_model::{Expansion, Limit, Move, Question, Scratch, StateSpace, Successor, Violation};
use rustc_hash::FxHashMap;

use crate::ledger::{Cause, Ledger, Shown, read_bytes, write_bytes};
use crate::marks::{Search, Target};
use crate::outgoing::{BlockKind, Outgoing};
use crate::part::{Cut, Parts};
use crate::recent::{Recent, hash, owner};
use crate::rounds::{Member, Work};
use crate::summary::{Summary, Totals, read_limit, write_limit};

/// What is searched, and how far.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) space: &'a dyn StateSpace,
    pub(crate) goals: &'a [Goal],
    pub(crate) budget: &'a Budget,
    /// At most this many states.
    pub(crate) states: u64,
    /// How many workers share the memory of the budget.
    pub(crate) share: u64,
    /// Who keeps what is needed to go on later.
    pub(crate) parts: Option<&'a dyn Parts>,
}

/// What all do in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing yet.
    Start,
    /// They expand a level.
    Level,
    /// They save what they have.
    Save,
    /// They ask which states of this level lead to marked ones, and hear it.
    Ask(u32),
    Answer(u32),
    /// One of them follows the marks from this level, and hears where they lead.
    Step(u32),
    Hear(u32),
    /// It tells all which runs it has found.
    Tell,
    /// They tell what they have counted.
    Totals,
    /// They end.
    Over,
}

/// One worker's part of the search.
pub(crate) struct Explorer<'a> {
    pub(crate) task: Task<'a>,
    pub(crate) states: NumberedStates,
    /// Where the numbers of each level begin, and where the last one ends.
    starts: Vec<u32>,
    level: u32,
    /// The next state to be expanded.
    pub(crate) next: u32,
    pub(crate) stage: Stage,
    scratch: Scratch,
    bytes: Vec<u8>,
    recent: Recent,
    pub(crate) ledger: Ledger,
    pub(crate) counted: Totals,
    /// What was told at the end of the last round, by each worker.
    summaries: Vec<Option<Summary>>,
    pub(crate) totals: Vec<Option<Totals>>,
    /// The first level of each cause, as all know it.
    pub(crate) causes: BTreeMap<Cause, u32>,
    /// How many states all have expanded.
    pub(crate) expanded: u64,
    /// Why this worker must stop, or has heard that it must.
    stop: Option<Limit>,
    /// Whether the others know.
    stop_is_told: bool,
    /// How the search ended, once that is known.
    pub(crate) end: Option<End>,
    pub(crate) search: Search,
    pub(crate) shown: BTreeMap<Cause, Shown>,
    pub(crate) marks: FxHashMap<u32, u64>,
    saving: Saving,
}

/// How far saving is.
#[derive(Clone, Copy, Debug, Default)]
struct Saving {
    /// Whether somebody wants to save, and whether all have.
    is_due: bool,
    are_saved: bool,
    /// Whether this worker has.
    is_saved: bool,
}

/// About so many edges are followed before it is looked what has arrived.
const EDGES: u64 = 2048;

/// What is told of a step in which something goes wrong, or that leads to a state.
pub(crate) struct Edge<'e> {
    pub(crate) choice: u32,
    pub(crate) moves: &'e [Move],
    pub(crate) violations: &'e [Violation],
    pub(crate) label: &'e [u8],
    pub(crate) target: Option<&'e [u8]>,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(task: Task<'a>, peers: usize) -> Result<Self, Limit> {
        Ok(Explorer {
            task,
            states: NumberedStates::new(task.budget.memory / task.share)?,
            starts: vec![0],
            level: 0,
            next: 0,
            stage: Stage::Start,
            scratch: Scratch::with_pulses(),
            bytes: Vec::new(),
            recent: Recent::new(),
            ledger: Ledger::default(),
            counted: Totals::default(),
            summaries: vec![None; peers],
            totals: vec![None; peers],
            causes: BTreeMap::new(),
            expanded: 0,
            stop: None,
            stop_is_told: false,
            end: None,
            search: Search::default(),
            shown: BTreeMap::new(),
            marks: FxHashMap::default(),
            saving: Saving::default(),
        })
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Returns the level that was expanded last, or is.
    pub(crate) fn level(&self) -> u32 {
        self.level
    }

    /// Returns the numbers of the states of a level.
    pub(crate) fn numbers(&self, level: u32) -> std::ops::Range<u32> {
        let start = |level: u32| self.starts.get(level as usize).copied();
        let end = self.states.len() as u32;
        start(level).unwrap_or(end)..start(level + 1).unwrap_or(end)
    }

    /// Adds a state that belongs to this worker.
    pub(crate) fn add(&mut self, state: &[u8]) {
        if self.stop.is_some() {
            return;
        }
        let watch = &self.task.budget.watch;
        let look_up = || watch.check(&Progress::default());
        if let Err(limit) = self.states.insert(self.task.space, state, &look_up) {
            self.stop = Some(limit);
        }
    }

    /// Returns how many bytes are in use beside the states.
    fn others(&self, out: &Outgoing) -> u64 {
        self.recent.memory() + self.ledger.memory() + out.memory() + self.marks.capacity() as u64 * 16
    }

    /// Looks at the limits.
    pub(crate) fn look_up(&mut self, out: &Outgoing) {
        let others = self.others(out);
        let most = self.task.budget.memory / self.task.share;
        self.states.set_limit(most.saturating_sub(others));
        let memory = self.states.memory() + others;
        self.counted.memory = self.counted.memory.max(self.states.peak() + others);
        if self.stop.is_some() {
            return;
        }
        let progress = Progress {
            states: self.expanded + self.states.len(),
            transitions: self.counted.transitions,
            depth: u64::from(self.level),
            memory,
        };
        self.stop = if memory > most { Some(Limit::Memory) } else { self.task.budget.watch.check(&progress) };
    }

    /// Shows all steps of a state to a visitor, which may break off.
    pub(crate) fn expand(
        &mut self,
        state: &[u8],
        visit: &mut dyn FnMut(&mut Self, &Edge<'_>) -> ControlFlow<()>,
    ) -> Option<Expansion> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let space = self.task.space;
        let mut choice = 0;
        let mut broken = false;
        let expansion = space.successors(state, &mut scratch, &mut |step: Successor<'_>| {
            if step.pulse.is_some() {
                self.counted.taken.mark(step.moves);
                self.stop = self.stop.or_else(|| self.task.budget.watch.check(&Progress::default()));
                broken = self.stop.is_some();
                return if broken { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            let (moves, violations, label, target) = (step.moves, step.violations, step.label, step.target);
            let edge = Edge { choice, moves, violations, label, target };
            choice += 1;
            let flow = visit(self, &edge);
            broken |= flow.is_break();
            flow
        });
        self.scratch = scratch;
        (!broken).then_some(expansion)
    }

    /// Expands some states of the level.
    fn work_on_level(&mut self, out: &mut Outgoing) -> Work {
        let range = self.numbers(self.level);
        let before = self.counted.edges;
        while self.next < range.end && self.stop.is_none() {
            if self.counted.edges - before >= EDGES {
                self.look_up(out);
                return Work::More;
            }
            if !out.has_room() {
                return Work::Waits;
            }
            let number = self.next;
            self.next += 1;
            let mut bytes = std::mem::take(&mut self.bytes);
            bytes.clear();
            bytes.extend_from_slice(self.states.get(number));
            self.expand_state(number, &bytes, out);
            self.bytes = bytes;
        }
        self.look_up(out);
        self.end_round(out, u64::from(range.end.saturating_sub(range.start)));
        Work::Done
    }

    fn expand_state(&mut self, number: u32, state: &[u8], out: &mut Outgoing) {
        let level = self.level;
        let expansion = self.expand(state, &mut |this, edge| {
            this.counted.edges += 1;
            if this.counted.edges.is_multiple_of(EDGES) {
                // A state may have more successors than there is memory for.
                this.look_up(out);
            }
            this.counted.taken.mark(edge.moves);
            this.ledger.note_step(edge.violations, level, number);
            if !edge.label.is_empty() {
                this.ledger.note_label(edge.label, level, number);
            }
            if let Some(target) = edge.target {
                this.counted.transitions += 1;
                this.pass_on(target, out);
            }
            if this.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.counted.state_bytes += state.len() as u64;
        self.counted.expanded += 1;
        if expansion == Some(Expansion::Deadlock) {
            let mut control = Vec::new();
            self.task.space.control(state, &mut control);
            self.ledger.note(Cause::Deadlock(control), 0, level, number);
        }
    }

    /// Gives a successor to its owner.
    fn pass_on(&mut self, target: &[u8], out: &mut Outgoing) {
        let hash = hash(target);
        if self.recent.meet(target, hash) {
            return;
        }
        let to = owner(hash, out.peers());
        if to == out.me() {
            self.add(target);
        } else {
            self.counted.sent += 1;
            write_bytes(target, out.block(to, BlockKind::States, 0));
        }
    }

    /// Lets the others stop at once, not at the end of the round.
    fn tell_stop(&mut self, out: &mut Outgoing) {
        if self.stop_is_told || matches!(self.stage, Stage::Totals | Stage::Over) {
            return;
        }
        if self.stop.is_some() {
            self.stop_is_told = true;
            let mut bytes = Vec::new();
            write_limit(self.stop, &mut bytes);
            out.tell_all(BlockKind::Stop, &bytes);
        }
    }

    /// Tells all what came of the round.
    pub(crate) fn end_round(&mut self, out: &mut Outgoing, size: u64) {
        let is_due = self.stage == Stage::Level && self.task.parts.is_some_and(Parts::is_due);
        let is_saved = std::mem::take(&mut self.saving.is_saved);
        let causes = std::mem::take(&mut self.ledger.news);
        let summary = Summary { limit: self.stop, size, causes, is_due, is_saved };
        let mut bytes = Vec::new();
        summary.write(&mut bytes);
        out.tell_all(BlockKind::Summary, &bytes);
    }

    /// Begins the next level, or what comes after the search.
    pub(crate) fn go_on(&mut self) {
        if self.end.is_some() {
            self.stage = Stage::Totals;
            return;
        }
        self.level += 1;
        self.next = self.numbers(self.level).start;
        self.stage = Stage::Level;
    }

    /// Decides what comes after a level of so many states.
    fn end_level(&mut self, size: u64) {
        self.starts.push(self.states.len() as u32);
        self.expanded += size;
        if size == 0 {
            // The level before was the last.
            self.end = Some(End::Complete);
            self.level = self.level.saturating_sub(1);
        } else if self.is_decided() || self.expanded > self.task.states {
            self.end = Some(End::Enough);
        }
        if self.saving.is_due && self.end.is_none() {
            self.stage = Stage::Save;
        } else {
            self.after_level();
        }
    }

    /// Decides what comes after a level, once it is saved if it was to be.
    fn after_level(&mut self) {
        let targets = self.targets();
        self.begin_search(targets);
    }

    /// Returns what all workers together are about to save, or have saved.
    fn cut(&self) -> Cut {
        Cut { level: self.level, workers: self.totals.len() }
    }

    fn save(&mut self, me: usize) {
        if let Some(parts) = self.task.parts {
            let cut = self.cut();
            self.saving.is_saved = parts.save(cut, me, &mut |output| self.write_part(output));
        }
    }

    /// Goes on where an earlier search was, if there was one and its parts can be read.
    fn resume(&mut self, me: usize, peers: usize) -> bool {
        let Some(parts) = self.task.parts else { return false };
        let Some(cut) = parts.earlier() else { return false };
        let result = self.read_parts(parts, cut, me, peers);
        let progress = Progress {
            states: self.expanded,
            transitions: self.counted.transitions,
            depth: u64::from(cut.level),
            memory: self.states.memory(),
        };
        if result.is_err() {
            // Nothing is searched, and whoever keeps the parts says why.
            self.stop = self.stop.or(Some(Limit::Interrupted));
        }
        parts.loaded(result.map(|()| progress).map_err(|error| error.to_string()));
        true
    }

    /// Begins where an earlier search was, or with the initial state.
    fn start(&mut self, out: &Outgoing) {
        if self.resume(out.me(), out.peers()) {
            if self.stop.is_none() {
                return self.after_level();
            }
            // The others hear of it at the end of a level without states.
            self.starts = Vec::new();
        } else if let Ok((initial, _)) = self.task.space.initial()
            && owner(hash(&initial), out.peers()) == out.me()
        {
            self.add(&initial);
        }
        self.end_of_level();
        self.stage = Stage::Level;
    }

    /// Notes that all states of a level are there.
    pub(crate) fn end_of_level(&mut self) {
        self.starts.push(self.states.len() as u32);
    }

    /// Takes a level as expanded.
    pub(crate) fn resume_at(&mut self, level: u32) {
        self.level = level;
    }

    fn is_decided(&self) -> bool {
        let is_decided = |goal: &Goal| {
            goal.patience.is_some_and(|patience| self.expanded > patience) || self.answers(&goal.question)
        };
        !self.task.goals.is_empty() && self.task.goals.iter().all(is_decided)
    }

    fn answers(&self, question: &Question) -> bool {
        self.causes.keys().any(|cause| cause.question() == *question)
    }

    /// Returns what runs are to be found for now: with goals, for the first of each that answers one;
    /// without, at the end, for all.
    fn targets(&self) -> Vec<Target> {
        if self.task.goals.is_empty() {
            let all = self.causes.iter().filter(|_| self.end == Some(End::Complete));
            let mut targets: Vec<Target> =
                all.map(|(cause, level)| Target { level: *level, causes: vec![cause.clone()] }).collect();
            targets.sort_by_key(|target| target.level);
            return targets;
        }
        let mut targets = Vec::new();
        for goal in self.task.goals {
            let causes = || self.causes.iter().filter(|(cause, _)| cause.question() == goal.question);
            let is_shown = causes().any(|(cause, _)| self.shown.contains_key(cause));
            let Some(first) = causes().map(|(_, level)| *level).min().filter(|_| !is_shown) else { continue };
            let causes = causes().filter(|(_, level)| **level == first).map(|(cause, _)| cause.clone());
            targets.push(Target { level: first, causes: causes.collect() });
        }
        targets
    }

    fn take_summaries(&mut self) -> (Option<Limit>, u64) {
        let (mut limit, mut size) = (None, 0);
        (self.saving.is_due, self.saving.are_saved) = (false, true);
        for slot in &mut self.summaries {
            let Some(summary) = slot.take() else { continue };
            self.saving.is_due |= summary.is_due;
            self.saving.are_saved &= summary.is_saved;
            limit = limit.or(summary.limit);
            size += summary.size;
            for cause in summary.causes {
                self.causes.entry(cause).or_insert(self.level);
            }
        }
        (limit, size)
    }

    fn receive_states(&mut self, block: &[u8]) -> Option<()> {
        let mut rest = block;
        varint::read(&mut rest)?;
        while !rest.is_empty() {
            let state = read_bytes(&mut rest)?;
            self.add(state);
        }
        Some(())
    }

    fn receive_told(&mut self, from: usize, kind: BlockKind, block: &[u8]) -> Option<()> {
        let mut rest = block;
        varint::read(&mut rest)?;
        match kind {
            BlockKind::Summary => *self.summaries.get_mut(from)? = Some(Summary::read(&mut rest)?),
            BlockKind::Totals => *self.totals.get_mut(from)? = Some(Totals::read(&mut rest)?),
            BlockKind::Runs => self.read_runs(rest)?,
            BlockKind::Stop => {
                let limit = read_limit(&mut rest).ok()??;
                self.stop_is_told = true;
                self.stop = self.stop.or(Some(limit));
            }
            _ => return None,
        }
        Some(())
    }
}

impl Member for Explorer<'_> {
    fn receive(&mut self, from: usize, kind: BlockKind, block: &[u8], out: &mut Outgoing) {
        let taken = match kind {
            BlockKind::States => self.receive_states(block),
            BlockKind::Ask => self.answer_ask(from, block, out),
            BlockKind::Marks => self.receive_marks(block),
            BlockKind::Step => self.answer_step(from, block, out),
            BlockKind::Steps => self.receive_steps(block),
            _ => self.receive_told(from, kind, block),
        };
        if taken.is_none() {
            // What another process sends can't be read: nothing that it says is worth anything.
            self.stop = self.stop.or(Some(Limit::HostLost));
        }
        self.tell_stop(out);
    }

    fn begin(&mut self, out: &mut Outgoing) {
        let (limit, size) = self.take_summaries();
        if let Some(limit) = limit.filter(|_| !matches!(self.stage, Stage::Totals | Stage::Over)) {
            self.end = Some(End::Limit(limit));
            self.stage = Stage::Totals;
            return;
        }
        match self.stage {
            Stage::Start => self.start(out),
            Stage::Level => self.end_level(size),
            Stage::Save => {
                if let Some(parts) = self.task.parts {
                    parts.saved(self.cut(), self.saving.are_saved);
                }
                self.after_level();
            }
            Stage::Totals => self.stage = Stage::Over,
            Stage::Over => {}
            _ => self.go_on_searching(),
        }
    }

    fn work(&mut self, out: &mut Outgoing) -> Work {
        let work = match self.stage {
            Stage::Level => self.work_on_level(out),
            Stage::Ask(level) => self.work_on_marks(level, out),
            Stage::Save => {
                self.save(out.me());
                self.end_round(out, 0);
                Work::Done
            }
            Stage::Totals => {
                self.look_up(out);
                self.tell_totals(out);
                Work::Done
            }
            Stage::Over => Work::Over,
            _ => {
                self.look_up(out);
                self.work_on_runs(out);
                self.end_round(out, 0);
                Work::Done
            }
        };
        self.tell_stop(out);
        work
    }
}
