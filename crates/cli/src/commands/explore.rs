//! `narrows explore`: every state, what goes wrong, what is never reached.

use clap::Args;
use narrows::{Checkpoints, Elsewhere, ExploreOptions, Model};
use narrows_report::{Report, document, explore, profile};

use super::storage::Storage;
use crate::checkpoint::Checkpointing;
use crate::cluster::{self, Membership};
use crate::input::Models;
use crate::limits::{self, Clock, interrupt_flag};
use crate::watchdog;

const EXAMPLES: &str = "\
Examples:
  narrows explore peterson.pml
  narrows explore leader.pml -D N=5 --memory 4G --time 10m
  narrows explore leader.pml -D N=9 --bitstate=2G
  narrows explore drive.pml --symmetry     count equal processes and arrays once
  narrows explore models/ --format json";

/// Visit every state: count, find what goes wrong, and what is never reached
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) models: Models,

    /// Reduce by partial order: skip states that are not needed to find violations
    #[arg(long, conflicts_with_all = ["bitstate", "hash_compact"])]
    reduce: bool,

    /// Visit one of all states that differ only in which of some equal processes or array elements does what
    #[arg(long, conflicts_with_all = ["reduce", "bitstate", "hash_compact"])]
    symmetry: bool,

    /// Say where the time went: phases of the search, threads that waited, counts of what was done
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    storage: Storage,

    #[command(flatten)]
    checkpointing: Checkpointing,

    #[command(flatten)]
    membership: Membership,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    if let Some(status) = arguments.membership.take_part(&arguments.models)? {
        return Ok(status);
    }
    let interrupted = interrupt_flag()?;
    let models = &arguments.models;
    if arguments.checkpointing.is_wanted() {
        models.ensure_one("--checkpoint")?;
    }
    models.each(&[], |model| one(model, arguments, &Clock::new(models, &interrupted)))
}

fn one(model: &Model, arguments: &Arguments, clock: &Clock) -> anyhow::Result<u8> {
    let models = &arguments.models;
    let checkpoint =
        arguments.checkpointing.open(&("explore", &model.form, arguments.reduce), models.quiet)?;
    let budget = clock.budget();
    let team = cluster::team(&("explore", &model.form), &arguments.checkpointing, models.quiet)?;
    let options = ExploreOptions {
        engine: models.choice(),
        reduce: arguments.reduce,
        symmetry: arguments.symmetry,
        lossy: arguments.storage.lossy(budget.memory)?,
        gpu_memory: models.gpu_memory,
        checkpoints: checkpoint.as_ref().map(|checkpoint| checkpoint as &dyn Checkpoints),
        elsewhere: team.as_ref().map(|team| team as &dyn Elsewhere),
    };
    let explored = narrows::explore(model, &options, &budget);
    watchdog::tell();
    let seconds = clock.finish();
    let explored = match explored {
        Ok(explored) => explored,
        Err(why) => return models.refused(model, why),
    };
    limits::remember(models.quiet, explored.limit);
    cluster::tell_loss(team.as_ref(), explored.limit);
    cluster::finish(explored.limit.as_slice())?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.finish(explored.limit.as_slice())?;
    }
    let report = Report::new(model, &explored, seconds);
    let stats = arguments.stats.then_some(explored.profile.as_ref());
    let text = || explore(&report) + &stats.map(profile::text).unwrap_or_default();
    let json = || {
        let mut document = document(&report);
        if let Some(stats) = stats {
            document.insert("stats", profile::value(stats));
        }
        document
    };
    models.say(report.status(), text, json)
}
