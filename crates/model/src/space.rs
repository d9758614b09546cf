//! State spaces: what checkers, simulators and replays walk over.

use std::any::Any;
use std::ops::{ControlFlow, Range};

use narrows_source::Span;

use crate::evaluator::{AtomicPath, Frames, Task};
use crate::{LocationId, Message, ProctypeId, TransitionId};

/// A set of process numbers.
pub type ProcessSet = narrows_graph::ByteSet;

/// What is done with each successor of a state: it may break off.
pub type Visit<'v> = dyn FnMut(Successor<'_>) -> ControlFlow<()> + 'v;

/// States as byte strings of any length, and how they follow each other.
pub trait StateSpace: Sync {
    /// Returns how many bytes at the end of each state do not count when states are compared.
    fn hidden_bytes(&self) -> usize {
        0
    }

    /// Returns the initial state, and what went wrong on the way to it.
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation>;

    /// Visits every successor of a state, in an order that depends on the state alone.
    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion;

    /// Visits the successors that some processes begin, in the same order; of a rendezvous, that is the
    /// sender. Where those processes can move only after a timeout, it may visit what they do then, or
    /// nothing.
    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        self.successors(state, scratch, &mut |successor| match successor.moves.first() {
            Some(first) if !processes.contains(usize::from(first.pid)) => ControlFlow::Continue(()),
            _ => visit(successor),
        });
    }

    /// Appends what tells where control is in a state: the same bytes for states that differ in data alone.
    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        let _ = (state, control);
    }

    /// Tells what decides about the steps that a process begins in a state, and what they may change: appends
    /// the bytes of the process itself, and then all others. In a state with the same parts and the same
    /// values there, its steps are the same, and change the same. `None` if there is no such process;
    /// `Some(false)` if more than these bytes may decide, or nothing is known.
    fn looks(&self, state: &[u8], pid: usize, bytes: &mut Vec<Range<u32>>) -> Option<bool> {
        let _ = (state, pid, bytes);
        None
    }

    /// Tells the same in rounds, the bytes of each depending on the values of those before; `None` if there
    /// is no such process, or nothing is known of any.
    fn read_rounds(&self, state: &[u8], pid: usize) -> Option<ReadRounds> {
        let _ = (state, pid);
        None
    }

    /// Tells which bytes of a state belong together: appends where each part ends, in rising order, the last
    /// at the end of the state without its hidden bytes. A store keeps parts that come again and again once.
    /// Equal states must have equal parts.
    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        let visible = state.len() - self.hidden_bytes();
        ends.extend((1..=visible / PART).map(|part| (part * PART) as u32));
        if !visible.is_multiple_of(PART) {
            ends.push(visible as u32);
        }
    }
}

impl<T: StateSpace + ?Sized> StateSpace for &T {
    fn hidden_bytes(&self) -> usize {
        (**self).hidden_bytes()
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        (**self).initial()
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        (**self).successors(state, scratch, visit)
    }

    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        (**self).successors_of(processes, state, scratch, visit);
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        (**self).control(state, control);
    }

    fn looks(&self, state: &[u8], pid: usize, bytes: &mut Vec<Range<u32>>) -> Option<bool> {
        (**self).looks(state, pid, bytes)
    }

    fn read_rounds(&self, state: &[u8], pid: usize) -> Option<ReadRounds> {
        (**self).read_rounds(state, pid)
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        (**self).parts(state, ends);
    }
}

/// What decides about the steps that a process begins in a state, and what they may change. Of two states
/// with the same parts, in both the bytes of a round are the same if the values of all rounds before are, and
/// the steps are if the values of all rounds are.
#[derive(Clone, Debug)]
pub struct ReadRounds {
    /// The bytes of the process itself.
    pub own: Range<u32>,
    /// The next round; `None` if nothing is known.
    pub first: Option<Vec<Range<u32>>>,
    /// The last round. Whether there is one depends on the process itself alone.
    pub second: SecondRound,
    /// The bytes of the first round that the second depends on, beside the process itself; `None` if that may
    /// be all of them. It depends on the process itself alone.
    pub deciding: Option<Vec<Range<u32>>>,
}

/// What decides beside what the first round has.
#[derive(Clone, Debug)]
pub enum SecondRound {
    /// Nothing, whatever values the first round has.
    Needless,
    /// These bytes.
    Bytes(Vec<Range<u32>>),
    /// Nothing is known, with these values of the first.
    Unknown,
}

/// How many bytes a part has if nothing is known about states.
const PART: usize = 16;

/// Memory that [`StateSpace::successors`] uses again and again; one for each thread.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) frames: Frames,
    /// The path that is being followed.
    pub(crate) path: AtomicPath,
    pub(crate) tasks: Vec<Task>,
    pub(crate) output: Vec<u8>,
    walks: Walks,
    /// What another engine keeps from one state to the next.
    other: Option<Box<dyn Any + Send>>,
}

/// How paths through atomic sequences are walked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walks {
    /// Whether pulses are visited.
    pub with_pulses: bool,
    /// Whether paths are never merged.
    pub every_path: bool,
}

impl Scratch {
    /// Makes memory for a search that keeps a limit: inside a long atomic sequence its visitor hears now and
    /// then of a [`Successor`] that is no edge but a [pulse](Successor::pulse), and may break off.
    pub fn with_pulses() -> Scratch {
        Scratch { walks: Walks { with_pulses: true, every_path: false }, ..Scratch::default() }
    }

    /// Makes every path through an atomic sequence an edge of its own, however many there are: for whoever
    /// needs to know what was done on the way.
    #[must_use]
    pub fn following_every_path(mut self) -> Scratch {
        self.walks.every_path = true;
        self
    }

    /// Exchanges the path that is being followed.
    pub fn swap_path(&mut self, path: &mut AtomicPath) {
        std::mem::swap(&mut self.path, path);
    }

    /// Returns how paths are walked.
    pub fn walks(&self) -> Walks {
        self.walks
    }

    /// Changes how paths are walked.
    pub fn set_walks(&mut self, walks: Walks) {
        self.walks = walks;
    }

    /// Returns the memory of an engine, which is made when it is first asked for.
    pub fn memory<T: Default + Send + 'static>(&mut self) -> &mut T {
        if !self.other.as_ref().is_some_and(|other| other.is::<T>()) {
            self.other = Some(Box::<T>::default());
        }
        match self.other.as_mut().and_then(|other| other.downcast_mut()) {
            Some(memory) => memory,
            None => unreachable!("it was just made"),
        }
    }
}

/// One edge of the state space.
#[derive(Clone, Copy, Debug, Default)]
pub struct Successor<'a> {
    /// What the processes did, in order: more than one for an atomic sequence or a rendezvous.
    pub moves: &'a [Move],
    /// What went wrong on the way.
    pub violations: &'a [Violation],
    /// The messages that were sent and received on the way, in order, if the space was asked to record them.
    pub events: &'a [Communication],
    /// What can be seen of the step, in the space's own writing, where that is not what processes do: see
    /// [`Behaviour::label`](crate::behaviour::Behaviour::label). Otherwise empty.
    pub label: &'a [u8],
    /// The state reached; `None` if something went so wrong that there is none.
    pub target: Option<&'a [u8]>,
    /// How it differs from the state that the edge comes from.
    pub difference: Difference<'a>,
    /// If this is no edge but a sign of life from inside a long atomic sequence: how many bytes are held
    /// there. Visited only with [`Scratch::with_pulses`].
    pub pulse: Option<u64>,
}

impl<'a> Successor<'a> {
    /// Makes a sign of life.
    pub fn pulse(moves: &'a [Move], held: u64) -> Self {
        Successor { moves, pulse: Some(held), ..Successor::default() }
    }
}

/// How a state differs from another. Those who know save others the search for it.
#[derive(Clone, Copy, Debug, Default)]
pub enum Difference<'a> {
    /// In any way.
    #[default]
    Unknown,
    /// It has the same length and the same parts.
    Alike,
    /// It has the same length and the same parts, and differs in these bytes at most.
    Changes(&'a [Overwrite]),
}

/// Bytes that were overwritten.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Overwrite {
    /// Where the first of them is.
    pub offset: u32,
    /// How many there are.
    pub width: u32,
    /// What they were, if they are at most eight.
    pub old: u64,
}

/// A message that was sent or received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communication {
    /// Whether it was sent.
    pub sent: bool,
    /// The channel's number, counted from 1.
    pub channel: i32,
    /// The fields.
    pub message: Message,
}

/// How the successors of a state were enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// There is at least one edge, or the visitor broke off.
    Moves,
    /// Nothing can move, and that is as it should be.
    Ended,
    /// Nothing can move, but a process is not where it may end.
    Deadlock,
}

/// A transition that a process took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The process's number.
    pub pid: u8,
    /// Its kind.
    pub proctype: ProctypeId,
    /// Where it was.
    pub from: LocationId,
    /// The transition.
    pub transition: TransitionId,
    /// Its part in a rendezvous.
    pub kind: MoveKind,
}

/// What a move is in a rendezvous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// It stands alone.
    Alone,
    /// It offers a message; the next move takes it.
    Offer,
    /// It takes the message that the previous move offered.
    Accept,
}

/// Something that went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// What.
    pub kind: ViolationKind,
    /// Where in the text.
    pub span: Span,
    /// Which process.
    pub pid: u8,
}

/// Declares what can go wrong in a step, with what is said of it.
macro_rules! violation_kinds {
    ($($(#[$doc:meta])* $kind:ident => $message:literal,)*) => {
        /// What can go wrong in a step.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ViolationKind {
            $($(#[$doc])* $kind,)*
        }

        impl ViolationKind {
            /// Every kind, in order.
            pub const ALL: &[ViolationKind] = &[$(ViolationKind::$kind),*];

            /// Says what happened.
            pub fn message(self) -> &'static str {
                match self {
                    $(ViolationKind::$kind => $message,)*
                }
            }
        }
    };
}

violation_kinds! {
    /// An assertion is false.
    Assertion => "assertion violated",
    /// An index is outside its array; a read gives 0 and a write is lost.
    IndexOutOfRange => "array index out of range",
    /// A message has fewer fields than the channel's; the others are 0.
    TooFewFieldsSent => "message with too few fields",
    /// A message has more fields than the channel's; they are lost.
    TooManyFieldsSent => "message with too many fields",
    /// A receive names fewer or more fields than the channel's.
    WrongFieldCountReceived => "receive with the wrong number of fields",
    /// A rendezvous channel is polled; it is never found to hold a message.
    PolledRendezvous => "poll of a rendezvous channel",
    /// A channel variable that holds no channel is received from or polled; there is no message.
    ReceiveFromNowhere => "receive from an uninitialised channel",
    /// A `D_proctype` has a choice.
    Nondeterminism => "non-determinism in a D_proctype",
    /// A claim has seen all it has to: whatever comes now, the run is one that must not be.
    ClaimMatched => "the run does what must never be done",
    /// A message is sent or received that does not follow the pattern of a `trace`.
    TraceMismatch => "a message does not follow the trace",
    /// A message fits more than one way on in a `trace`.
    TraceAmbiguous => "a message fits more than one way on in the trace",
    /// The run ends before the pattern of a `trace` does.
    TraceNotCompleted => "the run ends before the trace is completed",
    /// The messages follow the pattern of a `notrace` to its end.
    TraceMatched => "the messages follow the forbidden trace to its end",
    /// Division, or remainder, by zero.
    DivisionByZero => "division by zero",
    /// The smallest number divided by minus one.
    DivisionOverflow => "division overflow",
    /// A receive names more fields than the channel's, or tests the wrong number of them.
    TooManyFieldsReceived => "receive of fields that the message does not have",
    /// A channel variable that holds no channel is used.
    NoChannel => "use of an uninitialised channel",
    /// More than 255 processes.
    TooManyProcesses => "too many processes",
    /// More than 255 channels.
    TooManyChannels => "too many channels",
    /// A state of more bytes than any machine should have to copy at every step.
    StateTooLarge => "state too large",
    /// A statement in a `d_step` can't be executed.
    BlockedDStep => "statement blocks inside a d_step",
    /// A send to a rendezvous channel in a `d_step`.
    RendezvousInDStep => "rendezvous send inside a d_step",
    /// A `d_step` that does not end.
    EndlessDStep => "endless loop inside a d_step",
    /// An `atomic` sequence that comes back to where it was.
    EndlessAtomic => "endless loop inside an atomic sequence",
    /// A process asks whether it is enabled itself.
    EnabledSelf => "enabled() asked of the process itself",
    /// A priority outside of 1 to 255.
    BadPriority => "priority out of range",
    /// No equation says what a term is worth.
    NoEquation => "no equation says what this is",
    /// Rewriting a term does not come to an end.
    EndlessRewriting => "rewriting does not end",
    /// A value is to be chosen from no end of values, or from too many.
    EndlessSort => "a value is chosen from infinitely many values, or more than a million",
    /// A process calls itself again and again without a step.
    EndlessRecursion => "a process calls itself again and again without a step",
    /// A number is too large.
    NumberTooLarge => "number too large",
    /// A difference of natural numbers is below zero.
    BelowZero => "difference below zero",
}

impl ViolationKind {
    /// Returns whether the run can't go on after it.
    pub fn is_fatal(self) -> bool {
        self >= ViolationKind::DivisionByZero
    }
}
