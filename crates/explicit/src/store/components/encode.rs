//! From states to keys: changed leaves get numbers, and the numbers make the key.

use narrows_model::Difference;

use super::words::{fill, read};
use super::{Blank, Components, KeyPart, Numbers, Outline, Stop, Wanted, Words};
use crate::store::Memory;
use crate::store::layout::{ARITY, Layout, Splits, TOP};
use crate::store::shape::Shape;

/// Leaves of up to this many words are put together without a list.
const MANY_WORDS: usize = 24;

impl Components {
    /// Returns the key of a state. `parts` are the ends of its parts.
    pub(crate) fn encode(
        &self,
        state: &[u8],
        parts: &[u32],
        from: &Outline,
        to: &mut Outline,
        memory: &Memory,
    ) -> Result<u64, Stop> {
        let mut wanted = Vec::new();
        let prepared = self.prepare(state, parts, from, to, 0, &mut wanted, memory);
        let key = prepared.and_then(|mut key| {
            self.complete(&wanted, memory, &mut |_, part| key |= part)?;
            Ok(key)
        });
        memory.drop_list(wanted);
        key
    }

    /// Returns the key of a state, and makes tables larger for it; an error to grow means that components are
    /// cramped.
    pub(crate) fn add(
        &mut self,
        state: &[u8],
        parts: &[u32],
        scratch: &mut Blank,
        memory: &Memory,
    ) -> Result<u64, Stop> {
        let Blank { nothing, to } = scratch;
        loop {
            match self.encode(state, parts, nothing, to, memory) {
                Err(Stop::Grow) if !self.is_cramped() => self.grow(memory)?,
                result => return result,
            }
        }
    }

    /// Returns the key of a state that comes from another; where half of it needs a node to be looked up,
    /// that is 0, and the node is added to those wanted, with the place of the key.
    pub(crate) fn prepare(
        &self,
        state: &[u8],
        parts: &[u32],
        from: &Outline,
        to: &mut Outline,
        place: u32,
        wanted: &mut Vec<Wanted>,
        memory: &Memory,
    ) -> Result<u64, Stop> {
        let old = (from.shape != u32::MAX).then(|| self.shapes.get(from.shape));
        let shape = match old {
            Some(shape) if *shape.parts == *parts => shape,
            // Most have the shape of the last one; to look for it, threads would wait for each other.
            _ => match self.shapes.known(to.shape) {
                Some(shape) if *shape.parts == *parts => shape,
                _ => self.shapes.find(parts)?,
            },
        };
        to.shape = shape.number;
        if shape.ends.len() > self.leaves.len() {
            return Err(self.say_cramped());
        }
        for (leaf, (start, end)) in shape.leaves().enumerate() {
            let known = match old {
                Some(old) if leaf < old.ends.len() && old.range(leaf) == (start, end) => {
                    from.bytes[start..end] == state[start..end]
                }
                _ => false,
            };
            to.numbers.leaves[leaf] = if known {
                from.numbers.leaves[leaf]
            } else {
                self.name_leaf(leaf, state, start, end, memory)?
            };
        }
        let leaves = shape.ends.len();
        match &self.layout {
            Layout::Flat(flat) => {
                if !flat.shape.fits(shape.number) || leaves > flat.leaves.len() {
                    return Err(self.say_cramped());
                }
                let mut key = flat.shape.set(0, shape.number);
                for (field, number) in flat.leaves.iter().zip(&to.numbers.leaves[..leaves]) {
                    if !field.fits(*number) {
                        return Err(self.say_cramped());
                    }
                    key = field.set(key, *number);
                }
                Ok(key)
            }
            Layout::Folded(splits) => {
                if leaves > TOP {
                    for (index, group) in to.numbers.leaves[..leaves].chunks(ARITY).enumerate() {
                        to.numbers.nodes[index] = self.name_node(index, group, memory)?;
                    }
                }
                let split = splits.of(leaves);
                let numbers = top(&to.numbers, leaves);
                memory.reserve(wanted, 2)?;
                let [left, right] = halves(shape.number, numbers, split);
                wanted.push(Wanted { place, what: KeyPart::Left, words: left });
                wanted.push(Wanted { place, what: KeyPart::Right, words: right });
                Ok(0)
            }
        }
    }

    /// Returns the key of a state that differs from another in a known way, as [`Components::prepare`] does;
    /// `None` if too little is known.
    #[inline]
    pub(crate) fn prepare_near(
        &self,
        state: &[u8],
        difference: Difference<'_>,
        from: &Outline,
        to: &mut Outline,
        place: u32,
        wanted: &mut Vec<Wanted>,
        memory: &Memory,
    ) -> Result<Option<u64>, Stop> {
        if from.shape == u32::MAX {
            return Ok(None);
        }
        let shape = self.shapes.get(from.shape);
        let mut changed = 0;
        match difference {
            Difference::Unknown => return Ok(None),
            Difference::Alike => {
                for (leaf, (start, end)) in shape.leaves().enumerate() {
                    changed |= u64::from(from.bytes[start..end] != state[start..end]) << leaf;
                }
            }
            Difference::Changes(changes) => {
                for change in changes {
                    changed |= shape.leaves_of(change.offset, change.width);
                }
            }
        }
        match &self.layout {
            Layout::Flat(flat) => {
                let mut key = from.key;
                while changed != 0 {
                    let leaf = changed.trailing_zeros() as usize;
                    changed &= changed - 1;
                    let (start, end) = shape.range(leaf);
                    let field = flat.leaves[leaf];
                    let table = &self.leaves[leaf];
                    if table.is_large() && table.stride() <= Words::default().len() {
                        let mut words = Words::default();
                        fill(&mut words[..(end - start).div_ceil(8)], state, start, end);
                        memory.reserve(wanted, 1)?;
                        wanted.push(Wanted { place, what: KeyPart::Leaf(leaf as u8), words });
                        key = field.set(key, 0);
                        continue;
                    }
                    let number = self.name_leaf(leaf, state, start, end, memory)?;
                    if !field.fits(number) {
                        return Err(self.say_cramped());
                    }
                    key = field.set(key, number);
                }
                Ok(Some(key))
            }
            Layout::Folded(splits) => {
                self.fold_changed(state, shape, splits, changed, from, to, place, wanted, memory).map(Some)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a state, where it comes from, and where its key goes")]
    fn fold_changed(
        &self,
        state: &[u8],
        shape: &Shape,
        splits: &Splits,
        mut changed: u64,
        from: &Outline,
        to: &mut Outline,
        place: u32,
        wanted: &mut Vec<Wanted>,
        memory: &Memory,
    ) -> Result<u64, Stop> {
        let leaves = shape.ends.len();
        to.numbers.leaves[..leaves].copy_from_slice(&from.numbers.leaves[..leaves]);
        // A bit for each number that is divided between halves.
        let mut changed_top = changed;
        let mut groups = 0_u64;
        while changed != 0 {
            let leaf = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let (start, end) = shape.range(leaf);
            let number = self.name_leaf(leaf, state, start, end, memory)?;
            if number == from.numbers.leaves[leaf] {
                changed_top &= !(1 << leaf);
                continue;
            }
            to.numbers.leaves[leaf] = number;
            groups |= 1 << (leaf / ARITY);
        }
        if leaves > TOP {
            to.numbers.nodes = from.numbers.nodes;
            changed_top = groups;
            while groups != 0 {
                let node = groups.trailing_zeros() as usize;
                groups &= groups - 1;
                let group = &to.numbers.leaves[node * ARITY..leaves.min((node + 1) * ARITY)];
                to.numbers.nodes[node] = self.name_node(node, group, memory)?;
            }
        }
        let split = splits.of(leaves);
        let numbers = top(&to.numbers, leaves);
        let mut key = from.key;
        memory.reserve(wanted, 2)?;
        let [left, right] = halves(shape.number, numbers, split);
        if changed_top & u64::from(split) != 0 {
            key &= u64::from(u32::MAX);
            wanted.push(Wanted { place, what: KeyPart::Left, words: left });
        }
        if changed_top & !u64::from(split) != 0 {
            key &= !u64::from(u32::MAX);
            wanted.push(Wanted { place, what: KeyPart::Right, words: right });
        }
        Ok(key)
    }

    /// Returns the number of a leaf.
    #[inline]
    fn name_leaf(
        &self,
        leaf: usize,
        state: &[u8],
        start: usize,
        end: usize,
        memory: &Memory,
    ) -> Result<u32, Stop> {
        let table = &self.leaves[leaf];
        let (stride, words) = (table.stride(), (end - start).div_ceil(8));
        if words > stride {
            return Err(self.say_cramped());
        }
        // Nearly all are small, and with a known length there are no loops.
        match stride {
            1 => table.intern(&read::<1>(state, start, end), memory),
            2 => table.intern(&read::<2>(state, start, end), memory),
            3 => table.intern(&read::<3>(state, start, end), memory),
            4 => table.intern(&read::<4>(state, start, end), memory),
            5..=MANY_WORDS => {
                let mut record = [0; MANY_WORDS];
                fill(&mut record[..words], state, start, end);
                table.intern(&record[..stride], memory)
            }
            _ => {
                let mut record = vec![0; stride];
                fill(&mut record[..words], state, start, end);
                table.intern(&record, memory)
            }
        }
    }

    fn name_node(&self, node: usize, group: &[u32], memory: &Memory) -> Result<u32, Stop> {
        let number = |index: usize| u64::from(group.get(index).copied().unwrap_or(0));
        self.nodes[node].intern(&[number(0) | number(1) << 32, number(2) | number(3) << 32], memory)
    }
}

/// Returns the numbers that are divided between halves.
#[inline]
fn top(numbers: &Numbers, leaves: usize) -> &[u32] {
    if leaves > TOP { &numbers.nodes[..leaves.div_ceil(ARITY)] } else { &numbers.leaves[..leaves] }
}

/// Returns the nodes of both halves of a key; the left one has the number of the shape first.
#[inline]
fn halves(shape: u32, numbers: &[u32], left: u16) -> [Words; 2] {
    let mut halves = [Words::default(); 2];
    halves[0][0] = u64::from(shape);
    let mut used = [1_usize, 0];
    for (index, number) in numbers.iter().enumerate() {
        let half = usize::from(left >> index & 1 == 0);
        halves[half][used[half] / 2] |= u64::from(*number) << (32 * (used[half] % 2));
        used[half] += 1;
    }
    halves
}
