//! States as bytes: a tree in preorder, with values written out, so that a state does not depend on the
//! thread that found it.

use std::ops::Range;

use super::memory::Memory;
use super::points::{Behaviour, PointId, PointKind};
use super::values::{Value, read_number, skip, write_number};

impl Behaviour {
    /// Writes a tree.
    pub(super) fn write(&self, node: u32, memory: &Memory, state: &mut Vec<u8>) {
        let [point, first, second] = memory.nodes.get(node);
        write_number(point, state);
        let here = self.point(PointId(point));
        match &here.kind {
            PointKind::Parallel { .. } | PointKind::Disable(..) => {
                self.write(first, memory, state);
                self.write(second, memory, state);
            }
            PointKind::Hide(..) => self.write(first, memory, state),
            PointKind::Enable { kept, .. } => {
                for (kept, word) in kept.iter().zip(memory.tuples.get(second)) {
                    let sort = here.variables[usize::from(*kept)];
                    memory.values.encode(&self.data, sort, Value::from_word(*word), state);
                }
                self.write(first, memory, state);
            }
            _ => {
                for (sort, word) in here.variables.iter().zip(memory.tuples.get(first)) {
                    memory.values.encode(&self.data, *sort, Value::from_word(*word), state);
                }
            }
        }
    }

    /// Reads a tree.
    pub(super) fn read(&self, state: &mut &[u8], memory: &mut Memory) -> u32 {
        let point = read_number(state);
        let here = self.point(PointId(point));
        match &here.kind {
            PointKind::Parallel { .. } | PointKind::Disable(..) => {
                let left = self.read(state, memory);
                let right = self.read(state, memory);
                memory.pair(point, left, right)
            }
            PointKind::Hide(..) => {
                let body = self.read(state, memory);
                memory.wrap(point, body, 0)
            }
            PointKind::Enable { kept, .. } => {
                let mut values = Vec::with_capacity(kept.len());
                for kept in kept {
                    let sort = here.variables[usize::from(*kept)];
                    values.push(memory.values.decode(&self.data, sort, state));
                }
                let tuple = memory.tuple(values.into_iter());
                let body = self.read(state, memory);
                memory.wrap(point, body, tuple)
            }
            _ => {
                let mut values = Vec::with_capacity(here.variables.len());
                for sort in &here.variables {
                    values.push(memory.values.decode(&self.data, *sort, state));
                }
                memory.leaf(PointId(point), &values)
            }
        }
    }

    /// Visits the leaves of a state: their points, and the bytes of their variables.
    pub(super) fn walk(&self, state: &[u8], leaves: &mut dyn FnMut(PointId, Range<usize>)) {
        let mut rest = state;
        while !rest.is_empty() {
            let point = PointId(read_number(&mut rest));
            let here = self.point(point);
            match &here.kind {
                PointKind::Parallel { .. } | PointKind::Hide(..) | PointKind::Disable(..) => {}
                PointKind::Enable { kept, .. } => {
                    for kept in kept {
                        skip(&self.data, here.variables[usize::from(*kept)], &mut rest);
                    }
                }
                _ => {
                    let start = state.len() - rest.len();
                    for sort in &here.variables {
                        skip(&self.data, *sort, &mut rest);
                    }
                    leaves(point, start..state.len() - rest.len());
                }
            }
        }
    }
}
