//! Narrows as a library: read a model, ask, get answers.
//!
//! A [`Model`] is one type for all languages. Its text asks [`Question`]s; [`answer`] has them answered by
//! the engines that accept them, within a [`Budget`]. Nothing here reads files, prints or looks at the clock:
//! a [`Loader`] and a [`Watch`] of the caller do.
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
//!
//! # Studies
//!
//! A study gives a model delays and asks for figures. [`PreparedStudy::read`] loads the model by a
//! [`Loader`]; a [`StudyText`] takes it as a text. [`PreparedStudy::measure`] answers,
//! [`PreparedStudy::analyse`] also finds the bottleneck, and [`PreparedStudy::sweep`] answers for each value
//! of what the study varies.
//!
//! ```
//! use narrows::{Budget, Figure, FigureResult, NoFiles, StudyText, Unwatched};
//!
//! let study = r#"
//!     model = "server.pml"
//!     unit = "ms"
//!     [delay]
//!     "server:work" = { exponential = 3 }
//!     "server:rest" = { exponential = 1 }
//!     [event]
//!     done = "server:work"
//!     [[ask]]
//!     throughput = "done"
//!     [sweep]
//!     "server:rest" = [1, 5]
//! "#;
//! let model = "byte n; active proctype server() { do :: work: n = 1; rest: n = 0 od }";
//! let model = ("server.pml".to_owned(), model.to_owned());
//! let text = StudyText::read("study.toml", study.to_owned());
//! let mut study = text.prepare(Some(model), &NoFiles).expect("a study");
//!
//! let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
//! let is_about = |figure: &Figure, expected: f64| match figure.result {
//!     FigureResult::Value { low, high, .. } => low.to_f64() <= expected && expected <= high.to_f64(),
//!     _ => false,
//! };
//! let mut measured = study.measure(&budget);
//! assert!(is_about(&measured.figures[0], 1.0 / 4.0));
//!
//! let (points, wrong) = study.sweep(&mut measured, &NoFiles, &budget);
//! assert!(wrong.is_empty());
//! assert_eq!(points[1].settings, [("server:rest".to_owned(), "5".to_owned())]);
//! assert!(is_about(&points[1].figures[0], 1.0 / 8.0));
//! ```
//!
//! # Simulation
//!
//! A [`simulation::Session`] is a run that is made step by step, forwards and backwards, in any language.
//!
//! ```
//! use narrows::simulation::Session;
//! use narrows::{NoFiles, Options, read};
//!
//! let text = "MODULE main VAR n : 0..3; ASSIGN init(n) := 0; next(n) := (n + 1) mod 4;";
//! let model = read("counter.smv", text.to_owned(), &NoFiles, &Options::default()).expect("a model").model;
//! let mut session = Session::new(&model, 1).expect("a first state");
//! assert!(session.choose(0));
//! assert_eq!(session.entries()[0].value, "1");
//! session.back();
//! assert_eq!(session.entries()[0].value, "0");
//! ```

mod capability;
pub mod editing;
mod engine;
mod engines;
mod explain;
mod explore;
mod findings;
mod gpu;
mod graph;
mod interchange;
mod rates;
mod reading;
mod selection;
pub mod simulation;
mod study;
mod study_text;

pub use capability::{
    Capability, CommandCapability, StudyCapability, automatic_engine, capabilities, command_capabilities,
    engines_for, study_capabilities,
};
pub use engine::{CheckOptions, Choice, Engine, Feature, RunStyle, Unanswered, answer, engines};
pub use explain::explanations;
pub use explore::{ExploreOptions, explore};
pub use findings::{ModelFindings, StudyFindings, StudyTask};
pub use graph::{GraphError, LabelStyle, States, graph_diagram, process_diagrams, states};
pub use interchange::{
    OrderError, accepts_order, accepts_spin_trail, circuit, read_order, spin_trail, write_order,
};
pub use narrows_explicit::{CheckpointError, Checkpoints, Elsewhere, Lossy};
pub use narrows_languages::{
    Formula, LANGUAGES, Language, Logic, NotText, Options, Read, Rejected, assign_definitions, identify,
    lotos::fault as fault_diagnostic, of_ending, text_of,
};
pub use narrows_model::{
    Answer, Budget, Checked, Coverage, EntryGroup, Figure, FigureResult, Form, Limit, Model, Problem,
    Progress, Question, Refusal, Reply, Trace, Unwatched, Verdict, Watch,
};
pub use narrows_sat::AigerForm;
pub use narrows_source::{
    Diagnostic, Diagnostics, LoadError, Loaded, Loader, NoFiles, Sources, Span, render,
};
pub use narrows_study::Analysis;
pub use narrows_symbolic::Order;
pub use rates::{RateError, RateOptions, Rates, SparseChain, Target, reach, sparse_chain, steady, transient};
pub use reading::read;
pub use selection::{UnknownQuestion, selected};
pub use study::PreparedStudy;
pub use study_text::{Bounds, Named, StudyError, StudyText};
