//! Questions and answers, as plain data.

use std::time::Duration;

use crate::{Trace, Violation};

/// What can be asked of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Can an assertion fail?
    Assertions,
    /// Can the system stop where it should not?
    Deadlock,
    /// Can a run-time fault happen?
    Faults,
}

impl Question {
    /// Every safety question.
    pub const SAFETY: [Question; 3] = [Question::Assertions, Question::Deadlock, Question::Faults];

    /// Returns the name of the kind, as in the JSON output.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::Assertions => "assertion",
            Question::Deadlock => "deadlock",
            Question::Faults => "fault",
        }
    }
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub question: Question,
    /// What came out.
    pub verdict: Verdict,
}

/// What came out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It holds: every state was visited, and no limit was hit.
    Holds,
    /// It fails: this run shows it, and no shorter one does if `shortest`.
    Fails {
        /// What went wrong; `None` for a deadlock.
        violation: Option<Violation>,
        /// The run.
        trace: Box<Trace>,
        /// Whether no shorter run shows it.
        shortest: bool,
    },
    /// A limit was hit before the answer was found.
    Undecided(Limit),
}

/// Why a search stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The time is up.
    Time,
    /// The memory is used up.
    Memory,
    /// The user asked it to stop.
    Interrupted,
    /// A fault ended the search.
    Fault,
}

impl Limit {
    /// Says why, and what to try.
    pub fn reason(self) -> &'static str {
        match self {
            Limit::Time => "the time limit was reached; raise --time",
            Limit::Memory => "the memory limit was reached; raise --memory",
            Limit::Interrupted => "it was interrupted",
            Limit::Fault => "a fault ended the search",
        }
    }
}

/// What a search may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// At most this many bytes for states and queues.
    pub memory: Option<u64>,
    /// At most this long.
    pub time: Option<Duration>,
}

/// What a search covered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Different states.
    pub states: u64,
    /// Edges between them.
    pub transitions: u64,
    /// The length of the longest run that was followed.
    pub depth: u64,
    /// Bytes of memory for states, all told.
    pub bytes: u64,
    /// Which transitions were taken, by kind of process and transition.
    pub taken: Vec<Vec<bool>>,
}
