//! What processes do, remembered by what they look at.
//!
//! Where the numbers of leaves stand side by side in a key, the leaves that a process looks at are some bits
//! of it: as long as these are the same, its steps change the same bits in the same way. So a step that was
//! taken before, wherever the other processes were, costs no more than a look into a table; no state is
//! unfolded, and no code runs.
//!
//! Some processes are asked in two rounds: which element of an array they look at depends on its index, and
//! what a rendezvous does on who is ready for it. By the bits of the first round it is then remembered which
//! those of the second are, and by those the steps.

use std::ops::Range;

use narrows_model::{SecondRound, StateSpace};
use rustc_hash::FxHashMap;

use super::remembered::{Asker, Found, NOTHING, Remembered, Steps, place};
use crate::store::{Components, Field, Outline};

/// What a thread knows of processes: at which bits each of them looks.
#[derive(Debug)]
pub(super) struct Memo {
    /// The processes of each shape, as far as it was met.
    shapes: Vec<Option<Box<[ProcessBits]>>>,
    /// Which bits are looked at: each set once, the first two being [`UNKNOWN`] and [`NEVER`]; with what
    /// decides about those of the second round, if it is known what does.
    looks: Vec<(u64, Option<Deciding>)>,
    /// The bits of second rounds, by what decides about them: see [`Memo::ask_second`].
    second: FxHashMap<Box<[u8]>, u64>,
    deciding: Vec<u8>,
    /// Where among them those of a process are that has several leaves.
    others: Vec<Look>,
    threads: u32,
    asked: u32,
    missed: u32,
    /// Of how many states it was asked, and how often it had to find out the second round of each process.
    states: u32,
    seconds: Vec<u32>,
    /// For so many states it is not asked.
    pause: u32,
    is_off: bool,
}

/// The bytes of a state that decide about a second round, beside the process itself.
type Deciding = Box<[Range<u32>]>;

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

/// Stands beside the bits of the first round if there may be a second; keys do not have this bit.
const HAS_SECOND: u64 = 1 << 63;

/// What is remembered of a process in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recalled {
    /// Its steps.
    Steps(Steps),
    /// Nothing yet, but its steps can be remembered: by these bits, which are those of the second round or
    /// not.
    Nothing(u64, bool),
    /// It is not known what it looks at: ask.
    Unknown,
    /// It is not known what it looks at in the second round, by these bits of the first: ask.
    UnknownSecond(u64),
    /// Its steps can't be remembered.
    Never,
}

const NOBODY: u16 = u16::MAX;
const LOOK_BITS: u32 = 12;

/// After so many questions of all threads it is known whether the answers are worth it.
const TRIED: u32 = 1 << 16;

/// If they are not, it goes on without for so many states.
const PAUSE: u32 = 1 << 18;

/// A second round is found out so often before it is asked whether that is too often: in more than one of so
/// many states.
const MANY_SECONDS: u32 = 1 << 12;
const FEW_STATES: u32 = 64;

/// So many second rounds are kept at most by what decides about them.
const MAX_SECONDS: usize = 1 << 16;

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
            looks: vec![(0, None); 2],
            second: FxHashMap::default(),
            deciding: Vec::new(),
            others: Vec::new(),
            asked: 0,
            missed: 0,
            states: 0,
            seconds: Vec::new(),
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
            look => self.looks[usize::from(look)].0,
        };
        let first = bits & !HAS_SECOND;
        match steps.find(key & first, Asker { pid, is_second: false }) {
            Some(Found::Steps(steps)) => Recalled::Steps(steps),
            Some(Found::Bits(second)) => Memo::recall_second(steps, key, pid, second),
            None if bits == first => Recalled::Nothing(first, false),
            None if self.is_costly(pid) => Recalled::Never,
            None => Recalled::UnknownSecond(first),
        }
    }

    /// Returns whether the second round of a process is so often a new one that its steps are found sooner
    /// than that.
    fn is_costly(&self, pid: usize) -> bool {
        let found_out = self.seconds.get(pid).copied().unwrap_or(0);
        found_out > MANY_SECONDS / self.threads && found_out > self.states / FEW_STATES
    }

    /// Remembers what a process does that looks at these bits in the second round.
    fn recall_second(steps: &Remembered, key: u64, pid: usize, bits: u64) -> Recalled {
        if bits == NOTHING {
            return Recalled::Never;
        }
        match steps.find(key & bits, Asker { pid, is_second: true }) {
            Some(Found::Steps(steps)) => Recalled::Steps(steps),
            _ => Recalled::Nothing(bits, true),
        }
    }

    /// Finds out which bits of a key a process looks at in the second round, by those of the first.
    pub(super) fn ask_second<S: StateSpace + ?Sized>(
        &mut self,
        (space, components, steps): (&S, &Components, &Remembered),
        (shape, key, pid, first): (u32, u64, usize, u64),
        state: &Outline,
    ) -> Recalled {
        let look = self.look(shape, key, pid);
        let Some(Some(processes)) = self.shapes.get(shape as usize) else { return Recalled::Never };
        let own = key & processes[pid].bits;
        self.deciding.clear();
        if let Some(ranges) = &self.looks[usize::from(look)].1 {
            // Several processes may share a leaf.
            self.deciding.push(pid as u8);
            self.deciding.extend_from_slice(&look.to_le_bytes());
            self.deciding.extend_from_slice(&own.to_le_bytes());
            for range in ranges {
                let values = &state.state()[range.start as usize..range.end as usize];
                self.deciding.extend_from_slice(values);
            }
        }
        let known = self.second.get(self.deciding.as_slice()).filter(|_| !self.deciding.is_empty());
        let second = known.copied().unwrap_or_else(|| {
            if self.seconds.len() <= pid {
                self.seconds.resize(pid + 1, 0);
            }
            self.seconds[pid] += 1;
            let bits = match space.read_rounds(state.state(), pid).map(|rounds| rounds.second) {
                Some(SecondRound::Bytes(bytes)) => {
                    let bits = bytes.iter().filter_map(|bytes| components.bits_for(key, bytes));
                    bits.fold(first, |all, bits| all | bits)
                }
                Some(SecondRound::Needless) => first,
                Some(SecondRound::Unknown) | None => NOTHING,
            };
            if !self.deciding.is_empty() && self.second.len() < MAX_SECONDS {
                self.second.insert(self.deciding.as_slice().into(), bits);
            }
            bits
        });
        if second == first {
            // The first round decides.
            return Recalled::Nothing(first, false);
        }
        steps.note_bits(key & first, Asker { pid, is_second: false }, second);
        Memo::recall_second(steps, key, pid, second)
    }

    /// Finds out which bits of a key a process looks at first in its state, which has this shape.
    pub(super) fn ask<S: StateSpace + ?Sized>(
        &mut self,
        (space, components, steps): (&S, &Components, &Remembered),
        (shape, key, pid): (u32, u64, usize),
        state: &Outline,
    ) {
        let Some(Some(processes)) = self.shapes.get_mut(shape as usize) else { return };
        let own = &mut processes[pid];
        let mut look = NEVER;
        let mut deciding = None;
        // Another thread may have found it out; what decides about a second round it has for itself.
        let found = steps.look(key & own.bits, pid).filter(|bits| bits & HAS_SECOND == 0);
        let found = found.unwrap_or_else(|| {
            let Some(rounds) = space.read_rounds(state.state(), pid) else { return NOTHING };
            let bits = rounds.first.map_or(NOTHING, |bytes| {
                let looked_at = bytes.iter().filter_map(|bytes| components.bits_for(key, bytes));
                looked_at.fold(own.bits, |all, bits| all | bits)
            });
            let is_last = matches!(rounds.second, SecondRound::Needless);
            let bits = if is_last || bits == NOTHING { bits } else { bits | HAS_SECOND };
            deciding = rounds.deciding.map(Vec::into_boxed_slice);
            steps.note_look(key & own.bits, pid, bits);
            bits
        });
        if found != NOTHING {
            let bits = (found, deciding);
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
    }

    /// Counts questions, and those without an answer; if there are too many of them, there will be none for a
    /// while.
    pub(super) fn count(&mut self, asked: usize, missed: usize) {
        self.states = self.states.saturating_add(1);
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
