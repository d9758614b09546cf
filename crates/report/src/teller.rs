//! Runs of a model, told in the way of its kind.

use narrows_model::synchronous::{Signal, SynchronousSystem};
use narrows_model::{SetSize, Trace};
use narrows_source::Sources;
use serde_json::Value;

use crate::chart::Chart;
use crate::{Report, labels, machine, run, trace_json};

/// Who tells the runs of a model.
#[derive(Clone, Debug)]
pub enum Teller<'a> {
    /// Of processes: statements, and what they change.
    Processes(Report<'a>),
    /// Of a synchronous system: the values of variables, and what each step changes. Pictures show these signals, or the
    /// variables that change if there are none.
    Machine(&'a SynchronousSystem, &'a Sources, &'a [Signal]),
    /// Of processes whose steps have labels: these.
    Labels(&'a Sources),
}

impl<'a> Teller<'a> {
    /// Returns the texts of the model.
    pub(crate) fn sources(&self) -> &'a Sources {
        match self {
            Teller::Processes(report) => report.sources,
            Teller::Machine(_, sources, _) | Teller::Labels(sources) => sources,
        }
    }

    /// Returns how many states were covered as sets, and the memory for that, if they were.
    pub(crate) fn sets(&self) -> Option<(&'a SetSize, u64)> {
        match self {
            Teller::Processes(report) => Some((report.coverage.sets.as_ref()?, report.coverage.bytes)),
            Teller::Machine(..) | Teller::Labels(_) => None,
        }
    }

    /// Writes a run as text.
    pub(crate) fn steps(&self, trace: &Trace, text: &mut String) {
        match self {
            Teller::Processes(report) => run::steps(report, trace, text),
            Teller::Machine(system, ..) => machine::run_text(system, trace, text),
            Teller::Labels(_) => labels::steps(trace, text),
        }
    }

    /// Writes a run as JSON.
    pub(crate) fn value(&self, trace: &Trace) -> Value {
        match self {
            Teller::Processes(report) => trace_json::trace_value(report.evaluator, report.sources, trace),
            Teller::Machine(system, sources, _) => machine::trace_value(system, sources, trace),
            Teller::Labels(_) => labels::trace_value(trace),
        }
    }

    /// Draws a run, if there is something to draw.
    pub(crate) fn picture(&self, trace: &Trace, title: &str) -> Option<String> {
        match self {
            Teller::Processes(report) => {
                let chart = Chart::of(report.evaluator, trace);
                chart.has_messages().then(|| chart.svg(title))
            }
            Teller::Machine(system, _, signals) => Some(machine::run_picture(system, signals, trace, title)),
            Teller::Labels(_) => None,
        }
    }
}
