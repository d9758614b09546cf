//! Questions and answers, as plain data.

use narrows_source::Span;

use crate::{Claim, Figure, Location, System, Trace, Violation, ViolationKind, Waiting};

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
    /// Can a run visit accepting locations again and again?
    Acceptance,
    /// Can a run go on for ever without progress?
    Progress,
    /// Does a property that the text states hold?
    Property {
        /// Its number in [`System::properties`].
        index: usize,
        /// Its kind, as in the JSON output.
        kind: &'static str,
        /// Its name; empty if it has none.
        name: String,
    },
}

impl Question {
    /// Every safety question.
    pub const SAFETY: [Question; 3] = [Question::Assertions, Question::Deadlock, Question::Faults];

    /// Returns every question that a system's text asks: safety, cycles where there are labels for them, and
    /// the properties it states.
    pub fn all(system: &System) -> Vec<Question> {
        let has = |label: fn(&Location) -> bool| {
            system.proctypes.iter().any(|proctype| proctype.locations.iter().any(label))
        };
        let acceptance = has(|location| location.is_accepting).then_some(Question::Acceptance);
        let progress = has(|location| location.is_progress).then_some(Question::Progress);
        let properties = system.properties.iter().enumerate().map(|(index, property)| {
            let kind = match &property.claim {
                Claim::Ltl(_) => "ltl",
                Claim::Ctl(_) => "ctl",
                Claim::Never(_) => "never",
                Claim::Trace { .. } => "trace",
            };
            Question::Property { index, kind, name: property.name.clone() }
        });
        Question::SAFETY.into_iter().chain(acceptance).chain(progress).chain(properties).collect()
    }

    /// Returns the name of the kind, as in the JSON output.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::Assertions => "assertion",
            Question::Deadlock => "deadlock",
            Question::Faults => "fault",
            Question::Acceptance => "accept",
            Question::Progress => "progress",
            Question::Property { kind, .. } => kind,
        }
    }

    /// Returns the name that the text gives to what is asked; empty if it has none.
    pub fn name(&self) -> &str {
        match self {
            Question::Property { name, .. } => name,
            _ => "",
        }
    }
}

/// Why an engine does not take a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, as a full sentence.
    pub reason: String,
    /// What in the text it is about, if it is about something there.
    pub span: Option<Span>,
}

impl Refusal {
    /// Makes a refusal that is about nothing in the text.
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into(), span: None }
    }
}

/// Something that goes wrong in some state or step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of question it answers.
    pub kind: &'static str,
    /// What goes wrong.
    pub message: String,
    /// Where; `None` if it has no place.
    pub span: Option<Span>,
    /// How many edges or states show it.
    pub count: u64,
}

impl Problem {
    /// Describes a violation that so many edges show.
    pub fn violation(violation: &Violation, count: u64) -> Problem {
        let is_assertion = violation.kind == ViolationKind::Assertion;
        let question = if is_assertion { Question::Assertions } else { Question::Faults };
        let message = violation.kind.message().to_owned();
        Problem { kind: question.kind(), message, span: Some(violation.span), count }
    }

    /// Describes a deadlock in so many states, by what waits in one of them: its place is where the first
    /// process waits that should not end there. `nobody` is what is said if there is none.
    pub fn deadlock(waiting: &[Waiting], nobody: &str, count: u64) -> Problem {
        let stuck: Vec<_> = waiting.iter().filter(|process| !process.may_end).collect();
        let names: Vec<&str> = stuck.iter().map(|process| process.process.as_str()).collect();
        let message = match names.len() {
            0 => nobody.to_owned(),
            1..=4 => format!("no process can move; {} can't go on", names.join(", ")),
            more => {
                format!("no process can move; {} and {} others can't go on", names[..3].join(", "), more - 3)
            }
        };
        Problem { kind: "deadlock", message, span: stuck.first().map(|process| process.span), count }
    }

    /// Returns what goes wrong, with its kind where the message does not say it.
    pub fn title(&self) -> String {
        if self.kind == "deadlock" { format!("deadlock: {}", self.message) } else { self.message.clone() }
    }
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub question: Question,
    /// What came out.
    pub verdict: Verdict,
    /// A run that shows that it holds, where one run can.
    pub witness: Option<Box<Trace>>,
    /// What else is worth knowing, as full sentences.
    pub notes: Vec<String>,
    /// Further runs that show how it fails, different from the verdict's.
    pub more: Vec<Counterexample>,
    /// What found it, where there are several ways, as in the JSON output.
    pub engine: Option<&'static str>,
}

impl Answer {
    /// Makes an answer with nothing to add.
    pub fn new(question: Question, verdict: Verdict) -> Answer {
        Answer { question, verdict, witness: None, notes: Vec::new(), more: Vec::new(), engine: None }
    }
}

/// What came out of a question: an answer, or a number.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer.
    Answer(Box<Answer>),
    /// A number.
    Figure(Box<Figure>),
}

impl Reply {
    /// Returns whether something fails, or is not as expected.
    pub fn fails(&self) -> bool {
        match self {
            Reply::Answer(answer) => matches!(answer.verdict, Verdict::Fails { .. }),
            Reply::Figure(figure) => figure.fails(),
        }
    }

    /// Returns whether there is no answer.
    pub fn is_open(&self) -> bool {
        match self {
            Reply::Answer(answer) => !matches!(answer.verdict, Verdict::Holds | Verdict::Fails { .. }),
            Reply::Figure(figure) => figure.is_open(),
        }
    }

    /// Returns the limit that left it open, if one did.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Reply::Answer(answer) => match answer.verdict {
                Verdict::Undecided(limit) => Some(limit),
                _ => None,
            },
            Reply::Figure(figure) => figure.limit(),
        }
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Reply {
        Reply::Answer(Box::new(answer))
    }
}

impl From<Figure> for Reply {
    fn from(figure: Figure) -> Reply {
        Reply::Figure(Box::new(figure))
    }
}

/// A run that shows how something fails.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// What went wrong; `None` if the run as a whole is wrong.
    pub violation: Option<Violation>,
    /// The run.
    pub trace: Trace,
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
    /// No engine takes the question.
    Refused(Refusal),
}

/// Why a search stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The time is up.
    Time,
    /// The memory is used up.
    Memory,
    /// The memory of a GPU is used up.
    DeviceMemory,
    /// The user asked it to stop.
    Interrupted,
    /// Another process of a search on several machines could not be reached any more.
    HostLost,
    /// A fault ended the search.
    Fault,
    /// States were kept with loss: some may have been taken for others.
    Lossy,
    /// What was to be found was found, or as many states were visited as the caller asked for.
    Enough,
}

impl Limit {
    /// Says why. What to try is for those to say who know how limits are given.
    pub fn reason(self) -> &'static str {
        match self {
            Limit::Time => "the time limit was reached",
            Limit::Memory => "the memory limit was reached",
            Limit::DeviceMemory => "the memory of the GPU is full",
            Limit::Interrupted => "the search was interrupted",
            Limit::HostLost => "another process was lost",
            Limit::Fault => "a fault ended the search; remove the fault first",
            Limit::Lossy => "states were kept with loss, and some may have been missed",
            Limit::Enough => "the search ended when it had found what it was to find",
        }
    }
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
    /// Bytes of memory that the search used, all told.
    pub bytes: u64,
    /// Bytes of all states together, before anything is added to find them.
    pub state_bytes: u64,
    /// Whether it is about the system alone, and not about a watcher's part of it: then what was not taken is
    /// not reached.
    pub of_system: bool,
    /// Which transitions were taken, by kind of process and transition.
    pub taken: Vec<Vec<bool>>,
    /// The labels of steps, each with how many there are, where steps have labels.
    pub labels: Vec<(String, u64)>,
    /// What may have been missed, if states were kept with loss.
    pub loss: Option<Loss>,
    /// How many states there are, if they were not visited one by one; all but the bytes is there alone then.
    pub sets: Option<SetSize>,
    /// What stands behind the states, if equal parts of the model were not told apart.
    pub orbits: Option<Orbits>,
}

/// The states of a model of which one stands for all that differ in which of some equal parts does what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orbits {
    /// The equal parts, as `8 × channel`.
    pub parts: Vec<String>,
    /// How many states there are if parts are told apart; `None` if not all were found, or they are too many.
    pub states: Option<String>,
    /// How many transitions there are then.
    pub transitions: Option<String>,
    /// Whether states are meant in which values are 0 that nobody reads any more.
    pub forgets: bool,
}

/// How many states there are in a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetSize {
    /// The number, which may be large; `None` if it was not found out.
    pub states: Option<String>,
    /// How many bits tell them apart.
    pub bits: u64,
    /// After how many steps all have been reached; `None` if that was not found out.
    pub depth: Option<u64>,
}

/// What a search that does not keep whole states may have missed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// What was kept of each state.
    pub kept: Kept,
    /// How many states were found and not followed, as there was no room for a longer run.
    pub cut: u64,
}

/// What is kept of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept {
    /// A few bits of a table that all states share.
    Bits {
        /// How many bits the table has.
        table: u64,
        /// How many of them are set.
        set: u64,
        /// How many are set for each state.
        hashes: u32,
        /// How many states are expected to have been taken for others when they were first reached.
        missed: f64,
    },
    /// A hash of 64 bits.
    Hashes {
        /// How likely it is that any state was taken for another.
        any_missed: f64,
    },
}
