//! The processor as a device: it does what a GPU does, one state after another.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::table::Undone;
use crate::{Device, Expanded, Failure, Key, Limits, Place, Table, Width};

/// Searches on the processor.
#[derive(Debug)]
pub struct Reference {
    set: FxHashSet<Key>,
    order: Vec<Key>,
    deferred: Vec<Place>,
    table: Table,
    limits: Limits,
    room: u64,
    width: Width,
    stride: u64,
}

/// It begins with room for so many states, so that growth is tested too.
const FIRST_ROOM: u64 = 64;

/// A state takes its place in the order, and twice that in the set.
const COPIES: u64 = 3;

impl Reference {
    /// Makes a device without states.
    pub fn new(limits: Limits) -> Reference {
        Reference {
            set: FxHashSet::default(),
            order: Vec::new(),
            deferred: Vec::new(),
            table: Table::default(),
            limits,
            room: 0,
            width: Width::Narrow,
            stride: 1 << 12,
        }
    }

    fn add(&mut self, key: Key) {
        if self.set.insert(key) {
            self.order.push(key);
        }
    }
}

impl Device for Reference {
    fn name(&self) -> String {
        "this processor".to_owned()
    }

    fn reset(&mut self, width: Width) -> Result<(), Failure> {
        let Reference { limits, stride, .. } = *self;
        *self = Reference { width, stride, ..Reference::new(limits) };
        self.grow()
    }

    fn learn(&mut self, table: &Table) -> Result<(), Failure> {
        self.table.clone_from(table);
        Ok(())
    }

    fn len(&self) -> u64 {
        self.order.len() as u64
    }

    fn stride(&self) -> u64 {
        self.stride
    }

    fn insert(&mut self, keys: &[Key]) -> Result<(), Failure> {
        // In another order than they come: so may a GPU.
        for key in keys.iter().rev() {
            while self.len() >= self.room {
                self.grow()?;
            }
            self.add(*key);
        }
        Ok(())
    }

    fn expand(&mut self, states: Range<Place>, again: bool) -> Result<Expanded, Failure> {
        let states = if again { std::mem::take(&mut self.deferred) } else { states.collect() };
        self.deferred.clear();
        let mut expanded = Expanded::default();
        for place in states {
            let key = self.order[place as usize];
            if self.len() >= self.room {
                expanded.is_full = true;
                self.deferred.push(place);
                continue;
            }
            let flips = match self.table.steps(key) {
                Ok(flips) => flips,
                Err(Undone::Special) => {
                    expanded.special.push(key);
                    continue;
                }
                Err(Undone::Missing(node)) => {
                    expanded.missing.push((node, key));
                    self.deferred.push(place);
                    continue;
                }
            };
            expanded.transitions += flips.len() as u64;
            for flip in flips {
                self.add(key ^ flip);
            }
        }
        expanded.deferred = self.deferred.len() as u64;
        Ok(expanded)
    }

    fn grow(&mut self) -> Result<(), Failure> {
        let most = self.limits.memory.map_or(u64::MAX, |memory| memory / (COPIES * self.width.bytes()));
        if self.room >= most {
            return Err(Failure::Full);
        }
        self.room = (self.room * 8).max(FIRST_ROOM).min(most);
        Ok(())
    }

    fn keys(&mut self, states: Range<Place>) -> Result<Vec<Key>, Failure> {
        Ok(self.order[states.start as usize..states.end as usize].to_vec())
    }

    fn predecessors(&mut self, states: Range<Place>, target: Key) -> Result<Vec<Key>, Failure> {
        let is_one = |key: &Key| match self.table.steps(*key) {
            Ok(flips) => flips.iter().any(|flip| key ^ flip == target),
            Err(_) => true,
        };
        let keys = self.order[states.start as usize..states.end as usize].iter().copied();
        Ok(keys.filter(is_one).collect())
    }

    fn memory(&self) -> u64 {
        self.len() * COPIES * self.width.bytes()
    }
}
