//! From keys back to states.

use std::sync::atomic::Ordering;

use super::{Components, MARGIN, Numbers, Outline};
use crate::store::layout::{ARITY, Layout, SIDE, Splits, TOP};

impl Components {
    /// Finds the state of a key again.
    pub(crate) fn decode(&self, key: u64, state: &mut Outline) {
        state.key = key;
        match &self.layout {
            Layout::Flat(flat) => {
                state.shape = flat.shape.get(key);
                for (number, field) in state.numbers.leaves.iter_mut().zip(&flat.leaves) {
                    *number = field.get(key);
                }
            }
            Layout::Folded(splits) => self.unfold(key, splits, state),
        }
        let shape = self.shapes.get(state.shape);
        state.length = shape.bytes();
        // Whole words are written, each leaf over what the one before has left behind its end.
        if state.bytes.len() != state.length + MARGIN {
            state.bytes.resize(state.length + MARGIN, 0);
        }
        let mut start = 0;
        for ((end, table), number) in shape.ends.iter().zip(&self.leaves).zip(&state.numbers.leaves) {
            let end = *end as usize;
            let places = state.bytes[start..].as_chunks_mut().0;
            let count = (end - start).div_ceil(8);
            for (place, word) in places[..count].iter_mut().zip(table.record(*number)) {
                *place = word.load(Ordering::Relaxed).to_le_bytes();
            }
            start = end;
        }
    }

    fn unfold(&self, key: u64, splits: &Splits, state: &mut Outline) {
        let mut halves = [[0; SIDE + 2]; 2];
        for ((half, table), number) in
            halves.iter_mut().zip(&self.halves).zip([(key >> 32) as u32, key as u32])
        {
            for (pair, word) in half.as_chunks_mut().0.iter_mut().zip(table.record(number)) {
                let word = word.load(Ordering::Relaxed);
                *pair = [word as u32, (word >> 32) as u32];
            }
        }
        state.shape = halves[0][0];
        let leaves = self.shapes.get(state.shape).ends.len();
        let left = splits.of(leaves);
        let nodes = leaves > TOP;
        let count = if nodes { leaves.div_ceil(ARITY) } else { leaves };
        let Numbers { leaves: leaf_numbers, nodes: node_numbers } = &mut state.numbers;
        let top: &mut [u32] = if nodes { node_numbers } else { leaf_numbers };
        let mut used = [1, 0];
        for (index, number) in top[..count].iter_mut().enumerate() {
            let half = usize::from(left >> index & 1 == 0);
            *number = halves[half][used[half]];
            used[half] += 1;
        }
        if nodes {
            for (index, group) in leaf_numbers[..leaves].chunks_mut(ARITY).enumerate() {
                let record = self.nodes[index].record(node_numbers[index]);
                let parts = record.iter().flat_map(|word| {
                    let word = word.load(Ordering::Relaxed);
                    [word as u32, (word >> 32) as u32]
                });
                for (number, part) in group.iter_mut().zip(parts) {
                    *number = part;
                }
            }
        }
    }
}
