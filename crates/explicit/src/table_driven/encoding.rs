//! States as keys for tables: each byte of a state has its own bits, so that a process looks at few.
//!
//! A byte that never changes takes no bits; another takes as many as it has values, which get numbers as they
//! come. Components are only added and removed at the end of a state, so a byte keeps its meaning; one behind
//! the end has a value of its own. Whoever knows the bytes where components begin knows which components
//! there are: these bytes are the *layout*.
//!
//! A value may be new, and not fit. Then the encoding knows it from now on, all keys are worth nothing, and
//! the search begins anew: it is fast enough to.

use std::ops::Range;

use narrows_gpu::{Key, Width};
use narrows_model::{Evaluator, Outline};

use super::fields::{Field, give_bits};

/// The value of a byte behind the end.
const ABSENT: u16 = 256;
const VALUES: usize = 257;
const UNKNOWN: u16 = u16::MAX;

/// States have at most so many bytes.
const MAX_BYTES: usize = 1 << 14;

/// A byte of states.
#[derive(Clone, Debug)]
struct Piece {
    numbers: Box<[u16; VALUES]>,
    values: Vec<u16>,
    field: Field,
    /// Whether a component begins here, in some state.
    is_layout: bool,
}

impl Piece {
    fn new() -> Piece {
        Piece {
            numbers: Box::new([UNKNOWN; VALUES]),
            values: Vec::new(),
            field: Field::for_values(VALUES as u64),
            is_layout: false,
        }
    }

    fn note(&mut self, value: u16) -> bool {
        let number = &mut self.numbers[usize::from(value)];
        let is_new = *number == UNKNOWN;
        if is_new {
            *number = self.values.len() as u16;
            self.values.push(value);
            self.field.values += 1;
        }
        is_new
    }
}

/// How states become keys.
#[derive(Debug, Default)]
pub(super) struct Encoding {
    pieces: Vec<Piece>,
    states: u64,
    layout: Key,
    in_use: Key,
    /// How many processes a state has at most.
    processes: usize,
    /// Whether bits were given away, and whether they do for all that was taken note of since.
    is_fitted: bool,
    is_stale: bool,
}

/// A state does not fit the keys there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outgrown;

impl Encoding {
    /// Takes note of a state.
    pub(super) fn note(&mut self, evaluator: &Evaluator<'_>, state: &[u8], outline: &mut Outline) {
        while self.pieces.len() < state.len().min(MAX_BYTES) {
            let mut piece = Piece::new();
            if self.states > 0 {
                piece.note(ABSENT);
            }
            self.pieces.push(piece);
            self.is_stale = true;
        }
        self.states += 1;
        for (at, piece) in self.pieces.iter_mut().enumerate() {
            self.is_stale |= piece.note(value(state, at)) && piece.field.outgrows(self.is_fitted);
        }
        evaluator.outline(state, outline);
        if outline.processes.len() > self.processes {
            self.processes = outline.processes.len();
            self.is_stale = true;
        }
        for start in starts(outline) {
            for piece in self.pieces.iter_mut().skip(start).take(2) {
                self.is_stale |= !std::mem::replace(&mut piece.is_layout, true);
                piece.field.is_structural = true;
            }
        }
    }

    /// Returns how many processes a state has at most.
    pub(super) fn processes(&self) -> usize {
        self.processes
    }

    /// Returns whether keys can't be made of all states that were taken note of.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Returns whether all components of a state begin where the layout says that some do.
    pub(super) fn knows_layout(&self, outline: &Outline) -> bool {
        starts(outline).all(|start| self.pieces.get(start).is_some_and(|piece| piece.is_layout))
    }

    /// Gives each byte its bits; `None` if there are too few for all.
    pub(super) fn fit(&mut self) -> Option<Width> {
        if self.pieces.len() >= MAX_BYTES {
            return None;
        }
        let mut fields: Vec<&mut Field> = self.pieces.iter_mut().map(|piece| &mut piece.field).collect();
        let width = give_bits(&mut fields)?;
        self.in_use = self.pieces.iter().fold(0, |mask, piece| mask | piece.field.mask_in_use());
        let layout = self.pieces.iter().filter(|piece| piece.is_layout);
        self.layout = layout.fold(0, |layout, piece| layout | piece.field.mask());
        (self.is_fitted, self.is_stale) = (true, false);
        Some(width)
    }

    /// Returns how many bits the values seen so far need.
    pub(super) fn needed(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.field.needed()).sum()
    }

    /// Returns the key of a state.
    pub(super) fn key(&self, state: &[u8]) -> Result<Key, Outgrown> {
        if state.len() > self.pieces.len() {
            return Err(Outgrown);
        }
        let mut key = 0;
        for (at, piece) in self.pieces.iter().enumerate() {
            let number = piece.numbers[usize::from(value(state, at))];
            if number == UNKNOWN {
                return Err(Outgrown);
            }
            key |= Key::from(number) << piece.field.shift;
        }
        Ok(key)
    }

    /// Finds the state of a key again.
    pub(super) fn decode(&self, key: Key, state: &mut Vec<u8>) {
        state.clear();
        for piece in &self.pieces {
            let number = piece.field.number(key);
            match piece.values.get(number) {
                Some(&ABSENT) | None => break,
                Some(value) => state.push(*value as u8),
            }
        }
    }

    /// Returns the bits that tell which components a state has.
    pub(super) fn layout(&self) -> Key {
        self.layout
    }

    /// Returns how many of these bits tell values apart; the others are there for values to come.
    pub(super) fn count_in_use(&self, mask: Key) -> u32 {
        (mask & self.in_use).count_ones()
    }

    /// Returns the bits of a byte.
    pub(super) fn bits_of(&self, byte: usize) -> Key {
        self.pieces.get(byte).map_or(0, |piece| piece.field.mask())
    }

    /// Returns the bits of some bytes.
    pub(super) fn bits_for(&self, bytes: &Range<u32>) -> Key {
        let pieces = self.pieces.iter().skip(bytes.start as usize).take(bytes.len());
        pieces.fold(0, |bits, piece| bits | piece.field.mask())
    }
}

/// Returns where components begin; the numbers of processes and channels stand first.
fn starts(outline: &Outline) -> impl Iterator<Item = usize> {
    let processes = outline.processes.iter().map(|process| process.start);
    [0].into_iter().chain(processes).chain(outline.channels.iter().map(|channel| channel.start))
}

fn value(state: &[u8], at: usize) -> u16 {
    state.get(at).map_or(ABSENT, |byte| u16::from(*byte))
}
