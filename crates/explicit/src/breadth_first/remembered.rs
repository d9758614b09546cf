//! Steps of processes that were taken before, shared by all threads: what one has found out, no other finds
//! out again.
//!
//! An entry says for some bits of a key, and a process, where its steps are. It is a lock that readers never
//! wait for (J.-P. Lozi et al. call it a seqlock): a writer takes an entry by marking its second word, and a
//! reader who finds that word the same before and after the first one has read what belongs together. Steps
//! are only added, so that no word comes back, until all is forgotten between two batches.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// What steps change in keys, by process and by the bits it looks at.
#[derive(Debug)]
pub(super) struct Remembered {
    entries: OnceLock<Box<[Entry]>>,
    /// What steps change in keys; each entry has some.
    chunks: [OnceLock<Box<[AtomicU64]>>; CHUNKS],
    used: Used,
    /// At which bits of a key processes look, by the bits of themselves.
    looks: OnceLock<Box<[Look]>>,
    looked: Used,
}

/// At which bits of a key a process looks. A lock like that of an entry.
#[derive(Debug, Default)]
struct Look {
    own: AtomicU64,
    bits: AtomicU64,
    /// The process, and a number that never comes back; 0 if there is nothing.
    what: AtomicU64,
}

/// It can't be known what a process looks at.
pub(super) const NOTHING: u64 = 0;

impl Default for Remembered {
    fn default() -> Remembered {
        let chunks = [const { OnceLock::new() }; CHUNKS];
        Remembered {
            entries: OnceLock::new(),
            chunks,
            used: Used::default(),
            looks: OnceLock::new(),
            looked: Used::default(),
        }
    }
}

/// How many steps there are, apart from what is often read.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Used(AtomicU64);

/// The steps of a process, by the bits it looks at.
#[derive(Debug, Default)]
struct Entry {
    seen: AtomicU64,
    /// Process, number of steps, and the place behind the last of them; 0 if there is nothing.
    what: AtomicU64,
}

/// Steps of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    end: u32,
    pub(super) count: u16,
}

/// Whose steps they are, and in which round of bits they are looked for. Bits of different rounds must not be
/// taken for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    pub(super) pid: usize,
    pub(super) is_second: bool,
}

impl Asker {
    fn number(self) -> usize {
        self.pid * 2 + usize::from(self.is_second)
    }
}

/// What is remembered by some bits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    Steps(Steps),
    /// Steps depend on all of these bits; [`NOTHING`] if they can't be known.
    Bits(u64),
}

/// The number of steps of an entry that has bits instead.
const BITS: u16 = u16::MAX;

const ENTRY_BITS: u32 = 17;
const LOOK_BITS: u32 = 17;

const CHUNK: u64 = 1 << 14;
const CHUNKS: usize = 64;

/// With more steps than this, all is forgotten before the next batch.
const MANY: u64 = CHUNK * (CHUNKS as u64 - 8);

/// Somebody writes.
const TAKEN: u64 = u64::MAX;

/// Returns where in a table, of two to the power of `of` entries, the bits of a process are.
pub(super) fn place(bits: u64, pid: usize, of: u32) -> usize {
    let mixed = (bits ^ (pid as u64) << 57).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> (u64::BITS - of)) as usize
}

/// Takes an entry to write to it, if nobody else does.
fn take(what: &AtomicU64) -> bool {
    let before = what.load(Ordering::Relaxed);
    let take = || what.compare_exchange(before, TAKEN, Ordering::Acquire, Ordering::Relaxed);
    let is_taken = before != TAKEN && take().is_ok();
    fence(Ordering::Release);
    is_taken
}

impl Remembered {
    /// Returns the bits at which a process looks, by those of itself; [`NOTHING`] if that can't be known.
    pub(super) fn look(&self, own: u64, pid: usize) -> Option<u64> {
        let look = &self.looks.get()?[place(own, pid, LOOK_BITS)];
        let what = look.what.load(Ordering::Acquire);
        let (found, bits) = (look.own.load(Ordering::Relaxed), look.bits.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let is_whole = look.what.load(Ordering::Relaxed) == what && what != 0 && what != TAKEN;
        (is_whole && found == own && what >> 48 == pid as u64).then_some(bits)
    }

    /// Notes the bits at which a process looks.
    pub(super) fn note_look(&self, own: u64, pid: usize, bits: u64) {
        let number = self.looked.0.fetch_add(1, Ordering::Relaxed) + 1;
        let looks = self.looks.get_or_init(|| (0..1 << LOOK_BITS).map(|_| Look::default()).collect());
        let look = &looks[place(own, pid, LOOK_BITS)];
        if number >> 48 != 0 || pid >= usize::from(u16::MAX) || !take(&look.what) {
            return;
        }
        look.own.store(own, Ordering::Relaxed);
        look.bits.store(bits, Ordering::Relaxed);
        look.what.store((pid as u64) << 48 | number, Ordering::Release);
    }

    /// Returns what is remembered of a process that looks at these bits.
    #[inline]
    pub(super) fn find(&self, seen: u64, asker: Asker) -> Option<Found> {
        let number = asker.number();
        let entry = &self.entries.get()?[place(seen, number, ENTRY_BITS)];
        let what = entry.what.load(Ordering::Acquire);
        let found = entry.seen.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let is_whole = entry.what.load(Ordering::Relaxed) == what && what != 0 && what != TAKEN;
        if !is_whole || found != seen || what >> 48 != number as u64 {
            return None;
        }
        let steps = Steps { end: what as u32, count: (what >> 32) as u16 };
        if steps.count != BITS {
            return Some(Found::Steps(steps));
        }
        self.changes(Steps { count: 1, ..steps }).next().map(Found::Bits)
    }

    /// Returns what steps change in a key.
    #[inline]
    pub(super) fn changes(&self, steps: Steps) -> impl Iterator<Item = u64> {
        let Steps { end, count } = steps;
        let (chunk, end) = (u64::from(end - 1) / CHUNK, u64::from(end - 1) % CHUNK + 1);
        let chunk = self.chunks[chunk as usize].get().map_or(&[][..], |chunk| &**chunk);
        let words = chunk.get(end as usize - usize::from(count)..end as usize).unwrap_or(&[]);
        words.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Notes the steps of a process that looks at these bits: what they change. If there are too many, that
    /// is left.
    pub(super) fn note(&self, seen: u64, asker: Asker, steps: impl Iterator<Item = u64> + Clone) {
        let count = steps.clone().count() as u64;
        if count < u64::from(BITS) {
            self.note_words(seen, asker, (count as u16, steps));
        }
    }

    /// Notes on which bits the steps of a process depend that looks at these.
    pub(super) fn note_bits(&self, seen: u64, asker: Asker, bits: u64) {
        self.note_words(seen, asker, (BITS, std::iter::once(bits)));
    }

    fn note_words(&self, seen: u64, asker: Asker, (kind, words): (u16, impl Iterator<Item = u64> + Clone)) {
        let count = words.clone().count() as u64;
        // A process without steps has a place too.
        let start = self.used.0.fetch_add(count.max(1), Ordering::Relaxed);
        let (chunk, offset) = (start / CHUNK, start % CHUNK);
        let end = offset + count.max(1);
        let number = asker.number();
        if chunk >= CHUNKS as u64 || end > CHUNK || number >= usize::from(u16::MAX) {
            return;
        }
        let places =
            self.chunks[chunk as usize].get_or_init(|| (0..CHUNK).map(|_| AtomicU64::new(0)).collect());
        for (place, word) in places[(end - count) as usize..].iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        let entries = self.entries.get_or_init(|| (0..1 << ENTRY_BITS).map(|_| Entry::default()).collect());
        let entry = &entries[place(seen, number, ENTRY_BITS)];
        if !take(&entry.what) {
            return;
        }
        entry.seen.store(seen, Ordering::Relaxed);
        let what = (number as u64) << 48 | u64::from(kind) << 32 | (chunk * CHUNK + end);
        entry.what.store(what, Ordering::Release);
    }

    /// Returns whether it is full, or soon will be.
    pub(super) fn is_full(&self) -> bool {
        self.used.0.load(Ordering::Relaxed) > MANY
    }

    /// Forgets everything: bits of keys have changed their meaning.
    pub(super) fn forget(&mut self) {
        self.forget_steps();
        for look in self.looks.get_mut().into_iter().flatten() {
            *look.what.get_mut() = 0;
        }
    }

    /// Forgets all steps.
    pub(super) fn forget_steps(&mut self) {
        if self.used.0.load(Ordering::Relaxed) == 0 {
            return;
        }
        if let Some(entries) = self.entries.get_mut() {
            for entry in entries {
                *entry.what.get_mut() = 0;
            }
        }
        *self.used.0.get_mut() = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Asker, Found, Remembered, Steps};

    fn asker(pid: usize) -> Asker {
        Asker { pid, is_second: false }
    }

    fn steps(remembered: &Remembered, seen: u64, pid: usize) -> Option<Steps> {
        match remembered.find(seen, asker(pid))? {
            Found::Steps(steps) => Some(steps),
            Found::Bits(_) => None,
        }
    }

    #[test]
    fn threads_read_what_belongs_together() {
        let mut remembered = Remembered::default();
        for _ in 0..2 {
            let shared = &remembered;
            std::thread::scope(|scope| {
                for thread in 0..3_u64 {
                    scope.spawn(move || {
                        for seen in (0..20_000).map(|number| number * (thread + 1) % 9_001) {
                            let changes = || (0..seen % 7).map(move |step| seen * 10 + step);
                            match steps(shared, seen, 3) {
                                Some(found) => assert!(shared.changes(found).eq(changes()), "{seen}"),
                                None => shared.note(seen, asker(3), changes()),
                            }
                            assert!(steps(shared, seen, 4).is_none());
                        }
                    });
                }
            });
            assert!((0..9_001).filter(|seen| steps(&remembered, *seen, 3).is_some()).count() > 8_000);
            remembered.forget_steps();
            assert!((0..9_001).all(|seen| steps(&remembered, seen, 3).is_none()));
        }
    }

    #[test]
    fn looks_are_told_apart_and_forgotten() {
        let mut remembered = Remembered::default();
        for own in 0..5_000_u64 {
            remembered.note_look(own, 2, own << 8 | 1);
        }
        let known = |remembered: &Remembered, pid: usize| {
            let looks = (0..5_000).filter_map(|own| Some((own, remembered.look(own, pid)?)));
            looks.inspect(|(own, bits)| assert_eq!(*bits, own << 8 | 1)).count()
        };
        assert!(known(&remembered, 2) > 4_000 && known(&remembered, 3) == 0);
        remembered.forget();
        assert_eq!(known(&remembered, 2), 0);
    }

    #[test]
    fn what_has_no_room_is_not_remembered() {
        let remembered = Remembered::default();
        for seen in 0..400_000_u64 {
            remembered.note(seen, asker(1), (0..5).map(|step| seen + step));
        }
        assert!(remembered.is_full());
        let found: Vec<u64> = (0..400_000).filter(|seen| steps(&remembered, *seen, 1).is_some()).collect();
        assert!(found.len() > 10_000 && found.last() < Some(&250_000));
        for seen in found {
            let steps = steps(&remembered, seen, 1).unwrap();
            assert!(remembered.changes(steps).eq((0..5).map(|step| seen + step)));
        }
    }
    #[test]
    fn rounds_are_told_apart() {
        let remembered = Remembered::default();
        let second = Asker { pid: 2, is_second: true };
        remembered.note_bits(5, asker(2), 0xff);
        remembered.note(5, second, [7].into_iter());
        assert!(matches!(remembered.find(5, asker(2)), Some(Found::Bits(0xff))));
        let Some(Found::Steps(steps)) = remembered.find(5, second) else { panic!("no steps") };
        assert!(remembered.changes(steps).eq([7]));
    }
}
