//! What processes do, remembered by what they look at.
//!
//! Where the numbers of leaves stand side by side in a key, the leaves that a process looks at are some bits of it: as long
//! as these are the same, its steps change the same bits in the same way. So a step that was taken before, wherever the
//! other processes were, costs no more than a look into a table; no state is unfolded, and no code runs.

use narrows_model::StateSpace;

use crate::store::{Components, Outline};

/// Steps of processes that were taken before.
#[derive(Debug)]
pub(super) struct Memo {
    /// For each shape, the bits of each process itself; empty if nothing is known of the processes in it.
    shapes: Vec<Option<Box<[u64]>>>,
    looks: Vec<Look>,
    entries: Vec<Entry>,
    /// What steps change in keys; each entry has some.
    steps: Vec<u64>,
    asked: u32,
    missed: u32,
    is_off: bool,
}

/// The bits of a key that a process looks at, by the bits of itself.
#[derive(Clone, Copy, Debug)]
struct Look {
    own: u64,
    pid: u16,
    /// 0 if that is not known.
    bits: u64,
}

/// The steps of a process, by the bits it looks at.
#[derive(Clone, Copy, Debug)]
struct Entry {
    seen: u64,
    pid: u16,
    count: u16,
    start: u32,
}

/// What is remembered of a process in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recalled {
    /// Its steps, as a part of those remembered.
    Steps(u32, u16),
    /// Nothing yet, but its steps can be remembered: by these bits.
    Nothing(u64),
    /// It is not known what it looks at: ask.
    Unknown,
    /// Its steps can't be remembered.
    Never,
}

const NOBODY: u16 = u16::MAX;
const LOOK_BITS: u32 = 12;
const ENTRY_BITS: u32 = 15;

/// More steps than this are not remembered.
const MOST_STEPS: usize = 1 << 18;

/// After so many questions it is known whether the answers are worth it.
const TRIED: u32 = 1 << 16;

impl Default for Memo {
    fn default() -> Memo {
        Memo {
            shapes: Vec::new(),
            looks: Vec::new(),
            entries: Vec::new(),
            steps: Vec::new(),
            asked: 0,
            missed: 0,
            is_off: false,
        }
    }
}

fn place(bits: u64, pid: usize, of: u32) -> usize {
    let mixed = (bits ^ (pid as u64) << 57).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> (u64::BITS - of)) as usize
}

impl Memo {
    /// Returns whether it is worth asking.
    pub(super) fn is_on(&self) -> bool {
        !self.is_off
    }

    /// Forgets everything: keys have changed their meaning.
    pub(super) fn forget(&mut self) {
        *self = Memo::default();
    }

    /// Returns the bits of each process of a shape; `None` if it was not met yet.
    pub(super) fn processes(&self, shape: u32) -> Option<&[u64]> {
        self.shapes.get(shape as usize)?.as_deref()
    }

    /// Finds the bits of each process in a state.
    pub(super) fn meet<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        components: &Components,
        (shape, key): (u32, u64),
        state: &Outline,
    ) {
        if self.entries.is_empty() {
            self.looks = vec![Look { own: 0, pid: NOBODY, bits: 0 }; 1 << LOOK_BITS];
            self.clear();
        }
        let mut own = Vec::new();
        let mut bytes = Vec::new();
        while space.looks(state.state(), own.len(), &mut bytes).is_some() {
            let bits = bytes.first().and_then(|bytes| components.bits_for(key, bytes)).unwrap_or(0);
            own.push(bits | components.shape_bits().unwrap_or(0));
            bytes.clear();
        }
        let shape = shape as usize;
        if self.shapes.len() <= shape {
            self.shapes.resize(shape + 1, None);
        }
        self.is_off |= own.is_empty();
        self.shapes[shape] = Some(own.into());
    }

    fn clear(&mut self) {
        let nothing = Entry { seen: 0, pid: NOBODY, count: 0, start: 0 };
        self.entries.clear();
        self.entries.resize(1 << ENTRY_BITS, nothing);
        self.steps.clear();
    }

    /// Remembers what a process does in the state of a key; `own` are the bits of itself.
    #[inline]
    pub(super) fn recall(&self, key: u64, pid: usize, own: u64) -> Recalled {
        let own = key & own;
        let look = &self.looks[place(own, pid, LOOK_BITS)];
        if look.own != own || usize::from(look.pid) != pid {
            return Recalled::Unknown;
        }
        if look.bits == 0 {
            return Recalled::Never;
        }
        let seen = key & look.bits;
        let entry = &self.entries[place(seen, pid, ENTRY_BITS)];
        if entry.seen == seen && usize::from(entry.pid) == pid {
            Recalled::Steps(entry.start, entry.count)
        } else {
            Recalled::Nothing(look.bits)
        }
    }

    /// Returns what some steps change in a key.
    #[inline]
    pub(super) fn steps(&self, start: u32, count: u16) -> &[u64] {
        &self.steps[start as usize..start as usize + usize::from(count)]
    }

    /// Finds out which bits of a key a process looks at in its state.
    pub(super) fn ask<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        components: &Components,
        (key, pid, own): (u64, usize, u64),
        state: &Outline,
    ) -> Recalled {
        let mut bytes = Vec::new();
        let mut bits = own;
        let known = space.looks(state.state(), pid, &mut bytes) == Some(true);
        for bytes in &bytes {
            bits |= components.bits_for(key, bytes).unwrap_or(0);
        }
        let bits = if known { bits } else { 0 };
        self.looks[place(key & own, pid, LOOK_BITS)] = Look { own: key & own, pid: pid as u16, bits };
        if known { Recalled::Nothing(bits) } else { Recalled::Never }
    }

    /// Notes the steps of a process in the state of a key: what they change.
    pub(super) fn note(&mut self, key: u64, pid: usize, bits: u64, steps: impl Iterator<Item = u64>) {
        if self.steps.len() > MOST_STEPS {
            self.clear();
        }
        let (seen, start) = (key & bits, self.steps.len());
        self.steps.extend(steps);
        if let Ok(count) = u16::try_from(self.steps.len() - start) {
            let entry = Entry { seen, pid: pid as u16, count, start: start as u32 };
            self.entries[place(seen, pid, ENTRY_BITS)] = entry;
        }
    }

    /// Counts questions, and those without an answer; if there are too many of them, there will be no more.
    pub(super) fn count(&mut self, asked: usize, missed: usize) {
        self.asked += asked as u32;
        self.missed += missed as u32;
        if self.asked >= TRIED {
            self.is_off |= self.missed > self.asked / 2;
            (self.asked, self.missed) = (0, 0);
        }
    }
}
