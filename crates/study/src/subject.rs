//! What a study is about: one of the kinds of models. Who answers a question is decided here, and nowhere
//! else.

use std::borrow::Cow;
use std::sync::Arc;

use narrows_explicit::{Budget, Engine, Quotient, Share};
use narrows_languages::identify;
use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Evaluator, Form, FormKind, Model};
use narrows_performance::simulation::Effort;
use narrows_performance::{Delay, Distribution, Time};
use narrows_source::{Diagnostic, Diagnostics, FileId, LoadError, Loader, Sources};
use thiserror::Error;

use crate::accepts::accepts;
use crate::file::Samples;
use crate::fit::{LogError, converted, read_log};
use crate::growth::{explain_limits, explain_limits_of};
use crate::labelled::prepare_labelled;
use crate::measure::equal_parts::{equal_parts, with_readers};
use crate::measure::{Bench, Equal, Estimation, Workbench, analyse, measure, of_verdicts, on_graph};
use crate::prepare::prepare;
use crate::synchronous::{self, GraphSource, SynchronousBench, SynchronousStudy};
use crate::verdicts::Verdicts;
use crate::{Analysis, Ask, LabelledStudy, Measured, ProcessStudy, Question, Study, View};

/// A model, put together with the study that is about it.
#[derive(Debug)]
pub enum Subject {
    /// Processes with statements, some of which take time.
    Processes(Box<ProcessStudy>),
    /// A synchronous system: one step is one unit of time.
    Synchronous(Box<SynchronousStudy>),
    /// Processes whose steps have labels, some of which take time.
    Labelled(Box<LabelledStudy>),
}

/// Reads the times of those delays that were measured.
fn with_samples<'s>(
    study: &'s Study,
    sources: &Sources,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Cow<'s, Study> {
    if study.delays.iter().all(|entry| entry.samples.is_none()) {
        return Cow::Borrowed(study);
    }
    let mut study = study.clone();
    for entry in &mut study.delays {
        let Some(Samples { file, column }) = &entry.samples else { continue };
        let column = column.as_ref().map(|column| column.text.as_str());
        let found = match column {
            Some(column) => {
                of_column(&file.text, column, &study.unit, &sources.file(file.span.file).name, loader)
            }
            None => samples(&file.text, &sources.file(file.span.file).name, loader),
        };
        match found {
            Ok(times) => {
                let mean = times.iter().sum::<f64>() / times.len() as f64;
                // As exact as it needs to be: it is no more than a hint.
                let mean = Time::new((mean * 1e6).round() as i128, 1_000_000);
                entry.delay = Delay::Drawn(mean, Distribution::Empirical(times.into()));
            }
            Err(error) => diagnostics.push(Diagnostic::error("S0005", file.span, error.to_string())),
        }
    }
    Cow::Owned(study)
}

/// Why there are no measured times.
#[derive(Debug, Error)]
enum SamplesError {
    #[error("`{file}` can't be read: {reason}")]
    Unreadable { file: String, reason: LoadError },
    #[error("line {line} of `{file}`: `{word}` is not a time")]
    NoTime { file: String, line: usize, word: String },
    #[error("`{0}` has no times above 0")]
    NothingLasts(String),
    #[error("`{file}`: {reason}")]
    NoLog { file: String, reason: LogError },
    #[error("`{file}` has no column `{column}`, but `{}`", known.join("`, `"))]
    NoColumn { file: String, column: String, known: Vec<String> },
}

/// Reads the times of one column of a log, as `narrows fit` reads it.
fn of_column(
    file: &str,
    column: &str,
    unit: &str,
    study: &str,
    loader: &dyn Loader,
) -> Result<Vec<f64>, SamplesError> {
    let unreadable = |reason| SamplesError::Unreadable { file: file.to_owned(), reason };
    let loaded = loader.load(file, study, false).map_err(unreadable)?;
    let no_log = |reason| SamplesError::NoLog { file: file.to_owned(), reason };
    let log = read_log(&loaded.text).map_err(no_log)?;
    let Some(found) = log.columns.iter().find(|one| one.name == column) else {
        let known = log.columns.iter().map(|column| column.name.clone()).collect();
        return Err(SamplesError::NoColumn { file: file.to_owned(), column: column.to_owned(), known });
    };
    let from = found.unit.as_deref();
    let times: Vec<f64> = found.sample.sorted().iter().map(|time| converted(*time, from, unit)).collect();
    if times.iter().all(|time| *time <= 0.0) {
        return Err(SamplesError::NothingLasts(file.to_owned()));
    }
    Ok(times)
}

/// Reads times from a file: numbers in the unit of the study, separated by commas, semicolons or blanks,
/// perhaps with a line of headings first.
fn samples(file: &str, study: &str, loader: &dyn Loader) -> Result<Vec<f64>, SamplesError> {
    let unreadable = |reason| SamplesError::Unreadable { file: file.to_owned(), reason };
    let loaded = loader.load(file, study, false).map_err(unreadable)?;
    let mut times = Vec::new();
    for (number, line) in loaded.text.lines().enumerate() {
        for word in line.split([',', ';', ' ', '\t']).filter(|word| !word.trim().is_empty()) {
            match word.trim().parse::<f64>() {
                Ok(time) if time.is_finite() && time >= 0.0 => times.push(time),
                Err(_) if number == 0 => {}
                _ => {
                    let (file, word) = (file.to_owned(), word.trim().to_owned());
                    return Err(SamplesError::NoTime { file, line: number + 1, word });
                }
            }
        }
    }
    if times.iter().all(|time| *time <= 0.0) {
        return Err(SamplesError::NothingLasts(file.to_owned()));
    }
    Ok(times)
}

impl Subject {
    /// Compiles the model of a study, and what the study says about it. `None` if something is wrong.
    pub fn prepare(
        study: &Study,
        sources: &mut Sources,
        model: FileId,
        loader: &dyn Loader,
        diagnostics: &mut Diagnostics,
    ) -> Option<Subject> {
        let study = &with_samples(study, sources, loader, diagnostics);
        let text = sources.file(model);
        match identify(&text.name, &text.text).language.form() {
            FormKind::Processes => {
                let prepared = prepare(study, sources, model, loader, diagnostics)?;
                Some(Subject::Processes(Box::new(prepared)))
            }
            FormKind::Synchronous => {
                let prepared = synchronous::prepare(study, sources, model, diagnostics)?;
                Some(Subject::Synchronous(Box::new(prepared)))
            }
            FormKind::Labelled => {
                let prepared = prepare_labelled(study, sources, model, loader, diagnostics)?;
                Some(Subject::Labelled(Box::new(prepared)))
            }
        }
    }

    /// Returns the form of the model.
    pub fn form(&self) -> FormKind {
        match self {
            Subject::Processes(_) => FormKind::Processes,
            Subject::Synchronous(_) => FormKind::Synchronous,
            Subject::Labelled(_) => FormKind::Labelled,
        }
    }

    /// Returns the language of the model.
    pub fn language(&self) -> &'static str {
        match self {
            Subject::Processes(_) => "Promela",
            Subject::Synchronous(_) => "SMV",
            Subject::Labelled(prepared) => prepared.language,
        }
    }

    /// Returns the model as its text has it: what the study asks is none of its questions.
    pub fn own_model(&self, name: &str, sources: &Sources) -> Model {
        let mut model = self.model(name, sources);
        match (&mut model.form, self) {
            (Form::Processes(system), Subject::Processes(prepared)) => {
                system.properties.truncate(prepared.own_properties);
            }
            (Form::Synchronous(system), Subject::Synchronous(prepared)) => {
                system.specifications.truncate(prepared.own_specifications);
            }
            (Form::Labelled(labelled), _) => labelled.formulas.clear(),
            _ => {}
        }
        model
    }

    /// Returns the model with what the study asks of it, as reports name it and with all texts.
    pub fn model(&self, name: &str, sources: &Sources) -> Model {
        let form = match self {
            Subject::Processes(prepared) => Form::Processes(Box::new(prepared.system.clone())),
            Subject::Synchronous(prepared) => {
                let system = prepared.system.clone();
                let signals = prepared.signals.clone();
                Form::Synchronous(Box::new(SynchronousSystem { signals, ..system }))
            }
            Subject::Labelled(prepared) => {
                let (system, formulas) = (Arc::clone(&prepared.system), prepared.formulas.clone());
                Form::Labelled(Box::new(narrows_model::Labelled { system, formulas }))
            }
        };
        let (name, sources, language) = (name.to_owned(), sources.clone(), self.language());
        Model { name, language, sources, definitions: Vec::new(), form }
    }

    /// Answers all questions of the study.
    pub fn measure(&self, study: &Study, budget: &Budget, verdicts: &dyn Verdicts) -> Measured {
        if let Subject::Labelled(prepared) = self
            && let Some(measured) = of_verdicts(study, prepared, budget, verdicts)
        {
            return measured;
        }
        let measured = self.on_bench(study, budget, verdicts, |bench, share| measure(study, bench, share));
        let mut measured = measured.unwrap_or_else(|nothing| nothing);
        if let Subject::Processes(prepared) = self {
            explain_limits(prepared, &budget.watch, &mut measured);
        }
        measured
    }

    /// Answers the questions of the study, and finds its bottleneck; at a first look, `tell` gets what is
    /// known before the means are.
    pub fn analyse(
        &self,
        study: &Study,
        budget: &Budget,
        verdicts: &dyn Verdicts,
        tell: &mut dyn FnMut(&Analysis),
    ) -> Analysis {
        let work = |bench: &mut dyn Bench, share: &Share| analyse(study, bench, share, tell);
        let analysis = self.on_bench(study, budget, verdicts, work);
        let nothing = |measured| Analysis { measured, ..Analysis::default() };
        let mut analysis = analysis.unwrap_or_else(nothing);
        if let Subject::Processes(prepared) = self {
            explain_limits_of(prepared, &budget.watch, &mut analysis);
        }
        analysis
    }

    /// Estimates the answers to all questions that simulation accepts, with delays drawn as a view takes
    /// them. It goes on until about so many delays have expired.
    pub fn estimate(
        &self,
        study: &Study,
        budget: &Budget,
        verdicts: &dyn Verdicts,
        view: View,
        (ends, seed): (u64, u64),
    ) -> Measured {
        let work = |bench: &mut dyn Bench, _: &Share| {
            let form = bench.form();
            let takes = |ask: &&Ask| accepts(form, &ask.question, View::Simulated).is_ok();
            let is_bottleneck = |ask: &&Ask| matches!(ask.question, Question::Bottleneck(_));
            let meant = study.asks.iter().filter(takes).filter(|ask| !is_bottleneck(ask));
            // What is expected is expected of `measure`.
            let asks = meant.map(|ask| Ask { expect: None, ..ask.clone() }).collect();
            let view = if view == View::Stochastic { view } else { View::Simulated };
            let mut estimation = Estimation::new(study, asks, view);
            // Intervals as narrow as the effort allows.
            estimation.effort = Effort { accuracy: 0.0, events: ends, seed };
            Measured {
                figures: bench.estimate(&estimation).into_iter().flatten().collect(),
                sizes: Vec::new(),
            }
        };
        self.on_bench(study, budget, verdicts, work).unwrap_or_else(|nothing| nothing)
    }

    /// Does something with what knows the views of the model; the error says why there are none.
    fn on_bench<T>(
        &self,
        study: &Study,
        budget: &Budget,
        verdicts: &dyn Verdicts,
        work: impl FnOnce(&mut dyn Bench, &Share) -> T,
    ) -> Result<T, Measured> {
        let share = Arc::new(Share::new(&budget.watch));
        let budget = Budget { watch: Arc::<Share>::clone(&share), ..budget.clone() };
        match self {
            Subject::Processes(prepared) => {
                let engine = Engine::automatic(Evaluator::new(&prepared.system));
                let system = with_readers(prepared);
                let forgetting = Engine::automatic(Evaluator::new(&system).forgetting());
                let symmetry = equal_parts(&system, prepared, &prepared.timing);
                let quotient = symmetry.as_ref().map(|symmetry| {
                    Quotient::new(if symmetry.forgets() { &forgetting } else { &engine }, symmetry)
                });
                let equal = Equal { system: &system, forgetting: &forgetting, quotient: quotient.as_ref() };
                Ok(work(&mut Workbench::new(study, prepared, &engine, &budget, verdicts, equal), &share))
            }
            Subject::Synchronous(prepared) => {
                let source = GraphSource::new(prepared);
                Ok(work(&mut SynchronousBench::new(study, prepared, budget, verdicts, &source), &share))
            }
            Subject::Labelled(prepared) => {
                on_graph(study, prepared, &budget, verdicts, |bench| work(bench, &share))
            }
        }
    }
}
