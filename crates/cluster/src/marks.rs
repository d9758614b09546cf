//! Finds the runs that one machine would show.
//!
//! One machine visits states in a fixed order, and shows the run of least choices among the shortest: the
//! first choice is as early as can be, then the second, and so on. Workers get states in any order, so who
//! sent a state first says nothing. Instead, what is looked for is marked, then each state of the level
//! before that has a marked successor at the next level, and so on back to the initial state: each worker
//! expands its states of the level again and asks the owners of the successors. From the initial state, the
//! first choice that leads to a marked state of the next level is taken again and again.
//!
//! A mark is a set of up to 64 targets. The cost is that of the levels searched so far, once more, and is
//! paid only where something goes wrong. No predecessor is stored with any state.

use std::ops::ControlFlow;

use narrows_graph::varint;
use narrows_model::Violation;

use crate::explorer::{Edge, Explorer, Stage};
use crate::ledger::{Cause, Shown, read_bytes, write_bytes};
use crate::outgoing::{BlockKind, Outgoing};
use crate::recent::{hash, owner};
use crate::rounds::Work;

/// What a run is to be found to: the first that shows one of some causes, which are all seen first at a
/// level.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) level: u32,
    pub(crate) causes: Vec<Cause>,
}

/// So many targets are looked for at once.
const TOGETHER: usize = 64;

/// Runs are found for so many targets. Beyond that, what goes wrong is told in the order of levels alone.
const MAX_TARGETS: usize = 1024;

/// The runs that are being looked for.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Those that are looked for now, and those that come after.
    now: Vec<Target>,
    later: Vec<Target>,
    /// The way to each, as far as it is known, and the state where it ends; on one worker alone.
    ways: Vec<(Vec<u32>, Vec<u8>)>,
    /// The steps from there: to which target, which one, where to.
    branches: Vec<(usize, u32, Vec<u8>)>,
    /// Those that lead on: to which target, which one.
    leads: Vec<(usize, u32)>,
}

/// The worker that follows the marks.
const FOLLOWER: usize = 0;

impl Explorer<'_> {
    /// Looks for runs, if there is one to be found; otherwise goes on.
    pub(crate) fn begin_search(&mut self, mut targets: Vec<Target>) {
        targets.truncate(MAX_TARGETS);
        self.search.later = targets;
        self.next_search();
    }

    fn next_search(&mut self) {
        self.marks.clear();
        let count = self.search.later.len().min(TOGETHER);
        self.search.now = self.search.later.drain(..count).collect();
        if self.search.now.is_empty() {
            return self.go_on();
        }
        for (index, target) in self.search.now.iter().enumerate() {
            for cause in &target.causes {
                let Some(seen) = self.ledger.seen.get(cause).filter(|seen| seen.level == target.level) else {
                    continue;
                };
                for state in &seen.states {
                    *self.marks.entry(*state).or_default() |= 1 << index;
                }
            }
        }
        let initial = self.task.space.initial().map(|initial| initial.0).unwrap_or_default();
        self.search.ways = vec![(Vec::new(), initial); self.search.now.len()];
        match self.deepest().checked_sub(1) {
            Some(level) => self.ask(level),
            None => self.stage = Stage::Tell,
        }
    }

    fn deepest(&self) -> u32 {
        self.search.now.iter().map(|target| target.level).max().unwrap_or_default()
    }

    fn ask(&mut self, level: u32) {
        self.stage = Stage::Ask(level);
        self.next = self.numbers(level).start;
    }

    /// Decides what comes after a round of the search.
    pub(crate) fn go_on_searching(&mut self) {
        match self.stage {
            Stage::Ask(level) => self.stage = Stage::Answer(level),
            Stage::Answer(level) => match level.checked_sub(1) {
                Some(level) => self.ask(level),
                None => self.stage = Stage::Step(0),
            },
            Stage::Step(level) => self.stage = Stage::Hear(level),
            Stage::Hear(level) => {
                self.take_step();
                self.stage = if level + 1 < self.deepest() { Stage::Step(level + 1) } else { Stage::Tell };
            }
            _ => self.next_search(),
        }
    }

    /// Returns the mark of a state of this worker, if it is at a level.
    fn mark_at(&mut self, level: u32, state: &[u8]) -> Option<(u32, u64)> {
        let number = self.states.find(self.task.space, state)?;
        let mark = self.marks.get(&number).copied().filter(|_| self.numbers(level).contains(&number))?;
        Some((number, mark))
    }

    /// Asks for some states of a level whether their successors are marked.
    pub(crate) fn work_on_marks(&mut self, level: u32, out: &mut Outgoing) -> Work {
        let range = self.numbers(level);
        for count in 0.. {
            if self.next >= range.end || self.is_stopped() {
                break;
            }
            if count == 256 {
                self.look_up(out);
                return Work::More;
            }
            if !out.has_room() {
                return Work::Waits;
            }
            let number = self.next;
            self.next += 1;
            let state = self.states.get(number).to_vec();
            self.expand(&state, &mut |this, edge| {
                if let Some(target) = edge.target {
                    let to = owner(hash(target), out.peers());
                    if to == out.me() {
                        if let Some((_, mark)) = this.mark_at(level + 1, target) {
                            *this.marks.entry(number).or_default() |= mark;
                        }
                    } else {
                        let block = out.block(to, BlockKind::Ask, u64::from(level));
                        varint::write(u64::from(number), block);
                        write_bytes(target, block);
                    }
                }
                ControlFlow::Continue(())
            });
        }
        self.look_up(out);
        self.end_round(out, 0);
        Work::Done
    }

    pub(crate) fn answer_ask(&mut self, from: usize, block: &[u8], out: &mut Outgoing) -> Option<()> {
        let mut rest = block;
        let level = varint::read(&mut rest)?;
        while !rest.is_empty() {
            let number = varint::read(&mut rest)?;
            let state = read_bytes(&mut rest)?;
            if let Some((_, mark)) = self.mark_at(level as u32 + 1, state) {
                let block = out.block(from, BlockKind::Marks, level);
                varint::write(number, block);
                varint::write(mark, block);
            }
        }
        Some(())
    }

    pub(crate) fn receive_marks(&mut self, block: &[u8]) -> Option<()> {
        let mut rest = block;
        varint::read(&mut rest)?;
        while !rest.is_empty() {
            let number = varint::read(&mut rest)? as u32;
            *self.marks.entry(number).or_default() |= varint::read(&mut rest)?;
        }
        Some(())
    }

    /// Follows the marks, and tells at the end where they led.
    pub(crate) fn work_on_runs(&mut self, out: &mut Outgoing) {
        if out.me() != FOLLOWER {
            return;
        }
        match self.stage {
            Stage::Step(level) => self.look_for_steps(level, out),
            Stage::Tell => {
                let mut bytes = Vec::new();
                for index in 0..self.search.now.len() {
                    if let Some((cause, shown)) = self.show(index) {
                        cause.write(&mut bytes);
                        shown.write(&mut bytes);
                    }
                }
                out.tell_all(BlockKind::Runs, &bytes);
            }
            _ => {}
        }
    }

    fn look_for_steps(&mut self, level: u32, out: &mut Outgoing) {
        self.search.branches.clear();
        self.search.leads.clear();
        for index in 0..self.search.now.len() {
            if self.search.now[index].level <= level {
                continue;
            }
            let state = self.search.ways[index].1.clone();
            self.expand(&state, &mut |this, edge| {
                let Some(target) = edge.target else { return ControlFlow::Continue(()) };
                this.search.branches.push((index, edge.choice, target.to_vec()));
                let to = owner(hash(target), out.peers());
                if to == out.me() {
                    if this.mark_at(level + 1, target).is_some_and(|(_, mark)| mark >> index & 1 == 1) {
                        this.search.leads.push((index, edge.choice));
                    }
                } else {
                    let block = out.block(to, BlockKind::Step, u64::from(level));
                    varint::write(index as u64, block);
                    varint::write(u64::from(edge.choice), block);
                    write_bytes(target, block);
                }
                ControlFlow::Continue(())
            });
        }
    }

    pub(crate) fn answer_step(&mut self, from: usize, block: &[u8], out: &mut Outgoing) -> Option<()> {
        let mut rest = block;
        let level = varint::read(&mut rest)?;
        while !rest.is_empty() {
            let (index, choice) = (varint::read(&mut rest)?, varint::read(&mut rest)?);
            let state = read_bytes(&mut rest)?;
            let mark = self.mark_at(level as u32 + 1, state);
            if mark.is_some_and(|(_, mark)| mark.checked_shr(index as u32).unwrap_or(0) & 1 == 1) {
                let block = out.block(from, BlockKind::Steps, level);
                varint::write(index, block);
                varint::write(choice, block);
            }
        }
        Some(())
    }

    pub(crate) fn receive_steps(&mut self, block: &[u8]) -> Option<()> {
        let mut rest = block;
        varint::read(&mut rest)?;
        while !rest.is_empty() {
            let (index, choice) = (varint::read(&mut rest)? as usize, varint::read(&mut rest)? as u32);
            self.search.leads.push((index, choice));
        }
        Some(())
    }

    /// Takes for each target the first step that leads on.
    fn take_step(&mut self) {
        let Search { ways, branches, leads, .. } = &mut self.search;
        for (index, (choices, state)) in ways.iter_mut().enumerate() {
            let first = leads.iter().filter(|(lead, _)| *lead == index).map(|(_, choice)| *choice).min();
            let is_it = |branch: &&mut (usize, u32, Vec<u8>)| branch.0 == index && Some(branch.1) == first;
            if let (Some(choice), Some(branch)) = (first, branches.iter_mut().find(is_it)) {
                choices.push(choice);
                *state = std::mem::take(&mut branch.2);
            }
        }
    }

    /// Returns what the state at the end of a way shows of its target, first of all.
    fn show(&mut self, index: usize) -> Option<(Cause, Shown)> {
        let target = self.search.now[index].clone();
        let (way, state) = std::mem::take(&mut self.search.ways[index]);
        if way.len() != target.level as usize {
            return None;
        }
        let mut found = None;
        self.expand(&state, &mut |_, edge: &Edge<'_>| {
            let is_label =
                |cause: &&Cause| matches!(cause, Cause::Label(label) if label.as_slice() == edge.label);
            if let Some(cause) = target.causes.iter().find(is_label) {
                let shown =
                    Shown { way: way.clone(), choice: edge.choice, position: 0, pid: 0, state: Vec::new() };
                found = Some((cause.clone(), shown));
                return ControlFlow::Break(());
            }
            let is_asked = |violation: &Violation| target.causes.contains(&Cause::of(violation));
            let Some(position) = edge.violations.iter().position(is_asked) else {
                return ControlFlow::Continue(());
            };
            let violation = edge.violations[position];
            let (choice, position, pid) = (edge.choice, position as u32, violation.pid);
            let shown = Shown { way: way.clone(), choice, position, pid, state: Vec::new() };
            found = Some((Cause::of(&violation), shown));
            ControlFlow::Break(())
        });
        found.or_else(|| {
            let cause = target.causes.iter().find(|cause| matches!(cause, Cause::Deadlock(_)))?;
            let mut control = Vec::new();
            self.task.space.control(&state, &mut control);
            let cause = if target.causes.len() > 1 { Cause::Deadlock(control) } else { cause.clone() };
            Some((cause, Shown { way, choice: u32::MAX, position: 0, pid: 0, state }))
        })
    }

    pub(crate) fn read_runs(&mut self, mut rest: &[u8]) -> Option<()> {
        while !rest.is_empty() {
            let cause = Cause::read(&mut rest)?;
            self.shown.insert(cause, Shown::read(&mut rest)?);
        }
        Some(())
    }
}
