//! Studies: questions about time, sweeps, bottlenecks, chains.

use std::path::PathBuf;

use narrows::{Loader, PreparedStudy, StudyFindings, StudyTask, StudyText, process_diagrams};
use narrows_model::Bottleneck;
use narrows_report::{Analysed, Document, StudyPage, json_diagnostics};
use narrows_study::StudyEngine;
use pyo3::prelude::*;
use serde_json::json;

use crate::failure::Failure;
use crate::files::Files;
use crate::graph::Graph;
use crate::model::{Model, choice};
use crate::work::{self, Limits};

/// What a study is made of. It is put together anew for each piece of work, so that nothing is shared.
#[derive(Clone)]
struct Text {
    name: String,
    content: String,
    /// The name and the text of the model, if they are given beside the study.
    model: Option<(String, String)>,
    definitions: Vec<(String, String)>,
    changes: Vec<String>,
    files: Files,
}

impl Text {
    fn prepare(&self) -> Result<PreparedStudy, Failure> {
        let mut study = StudyText::read(&self.name, self.content.clone());
        for (name, value) in &self.definitions {
            study.define(name, value);
        }
        for change in &self.changes {
            study.change(change).map_err(|why| Failure::Argument(why.to_string()))?;
        }
        let prepared = match (&self.model, study.model()) {
            (Some(model), _) => study.prepare(Some(model.clone()), &self.files),
            (None, None) => study.prepare(None, &self.files),
            (None, Some(file)) => {
                let file = file.to_owned();
                let loaded = narrows::Loader::load(&self.files, &file, &self.name, false);
                let loaded = loaded.map_err(|reason| {
                    Failure::of_study(&self.name, &narrows::StudyError::NoModel { name: file, reason })
                })?;
                study.prepare(Some((loaded.name, loaded.text)), &self.files)
            }
        };
        prepared.map_err(|rejected| Failure::rejected(&self.name, &rejected))
    }
}

/// A study that was read.
#[pyclass(frozen, module = "narrows._narrows")]
pub(crate) struct Study {
    text: Text,
    about: String,
    warnings: String,
}

/// What is to be done with a study.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    /// Who answers what is asked about time.
    time_engine: String,
    /// Who answers what is asked of the model as such.
    engine: String,
    /// Whether the bottleneck is looked for.
    bottleneck: bool,
    /// Whether what the study varies is varied.
    sweep: bool,
}

fn time_engine(name: &str) -> Result<StudyEngine, Failure> {
    Ok(match name {
        "automatic" => StudyEngine::Automatic,
        "exact" => StudyEngine::Exact,
        "simulation" => StudyEngine::Simulation,
        other => {
            let names = "`automatic`, `exact` and `simulation`";
            return Err(Failure::Argument(format!("unknown engine `{other}`; there are {names}")));
        }
    })
}

#[pymethods]
impl Study {
    #[new]
    #[pyo3(signature = (name, text, model, definitions, changes, include, limits))]
    fn new(
        py: Python<'_>,
        name: String,
        text: String,
        model: Option<(String, String)>,
        definitions: Vec<(String, String)>,
        changes: Vec<String>,
        include: Vec<PathBuf>,
        limits: Limits,
    ) -> PyResult<Study> {
        let text = Text { name, content: text, model, definitions, changes, files: Files(include) };
        let from = text.clone();
        let done = work::run(py, limits, None, move |_| {
            let prepared = from.prepare()?;
            let study = &prepared.study;
            let about = json!({
                "name": prepared.name,
                "title": study.title,
                "model": study.model.as_ref().map(|model| model.text.clone()),
                "unit": study.unit,
                "questions": study.asks.iter().map(|ask| ask.name.clone()).collect::<Vec<_>>(),
                "delays": study.delays.iter().map(|one| one.place.text.clone()).collect::<Vec<_>>(),
                "events": study.events.iter().map(|(name, _)| name.text.clone()).collect::<Vec<_>>(),
                "combinations": study.variants().len(),
            });
            let warnings = json_diagnostics(&prepared.name, &prepared.warnings, &prepared.sources, None);
            Ok((about.to_string(), warnings.to_string()))
        })?;
        let (about, warnings) = done.value;
        Ok(Study { text, about, warnings })
    }

    /// Returns what it is about, and its warnings, as documents.
    fn about(&self) -> (String, String) {
        (self.about.clone(), self.warnings.clone())
    }

    /// Returns its model.
    fn model(&self, py: Python<'_>, limits: Limits) -> PyResult<Model> {
        let text = self.text.clone();
        let done = work::run(py, limits, None, move |_| Ok(text.prepare()?.model()))?;
        Ok(Model::of(done.value))
    }

    /// Answers its questions; the second result says whether Ctrl-C ended it.
    fn measure(
        &self,
        py: Python<'_>,
        wanted: Wanted,
        limits: Limits,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Measured, bool)> {
        let text = self.text.clone();
        let done = work::run(py, limits, progress, move |budget| {
            let mut study = text.prepare()?;
            study.engine = choice(&wanted.engine)?;
            study.study.simulation.engine = time_engine(&wanted.time_engine)?;
            if let Some(error) = study.nothing_asked().filter(|_| !wanted.bottleneck) {
                let (sources, diagnostics) = (study.sources, vec![error]);
                return Err(Failure::rejected(&study.name, &narrows::Rejected { sources, diagnostics }));
            }
            let task = if wanted.bottleneck { StudyTask::Bottleneck } else { StudyTask::Measure };
            let sweep = wanted.sweep.then_some(&text.files as &dyn Loader);
            Ok(study.find(task, sweep, budget)?)
        })?;
        let measured = Measured(StudyFindings { seconds: done.seconds, ..done.value });
        Ok((measured, done.is_interrupted))
    }

    /// Returns the stochastic view as a graph with rates.
    fn chain(&self, py: Python<'_>, limits: Limits, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Graph> {
        let text = self.text.clone();
        let done = work::run(py, limits, progress, move |budget| Ok(text.prepare()?.chain(budget)?))?;
        Ok(Graph::of(self.text.name.clone(), done.value))
    }
}

/// Writes a document as a text.
fn written(document: &Document<'_>) -> String {
    let mut bytes = Vec::new();
    // Memory takes everything.
    let _ = document.write(&mut bytes, 0);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a study came to.
#[pyclass(frozen, module = "narrows._narrows")]
pub(crate) struct Measured(StudyFindings);

#[pymethods]
impl Measured {
    /// Writes what `--format json` prints, and what is wrong with some combinations of a sweep.
    fn document(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let StudyFindings { model, wrong, .. } = &self.0;
        let wrong = json_diagnostics(&model.name, wrong, &model.sources, None).to_string();
        let written = work::deep(py, || match self.0.analysed() {
            Some(analysed) => written(&analysed.document()),
            None => written(&self.0.figures().document()),
        })?;
        Ok((written, wrong))
    }

    /// Writes what `narrows measure` or `narrows bottleneck` prints for people.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        work::deep(py, || match self.0.analysed() {
            Some(analysed) => analysed.text(),
            None => self.0.figures().text(false),
        })
    }

    /// Writes a page for a browser.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        work::deep(py, || {
            let StudyFindings { study, model, bottleneck, .. } = &self.0;
            let none = Bottleneck::default();
            let diagrams = bottleneck.as_ref().and_then(|_| process_diagrams(model)).unwrap_or_default();
            let (figures, unit) = (self.0.figures(), &study.unit);
            let mut page = StudyPage::default();
            let bottleneck = bottleneck.as_ref().unwrap_or(&none);
            page.add(&Analysed { figures, unit, bottleneck }, &diagrams);
            page.write()
        })
    }

    /// Draws the charts of a bottleneck: names and SVG.
    fn charts(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        work::deep(py, || {
            let charts = self.0.analysed().map(|analysed| analysed.charts());
            charts.into_iter().flatten().map(|chart| (chart.name, chart.svg)).collect()
        })
    }

    /// Returns the exit status that the program would have, and whether a limit was hit.
    fn status(&self, py: Python<'_>) -> PyResult<(u8, bool)> {
        work::deep(py, || {
            let status = self.0.analysed().map_or_else(|| self.0.figures().status(), |found| found.status());
            (status, self.0.limits().next().is_some())
        })
    }
}
