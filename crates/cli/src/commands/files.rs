//! Files that `narrows check` writes beside its report.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use narrows_model::{Trace, Verdict};
use narrows_report::{
    Chart, MachineReport, Page, RecordedLabels, Report, StudyPage, labels_document, machine_picture,
    machine_trace_document, trace_document, write_trail,
};

use crate::input::Model;
use crate::machines::MachineModel;

/// Which files, and where.
#[derive(Args)]
pub(crate) struct Files {
    /// Save the first counterexample in this file, as JSON
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Save the report in this file, as a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Draw the first counterexample in this file, as a message sequence chart; of an SMV model, as a timing diagram
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Save the first counterexample in this file, as a trail that SPIN replays
    #[arg(long, value_name = "FILE")]
    spin_trail: Option<PathBuf>,
}

/// Why there is no page.
const ONE_KIND: &str =
    "a page is about models of one kind: check Promela and SMV models by themselves with --html";

/// Writes the files as reports come in.
pub(crate) struct Writer<'f> {
    files: &'f Files,
    page: Page,
    /// What there is to say about synchronous models goes to a page of another kind.
    machines: Option<StudyPage>,
    is_saved: bool,
}

impl Files {
    /// Returns whether something is to be drawn, or written as a page.
    pub(crate) fn wants_pictures(&self) -> bool {
        self.html.is_some() || self.svg.is_some()
    }

    /// Returns whether a trail is to be written.
    pub(crate) fn wants_trail(&self) -> bool {
        self.spin_trail.is_some()
    }

    /// Returns where the page goes.
    pub(crate) fn html(&self) -> Option<&Path> {
        self.html.as_deref()
    }

    pub(crate) fn writer(&self) -> Writer<'_> {
        Writer { files: self, page: Page::default(), machines: None, is_saved: false }
    }
}

impl Writer<'_> {
    /// Writes what there is to say about one more model.
    pub(crate) fn add(&mut self, model: &Model, report: &Report<'_>) -> anyhow::Result<()> {
        if let Some(path) = &self.files.html {
            anyhow::ensure!(self.machines.is_none(), ONE_KIND);
            self.page.add(report);
            write(path, &self.page.write())?;
        }
        let mut runs = report.answers.iter().filter_map(|answer| match &answer.verdict {
            Verdict::Fails { trace, .. } => Some((answer.question.kind(), &**trace)),
            _ => None,
        });
        match runs.next() {
            Some((kind, trace)) if !self.is_saved => {
                self.is_saved = true;
                self.first(model, report, kind, trace)
            }
            _ => Ok(()),
        }
    }

    /// Writes what there is to say about one more synchronous model.
    pub(crate) fn add_machine(
        &mut self,
        model: &MachineModel,
        report: &MachineReport<'_>,
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.files.html {
            anyhow::ensure!(self.page.is_empty(), ONE_KIND);
            let page = self.machines.get_or_insert_default();
            report.add_to(page);
            write(path, &page.write())?;
        }
        let Some((kind, trace)) = report.first_failure().filter(|_| !self.is_saved) else { return Ok(()) };
        self.is_saved = true;
        let machine = &model.compiled.system;
        if let Some(path) = &self.files.trace {
            let (name, sources) = (&model.name, &model.sources);
            let document = machine_trace_document(name, kind, trace, machine, sources, &model.definitions);
            write(path, &format!("{document:#}\n"))?;
        }
        if let Some(path) = &self.files.svg {
            write(path, &machine_picture(machine, trace, &model.name))?;
        }
        Ok(())
    }

    /// Writes a run of a LOTOS model against something of this kind.
    pub(crate) fn add_labels(&mut self, model: &str, kind: &str, run: &RecordedLabels) -> anyhow::Result<()> {
        match &self.files.trace {
            Some(path) if !self.is_saved => {
                self.is_saved = true;
                write(path, &format!("{:#}\n", labels_document(model, kind, run)))
            }
            _ => Ok(()),
        }
    }

    /// Writes the first counterexample.
    fn first(&self, model: &Model, report: &Report<'_>, kind: &str, trace: &Trace) -> anyhow::Result<()> {
        let evaluator = report.evaluator;
        if let Some(path) = &self.files.trace {
            let document =
                trace_document(&model.name, kind, trace, evaluator, &model.sources, &model.definitions);
            write(path, &format!("{document:#}\n"))?;
        }
        if let Some(path) = &self.files.svg {
            write(path, &Chart::of(evaluator, trace).svg(&model.name))?;
        }
        if let Some(path) = &self.files.spin_trail {
            write(path, &write_trail(evaluator.system(), trace))?;
        }
        Ok(())
    }
}

/// Writes a file.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("can't write `{}`", path.display()))
}
