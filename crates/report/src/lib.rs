//! Answers as text, as JSON, as pages and as pictures. Returns strings; prints nothing.
//!
//! | module | contents |
//! |---|---|
//! | `run.rs`, `trace_json.rs`, `trail.rs` | runs as text, as JSON, as SPIN's trails |
//! | `chart/`, `diagram/`, `plot/` | message sequence charts; state diagrams; bars, lines, Gantt charts |
//! | `tables.rs` | figures in tables |
//! | `columns.rs` | signals and gates of a run as text |
//! | `rates.rs` | numbers of graphs with rates |
//! | `fits.rs`, `against.rs` | delays that fit measurements; predictions beside them |
//! | `document.rs` | JSON that is written as it is made |
//! | `html/` | pages, from the templates in `crates/report/templates`, which escape what a model says |
//! | `bottleneck/` | the report of `narrows bottleneck` in all formats |
//!
//! What is new on a page is opened in a browser by `tests/tests/page.rs` or `report.rs`; what is new in JSON
//! (`json.rs`) has its place in `docs/src/reference/json.md` and in `docs/schemas`.

mod against;
mod automaton;
mod bottleneck;
mod chart;
mod columns;
mod diagram;
mod document;
mod error;
mod escape;
mod figures;
mod fits;
mod html;
mod json;
mod labels;
mod loss;
mod narration;
mod orbits;
mod pack;
mod plot;
pub mod profile;
mod rates;
mod report;
mod run;
#[cfg(test)]
mod samples;
mod sweep;
mod tables;
mod text;
mod trace_json;
mod trail;
mod units;
mod values;

/// What every page says in its head, so that it is known as one of ours: `templates/base.html` has it, before
/// the version.
pub const PAGE_MARK: &str = "<meta name=\"generator\" content=\"narrows ";

/// Returns how pictures look that are on a page without styles of their own.
pub fn drawing_style() -> String {
    [chart::STYLE, plot::STYLE, diagram::STYLE].concat()
}

pub use against::{Against, MeasuredFigure};
pub use automaton::{automaton, automaton_document};
pub use bottleneck::{Analysed, Column, Picture, StudyPage, compare, summary, without_style};
pub use chart::Chart;
pub use diagram::{Diagram, DiagramEdge, DiagramNode, NodeKind, dot as diagram_dot, svg as diagram_svg};
pub use document::Document;
pub use error::{StepError, TraceError, TrailError};
pub use figures::{Figures, result_text};
pub use fits::{Candidate, FittedKind, fit_picture, fits_text, fits_value};
pub use html::Page;
pub use json::{diagnostics as json_diagnostics, document, envelope, head, with_head};
pub use labels::{RecordedLabel, RecordedLabels, read_labels};
pub use narration::{chart_lines, drawing};
pub use narrows_model::decimals::{DIGITS, MAX_DIGITS, certain};
pub use rates::{AtTime, AtTimes, Bounds, LongRun, OnTheWay, Ranged, StateProbabilities};
pub use report::{Report, Unreached};
pub use run::{change_text as change_line, one_line};
pub use text::{check, explore};
pub use trace_json::{
    RecordedAtom, RecordedMove, RecordedRun, RecordedTrace, read_run, read_trace, trace_document,
};
pub use trail::{Trail, TrailEntry, read_trail, write_trail};
pub use units::{WIDEST, bytes, count, grouped, seconds};
