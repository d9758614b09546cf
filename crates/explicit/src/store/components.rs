//! States as keys: cut into leaves, each kept once, their numbers put or folded into a key.
//!
//! A state is cut into leaves ([`Shape`]); those at the same place of different states are kept in one table, and numbered.
//! The numbers, and that of the shape, make the key ([`Layout`]). So different states have different keys, and a key gives
//! back its state. A successor shares most leaves and nodes with the state it comes from; only those that changed are
//! looked up.
//!
//! This is the tree compression of S. Blom, B. Lisser, J. van de Pol and M. Weber, *A database approach to distributed
//! state space generation* (2007), and A. Laarman, J. van de Pol and M. Weber, *Parallel recursive state compression for
//! free* (2011), with leaves that follow the components of the model, as in SPIN's COLLAPSE.

mod adapt;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_model::Difference;

pub(crate) use super::interner::AHEAD;
pub(crate) use super::interner::Stop;
use super::interner::{Interner, hash as hash_of};
pub(crate) use super::layout::Field;
use super::layout::{ARITY, Flat, Layout, SIDE, Splits, TOP};
use super::shape::{MOST_LEAVES, Shape, Shapes};
use super::{Full, Memory};

/// The key of no state.
pub(crate) const NOWHERE: u64 = u64::MAX;

/// Leaves of up to this many words are put together without a list.
const MANY_WORDS: usize = 24;

/// The words of a leaf, or of a node that half of a key names: numbers of leaves or nodes, on the left that of the shape
/// first.
type Words = [u64; SIDE / 2 + 1];

/// Components of states, each kept once.
#[derive(Debug)]
pub(crate) struct Components {
    shapes: Shapes,
    layout: Layout,
    /// Leaves, by their place in a state.
    leaves: Vec<Interner>,
    /// Nodes, likewise.
    nodes: Vec<Interner>,
    /// What the halves of a key name.
    halves: [Interner; 2],
    /// Whether a number has outgrown its bits, or a leaf its table.
    cramped: AtomicBool,
}

/// How keys change when components get more room.
#[derive(Debug)]
pub(crate) struct Repacking {
    /// Which bits each number had; `None` if they stay the same.
    before: Option<Flat>,
}

impl Repacking {
    pub(crate) fn changes_keys(&self) -> bool {
        self.before.is_some()
    }
}

/// A leaf or a node whose number a key lacks. Where there are many, looking up one takes long; it does not take much longer
/// to look up [`AHEAD`] of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Which key it is.
    place: u32,
    what: Part,
    words: Words,
}

/// What a number in a key stands for.
#[derive(Clone, Copy, Debug)]
enum Part {
    Left,
    Right,
    Leaf(u8),
}

/// A table with fewer leaves than this is always near.
const MANY_LEAVES: u64 = 1 << 12;

/// A state and the numbers of its components.
#[derive(Debug)]
pub(crate) struct Outline {
    /// The state, without hidden bytes, and a margin of some bytes.
    bytes: Vec<u8>,
    length: usize,
    shape: u32,
    numbers: Numbers,
    key: u64,
}

/// What is needed to make the key of a state that comes from nowhere, to use again and again.
#[derive(Debug, Default)]
pub(crate) struct Blank {
    nothing: Outline,
    to: Outline,
}

/// The numbers of leaves, and those of nodes above them.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    leaves: [u32; MOST_LEAVES],
    nodes: [u32; TOP],
}

/// So many bytes behind a state may be written.
const MARGIN: usize = 8;

impl Default for Outline {
    fn default() -> Outline {
        let numbers = Numbers { leaves: [0; MOST_LEAVES], nodes: [0; TOP] };
        Outline { bytes: vec![0; MARGIN], length: 0, shape: u32::MAX, numbers, key: NOWHERE }
    }
}

impl Outline {
    /// Returns the state, without hidden bytes.
    pub(crate) fn state(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Components {
    pub(crate) fn new(memory: &Memory) -> Result<Components, Full> {
        Components::with(Shapes::new(Arc::default()), Layout::Folded(Splits::default()), memory)
    }

    fn with(shapes: Shapes, layout: Layout, memory: &Memory) -> Result<Components, Full> {
        let leaves = words_of(&shapes);
        Ok(Components {
            shapes,
            layout,
            leaves: leaves.into_iter().map(|words| Interner::new(words, memory)).collect::<Result<_, _>>()?,
            nodes: (0..TOP).map(|_| Interner::new(ARITY / 2, memory)).collect::<Result<_, _>>()?,
            halves: [Interner::new(SIDE / 2 + 1, memory)?, Interner::new(SIDE / 2, memory)?],
            cramped: AtomicBool::new(false),
        })
    }

    /// Returns how many bits the halves of keys have, if that is known beforehand.
    pub(crate) fn bits(&self) -> Option<(u32, u32)> {
        match &self.layout {
            Layout::Flat(flat) => Some((flat.bits().saturating_sub(32).max(1), 32)),
            Layout::Folded(_) => None,
        }
    }

    /// Returns the bits of a key that say which shape its state has, if the numbers of leaves stand in keys as they are.
    pub(crate) fn shape_bits(&self) -> Option<u64> {
        match &self.layout {
            Layout::Flat(flat) => Some(flat.shape.mask()),
            Layout::Folded(_) => None,
        }
    }

    /// Returns the shape of a key's state, and how many bytes it has, if numbers stand in keys as they are.
    pub(crate) fn shape_of(&self, key: u64) -> Option<(u32, usize)> {
        match &self.layout {
            Layout::Flat(flat) => {
                let shape = flat.shape.get(key);
                Some((shape, self.shapes.get(shape).bytes()))
            }
            Layout::Folded(_) => None,
        }
    }

    /// Returns the bits of a key that some bytes of its state decide about; likewise.
    pub(crate) fn bits_for(&self, key: u64, bytes: &Range<u32>) -> Option<u64> {
        let Layout::Flat(flat) = &self.layout else { return None };
        let leaves = self.shapes.get(flat.shape.get(key)).leaves_of(bytes.start, bytes.end - bytes.start);
        let fields = flat.leaves.iter().enumerate().filter(|(leaf, _)| leaves >> leaf & 1 == 1);
        Some(fields.fold(0, |bits, (_, field)| bits | field.mask()))
    }

    /// Returns where the number of a leaf is in a key, if some bits are just that leaf's.
    pub(crate) fn field_of(&self, bits: u64) -> Option<Field> {
        let Layout::Flat(flat) = &self.layout else { return None };
        flat.leaves.iter().copied().find(|field| field.mask() == bits)
    }

    /// Returns whether all keys must be made anew before there is room for more.
    pub(crate) fn is_cramped(&self) -> bool {
        self.cramped.load(Ordering::Relaxed)
    }

    #[cold]
    fn say_cramped(&self) -> Stop {
        self.cramped.store(true, Ordering::Relaxed);
        Stop::Grow
    }

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

    /// Returns the key of a state, and makes tables larger for it; an error to grow means that components are cramped.
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

    /// Returns the key of a state that comes from another; where half of it needs a node to be looked up, that is 0, and
    /// the node is added to those wanted, with the place of the key.
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
            _ => self.shapes.find(parts)?,
        };
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
                wanted.push(Wanted { place, what: Part::Left, words: left(shape.number, &numbers[..split]) });
                wanted.push(Wanted { place, what: Part::Right, words: right(&numbers[split..]) });
                Ok(0)
            }
        }
    }

    /// Returns the key of a state that differs from another in a known way, as [`Components::prepare`] does; `None` if too
    /// little is known.
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
                    if table.len() > MANY_LEAVES && table.stride() <= Words::default().len() {
                        let mut words = Words::default();
                        fill(&mut words[..(end - start).div_ceil(8)], state, start, end);
                        memory.reserve(wanted, 1)?;
                        wanted.push(Wanted { place, what: Part::Leaf(leaf as u8), words });
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
        if changed_top & ((1 << split) - 1) != 0 {
            key &= u64::from(u32::MAX);
            wanted.push(Wanted { place, what: Part::Left, words: left(shape.number, &numbers[..split]) });
        }
        if changed_top >> split != 0 {
            key &= !u64::from(u32::MAX);
            wanted.push(Wanted { place, what: Part::Right, words: right(&numbers[split..]) });
        }
        Ok(key)
    }

    fn table(&self, part: Part) -> &Interner {
        match part {
            Part::Left => &self.halves[0],
            Part::Right => &self.halves[1],
            Part::Leaf(leaf) => &self.leaves[usize::from(leaf)],
        }
    }

    /// Looks up what is wanted, and completes keys.
    pub(crate) fn complete(
        &self,
        wanted: &[Wanted],
        memory: &Memory,
        complete: &mut impl FnMut(u32, u64),
    ) -> Result<(), Stop> {
        for wanted in wanted.chunks(AHEAD) {
            let mut hashes = [0; AHEAD];
            let mut nearest = [None; AHEAD];
            for ((hash, nearest), Wanted { what, words, .. }) in
                hashes.iter_mut().zip(&mut nearest).zip(wanted)
            {
                let table = self.table(*what);
                *hash = hash_of(&words[..table.stride()]);
                *nearest = table.nearest(*hash);
            }
            let mut sum = 0;
            for (number, Wanted { what, .. }) in nearest.iter().zip(wanted) {
                if let Some(number) = number {
                    sum ^= self.table(*what).record(*number)[0].load(Ordering::Relaxed);
                }
            }
            // Nothing is done with it, but it must be read before what follows.
            std::hint::black_box(sum);
            for (hash, Wanted { place, what, words }) in hashes.into_iter().zip(wanted) {
                let table = self.table(*what);
                let number = table.intern_hashed(&words[..table.stride()], hash, memory)?;
                let shift = match (what, &self.layout) {
                    (Part::Left, _) => 32,
                    (Part::Leaf(leaf), Layout::Flat(flat)) => {
                        let field = flat.leaves[usize::from(*leaf)];
                        if !field.fits(number) {
                            return Err(self.say_cramped());
                        }
                        field.shift
                    }
                    _ => 0,
                };
                complete(*place, u64::from(number) << shift);
            }
        }
        Ok(())
    }

    /// Brings what some keys stand for nearer to the processor.
    pub(crate) fn approach(&self, keys: &[u64]) {
        let mut sum = 0;
        match &self.layout {
            Layout::Flat(flat) => {
                for (table, field) in self.leaves.iter().zip(&flat.leaves) {
                    if table.len() > MANY_LEAVES {
                        for key in keys {
                            sum ^= table.record(field.get(*key))[0].load(Ordering::Relaxed);
                        }
                    }
                }
            }
            Layout::Folded(_) => {
                for key in keys {
                    sum ^= self.halves[0].record((key >> 32) as u32)[0].load(Ordering::Relaxed);
                    sum ^= self.halves[1].record(*key as u32)[0].load(Ordering::Relaxed);
                }
            }
        }
        std::hint::black_box(sum);
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
        let mut numbers = [0; TOP + 2];
        let record = self.halves[0].record((key >> 32) as u32);
        for (index, word) in record.iter().enumerate() {
            let word = word.load(Ordering::Relaxed);
            (numbers[2 * index], numbers[2 * index + 1]) = (word as u32, (word >> 32) as u32);
        }
        state.shape = numbers[0];
        let leaves = self.shapes.get(state.shape).ends.len();
        let split = splits.of(leaves);
        let nodes = leaves > TOP;
        let count = if nodes { leaves.div_ceil(ARITY) } else { leaves };
        let Numbers { leaves: leaf_numbers, nodes: node_numbers } = &mut state.numbers;
        let top: &mut [u32] = if nodes { node_numbers } else { leaf_numbers };
        top[..split].copy_from_slice(&numbers[1..=split]);
        let record = self.halves[1].record(key as u32);
        for (pair, word) in top[split..count].chunks_mut(2).zip(record) {
            let word = word.load(Ordering::Relaxed);
            for (number, part) in pair.iter_mut().zip([word as u32, (word >> 32) as u32]) {
                *number = part;
            }
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

    #[cfg(test)]
    pub(super) fn records(&self) -> u64 {
        self.leaves.iter().chain(&self.nodes).chain(&self.halves).map(Interner::len).sum()
    }

    fn tables(&mut self) -> impl Iterator<Item = &mut Interner> {
        self.leaves.iter_mut().chain(&mut self.nodes).chain(&mut self.halves)
    }

    /// Gives the memory back.
    pub(crate) fn release(self, memory: &Memory) {
        for table in self.leaves.into_iter().chain(self.nodes).chain(self.halves) {
            table.release(memory);
        }
    }

    /// Makes tables larger that are full.
    pub(crate) fn grow(&mut self, memory: &Memory) -> Result<(), Full> {
        self.tables().filter(|table| table.must_grow()).try_for_each(|table| table.grow(memory))
    }
}

/// Returns how many words the leaves at each place have at most.
fn words_of(shapes: &Shapes) -> Vec<usize> {
    let mut words: Vec<usize> = Vec::new();
    for shape in shapes.iter() {
        words.resize(words.len().max(shape.ends.len()), 0);
        for (words, (start, end)) in words.iter_mut().zip(shape.leaves()) {
            *words = (end - start).div_ceil(8).max(*words);
        }
    }
    words
}

/// Returns the numbers that are divided between halves.
#[inline]
fn top(numbers: &Numbers, leaves: usize) -> &[u32] {
    if leaves > TOP { &numbers.nodes[..leaves.div_ceil(ARITY)] } else { &numbers.leaves[..leaves] }
}

#[inline]
fn left(shape: u32, numbers: &[u32]) -> Words {
    let mut words = Words::default();
    words[0] = u64::from(shape);
    for (index, number) in numbers.iter().enumerate() {
        words[index.div_ceil(2)] |= u64::from(*number) << (if index % 2 == 0 { 32 } else { 0 });
    }
    words
}

#[inline]
fn right(numbers: &[u32]) -> Words {
    let mut words = Words::default();
    for (index, number) in numbers.iter().enumerate() {
        words[index / 2] |= u64::from(*number) << (if index % 2 == 0 { 0 } else { 32 });
    }
    words
}

/// Returns bytes of a state as words, with zeros behind them.
#[inline]
fn read<const WORDS: usize>(state: &[u8], start: usize, end: usize) -> [u64; WORDS] {
    let (mut words, length) = ([0; WORDS], end - start);
    match state.get(start..start + 8 * WORDS) {
        Some(bytes) if length > 8 * (WORDS - 1) => {
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            words[WORDS - 1] &= u64::MAX >> (8 * (8 * WORDS - length));
        }
        _ => fill(&mut words[..length.div_ceil(8)], state, start, end),
    }
    words
}

/// Fills words with bytes of a state, and zeros behind them.
#[inline]
fn fill(words: &mut [u64], state: &[u8], start: usize, end: usize) {
    let mut place = start;
    for word in words {
        *word = match state.get(place..place + 8) {
            Some(bytes) => {
                let mut eight = [0; 8];
                eight.copy_from_slice(bytes);
                u64::from_le_bytes(eight)
            }
            None => last_word(state, place),
        };
        place += 8;
        if place > end {
            *word &= u64::MAX >> (8 * (place - end));
        }
    }
}

/// Returns the last bytes of a state, from a place on that is less than eight from its end.
#[inline]
fn last_word(state: &[u8], place: usize) -> u64 {
    match state.last_chunk() {
        Some(last) => u64::from_le_bytes(*last) >> (8 * (8 + place - state.len())),
        None => state[place..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}
