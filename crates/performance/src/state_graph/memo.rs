//! Steps of processes, memoised by their read sets.
//!
//! As long as the bits that a process reads are the same, its steps are the same and change the same bits: a
//! step that was taken before, whatever the other processes did, costs one table lookup. A process that reads
//! nearly all bits that change has few hits: its steps are not memoised.
//!
//! Invariant: all states have the same component boundaries, and are packed by the same pattern; a new
//! pattern needs a new memo.

use narrows_model::StateSpace;
use rustc_hash::FxHashMap;

use crate::state_store::{Pattern, Projection};

/// Memoised steps.
#[derive(Debug)]
pub(super) struct Memo {
    processes: Vec<ProcessMemo>,
    read_sets: Vec<ReadSet>,
    /// A hash table with linear probing, at most half full.
    entries: Vec<Entry>,
    used: usize,
    /// For each step, the exclusive or of source and target, and its effect.
    changes: Vec<u64>,
    effects: Vec<u32>,
    /// How many words a state has.
    words: usize,
}

/// A process: its own bits (location and local variables) determine its read set.
#[derive(Debug)]
struct ProcessMemo {
    projection: Option<Projection>,
    read_sets: FxHashMap<u64, u16>,
    /// Its read set, if its own bits never change.
    only: Option<u16>,
}

/// A read set, as a projection of packed states, with its hit statistics.
#[derive(Debug)]
struct ReadSet {
    projection: Projection,
    asked: u32,
    missed: u32,
    is_worth_it: bool,
}

/// The steps of a process, by read set and the bits there.
#[derive(Clone, Copy, Debug)]
struct Entry {
    seen: u64,
    read_set: u16,
    count: u16,
    start: u32,
}

/// What the memo knows of a process in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recalled {
    /// Its steps: the first one, and how many.
    Steps(u32, u16),
    /// A miss: the read set, and the bits there, under which its steps can be added.
    Nothing(u16, u64),
    /// Its read set is not known: compute it.
    Unknown,
    /// Its steps are not memoised.
    Never,
}

/// Marks a free entry, and a read set that can't be projected.
const NONE: u16 = u16::MAX;

/// With more entries than this, the memo is cleared.
const MAX_ENTRIES: usize = 1 << 18;

/// A read set with so many misses, and more misses than hits, is given up.
const MAX_MISSES: u32 = 1 << 12;

fn place(seen: u64, read_set: u16, length: usize) -> usize {
    let mixed = (seen ^ u64::from(read_set) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32) as usize & (length - 1)
}

impl Memo {
    /// Makes an empty memo for states like the given one; `None` if the space does not tell read sets.
    pub(super) fn new(space: &dyn StateSpace, state: &[u8], pattern: &Pattern) -> Option<Memo> {
        let mut processes = Vec::new();
        let mut bytes = Vec::new();
        while space.looks(state, processes.len(), &mut bytes).is_some() {
            let own = bytes.first().map(std::slice::from_ref).unwrap_or_default();
            processes.push(ProcessMemo {
                projection: pattern.projection(own),
                read_sets: FxHashMap::default(),
                only: None,
            });
            bytes.clear();
        }
        if processes.is_empty() {
            return None;
        }
        let nothing = Entry { seen: 0, read_set: NONE, count: 0, start: 0 };
        let (read_sets, changes, effects) = (Vec::new(), Vec::new(), Vec::new());
        let entries = vec![nothing; 1 << 10];
        Some(Memo { processes, read_sets, entries, used: 0, changes, effects, words: pattern.words() })
    }

    /// Returns how many processes there are.
    pub(super) fn processes(&self) -> usize {
        self.processes.len()
    }

    /// Returns how many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.changes.capacity() * 8
            + self.effects.capacity() * 4
    }

    /// Looks up the steps of a process in a state.
    #[inline]
    pub(super) fn recall(&mut self, words: &[u64], pid: usize) -> Recalled {
        let own = &self.processes[pid];
        let number = match (own.only, &own.projection) {
            (Some(only), _) => only,
            (None, None) => return Recalled::Never,
            (None, Some(projection)) => match own.read_sets.get(&projection.look(words)) {
                Some(number) => *number,
                None => return Recalled::Unknown,
            },
        };
        let Some(read_set) =
            self.read_sets.get_mut(usize::from(number)).filter(|read_set| read_set.is_worth_it)
        else {
            return Recalled::Never;
        };
        read_set.asked = read_set.asked.saturating_add(1);
        let seen = read_set.projection.look(words);
        let mut at = place(seen, number, self.entries.len());
        loop {
            let entry = &self.entries[at];
            if entry.seen == seen && entry.read_set == number {
                return Recalled::Steps(entry.start, entry.count);
            }
            if entry.read_set == NONE {
                return Recalled::Nothing(number, seen);
            }
            at = (at + 1) & (self.entries.len() - 1);
        }
    }

    /// Computes the read set of a process in a state, which is given as bytes and packed, and looks up its
    /// steps.
    pub(super) fn ask(
        &mut self,
        space: &dyn StateSpace,
        pattern: &Pattern,
        (state, words): (&[u8], &[u64]),
        pid: usize,
    ) -> Recalled {
        let mut bytes = Vec::new();
        let is_known = space.looks(state, pid, &mut bytes) == Some(true);
        let projection = if is_known { pattern.projection(&bytes) } else { None };
        let number = match projection {
            Some(projection) if self.read_sets.len() < usize::from(NONE) => {
                self.read_sets.push(ReadSet { projection, asked: 0, missed: 0, is_worth_it: true });
                self.read_sets.len() as u16 - 1
            }
            _ => NONE,
        };
        let own = &mut self.processes[pid];
        match &own.projection {
            Some(projection) if projection.is_empty() => own.only = Some(number),
            Some(projection) => {
                own.read_sets.insert(projection.look(words), number);
            }
            None => {}
        }
        self.recall(words, pid)
    }

    /// Returns a step: the bits that it flips, and its effect.
    #[inline]
    pub(super) fn step(&self, number: usize) -> (&[u64], u32) {
        (&self.changes[number * self.words..][..self.words], self.effects[number])
    }

    /// Adds the steps of a process, by its read set and the bits there.
    pub(super) fn note<'s>(
        &mut self,
        read_set: u16,
        seen: u64,
        from: &[u64],
        steps: impl Iterator<Item = (&'s [u64], u32)>,
    ) {
        let entry = &mut self.read_sets[usize::from(read_set)];
        entry.missed += 1;
        if entry.missed >= MAX_MISSES && entry.missed > entry.asked / 2 {
            entry.is_worth_it = false;
        }
        if self.used >= MAX_ENTRIES {
            self.clear();
        }
        let start = self.effects.len();
        for (words, effect) in steps {
            self.changes.extend(words.iter().zip(from).map(|(word, from)| word ^ from));
            self.effects.push(effect);
        }
        let (Ok(count), Ok(start)) = (u16::try_from(self.effects.len() - start), u32::try_from(start)) else {
            return;
        };
        if (self.used + 1) * 2 > self.entries.len() {
            self.grow();
        }
        self.put(Entry { seen, read_set, count, start });
        self.used += 1;
    }

    fn put(&mut self, entry: Entry) {
        let mut at = place(entry.seen, entry.read_set, self.entries.len());
        while self.entries[at].read_set != NONE {
            at = (at + 1) & (self.entries.len() - 1);
        }
        self.entries[at] = entry;
    }

    fn grow(&mut self) {
        let nothing = Entry { seen: 0, read_set: NONE, count: 0, start: 0 };
        let larger = vec![nothing; self.entries.len() * 2];
        for entry in std::mem::replace(&mut self.entries, larger) {
            if entry.read_set != NONE {
                self.put(entry);
            }
        }
    }

    fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.read_set = NONE;
        }
        self.used = 0;
        self.changes.clear();
        self.effects.clear();
    }
}
