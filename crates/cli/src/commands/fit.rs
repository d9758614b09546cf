//! `narrows fit`: the delay that fits measured durations.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use narrows_report::{Candidate, FittedKind, fit_picture, fits_text, fits_value, with_head};
use narrows_study::{Column, Log, read_log};
use serde_json::json;

use super::files::write;
use crate::input::{read_large_text, unreadable};
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  narrows fit examples/nvme/log.csv                          what fits each kind, ready for [delay]
  narrows fit examples/nvme/log.csv --kind channel:flash --svg flash.svg";

/// Find the delays that fit measured durations
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Comma-separated values: one column a kind, or `begin` and `end`, or `time` and `event`
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Look at this kind alone
    #[arg(long, value_name = "NAME")]
    kind: Option<String>,

    /// Draw the distribution of what was measured, and of the delay that fits, in this file; one kind only
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Choose how the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Quantiles that are shown, in percent.
const QUANTILES: [f64; 7] = [0.0, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0];

/// How many classes a histogram has at most.
const CLASSES: usize = 12;

/// How many points of a distribution are drawn.
const POINTS: usize = 100;

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let name = arguments.log.display().to_string();
    // Studies name files beside themselves.
    let file = arguments.log.file_name().map_or_else(String::new, |file| file.to_string_lossy().into_owned());
    let mut log = read(&arguments.log)?;
    if let Some(kind) = &arguments.kind {
        let known: Vec<String> = log.columns.iter().map(|column| column.name.clone()).collect();
        log.columns.retain(|column| column.name == *kind);
        anyhow::ensure!(
            !log.columns.is_empty(),
            "there is no kind `{kind}` in {name}; there are `{}`",
            known.join("`, `")
        );
    }
    let kinds: Vec<FittedKind> = log.columns.iter().map(|column| fitted(column, &file)).collect();
    if let Some(svg) = &arguments.svg {
        let [kind] = kinds.as_slice() else {
            return Err(anyhow!("--svg draws one kind: choose it with --kind"));
        };
        write(svg, &fit_picture(kind))?;
    }
    match arguments.format {
        Format::Text => output::print(&fits_text(&name, &kinds))?,
        Format::Json => {
            let content = json!({ "kinds": fits_value(&kinds), "open": log.open, "answers": [] });
            output::print_json(&with_head(&name, content))?;
        }
    }
    if log.open > 0 {
        output::note(&format!("{} begins have no end, and were left out", log.open));
    }
    Ok(0)
}

/// Reads a log.
pub(super) fn read(path: &std::path::Path) -> anyhow::Result<Log> {
    let text = read_large_text(path).map_err(|error| anyhow!(unreadable(path, &error)))?;
    read_log(&text).with_context(|| path.display().to_string())
}

/// Puts together what is told of a kind.
fn fitted(column: &Column, log: &str) -> FittedKind {
    let (sample, summary) = (&column.sample, column.sample.summary());
    let fits = sample.fits();
    let candidates = fits.iter().map(|fit| Candidate {
        form: fit.form.name(),
        delay: fit.form.in_study(log, &column.name),
        distance: fit.distance,
        p_value: fit.p_value,
        aic: fit.aic,
    });
    let sorted = sample.sorted();
    let below = |time: f64| sorted.partition_point(|one| *one <= time);
    // The last classes of a long tail would be empty: the last one has all that is beyond.
    let far = if summary.greatest > summary.least { sample.quantile(0.99) } else { summary.greatest };
    let width = (far - summary.least) / CLASSES as f64;
    let mut classes = Vec::new();
    if width > 0.0 {
        for number in 0..CLASSES {
            let from = summary.least + width * number as f64;
            let is_last = number + 1 == CLASSES;
            let to = if is_last { summary.greatest } else { from + width };
            let before = if number == 0 { 0 } else { below(from) };
            classes.push((from, to, below(to) - before));
        }
    } else {
        classes.push((summary.least, summary.greatest, summary.count));
    }
    let end = sample.quantile(0.999).max(f64::MIN_POSITIVE);
    let curve = (0..=POINTS).map(|number| {
        let time = end * number as f64 / POINTS as f64;
        let fitted = fits.first().map_or(0.0, |fit| fit.form.ended(time));
        (time, below(time) as f64 / sorted.len() as f64, fitted)
    });
    FittedKind {
        name: column.name.clone(),
        unit: column.unit.clone().unwrap_or_default(),
        count: summary.count,
        mean: summary.mean,
        deviation: summary.deviation,
        quantiles: QUANTILES.iter().map(|percent| (*percent, sample.quantile(percent / 100.0))).collect(),
        candidates: candidates.collect(),
        classes,
        curve: curve.collect(),
    }
}
