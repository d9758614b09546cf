//! What commands that measure have in common: options, a model with questions, and how figures are reported.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::Args;
use narrows_explicit::Engine;
use narrows_model::{Coverage, Evaluator};
use narrows_report::{Figures, Report, json_diagnostics};
use narrows_source::{Diagnostics, Sources};
use narrows_study::{Study, View, measure, prepare, read, simulate};
use serde_json::Value;

use crate::input::{Disk, read_text, unreadable};
use crate::limits::{self, Clock};
use crate::output::{self, Format};

/// What may be used, and how figures are written.
#[derive(Args)]
pub(crate) struct Options {
    /// Show the runs that show the figures
    #[arg(long)]
    pub(crate) runs: bool,

    /// Choose how the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,

    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,

    /// Use at most this much memory, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Stop after this time, such as 90s, 5m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = limits::parse_time)]
    pub(crate) time: Option<std::time::Duration>,

    /// Show neither progress nor warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How questions are answered.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// By looking at everything.
    Whole,
    /// By a random run in which so many delays end.
    Random { view: View, ends: u64, seed: u64 },
}

/// What is to be said, and the exit status.
pub(super) struct Said {
    status: u8,
    text: String,
    document: Value,
}

impl Options {
    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Makes the options of a command that has few of its own.
    pub(super) fn plain(include: &[PathBuf], quiet: bool) -> Options {
        let (runs, format, include) = (false, Format::Text, include.to_vec());
        Options { runs, format, include, memory: None, time: None, quiet }
    }

    /// Reads a study and answers its questions. Definitions are constants that the user gives other values.
    pub(super) fn answer_study(
        &self,
        path: &Path,
        definitions: &[String],
        way: Way,
        interrupted: &Arc<AtomicBool>,
    ) -> anyhow::Result<Said> {
        let name = path.display().to_string();
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
        let file = sources.add(name.clone(), text);
        let mut study = read(&sources, file, &mut diagnostics);
        for definition in definitions {
            let (constant, value) = definition.split_once('=').context("write -D NAME=VALUE")?;
            study.constants.retain(|(name, _)| name != constant);
            study.constants.push((constant.to_owned(), value.to_owned()));
        }
        let model = study.model.as_ref().map(|model| path.with_file_name(&model.text));
        self.answer(&name, &study, model.as_deref(), sources, diagnostics, way, interrupted)
    }

    /// Answers the questions of a study about a model. The diagnostics are what was wrong with the study so far.
    pub(super) fn answer(
        &self,
        name: &str,
        study: &Study,
        model: Option<&Path>,
        mut sources: Sources,
        mut diagnostics: Diagnostics,
        way: Way,
        interrupted: &Arc<AtomicBool>,
    ) -> anyhow::Result<Said> {
        let prepared = match model {
            Some(path) if !diagnostics.has_errors() => {
                let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
                let model = sources.add(path.display().to_string(), text);
                prepare(study, &mut sources, model, &Disk { folders: &self.include }, &mut diagnostics)
            }
            _ => None,
        };
        let messages = diagnostics.sorted();
        if prepared.is_none() || !self.quiet {
            output::diagnostics(&messages, &sources);
        }
        let Some(prepared) = prepared else {
            let document = json_diagnostics(name, &messages, &sources, None);
            return Ok(Said { status: 2, text: String::new(), document });
        };
        let clock = Clock::with(self.time, self.memory, self.quiet, interrupted);
        let engine = Engine::automatic(Evaluator::new(&prepared.system));
        let measured = match way {
            Way::Whole => measure(study, &prepared, &engine, &clock.budget()),
            Way::Random { view, ends, seed } => {
                simulate(study, &prepared, &engine, &clock.budget(), view, ends, seed)
            }
        };
        let seconds = clock.finish();
        let coverage = Coverage::default();
        let report = Report {
            model: name,
            evaluator: Evaluator::new(&prepared.system),
            sources: &sources,
            coverage: &coverage,
            seconds,
            limit: None,
            problems: Vec::new(),
            answers: &[],
        };
        let sizes = measured.sizes.iter().map(|size| (size.view, size.states, size.transitions)).collect();
        let figures = Figures { name, title: &study.title, figures: &measured.figures, sizes, report };
        let (text, document) = match self.format {
            Format::Json => (String::new(), figures.document()),
            Format::Text => (figures.text(self.runs), Value::Null),
        };
        Ok(Said { status: figures.status(), text, document })
    }

    /// Prints what is to be said; returns the exit status.
    pub(super) fn print(&self, said: Vec<Said>) -> anyhow::Result<u8> {
        let statuses: Vec<u8> = said.iter().map(|one| one.status).collect();
        if self.is_json() {
            let mut documents: Vec<Value> = said.into_iter().map(|one| one.document).collect();
            let document = match documents.len() {
                1 => documents.remove(0),
                _ => serde_json::json!({
                    "schema": 1, "tool": format!("narrows {}", env!("CARGO_PKG_VERSION")), "models": documents,
                }),
            };
            output::print_json(&document)?;
        } else {
            let texts: Vec<String> =
                said.into_iter().map(|one| one.text).filter(|text| !text.is_empty()).collect();
            output::print(&texts.join("\n"))?;
        }
        Ok(if statuses.contains(&1) { 1 } else { statuses.into_iter().max().unwrap_or(0) })
    }
}
