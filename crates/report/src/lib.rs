//! Answers as text, as JSON, as pages and as pictures. Returns strings; prints nothing.

mod automaton;
mod bottleneck;
mod chart;
mod diagram;
mod escape;
mod figures;
mod html;
mod json;
mod labels;
mod loss;
mod machine;
mod plot;
mod report;
mod run;
#[cfg(test)]
mod samples;
mod sweep;
mod tables;
mod teller;
mod text;
mod trace_json;
mod trail;
mod units;

pub use automaton::{automaton, automaton_document};
pub use bottleneck::{Analysed, Column, Picture, StudyPage, compare, summary};
pub use chart::Chart;
pub use diagram::{Diagram, DiagramEdge, DiagramNode, dot as diagram_dot, svg as diagram_svg};
pub use figures::{Figures, ViewSize};
pub use html::Page;
pub use json::{diagnostics as json_diagnostics, document};
pub use labels::{RecordedLabel, RecordedLabels, labels_document, read_labels};
pub use machine::{MachineReport, machine_picture};
pub use report::{Problem, Report, Unreached};
pub use run::{change_text as change_line, one_line};
pub use teller::Teller;
pub use text::{check, explore};
pub use trace_json::{
    RecordedAtom, RecordedMove, RecordedRun, RecordedTrace, machine_trace_document, read_run, read_trace,
    trace_document,
};
pub use trail::{Trail, TrailEntry, read_trail, write_trail};
pub use units::{WIDEST, bytes, count, grouped, seconds};
