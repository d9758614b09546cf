//! What a system is, what it means, and what can be asked and answered about it.
//!
//! A [`System`] is plain data: variables, channels, processes with locations and transitions. The
//! [`Evaluator`] defines its meaning, as a [`StateSpace`] of byte strings; every engine is checked against
//! it. [`Question`]s and [`Answer`]s are plain data too, and a [`Trace`] is a run replayed in the evaluator.
//! [`synchronous`] has all this for systems whose variables change at once, [`behaviour`] for processes that
//! meet at gates.
//!
//! There are three kinds of models, each with a state space:
//!
//! | module | kind | meaning |
//! |---|---|---|
//! | `system.rs`, `evaluator/` | processes with statements (Promela) | [`Evaluator`] |
//! | [`synchronous`] | synchronous systems (SMV) | [`synchronous::Reference`] |
//! | [`behaviour`] | process algebra (LOTOS) | [`behaviour::Behaviour`] itself |
//! | `labelled_graph.rs` | graphs of states and edges (AUT) | [`LabelledGraph`] itself |
//!
//! [`flatten`] translates the first kind to the second. `watch/` is the product of a system with an observer:
//! never claim, Büchi automaton or trace assertion. `visit.rs` walks over statements and expressions,
//! `liveness.rs` finds dead variables, `wide.rs` those that may grow, `disabled.rs` why a statement is not
//! executable; `answer.rs`, `figure.rs`, `bottleneck.rs`, `trace.rs` are results as plain data; `budget.rs`
//! is what engines may use, and the shape of what they return.

mod answer;
pub mod behaviour;
mod bottleneck;
mod budget;
mod components;
pub mod decimals;
mod describe;
mod disabled;
mod entries;
mod evaluator;
mod expression;
mod figure;
pub mod flatten;
mod follow;
mod labelled_graph;
mod liveness;
mod model;
mod observe;
mod outline;
mod pieces;
mod print;
mod profile;
mod space;
pub mod synchronous;
mod system;
mod trace;
mod transfer;
mod visit;
mod watch;
mod wide;
mod wiring;
pub mod wording;

pub use answer::{
    Answer, Counterexample, Coverage, Kept, Limit, Loss, Orbits, Problem, Question, Refusal, Reply, SetSize,
    Verdict,
};
pub use bottleneck::{
    Bar, Bottleneck, Case, Flow, Gantt, Link, Overlap, Resource, Sensitivity, StateDiagram, SweepPoint,
    Together, Work,
};
pub use budget::{Budget, Checked, Progress, Share, Unwatched, Watch};
pub use components::{Components, Group, GroupSteps};
pub use describe::{ChannelView, ProcessView, StateView, VariableView};
pub use disabled::Disabled;
pub use entries::{EntryGroup, StateEntry};
pub use evaluator::{
    AtomicPath, Attempt, Evaluator, Offer, Outcome, Partner, ReadLog, StepPart, StepRecord, Workspace,
};
pub use expression::{
    Area, Binary, Expr, Index, Message, Pattern, Place, Query, Receive, Run, Scalar, Send, Unary,
};
pub use figure::{CurvePoint, Figure, FigureResult, Number, Published, ViewSize};
pub use follow::{Event, Single};
pub use labelled_graph::LabelledGraph;
pub use liveness::mark_dead;
pub use model::{
    Form, FormKind, LabelFormula, Labelled, LabelledSystem, Model, StatePart, Unfold, Waiting, is_cut_short,
};
pub use observe::Observation;
pub use outline::{ChannelOutline, Outline, ProcessOutline};
pub use pieces::cut_globals;
pub use profile::{Phase, SearchProfile};
pub use space::{
    Communication, Difference, Expansion, Move, MoveKind, Overwrite, ProcessSet, ReadRounds, Scratch,
    SecondRound, StateSpace, Successor, Violation, ViolationKind, Visit, Walks,
};
pub use system::{
    Atom, ChannelKind, Claim, DStep, Edge, Guard, InitialProcess, Leaf, Location, LocationId, MtypeSet, Node,
    NodeId, Proctype, ProctypeId, Property, Setup, Statement, System, Transition, TransitionId,
};
pub use trace::{Action, Actor, Change, Choice, Done, Narrator, RunStep, Shown, Trace, TraceAtom, TraceStep};
pub use transfer::Transfer;
pub use watch::{Colour, Watched, Watcher};
pub use wide::WideVariable;
pub use wiring::SharedObject;
