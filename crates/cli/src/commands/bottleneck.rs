//! `narrows bottleneck`: what limits a design, and what would help.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use narrows_explicit::Engine;
use narrows_model::Evaluator;
use narrows_report::{Analysed, Column, compare};
use narrows_study::analyse;
use serde_json::Value;

use super::figures::{Options, Said};
use crate::input::expand;
use crate::limits::interrupt_flag;

const EXAMPLES: &str = "\
Examples:
  narrows bottleneck examples/myrinet                    every study of a folder, and all side by side
  narrows bottleneck lcp.toml mcp.toml                   two studies side by side
  narrows bottleneck study.toml --what-if \"dma:done=100\"  what if something took another time?";

/// Find the bottleneck: what overlaps, what is saturated, how fast it is, and what would help
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Study files, or folders: every .toml file in them
    #[arg(required = true, value_name = "STUDY")]
    files: Vec<PathBuf>,

    /// Give a constant of the model another value than the study
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,

    /// Give a statement another delay, and put what comes out beside what came out before
    #[arg(long, value_name = "PROCTYPE:LABEL=TIME")]
    what_if: Vec<String>,

    #[command(flatten)]
    options: Options,
}

impl Arguments {
    pub(crate) fn is_json(&self) -> bool {
        self.options.is_json()
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let interrupted = interrupt_flag()?;
    let mut work = Work { arguments, interrupted, said: Vec::new(), columns: Vec::new() };
    for path in expand(&arguments.files, "toml")? {
        work.study(&path, &[])?;
        if !arguments.what_if.is_empty() {
            work.study(&path, &arguments.what_if)?;
        }
    }
    if work.columns.len() > 1 && !arguments.is_json() {
        work.said.push(Said { status: 0, text: compare(&work.columns), document: Value::Null });
    }
    arguments.options.print(work.said)
}

/// What was done so far.
struct Work<'w> {
    arguments: &'w Arguments,
    interrupted: Arc<AtomicBool>,
    said: Vec<Said>,
    columns: Vec<Column>,
}

impl Work<'_> {
    /// Analyses a study, with some delays changed.
    fn study(&mut self, path: &Path, changes: &[String]) -> anyhow::Result<()> {
        let options = &self.arguments.options;
        let mut loaded = match options.load(path, &self.arguments.definitions, changes)? {
            Ok(loaded) => loaded,
            Err(said) => {
                self.said.push(said);
                return Ok(());
            }
        };
        if !changes.is_empty() {
            loaded.name = format!("{} with {}", loaded.name, changes.join(", "));
            // What is expected is expected of the study as it is.
            loaded.study.asks.iter_mut().for_each(|ask| ask.expect = None);
        }
        let clock = options.clock(&self.interrupted);
        let analysis = {
            let engine = Engine::automatic(Evaluator::new(&loaded.prepared.system));
            analyse(&loaded.study, &loaded.prepared, &engine, &clock.budget())
        };
        let points = options.sweep(&loaded.study, &mut loaded.sources, loaded.model, &clock);
        let seconds = clock.finish();
        let (said, column) = loaded.report(&analysis.measured, &points, seconds, |figures| {
            let analysed = Analysed { figures, unit: &loaded.study.unit, bottleneck: &analysis.bottleneck };
            let status = analysed.status();
            let said = if options.is_json() {
                Said { status, text: String::new(), document: analysed.document() }
            } else {
                Said { status, text: analysed.text(), document: Value::Null }
            };
            (said, analysed.column())
        });
        self.said.push(said);
        self.columns.push(column);
        Ok(())
    }
}
