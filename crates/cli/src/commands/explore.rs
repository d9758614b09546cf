//! `narrows explore`: every state, what goes wrong, what is never reached.

use clap::Args;
use narrows_explicit::{Faults, depth_first};
use narrows_model::Evaluator;
use narrows_report::{Report, document, explore};

use super::problems;
use crate::input::{Model, Models, Outcome};
use crate::limits::{Clock, interrupt_flag};

const EXAMPLES: &str = "\
Examples:
  narrows explore peterson.pml
  narrows explore leader.pml -D N=5 --memory 4G --time 10m
  narrows explore models/ --format json";

/// Visit every state: count, find what goes wrong, and what is never reached
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) models: Models,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let interrupted = interrupt_flag()?;
    let models = &arguments.models;
    models.each(&[], |model| Ok(one(model, models, &Clock::new(models, &interrupted))))
}

fn one(model: &Model, models: &Models, clock: &Clock) -> Outcome {
    let evaluator = Evaluator::new(&model.system);
    let exploration = depth_first(&evaluator, Faults::Stop, &clock.budget());
    let report = Report {
        model: &model.name,
        evaluator,
        sources: &model.sources,
        coverage: &exploration.coverage,
        seconds: clock.finish(),
        limit: exploration.end.limit(),
        problems: problems(evaluator, &exploration.findings),
        answers: &[],
    };
    models.outcome(report.status(), || explore(&report), || document(&report))
}
