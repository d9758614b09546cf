//! The table as the device has it: what was added is sent, not all of it again.

#![expect(unsafe_code, reason = "nobody but the caller knows the parameters of a kernel")]

use std::rc::Rc;

use super::driver::{Buffer, Context, Plain};
use super::{BLOCK, Loaded, push};
use crate::table::Slot;
use crate::{Failure, Key, Table, Width};

/// So many rows are sent at once.
const SENT: usize = 1 << 16;

/// A list on the device to which more is added at the end.
struct List {
    buffer: Buffer,
    /// How many values it has.
    length: usize,
}

/// A table as the device has it.
pub(super) struct Uploaded {
    slots: Buffer,
    /// How many slots there are, and how many of those that were filled since are there.
    slot_count: usize,
    placed: usize,
    masks: List,
    flips: List,
    forks: List,
    rows: Buffer,
    places: Buffer,
    processes: u32,
    most_steps: u64,
}

impl List {
    fn new(context: &Rc<Context>) -> Result<List, Failure> {
        Ok(List { buffer: Buffer::new(context, 1 << 12)?, length: 0 })
    }

    /// Adds what a longer list has; `plain` writes values as words.
    fn extend<T, P: Plain>(
        &mut self,
        context: &Rc<Context>,
        values: &[T],
        plain: impl Fn(&[T]) -> Vec<P>,
    ) -> Result<(), Failure> {
        if values.len() == self.length {
            return Ok(());
        }
        let per_value = plain(&values[..1]).len() * size_of::<P>();
        if values.len() * per_value > self.buffer.bytes() {
            self.buffer = Buffer::new(context, values.len() * per_value * 2)?;
            self.length = 0;
        }
        self.buffer.write_at(self.length * per_value, &plain(&values[self.length..]))?;
        self.length = values.len();
        Ok(())
    }
}

impl Uploaded {
    /// Makes room for a table of which nothing was sent yet.
    pub(super) fn new(context: &Rc<Context>) -> Result<Uploaded, Failure> {
        Ok(Uploaded {
            slots: Buffer::new(context, 16)?,
            slot_count: 0,
            placed: 0,
            masks: List::new(context)?,
            flips: List::new(context)?,
            forks: List::new(context)?,
            rows: Buffer::new(context, SENT * 32)?,
            places: Buffer::new(context, SENT * 4)?,
            processes: 0,
            most_steps: 0,
        })
    }

    /// Sends what the table has more.
    pub(super) fn update(
        &mut self,
        context: &Rc<Context>,
        table: &Table,
        loaded: &Loaded,
    ) -> Result<(), Failure> {
        let width = loaded.width;
        self.masks.extend(context, &table.masks, |keys| super::words_of(keys, width))?;
        self.flips.extend(context, &table.flips, |keys| super::words_of(keys, width))?;
        self.forks.extend(context, &table.forks, <[u32]>::to_vec)?;
        (self.processes, self.most_steps) = (table.processes, table.most_steps());
        if self.slot_count == table.slots.len() {
            for places in table.placed[self.placed..].chunks(SENT) {
                self.fill(places, table, loaded)?;
            }
        } else {
            let words = slot_words(table.slots.iter(), width);
            let bytes = size_of_val(words.as_slice());
            if self.slots.bytes() < bytes {
                self.slots = Buffer::new(context, bytes)?;
            }
            self.slots.write(&words)?;
            self.slot_count = table.slots.len();
        }
        self.placed = table.placed.len();
        Ok(())
    }

    /// Fills some slots.
    fn fill(&self, places: &[u32], table: &Table, loaded: &Loaded) -> Result<(), Failure> {
        let rows = places.iter().map(|place| &table.slots[*place as usize]);
        self.rows.write(&slot_words(rows, loaded.width))?;
        self.places.write(places)?;
        let blocks = (places.len() as u32).div_ceil(BLOCK);
        let (mut slots, mut rows) = ([self.slots.address()], [self.rows.address()]);
        let (mut numbers, mut count) = ([self.places.address()], [places.len() as u64]);
        // SAFETY: `fill` has these parameters; so many rows and places were written, and the places are those
        // of slots, of which the device has as many as the table.
        unsafe { loaded.fill.run(blocks, BLOCK, &mut [&mut slots, &mut rows, &mut numbers, &mut count]) }
    }

    /// Returns how many steps a state has at most, as far as is known.
    pub(super) fn most_steps(&self) -> u64 {
        self.most_steps
    }

    /// Returns the table as a kernel's parameter.
    pub(super) fn argument(&self) -> [u64; 5] {
        let last = (self.slot_count as u64).wrapping_sub(1) | u64::from(self.processes) << 32;
        let lists = [&self.masks, &self.flips, &self.forks].map(|list| list.buffer.address());
        [self.slots.address(), lists[0], lists[1], lists[2], last]
    }

    /// Returns what it takes of the device's memory.
    pub(super) fn buffers(&self) -> [&Buffer; 6] {
        let Uploaded { slots, masks, flips, forks, rows, places, .. } = self;
        [slots, &masks.buffer, &flips.buffer, &forks.buffer, rows, places]
    }
}

fn slot_words<'s>(slots: impl Iterator<Item = &'s Slot>, width: Width) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::new();
    for slot in slots {
        let look: Key = slot.look;
        push(&mut words, width, look);
        words.push(u64::from(slot.node) | u64::from(slot.what) << 32);
        if width == Width::Wide {
            words.push(0);
        }
    }
    words
}
