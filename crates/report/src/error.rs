//! What is wrong with a recorded run that is read.

use thiserror::Error;

/// Why a document is no run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// It was written by another version.
    #[error("it has schema {found}; this version reads schema {known}")]
    Schema {
        /// The document's schema.
        found: u64,
        /// The one that is read.
        known: u32,
    },
    /// It says of itself that it is something else, or nothing.
    #[error("it is not a trace: there is no \"schema\"")]
    NoSchema,
    /// It has no run.
    #[error("there is no \"trace\" in it")]
    NoTrace,
    /// The run has no steps.
    #[error("the trace has no \"steps\"")]
    NoSteps,
    /// It is a run of another kind of model.
    #[error("this is not a run of an SMV model: the trace has no \"values\"")]
    NoValues,
    /// It is a run of another kind of model.
    #[error("step {0} has no \"label\": this is not a run of labels")]
    NoLabel(usize),
    /// The run comes back to a state that it does not have.
    #[error("\"cycle\" is {cycle}, but there are only {steps} steps")]
    Cycle {
        /// What the document says.
        cycle: String,
        /// How many steps there are.
        steps: usize,
    },
    /// A proposition does not have one value for each state.
    #[error("`{text}` has {values} values in {states} states")]
    Values {
        /// The proposition.
        text: String,
        /// How many values it has.
        values: usize,
        /// How many states there are.
        states: usize,
    },
    /// A step is wrong.
    #[error("step {number}: {error}")]
    Step {
        /// Which step, counted from 1.
        number: usize,
        /// What is wrong with it.
        error: StepError,
    },
}

/// What is wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// It has no list of moves.
    #[error("it has no \"moves\"")]
    NoMoves,
    /// The list is empty.
    #[error("nothing moves in it")]
    NothingMoves,
    /// A move is of no known kind.
    #[error("\"kind\" is `{0}`, not alone, offer or accept")]
    Kind(String),
    /// A number is wrong.
    #[error("\"{0}\" is missing or out of range")]
    Number(&'static str),
}

/// What is wrong with a line of a trail.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} is `{text}`, not depth:process:statement")]
pub struct TrailError {
    /// The line, counted from 1.
    pub line: usize,
    /// What it is.
    pub text: String,
}
