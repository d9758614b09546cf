//! Answers as text, as JSON and as pictures. Returns strings; prints nothing.

mod chart;
mod escape;
mod json;
mod report;
mod run;
#[cfg(test)]
mod samples;
mod text;
mod trace_json;
mod units;

pub use chart::Chart;
pub use json::{diagnostics as json_diagnostics, document};
pub use report::{Problem, Report, Unreached};
pub use run::one_line;
pub use text::{check, explore};
pub use trace_json::{RecordedAtom, RecordedMove, RecordedTrace, read_trace, trace_document};
pub use units::{bytes, count, grouped, seconds};
