//! How components adapt to the states of a model: where they are cut, how many bits each number gets, how
//! keys change.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Blank, Components, Outline, Repacking, words_of};
use crate::store::interner::Interner;
use crate::store::layout::{ARITY, Flat, Layout, MAX_BITS, Splits, TOP};
use crate::store::learn::{Wish, learn};
use crate::store::shape::{Cuts, MAX_LEAVES, Shapes};
use crate::store::{Full, Memory};

/// From this many keys it is learned how keys are made.
const LEARN_FROM: usize = 1 << 14;

/// For keys that need no nodes, leaves may take so many bytes for each state; and so many in all, however few
/// there are.
const LEAF_BYTES: u64 = 8;
const FREE_LEAF_BYTES: u64 = 1 << 20;

/// So many different leaves are expected where none was seen yet.
const UNKNOWN: u64 = 8;

impl Components {
    /// Makes empty components that make keys in the same way.
    pub(crate) fn emptied(&self, memory: &Memory) -> Result<Components, Full> {
        Components::with(self.known_shapes(self.shapes.cuts())?, self.layout.clone(), memory)
    }

    /// Makes room where it has become scarce; returns how keys change, or `None` if states must be cut anew.
    pub(crate) fn widen(&mut self, memory: &Memory) -> Result<Option<Repacking>, Full> {
        let words = words_of(&self.shapes);
        let mut repacking = Repacking { before: None };
        if let Layout::Flat(flat) = &self.layout {
            let count = |place: usize| self.leaves.get(place).map_or(UNKNOWN, Interner::len);
            let counts: Vec<u64> = (0..words.len()).map(count).collect();
            let Some(wider) = Flat::for_counts(self.shapes.len() as u64, &counts) else { return Ok(None) };
            repacking.before = Some(flat.clone());
            self.layout = Layout::Flat(wider);
        }
        for (place, words) in words.into_iter().enumerate() {
            match self.leaves.get_mut(place) {
                None => self.leaves.push(Interner::new(words, memory)?),
                Some(table) if table.stride() < words => table.lengthen(words, memory)?,
                Some(_) => {}
            }
        }
        self.cramped.store(false, Ordering::Relaxed);
        Ok(Some(repacking))
    }

    /// Makes room where it has become scarce; all keys, some of which are given, are to be made again.
    pub(crate) fn with_room(mut self, keys: &[u64], memory: &Memory) -> Result<Components, Full> {
        if self.widen(memory)?.is_some() {
            return Ok(self);
        }
        let folded = self.folded(keys.iter().copied(), memory)?;
        self.release(memory);
        Ok(folded)
    }

    /// Returns what becomes of a key.
    pub(crate) fn repack(&self, key: u64, repacking: &Repacking) -> u64 {
        let (Layout::Flat(after), Some(before)) = (&self.layout, &repacking.before) else { return key };
        let shape = before.shape.get(key);
        let leaves = self.shapes.get(shape).ends.len();
        let mut repacked = after.shape.set(0, shape);
        for (before, after) in before.leaves.iter().zip(&after.leaves).take(leaves) {
            repacked = after.set(repacked, before.get(key));
        }
        repacked
    }

    /// Makes empty components with a layout that suits these keys, of so many states.
    pub(crate) fn learned(
        &self,
        keys: impl Iterator<Item = u64>,
        states: u64,
        memory: &Memory,
    ) -> Result<Components, Full> {
        let mut samples: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
        let mut outline = Outline::default();
        for key in keys.take(LEARN_FROM) {
            self.decode(key, &mut outline);
            samples.entry(outline.shape).or_default().push(outline.state().to_vec());
        }
        // States of several shapes share tables, so that the first try may be too optimistic.
        for bits in [MAX_BITS, MAX_BITS - 6, MAX_BITS - 14] {
            let (shapes, counts) = self.cut_anew(&samples, Wish { states, bits: Some(bits) })?;
            let words = words_of(&shapes);
            let bytes: u64 = counts.iter().zip(&words).map(|(count, words)| count * *words as u64 * 8).sum();
            if let Some(flat) = Flat::for_counts(shapes.len() as u64, &counts)
                && bytes <= LEAF_BYTES * states + FREE_LEAF_BYTES
            {
                return Components::with(shapes, Layout::Flat(flat), memory);
            }
        }
        let (shapes, _) = self.cut_anew(&samples, Wish { states, bits: None })?;
        let mut trial = Components::with(shapes, Layout::Folded(Splits::default()), memory)?;
        let mut keys = Vec::new();
        let mut blank = Blank::default();
        for (shape, states) in &samples {
            let parts = &self.shapes.get(*shape).parts;
            for state in states {
                // A table that has become too narrow leaves the sample smaller.
                keys.extend(trial.add(state, parts, &mut blank, memory));
            }
        }
        let folded = trial.folded(keys.into_iter(), memory);
        trial.release(memory);
        folded
    }

    /// Cuts states as is best for some of them, by their shapes; returns also how many leaves there will
    /// probably be at each place.
    fn cut_anew(
        &self,
        samples: &BTreeMap<u32, Vec<Vec<u8>>>,
        wish: Wish,
    ) -> Result<(Shapes, Vec<u64>), Full> {
        let mut cuts = Cuts::default();
        let mut counts: Vec<u64> = Vec::new();
        for (shape, states) in samples {
            let parts = &self.shapes.get(*shape).parts;
            let learned = learn(parts, states, wish);
            counts.resize(counts.len().max(learned.counts.len()), 0);
            for (count, more) in counts.iter_mut().zip(learned.counts) {
                *count += more;
            }
            cuts.insert(parts.clone(), learned.ends);
        }
        let shapes = self.known_shapes(Arc::new(cuts))?;
        let places = shapes.iter().map(|shape| shape.ends.len()).max().unwrap_or(0);
        counts.resize(places.max(counts.len()), UNKNOWN);
        Ok((shapes, counts))
    }

    /// Returns the shapes that occur, cut as is said.
    fn known_shapes(&self, cuts: Arc<Cuts>) -> Result<Shapes, Full> {
        let shapes = Shapes::new(cuts);
        for shape in self.shapes.iter() {
            shapes.find(&shape.parts).map_err(|_| Full)?;
        }
        Ok(shapes)
    }

    /// Makes empty components with the same leaves, that divide their numbers between the halves of keys as
    /// it would have kept these states in the fewest nodes.
    pub(crate) fn folded(
        &self,
        keys: impl Iterator<Item = u64>,
        memory: &Memory,
    ) -> Result<Components, Full> {
        let layout = Layout::Folded(self.learn_splits(keys.take(LEARN_FROM)));
        Components::with(self.known_shapes(self.shapes.cuts())?, layout, memory)
    }

    fn learn_splits(&self, keys: impl Iterator<Item = u64>) -> Splits {
        // For each number of leaves, the numbers that would be divided.
        let mut seen: Vec<Vec<u32>> = vec![Vec::new(); MAX_LEAVES + 1];
        let mut outline = Outline::default();
        for key in keys {
            self.decode(key, &mut outline);
            let leaves = self.shapes.get(outline.shape).ends.len();
            // Nodes need not be there: what they stand for is mixed instead.
            let mixed =
                |group: &[u32]| group.iter().fold(0, |sum: u32, leaf| (sum ^ leaf).wrapping_mul(0x9e37_79b1));
            let numbers = &outline.numbers.leaves[..leaves];
            if leaves <= TOP {
                seen[leaves].extend_from_slice(numbers);
            } else {
                seen[leaves].extend(numbers.chunks(ARITY).map(mixed));
            }
        }
        let mut splits = Splits::default();
        for (leaves, seen) in seen.iter().enumerate() {
            let nodes = leaves > TOP;
            splits.learn(nodes, if nodes { leaves.div_ceil(ARITY) } else { leaves }, seen);
        }
        splits
    }
}
