//! Graphs and Markov chains as plain arrays.

use std::sync::Arc;

use narrows::{LabelStyle, RateOptions, sparse_chain, steady, transient};
use narrows_lts::aut;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::{Failure, raise};
use crate::work::{self, Limits};

/// Returns what stands at the steps between two states, by its name on the command line.
pub(crate) fn label_style(name: &str) -> Result<LabelStyle, Failure> {
    Ok(match name {
        "text" => LabelStyle::Text,
        "label" => LabelStyle::Label,
        "channel" => LabelStyle::Channel,
        "inputs" => LabelStyle::Inputs,
        other => {
            let names = "`text`, `label`, `channel` and `inputs`";
            return Err(Failure::Argument(format!("unknown labels `{other}`; there are {names}")));
        }
    })
}

/// A labelled graph.
#[pyclass(frozen, module = "narrows._narrows")]
pub(crate) struct Graph {
    name: String,
    graph: Arc<narrows_lts::Graph>,
}

impl Graph {
    pub(crate) fn of(name: String, graph: narrows_lts::Graph) -> Graph {
        Graph { name, graph: Arc::new(graph) }
    }
}

fn integers(py: Python<'_>, values: impl IntoIterator<Item = u32>) -> Bound<'_, PyBytes> {
    let bytes: Vec<u8> = values.into_iter().flat_map(u32::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

fn numbers(py: Python<'_>, values: impl IntoIterator<Item = f64>) -> Bound<'_, PyBytes> {
    let bytes: Vec<u8> = values.into_iter().flat_map(f64::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

/// Sources, labels and targets of edges.
type Edges<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl Graph {
    /// Reads a graph in the format AUT.
    #[new]
    fn new(py: Python<'_>, name: String, text: String, limits: Limits) -> PyResult<Graph> {
        let about = name.clone();
        let done = work::run(py, limits, None, move |_| {
            let read = aut::read(&text);
            read.map_err(|error| {
                Failure::Argument(format!("`{about}` is not a graph in the format AUT: {error}"))
            })
        })?;
        Ok(Graph::of(name, done.value))
    }

    /// Returns its name, the number of states, the first one, and all labels.
    fn about(&self) -> (String, u32, u32, Vec<String>) {
        (self.name.clone(), self.graph.states(), self.graph.initial(), self.graph.labels().to_vec())
    }

    /// Returns the states that edges leave, their labels, and the states that they lead to.
    fn edges<'py>(&self, py: Python<'py>) -> Edges<'py> {
        let edges = self.graph.edges();
        let sources = integers(py, self.graph.all_edges().map(|(source, _)| source));
        let labels = integers(py, edges.iter().map(|edge| edge.label));
        (sources, labels, integers(py, edges.iter().map(|edge| edge.target)))
    }

    /// Writes it in the format AUT.
    fn aut(&self, py: Python<'_>) -> PyResult<String> {
        work::deep(py, || aut::write(&self.graph))
    }

    /// Returns its Markov chain.
    fn chain<'py>(
        &self,
        py: Python<'py>,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let graph = Arc::clone(&self.graph);
        let done = work::run(py, limits, progress, move |_| {
            sparse_chain(&graph).map_err(|error| Failure::Refused(error.to_string()))
        })?;
        let chain = done.value;
        let (first, shares): (Vec<u32>, Vec<f64>) = chain.initial.into_iter().unzip();
        let frequencies: Vec<Bound<'py, PyBytes>> =
            chain.frequencies.into_iter().map(|action| numbers(py, action)).collect();
        let made = (
            integers(py, chain.states),
            integers(py, chain.rows),
            integers(py, chain.columns),
            numbers(py, chain.rates),
            integers(py, first),
            numbers(py, shares),
            chain.actions,
            frequencies,
            chain.has_choices,
        );
        Ok(made.into_pyobject(py)?.into_any())
    }

    /// Computes how often each action happens: in the long run, or at given times. Returns a document.
    fn solve(
        &self,
        py: Python<'_>,
        times: Option<Vec<f64>>,
        accuracy: f64,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let (graph, name) = (Arc::clone(&self.graph), self.name.clone());
        let done = work::run(py, limits, progress, move |_| {
            let options = RateOptions { accuracy, states: true };
            let refuse = |error: narrows::RateError| Failure::Refused(error.to_string());
            Ok(match times {
                Some(times) => transient(&graph, &times, &options).map_err(refuse)?.report.document(&name),
                None => steady(&graph, &options).map_err(refuse)?.report.document(&name),
            })
        })?;
        if done.is_interrupted {
            return Err(raise(py, Failure::Limit("interrupted".to_owned())));
        }
        Ok(done.value.to_string())
    }
}
