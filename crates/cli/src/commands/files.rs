//! Files that `narrows check` writes beside its report.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use narrows::{Model, Trace, Verdict, accepts_spin_trail, spin_trail};
use narrows_report::{Document, Page, Report, drawing, trace_document};

use crate::watchdog;

/// Which files, and where.
#[derive(Args)]
pub(crate) struct Files {
    /// Save the first counterexample in this file, as JSON
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Save the report in this file, as a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Draw the first counterexample in this file, as a message sequence chart; of an SMV model, as a timing
    /// diagram; of labels, as states
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Save the first counterexample in this file, as a trail that SPIN replays
    #[arg(long, value_name = "FILE")]
    spin_trail: Option<PathBuf>,
}

/// So many bytes of a page are read to see whose it is.
const PAGE_HEAD: u64 = 4096;

/// Writes the files as reports come in.
pub(crate) struct Writer<'f> {
    files: &'f Files,
    page: Page,
    is_saved: bool,
}

impl Files {
    /// Returns where the page goes.
    pub(crate) fn html(&self) -> Option<&Path> {
        self.html.as_deref()
    }

    /// Returns whether counterexamples are to be saved by themselves.
    pub(crate) fn saves_runs(&self) -> bool {
        [&self.trace, &self.svg, &self.spin_trail].into_iter().any(Option::is_some)
    }

    /// Refuses what can't be written about a model.
    pub(crate) fn accepts(&self, model: &Model) -> anyhow::Result<()> {
        let accepted = self.spin_trail.as_ref().map_or(Ok(()), |_| accepts_spin_trail(model));
        accepted.map_err(|refusal| anyhow::anyhow!(refusal.reason))
    }

    pub(crate) fn writer(&self) -> anyhow::Result<Writer<'_>> {
        self.html.as_deref().map_or(Ok(()), check_page)?;
        Ok(Writer { files: self, page: Page::default(), is_saved: false })
    }
}

impl Writer<'_> {
    /// Writes what there is to say about one more model.
    pub(crate) fn add(&mut self, report: &Report<'_>) -> anyhow::Result<()> {
        if let Some(path) = &self.files.html {
            self.page.add(report);
            write(path, &self.page.write())?;
        }
        let mut runs = report.answers().filter_map(|answer| match &answer.verdict {
            Verdict::Fails { trace, .. } => Some((answer.question.kind(), &**trace)),
            _ => None,
        });
        match runs.next() {
            Some((kind, trace)) if !self.is_saved => {
                self.is_saved = true;
                self.first(report, kind, trace)
            }
            _ => Ok(()),
        }
    }

    /// Writes the first counterexample.
    fn first(&self, report: &Report<'_>, kind: &str, trace: &Trace) -> anyhow::Result<()> {
        let model = report.model;
        if let Some(path) = &self.files.trace {
            write_document(path, &trace_document(model, kind, trace))?;
        }
        if let Some(path) = &self.files.svg {
            write(path, &drawing(model, trace, &model.name))?;
        }
        if let Some(path) = &self.files.spin_trail {
            let trail = spin_trail(model, trace).map_err(|refusal| anyhow::anyhow!(refusal.reason))?;
            write(path, &trail)?;
        }
        Ok(())
    }
}

/// Refuses to write a page over a file that is something else. Told before the work begins, not after it.
pub(crate) fn check_page(path: &Path) -> anyhow::Result<()> {
    // Devices and pipes hold nothing that could be lost.
    if !path.metadata().is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(PAGE_HEAD).read_to_end(&mut start));
    read.with_context(|| format!("can't read `{}`", path.display()))?;
    let is_ours = start.is_empty() || String::from_utf8_lossy(&start).contains(narrows_report::PAGE_MARK);
    anyhow::ensure!(
        is_ours,
        "`{}` is not a page of narrows and is not overwritten; delete it, or choose another name",
        path.display()
    );
    Ok(())
}

/// Writes a document into a file, step by step.
fn write_document(path: &Path, document: &Document<'_>) -> anyhow::Result<()> {
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        document.write(&mut out, 0)?;
        out.write_all(b"\n")?;
        out.flush()
    };
    watchdog::uninterrupted(write).with_context(|| format!("can't write `{}`", path.display()))
}

/// Writes a file.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("can't write `{}`", path.display()))
}
