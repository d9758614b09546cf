//! What processes do, remembered by what they look at.
//!
//! Where the numbers of leaves stand side by side in a key, the leaves that a process looks at are some bits
//! of it: as long as these are the same, its steps change the same bits in the same way. So a step that was
//! taken before, wherever the other processes were, costs no more than a look into a table; no state is
//! unfolded, and no code runs.

use narrows_model::StateSpace;

use super::remembered::{NOTHING, Remembered, Steps, place};
use crate::store::{Components, Field, Outline};

/// What a thread knows of processes: at which bits each of them looks.
#[derive(Debug)]
pub(super) struct Memo {
    /// The processes of each shape, as far as it was met.
    shapes: Vec<Option<Box<[ProcessBits]>>>,
    /// Which bits are looked at: each set once, the first two being [`UNKNOWN`] and [`NEVER`].
    looks: Vec<u64>,
    /// Where among them those of a process are that has several leaves.
    others: Vec<Look>,
    threads: u32,
    asked: u32,
    missed: u32,
    /// For so many states it is not asked.
    pause: u32,
    is_off: bool,
}

/// A process of a shape.
#[derive(Clone, Debug)]
struct ProcessBits {
    /// The bits of the process itself, and of the shape.
    bits: u64,
    /// Where they are, if they are one leaf's alone; then what it looks at is found by the number of that
    /// leaf.
    leaf: Option<Field>,
    looks: Vec<u16>,
}

/// The bits of a key that a process looks at, by the bits of itself.
#[derive(Clone, Copy, Debug)]
struct Look {
    own: u64,
    pid: u16,
    /// Their place among those that are looked at.
    number: u16,
}

/// It is not known what a process looks at.
const UNKNOWN: u16 = 0;
/// It can't be known.
const NEVER: u16 = 1;

/// What is remembered of a process in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recalled {
    /// Its steps.
    Steps(Steps),
    /// Nothing yet, but its steps can be remembered: by these bits.
    Nothing(u64),
    /// It is not known what it looks at: ask.
    Unknown,
    /// Its steps can't be remembered.
    Never,
}

const NOBODY: u16 = u16::MAX;
const LOOK_BITS: u32 = 12;

/// After so many questions of all threads it is known whether the answers are worth it.
const TRIED: u32 = 1 << 16;

/// If they are not, it goes on without for so many states.
const PAUSE: u32 = 1 << 18;

impl Default for Memo {
    fn default() -> Memo {
        Memo::new(1)
    }
}

impl Memo {
    /// Makes the memo of one of so many threads.
    pub(super) fn new(threads: u32) -> Memo {
        Memo {
            threads,
            shapes: Vec::new(),
            looks: vec![0; 2],
            others: Vec::new(),
            asked: 0,
            missed: 0,
            pause: 0,
            is_off: false,
        }
    }
}

impl Memo {
    /// Returns whether it is worth asking about another state.
    pub(super) fn is_on(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        !self.is_off
    }

    /// Forgets everything: keys have changed their meaning.
    pub(super) fn forget(&mut self) {
        *self = Memo::new(self.threads);
    }

    /// Returns how many processes there are in states of a shape; `None` if it was not met yet.
    pub(super) fn processes(&self, shape: u32) -> Option<usize> {
        Some(self.shapes.get(shape as usize)?.as_ref()?.len())
    }

    /// Finds the bits of each process in a state.
    pub(super) fn meet<S: StateSpace + ?Sized>(
        &mut self,
        space: &S,
        components: &Components,
        (shape, key): (u32, u64),
        state: &Outline,
    ) {
        if self.others.is_empty() {
            self.others = vec![Look { own: 0, pid: NOBODY, number: UNKNOWN }; 1 << LOOK_BITS];
        }
        let mut own = Vec::new();
        let mut bytes = Vec::new();
        while space.looks(state.state(), own.len(), &mut bytes).is_some() {
            let bits = bytes.first().and_then(|bytes| components.bits_for(key, bytes)).unwrap_or(0);
            let leaf = components.field_of(bits);
            let bits = bits | components.shape_bits().unwrap_or(0);
            own.push(ProcessBits { bits, leaf, looks: Vec::new() });
            bytes.clear();
        }
        let shape = shape as usize;
        if self.shapes.len() <= shape {
            self.shapes.resize(shape + 1, None);
        }
        self.is_off |= own.is_empty();
        self.shapes[shape] = Some(own.into());
    }

    fn look(&self, shape: u32, key: u64, pid: usize) -> u16 {
        let Some(Some(processes)) = self.shapes.get(shape as usize) else { return NEVER };
        let own = &processes[pid];
        if let Some(leaf) = own.leaf {
            return own.looks.get(leaf.get(key) as usize).copied().unwrap_or(UNKNOWN);
        }
        let bits = key & own.bits;
        let look = &self.others[place(bits, pid, LOOK_BITS)];
        if look.own == bits && usize::from(look.pid) == pid { look.number } else { UNKNOWN }
    }

    /// Remembers what a process does in the state of a key, which has this shape.
    #[inline]
    pub(super) fn recall(&self, steps: &Remembered, (shape, key, pid): (u32, u64, usize)) -> Recalled {
        let bits = match self.look(shape, key, pid) {
            UNKNOWN => return Recalled::Unknown,
            NEVER => return Recalled::Never,
            look => self.looks[usize::from(look)],
        };
        steps.find(key & bits, pid).map_or(Recalled::Nothing(bits), Recalled::Steps)
    }

    /// Finds out which bits of a key a process looks at in its state, which has this shape.
    pub(super) fn ask<S: StateSpace + ?Sized>(
        &mut self,
        (space, components, steps): (&S, &Components, &Remembered),
        (shape, key, pid): (u32, u64, usize),
        state: &Outline,
    ) -> Recalled {
        let Some(Some(processes)) = self.shapes.get_mut(shape as usize) else { return Recalled::Never };
        let own = &mut processes[pid];
        let mut bytes = Vec::new();
        let mut look = NEVER;
        // Another thread may have found it out.
        let found = steps.look(key & own.bits, pid).unwrap_or_else(|| {
            let mut bits = NOTHING;
            if space.looks(state.state(), pid, &mut bytes) == Some(true) {
                let looked_at = bytes.iter().filter_map(|bytes| components.bits_for(key, bytes));
                bits = looked_at.fold(own.bits, |all, bits| all | bits);
            }
            steps.note_look(key & own.bits, pid, bits);
            bits
        });
        if found != NOTHING {
            let bits = found;
            let known = self.looks.iter().position(|known| *known == bits);
            let number = known.unwrap_or(self.looks.len());
            if known.is_none() {
                self.looks.push(bits);
            }
            look = u16::try_from(number).unwrap_or(NEVER);
        }
        match own.leaf {
            Some(leaf) => {
                let number = leaf.get(key) as usize;
                if own.looks.len() <= number {
                    own.looks.resize(number + 1, UNKNOWN);
                }
                own.looks[number] = look;
            }
            None => {
                let own = key & own.bits;
                self.others[place(own, pid, LOOK_BITS)] = Look { own, pid: pid as u16, number: look };
            }
        }
        match look {
            NEVER => Recalled::Never,
            look => Recalled::Nothing(self.looks[usize::from(look)]),
        }
    }

    /// Counts questions, and those without an answer; if there are too many of them, there will be none for a
    /// while.
    pub(super) fn count(&mut self, asked: usize, missed: usize) {
        self.asked += asked as u32;
        self.missed += missed as u32;
        if self.asked >= TRIED / self.threads {
            if self.missed > self.asked / 5 * 3 {
                self.pause = PAUSE / self.threads;
            }
            (self.asked, self.missed) = (0, 0);
        }
    }
}
