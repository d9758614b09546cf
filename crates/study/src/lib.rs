//! Studies: what a model's statements take, what is counted, and what is asked about it.
//!
//! A [`Study`] is read from a file in TOML ([`read`]), so that the model itself stays plain. Together with the model it is
//! put together ([`Subject`]), and then measured, or analysed for its bottleneck. What kind of model it is decides who answers.

mod bottleneck;
mod coherence;
mod file;
mod labelled;
mod machine;
mod measure;
pub mod messages;
mod prepare;
mod subject;

pub use bottleneck::{Analysis, analyse, analyse_labelled};
pub use coherence::{Layer, coherence_table};
pub use file::{Ask, Axis, DelayEntry, Expect, Question, Study, Text, Values, Variant, View, read};
pub use labelled::{Labelled, prepare_labelled};
pub use machine::PreparedMachine;
pub use measure::{Measured, Size, measure, measure_labelled, simulate, trends};
pub use prepare::{Prepared, prepare};
pub use subject::{Budgets, Subject};
