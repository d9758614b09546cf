//! Models: reading them, asking, visiting all states.

use std::path::PathBuf;
use std::sync::Arc;

use narrows::{
    Budget, CheckOptions, Choice, ExploreOptions, Formula, GraphError, Limit, Logic, Options, Reply, answer,
    explore, fault_diagnostic, read, render, selected, states,
};
use narrows_report::{Page, Report, document, json_diagnostics};
use pyo3::prelude::*;
use serde_json::json;

use crate::failure::{Failure, raise};
use crate::files::Files;
use crate::graph::{Graph, label_style};
use crate::work::{self, Limits};

/// What a model is made of.
#[derive(Clone)]
struct Text {
    name: String,
    content: String,
    definitions: Vec<String>,
    files: Files,
}

impl Text {
    /// Reads it, with formulas that are asked beside its own; also returns its warnings, as a document.
    fn read(&self, formulas: Vec<Formula>) -> Result<(narrows::Model, String), Failure> {
        let definitions = self.definitions.iter().map(|text| text.as_str().into()).collect();
        let options = Options { definitions, formulas };
        match read(&self.name, self.content.clone(), &self.files, &options) {
            Ok(read) => {
                let warnings = json_diagnostics(&self.name, &read.warnings, &read.model.sources, None);
                Ok((read.model, warnings.to_string()))
            }
            Err(rejected) => Err(Failure::rejected(&self.name, &rejected)),
        }
    }
}

/// A model that was read.
#[pyclass(frozen, module = "narrows._narrows")]
pub(crate) struct Model {
    pub(crate) inner: Arc<narrows::Model>,
    text: Option<Text>,
    warnings: String,
}

impl Model {
    /// Makes one of a model that has no text of its own.
    pub(crate) fn of(model: narrows::Model) -> Model {
        let warnings = json_diagnostics(&model.name, &[], &model.sources, None).to_string();
        Model { inner: Arc::new(model), text: None, warnings }
    }
}

/// Returns the engine of a name, as on the command line.
pub(crate) fn choice(name: &str) -> Result<Choice, Failure> {
    Ok(match name {
        "auto" => Choice::Automatic,
        "native" => Choice::Native,
        "interpreter" => Choice::Interpreter,
        "gpu" => Choice::Gpu,
        "symbolic" | "bdd" => Choice::Symbolic,
        "bmc" => Choice::Bounded,
        "induction" => Choice::Induction,
        "ic3" => Choice::Ic3,
        other => {
            let names = "`auto`, `native`, `interpreter`, `gpu`, `symbolic`, `bmc`, `induction` and `ic3`";
            return Err(Failure::Argument(format!("unknown engine `{other}`; there are {names}")));
        }
    })
}

fn formula((logic, text): (String, String)) -> Result<Formula, Failure> {
    let kind = match logic.as_str() {
        "ltl" => Logic::Ltl,
        "ctl" => Logic::Ctl,
        "mu" => Logic::Mu,
        other => return Err(Failure::Argument(format!("unknown logic `{other}`"))),
    };
    Ok(Formula { logic: kind, text, origin: logic })
}

/// What is to be answered, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    formulas: Vec<(String, String)>,
    only: Vec<String>,
    engine: String,
    fair: bool,
    runs: usize,
    reduction: bool,
}

/// How states are visited.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Visited {
    engine: String,
    reduce: bool,
    symmetry: bool,
}

#[pymethods]
impl Model {
    #[new]
    fn new(
        py: Python<'_>,
        name: String,
        text: String,
        definitions: Vec<String>,
        include: Vec<PathBuf>,
        limits: Limits,
    ) -> PyResult<Model> {
        let text = Text { name, content: text, definitions, files: Files(include) };
        let from = text.clone();
        let (model, warnings) = work::run(py, limits, None, move |_| from.read(Vec::new()))?.value;
        Ok(Model { inner: Arc::new(model), text: Some(text), warnings })
    }

    /// Returns its name, language and form, what its text asks, and its warnings, as documents.
    fn about(&self) -> (String, String) {
        let questions = self.inner.questions().into_iter();
        let questions = questions.map(|one| json!({ "kind": one.kind(), "name": one.name() }));
        let about = json!({
            "name": self.inner.name,
            "language": self.inner.language,
            "questions": questions.collect::<Vec<_>>(),
            "files": self.inner.sources.files().map(|(_, file)| file.name.clone()).collect::<Vec<_>>(),
        });
        (about.to_string(), self.warnings.clone())
    }

    /// Answers questions; the second result says whether Ctrl-C ended it.
    fn check(
        &self,
        py: Python<'_>,
        asked: Asked,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Checked, bool)> {
        let (model, text) = (Arc::clone(&self.inner), self.text.clone());
        let done = work::run(py, limits, progress, move |budget| {
            let engine = choice(&asked.engine)?;
            let formulas = asked.formulas.into_iter().map(formula).collect::<Result<Vec<_>, _>>()?;
            let model = match text {
                _ if formulas.is_empty() => model,
                Some(text) => Arc::new(text.read(formulas)?.0),
                None => {
                    let reason =
                        "formulas are for models that `load` reads: a study asks what it asks in its text";
                    return Err(Failure::Argument(reason.to_owned()));
                }
            };
            let questions = selected(model.questions(), &asked.only);
            let questions = questions.map_err(|why| Failure::Argument(why.to_string()))?;
            let (fair, more_runs, every_state) = (asked.fair, asked.runs, !asked.reduction);
            let options = CheckOptions { engine, fair, more_runs, every_state, ..CheckOptions::default() };
            let checked = answer(&model, &questions, &options, budget)?;
            Ok((model, checked))
        })?;
        let (model, checked) = done.value;
        Ok((Checked { model, found: checked, seconds: done.seconds }, done.is_interrupted))
    }

    /// Visits every state; the second result says whether Ctrl-C ended it.
    fn explore(
        &self,
        py: Python<'_>,
        visited: Visited,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Checked, bool)> {
        let model = Arc::clone(&self.inner);
        let done = work::run(py, limits, progress, move |budget: &Budget| {
            let Visited { engine, reduce, symmetry } = visited;
            let engine = choice(&engine)?;
            let options = ExploreOptions { engine, reduce, symmetry, ..ExploreOptions::default() };
            Ok(explore(&model, &options, budget)?)
        })?;
        let checked = Checked { model: Arc::clone(&self.inner), found: done.value, seconds: done.seconds };
        Ok((checked, done.is_interrupted))
    }

    /// Makes a graph of all states.
    fn graph(
        &self,
        py: Python<'_>,
        labels: &str,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Graph> {
        let style = label_style(labels).map_err(|failure| raise(py, failure))?;
        let model = Arc::clone(&self.inner);
        let done = work::run(py, limits, progress, move |budget| {
            let made = states(&model, style, budget)?;
            match made {
                Ok(made) => Ok(made.graph),
                Err(GraphError::Limit(limit)) => Err(Failure::Limit(limit.reason().to_owned())),
                Err(GraphError::Fault(fault)) => {
                    Err(Failure::Refused(render(&fault_diagnostic(&fault), &model.sources, false)))
                }
            }
        })?;
        Ok(Graph::of(self.inner.name.clone(), done.value))
    }
}

/// What was found about a model.
#[pyclass(frozen, module = "narrows._narrows")]
pub(crate) struct Checked {
    model: Arc<narrows::Model>,
    found: narrows::Checked,
    seconds: f64,
}

impl Checked {
    fn report<R>(&self, write: impl FnOnce(&Report<'_>) -> R) -> R {
        write(&Report::new(&self.model, &self.found, self.seconds))
    }

    fn limit(&self) -> Option<Limit> {
        self.found.limit
    }
}

#[pymethods]
impl Checked {
    /// Writes what `--format json` prints.
    fn document(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        work::deep(py, || {
            self.report(|report| {
                let mut bytes = Vec::new();
                // Memory takes everything.
                let _ = document(report).write(&mut bytes, 0);
                bytes
            })
        })
    }

    /// Writes what `narrows check` or `narrows explore` prints for people.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let is_asked = !self.found.replies.is_empty();
        work::deep(py, || {
            self.report(|report| {
                if is_asked { narrows_report::check(report) } else { narrows_report::explore(report) }
            })
        })
    }

    /// Writes a page for a browser.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        work::deep(py, || {
            self.report(|report| {
                let mut page = Page::default();
                page.add(report);
                page.write()
            })
        })
    }

    /// Returns the exit status that the program would have, and whether a limit was hit.
    fn status(&self) -> (u8, bool) {
        let is_limited = self.found.replies.iter().filter_map(Reply::limit).chain(self.limit()).next();
        self.report(|report| (report.status(), is_limited.is_some()))
    }
}

/// Returns the title and the text that explain the code of a message.
#[pyfunction]
pub(crate) fn explanation(code: &str) -> Option<(&'static str, &'static str)> {
    let mut all = narrows::explanations().into_iter();
    all.find(|one| one.code.eq_ignore_ascii_case(code)).map(|one| (one.title, one.text))
}
