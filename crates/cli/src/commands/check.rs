//! `narrows check`: every property, proved or refuted.

use anyhow::Context;
use clap::Args;
use narrows_model::{Evaluator, Question, Trace, Verdict};
use narrows_report::{Chart, Report, document};

use super::files::{Files, Writer};
use super::problems;
use crate::input::{Model, Models, Outcome};
use crate::limits::{Clock, interrupt_flag};

const EXAMPLES: &str = "\
Examples:
  narrows check peterson.pml
  narrows check bus.pml --html bus.html    a page with every counterexample beside the source
  narrows check bus.pml --trace bus.json   save the first counterexample, for `narrows simulate`
  narrows check models/ --time 5m --format json";

/// Prove every property of a model, or show a shortest run against it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) models: Models,

    #[command(flatten)]
    files: Files,

    /// Draw the messages of each counterexample
    #[arg(long)]
    chart: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let interrupted = interrupt_flag()?;
    let mut writer = arguments.files.writer();
    arguments.models.each(|model| {
        let clock = Clock::new(&arguments.models, &interrupted);
        one(model, arguments, &clock, &mut writer)
    })
}

fn one(
    model: &Model,
    arguments: &Arguments,
    clock: &Clock,
    writer: &mut Writer<'_>,
) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::new(&model.system);
    let questions = Question::all(&model.system);
    let checked = narrows_explicit::check(evaluator, &questions, &clock.budget());
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
    writer.add(model, &report)?;
    let mut charts = Vec::new();
    for (kind, trace) in counterexamples(&report) {
        if arguments.chart {
            charts.push(format!(
                "\nmessages before the {kind}:\n{}",
                Chart::of(evaluator, trace).lines(None).join("\n") + "\n"
            ));
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
