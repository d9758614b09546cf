//! States as keys: cut into leaves, each kept once, their numbers put or folded into a key.
//!
//! A state is cut into leaves ([`Shape`]); those at the same place of different states are kept in one table,
//! and numbered. The numbers, and that of the shape, make the key ([`Layout`]). So different states have
//! different keys, and a key gives back its state. A successor shares most leaves and nodes with the state it
//! comes from; only those that changed are looked up.
//!
//! This is the tree compression of S. Blom, B. Lisser, J. van de Pol and M. Weber, *A database approach to
//! distributed state space generation* (2007), and A. Laarman, J. van de Pol and M. Weber, *Parallel
//! recursive state compression for free* (2011), with leaves that follow the components of the model, as in
//! SPIN's COLLAPSE.

mod adapt;
mod decode;
mod encode;
mod lookup;
mod words;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use super::interner::AHEAD;
use super::interner::Interner;
pub(crate) use super::interner::Stop;
pub(crate) use super::layout::Field;
use super::layout::{ARITY, Flat, Layout, SIDE, Splits, TOP};
use super::shape::{MAX_LEAVES, Shapes};
use super::{Full, Memory};

/// The key of no state.
pub(crate) const NOWHERE: u64 = u64::MAX;

/// The words of a leaf, or of a node that half of a key names: numbers of leaves or nodes, on the left that
/// of the shape first.
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
#[derive(Clone, Debug)]
pub(crate) struct Repacking {
    /// Which bits each number had; `None` if they stay the same.
    before: Option<Flat>,
}

impl Repacking {
    pub(crate) fn changes_keys(&self) -> bool {
        self.before.is_some()
    }
}

/// A leaf or a node whose number a key lacks. Where there are many, looking up one takes long; it does not
/// take much longer to look up [`AHEAD`] of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Which key it is.
    place: u32,
    what: KeyPart,
    words: Words,
}

/// What a number in a key stands for.
#[derive(Clone, Copy, Debug)]
enum KeyPart {
    Left,
    Right,
    Leaf(u8),
}

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
    leaves: [u32; MAX_LEAVES],
    nodes: [u32; TOP],
}

/// So many bytes behind a state may be written.
const MARGIN: usize = 8;

impl Default for Outline {
    fn default() -> Outline {
        let numbers = Numbers { leaves: [0; MAX_LEAVES], nodes: [0; TOP] };
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

    /// Returns the bits of a key that say which shape its state has, if the numbers of leaves stand in keys
    /// as they are.
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
