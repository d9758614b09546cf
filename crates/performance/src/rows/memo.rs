//! What processes do, remembered by the bits of a state that they look at.
//!
//! As long as these are the same, the steps of a process are the same, and change the same bits: a step that was taken
//! before, wherever the other processes were, costs no more than a look into a table. A process that looks at nearly all
//! that changes meets the same bits too rarely: its steps are not remembered.
//!
//! Invariant: all states have the same parts, and are kept in words by the same pattern; a new pattern needs a new memo.

use narrows_model::StateSpace;
use rustc_hash::FxHashMap;

use crate::states::{Lens, Pattern};

/// Steps of processes that were taken before.
#[derive(Debug)]
pub(super) struct Memo {
    processes: Vec<Own>,
    looks: Vec<Look>,
    /// At places that hashes tell; at most half are in use.
    entries: Vec<Entry>,
    used: usize,
    /// What steps change in the words of a state, one after the other, and what is done.
    changes: Vec<u64>,
    deeds: Vec<u32>,
    /// How many words a state has.
    words: usize,
}

/// A process: the bits of itself decide what it looks at.
#[derive(Debug)]
struct Own {
    lens: Option<Lens>,
    looks: FxHashMap<u64, u16>,
    /// What it always looks at, if the bits of itself never change.
    only: Option<u16>,
}

/// What is looked at.
#[derive(Debug)]
struct Look {
    lens: Lens,
    asked: u32,
    missed: u32,
    is_worth_it: bool,
}

/// The steps of a process, by what it looks at.
#[derive(Clone, Copy, Debug)]
struct Entry {
    seen: u64,
    look: u16,
    count: u16,
    start: u32,
}

/// What is remembered of a process in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recalled {
    /// Its steps: where they begin, and how many there are.
    Steps(u32, u16),
    /// Nothing yet, but its steps can be remembered: by what it looks at, and what is there.
    Nothing(u16, u64),
    /// It is not known what it looks at: ask.
    Unknown,
    /// Its steps are not remembered.
    Never,
}

/// Marks an entry that is not in use, and what can't be looked at.
const NONE: u16 = u16::MAX;

/// With more entries than this, all are forgotten.
const MOST: usize = 1 << 18;

/// If nothing was remembered so many times, and more often than not, it is not worth it.
const IN_VAIN: u32 = 1 << 12;

fn place(seen: u64, look: u16, length: usize) -> usize {
    let mixed = (seen ^ u64::from(look) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32) as usize & (length - 1)
}

impl Memo {
    /// Starts with nothing, for states that are like a given one; `None` if nothing is known of its processes.
    pub(super) fn new(space: &dyn StateSpace, state: &[u8], pattern: &Pattern) -> Option<Memo> {
        let mut processes = Vec::new();
        let mut bytes = Vec::new();
        while space.looks(state, processes.len(), &mut bytes).is_some() {
            let own = bytes.first().map(std::slice::from_ref).unwrap_or_default();
            processes.push(Own { lens: pattern.lens(own), looks: FxHashMap::default(), only: None });
            bytes.clear();
        }
        if processes.is_empty() {
            return None;
        }
        let nothing = Entry { seen: 0, look: NONE, count: 0, start: 0 };
        let (looks, changes, deeds) = (Vec::new(), Vec::new(), Vec::new());
        let entries = vec![nothing; 1 << 10];
        Some(Memo { processes, looks, entries, used: 0, changes, deeds, words: pattern.words() })
    }

    /// Returns how many processes there are.
    pub(super) fn processes(&self) -> usize {
        self.processes.len()
    }

    /// Returns how many bytes it takes.
    pub(super) fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.changes.capacity() * 8 + self.deeds.capacity() * 4
    }

    /// Remembers what a process does in a state.
    #[inline]
    pub(super) fn recall(&mut self, words: &[u64], pid: usize) -> Recalled {
        let own = &self.processes[pid];
        let number = match (own.only, &own.lens) {
            (Some(only), _) => only,
            (None, None) => return Recalled::Never,
            (None, Some(lens)) => match own.looks.get(&lens.look(words)) {
                Some(number) => *number,
                None => return Recalled::Unknown,
            },
        };
        let Some(look) = self.looks.get_mut(usize::from(number)).filter(|look| look.is_worth_it) else {
            return Recalled::Never;
        };
        look.asked = look.asked.saturating_add(1);
        let seen = look.lens.look(words);
        let mut at = place(seen, number, self.entries.len());
        loop {
            let entry = &self.entries[at];
            if entry.seen == seen && entry.look == number {
                return Recalled::Steps(entry.start, entry.count);
            }
            if entry.look == NONE {
                return Recalled::Nothing(number, seen);
            }
            at = (at + 1) & (self.entries.len() - 1);
        }
    }

    /// Finds out what a process looks at in a state, of which the words are given too.
    pub(super) fn ask(
        &mut self,
        space: &dyn StateSpace,
        pattern: &Pattern,
        (state, words): (&[u8], &[u64]),
        pid: usize,
    ) -> Recalled {
        let mut bytes = Vec::new();
        let is_known = space.looks(state, pid, &mut bytes) == Some(true);
        let lens = if is_known { pattern.lens(&bytes) } else { None };
        let number = match lens {
            Some(lens) if self.looks.len() < usize::from(NONE) => {
                self.looks.push(Look { lens, asked: 0, missed: 0, is_worth_it: true });
                self.looks.len() as u16 - 1
            }
            _ => NONE,
        };
        let own = &mut self.processes[pid];
        match &own.lens {
            Some(lens) if lens.is_empty() => own.only = Some(number),
            Some(lens) => {
                own.looks.insert(lens.look(words), number);
            }
            None => {}
        }
        self.recall(words, pid)
    }

    /// Returns a step: what it changes in the words of a state, and what is done.
    #[inline]
    pub(super) fn step(&self, number: usize) -> (&[u64], u32) {
        (&self.changes[number * self.words..][..self.words], self.deeds[number])
    }

    /// Notes the steps of a process, by what it looks at and what is there.
    pub(super) fn note<'s>(
        &mut self,
        look: u16,
        seen: u64,
        from: &[u64],
        steps: impl Iterator<Item = (&'s [u64], u32)>,
    ) {
        let entry = &mut self.looks[usize::from(look)];
        entry.missed += 1;
        if entry.missed >= IN_VAIN && entry.missed > entry.asked / 2 {
            entry.is_worth_it = false;
        }
        if self.used >= MOST {
            self.clear();
        }
        let start = self.deeds.len();
        for (words, deed) in steps {
            self.changes.extend(words.iter().zip(from).map(|(word, from)| word ^ from));
            self.deeds.push(deed);
        }
        let (Ok(count), Ok(start)) = (u16::try_from(self.deeds.len() - start), u32::try_from(start)) else {
            return;
        };
        if (self.used + 1) * 2 > self.entries.len() {
            self.grow();
        }
        self.put(Entry { seen, look, count, start });
        self.used += 1;
    }

    fn put(&mut self, entry: Entry) {
        let mut at = place(entry.seen, entry.look, self.entries.len());
        while self.entries[at].look != NONE {
            at = (at + 1) & (self.entries.len() - 1);
        }
        self.entries[at] = entry;
    }

    fn grow(&mut self) {
        let nothing = Entry { seen: 0, look: NONE, count: 0, start: 0 };
        let larger = vec![nothing; self.entries.len() * 2];
        for entry in std::mem::replace(&mut self.entries, larger) {
            if entry.look != NONE {
                self.put(entry);
            }
        }
    }

    fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.look = NONE;
        }
        self.used = 0;
        self.changes.clear();
        self.deeds.clear();
    }
}
