//! Answers as text and data; everything here returns strings or values, and prints nothing.

mod trace_json;

pub use trace_json::{RecordedMove, RecordedTrace, read_trace, trace_document, trace_json};
