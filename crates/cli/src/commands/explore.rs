//! `narrows explore`: every state, what goes wrong, what is never reached.

use clap::Args;
use narrows_explicit::{Budget, Checkpoints, Reduction, explore as visit_all, explore_lossy};
use narrows_report::{Report, document, explore};

use super::problems;
use super::storage::Storage;
use crate::behaviours;
use crate::checkpoint::Checkpointing;
use crate::input::{Model, Models, Outcome};
use crate::limits::{Clock, interrupt_flag};
use crate::machines;
use crate::sets;

const EXAMPLES: &str = "\
Examples:
  narrows explore peterson.pml
  narrows explore leader.pml -D N=5 --memory 4G --time 10m
  narrows explore leader.pml -D N=9 --bitstate=2G
  narrows explore models/ --format json";

/// Visit every state: count, find what goes wrong, and what is never reached
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) models: Models,

    /// Leave out states that are not needed to find what goes wrong
    #[arg(long, conflicts_with_all = ["bitstate", "hash_compact"])]
    reduce: bool,

    #[command(flatten)]
    storage: Storage,

    #[command(flatten)]
    checkpointing: Checkpointing,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let interrupted = interrupt_flag()?;
    let models = &arguments.models;
    if arguments.checkpointing.is_wanted() {
        models.ensure_one("--checkpoint")?;
    }
    models.each(
        &[],
        |model| {
            if models.is_symbolic() {
                ensure_sets(arguments)?;
                return Ok(sets::explore(model, models, &interrupted));
            }
            one(model, arguments, &Clock::new(models, &interrupted))
        },
        |model| machines::explore(model, models, &interrupted),
        |model| behaviours::explore(model, models, &interrupted),
    )
}

/// Makes sure that nothing is asked for that needs states one by one.
fn ensure_sets(arguments: &Arguments) -> anyhow::Result<()> {
    let wanted = arguments.reduce || arguments.storage.is_wanted() || arguments.checkpointing.is_wanted();
    anyhow::ensure!(
        !wanted,
        "--engine symbolic goes without --reduce, --bitstate, --hash-compact and --checkpoint"
    );
    Ok(())
}

fn one(model: &Model, arguments: &Arguments, clock: &Clock) -> anyhow::Result<Outcome> {
    let models = &arguments.models;
    let engine = models.engine(model)?;
    let engine = if arguments.reduce { engine.forgetting() } else { engine };
    let evaluator = engine.evaluator();
    let reduction = if arguments.reduce { Reduction::for_safety(&engine) } else { None };
    let checkpoint =
        arguments.checkpointing.open(&("explore", &model.system, arguments.reduce), models.quiet)?;
    let checkpoints = checkpoint.as_ref().map(|checkpoint| checkpoint as &dyn Checkpoints);
    let budget = Budget { checkpoints, ..clock.budget() };
    let exploration = match arguments.storage.lossy(budget.memory)? {
        Some(lossy) => explore_lossy(&engine, lossy, &budget),
        None => visit_all(&engine, reduction.as_ref(), &budget),
    };
    let seconds = clock.finish();
    let limit = exploration.end.limit();
    if let Some(checkpoint) = &checkpoint {
        checkpoint.finish(limit.as_slice())?;
    }
    let report = Report {
        model: &model.name,
        evaluator,
        sources: &model.sources,
        coverage: &exploration.coverage,
        seconds,
        limit,
        problems: problems(evaluator, &exploration.findings),
        answers: &[],
    };
    Ok(models.outcome(report.status(), || explore(&report), || document(&report)))
}
