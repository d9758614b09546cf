//! What goes wrong, as one worker sees it, and what all know of it.
//!
//! Something that goes wrong has a [`Cause`] that is the same on all workers. Each worker counts what it
//! sees, and keeps the states of the first level at which it saw it. At the end of a level all are told which
//! causes are new, so that all know the first level of each.

use std::collections::BTreeMap;

use narrows_explicit::{Finding, Run, Wrong};
use narrows_graph::varint;
use narrows_model::{Question, Violation, ViolationKind};
use narrows_source::{FileId, Span};

/// What counts as the same thing that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// A violation at a place.
    Violation(ViolationKind, Span),
    /// A deadlock where control is in these places.
    Deadlock(Vec<u8>),
    /// Nothing goes wrong, but there is a step with this label: labels are counted and told in the same way.
    Label(Vec<u8>),
}

impl Cause {
    pub(crate) fn of(violation: &Violation) -> Cause {
        Cause::Violation(violation.kind, violation.span)
    }

    /// Returns the question that it answers; nobody asks about labels, so it is any one.
    pub(crate) fn question(&self) -> Question {
        match self {
            Cause::Deadlock(_) => Question::Deadlock,
            Cause::Label(_) => Question::Acceptance,
            Cause::Violation(ViolationKind::Assertion, _) => Question::Assertions,
            Cause::Violation(..) => Question::Faults,
        }
    }

    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Cause::Violation(kind, span) => {
                bytes.push(0);
                write_kind(*kind, bytes);
                write_span(*span, bytes);
            }
            Cause::Deadlock(control) => {
                bytes.push(1);
                write_bytes(control, bytes);
            }
            Cause::Label(label) => {
                bytes.push(2);
                write_bytes(label, bytes);
            }
        }
    }

    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Cause> {
        match varint::read(bytes)? {
            0 => Some(Cause::Violation(read_kind(bytes)?, read_span(bytes)?)),
            1 => Some(Cause::Deadlock(read_bytes(bytes)?.to_vec())),
            2 => Some(Cause::Label(read_bytes(bytes)?.to_vec())),
            _ => None,
        }
    }
}

fn write_kind(kind: ViolationKind, bytes: &mut Vec<u8>) {
    let number = ViolationKind::ALL.iter().position(|other| *other == kind).unwrap_or_default();
    varint::write(number as u64, bytes);
}

fn read_kind(bytes: &mut &[u8]) -> Option<ViolationKind> {
    ViolationKind::ALL.get(varint::read(bytes)? as usize).copied()
}

fn write_span(span: Span, bytes: &mut Vec<u8>) {
    for number in [span.file.0, span.start, span.end] {
        varint::write(u64::from(number), bytes);
    }
}

fn read_span(bytes: &mut &[u8]) -> Option<Span> {
    let file = FileId(varint::read(bytes)? as u32);
    Some(Span { file, start: varint::read(bytes)? as u32, end: varint::read(bytes)? as u32 })
}

/// Writes bytes and how many they are.
pub(crate) fn write_bytes(text: &[u8], bytes: &mut Vec<u8>) {
    varint::write(text.len() as u64, bytes);
    bytes.extend_from_slice(text);
}

/// Reads what [`write_bytes`] wrote.
pub(crate) fn read_bytes<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = varint::read(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(text)
}

/// What a worker has seen of a cause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) count: u64,
    /// Who did it then.
    pub(crate) pid: u8,
    /// The level at which it was first seen, and the states there that show it.
    pub(crate) level: u32,
    pub(crate) states: Vec<u32>,
}

/// Counts causes.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) seen: BTreeMap<Cause, Seen>,
    /// Room for a label.
    label: Cause,
    /// Those that were first seen at this level, and that nobody has been told of.
    pub(crate) news: Vec<Cause>,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger { seen: BTreeMap::new(), label: Cause::Label(Vec::new()), news: Vec::new() }
    }
}

impl Ledger {
    /// Notes that a state of a level shows something.
    pub(crate) fn note(&mut self, cause: Cause, pid: u8, level: u32, state: u32) {
        if !self.seen.contains_key(&cause) {
            self.news.push(cause.clone());
        }
        let seen = self.seen.entry(cause).or_insert_with(|| Seen { pid, level, ..Seen::default() });
        seen.count += 1;
        if seen.level == level && seen.states.last() != Some(&state) {
            seen.states.push(state);
        }
    }

    /// Adds what was seen before this worker went on with it.
    pub(crate) fn add(&mut self, cause: Cause, earlier: &Seen, states: &[u32]) {
        let blank = || Seen { pid: earlier.pid, level: earlier.level, ..Seen::default() };
        let seen = self.seen.entry(cause).or_insert_with(blank);
        if earlier.level < seen.level {
            *seen = Seen { count: seen.count, ..blank() };
        }
        if earlier.level == seen.level {
            seen.states.extend_from_slice(states);
        }
        seen.count += earlier.count;
    }

    /// Notes the label of a step.
    pub(crate) fn note_label(&mut self, label: &[u8], level: u32, state: u32) {
        // Most have been met before: then nothing is allocated.
        let mut cause = std::mem::replace(&mut self.label, Cause::Label(Vec::new()));
        if let Cause::Label(bytes) = &mut cause {
            bytes.clear();
            bytes.extend_from_slice(label);
        }
        match self.seen.get_mut(&cause) {
            Some(seen) if seen.level < level => seen.count += 1,
            _ => self.note(cause.clone(), 0, level, state),
        }
        self.label = cause;
    }

    /// Notes what one step shows: each cause once.
    pub(crate) fn note_step(&mut self, violations: &[Violation], level: u32, state: u32) {
        for (position, violation) in violations.iter().enumerate() {
            let cause = Cause::of(violation);
            if violations[..position].iter().all(|earlier| Cause::of(earlier) != cause) {
                self.note(cause, violation.pid, level, state);
            }
        }
    }

    pub(crate) fn memory(&self) -> u64 {
        self.seen.values().map(|seen| 128 + seen.states.capacity() as u64 * 4).sum()
    }
}

/// The first run that shows something, in the order in which one machine would find them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shown {
    /// The choices on the way to the state that shows it.
    pub(crate) way: Vec<u32>,
    /// The step that goes wrong; behind all steps if that is a deadlock.
    pub(crate) choice: u32,
    /// Which of the violations of the step.
    pub(crate) position: u32,
    /// Who did it.
    pub(crate) pid: u8,
    /// The state, if it is a deadlock.
    pub(crate) state: Vec<u8>,
}

impl Shown {
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        varint::write(self.way.len() as u64, bytes);
        for number in self.way.iter().chain([&self.choice, &self.position]) {
            varint::write(u64::from(*number), bytes);
        }
        bytes.push(self.pid);
        write_bytes(&self.state, bytes);
    }

    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Shown> {
        let length = varint::read(bytes)? as usize;
        let mut numbers = Vec::new();
        for _ in 0..length.checked_add(2)? {
            numbers.push(varint::read(bytes)? as u32);
        }
        let (position, choice) = (numbers.pop()?, numbers.pop()?);
        let (pid, rest) = bytes.split_first()?;
        *bytes = rest;
        Some(Shown { way: numbers, choice, position, pid: *pid, state: read_bytes(bytes)?.to_vec() })
    }

    /// Makes a finding.
    pub(crate) fn finding(&self, cause: &Cause, count: u64, with_run: bool) -> Finding {
        let mut choices = self.way.clone();
        let wrong = match cause {
            Cause::Violation(kind, span) => {
                choices.push(self.choice);
                Wrong::Violation(Violation { kind: *kind, span: *span, pid: self.pid })
            }
            Cause::Deadlock(_) | Cause::Label(_) => Wrong::Deadlock(self.state.clone()),
        };
        Finding { wrong, count, run: with_run.then_some(Run { choices }) }
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::ViolationKind;
    use narrows_source::{FileId, Span};

    use super::{Cause, Shown};

    #[test]
    fn what_is_written_is_read_again() {
        let causes = [
            Cause::Violation(ViolationKind::DivisionByZero, Span::new(FileId(3), 400, 70_000)),
            Cause::Deadlock(b"here and there".to_vec()),
            Cause::Label(b"PUT".to_vec()),
        ];
        for cause in causes {
            let mut bytes = Vec::new();
            cause.write(&mut bytes);
            assert_eq!(Cause::read(&mut &bytes[..]), Some(cause));
            for length in 0..bytes.len() {
                assert_eq!(Cause::read(&mut &bytes[..length]), None);
            }
        }
        let shown =
            Shown { way: vec![1, 300, 0], choice: u32::MAX, position: 2, pid: 7, state: b"state".to_vec() };
        let mut bytes = Vec::new();
        shown.write(&mut bytes);
        assert_eq!(Shown::read(&mut &bytes[..]), Some(shown));
        for length in 0..bytes.len() {
            assert_eq!(Shown::read(&mut &bytes[..length]), None);
        }
    }
}
