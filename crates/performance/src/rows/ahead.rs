//! Many states at once: their successors first, by what is remembered of their processes, and then their numbers.

use std::ops::ControlFlow;

use narrows_model::{Difference, ProcessSet};

use super::memo::{Memo, Recalled};
use super::{Known, Rows, SMALL, Step, WATCH_EVERY};
use crate::Trouble;

/// Steps whose targets have no numbers yet.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The words of the targets, one after the other.
    words: Vec<u64>,
    /// The states that the steps come from, and where the steps of each end.
    states: Vec<(u32, usize)>,
    /// Room for the numbers of the targets.
    numbers: Vec<u32>,
    /// Room for what is remembered of each process of one state, the last first.
    recalled: Vec<Recalled>,
    executed: Executed,
}

/// Steps of one state that were not remembered: which process, what is done, and the words of the targets.
#[derive(Debug, Default)]
struct Executed {
    steps: Vec<(u8, u32)>,
    words: Vec<u64>,
    kept: Vec<u64>,
}

impl Executed {
    /// Returns where the steps of a process end that begin somewhere.
    fn end(&self, start: usize, pid: usize) -> usize {
        start + self.steps[start..].iter().take_while(|(who, _)| usize::from(*who) == pid).count()
    }
}

impl Rows<'_> {
    /// Makes sure that the steps of some states are known.
    pub(crate) fn expand_all(&mut self, states: impl Iterator<Item = u32>) -> Result<(), Trouble> {
        for state in states {
            if self.known[state as usize].place(self.forgotten).is_some() {
                continue;
            }
            self.expanded += 1;
            if self.expanded.is_multiple_of(WATCH_EVERY) {
                self.watch(0)?;
            }
            if !self.recall(state) {
                self.settle();
                self.execute(state)?;
            }
        }
        self.settle();
        Ok(())
    }

    /// Finds the steps of a state by what is remembered, but not yet the numbers of their targets; returns whether that was
    /// possible. What is special is left to [`Rows::execute`].
    fn recall(&mut self, state: u32) -> bool {
        if self.memo.is_none() && !self.remember() {
            return false;
        }
        let start = self.steps.len();
        let Rows { memo: Some(memo), states, ahead, space, buffer, .. } = self else { return false };
        let Some(pattern) = states.pattern() else { return false };
        let from = states.words(state);
        if from.is_empty() {
            return false;
        }
        let mut asked = ProcessSet::default();
        let (mut count, mut is_read) = (0, false);
        ahead.recalled.clear();
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
            ahead.recalled.push(recalled);
        }
        ahead.executed.steps.clear();
        ahead.executed.words.clear();
        if !asked.is_empty() {
            if !is_read {
                pattern.unpack(from, buffer);
            }
            if !self.execute_some(asked) {
                return false;
            }
            count += self.ahead.executed.steps.len();
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

    /// Begins to remember what processes do, once there are many states; returns whether that is possible.
    fn remember(&mut self) -> bool {
        if self.expanded < SMALL || self.parts.is_none() {
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

    /// Executes the steps of some processes in the state at hand; returns whether there is nothing special about them.
    fn execute_some(&mut self, processes: ProcessSet) -> bool {
        let Rows { states, ahead, space, buffer, deeds, scratch, parts, .. } = self;
        let (Some(pattern), executed) = (states.pattern(), &mut ahead.executed) else { return false };
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
            match deeds.of(&successor) {
                Ok(deed) if is_usual => {
                    pattern.pack(target, &mut executed.kept);
                    executed.words.extend_from_slice(&executed.kept);
                    executed.steps.push((first.pid, deed));
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

    /// Puts the steps of a state together, of the last process first, and notes those that were executed.
    fn put_together(&mut self, state: u32) {
        let Rows { memo: Some(memo), states, ahead, steps, .. } = self else { return };
        let from = states.words(state);
        let Ahead { words, executed, recalled, states, .. } = ahead;
        let length = from.len();
        let mut next = 0;
        for (pid, recalled) in (0..memo.processes()).rev().zip(&*recalled) {
            if let Recalled::Steps(first, count) = *recalled {
                for number in first as usize..first as usize + usize::from(count) {
                    let (change, deed) = memo.step(number);
                    words.extend(change.iter().zip(from).map(|(change, word)| change ^ word));
                    steps.push(Step { target: u32::MAX, deed });
                }
                continue;
            }
            let end = executed.end(next, pid);
            let own =
                executed.steps[next..end].iter().zip(executed.words[next * length..].chunks_exact(length));
            for ((_, deed), target) in own {
                words.extend_from_slice(target);
                steps.push(Step { target: u32::MAX, deed: *deed });
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
                memo.note(look, seen, from, own.map(|((_, deed), words)| (words, *deed)));
            }
            next = end;
        }
    }

    /// Finds the numbers of the targets of all steps that have none yet.
    pub(super) fn settle(&mut self) {
        let Rows { ahead, states, steps, known, parents, .. } = self;
        ahead.numbers.clear();
        states.add_all(&ahead.words, &mut ahead.numbers);
        ahead.words.clear();
        let mut step = steps.len() - ahead.numbers.len();
        let mut numbers = ahead.numbers.iter();
        for (state, end) in ahead.states.drain(..) {
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
