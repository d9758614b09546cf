//! What the processes of one state do, and which bits decide about that: many states at a time, on all
//! threads.
//!
//! The evaluator does the steps, and is watched meanwhile: what it has read or overwritten is what decides.
//! Where a process has several ways on that do not depend on each other, each is watched by itself. Nothing
//! here changes what is known, so threads need not agree on anything.

use std::ops::ControlFlow;

use narrows_gpu::Key;
use narrows_model::{
    Evaluator, Expansion, Expr, Limit, Outline, Partner, ProcessOutline, Progress, Scratch, StateSpace,
    StepPart, Successor,
};
use rustc_hash::FxHashMap;

use super::batches::{self, in_batches};
use super::encoding::Encoding;
use crate::Budget;
use crate::reduction::{ReadSets, is_else};
use crate::search::Counts;

/// Where a process is: its number, its kind, and its location.
pub(super) type Position = (u32, u16, u16);

/// What a node is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) process: u32,
    /// What of it, if it is the branch of a fork.
    pub(super) part: Option<StepPart>,
}

/// What was found out about a state.
#[derive(Debug)]
pub(super) enum Seen {
    /// Its components are not known.
    UnknownLayout(Vec<u8>),
    /// The process is not there.
    Absent,
    /// The process is there, and these are the parts of what it does; a single one if it was asked for, or if
    /// they are not told apart.
    Present { position: Position, parts: Vec<StepPart>, ways: Vec<Way> },
    /// This is what happens where no process can move, or nothing where an invariant holds.
    Other(Way),
}

/// What a process may do, and the bits that decide: of the process itself, and all of them.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) rounds: [Key; 2],
    pub(super) steps: Option<Vec<Target>>,
}

impl Seen {
    /// Returns the states that have no key yet, and are to have one.
    pub(super) fn new_states(&self) -> impl Iterator<Item = &[u8]> {
        let ways = match self {
            Seen::Present { ways, .. } => ways.as_slice(),
            Seen::Other(way) => std::slice::from_ref(way),
            Seen::UnknownLayout(_) | Seen::Absent => &[],
        };
        ways.iter().flat_map(|way| way.steps.iter().flatten()).filter_map(|target| match target {
            Target::New(state) => Some(state.as_slice()),
            Target::Flip(_) => None,
        })
    }
}

/// Where a step leads.
#[derive(Debug)]
pub(super) enum Target {
    /// To a state that differs in these bits.
    Flip(Key),
    /// To a state that has no key yet.
    New(Vec<u8>),
}

/// Looks at states.
pub(super) struct Observer<'o, 's> {
    pub(super) evaluator: Evaluator<'s>,
    pub(super) read_sets: &'o ReadSets<'s>,
    pub(super) encoding: &'o Encoding,
    /// The parts in which the steps of a process are found at a location, where that was decided.
    pub(super) splits: &'o FxHashMap<Position, Vec<StepPart>>,
    pub(super) invariants: &'o [Expr],
    pub(super) budget: &'o Budget,
    pub(super) progress: Progress,
}

/// What a thread needs for it.
struct Worker {
    scratch: Scratch,
    outline: Outline,
    state: Vec<u8>,
    counts: Counts,
}

impl batches::Worker for Worker {
    fn counts(&self) -> &Counts {
        &self.counts
    }
}

/// Where steps depend on more bits than this, it is worth while to look at every edge by itself.
const MANY_BITS: u32 = 12;

impl Observer<'_, '_> {
    /// Looks at states: at what the owner of a node does in the state of a key. The answers are in the order
    /// of what is asked; transitions that were taken are added to the counts.
    pub(super) fn look(&self, asked: &[(Owner, Key)], counts: &mut Counts) -> Result<Vec<Seen>, Limit> {
        in_batches(asked.len(), (self.budget, &self.progress), counts, Worker::new, |number, worker| {
            let (owner, key) = asked[number];
            self.look_at(owner, key, worker)
        })
    }

    fn look_at(&self, owner: Owner, key: Key, worker: &mut Worker) -> Result<Seen, Limit> {
        self.encoding.decode(key, &mut worker.state);
        self.evaluator.outline(&worker.state, &mut worker.outline);
        if !self.encoding.knows_layout(&worker.outline) {
            return Ok(Seen::UnknownLayout(std::mem::take(&mut worker.state)));
        }
        if let Some(other) = (owner.process as usize).checked_sub(self.encoding.processes()) {
            return match self.invariants.get(other) {
                Some(invariant) => Ok(Seen::Other(self.invariant(invariant, &worker.state))),
                None => self.idle(key, worker).map(Seen::Other),
            };
        }
        let Some(process) = worker.outline.processes.get(owner.process as usize).copied() else {
            return Ok(Seen::Absent);
        };
        let position = (owner.process, process.proctype.0, process.location.0);
        let way = |part: StepPart, worker: &mut Worker| self.way(owner.process, part, &process, key, worker);
        if let Some(part) = owner.part {
            return Ok(Seen::Present { position, parts: vec![part], ways: vec![way(part, worker)?] });
        }
        let parts = match self.splits.get(&position) {
            Some(parts) => parts.clone(),
            None => {
                let whole = StepPart::default();
                let together = way(whole, worker)?;
                if self.encoding.count_in_use(together.rounds[1]) <= MANY_BITS || !self.may_split(&process) {
                    return Ok(Seen::Present { position, parts: vec![whole], ways: vec![together] });
                }
                self.parts(owner.process as usize, &process, &worker.state)
            }
        };
        let ways = parts.iter().map(|part| way(*part, worker)).collect::<Result<_, _>>()?;
        Ok(Seen::Present { position, parts, ways })
    }

    /// Divides what a process does at a location: by its edges, and those that hold something out in a
    /// rendezvous by who takes it. Each of all these looks at less than the whole.
    fn parts(&self, pid: usize, process: &ProcessOutline, state: &[u8]) -> Vec<StepPart> {
        let proctype = self.evaluator.system().proctype(process.proctype);
        let mut parts = Vec::new();
        for (number, edge) in (0..).zip(&proctype.location(process.location).edges) {
            let part = |partner| StepPart { edge: Some(number), partner };
            let transition = proctype.transition(edge.transition);
            match self.read_sets.partners(state, (pid, transition), self.encoding.layout() == 0) {
                None => parts.push(part(Partner::Anybody)),
                Some(partners) => {
                    parts.push(part(Partner::Nobody));
                    let partners = partners
                        .into_iter()
                        .take_while(|partner| usize::from(*partner) < self.encoding.processes());
                    parts.extend(partners.map(|partner| part(Partner::Only(partner))));
                }
            }
        }
        parts
    }

    /// Returns whether none of the edges here depends on the others.
    fn may_split(&self, process: &ProcessOutline) -> bool {
        let proctype = self.evaluator.system().proctype(process.proctype);
        let edges = &proctype.location(process.location).edges;
        let depends = |edge: &narrows_model::Edge| {
            edge.escape > 0 || is_else(&proctype.transition(edge.transition).statement)
        };
        !edges.is_empty() && !proctype.deterministic && !edges.iter().any(depends)
    }

    /// Evaluates what a process does in a state, or a part of that.
    fn way(
        &self,
        process: u32,
        part: StepPart,
        outline: &ProcessOutline,
        key: Key,
        worker: &mut Worker,
    ) -> Result<Way, Limit> {
        let Worker { scratch, state, counts, .. } = worker;
        let mut steps = Steps::default();
        let log = self.evaluator.successors_reading(
            (process as usize, part),
            state,
            scratch,
            &mut self.collect(key, &mut steps, counts),
        );
        if let Some(limit) = steps.limit {
            return Err(limit);
        }
        let local_bytes = self.evaluator.system().proctype(outline.proctype).local_bytes as usize;
        let own = outline.start..outline.locals + local_bytes;
        let mut rounds = [self.encoding.layout(), 0];
        for byte in log.bytes() {
            rounds[usize::from(!own.contains(&byte))] |= self.encoding.bits_of(byte);
        }
        rounds[1] |= rounds[0];
        Ok(Way { rounds, steps: steps.known() })
    }

    /// Evaluates an invariant: where it does not hold, the host must see to it.
    fn invariant(&self, invariant: &Expr, state: &[u8]) -> Way {
        let (holds, log) = self.evaluator.holds_reading(invariant, state);
        let layout = self.encoding.layout();
        let all = log.bytes().fold(layout, |mask, byte| mask | self.encoding.bits_of(byte));
        Way { rounds: [layout, all], steps: matches!(holds, Ok(true)).then(Vec::new) }
    }

    /// Evaluates what happens where no process can move.
    fn idle(&self, key: Key, worker: &mut Worker) -> Result<Way, Limit> {
        let Worker { scratch, state, counts, .. } = worker;
        let found = self.read_sets.idle_rounds(state);
        let mut rounds = [self.encoding.layout(), 0];
        for (number, bytes) in found.bytes.iter().enumerate() {
            rounds[usize::from(number > 0)] |=
                bytes.iter().fold(0, |mask, bytes| mask | self.encoding.bits_for(bytes));
        }
        rounds[1] |= rounds[0];
        if !found.is_known {
            return Ok(Way { rounds, steps: None });
        }
        let mut steps = Steps::default();
        let expansion = self.evaluator.successors(state, scratch, &mut self.collect(key, &mut steps, counts));
        let is_deadlock = expansion == Expansion::Deadlock;
        match steps.limit {
            Some(limit) => Err(limit),
            None => Ok(Way { rounds, steps: if is_deadlock { None } else { steps.known() } }),
        }
    }

    /// Returns who takes note of successors.
    fn collect<'c>(
        &'c self,
        key: Key,
        steps: &'c mut Steps,
        counts: &'c mut Counts,
    ) -> impl FnMut(Successor<'_>) -> ControlFlow<()> + 'c {
        move |successor| {
            if successor.pulse.is_some() {
                steps.limit =
                    counts.pulse(&successor, self.budget, self.progress.states, self.progress.memory);
                return if steps.limit.is_some() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                };
            }
            counts.mark(&successor);
            match (successor.target, successor.violations) {
                (Some(target), []) => steps.targets.push(match self.encoding.key(target) {
                    Ok(target) => Target::Flip(target ^ key),
                    Err(_) => Target::New(target.to_vec()),
                }),
                _ => steps.is_special = true,
            }
            ControlFlow::Continue(())
        }
    }
}

/// The steps of a process.
#[derive(Default)]
struct Steps {
    targets: Vec<Target>,
    is_special: bool,
    limit: Option<Limit>,
}

impl Steps {
    /// Returns them, unless the host must expand the state.
    fn known(self) -> Option<Vec<Target>> {
        (!self.is_special).then_some(self.targets)
    }
}

impl Worker {
    fn new() -> Worker {
        Worker {
            scratch: Scratch::with_pulses(),
            outline: Outline::default(),
            state: Vec::new(),
            counts: Counts::default(),
        }
    }
}
