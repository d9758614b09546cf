//! Behaviours of a process algebra: actions at gates, parallel composition, sequencing, disabling, hiding.
//!
//! A [`Behaviour`] is plain data: sorts with equations, and control points. Its meaning is a [`StateSpace`]:
//! from a state, a string of bytes, to its successors, each with a label.
//!
//! A state is a tree: an inner node is a point of parallel composition, hiding, sequencing or disabling, a
//! leaf is a sequential process with the values of its variables.
//!
//! | file | contents |
//! |---|---|
//! | `data.rs`, `points.rs` | the data: sorts, operations and equations; control points |
//! | `values.rs`, `rewrite.rs` | hash-consed constructor terms; innermost rewriting |
//! | `memory.rs`, `hash_consing.rs` | the caches of a thread; hash-consed trees |
//! | `events.rs`, `step_cache.rs` | gates with values; memoised steps of trees |
//! | `closure.rs`, `process_steps.rs`, `steps.rs` | entering a control point; steps of a process, of a tree |
//! | `alphabet.rs` | which gates a tree can ever use |
//! | `components.rs` | a behaviour taken apart: components, and who takes steps together |
//! | `unfolding.rs`, `static_skeleton.rs` | all states by number, as rows of trees below a static skeleton |
//! | `encoding.rs` | states as bytes, for the generic searches |

mod alphabet;
mod closure;
mod components;
mod data;
mod encoding;
mod events;
mod hash_consing;
mod memory;
mod points;
mod process_steps;
mod rewrite;
mod static_skeleton;
mod step_cache;
mod steps;
mod unfolding;
mod upper_bounds;
mod values;

use std::fmt::Write;

pub use data::{
    Builtin, Condition, Data, Meaning, Operation, OperationId, Pattern, Rule, Sort, SortId, Term,
};
pub use points::{Behaviour, GateId, GateSet, Jump, Offer, Point, PointId, PointKind};
pub use rewrite::Fault;
pub use unfolding::Unfolding;

use crate::{
    Components, Expansion, LabelledSystem, Scratch, StatePart, StateSpace, Successor, Unfold, Violation,
    Visit,
};
use memory::Memory;
use rustc_hash::FxHashSet;
use static_skeleton::Skeleton;
use values::{read_number, write_number};

/// With more bytes than this, a thread's caches are cleared.
const MAX_MEMORY: u64 = 1 << 28;

impl Behaviour {
    /// Writes a label as text: the gate, and the values after exclamation marks.
    pub fn label(&self, label: &[u8]) -> String {
        let mut memory = Memory::default();
        memory.values.prepare(&self.data);
        let mut rest = label;
        let gate = read_number(&mut rest);
        let mut text = self.gates.get(gate as usize).cloned().unwrap_or_default();
        while !rest.is_empty() {
            let sort = SortId(read_number(&mut rest) as u16);
            let value = memory.values.decode(&self.data, sort, &mut rest);
            text.push_str(" !");
            memory.values.show(&self.data, sort, value, &mut text);
        }
        text
    }

    /// Returns why a state has no successors; `None` if nothing is wrong with it. Without a state, it is
    /// about the initial one.
    pub fn fault(&self, state: Option<&[u8]>) -> Option<Fault> {
        let mut memory = Memory::default();
        memory.prepare(self);
        let result = match state {
            Some(mut state) => {
                let node = self.read(&mut state, &mut memory);
                self.expand(&Skeleton::Tree(0), &[node], &mut memory, &mut |_, _| {})
            }
            None => self.enter(self.initial, &[], &mut memory, 0).map(|_| ()),
        };
        result.err().map(|fault| *fault)
    }

    /// Describes a state: the control point of each process, and the values of its variables.
    pub fn describe(&self, state: &[u8]) -> Vec<(PointId, String)> {
        let mut memory = Memory::default();
        memory.values.prepare(&self.data);
        let mut parts = Vec::new();
        self.walk(state, &mut |point, range| {
            let (mut text, mut rest) = (String::new(), &state[range]);
            for sort in &self.point(point).variables {
                let value = memory.values.decode(&self.data, *sort, &mut rest);
                text.push_str(if text.is_empty() { "" } else { ", " });
                memory.values.show(&self.data, *sort, value, &mut text);
            }
            parts.push((point, text));
        });
        parts
    }

    /// Says in one sentence what went wrong.
    pub fn fault_text(fault: &Fault) -> String {
        let mut text = fault.kind.message().to_owned();
        if !fault.about.is_empty() {
            let _ = write!(text, ": {}", fault.about);
        }
        text
    }
}

impl LabelledSystem for Behaviour {
    fn label(&self, label: &[u8]) -> String {
        Behaviour::label(self, label)
    }

    fn describe(&self, state: &[u8]) -> Vec<StatePart> {
        let is_over = |point: PointId| point == Behaviour::STOP || point == Behaviour::DONE;
        let span = |point: PointId| (!is_over(point)).then(|| self.point(point).span);
        let part = |(point, values): (PointId, String)| StatePart { span: span(point), values };
        Behaviour::describe(self, state).into_iter().map(part).collect()
    }

    fn fault(&self, state: Option<&[u8]>) -> Option<Fault> {
        Behaviour::fault(self, state)
    }

    fn unfold(&self) -> Result<Box<dyn Unfold + '_>, Fault> {
        Ok(Box::new(Unfolding::new(self)?))
    }

    fn components(&self) -> Box<dyn Components + '_> {
        Box::new(components::Parts::new(self))
    }
}

impl Unfold for Unfolding<'_> {
    fn states(&self) -> u32 {
        Unfolding::states(self)
    }

    fn expand(&mut self, state: u32) -> Result<(), Fault> {
        Unfolding::expand(self, state)
    }

    fn edges(&self) -> &[(u32, u32)] {
        Unfolding::edges(self)
    }

    fn label(&self, label: u32) -> String {
        Unfolding::label(self, label)
    }

    fn bytes(&self) -> u64 {
        Unfolding::bytes(self)
    }

    fn is_full(&self) -> bool {
        Unfolding::is_full(self)
    }
}

impl Fault {
    fn violation(&self) -> Violation {
        Violation { kind: self.kind, span: self.span, pid: 0 }
    }
}

impl StateSpace for Behaviour {
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let mut memory = Memory::default();
        memory.prepare(self);
        let node = self.enter(self.initial, &[], &mut memory, 0).map_err(|fault| fault.violation())?;
        let mut state = Vec::new();
        self.write(node, &memory, &mut state);
        Ok((state, Vec::new()))
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let memory: &mut Memory = scratch.memory();
        if memory.bytes() > MAX_MEMORY {
            *memory = Memory::default();
        }
        memory.prepare(self);
        let mut rest = state;
        let node = self.read(&mut rest, memory);
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut seen = FxHashSet::default();
        let result = self.expand(&Skeleton::Tree(0), &[node], memory, &mut |event, row| {
            // Two processes may have the same step.
            if seen.insert((event, row[0])) {
                found.push((event, row[0]));
            }
        });
        let (mut label, mut target) = (Vec::new(), Vec::new());
        for (event, node) in &found {
            label.clear();
            write_number(u32::from(memory.events.gate(*event).0), &mut label);
            for (sort, value) in memory.events.given(*event) {
                write_number(u32::from(sort.0), &mut label);
                memory.values.encode(&self.data, sort, value.unwrap_or_default(), &mut label);
            }
            target.clear();
            self.write(*node, memory, &mut target);
            let successor = Successor { label: &label, target: Some(&target), ..Successor::default() };
            if visit(successor).is_break() {
                return Expansion::Moves;
            }
        }
        if let Err(fault) = result {
            let _ = visit(Successor { violations: &[fault.violation()], ..Successor::default() });
            return Expansion::Moves;
        }
        if !found.is_empty() {
            return Expansion::Moves;
        }
        if *state == [Behaviour::DONE.0 as u8] { Expansion::Ended } else { Expansion::Deadlock }
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        self.walk(state, &mut |_, range| ends.push(range.end as u32));
    }
}
