//! What workers tell each other at the end of a round, and of the search.

use narrows_explicit::Taken;
use narrows_graph::varint;
use narrows_model::Limit;

use crate::ledger::{Cause, read_bytes, write_bytes};

/// What came of a round for one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Why it must stop, if it must.
    pub(crate) limit: Option<Limit>,
    /// How many states it had at the level.
    pub(crate) size: u64,
    /// What goes wrong there for the first time, as far as it knows.
    pub(crate) causes: Vec<Cause>,
    /// Whether it is time to save, where this worker is.
    pub(crate) is_due: bool,
    /// Whether its part of a checkpoint is safe, if one was to be written.
    pub(crate) is_saved: bool,
}

impl Summary {
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        write_limit(self.limit, bytes);
        varint::write(self.size, bytes);
        bytes.push(u8::from(self.is_due) | u8::from(self.is_saved) << 1);
        varint::write(self.causes.len() as u64, bytes);
        self.causes.iter().for_each(|cause| cause.write(bytes));
    }

    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Summary> {
        let (limit, size) = (read_limit(bytes).ok()?, varint::read(bytes)?);
        let flags = varint::read(bytes)?;
        let causes = (0..varint::read(bytes)?).map(|_| Cause::read(bytes)).collect::<Option<_>>()?;
        Some(Summary { limit, size, causes, is_due: flags & 1 != 0, is_saved: flags & 2 != 0 })
    }
}

/// The limits that a worker may hit.
const LIMITS: [Limit; 4] = [Limit::Time, Limit::Memory, Limit::Interrupted, Limit::HostLost];

pub(crate) fn write_limit(limit: Option<Limit>, bytes: &mut Vec<u8>) {
    let number = limit.and_then(|limit| LIMITS.iter().position(|other| *other == limit));
    varint::write(number.map_or(0, |number| number as u64 + 1), bytes);
}

/// The bytes are not those of a limit.
pub(crate) struct NotALimit;

pub(crate) fn read_limit(bytes: &mut &[u8]) -> Result<Option<Limit>, NotALimit> {
    match varint::read(bytes).ok_or(NotALimit)?.checked_sub(1) {
        None => Ok(None),
        Some(number) => LIMITS.get(number as usize).copied().map(Some).ok_or(NotALimit),
    }
}

/// What one worker has counted of a cause, with something to tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CauseCount {
    pub(crate) cause: Cause,
    pub(crate) count: u64,
    pub(crate) level: u32,
    /// Who did it, where it was first seen here.
    pub(crate) pid: u8,
    /// The state, if it is a deadlock.
    pub(crate) state: Vec<u8>,
}

/// What one worker has counted in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) state_bytes: u64,
    /// How many states these bytes are of.
    pub(crate) expanded: u64,
    pub(crate) memory: u64,
    /// How many states were sent to others.
    pub(crate) sent: u64,
    /// How many bytes were sent, to itself too.
    pub(crate) bytes: u64,
    /// Steps, also those that lead nowhere; only counted here.
    pub(crate) edges: u64,
    pub(crate) taken: Taken,
    pub(crate) causes: Vec<CauseCount>,
}

impl Totals {
    /// Adds what another has counted, causes aside.
    pub(crate) fn absorb(&mut self, other: &Totals) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.state_bytes += other.state_bytes;
        self.expanded += other.expanded;
        self.memory += other.memory;
        self.sent += other.sent;
        self.bytes += other.bytes;
        self.taken.absorb(&other.taken);
    }

    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let Totals { states, transitions, state_bytes, expanded, memory, sent, bytes: passed, .. } = *self;
        let numbers = [states, transitions, state_bytes, expanded, memory, sent, passed];
        for number in numbers {
            varint::write(number, bytes);
        }
        varint::write(self.taken.0.len() as u64, bytes);
        for taken in &self.taken.0 {
            write_bytes(&taken.iter().map(|taken| u8::from(*taken)).collect::<Vec<_>>(), bytes);
        }
        varint::write(self.causes.len() as u64, bytes);
        for CauseCount { cause, count, level, pid, state } in &self.causes {
            cause.write(bytes);
            varint::write(*count, bytes);
            varint::write(u64::from(*level), bytes);
            varint::write(u64::from(*pid), bytes);
            write_bytes(state, bytes);
        }
    }

    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Totals> {
        let mut totals = Totals::default();
        let fields = [
            &mut totals.states,
            &mut totals.transitions,
            &mut totals.state_bytes,
            &mut totals.expanded,
            &mut totals.memory,
            &mut totals.sent,
            &mut totals.bytes,
        ];
        for field in fields {
            *field = varint::read(bytes)?;
        }
        for _ in 0..varint::read(bytes)? {
            totals.taken.0.push(read_bytes(bytes)?.iter().map(|taken| *taken != 0).collect());
        }
        for _ in 0..varint::read(bytes)? {
            totals.causes.push(CauseCount {
                cause: Cause::read(bytes)?,
                count: varint::read(bytes)?,
                level: varint::read(bytes)? as u32,
                pid: varint::read(bytes)? as u8,
                state: read_bytes(bytes)?.to_vec(),
            });
        }
        Some(totals)
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Limit;

    use super::{CauseCount, Summary, Taken, Totals};
    use crate::ledger::Cause;

    #[test]
    fn what_is_told_is_heard() {
        let cause = Cause::Deadlock(b"here".to_vec());
        let summary = Summary {
            limit: Some(Limit::Memory),
            size: 1 << 40,
            causes: vec![cause.clone()],
            is_due: false,
            is_saved: true,
        };
        let mut bytes = Vec::new();
        summary.write(&mut bytes);
        assert_eq!(Summary::read(&mut &bytes[..]), Some(summary));
        let count = CauseCount { cause, count: 3, level: 9, pid: 255, state: b"state".to_vec() };
        let totals = Totals {
            states: 1,
            transitions: 2,
            memory: 1 << 50,
            taken: Taken(vec![vec![], vec![false, true]]),
            causes: vec![count],
            ..Totals::default()
        };
        bytes.clear();
        totals.write(&mut bytes);
        assert_eq!(Totals::read(&mut &bytes[..]), Some(totals));
        for length in 0..bytes.len() {
            assert_eq!(Totals::read(&mut &bytes[..length]), None);
        }
    }
}
