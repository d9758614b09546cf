//! The successors of a state by what is remembered of its processes, and by execution where nothing is.

use std::ops::ControlFlow;

use narrows_model::{Limit, ProcessSet, StateSpace};

use super::super::memo::Recalled;
use super::super::remembered::Asker;
use super::task::limit_of;
use super::{Block, Task, Worker};
use crate::search::WATCH_EVERY;
use crate::store::Outline;
use crate::{Full, Progress};

impl<S: StateSpace + ?Sized> Task<'_, S> {
    /// Finds the successors of a state by what is remembered of its processes; returns whether that was
    /// possible.
    pub(super) fn recall(
        &self,
        state: usize,
        worker: &mut Worker<'_>,
        block: &mut Block,
    ) -> Result<bool, Option<Limit>> {
        let Worker { memo, recalled, from, .. } = worker;
        let key = self.batch.keys[state];
        let Some((shape, size)) = self.components.shape_of(key) else { return Ok(false) };
        let mut is_decoded = false;
        let mut decode = |from: &mut Outline| {
            if !std::mem::replace(&mut is_decoded, true) {
                self.components.decode(key, from);
            }
        };
        if memo.processes(shape).is_none() {
            decode(from);
            memo.meet(self.space, self.components, (shape, key), from);
        }
        let count = memo.processes(shape).unwrap_or(0);
        let mut asked = ProcessSet::default();
        let (mut steps, mut missed) = (0, 0);
        recalled.clear();
        for pid in (0..count).rev() {
            let what = (self.space, self.components, self.remembered);
            let mut memory = memo.recall(self.remembered, (shape, key, pid));
            if let Recalled::Unknown = memory {
                decode(from);
                worker.tally.learned += 1;
                memo.ask(what, (shape, key, pid), from);
                memory = memo.recall(self.remembered, (shape, key, pid));
            }
            if let Recalled::UnknownSecond(first) = memory {
                decode(from);
                worker.tally.learned += 1;
                memory = memo.ask_second(what, (shape, key, pid, first), from);
            }
            match memory {
                Recalled::Steps(known) => steps += usize::from(known.count),
                _ => {
                    missed += 1;
                    asked.insert(pid);
                }
            }
            recalled.push(memory);
        }
        memo.count(count, missed);
        worker.tally.asked += count as u64;
        worker.tally.missed += missed as u64;
        worker.missing.clear();
        if missed > 0 {
            decode(from);
            if !self.ask_for(asked, worker)? {
                return Ok(false);
            }
        }
        let Worker { recalled, missing, since_watch, .. } = worker;
        steps += missing.len();
        // With a timeout there may be steps after all.
        if steps == 0 {
            return Ok(false);
        }
        *since_watch += steps as u32;
        if *since_watch >= WATCH_EVERY {
            *since_watch = 0;
            let progress = Progress { memory: self.memory.used(), ..self.progress };
            if let Some(limit) = self.scope.budget.watch.check(&progress) {
                return Err(Some(limit));
            }
        }
        let full = |_: Full| Some(Limit::Memory);
        self.memory.reserve(&mut block.targets, steps).map_err(full)?;
        let mut next = 0;
        for (pid, memory) in (0..count).rev().zip(&*recalled) {
            if let Recalled::Steps(known) = memory {
                block.targets.extend(self.remembered.changes(*known).map(|change| key ^ change));
            } else {
                let own = missing[next..].iter().take_while(|(who, _)| usize::from(*who) == pid);
                block.targets.extend(own.map(|(_, target)| *target));
                next += missing[next..].iter().take_while(|(who, _)| usize::from(*who) == pid).count();
            }
        }
        block.transitions += steps as u64;
        for (pid, memory) in (0..count).rev().zip(&*recalled) {
            if let Recalled::Nothing(bits, is_second) = *memory {
                let own = missing.iter().filter(|(who, _)| usize::from(*who) == pid);
                let asker = Asker { pid, is_second };
                self.remembered.note(key & bits, asker, own.map(|(_, target)| target ^ key));
            }
        }
        worker.tally.recalled += 1;
        block.state_bytes += size as u64;
        block.end_state(worker.picker.is_some().then_some(false), self.memory).map_err(full)?;
        Ok(true)
    }

    /// Finds the steps of some processes that are not remembered; false if there is anything special about
    /// them.
    fn ask_for(&self, processes: ProcessSet, worker: &mut Worker<'_>) -> Result<bool, Option<Limit>> {
        let Worker { scratch, from, to, parts, counts, missing, wanted, .. } = worker;
        let (mut is_special, mut stop) = (false, None);
        self.space.successors_of(processes, from.state(), scratch, &mut |successor| {
            let (Some(target), Some(first), true) =
                (successor.target, successor.moves.first(), successor.violations.is_empty())
            else {
                is_special = true;
                return ControlFlow::Break(());
            };
            counts.mark(&successor);
            wanted.clear();
            let near =
                self.components.prepare_near(target, successor.difference, from, to, 0, wanted, self.memory);
            let prepared = near.and_then(|near| match near {
                Some(key) => Ok(key),
                None => {
                    parts.clear();
                    self.space.parts(target, parts);
                    self.components.prepare(target, parts, from, to, 0, wanted, self.memory)
                }
            });
            let completed = prepared.and_then(|mut key| {
                self.components.complete(wanted, self.memory, &mut |_, part| key |= part)?;
                Ok(key)
            });
            match completed {
                Ok(key) => {
                    missing.push((first.pid, key));
                    ControlFlow::Continue(())
                }
                Err(reason) => {
                    stop = Some(limit_of(reason));
                    ControlFlow::Break(())
                }
            }
        });
        match stop {
            Some(reason) => Err(reason),
            None => Ok(!is_special),
        }
    }
}
