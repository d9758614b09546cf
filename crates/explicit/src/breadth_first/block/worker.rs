//! What each thread has for itself.

use narrows_model::{Scratch, StateSpace};

use super::super::memo::{Memo, Recalled};
use super::super::reduced::Picker;
use crate::Reduction;
use crate::search::Counts;
use crate::store::{Components, Memory, NOWHERE, Outline, Stop, Wanted};

/// What a thread uses again and again.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(in crate::breadth_first) struct Worker<'a> {
    /// Chooses whose steps are taken, if not all are.
    pub(super) picker: Option<Picker<'a>>,
    pub(super) scratch: Scratch,
    pub(super) from: Outline,
    pub(super) to: Outline,
    pub(super) nothing: Outline,
    pub(super) state: Vec<u8>,
    /// The parts of a successor.
    pub(super) parts: Vec<u32>,
    pub(super) since_watch: u32,
    pub(super) memo: Memo,
    /// What is remembered of each process, the youngest first.
    pub(super) recalled: Vec<Recalled>,
    /// The steps that were not remembered: whose, and to which key.
    pub(super) missing: Vec<(u8, u64)>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) recent: Recent,
    /// In which round it visited a block last, and which one.
    pub(super) last: (u64, usize),
    pub(super) tally: Tally,
    pub(in crate::breadth_first) counts: Counts,
}

impl<'a> Worker<'a> {
    /// Prepares one of so many threads.
    pub(in crate::breadth_first) fn new(reduction: Option<&'a Reduction<'a>>, threads: usize) -> Self {
        let memo = Memo::new(threads as u32);
        Worker {
            picker: reduction.map(Picker::new),
            scratch: Scratch::with_pulses(),
            memo,
            ..Worker::default()
        }
    }

    /// Makes it choose differently from the passes before; or not at all.
    pub(in crate::breadth_first) fn begin_pass(&mut self, number: Option<usize>) {
        if let Some(picker) = &mut self.picker {
            picker.pass = number;
        }
    }

    pub(super) fn chooses(&self) -> bool {
        self.picker.as_ref().is_some_and(|picker| picker.pass.is_some())
    }

    /// Returns the key that a state gets from other components.
    pub(in crate::breadth_first) fn renew<S: StateSpace + ?Sized>(
        &mut self,
        key: u64,
        space: &S,
        before: &Components,
        after: &Components,
        memory: &Memory,
    ) -> Result<u64, Stop> {
        let Worker { from, to, nothing, state: bytes, parts, .. } = self;
        before.decode(key, from);
        bytes.clear();
        bytes.extend_from_slice(from.state());
        // What is hidden does not tell where parts are.
        bytes.resize(bytes.len() + space.hidden_bytes(), 0);
        parts.clear();
        space.parts(bytes, parts);
        after.encode(from.state(), parts, nothing, to, memory)
    }

    /// Forgets all about keys: they may have been lost, or have changed their meaning.
    pub(in crate::breadth_first) fn forget(&mut self) {
        self.forget_keys();
        self.memo.forget();
    }

    /// Forgets which keys it has met: they will be met again in another order.
    pub(in crate::breadth_first) fn forget_keys(&mut self) {
        self.recent.forget();
    }
}

/// How often a thread did what.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::breadth_first) struct Tally {
    /// States whose successors were all remembered, and states of which none could be.
    pub(super) recalled: u64,
    pub(super) expanded: u64,
    /// Processes of which it was found out what they look at, those that were asked about, and those whose
    /// steps were not remembered.
    pub(super) learned: u64,
    pub(super) asked: u64,
    pub(super) missed: u64,
    /// Components that were looked up together with others.
    pub(super) looked_up: u64,
    /// Keys that were met shortly before, and those that were looked for in the set.
    pub(super) met: u64,
    pub(super) probed: u64,
}

impl Tally {
    /// Returns what all threads did, by name.
    pub(in crate::breadth_first) fn counts(workers: &[Worker<'_>]) -> Vec<(&'static str, u64)> {
        let sum = |count: fn(&Tally) -> u64| workers.iter().map(|worker| count(&worker.tally)).sum();
        vec![
            ("states recalled", sum(|tally| tally.recalled)),
            ("states executed", sum(|tally| tally.expanded)),
            ("steps executed", workers.iter().map(|worker| worker.counts.generated).sum()),
            ("memo learned", sum(|tally| tally.learned)),
            ("memo asked", sum(|tally| tally.asked)),
            ("memo missed", sum(|tally| tally.missed)),
            ("components looked up", sum(|tally| tally.looked_up)),
            ("keys met lately", sum(|tally| tally.met)),
            ("set probes", sum(|tally| tally.probed)),
        ]
    }
}

/// Some of the keys that a thread has met lately. It meets them in the order of the states they come from, so
/// that none of them can be new again; most keys are found here, which saves the search for them in the set.
#[derive(Debug)]
pub(super) struct Recent(Vec<u64>);

const RECENT_BITS: u32 = 13;

impl Default for Recent {
    fn default() -> Recent {
        Recent(vec![NOWHERE; 1 << RECENT_BITS])
    }
}

impl Recent {
    /// Forgets all keys.
    pub(super) fn forget(&mut self) {
        self.0.fill(NOWHERE);
    }

    /// Remembers a key; returns whether it was there.
    #[inline]
    pub(super) fn meet(&mut self, key: u64) -> bool {
        let place = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT_BITS);
        std::mem::replace(&mut self.0[place as usize], key) == key
    }
}
