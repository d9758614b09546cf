//! What a search needs to go on later, as bytes.
//!
//! A checkpoint holds states, not tables: it does not depend on how a store lays them out, and a search that
//! goes on makes its tables anew. A state is written as what differs from the one before it. Numbers take as
//! many bytes as they need, seven bits in each. Where the bytes go is up to [`Checkpoints`], which also sees
//! to it that what is read is what was written.

use std::io::{self, Read, Write};

use narrows_graph::varint;
use narrows_model::{Limit, Violation, ViolationKind};
use narrows_source::{FileId, Span};

use crate::{Full, Progress};

/// Keeps what a search needs to go on later.
pub trait Checkpoints: Sync {
    /// Returns whether something should be saved now.
    fn is_due(&self) -> bool;

    /// Saves what `write` writes, in place of what was saved before. What goes wrong is not the search's
    /// concern.
    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

    /// Returns what was saved before, if anything was.
    fn load(&self) -> Option<Box<dyn Read + '_>>;

    /// Hears how far the search had come that now goes on, or why it can't.
    fn loaded(&self, result: Result<Progress, CheckpointError>);
}

/// What is wrong with a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It belongs to another search.
    #[error("it was written when something else was searched for")]
    OtherSearch,
    /// It holds what no search can have written.
    #[error("{0} is wrong in it")]
    Damaged(&'static str),
    /// It can't be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// Why a checkpoint was not loaded.
#[derive(Debug)]
pub(crate) enum Unloaded {
    /// A limit was hit.
    Limit(Limit),
    /// Something is wrong with it.
    Wrong(CheckpointError),
}

impl From<Full> for Unloaded {
    fn from(Full: Full) -> Unloaded {
        Unloaded::Limit(Limit::Memory)
    }
}

impl From<io::Error> for Unloaded {
    fn from(error: io::Error) -> Unloaded {
        Unloaded::Wrong(error.into())
    }
}

/// Returns the error for bytes that nothing can have written.
pub(crate) fn wrong(what: &'static str) -> Unloaded {
    Unloaded::Wrong(CheckpointError::Damaged(what))
}

/// So many bytes that are the same are worth a turn of their own.
const WORTH_A_TURN: usize = 3;

/// Writes a checkpoint.
pub(crate) struct Output<'w> {
    to: &'w mut dyn Write,
    last: Vec<u8>,
}

impl<'w> Output<'w> {
    pub(crate) fn new(to: &'w mut dyn Write) -> Output<'w> {
        Output { to, last: Vec::new() }
    }

    pub(crate) fn number(&mut self, number: u64) -> io::Result<()> {
        let (bytes, length) = varint::encode(number);
        self.to.write_all(&bytes[..length])
    }

    /// Writes words of which most have many bits.
    pub(crate) fn words(&mut self, words: &[u64]) -> io::Result<()> {
        self.number(words.len() as u64)?;
        words.iter().try_for_each(|word| self.to.write_all(&word.to_le_bytes()))
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.number(bytes.len() as u64)?;
        self.to.write_all(bytes)
    }

    /// Writes a state that is like the one before it: in turns, how many bytes are the same, and some that
    /// are not.
    pub(crate) fn state(&mut self, state: &[u8]) -> io::Result<()> {
        let last = std::mem::take(&mut self.last);
        let is_same = |at: &usize| last.get(*at) == state.get(*at);
        self.number(state.len() as u64)?;
        let mut place = 0;
        while place < state.len() {
            let start = place;
            place += (start..state.len()).take_while(is_same).count();
            self.number((place - start) as u64)?;
            if place == state.len() {
                break;
            }
            // A few that are the same in between do not make a turn of their own.
            let start = place;
            place = (start..state.len())
                .find(|at| (*at..*at + WORTH_A_TURN).all(|at| at < state.len() && is_same(&at)))
                .unwrap_or(state.len());
            self.bytes(&state[start..place])?;
        }
        self.last = last;
        self.last.clear();
        self.last.extend_from_slice(state);
        Ok(())
    }

    pub(crate) fn violation(&mut self, violation: &Violation) -> io::Result<()> {
        let Violation { kind, span, pid } = violation;
        let kind = ViolationKind::ALL.iter().position(|other| other == kind).unwrap_or(0);
        for number in [kind as u64, u64::from(span.file.0), u64::from(span.start), u64::from(span.end)] {
            self.number(number)?;
        }
        self.number(u64::from(*pid))
    }
}

/// Reads a checkpoint.
pub(crate) struct Input<'r> {
    from: Box<dyn Read + 'r>,
    last: Vec<u8>,
}

impl<'r> Input<'r> {
    pub(crate) fn new(from: Box<dyn Read + 'r>) -> Input<'r> {
        Input { from, last: Vec::new() }
    }

    pub(crate) fn number(&mut self) -> Result<u64, Unloaded> {
        let next = || {
            let mut byte = [0];
            self.from.read_exact(&mut byte).map(|()| byte[0])
        };
        varint::decode(next)?.ok_or_else(|| wrong("a number"))
    }

    /// Reads a number that has fewer bits than most.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Unloaded> {
        T::try_from(self.number()?).map_err(|_| wrong("a number"))
    }

    pub(crate) fn words(&mut self, mut each: impl FnMut(u64) -> Result<(), Full>) -> Result<(), Unloaded> {
        for _ in 0..self.number()? {
            let mut word = [0; 8];
            self.from.read_exact(&mut word)?;
            each(u64::from_le_bytes(word))?;
        }
        Ok(())
    }

    /// Appends bytes.
    pub(crate) fn bytes(&mut self, bytes: &mut Vec<u8>) -> Result<(), Unloaded> {
        let length = self.number()?;
        let read = self.from.by_ref().take(length).read_to_end(bytes)?;
        if read as u64 == length { Ok(()) } else { Err(wrong("the length")) }
    }

    /// Reads a state; it is there until the next one is read.
    pub(crate) fn state(&mut self) -> Result<&[u8], Unloaded> {
        let length: usize = self.small()?;
        let last = std::mem::take(&mut self.last);
        let mut state = Vec::new();
        while state.len() < length {
            let same: usize = self.small()?;
            let end = state.len().checked_add(same).ok_or_else(|| wrong("a state"))?;
            state.extend_from_slice(last.get(state.len()..end).ok_or_else(|| wrong("a state"))?);
            if state.len() < length {
                self.bytes(&mut state)?;
            }
        }
        if state.len() > length {
            return Err(wrong("a state"));
        }
        self.last = state;
        Ok(&self.last)
    }

    pub(crate) fn violation(&mut self) -> Result<Violation, Unloaded> {
        let kind: usize = self.small()?;
        let kind = *ViolationKind::ALL.get(kind).ok_or_else(|| wrong("a violation"))?;
        let span = Span { file: FileId(self.small()?), start: self.small()?, end: self.small()? };
        Ok(Violation { kind, span, pid: self.small()? })
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, Output};

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let states: [&[u8]; 6] = [b"", b"abcdef", b"abXdef", b"abXdefgh", b"aa", b"aaa"];
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        for number in numbers {
            output.number(number).unwrap();
        }
        for state in states {
            output.state(state).unwrap();
        }
        output.words(&numbers).unwrap();
        let mut input = Input::new(Box::new(bytes.as_slice()));
        for number in numbers {
            assert_eq!(input.number().unwrap(), number);
        }
        for state in states {
            assert_eq!(input.state().unwrap(), state);
        }
        let mut words = Vec::new();
        input
            .words(|word| {
                words.push(word);
                Ok(())
            })
            .unwrap();
        assert_eq!(words, numbers);
        assert!(input.number().is_err());
    }

    #[test]
    fn nonsense_is_an_error() {
        for bytes in [&[0xff_u8; 20][..], &[5, 1, 1, 7], &[4, 0, 9, 1]] {
            assert!(Input::new(Box::new(bytes)).state().is_err(), "{bytes:?}");
        }
    }
}
