//! Answers as text, as JSON and as pictures. Returns strings; prints nothing.

mod chart;
mod json;
mod report;
mod run;
mod text;
mod units;

pub use chart::chart;
pub use json::{diagnostics as json_diagnostics, document, trace_document};
pub use report::{Problem, Report, Unreached};
pub use text::{check, explore};
pub use units::{bytes, count, grouped, seconds};
