//! NVIDIA's GPUs, by the driver that is found at run time.
//!
//! The kernels are `kernel/search.cu`, as PTX that the driver compiles for the GPU that is there; neither to
//! build nor to run does it take a toolkit. `kernel/build.py` makes the PTX anew.
//!
//! The set of states is a hash table with open addressing; states are kept a second time in the order in
//! which they were found. Both have room for a share of the memory at first, and are made eight times as
//! large when the room gets scarce, or as large as can be: a thread looks at how many states there are before
//! it expands one, and leaves it for later if all threads together might find too many.

#![expect(unsafe_code, reason = "nobody but the caller knows the parameters of a kernel")]

mod driver;
mod upload;

use std::ops::Range;
use std::rc::Rc;

use crate::{Device, Expanded, Failure, Key, Limits, Place, Table, Width};
use driver::{Buffer, Context, Function, Module};
use upload::Uploaded;

const NARROW: &str = include_str!("../../kernel/narrow.ptx");
const WIDE: &str = include_str!("../../kernel/wide.ptx");

/// Threads in a block.
const BLOCK: u32 = 256;

/// So many blocks keep a multiprocessor busy.
const BLOCKS: u32 = 8;

/// So many states for each multiprocessor are expanded at once: the slowest models take a tenth of a second.
const STRIDE: u64 = 1 << 15;

/// At first there is room for so many states.
const FIRST_STATES: u64 = 1 << 26;

/// By so much larger it is made then.
const GROWTH: u64 = 8;

/// For two states there is room for so many in the set.
const SLOTS_FOR_TWO: u64 = 3;

/// So many values are asked for at once, and about as many are known to have been asked for.
const REQUESTS: u32 = 1 << 17;
const ASKED: u32 = 1 << 20;

/// So many keys of the host's are added at once, and states put into a larger set.
const ADDED: usize = 1 << 16;
const REHASHED: u64 = 1 << 26;

/// Of the memory that is free, one part in so many is left to others.
const LEFT_FREE: u64 = 16;

/// The counters of the kernels, in words: states, steps, deferred and missing, special and full.
const COUNTERS: usize = 4;

/// A GPU.
pub struct Cuda {
    context: Rc<Context>,
    limits: Limits,
    loaded: Option<Loaded>,
    states: Option<States>,
    table: Option<Uploaded>,
}

/// Kernels for keys of a width, and what they work with.
struct Loaded {
    width: Width,
    expand: Function,
    add: Function,
    rehash: Function,
    trace: Function,
    fill: Function,
    counters: Buffer,
    missing: Buffer,
    special: Buffer,
    asked: Buffer,
    todo: Buffer,
    added: Buffer,
    stride: u64,
}

/// All states.
struct States {
    set: Buffer,
    order: Buffer,
    /// How many slots the set has, and how many states there is room for.
    slots: u64,
    room: u64,
    length: u64,
}

impl Cuda {
    /// Looks for a GPU, without opening it.
    ///
    /// # Errors
    ///
    /// There may be no driver, or no GPU.
    pub fn find() -> Result<(), Failure> {
        Context::find().map(|_| ())
    }

    /// Opens the first GPU.
    ///
    /// # Errors
    ///
    /// There may be no driver, or no GPU.
    pub fn open(limits: Limits) -> Result<Cuda, Failure> {
        let context = Context::open()?;
        Ok(Cuda { context, limits, loaded: None, states: None, table: None })
    }

    fn load(&self, width: Width) -> Result<Loaded, Failure> {
        let (text, least, what, needed) = match width {
            Width::Narrow => (NARROW, (7, 5), "this program", "7.5"),
            Width::Wide => (WIDE, (9, 0), "a model with states of more than 63 bits", "9.0"),
        };
        let (major, minor) = self.context.capability;
        if (major, minor) < least {
            return Err(Failure::TooOld { name: self.context.name.clone(), major, minor, what, needed });
        }
        let module = Module::new(&self.context, text)?;
        let most = self.budget()? / 64 / width.bytes();
        let stride = (STRIDE * u64::from(self.context.multiprocessors)).min(most).max(1 << 10) / 32 * 32;
        let buffer = |bytes: u64| Buffer::new(&self.context, bytes as usize);
        let asked = buffer(u64::from(ASKED) * 8)?;
        asked.fill(0)?;
        Ok(Loaded {
            width,
            expand: module.function(c"expand")?,
            add: module.function(c"add")?,
            rehash: module.function(c"rehash")?,
            trace: module.function(c"trace")?,
            fill: module.function(c"fill")?,
            counters: buffer(COUNTERS as u64 * 8)?,
            missing: buffer(u64::from(REQUESTS) * 2 * width.bytes())?,
            special: buffer(stride * width.bytes())?,
            asked,
            todo: buffer(stride / 8)?,
            added: buffer(ADDED as u64 * width.bytes())?,
            stride,
        })
    }

    /// Returns how many bytes may be in use in all.
    fn budget(&self) -> Result<u64, Failure> {
        let available = self.context.free_memory()? + self.memory();
        Ok((available - available / LEFT_FREE).min(self.limits.memory.unwrap_or(u64::MAX)))
    }

    fn loaded(&self) -> Result<&Loaded, Failure> {
        self.loaded.as_ref().ok_or(Failure::Full)
    }

    fn states(&self) -> Result<&States, Failure> {
        self.states.as_ref().ok_or(Failure::Full)
    }

    /// Takes room for more states than there are; those there are move over.
    fn make_room(&mut self, least: u64) -> Result<(), Failure> {
        let bytes = self.loaded()?.width.bytes();
        let old = self.states.take();
        // The set can be made again from the order.
        let old = old.map(|States { order, length, .. }| (order, length));
        let in_use = self.memory() + old.as_ref().map_or(0, |(order, _)| order.bytes() as u64);
        let left = self.budget()?.saturating_sub(in_use) / bytes;
        let most = left * 2 / (SLOTS_FOR_TWO + 2);
        let length = old.as_ref().map_or(0, |(_, length)| *length);
        // What could not grow again takes all at once.
        let room = if least > most / 2 { most } else { least };
        if room < 1 << 10 || room < length + length / 4 {
            // All that was found stays as it is: for runs.
            if let Some((order, length)) = old {
                let set = Buffer::new(&self.context, 16)?;
                self.states = Some(States { set, order, slots: 0, room: 0, length });
            }
            return Err(Failure::Full);
        }
        let slots = room * SLOTS_FOR_TWO / 2;
        let set = Buffer::new(&self.context, (slots * bytes) as usize)?;
        set.fill(0)?;
        let order = Buffer::new(&self.context, (room * bytes) as usize)?;
        if let Some((old, length)) = &old {
            order.copy(old, (length * bytes) as usize)?;
        }
        self.states = Some(States { set, order, slots, room, length });
        let mut first = 0;
        while first < length {
            let count = (length - first).min(REHASHED);
            let mut states = self.states_argument(0)?;
            let blocks = self.context.multiprocessors * BLOCKS;
            // SAFETY: `rehash` has these parameters, and the order has so many states.
            unsafe {
                self.loaded()?.rehash.run(blocks, BLOCK, &mut [&mut states, &mut [first], &mut [count]])
            }?;
            first += count;
        }
        Ok(())
    }

    fn states_argument(&self, limit: u64) -> Result<[u64; 4], Failure> {
        let States { set, order, slots, .. } = self.states()?;
        Ok([set.address(), order.address(), *slots, limit])
    }

    fn table_argument(&self) -> Result<[u64; 5], Failure> {
        Ok(self.table.as_ref().ok_or(Failure::Full)?.argument())
    }

    fn requests_argument(&self) -> Result<[u64; 4], Failure> {
        let Loaded { missing, special, asked, .. } = self.loaded()?;
        let last = u64::from(ASKED - 1) | u64::from(REQUESTS) << 32;
        Ok([missing.address(), special.address(), asked.address(), last])
    }

    /// Returns how many blocks expand states, and beyond how many states none is expanded: each thread may
    /// find as many as a state has steps before it looks again.
    fn blocks_and_limit(&self) -> Result<(u32, u64), Failure> {
        let most_steps = self.table.as_ref().map_or(1, Uploaded::most_steps).max(1);
        let room = self.states()?.room;
        let fitting = room / 4 / most_steps / u64::from(BLOCK);
        let blocks = fitting.min(u64::from(self.context.multiprocessors * BLOCKS)).max(1);
        Ok((blocks as u32, room.saturating_sub(blocks * u64::from(BLOCK) * most_steps)))
    }

    fn reset_counters(&self) -> Result<(), Failure> {
        self.loaded()?.counters.write(&[self.states()?.length, 0, 0, 0])
    }

    fn read_counters(&mut self) -> Result<[u64; COUNTERS], Failure> {
        let mut counters = [0; COUNTERS];
        self.loaded()?.counters.read(0, &mut counters)?;
        if let Some(states) = &mut self.states {
            states.length = counters[0];
        }
        Ok(counters)
    }

    /// Reads keys from a place of a buffer.
    fn read_keys(&self, buffer: &Buffer, first: u64, count: u64) -> Result<Vec<Key>, Failure> {
        let width = self.loaded()?.width;
        let mut words = vec![0_u64; (count * width.bytes() / 8) as usize];
        buffer.read((first * width.bytes()) as usize, &mut words)?;
        Ok(match width {
            Width::Narrow => words.into_iter().map(Key::from).collect(),
            Width::Wide => words.as_chunks().0.iter().map(|[low, high]| wide(*low, *high)).collect(),
        })
    }
}

fn wide(low: u64, high: u64) -> Key {
    Key::from(high) << 64 | Key::from(low)
}

/// Appends the words of a key.
fn push(words: &mut Vec<u64>, width: Width, key: Key) {
    words.push(key as u64);
    if width == Width::Wide {
        words.push((key >> 64) as u64);
    }
}

fn words_of(keys: &[Key], width: Width) -> Vec<u64> {
    let mut words = Vec::with_capacity(keys.len() * 2);
    for key in keys {
        push(&mut words, width, *key);
    }
    words
}

impl Device for Cuda {
    fn name(&self) -> String {
        self.context.name.clone()
    }

    fn reset(&mut self, width: Width) -> Result<(), Failure> {
        (self.states, self.table) = (None, None);
        if self.loaded.as_ref().is_none_or(|loaded| loaded.width != width) {
            self.loaded = None;
            self.loaded = Some(self.load(width)?);
        }
        self.loaded()?.asked.fill(0)?;
        self.make_room(FIRST_STATES)
    }

    fn learn(&mut self, table: &Table) -> Result<(), Failure> {
        let mut uploaded = match self.table.take() {
            Some(uploaded) => uploaded,
            None => Uploaded::new(&self.context)?,
        };
        let loaded = self.loaded()?;
        uploaded.update(&self.context, table, loaded)?;
        self.table = Some(uploaded);
        // What was asked for is known now.
        self.loaded()?.asked.fill(0)
    }

    fn len(&self) -> u64 {
        self.states.as_ref().map_or(0, |states| states.length)
    }

    fn stride(&self) -> u64 {
        self.loaded.as_ref().map_or(1 << 10, |loaded| loaded.stride)
    }

    fn insert(&mut self, keys: &[Key]) -> Result<(), Failure> {
        for keys in keys.chunks(ADDED) {
            while self.len() + keys.len() as u64 > self.states()?.room {
                self.grow()?;
            }
            self.reset_counters()?;
            let mut states = self.states_argument(0)?;
            let loaded = self.loaded()?;
            loaded.added.write(&words_of(keys, loaded.width))?;
            let (mut counters, mut added) = ([loaded.counters.address()], [loaded.added.address()]);
            let blocks = (keys.len() as u32).div_ceil(BLOCK);
            let mut count = [keys.len() as u64];
            // SAFETY: `add` has these parameters; so many keys were written, and there is room for them.
            unsafe {
                loaded.add.run(blocks, BLOCK, &mut [&mut states, &mut counters, &mut added, &mut count])
            }?;
            self.read_counters()?;
        }
        Ok(())
    }

    fn expand(&mut self, states: Range<Place>, again: bool) -> Result<Expanded, Failure> {
        let count = states.end - states.start;
        let (most, limit) = self.blocks_and_limit()?;
        self.reset_counters()?;
        let (mut table, mut requests) = (self.table_argument()?, self.requests_argument()?);
        let mut arguments = self.states_argument(limit)?;
        let loaded = self.loaded()?;
        if !again {
            loaded.todo.fill_first(0xff, count.div_ceil(32) as usize * 4)?;
        }
        let (mut counters, mut todo) = ([loaded.counters.address()], [loaded.todo.address()]);
        let blocks = most.min((count as u32).div_ceil(BLOCK));
        // SAFETY: `expand` has these parameters; there is a bit for each state, room for all of them to be
        // special, and room in the order for what every thread finds beyond the limit.
        unsafe {
            loaded.expand.run(
                blocks,
                BLOCK,
                &mut [
                    &mut table,
                    &mut arguments,
                    &mut requests,
                    &mut counters,
                    &mut [states.start],
                    &mut [count],
                    &mut todo,
                ],
            )
        }?;
        let [_, transitions, first, second] = self.read_counters()?;
        let (deferred, missing) = (first & u64::from(u32::MAX), first >> 32);
        let (special, is_full) = (second & u64::from(u32::MAX), second >> 32 != 0);
        let loaded = self.loaded()?;
        let mut expanded = Expanded { transitions, deferred, is_full, ..Expanded::default() };
        if special > 0 {
            expanded.special = self.read_keys(&loaded.special, 0, special)?;
        }
        if missing > 0 {
            let count = missing.min(u64::from(REQUESTS));
            let words = if loaded.width == Width::Narrow { 2 } else { 4 };
            let mut list = vec![0_u64; (count * words) as usize];
            loaded.missing.read(0, &mut list)?;
            expanded.missing = list
                .chunks_exact(words as usize)
                .map(|words| match words {
                    [low, node] => (*node as u32, Key::from(*low)),
                    [low, high, node, _] => (*node as u32, wide(*low, *high)),
                    _ => (0, 0),
                })
                .collect();
        }
        Ok(expanded)
    }

    fn grow(&mut self) -> Result<(), Failure> {
        let room = self.states()?.room;
        if room == 0 {
            return Err(Failure::Full);
        }
        self.make_room(room.saturating_mul(GROWTH))
    }

    fn keys(&mut self, states: Range<Place>) -> Result<Vec<Key>, Failure> {
        self.read_keys(&self.states()?.order, states.start, states.end - states.start)
    }

    fn predecessors(&mut self, states: Range<Place>, target: Key) -> Result<Vec<Key>, Failure> {
        let count = states.end - states.start;
        self.reset_counters()?;
        let (mut table, mut requests) = (self.table_argument()?, self.requests_argument()?);
        let mut arguments = self.states_argument(0)?;
        let loaded = self.loaded()?;
        let mut counters = [loaded.counters.address()];
        let blocks = (self.context.multiprocessors * BLOCKS).min((count as u32).div_ceil(BLOCK));
        // SAFETY: `trace` has these parameters, and there is room for all states to be found.
        unsafe {
            loaded.trace.run(
                blocks,
                BLOCK,
                &mut [
                    &mut table,
                    &mut arguments,
                    &mut requests,
                    &mut counters,
                    &mut [states.start],
                    &mut [count],
                    &mut [target as u64],
                    &mut [(target >> 64) as u64],
                ],
            )
        }?;
        let [_, _, _, second] = self.read_counters()?;
        self.read_keys(&self.loaded()?.special, 0, second & u64::from(u32::MAX))
    }

    fn memory(&self) -> u64 {
        let loaded = self.loaded.iter().flat_map(|loaded| {
            let Loaded { counters, missing, special, asked, todo, added, .. } = loaded;
            [counters, missing, special, asked, todo, added]
        });
        let states = self.states.iter().flat_map(|states| [&states.set, &states.order]);
        let table = self.table.iter().flat_map(Uploaded::buffers);
        loaded.chain(states).chain(table).map(|buffer| buffer.bytes() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{NARROW, WIDE};

    /// FNV-1a, as `kernel/build.py` has it.
    fn hash(text: &str) -> u64 {
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    #[test]
    fn kernels_are_compiled_from_their_source() {
        let expected = format!("// search.cu {:016x}", hash(include_str!("../../kernel/search.cu")));
        for text in [NARROW, WIDE] {
            assert_eq!(text.lines().next(), Some(expected.as_str()), "run crates/gpu/kernel/build.py");
        }
    }
}
