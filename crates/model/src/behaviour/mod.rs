//! Processes as a process algebra has them: actions at gates, side by side, one after the other, hidden.
//!
//! A [`Behaviour`] is plain data: sorts with equations, and points of control. Its meaning is a
//! [`StateSpace`]: from a state, a string of bytes, to its successors, each with a label.

mod alphabet;
mod answers;
mod crown;
mod data;
mod events;
mod leaves;
mod memory;
mod points;
mod rewrite;
mod settle;
mod steps;
mod tables;
mod unfolding;
mod values;
mod written;

use std::fmt::Write;
use std::ops::ControlFlow;

pub use data::{
    Builtin, Condition, Data, Meaning, Operation, OperationId, Pattern, Rule, Sort, SortId, Term,
};
pub use points::{Behaviour, GateId, GateSet, Jump, Offer, Point, PointId, PointKind};
pub use rewrite::Fault;
pub use unfolding::Unfolding;

use crate::{Difference, Expansion, Scratch, StateSpace, Successor, Violation};
use crown::Crown;
use memory::Memory;
use rustc_hash::FxHashSet;
use values::{read_number, write_number};

/// What a thread remembers of states as bytes is forgotten when it has more bytes than this.
const MOST: u64 = 1 << 28;

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

    /// Says why a state has no successors; `None` if nothing is wrong with it. Without a state, it is about the first one.
    pub fn fault(&self, state: Option<&[u8]>) -> Option<Fault> {
        let mut memory = Memory::default();
        memory.prepare(self);
        let result = match state {
            Some(mut state) => {
                let node = self.read(&mut state, &mut memory);
                self.expand(&Crown::Tree(0), &[node], &mut memory, &mut |_, _| {})
            }
            None => self.settle(self.initial, &[], &mut memory, 0).map(|_| ()),
        };
        result.err().map(|fault| *fault)
    }

    /// Describes a state: where each process stands, and the values of its variables.
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

impl Fault {
    fn violation(&self) -> Violation {
        Violation { kind: self.kind, span: self.span, pid: 0 }
    }
}

impl StateSpace for Behaviour {
    fn hidden_bytes(&self) -> usize {
        0
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let mut memory = Memory::default();
        memory.prepare(self);
        let node = self.settle(self.initial, &[], &mut memory, 0).map_err(|fault| fault.violation())?;
        let mut state = Vec::new();
        self.write(node, &memory, &mut state);
        Ok((state, Vec::new()))
    }

    fn successors(
        &self,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let memory: &mut Memory = scratch.memory();
        if memory.bytes() > MOST {
            *memory = Memory::default();
        }
        memory.prepare(self);
        let mut rest = state;
        let node = self.read(&mut rest, memory);
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut seen = FxHashSet::default();
        let result = self.expand(&Crown::Tree(0), &[node], memory, &mut |event, row| {
            // Two processes may do the same.
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
            let successor = Successor {
                moves: &[],
                violations: &[],
                events: &[],
                label: &label,
                target: Some(&target),
                difference: Difference::Unknown,
                pulse: None,
            };
            if visit(successor).is_break() {
                return Expansion::Moves;
            }
        }
        if let Err(fault) = result {
            let _ = visit(Successor {
                moves: &[],
                violations: &[fault.violation()],
                events: &[],
                label: &[],
                target: None,
                difference: Difference::Unknown,
                pulse: None,
            });
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
