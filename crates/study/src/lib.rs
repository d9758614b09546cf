//! Studies: what a model's statements take, what is counted, and what is asked about it.
//!
//! A [`Study`] is read from a file in TOML ([`read`]), so that the model itself stays plain. Together with
//! the model it is put together ([`Subject`]), and then measured, or analysed for its bottleneck. What kind
//! of model it is decides who answers.

mod accepts;
mod bottleneck;
mod checks;
mod coherence;
mod conditions;
mod file;
mod fit;
mod growth;
mod labelled;
mod measure;
mod prepare;
mod request_values;
mod resources;
mod subject;
mod synchronous;
mod verdicts;

pub use accepts::{accepts, kinds};
pub use bottleneck::Analysis;
pub use coherence::{Layer, coherence_table};
pub use file::{
    Ask, Axis, ChangeError, DelayEntry, Entry, Equivalence, Expect, Latency, LatencyKind, QuantityError,
    Question, ReachKind, RewardEntry, RewriteError, Simulation, SizePart, Study, StudyEngine, Text, Values,
    Variant, View, entries, keys_of, read, rewritten,
};
pub use fit::{Beside, Column, Fit, FitForm, Log, LogError, Sample, Summary, read_log};
pub use labelled::LabelledStudy;
pub use measure::{Measured, trends};
pub use prepare::ProcessStudy;
pub use subject::Subject;
pub use synchronous::SynchronousStudy;
pub use verdicts::Verdicts;

/// What the messages about studies mean.
pub const MESSAGES: &str = include_str!("messages.md");
