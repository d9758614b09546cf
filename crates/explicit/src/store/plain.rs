//! An exact store of states: byte strings of any length, each kept once.
//!
//! An append-only arena holds one record after the other, in segments that never move; an open-addressing
//! table with linear probing finds them. An entry of the table is a record's place and 24 bits of its hash,
//! so most collisions cost no look at the arena. The table grows by walking over the arena, without the old
//! table: growth needs no memory for both. Every allocation is counted against the limit *before* it happens.
//!
//! A record is `length (varint) | link | state`. The last bytes of a state may be hidden: kept, but not
//! compared. The link is free for the search's use; breadth-first search keeps the parent there, and walks
//! over the records in the order they came, so the arena is its queue too.

use narrows_graph::varint;
use rapidhash::v3::rapidhash_v3;

/// Names a state of a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u64);

impl StateId {
    /// Returns the name as a number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// Makes a name of its number.
    pub(crate) fn from_number(number: u64) -> StateId {
        StateId(number)
    }
}

/// What became of a state that was offered to a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It was not there before.
    New(StateId),
    /// It was there already.
    Known(StateId),
}

/// There is no room for another state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl From<Full> for narrows_model::Limit {
    fn from(Full: Full) -> narrows_model::Limit {
        narrows_model::Limit::Memory
    }
}

/// The shape of a [`Store`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// How many bytes at the end of each state are not compared.
    pub hidden: usize,
    /// Whether each state has a link to another one.
    pub linked: bool,
}

/// An exact set of states.
#[derive(Debug)]
pub struct Store {
    table: Vec<u64>,
    segments: Vec<Vec<u8>>,
    shape: Shape,
    count: u64,
    state_bytes: u64,
    memory: u64,
    limit: u64,
}

const SEGMENT_BITS: u32 = 20;
const SEGMENT: usize = 1 << SEGMENT_BITS;
/// Enough for a tebibyte of records.
const ID_BITS: u32 = 40;
const ID_MASK: u64 = (1 << ID_BITS) - 1;
const LINK: usize = ID_BITS as usize / 8;
const FIRST_TABLE: usize = 1 << 12;
/// A link that leads nowhere.
const NO_LINK: u64 = ID_MASK;

impl Store {
    /// Makes an empty store that will use at most `limit` bytes.
    pub fn new(shape: Shape, limit: u64) -> Store {
        Store { table: Vec::new(), segments: Vec::new(), shape, count: 0, state_bytes: 0, memory: 0, limit }
    }

    /// Returns how many states there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns how many bytes of memory are in use.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Returns how many bytes all states have together, hidden ones left out.
    pub fn state_bytes(&self) -> u64 {
        self.state_bytes
    }

    /// Changes the limit: others use memory too.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Returns whether a state is there.
    pub fn contains(&self, state: &[u8]) -> bool {
        self.probe(state, self.hash(state)).is_ok()
    }

    /// Returns the name of a state, if it is there.
    pub fn find(&self, state: &[u8]) -> Option<StateId> {
        self.probe(state, self.hash(state)).ok()
    }

    /// Adds a state unless it is there.
    pub fn insert(&mut self, state: &[u8]) -> Result<Entry, Full> {
        self.insert_linked(state, None)
    }

    /// Adds a state unless it is there, with a link to another one.
    pub fn insert_linked(&mut self, state: &[u8], link: Option<StateId>) -> Result<Entry, Full> {
        let hash = self.hash(state);
        let mut slot = match self.probe(state, hash) {
            Ok(id) => return Ok(Entry::Known(id)),
            Err(slot) => slot,
        };
        if self.make_room()? {
            slot = self.probe(state, hash).err().ok_or(Full)?;
        }
        let id = self.append(state, link)?;
        self.table[slot] = entry(id, hash);
        self.count += 1;
        self.state_bytes += (state.len() - self.shape.hidden) as u64;
        Ok(Entry::New(id))
    }

    /// Returns a state, hidden bytes included.
    pub fn get(&self, id: StateId) -> &[u8] {
        let (start, length) = self.extent(id);
        &self.segment(id)[start..start + length]
    }

    /// Returns the link of a state.
    pub fn link(&self, id: StateId) -> Option<StateId> {
        if !self.shape.linked {
            return None;
        }
        let (start, _) = self.extent(id);
        let mut bytes = [0; 8];
        bytes[..LINK].copy_from_slice(&self.segment(id)[start - LINK..start]);
        let link = u64::from_le_bytes(bytes);
        (link != NO_LINK).then_some(StateId(link))
    }

    /// Returns the first state, in the order they came.
    pub fn first(&self) -> Option<StateId> {
        self.settle(0, 0)
    }

    /// Returns the state that came after another one.
    pub fn next(&self, id: StateId) -> Option<StateId> {
        let (start, length) = self.extent(id);
        self.settle((id.0 >> SEGMENT_BITS) as usize, start + length)
    }

    /// Returns the state that starts at a place, or in the next segment if that one is over.
    fn settle(&self, segment: usize, offset: usize) -> Option<StateId> {
        if offset < self.segments.get(segment)?.len() {
            return Some(identify(segment, offset));
        }
        let next = self.segments.get(segment + 1)?;
        (!next.is_empty()).then_some(identify(segment + 1, 0))
    }

    fn hash(&self, state: &[u8]) -> u64 {
        rapidhash_v3(&state[..state.len() - self.shape.hidden])
    }

    /// Finds a state, or the slot where it belongs.
    fn probe(&self, state: &[u8], hash: u64) -> Result<StateId, usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let visible = &state[..state.len() - self.shape.hidden];
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.table[slot];
            if found == 0 {
                return Err(slot);
            }
            if found >> ID_BITS == hash >> ID_BITS {
                let id = StateId((found & ID_MASK) - 1);
                let there = self.get(id);
                if &there[..there.len() - self.shape.hidden] == visible {
                    return Ok(id);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn segment(&self, id: StateId) -> &[u8] {
        &self.segments[(id.0 >> SEGMENT_BITS) as usize]
    }

    /// Returns where a state starts in its segment, and its length.
    fn extent(&self, id: StateId) -> (usize, usize) {
        let segment = self.segment(id);
        let mut rest = &segment[id.0 as usize & (SEGMENT - 1)..];
        let length = varint::read(&mut rest).map_or(0, |length| length as usize);
        let at = segment.len() - rest.len();
        (if self.shape.linked { at + LINK } else { at }, length)
    }

    /// Counts memory that is about to be allocated in place of some that is freed.
    fn claim(&mut self, bytes: u64, freed: u64) -> Result<(), Full> {
        let memory = self.memory - freed + bytes;
        if memory > self.limit {
            return Err(Full);
        }
        self.memory = memory;
        Ok(())
    }

    /// Makes sure that a slot stays free after the next state; grows the table in time, and fills it further
    /// if it can't grow. Returns whether slots have moved.
    fn make_room(&mut self) -> Result<bool, Full> {
        let length = self.table.len() as u64;
        if self.count * 4 < length * 3 {
            return Ok(false);
        }
        match self.grow() {
            Ok(()) => Ok(true),
            Err(Full) if self.count * 16 < length * 15 => Ok(true),
            Err(Full) => Err(Full),
        }
    }

    fn grow(&mut self) -> Result<(), Full> {
        let old = self.table.len();
        let length = (old * 2).max(FIRST_TABLE);
        self.claim(length as u64 * 8, old as u64 * 8)?;
        self.table = Vec::new();
        let mut table = Vec::new();
        if table.try_reserve_exact(length).is_err() {
            // The old table fitted a moment ago.
            self.memory -= (length - old) as u64 * 8;
            table = vec![0; old];
            self.fill(table);
            return Err(Full);
        }
        table.resize(length, 0);
        self.fill(table);
        Ok(())
    }

    fn fill(&mut self, mut table: Vec<u64>) {
        let mask = table.len().wrapping_sub(1);
        let mut next = self.first();
        while let Some(id) = next {
            let hash = self.hash(self.get(id));
            let mut slot = hash as usize & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = entry(id, hash);
            next = self.next(id);
        }
        self.table = table;
    }

    fn append(&mut self, state: &[u8], link: Option<StateId>) -> Result<StateId, Full> {
        let most = state.len() + LINK + varint::MAX_LENGTH;
        let is_full =
            |segment: &Vec<u8>| segment.capacity() - segment.len() < most || segment.len() >= SEGMENT;
        if self.segments.last().is_none_or(is_full) {
            self.add_segment(most.max(SEGMENT))?;
        }
        let number = self.segments.len() - 1;
        let segment = &mut self.segments[number];
        let id = identify(number, segment.len());
        varint::write(state.len() as u64, segment);
        if self.shape.linked {
            let link = link.map_or(NO_LINK, |link| link.0);
            segment.extend_from_slice(&link.to_le_bytes()[..LINK]);
        }
        segment.extend_from_slice(state);
        Ok(id)
    }

    fn add_segment(&mut self, bytes: usize) -> Result<(), Full> {
        if self.segments.len() as u64 + 1 >= 1 << (ID_BITS - SEGMENT_BITS) {
            return Err(Full);
        }
        self.claim(bytes as u64, 0)?;
        let mut segment = Vec::new();
        if segment.try_reserve_exact(bytes).is_err() {
            self.memory -= bytes as u64;
            return Err(Full);
        }
        self.segments.push(segment);
        Ok(())
    }
}

fn identify(segment: usize, offset: usize) -> StateId {
    StateId((segment as u64) << SEGMENT_BITS | offset as u64)
}

fn entry(id: StateId, hash: u64) -> u64 {
    hash & !ID_MASK | (id.0 + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use narrows_graph::Random;

    use super::{Entry, Full, Shape, StateId, Store};

    #[test]
    fn agrees_with_a_hash_map() {
        for seed in 0..8 {
            let mut random = Random::new(seed);
            let hidden = seed as usize % 3;
            let linked = seed % 2 == 0;
            let mut store = Store::new(Shape { hidden, linked }, u64::MAX);
            let mut map: HashMap<Vec<u8>, (StateId, Vec<u8>)> = HashMap::new();
            let mut order = Vec::new();
            for _ in 0..20_000 {
                let length = hidden as u64 + random.below(if seed == 5 { 400 } else { 5 });
                let state: Vec<u8> = (0..length).map(|_| random.below(7) as u8).collect();
                let visible = state[..state.len() - hidden].to_vec();
                assert_eq!(store.contains(&state), map.contains_key(&visible));
                match store.insert_linked(&state, order.last().copied()).unwrap() {
                    Entry::Known(id) => assert_eq!(map[&visible].0, id),
                    Entry::New(id) => {
                        assert!(map.insert(visible, (id, state)).is_none());
                        assert_eq!(store.link(id), if linked { order.last().copied() } else { None });
                        order.push(id);
                    }
                }
            }
            assert_eq!(store.len(), map.len() as u64);
            assert!(map.values().all(|(id, state)| store.get(*id) == state));
            let walked: Vec<StateId> = std::iter::successors(store.first(), |id| store.next(*id)).collect();
            assert_eq!(walked, order);
        }
    }

    #[test]
    fn stops_at_the_limit_and_keeps_what_it_has() {
        let limit = 3 << 20;
        let mut store = Store::new(Shape::default(), limit);
        let mut count = 0u32;
        while store.insert(&count.to_le_bytes()) != Err(Full) {
            assert!(store.memory() <= limit);
            count += 1;
        }
        assert!(count > 150_000, "{count}");
        assert!((0..count).all(|number| store.contains(&number.to_le_bytes())));
        assert!(matches!(store.insert(&7u32.to_le_bytes()), Ok(Entry::Known(_))));
    }

    #[test]
    fn keeps_states_larger_than_a_segment() {
        let mut store = Store::new(Shape::default(), u64::MAX);
        for byte in 0..3 {
            assert!(matches!(store.insert(&vec![byte; 3 << 20]), Ok(Entry::New(_))));
            assert!(matches!(store.insert(&[byte]), Ok(Entry::New(_))));
        }
        assert_eq!(store.len(), 6);
        assert!(matches!(store.insert(&vec![1; 3 << 20]), Ok(Entry::Known(_))));
    }
}
