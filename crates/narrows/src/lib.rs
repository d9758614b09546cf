//! Narrows as a library: read a model, ask, get answers.
//!
//! A [`Model`] is one type for all languages. Its text asks [`Question`]s; [`answer`] has them answered by the engines that accept
//! them, within a [`Budget`]. Nothing here reads files, prints or looks at the clock: a [`Loader`] and a [`Watch`] of the caller do.
//!
//! ```
//! use narrows::{Budget, CheckOptions, NoFiles, Options, Unwatched, answer, read};
//!
//! let text = "byte x; active proctype P() { x = 1; assert(x == 2) }";
//! let read = read("example.pml", text.to_owned(), &NoFiles, &Options::default()).expect("a model");
//! let model = read.model;
//! let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
//! let checked = answer(&model, &model.questions(), &CheckOptions::default(), &budget).expect("answers");
//! let failing: Vec<_> = checked.replies.iter().filter(|reply| reply.fails()).collect();
//! assert_eq!(failing.len(), 1);
//! ```

mod capability;
mod engine;
mod engines;
mod explain;
mod explore;
mod graph;
mod reading;
pub mod simulation;
mod study;

pub use capability::{Capability, StudyCapability, capabilities, engines_for, study_capabilities};
pub use engine::{CheckOptions, Choice, Engine, RunStyle, Unanswered, answer, engines};
pub use explain::explanations;
pub use explore::{ExploreOptions, explore};
pub use graph::{GraphError, LabelStyle, States, states};
pub use narrows_explicit::{Checkpoints, Lossy};
pub use narrows_languages::{
    Formula, LANGUAGES, Language, Logic, Options, Read, Rejected, identify, of_ending,
};
pub use narrows_model::{
    Answer, Budget, Checked, Coverage, Figure, FigureResult, Form, Limit, Model, Problem, Progress, Question,
    Refusal, Reply, Trace, Unwatched, Verdict, Watch,
};
pub use narrows_source::{Diagnostic, Diagnostics, LoadError, Loaded, Loader, Sources, render};
pub use narrows_symbolic::Order;
pub use reading::{NoFiles, read};
pub use study::PreparedStudy;
