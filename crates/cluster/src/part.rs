//! A search in parts, one for each worker, from which any number of workers goes on.
//!
//! When a level has been expanded and everything of it has arrived, what all workers have is a consistent
//! cut: the states of all levels up to the next one, and what was counted on the way. Each worker writes its
//! part. Whoever goes on reads all parts, level by level, and keeps the states that the hash gives it now;
//! what was counted goes to the worker with the number of the part.

use std::io::{self, Read, Write};

use narrows_graph::varint;
use narrows_model::Progress;

use crate::explorer::Explorer;
use crate::ledger::{Cause, Seen, Shown, read_bytes, write_bytes};
use crate::recent::{hash, owner};
use crate::summary::Totals;

/// Which parts belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The level that was expanded last.
    pub level: u32,
    /// How many parts there are.
    pub workers: usize,
}

/// Keeps the parts of a search.
pub trait Parts: Sync {
    /// Returns whether it is time to save.
    fn is_due(&self) -> bool;

    /// Keeps the part of a worker, as the function writes it; returns whether it is safe.
    fn save(&self, cut: Cut, worker: usize, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> bool;

    /// Hears, once from each worker of this process, that all parts of a cut are safe, or that some are not.
    fn saved(&self, cut: Cut, are_safe: bool);

    /// Returns the last cut of which all parts are there.
    fn earlier(&self) -> Option<Cut>;

    /// Returns a part of it.
    ///
    /// # Errors
    ///
    /// It may not be readable.
    fn open(&self, worker: usize) -> io::Result<Box<dyn Read + '_>>;

    /// Hears, once from each worker of this process, how far the search was, or that its parts can't be used.
    fn loaded(&self, result: Result<Progress, String>);
}

/// So many bytes are written at once; a piece ends with a whole record.
const PIECE: usize = 1 << 16;

/// No piece is longer, unless a state is.
const MAX_PIECE: u64 = 1 << 30;

struct Pieces<'w> {
    output: &'w mut dyn Write,
    piece: Vec<u8>,
}

impl Pieces<'_> {
    /// Ends a record.
    fn end(&mut self) -> io::Result<()> {
        if self.piece.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write_all(&(self.piece.len() as u64).to_le_bytes())?;
        self.output.write_all(&self.piece)?;
        self.piece.clear();
        Ok(())
    }
}

/// A part that is being read.
struct Reader<'r> {
    input: Box<dyn Read + 'r>,
    piece: Vec<u8>,
    /// How much of the piece was read.
    at: usize,
    /// The state that was read last: the next one begins as it does.
    state: Vec<u8>,
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a part of the checkpoint is not what was written")
}

impl Reader<'_> {
    fn read<T>(&mut self, read: impl FnOnce(&mut &[u8]) -> Option<T>) -> io::Result<T> {
        if self.at == self.piece.len() {
            let mut length = [0; 8];
            self.input.read_exact(&mut length)?;
            let length = u64::from_le_bytes(length);
            if length > MAX_PIECE {
                return Err(damaged());
            }
            self.piece.clear();
            self.at = 0;
            if self.input.by_ref().take(length).read_to_end(&mut self.piece)? as u64 != length {
                return Err(damaged());
            }
        }
        let mut rest = &self.piece[self.at..];
        let found = read(&mut rest).ok_or_else(damaged)?;
        self.at = self.piece.len() - rest.len();
        Ok(found)
    }

    fn number(&mut self) -> io::Result<u64> {
        self.read(varint::read)
    }

    /// Reads the next state.
    fn next_state(&mut self) -> io::Result<&[u8]> {
        let mut state = std::mem::take(&mut self.state);
        self.read(|rest| {
            let shared = varint::read(rest)? as usize;
            let own = read_bytes(rest)?;
            if shared > state.len() {
                return None;
            }
            state.truncate(shared);
            state.extend_from_slice(own);
            Some(())
        })?;
        self.state = state;
        Ok(&self.state)
    }
}

impl Explorer<'_> {
    /// Writes the part of this worker.
    pub(crate) fn write_part(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let mut pieces = Pieces { output, piece: Vec::new() };
        for number in [u64::from(self.level()), self.expanded] {
            varint::write(number, &mut pieces.piece);
        }
        self.counted.write(&mut pieces.piece);
        varint::write(self.causes.len() as u64, &mut pieces.piece);
        for (cause, level) in &self.causes {
            cause.write(&mut pieces.piece);
            varint::write(u64::from(*level), &mut pieces.piece);
        }
        varint::write(self.shown.len() as u64, &mut pieces.piece);
        for (cause, shown) in &self.shown {
            cause.write(&mut pieces.piece);
            shown.write(&mut pieces.piece);
        }
        pieces.end()?;
        self.write_seen(&mut pieces)?;
        let mut last = Vec::new();
        for level in 0..=self.level() + 1 {
            let range = self.numbers(level);
            varint::write(u64::from(range.end - range.start), &mut pieces.piece);
            for number in range {
                let state = self.states.get(number);
                let shared = last.iter().zip(state).take_while(|(one, other)| one == other).count();
                varint::write(shared as u64, &mut pieces.piece);
                write_bytes(&state[shared..], &mut pieces.piece);
                last.truncate(shared);
                last.extend_from_slice(&state[shared..]);
                pieces.end()?;
            }
        }
        pieces.flush()
    }

    fn write_seen(&mut self, pieces: &mut Pieces<'_>) -> io::Result<()> {
        varint::write(self.ledger.seen.len() as u64, &mut pieces.piece);
        for (cause, seen) in &self.ledger.seen {
            cause.write(&mut pieces.piece);
            for number in [seen.count, u64::from(seen.pid), u64::from(seen.level), seen.states.len() as u64] {
                varint::write(number, &mut pieces.piece);
            }
            for number in &seen.states {
                // By its number on another worker it would not be known.
                write_bytes(self.states.get(*number), &mut pieces.piece);
                pieces.end()?;
            }
        }
        Ok(())
    }

    /// Reads what belongs to this worker of all parts; then it is where the cut was made.
    pub(crate) fn read_parts(
        &mut self,
        parts: &dyn Parts,
        cut: Cut,
        me: usize,
        peers: usize,
    ) -> io::Result<()> {
        let mut readers = Vec::new();
        for worker in 0..cut.workers {
            let input = parts.open(worker)?;
            readers.push(Reader { input, piece: Vec::new(), at: 0, state: Vec::new() });
        }
        let mut seen: Vec<(Cause, Seen, Vec<Vec<u8>>)> = Vec::new();
        for (part, reader) in readers.iter_mut().enumerate() {
            let is_mine = part % peers == me;
            if reader.number()? != u64::from(cut.level) {
                return Err(damaged());
            }
            self.expanded = reader.number()?;
            let totals = reader.read(Totals::read)?;
            if is_mine {
                self.counted.absorb(&totals);
            }
            for _ in 0..reader.number()? {
                let known = reader.read(|rest| Some((Cause::read(rest)?, varint::read(rest)? as u32)))?;
                self.causes.insert(known.0, known.1);
            }
            for _ in 0..reader.number()? {
                let shown = reader.read(|rest| Some((Cause::read(rest)?, Shown::read(rest)?)))?;
                self.shown.insert(shown.0, shown.1);
            }
            for _ in 0..reader.number()? {
                let cause = reader.read(Cause::read)?;
                let mut one = Seen { count: reader.number()?, ..Seen::default() };
                one.pid = reader.number()? as u8;
                one.level = reader.number()? as u32;
                let mut states = Vec::new();
                for _ in 0..reader.number()? {
                    let state = reader.read(|rest| Some(read_bytes(rest)?.to_vec()))?;
                    if owner(hash(&state), peers) == me {
                        states.push(state);
                    }
                }
                if !is_mine {
                    one.count = 0;
                }
                seen.push((cause, one, states));
            }
        }
        self.read_states(&mut readers, cut, me, peers)?;
        for (cause, one, states) in seen {
            let numbers = states.iter().filter_map(|state| self.states.find(self.task.space, state));
            let numbers: Vec<u32> = numbers.collect();
            self.ledger.add(cause, &one, &numbers);
        }
        Ok(())
    }

    fn read_states(
        &mut self,
        readers: &mut [Reader<'_>],
        cut: Cut,
        me: usize,
        peers: usize,
    ) -> io::Result<()> {
        for _ in 0..=cut.level + 1 {
            for reader in &mut *readers {
                for _ in 0..reader.number()? {
                    let state = reader.next_state()?;
                    if owner(hash(state), peers) == me {
                        self.add(state);
                    }
                }
                if self.is_stopped() {
                    return Ok(());
                }
            }
            self.end_of_level();
        }
        self.resume_at(cut.level);
        Ok(())
    }
}
