//! Why a saved run does not fit a model.

use thiserror::Error;

/// Why a saved run can't be replayed. What comes before the step that it names is taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// It was saved of a model of another form.
    #[error("the run is not one of a model in {0}")]
    OtherForm(&'static str),
    /// No first state of the model has its first values.
    #[error("the run does not fit the model: it does not begin in a first state")]
    NoFirstState,
    /// A step is not there.
    #[error("step {number} does not fit the model: {reason}")]
    Step {
        /// The number of the step, from 1 on.
        number: usize,
        /// Why not.
        reason: StepError,
    },
    /// A line of a SPIN trail can't be followed.
    #[error("the trail does not fit the model (line {line}, statement {statement}): {reason}")]
    Trail {
        /// The line of the trail, from 1 on.
        line: usize,
        /// The statement that it names.
        statement: u32,
        /// Why not.
        reason: StepError,
    },
}

/// Why a step of a saved run can't be taken. Places are as people read them: file and line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// No step changes these values.
    #[error("there is no such step")]
    NoStep,
    /// No step has this label.
    #[error("`{0}` can't be done")]
    NoLabel(String),
    /// The model has no such proctype.
    #[error("the model has no proctype {0}")]
    NoProctype(String),
    /// There is no such process in the state.
    #[error("there is no process {0}")]
    NoProcess(String),
    /// There are fewer processes in the state.
    #[error("{process} can't be found: there is no process {pid}")]
    TooFewProcesses {
        /// The process that was recorded.
        process: String,
        /// Its number.
        pid: u8,
    },
    /// The process with this number is another one.
    #[error("process {pid} is {found}, not {recorded}")]
    OtherProcess {
        /// Its number.
        pid: u8,
        /// The process of the model.
        found: String,
        /// The process that was recorded.
        recorded: String,
    },
    /// The process has no statement with this number.
    #[error("{0} has no such statement")]
    NoStatement(String),
    /// The process is where the statement is not.
    #[error("{process} is at {place}, where there is no [{statement}]")]
    Elsewhere {
        /// The process.
        process: String,
        /// Where it is.
        place: String,
        /// The statement that was recorded.
        statement: String,
    },
    /// The process is elsewhere, and its steps do not lead to the statement.
    #[error("{process} is at {place} and does not come to [{statement}] at {wanted}")]
    NotReached {
        /// The process.
        process: String,
        /// Where it is.
        place: String,
        /// The statement that was recorded.
        statement: String,
        /// Where that is.
        wanted: String,
    },
    /// The statement is not executable.
    #[error("{process} can't execute [{statement}] at {place}: {reason}")]
    Disabled {
        /// The process.
        process: String,
        /// The statement that was recorded.
        statement: String,
        /// Where it is.
        place: String,
        /// Why not.
        reason: String,
    },
}
