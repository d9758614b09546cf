//! Studies: what a model's statements take, what is counted, and what is asked about it.
//!
//! A [`Study`] is read from a file in TOML ([`read`]), so that the model itself stays plain. Together with the model it is
//! [`prepared`](prepare), and then [`measured`](measure), or [`analysed`](analyse) for its bottleneck.

mod bottleneck;
mod coherence;
mod file;
mod labelled;
mod measure;
pub mod messages;
mod prepare;

pub use bottleneck::{Analysis, analyse};
pub use coherence::{Layer, coherence_table};
pub use file::{Ask, Axis, DelayEntry, Expect, Question, Study, Text, Values, Variant, View, read};
pub use labelled::{Labelled, prepare_labelled};
pub use measure::{Measured, Size, measure, measure_labelled, simulate, trends};
pub use prepare::{Prepared, prepare};
