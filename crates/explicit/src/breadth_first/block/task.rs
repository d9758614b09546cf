//! Visiting states: all threads share the task, and each fills blocks of its own.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_model::{Expansion, Limit, StateSpace, Successor};

use super::super::batch::Batch;
use super::super::reduced::successors;
use super::super::remembered::Remembered;
use super::{Block, Worker};
use crate::search::{WATCH_EVERY, work_of};
use crate::store::{Components, Memory, Mixer, NOWHERE, Stop, Wanted};
use crate::{Full, Progress, SearchScope};

/// So many of them are brought near to the processor at once.
const NEAR: usize = 16;

/// How a batch is visited.
#[derive(Clone, Copy, Debug)]
pub(in crate::breadth_first) struct Turn {
    /// What blocks hold from earlier rounds is worth nothing.
    pub(in crate::breadth_first) round: u64,
    /// How many states a block has.
    pub(in crate::breadth_first) size: usize,
    /// How keys are mixed, if they are to be put in order: what is few needs none.
    pub(in crate::breadth_first) mixer: Option<Mixer>,
}

/// What all threads that visit a batch share.
pub(in crate::breadth_first) struct Task<'a, S: ?Sized> {
    pub(super) space: &'a S,
    pub(super) components: &'a Components,
    turn: Turn,
    pub(super) remembered: &'a Remembered,
    pub(super) batch: &'a Batch,
    pub(super) memory: &'a Memory,
    pub(super) scope: &'a SearchScope<'a>,
    pub(super) progress: Progress,
    /// Whether all must stop, and why: a limit, or a table that must grow.
    stopped: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl<'a, S: StateSpace + ?Sized> Task<'a, S> {
    pub(in crate::breadth_first) fn new(
        space: &'a S,
        components: &'a Components,
        remembered: &'a Remembered,
        turn: Turn,
        batch: &'a Batch,
        memory: &'a Memory,
        scope: &'a SearchScope<'a>,
        progress: Progress,
    ) -> Self {
        let (stopped, limit) = (AtomicBool::new(false), Mutex::new(None));
        Task { space, components, turn, remembered, batch, memory, scope, progress, stopped, limit }
    }

    /// Says whether all blocks were visited; if not, `None` means that a table must grow.
    pub(in crate::breadth_first) fn result(self) -> Result<(), Option<Limit>> {
        let limit = self.limit.into_inner().unwrap_or(None);
        if self.stopped.into_inner() { Err(limit) } else { Ok(()) }
    }

    fn stop(&self, limit: Option<Limit>) {
        if let Ok(mut first) = self.limit.lock()
            && first.is_none()
        {
            *first = limit;
        }
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Visits the states of a block that have not been visited yet: the one with this number in its batch.
    pub(in crate::breadth_first) fn visit(&self, worker: &mut Worker<'_>, number: usize, block: &mut Block) {
        let Turn { round, size, mixer } = self.turn;
        // Keys met in a later block may be new in this one.
        if std::mem::replace(&mut worker.last, (round, number)) > (round, number) {
            worker.recent.forget();
        }
        if block.round != round {
            block.begin(round, number * size..self.batch.keys.len().min((number + 1) * size));
        } else if !block.starts.is_empty() {
            return;
        }
        block.hidden_bytes = self.space.hidden_bytes();
        while block.ends.len() < block.states.len() && !self.stopped.load(Ordering::Relaxed) {
            let state = block.states.start + block.ends.len();
            let remembers = worker.memo.is_on() && !worker.chooses() && block.hidden_bytes == 0;
            if block.ends.len().is_multiple_of(NEAR) && !remembers {
                let keys = &self.batch.keys[state..block.states.end.min(state + NEAR)];
                self.components.approach(keys);
            }
            let known = if remembers { self.recall(state, worker, block) } else { Ok(false) };
            let expanded =
                known.and_then(|known| if known { Ok(()) } else { self.expand(state, worker, block) });
            if let Err(limit) = expanded {
                return self.stop(limit);
            }
        }
        if block.ends.len() < block.states.len() {
            return;
        }
        // Where steps are left out, it matters for every successor whether it is still to be visited.
        let recent = (!worker.chooses()).then_some(&mut worker.recent);
        let mut finished = block.finish(self.components, recent, self.memory);
        worker.tally.looked_up += block.completed as u64;
        let probed = block.targets.iter().filter(|key| **key != NOWHERE).count() as u64;
        worker.tally.probed += probed;
        worker.tally.met += block.targets.len() as u64 - probed;
        if let Some(mixer) = mixer {
            finished = finished.and_then(|()| Ok(block.sort(mixer, self.memory)?));
        }
        if let Err(reason) = finished {
            self.stop(limit_of(reason));
        }
    }

    fn expand(&self, state: usize, worker: &mut Worker<'_>, block: &mut Block) -> Result<(), Option<Limit>> {
        worker.tally.expanded += 1;
        let Worker { picker, scratch, from, to, state: bytes, parts, since_watch, counts, .. } = worker;
        self.components.decode(self.batch.keys[state], from);
        let hidden = self.batch.hidden(state);
        let bytes: &[u8] = if hidden.is_empty() {
            from.state()
        } else {
            bytes.clear();
            bytes.extend_from_slice(from.state());
            bytes.extend_from_slice(hidden);
            bytes
        };
        let marks = (block.targets.len(), block.transitions, block.wrong.len(), block.wanted.len());
        let mut stop = None;
        let block_hidden = block.hidden_bytes;
        let chosen = picker.as_mut().and_then(|picker| picker.pick(bytes));
        if picker.is_some() {
            // To choose takes the longer the more processes there are.
            *since_watch += bytes.len() as u32 / 4;
        }
        let expansion = successors(self.space, chosen, bytes, scratch, &mut |successor| {
            if successor.pulse.is_some() {
                let (states, memory) = (self.progress.states, self.memory.used());
                stop = counts.pulse(&successor, self.scope.budget, states, memory).map(Some);
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(&successor);
            *since_watch += work_of(&successor);
            if *since_watch >= WATCH_EVERY {
                *since_watch = 0;
                let progress = Progress { memory: self.memory.used(), ..self.progress };
                stop = self.scope.budget.watch.check(&progress).map(Some);
            }
            let choice = (block.targets.len() - marks.0) as u32;
            if stop.is_none()
                && let Err(reason) = self.add(state, choice, &successor, block, |target, place, wanted| {
                    let (memory, difference) = (self.memory, successor.difference);
                    let near =
                        self.components.prepare_near(target, difference, from, to, place, wanted, memory)?;
                    if let Some(key) = near {
                        return Ok(key);
                    }
                    parts.clear();
                    self.space.parts(target, parts);
                    let visible = &target[..target.len() - block_hidden];
                    self.components.prepare(visible, parts, from, to, place, wanted, memory)
                })
            {
                stop = Some(limit_of(reason));
            }
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(reason) = stop {
            // As if it had never been visited.
            block.targets.truncate(marks.0);
            block.hidden.truncate(marks.0 * block.hidden_bytes);
            block.transitions = marks.1;
            block.wrong.truncate(marks.2);
            block.wanted.truncate(marks.3);
            return Err(reason);
        }
        let full = |_: Full| Some(Limit::Memory);
        if expansion == Expansion::Deadlock {
            self.memory.reserve(&mut block.deadlocks, 1).map_err(full)?;
            block.deadlocks.push(state as u32);
        }
        block.state_bytes += from.state().len() as u64;
        let partial = picker.as_ref().map(|_| chosen.is_some());
        block.end_state(partial, self.memory).map_err(full)
    }

    /// Adds a successor of a state; `prepare` makes its key.
    fn add(
        &self,
        state: usize,
        choice: u32,
        successor: &Successor<'_>,
        block: &mut Block,
        mut prepare: impl FnMut(&[u8], u32, &mut Vec<Wanted>) -> Result<u64, Stop>,
    ) -> Result<(), Stop> {
        if !successor.violations.is_empty() {
            self.memory.reserve(&mut block.wrong, successor.violations.len())?;
            block.wrong.extend(successor.violations.iter().map(|wrong| (state as u32, choice, *wrong)));
        }
        let Some(target) = successor.target else {
            return Ok(block.add(NOWHERE, &[], self.memory)?);
        };
        let key = prepare(target, block.targets.len() as u32, &mut block.wanted)?;
        Ok(block.add(key, target, self.memory)?)
    }
}

/// Returns the limit that stops a search; `None` if a table must grow.
pub(super) fn limit_of(reason: Stop) -> Option<Limit> {
    match reason {
        Stop::Grow => None,
        Stop::Full => Some(Limit::Memory),
    }
}
