//! What a table lacks, found out: one state is looked at and evaluated, and all that look alike are known.

use std::ops::ControlFlow;

use narrows_gpu::{Key, Outcome, Table};
use narrows_model::{Evaluator, Expansion, Limit, Outline, ProcessSet, Scratch, StateSpace, Visit};
use rustc_hash::FxHashMap;

use super::encoding::{Encoding, Outgrown};
use crate::reduction::ReadSets;
use crate::search::Counts;
use crate::{Budget, Engine};

/// Adds to a table what it lacks.
pub(super) struct Learner<'a, 's> {
    evaluator: Evaluator<'s>,
    read_sets: ReadSets<'s>,
    budget: &'a Budget,
    pub(super) encoding: Encoding,
    pub(super) table: Table,
    nodes: FxHashMap<(u32, Key), u32>,
    /// The process that each node belongs to.
    process_of: Vec<u32>,
    scratch: Scratch,
    outline: Outline,
    pub(super) evaluated: u64,
}

/// Why the search can't go on as it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Interrupt {
    /// Keys have changed their meaning: it must begin anew.
    Anew,
    Limit(Limit),
}

impl From<Limit> for Interrupt {
    fn from(limit: Limit) -> Interrupt {
        Interrupt::Limit(limit)
    }
}

impl<'a, 's> Learner<'a, 's> {
    /// Prepares it; `None` if nothing can be known of the system.
    pub(super) fn new(engine: &Engine<'s>, budget: &'a Budget) -> Option<Learner<'a, 's>> {
        Some(Learner {
            evaluator: engine.evaluator(),
            read_sets: ReadSets::new(engine)?,
            budget,
            encoding: Encoding::default(),
            table: Table::default(),
            nodes: FxHashMap::default(),
            process_of: Vec::new(),
            scratch: Scratch::with_pulses(),
            outline: Outline::default(),
            evaluated: 0,
        })
    }

    /// Takes note of a state.
    pub(super) fn note(&mut self, state: &[u8]) {
        self.encoding.note(&self.evaluator, state, &mut self.outline);
    }

    /// Begins with an empty table.
    pub(super) fn begin(&mut self, initial: &[u8]) {
        let processes = self.encoding.processes() as u32;
        let layout = self.encoding.layout();
        let root = |process: u32| {
            // Where all states have the same components, it is known where a process is.
            let rounds = self.read_sets.rounds(initial, process as usize).filter(|_| layout == 0);
            let own = rounds.iter().filter_map(|rounds| rounds.bytes.first()).flatten();
            own.fold(layout, |mask, bytes| mask | self.encoding.bits_for(bytes))
        };
        let roots: Vec<Key> = (0..processes).map(root).collect();
        self.table = Table::new(&roots, layout);
        let nodes = (0..).zip(roots.iter().chain([&layout]));
        self.nodes = nodes.map(|(process, mask)| ((process, *mask), process)).collect();
        self.process_of = (0..=processes).collect();
    }

    /// Returns the key of a state.
    pub(super) fn key(&mut self, state: &[u8]) -> Result<Key, Interrupt> {
        key(&mut self.encoding, &self.evaluator, &mut self.outline, state)
    }

    /// Adds what is missing: nodes, with a key that leads there.
    pub(super) fn answer(
        &mut self,
        mut missing: Vec<(u32, Key)>,
        counts: &mut Counts,
    ) -> Result<(), Interrupt> {
        // In an order that does not depend on that in which a device comes by them.
        missing.sort_unstable_by_key(|(node, key)| (*node, key & self.table.mask(*node), *key));
        missing.dedup_by_key(|(node, key)| (*node, *key & self.table.mask(*node)));
        let mut state = Vec::new();
        for (node, key) in missing {
            self.encoding.decode(key, &mut state);
            self.resolve(node, key, &state, counts)?;
        }
        Ok(())
    }

    /// Adds what a process does in a state, and how a device finds that out.
    fn resolve(&mut self, node: u32, key: Key, state: &[u8], counts: &mut Counts) -> Result<(), Interrupt> {
        self.evaluator.outline(state, &mut self.outline);
        if !self.encoding.knows_layout(&self.outline) {
            self.note(state);
            return Err(Interrupt::Anew);
        }
        let process = self.process_of[node as usize];
        let is_idle = process as usize == self.encoding.processes();
        let rounds = if is_idle {
            Some(self.read_sets.idle_rounds(state))
        } else {
            self.read_sets.rounds(state, process as usize)
        };
        let mut node = node;
        let mut mask = self.encoding.layout();
        for bytes in rounds.iter().flat_map(|rounds| &rounds.bytes) {
            mask = bytes.iter().fold(mask, |mask, bytes| mask | self.encoding.bits_for(bytes));
            let here = self.table.mask(node);
            if mask & !here == 0 {
                continue;
            }
            let next = match self.nodes.get(&(process, mask)) {
                Some(next) => *next,
                None => {
                    let next = self.table.add_node(mask).ok_or(Limit::Memory)?;
                    self.nodes.insert((process, mask), next);
                    self.process_of.push(process);
                    next
                }
            };
            self.table.note((process, node), key, &Outcome::Node(next));
            node = next;
        }
        if self.table.knows(node, key) {
            return Ok(());
        }
        let outcome = match rounds {
            None => Outcome::Steps(Vec::new()),
            Some(rounds) if !rounds.is_known => Outcome::Host,
            Some(_) => self.steps((!is_idle).then_some(process), key, state, counts)?,
        };
        self.table.note((process, node), key, &outcome);
        Ok(())
    }

    /// Evaluates what a process does in a state, or what happens where none does anything.
    fn steps(
        &mut self,
        process: Option<u32>,
        key: Key,
        state: &[u8],
        counts: &mut Counts,
    ) -> Result<Outcome, Interrupt> {
        self.evaluated += 1;
        let mut flips = Vec::new();
        let (mut is_special, mut is_deadlock, mut stop) = (false, false, None);
        let Learner { evaluator, encoding, outline, scratch, budget, .. } = self;
        let visit: &mut Visit<'_> = &mut |successor| {
            if successor.pulse.is_some() {
                stop = counts.pulse(&successor, budget, 0, 0).map(Interrupt::Limit);
                return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            counts.mark(successor.moves);
            match (successor.target, successor.violations) {
                (Some(target), []) => match self::key(encoding, evaluator, outline, target) {
                    Ok(target) => flips.push(target ^ key),
                    // The others may be new too.
                    Err(interrupt) => stop = Some(interrupt),
                },
                _ => is_special = true,
            }
            ControlFlow::Continue(())
        };
        match process {
            Some(process) => {
                let alone: ProcessSet = [process as usize].into_iter().collect();
                evaluator.successors_of(alone, state, scratch, visit);
            }
            None => is_deadlock = evaluator.successors(state, scratch, visit) == Expansion::Deadlock,
        }
        match stop {
            Some(interrupt) => Err(interrupt),
            None if is_special || is_deadlock => Ok(Outcome::Host),
            None => Ok(Outcome::Steps(flips)),
        }
    }
}

/// Returns the key of a state. What is new to it is taken note of.
fn key(
    encoding: &mut Encoding,
    evaluator: &Evaluator<'_>,
    outline: &mut Outline,
    state: &[u8],
) -> Result<Key, Interrupt> {
    if let Ok(key) = encoding.key(state) {
        return Ok(key);
    }
    encoding.note(evaluator, state, outline);
    if encoding.is_stale() {
        return Err(Interrupt::Anew);
    }
    encoding.key(state).map_err(|Outgrown| Interrupt::Anew)
}
