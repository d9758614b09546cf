//! `narrows bottleneck`: what limits a design, and what would help.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::Args;
use narrows::{StudyTask, process_diagrams};
use narrows_report::{Analysed, Column, Picture, StudyPage, compare, summary};

use super::figures::{Options, TimeEngine, print};
use super::files::{check_page, write};
use crate::input::expand;
use crate::limits::interrupt_flag;
use crate::output::{self, Outcome};

const EXAMPLES: &str = "\
Examples:
  narrows bottleneck examples/myrinet                    every study of a folder, side by side
  narrows bottleneck lcp.toml mcp.toml                   two studies side by side
  narrows bottleneck study.toml --what-if dma:done=100   what if a delay were another?
  narrows bottleneck study.toml --what-if BUFFERS=2      what if a constant were another?";

/// So many studies are put side by side in a terminal.
const SIDE_BY_SIDE: usize = 3;

/// Find the bottleneck: what overlaps, what is saturated, how fast it is, and what would help
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Study files, or folders: every .toml file in them
    #[arg(required = true, value_name = "STUDY")]
    files: Vec<PathBuf>,

    /// Override the value that the study gives to a constant of the model
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,

    /// Give a delay or a constant another value, and compare the results side by side
    #[arg(long, value_name = "NAME=VALUE")]
    what_if: Vec<String>,

    /// Write the report to this file, a page for a browser
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    report: PathBuf,

    /// Write no report
    #[arg(long, conflicts_with = "report")]
    no_report: bool,

    /// Write each chart to this folder, as SVG
    #[arg(long, value_name = "DIR")]
    charts: Option<PathBuf>,

    /// Choose how questions about time are answered
    #[arg(long, value_name = "ENGINE", default_value = "automatic")]
    engine: TimeEngine,

    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    if !arguments.no_report {
        check_page(&arguments.report)?;
    }
    let interrupted = interrupt_flag()?;
    let mut work =
        Work { arguments, interrupted, said: Vec::new(), columns: Vec::new(), page: StudyPage::default() };
    let studies = expand(&arguments.files, &["toml"])?;
    let columns = if arguments.what_if.is_empty() { 1 } else { 2 };
    arguments.options.begin(studies.len() * columns)?;
    for path in studies {
        work.study(&path, &[])?;
        if !arguments.what_if.is_empty() {
            work.study(&path, &arguments.what_if)?;
        }
    }
    if work.columns.len() > 1 && !arguments.options.is_json() {
        let note = |text: String| Outcome { status: 0, text };
        work.said.insert(0, note(summary(&work.columns)));
        // More than a few side by side do not fit on a screen; the report has them all.
        if work.columns.len() <= SIDE_BY_SIDE {
            work.said.push(note(compare(&work.columns)));
        }
    }
    let status = print(work.said)?;
    if !arguments.no_report && !work.columns.is_empty() {
        output::note(&format!("the report is in {}", arguments.report.display()));
    }
    Ok(status)
}

/// What was done so far.
struct Work<'w> {
    arguments: &'w Arguments,
    interrupted: Arc<AtomicBool>,
    said: Vec<Outcome>,
    columns: Vec<Column>,
    page: StudyPage,
}

impl Work<'_> {
    /// Analyses a study, with some delays and constants changed.
    fn study(&mut self, path: &Path, changes: &[String]) -> anyhow::Result<()> {
        let options = &self.arguments.options;
        let mut prepared = match options.load(path, &self.arguments.definitions, changes)? {
            Ok(prepared) => prepared,
            Err(said) => {
                self.said.push(said);
                return Ok(());
            }
        };
        prepared.study.simulation.engine = self.arguments.engine.choice();
        let clock = options.clock(&prepared.name, &self.interrupted);
        let found = match options.find(&mut prepared, StudyTask::Bottleneck, &clock)? {
            Ok(found) => found,
            Err(said) => {
                self.said.push(said);
                return Ok(());
            }
        };
        let bottleneck = found.bottleneck.clone().unwrap_or_default();
        let (figures, unit) = (options.figures(&found), &found.study.unit);
        let analysed = Analysed { figures, unit, bottleneck: &bottleneck };
        let said = Outcome::new(analysed.status(), || analysed.text(), || analysed.document());
        if !self.arguments.no_report {
            let diagrams = process_diagrams(&found.model).unwrap_or_default();
            self.page.add(&analysed, &diagrams);
        }
        let charts = if self.arguments.charts.is_some() { analysed.charts() } else { Vec::new() };
        self.said.push(said?);
        self.columns.push(analysed.column());
        // After each study, so that it is there even if the next one takes too long.
        if !self.arguments.no_report {
            write(&self.arguments.report, &self.page.write())?;
        }
        if let Some(folder) = &self.arguments.charts {
            self.save(folder, path, &charts)?;
        }
        Ok(())
    }

    /// Saves charts under the name of their study.
    fn save(&self, folder: &Path, study: &Path, charts: &[Picture]) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).with_context(|| format!("can't make `{}`", folder.display()))?;
        let stem = study.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        // With changed delays there are several columns of the same study.
        let number = if self.arguments.what_if.is_empty() {
            String::new()
        } else {
            format!("-{}", self.columns.len())
        };
        for chart in charts {
            write(&folder.join(format!("{stem}{number}-{}.svg", chart.name)), &chart.svg)?;
        }
        Ok(())
    }
}
