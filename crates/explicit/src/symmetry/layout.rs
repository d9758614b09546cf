//! Where in a state the parts of instances are, and what of them names other instances.
//!
//! All states have the same length: processes and channels are those of the start. An instance's part, its
//! *block*, is its processes, the elements of arrays with its index, and the channels that only it names. All
//! blocks of a domain are made alike, so that one can be put where another was.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Instances that may be exchanged: a range of blocks.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub(super) blocks: Range<usize>,
    /// For each number, the block, unless something names it.
    pub(super) block_of: Vec<Option<usize>>,
}

/// How a value names a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Map {
    /// As a number of a domain, counted from a first one.
    Index { domain: usize, first: i64 },
    /// As a channel.
    Channel,
}

/// When a value counts.
#[derive(Clone, Debug)]
pub(super) enum Live {
    Always,
    /// Unless the process is at one of these locations.
    Unless {
        location: usize,
        dead: std::sync::Arc<[bool]>,
    },
    /// If the channel has more messages than that.
    Message {
        length: usize,
        place: u16,
    },
}

/// A value that may name an instance.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) at: usize,
    pub(super) width: usize,
    pub(super) map: Map,
    pub(super) live: Live,
}

/// A piece of a block.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Plain(Range<usize>),
    Reference(Reference),
}

/// An element of an array with indices of several instances.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) at: usize,
    pub(super) width: usize,
    pub(super) owners: Vec<usize>,
    /// The same for all elements of one array that differ in the owners alone.
    pub(super) family: usize,
    pub(super) reference: Option<Reference>,
}

/// What a value names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It does not count now.
    Nothing,
    /// No instance that may be exchanged.
    Other,
    /// A block, or its channel with this place.
    Block(usize, usize),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) domains: Vec<Domain>,
    /// For each block, its parts.
    pub(super) blocks: Vec<Vec<Part>>,
    /// References in what belongs to no block.
    pub(super) fixed: Vec<Reference>,
    pub(super) shared: Vec<Shared>,
    pub(super) shared_at: FxHashMap<(usize, Vec<usize>), usize>,
    /// For each block, its channels.
    pub(super) channels: Vec<Vec<usize>>,
    /// For each channel, its block and its place there.
    pub(super) block_of_channel: Vec<Option<(usize, usize)>>,
    /// For each block, the numbers of its processes.
    pub(super) processes: Vec<Vec<usize>>,
}

/// Reads a number of one, two or four bytes.
fn read(state: &[u8], at: usize, width: usize) -> i64 {
    match width {
        1 => i64::from(state[at]),
        2 => i64::from(i16::from_le_bytes([state[at], state[at + 1]])),
        _ => i64::from(i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]])),
    }
}

impl Reference {
    fn is_live(&self, state: &[u8]) -> bool {
        match &self.live {
            Live::Always => true,
            Live::Unless { location, dead } => {
                let location = u16::from_le_bytes([state[*location], state[*location + 1]]);
                !dead[usize::from(location)]
            }
            Live::Message { length, place } => {
                *place < u16::from_le_bytes([state[*length], state[*length + 1]])
            }
        }
    }
}

impl Layout {
    /// Returns the domain of a block.
    pub(super) fn domain_of(&self, block: usize) -> usize {
        self.domains.partition_point(|domain| domain.blocks.end <= block)
    }

    /// Returns what a value in a state names.
    pub(super) fn named(&self, reference: &Reference, state: &[u8]) -> Named {
        if !reference.is_live(state) {
            return Named::Nothing;
        }
        let value = read(state, reference.at, reference.width);
        match reference.map {
            Map::Index { domain, first } => {
                let number = usize::try_from(value - first).ok();
                let block = number.and_then(|number| *self.domains[domain].block_of.get(number)?);
                block.map_or(Named::Other, |block| Named::Block(block, 0))
            }
            Map::Channel => {
                let channel = usize::try_from(value - 1).ok();
                let found = channel.and_then(|channel| *self.block_of_channel.get(channel)?);
                found.map_or(Named::Other, |(block, place)| Named::Block(block, place))
            }
        }
    }

    /// Writes a value that names a block.
    fn write(&self, to: &Reference, (block, place): (usize, usize), state: &mut [u8]) {
        let value = match to.map {
            Map::Index { domain, first } => {
                let numbers = &self.domains[domain].block_of;
                let number = numbers.iter().position(|known| *known == Some(block)).unwrap_or(0);
                first + number as i64
            }
            Map::Channel => self.channels[block][place] as i64 + 1,
        };
        state[to.at..to.at + to.width].copy_from_slice(&value.to_le_bytes()[..to.width]);
    }

    fn transfer(&self, from: &Reference, to: &Reference, labels: &[usize], state: &[u8], output: &mut [u8]) {
        match self.named(from, state) {
            Named::Block(block, place) => self.write(to, (labels[block], place), output),
            Named::Nothing | Named::Other => {
                output[to.at..to.at + to.width].copy_from_slice(&state[from.at..from.at + from.width]);
            }
        }
    }

    /// Puts each block of a state where another is, and renames what names them.
    pub(super) fn apply(&self, labels: &[usize], state: &[u8], output: &mut Vec<u8>) {
        output.clear();
        output.extend_from_slice(state);
        for (block, parts) in self.blocks.iter().enumerate() {
            for (from, to) in parts.iter().zip(&self.blocks[labels[block]]) {
                match (from, to) {
                    (Part::Plain(from), Part::Plain(to)) => {
                        output[to.clone()].copy_from_slice(&state[from.clone()]);
                    }
                    (Part::Reference(from), Part::Reference(to)) => {
                        self.transfer(from, to, labels, state, output);
                    }
                    _ => {}
                }
            }
        }
        for reference in &self.fixed {
            self.transfer(reference, reference, labels, state, output);
        }
        for shared in &self.shared {
            let owners: Vec<usize> = shared.owners.iter().map(|owner| labels[*owner]).collect();
            let Some(to) = self.shared_at.get(&(shared.family, owners)) else { continue };
            let to = &self.shared[*to];
            match (&shared.reference, &to.reference) {
                (Some(from), Some(to)) => self.transfer(from, to, labels, state, output),
                _ => output[to.at..to.at + to.width]
                    .copy_from_slice(&state[shared.at..shared.at + shared.width]),
            }
        }
    }

    /// Returns where values are that may name an instance, and how wide they are.
    pub(super) fn names(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let parts = self.blocks.iter().flatten().filter_map(|part| match part {
            Part::Reference(reference) => Some(reference),
            Part::Plain(_) => None,
        });
        let shared = self.shared.iter().filter_map(|shared| shared.reference.as_ref());
        parts.chain(&self.fixed).chain(shared).map(|reference| (reference.at, reference.width))
    }

    /// Returns what exchanges two neighbours, for all neighbours of a domain.
    pub(super) fn swaps(&self, domain: usize) -> impl Iterator<Item = Vec<usize>> + '_ {
        let blocks = self.domains[domain].blocks.clone();
        blocks.clone().skip(1).map(|block| {
            let mut labels: Vec<usize> = (0..self.blocks.len()).collect();
            labels.swap(block - 1, block);
            labels
        })
    }

    /// Returns how many ways there are to exchange instances; `None` if they are too many to be counted.
    pub(super) fn order(&self) -> Option<u128> {
        self.domains
            .iter()
            .try_fold(1_u128, |order, domain| order.checked_mul(factorial(domain.blocks.len())?))
    }
}

pub(super) fn factorial(number: usize) -> Option<u128> {
    (1..=number as u128).try_fold(1_u128, u128::checked_mul)
}
