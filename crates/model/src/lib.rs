//! What a system is, what it means, and what can be asked and answered about it.
//!
//! A [`System`] is plain data: variables, channels, processes with locations and transitions. The [`Evaluator`] defines
//! its meaning, as a [`StateSpace`] of byte strings; every engine is checked against it. [`Question`]s and [`Answer`]s
//! are plain data too, and a [`Trace`] is a run replayed in the evaluator. [`synchronous`] has all this for systems
//! whose variables change at once, [`behaviour`] for processes that meet at gates.

mod answer;
pub mod behaviour;
mod bottleneck;
mod describe;
mod disabled;
mod evaluator;
mod expression;
mod figure;
pub mod flatten;
mod follow;
mod liveness;
mod observe;
mod outline;
mod print;
mod process_set;
mod space;
pub mod synchronous;
mod system;
mod trace;
mod transfer;
mod watch;
pub mod wording;

pub use answer::{
    Answer, Counterexample, Coverage, Kept, Limit, Loss, Question, Refusal, Reply, SetSize, Verdict,
};
pub use bottleneck::{
    Bar, Bottleneck, Case, Flow, Gantt, Link, Overlap, Resource, Sensitivity, StateMachine, SweepPoint,
    Together, Work,
};
pub use describe::{ChannelView, ProcessView, StateView, VariableView};
pub use disabled::Disabled;
pub use evaluator::{AtomicPath, Attempt, Evaluator, Offer, Outcome, Told, Workspace};
pub use expression::{
    Area, Binary, Expr, Index, Message, Pattern, Place, Query, Receive, Run, Scalar, Send, Unary,
};
pub use figure::{Figure, FigureResult, Number, Published};
pub use follow::{Event, Single};
pub use liveness::mark_dead;
pub use observe::Observation;
pub use outline::{ChannelOutline, Outline, ProcessOutline};
pub use process_set::ProcessSet;
pub use space::{
    Communication, Difference, Expansion, Move, MoveKind, Overwrite, Scratch, StateSpace, Successor,
    Violation, ViolationKind, Walks,
};
pub use system::{
    Atom, ChannelKind, Claim, DStep, Edge, Guard, InitialProcess, Leaf, Location, LocationId, MtypeSet, Node,
    NodeId, Proctype, ProctypeId, Property, Setup, Statement, System, Transition, TransitionId,
};
pub use trace::{Change, Trace, TraceAtom, TraceMove, TraceStep};
pub use transfer::Transfer;
pub use watch::{Colour, Watched, Watcher};
