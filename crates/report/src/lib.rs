//! Answers as text, as JSON and as pictures. Returns strings; prints nothing.

mod automaton;
mod chart;
mod json;
mod report;
mod run;
mod text;
mod trace_json;
mod units;

pub use automaton::{automaton, automaton_document};
pub use chart::chart;
pub use json::{diagnostics as json_diagnostics, document};
pub use report::{Problem, Report, Unreached};
pub use text::{check, explore};
pub use trace_json::{RecordedMove, RecordedTrace, read_trace, trace_document};
pub use units::{bytes, count, grouped, seconds};
