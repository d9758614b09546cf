//! What machine code and the walk share: registers in memory, and a log of what was overwritten.
//!
//! Machine code changes the state in place. Before it overwrites anything it notes the old bytes in the log,
//! so that the walk can take the change back. Offsets, not addresses, are noted: the log does not care where
//! a state lies.

use std::ops::Range;

use narrows_model::{LocationId, Overwrite, TransitionId};

use super::level::Level;

/// A compiled statement: undo log, state, local variables of the process that runs. Returns one of the
/// constants below.
pub(super) type Code = unsafe extern "C" fn(*mut UndoLog, *mut u8, *mut u8) -> u32;

/// The statement can't be executed now; nothing was changed.
pub(super) const BLOCKED: u32 = 0;
/// It was executed.
pub(super) const DONE: u32 = 1;
/// It holds out `message` on `out_channel`.
pub(super) const OFFERED: u32 = 2;
/// It needs the reference evaluator: something goes wrong, or is rare. The state may be changed in part.
pub(super) const UNUSUAL: u32 = 3;

/// What all edges of a location make together returns the number of the edge, shifted by this, with one of
/// the above, …
pub(super) const EDGE_SHIFT: u32 = 2;
/// … or this, if no further edge can be taken.
pub(super) const NO_MORE: u32 = u32::MAX;

/// What a process does without a choice ends its atomic sequence, …
pub(super) const SEQUENCE_ENDS: u32 = 0;
/// … or the sequence goes on, or is blocked, and something else must find out.
pub(super) const SEQUENCE_GOES_ON: u32 = 1;

/// No more edges than this are taken in one call.
pub(super) const LONGEST_CHAIN: usize = 64;

/// No message of more fields is sent by machine code.
pub(super) const MAX_FIELDS: usize = 64;

/// No statement notes more than this many changes; one that would is not compiled.
pub(super) const MAX_CHANGES: usize = 256;

/// More changes than this inside an atomic sequence without a choice are put together.
const MANY_CHANGES: usize = 1 << 14;

/// What machine code reads and writes besides the state. The fields above the line are laid out for it.
#[repr(C)]
pub(super) struct UndoLog {
    /// Where the next change is noted.
    pub(super) log: *mut Overwrite,
    /// Where each channel's component starts.
    pub(super) channels: *const u32,
    /// Where each process's component starts.
    pub(super) processes: *const u32,
    /// The fields that a send holds out.
    pub(super) message: *mut i32,
    /// The fields that are held out to a receive.
    pub(super) offer: *const i32,
    /// Where hidden variables start.
    pub(super) hidden: u32,
    /// The number of the channel of the message that is held out; 0 if none is.
    pub(super) offer_channel: u32,
    pub(super) channel_count: u32,
    pub(super) process_count: u32,
    pub(super) pid: u32,
    pub(super) timeout: u32,
    /// The number of the channel that a send holds a message out on.
    pub(super) out_channel: u32,
    /// Whether an earlier edge of the location was taken.
    pub(super) taken: u32,
    /// The number of the process that the statement has created.
    pub(super) run_result: u32,
    /// The first edge of the location that is to be tried.
    pub(super) next_edge: u32,
    /// Where edges that are taken in one call are noted: location, and transition above it.
    pub(super) chain: *mut u64,
    /// Where the last of them was noted, and one more.
    pub(super) chain_end: *mut u64,
    /// Where the log ended with it.
    pub(super) settled: *mut Overwrite,
    /// Behind the last edge that may be noted in this call.
    pub(super) chain_limit: *mut u64,
    // ---
    /// The bytes that each change overwrote; more than eight are in `blocks`.
    changes: Vec<Overwrite>,
    blocks: Vec<u8>,
    fields: Vec<i32>,
    taken_edges: Vec<u64>,
    /// If the log is behind this, it must grow before a statement is executed.
    last: *mut Overwrite,
}

#[expect(
    unsafe_code,
    reason = "its pointers lead into memory that the same thread owns, and are set before each use"
)]
// SAFETY: `log`, `last`, `message` and `chain` point into vectors of the undo log itself; the others are set
// by the walk that uses them.
unsafe impl Send for UndoLog {}

impl Default for UndoLog {
    fn default() -> Self {
        let mut undo_log = UndoLog {
            log: std::ptr::null_mut(),
            channels: std::ptr::null(),
            processes: std::ptr::null(),
            message: std::ptr::null_mut(),
            offer: std::ptr::null(),
            hidden: 0,
            offer_channel: 0,
            channel_count: 0,
            process_count: 0,
            pid: 0,
            timeout: 0,
            out_channel: 0,
            taken: 0,
            run_result: 0,
            next_edge: 0,
            chain: std::ptr::null_mut(),
            chain_end: std::ptr::null_mut(),
            settled: std::ptr::null_mut(),
            chain_limit: std::ptr::null_mut(),
            changes: vec![Overwrite::default(); 4 * MAX_CHANGES],
            blocks: Vec::new(),
            fields: vec![0; MAX_FIELDS],
            taken_edges: vec![0; LONGEST_CHAIN],
            last: std::ptr::null_mut(),
        };
        undo_log.point_at(0);
        undo_log.message = undo_log.fields.as_mut_ptr();
        undo_log.chain = undo_log.taken_edges.as_mut_ptr();
        undo_log
    }
}

/// How many changes were noted.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl UndoLog {
    /// Lets machine code see the parts of a state.
    pub(super) fn look_at(&mut self, level: &Level) {
        self.channels = level.channels.as_ptr();
        self.processes = level.processes.as_ptr();
        self.channel_count = level.channels.len() as u32;
        self.process_count = level.processes.len() as u32;
        self.hidden = level.visible as u32;
    }

    /// Forgets every change.
    pub(super) fn forget(&mut self) {
        self.log = self.changes.as_mut_ptr();
        self.blocks.clear();
    }

    pub(super) fn mark(&self) -> Mark {
        Mark((self.log as usize - self.changes.as_ptr() as usize) / size_of::<Overwrite>())
    }

    /// Returns all changes that were noted and not taken back.
    pub(super) fn noted(&self) -> &[Overwrite] {
        &self.changes[..self.mark().0]
    }

    /// Overwrites two bytes of a state, and notes it.
    pub(super) fn set_word(&mut self, level: &mut Level, at: usize, value: u16) {
        self.note(Overwrite { offset: at as u32, width: 2, old: u64::from(level.word(at)) });
        level.set_word(at, value);
    }

    /// Overwrites a byte of a state, and notes it.
    pub(super) fn set_byte(&mut self, level: &mut Level, at: usize, value: u8) {
        self.note(Overwrite { offset: at as u32, width: 1, old: u64::from(level.bytes[at]) });
        level.bytes[at] = value;
    }

    /// Overwrites bytes of a state with zeros, and notes it.
    pub(super) fn set_to_zero(&mut self, level: &mut Level, mut bytes: Range<usize>) {
        while !bytes.is_empty() {
            let width = 1 << bytes.len().min(8).ilog2();
            let place = &mut level.bytes[bytes.start..bytes.start + width];
            let old = place.iter().rev().fold(0, |old, byte| old << 8 | u64::from(*byte));
            place.fill(0);
            self.note(Overwrite { offset: bytes.start as u32, width: width as u32, old });
            bytes.start += width;
        }
    }

    /// Notes how a state differs from what it was before.
    pub(super) fn note_all(&mut self, level: &Level, before: &[u8]) {
        let words = before.as_chunks().0.iter().zip(level.bytes.as_chunks().0);
        for (number, (old, _)) in words.enumerate().filter(|(_, (old, new))| old != new) {
            self.note(Overwrite { offset: 8 * number as u32, width: 8, old: u64::from_le_bytes(*old) });
        }
    }

    #[expect(unsafe_code, reason = "the log is a pointer, because machine code moves it")]
    #[inline]
    fn note(&mut self, change: Overwrite) {
        let used = self.mark().0;
        if used == self.changes.len() {
            self.grow(used);
        }
        self.changes[used] = change;
        // SAFETY: there is an entry at `used`, so the next one is in the list or just behind it.
        self.log = unsafe { self.log.add(1) };
    }

    /// Runs a compiled statement of the process whose variables start at `locals`.
    #[expect(unsafe_code, reason = "compiled code is called here and nowhere else")]
    #[inline]
    pub(super) fn run(&mut self, code: Code, level: &mut Level, locals: usize) -> u32 {
        if self.log > self.last {
            self.grow(self.mark().0);
        }
        debug_assert!(locals <= level.visible);
        let state = level.bytes.as_mut_ptr();
        // SAFETY: the code was compiled for this system. It reads and writes the state within its variables
        // and components, whose places are checked when a state is laid out (`Level::index`); it notes at
        // most `MAX_CHANGES` changes, or for a chain as many for each edge; and `Level` keeps eight bytes
        // behind every state, which it may read and write back.
        unsafe { code(self, state, state.add(locals)) }
    }

    /// Runs what a process does inside an atomic sequence while it has no choice, for so many edges at most.
    ///
    /// Returns whether the sequence has ended.
    #[expect(unsafe_code, reason = "the end of a list is a pointer, because machine code compares with it")]
    pub(super) fn run_chain(&mut self, code: Code, level: &mut Level, locals: usize, most: usize) -> bool {
        // SAFETY: the list of edges that are taken has `LONGEST_CHAIN` places.
        self.chain_limit = unsafe { self.chain.add(most.min(LONGEST_CHAIN)) };
        let used = self.mark().0;
        while used + LONGEST_CHAIN * MAX_CHANGES > self.changes.len() {
            self.grow(used);
        }
        let ended = self.run(code, level, locals) == SEQUENCE_ENDS;
        // A statement that turned out to be unusual may have changed something.
        let settled = (self.settled as usize - self.changes.as_ptr() as usize) / size_of::<Overwrite>();
        self.undo(Mark(settled), level);
        ended
    }

    /// Returns the edges that were taken in the last such call.
    pub(super) fn chain(&self) -> impl Iterator<Item = (LocationId, TransitionId)> {
        let count = (self.chain_end as usize - self.chain as usize) / size_of::<u64>();
        let edges = self.taken_edges[..count].iter();
        edges.map(|edge| (LocationId(*edge as u16), TransitionId((*edge >> 32) as u32)))
    }

    /// Notes all changes since a mark as one, if they have become many.
    pub(super) fn compact(&mut self, mark: Mark, level: &mut Level, before: &mut Vec<u8>) {
        if self.mark().0 - mark.0 < MANY_CHANGES.max(level.bytes.len()) {
            return;
        }
        before.clone_from(&level.bytes);
        self.undo(mark, level);
        std::mem::swap(before, &mut level.bytes);
        self.note_all(level, before);
    }

    /// Returns how many bytes the log takes.
    pub(super) fn memory(&self) -> usize {
        self.changes.len() * size_of::<Overwrite>() + self.blocks.capacity()
    }

    #[cold]
    fn grow(&mut self, used: usize) {
        self.changes.resize(2 * self.changes.len(), Overwrite::default());
        self.point_at(used);
    }

    /// Lets the log go on behind so many changes.
    fn point_at(&mut self, used: usize) {
        let last = self.changes.len() - MAX_CHANGES;
        self.last = &raw mut self.changes[last];
        self.log = self.changes[used..].as_mut_ptr();
    }

    /// Takes back every change since a mark.
    #[expect(
        unsafe_code,
        reason = "changes lie where machine code made them; checking each again costs more than they do"
    )]
    #[inline]
    pub(super) fn undo(&mut self, mark: Mark, level: &mut Level) {
        let state = level.bytes.as_mut_ptr();
        // SAFETY: entries from the mark to the cursor were written by machine code; each names bytes of this
        // very state, which has not changed its layout since.
        unsafe {
            let start = self.changes.as_mut_ptr().add(mark.0);
            while self.log > start {
                self.log = self.log.sub(1);
                let Overwrite { offset, width, old } = *self.log;
                let place = state.add(offset as usize);
                match width {
                    1 => *place = old as u8,
                    2 => place.cast::<u16>().write_unaligned((old as u16).to_le()),
                    4 => place.cast::<u32>().write_unaligned((old as u32).to_le()),
                    8 => place.cast::<u64>().write_unaligned(old.to_le()),
                    _ => {
                        let rest = self.blocks.len() - width as usize;
                        place.copy_from_nonoverlapping(self.blocks[rest..].as_ptr(), width as usize);
                        self.blocks.truncate(rest);
                    }
                }
            }
        }
    }

    /// Returns the fields that the last send holds out, or the arguments of a `run`.
    pub(super) fn held_out(&self, count: usize) -> &[i32] {
        &self.fields[..count]
    }
}

/// Notes a stretch of bytes of the state; a length of up to eight is stretched, so that it is not taken for a
/// number.
#[expect(unsafe_code, reason = "called by machine code, with addresses of the state it works on")]
unsafe fn note_block(undo_log: *mut UndoLog, state: *mut u8, place: *mut u8, length: usize) {
    // SAFETY: the undo log is the one that runs; the stretch, and the eight bytes behind the state, are
    // readable.
    unsafe {
        let undo_log = &mut *undo_log;
        let length = length.max(9);
        undo_log.blocks.extend_from_slice(std::slice::from_raw_parts(place, length));
        let offset = place.offset_from(state) as u32;
        *undo_log.log = Overwrite { offset, width: length as u32, old: 0 };
        undo_log.log = undo_log.log.add(1);
    }
}

/// Takes the message of a slot out of a channel: those behind it move up, and what becomes free is zero.
#[expect(unsafe_code, reason = "called by machine code, with addresses of the state it works on")]
pub(super) unsafe extern "C" fn take_out(
    undo_log: *mut UndoLog,
    state: *mut u8,
    messages: *mut u8,
    slot: u32,
    length: u32,
    bytes: u32,
    noted: u32,
) {
    let (slot, length, bytes) = (slot as usize, length as usize, bytes as usize);
    // SAFETY: `slot < length`, and the channel has room for `length` messages of `bytes` bytes.
    unsafe {
        let place = messages.add(slot * bytes);
        if noted != 0 {
            note_block(undo_log, state, place, (length - slot) * bytes);
        }
        place.copy_from(place.add(bytes), (length - slot - 1) * bytes);
        messages.add((length - 1) * bytes).write_bytes(0, bytes);
    }
}

/// Makes room for a message in a slot of a channel: those from there on move down.
#[expect(unsafe_code, reason = "called by machine code, with addresses of the state it works on")]
pub(super) unsafe extern "C" fn make_room(
    undo_log: *mut UndoLog,
    state: *mut u8,
    messages: *mut u8,
    slot: u32,
    length: u32,
    bytes: u32,
    noted: u32,
) {
    let (slot, length, bytes) = (slot as usize, length as usize, bytes as usize);
    // SAFETY: `slot <= length`, and the channel has room for one message more.
    unsafe {
        let place = messages.add(slot * bytes);
        if noted != 0 {
            note_block(undo_log, state, place, (length + 1 - slot) * bytes);
        }
        place.add(bytes).copy_from(place, (length - slot) * bytes);
    }
}
