//! Prefetching: the successors of many states are computed first, by the memo, and interned afterwards in one
//! batch, so that the cache misses of the table lookups overlap.

use std::ops::ControlFlow;

use narrows_model::{Difference, ProcessSet};

use super::memo::{Memo, Recalled};
use super::{Known, MEMO_FROM, STATE_COST, StateGraph, Step, WATCH_EVERY};
use crate::BuildError;

/// Steps whose targets are not interned yet.
#[derive(Debug, Default)]
pub(super) struct Prefetch {
    /// The packed targets, concatenated.
    words: Vec<u64>,
    /// Source states, and the end of the range of each one's steps.
    states: Vec<(u32, usize)>,
    /// Scratch: the numbers of the targets.
    numbers: Vec<u32>,
    /// Scratch: what is recalled for each process of one state, the last process first.
    recalled: Vec<Recalled>,
    executed: Executed,
}

/// Steps of one state that had to be executed: process, effect, and packed targets.
#[derive(Debug, Default)]
struct Executed {
    steps: Vec<(u8, u32)>,
    words: Vec<u64>,
    kept: Vec<u64>,
}

impl Executed {
    /// Returns the end of a process's steps, given their start.
    fn end(&self, start: usize, pid: usize) -> usize {
        start + self.steps[start..].iter().take_while(|(who, _)| usize::from(*who) == pid).count()
    }
}

impl StateGraph<'_> {
    /// Computes the steps of some states unless they are known.
    pub(crate) fn expand_all(&mut self, states: impl Iterator<Item = u32>) -> Result<(), BuildError> {
        let mut unmarked = Vec::new();
        let outcome = self.expand_each(states, &mut unmarked);
        // Whoever goes on after a limit finds no step without a target.
        self.settle();
        outcome?;
        self.mark(&unmarked)
    }

    /// Computes the steps of some states, and leaves targets to be interned.
    fn expand_each(
        &mut self,
        states: impl Iterator<Item = u32>,
        unmarked: &mut Vec<u32>,
    ) -> Result<(), BuildError> {
        for state in states {
            if self.known[state as usize].place(self.forgotten).is_some() {
                continue;
            }
            self.expanded += 1;
            // A state may have hundreds of successors, and be large.
            let grown = self.known.len().saturating_sub(self.watched) * (STATE_COST + self.buffer.len());
            if self.expanded.is_multiple_of(WATCH_EVERY) || grown >= WATCH_EVERY * STATE_COST {
                self.watched = self.known.len();
                self.watch(0)?;
            }
            if !self.recall(state) {
                self.settle();
                self.execute(state)?;
            }
            if self.marks.is_some() {
                unmarked.push(state);
            }
        }
        Ok(())
    }

    /// Computes the steps of a state from the memo, without interning their targets; returns whether that was
    /// possible. Special cases are left to [`StateGraph::execute`].
    fn recall(&mut self, state: u32) -> bool {
        if self.memo.is_none() && !self.remember() {
            return false;
        }
        let start = self.steps.len();
        let StateGraph { memo: Some(memo), states, prefetch, space, buffer, .. } = self else { return false };
        let Some(pattern) = states.pattern() else { return false };
        let from = states.words(state);
        if from.is_empty() {
            return false;
        }
        let mut asked = ProcessSet::default();
        let (mut count, mut is_read) = (0, false);
        prefetch.recalled.clear();
        for pid in (0..memo.processes()).rev() {
            let mut recalled = memo.recall(from, pid);
            if let Recalled::Unknown = recalled {
                if !std::mem::replace(&mut is_read, true) {
                    pattern.unpack(from, buffer);
                }
                recalled = memo.ask(*space, pattern, (buffer, from), pid);
            }
            match recalled {
                Recalled::Steps(_, steps) => count += usize::from(steps),
                _ => {
                    asked.insert(pid);
                }
            }
            prefetch.recalled.push(recalled);
        }
        prefetch.executed.steps.clear();
        prefetch.executed.words.clear();
        if !asked.is_empty() {
            if !is_read {
                pattern.unpack(from, buffer);
            }
            if !self.execute_some(asked) {
                return false;
            }
            count += self.prefetch.executed.steps.len();
        }
        // With a timeout there may be steps after all.
        if count == 0 || count >= 1 << Known::COUNT_BITS {
            return false;
        }
        self.put_together(state);
        debug_assert_eq!(self.steps.len() - start, count);
        self.known[state as usize] = Known::new(self.forgotten + start as u64, count);
        true
    }

    /// Creates the memo once there are many states; returns whether that is possible.
    fn remember(&mut self) -> bool {
        if self.expanded < MEMO_FROM || self.parts.is_none() {
            return false;
        }
        let Some(pattern) = self.states.pattern() else { return false };
        self.states.read(self.states() - 1, &mut self.buffer);
        self.memo = Memo::new(self.space, &self.buffer, pattern);
        if self.memo.is_none() {
            self.parts = None;
        }
        self.memo.is_some()
    }

    /// Executes the steps of some processes in the current state; returns whether they are regular.
    fn execute_some(&mut self, processes: ProcessSet) -> bool {
        let StateGraph { states, prefetch, space, buffer, effects, scratch, parts, .. } = self;
        let (Some(pattern), executed) = (states.pattern(), &mut prefetch.executed) else { return false };
        let (mut is_usual, mut ends) = (true, Vec::new());
        space.successors_of(processes, buffer, scratch, &mut |successor| {
            let (Some(target), Some(first), true) =
                (successor.target, successor.moves.first(), successor.violations.is_empty())
            else {
                is_usual = false;
                return ControlFlow::Break(());
            };
            is_usual = target.len() == pattern.length() && pattern.fits(target);
            if let (Difference::Unknown, true) = (successor.difference, is_usual) {
                ends.clear();
                space.parts(target, &mut ends);
                is_usual = parts.as_ref() == Some(&ends);
            }
            match effects.of(&successor) {
                Ok(effect) if is_usual => {
                    pattern.pack(target, &mut executed.kept);
                    executed.words.extend_from_slice(&executed.kept);
                    executed.steps.push((first.pid, effect));
                    ControlFlow::Continue(())
                }
                _ => {
                    is_usual = false;
                    ControlFlow::Break(())
                }
            }
        });
        is_usual
    }

    /// Assembles the steps of a state, the last process first, and adds the executed ones to the memo.
    fn put_together(&mut self, state: u32) {
        let StateGraph { memo: Some(memo), states, prefetch, steps, .. } = self else { return };
        let from = states.words(state);
        let Prefetch { words, executed, recalled, states, .. } = prefetch;
        let length = from.len();
        let mut next = 0;
        for (pid, recalled) in (0..memo.processes()).rev().zip(&*recalled) {
            if let Recalled::Steps(first, count) = *recalled {
                for number in first as usize..first as usize + usize::from(count) {
                    let (change, effect) = memo.step(number);
                    words.extend(change.iter().zip(from).map(|(change, word)| change ^ word));
                    steps.push(Step { target: u32::MAX, effect });
                }
                continue;
            }
            let end = executed.end(next, pid);
            let own =
                executed.steps[next..end].iter().zip(executed.words[next * length..].chunks_exact(length));
            for ((_, effect), target) in own {
                words.extend_from_slice(target);
                steps.push(Step { target: u32::MAX, effect: *effect });
            }
            next = end;
        }
        states.push((state, steps.len()));
        next = 0;
        for (pid, recalled) in (0..memo.processes()).rev().zip(&*recalled) {
            if let Recalled::Steps(..) = recalled {
                continue;
            }
            let end = executed.end(next, pid);
            if let Recalled::Nothing(look, seen) = *recalled {
                let own = executed.steps[next..end]
                    .iter()
                    .zip(executed.words[next * length..].chunks_exact(length));
                memo.note(look, seen, from, own.map(|((_, effect), words)| (words, *effect)));
            }
            next = end;
        }
    }

    /// Interns the targets of all steps that are pending.
    pub(super) fn settle(&mut self) {
        let StateGraph { prefetch, states, steps, known, parents, .. } = self;
        prefetch.numbers.clear();
        states.add_all(&prefetch.words, &mut prefetch.numbers);
        prefetch.words.clear();
        let mut step = steps.len() - prefetch.numbers.len();
        let mut numbers = prefetch.numbers.iter();
        for (state, end) in prefetch.states.drain(..) {
            for ((choice, step), number) in (0..).zip(&mut steps[step..end]).zip(&mut numbers) {
                step.target = *number;
                if *number as usize == known.len() {
                    known.push(Known::NOT);
                    parents.push((state, choice));
                }
            }
            step = end;
        }
    }
}
