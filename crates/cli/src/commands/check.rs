//! `narrows check`: every property, proved or refuted.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows_explicit::Options;
use narrows_model::{Evaluator, Question, Trace, Verdict};
use narrows_report::{Chart, Report, document, trace_document};

use super::problems;
use crate::input::{Model, Models, Outcome};
use crate::limits::{Clock, interrupt_flag};

const EXAMPLES: &str = "\
Examples:
  narrows check peterson.pml
  narrows check bus.pml --trace bus.json   save the first counterexample
  narrows check models/ --time 5m --format json";

/// Prove every property of a model, or show a shortest run against it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) models: Models,

    /// Save the first counterexample in this file, as JSON
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// Count only runs that are fair to every process that could move
    #[arg(long, value_name = "KIND")]
    fair: Option<Fairness>,

    /// Draw the messages of each counterexample
    #[arg(long)]
    chart: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fairness {
    /// No process can move from some point on and never does
    Weak,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let interrupted = interrupt_flag()?;
    let mut is_saved = false;
    arguments.models.each(|model| {
        let clock = Clock::new(&arguments.models, &interrupted);
        one(model, arguments, &clock, &mut is_saved)
    })
}

fn one(model: &Model, arguments: &Arguments, clock: &Clock, is_saved: &mut bool) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::new(&model.system);
    let questions = Question::all(&model.system);
    let options = Options { fair: arguments.fair.is_some() };
    let checked = narrows_explicit::check(evaluator, &questions, &options, &clock.budget());
    let seconds = clock.finish();
    let checked = checked.context("internal error: this is a mistake in narrows, not in the model")?;
    let report = Report {
        model: &model.name,
        evaluator,
        sources: &model.sources,
        coverage: &checked.coverage,
        seconds,
        limit: checked.end.limit(),
        problems: problems(evaluator, &checked.findings),
        answers: &checked.answers,
    };
    let mut charts = Vec::new();
    for (kind, trace) in counterexamples(&report) {
        if arguments.chart {
            charts.push(format!(
                "\nmessages before the {kind}:\n{}",
                Chart::of(evaluator, trace).lines(None).join("\n") + "\n"
            ));
        }
        if let (Some(path), false) = (&arguments.trace, *is_saved) {
            let document =
                trace_document(&model.name, kind, trace, evaluator, &model.sources, &model.definitions);
            std::fs::write(path, format!("{document:#}\n"))
                .with_context(|| format!("can't write `{}`", path.display()))?;
            *is_saved = true;
        }
    }
    let text = || format!("{}{}", narrows_report::check(&report), charts.concat());
    Ok(arguments.models.outcome(report.status(), text, || document(&report)))
}

fn counterexamples<'a>(report: &Report<'a>) -> impl Iterator<Item = (&'a str, &'a Trace)> {
    report.answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Fails { trace, .. } => Some((answer.question.kind(), &**trace)),
        _ => None,
    })
}
