//! `narrows check`: every property, proved or refuted.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows::{
    CheckOptions, Checkpoints, Elsewhere, Formula, Limit, Logic, Model, Order, Reply, RunStyle, Trace,
    Verdict, selected,
};
use narrows_report::{Chart, Report, document};

use super::figures;
use super::files::{Files, Writer};
use super::storage::Storage;
use crate::checkpoint::Checkpointing;
use crate::cluster::{self, Membership};
use crate::input::{Models, read_text, unreadable};
use crate::limits::{self, Clock, interrupt_flag};
use crate::output;
use crate::watchdog;

const EXAMPLES: &str = "\
Examples:
  narrows check peterson.pml
  narrows check bus.pml --ltl '[] (request -> <> grant)' --ctl 'AG EF idle'
  narrows check bus.pml --only safe        answer one question alone
  narrows check bus.pml --html bus.html    a page with every counterexample beside the source
  narrows check bus.pml --trace bus.json   save the first counterexample, for `narrows simulate`
  narrows check drive.pml --symmetry       count equal processes once: fewer states, the same answers
  narrows check huge.pml --bitstate=8G     look for violations where not all states fit into memory
  narrows check bus.smv --ctl 'AG (req -> AF gnt)'
  narrows check bus.smv --engine ic3       by one engine alone
  narrows check ring.lotos --mu '[true* . \"ERROR\"] false' --ltl '[] (PUT -> <> GET)'
  narrows check models/ --time 5m --format json";

/// Prove every property of a model, or show a shortest run against it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) models: Models,

    /// Ask whether this formula of linear temporal logic holds too
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    ltl: Vec<String>,

    /// Ask whether this formula of computation tree logic holds too
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    ctl: Vec<String>,

    /// Ask whether this formula of the modal mu-calculus holds of a LOTOS model too
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    mu: Vec<String>,

    /// Answer only this: a property by its name, or all of a kind, such as assertion, deadlock, fault or ltl
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    only: Vec<String>,

    #[command(flatten)]
    storage: Storage,

    #[command(flatten)]
    checkpointing: Checkpointing,

    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    membership: Membership,

    /// Count only runs that are fair to every process that could move; in LOTOS, to every gate
    #[arg(long, value_name = "KIND")]
    fair: Option<Fairness>,

    /// Visit every state, also where the order of steps does not matter
    #[arg(long)]
    no_reduction: bool,

    /// Count states once that differ only in which of some equal processes does what
    #[arg(long)]
    symmetry: bool,

    /// Show up to this many different counterexamples for each question
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    all: usize,

    /// Draw the messages of each counterexample
    #[arg(long)]
    chart: bool,

    /// Begin with the order of variables in this file, one name a line, as .ord files have it (SMV models)
    #[arg(long, value_name = "FILE")]
    order: Option<PathBuf>,

    /// Write the order of variables that was found into this file (SMV models)
    #[arg(long, value_name = "FILE")]
    write_order: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fairness {
    /// No process can move from some point on and never does
    Weak,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    if let Some(status) = arguments.membership.take_part(&arguments.models)? {
        return Ok(status);
    }
    if let Some(studies) = arguments.models.studies()? {
        let others = [
            (!formulas(arguments).is_empty() || !arguments.only.is_empty(), "formulas and names are"),
            (arguments.fair.is_some(), "--fair is"),
            (arguments.all > 1, "--all is"),
            (arguments.chart, "--chart is"),
            (arguments.no_reduction, "--no-reduction is"),
            (arguments.symmetry, "--symmetry is"),
            (arguments.checkpointing.is_wanted(), "--checkpoint is"),
            (arguments.storage.is_lossy(), "storing states with loss is"),
            (arguments.order.is_some() || arguments.write_order.is_some(), "an order of variables is"),
            (arguments.files.saves_runs(), "a file for the first counterexample is"),
        ];
        if let Some((_, what)) = others.into_iter().find(|(is_given, _)| *is_given) {
            anyhow::bail!("{what} for models: a study says itself what it asks");
        }
        return figures::Options::of(&arguments.models).answer_all(
            studies,
            &arguments.models.definitions,
            figures::Files {
                chain: None,
                html: arguments.files.html(),
                csv: None,
                against: None,
                engine: figures::TimeEngine::Automatic,
            },
        );
    }
    let interrupted = interrupt_flag()?;
    let mut writer = arguments.files.writer()?;
    if arguments.checkpointing.is_wanted() {
        arguments.models.ensure_one("--checkpoint")?;
    }
    if arguments.order.is_some() || arguments.write_order.is_some() {
        arguments.models.ensure_one("an order of variables")?;
    }
    arguments.models.each(&formulas(arguments), |model| {
        one(model, arguments, &Clock::new(&arguments.models, &interrupted), &mut writer)
    })
}

fn formulas(arguments: &Arguments) -> Vec<Formula> {
    let given = [(Logic::Ltl, &arguments.ltl), (Logic::Ctl, &arguments.ctl), (Logic::Mu, &arguments.mu)];
    let formula = |logic: Logic, text: &String| Formula {
        logic,
        text: text.clone(),
        origin: format!("--{}", logic.kind()),
    };
    let all = given.into_iter().flat_map(|(logic, texts)| texts.iter().map(move |text| formula(logic, text)));
    all.collect()
}

fn one(model: &Model, arguments: &Arguments, clock: &Clock, writer: &mut Writer<'_>) -> anyhow::Result<u8> {
    let models = &arguments.models;
    arguments.files.accepts(model)?;
    let questions = selected(model.questions(), &arguments.only)
        .with_context(|| format!("there is nothing to answer about `{}`", model.name))?;
    let reduce = !arguments.no_reduction;
    let checkpoint =
        arguments.checkpointing.open(&("check", &model.form, &questions, reduce), models.quiet)?;
    let order = arguments.order.as_deref().map(|path| read_order(model, path)).transpose()?;
    let found_order = OnceLock::new();
    let budget = clock.budget();
    let subject = ("check", &model.form, &questions, reduce);
    let team = cluster::team(&subject, &arguments.checkpointing, models.quiet)?;
    let options = CheckOptions {
        engine: models.choice(),
        fair: arguments.fair.is_some(),
        more_runs: arguments.all,
        every_state: arguments.no_reduction,
        symmetry: arguments.symmetry,
        lossy: arguments.storage.lossy(budget.memory)?,
        gpu_memory: models.gpu_memory,
        checkpoints: checkpoint.as_ref().map(|checkpoint| checkpoint as &dyn Checkpoints),
        told: if arguments.chart { RunStyle::Messages } else { RunStyle::Steps },
        order: order.as_ref(),
        found_order: arguments.write_order.as_ref().map(|_| &found_order),
        elsewhere: team.as_ref().map(|team| team as &dyn Elsewhere),
    };
    let checked = narrows::answer(model, &questions, &options, &budget);
    watchdog::tell();
    let seconds = clock.finish();
    let checked = match checked {
        Ok(checked) => checked,
        Err(why) => return models.refused(model, why),
    };
    let limits: Vec<Limit> = checked.replies.iter().filter_map(Reply::limit).chain(checked.limit).collect();
    limits::remember(models.quiet, limits.iter().copied());
    cluster::tell_loss(team.as_ref(), limits.iter().copied());
    cluster::finish(&limits)?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.finish(&limits)?;
    }
    if let Some(path) = &arguments.write_order {
        write_order(model, found_order.get(), path)?;
    }
    let report = Report::new(model, &checked, seconds);
    said(arguments, &report, writer)
}

/// Reads an order of variables.
fn read_order(model: &Model, path: &Path) -> anyhow::Result<Order> {
    narrows::accepts_order(model).map_err(|refusal| anyhow::anyhow!(refusal.reason))?;
    let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
    narrows::read_order(model, &text).map_err(|wrong| anyhow::anyhow!("{}: {wrong}", path.display()))
}

/// Writes the order of variables that was found.
fn write_order(model: &Model, order: Option<&Order>, path: &Path) -> anyhow::Result<()> {
    match order.and_then(|order| narrows::write_order(model, order)) {
        Some(text) => super::files::write(path, &text),
        None => {
            output::error("no order was written: not all states were found");
            Ok(())
        }
    }
}

/// Writes a report, and the files that were asked for.
fn said(arguments: &Arguments, report: &Report<'_>, writer: &mut Writer<'_>) -> anyhow::Result<u8> {
    writer.add(report)?;
    let mut charts = Vec::new();
    for (kind, trace) in counterexamples(report) {
        if arguments.chart {
            let lines = Chart::of(report.model, trace).lines(None).join("\n");
            charts.push(format!("\nmessages of the {kind} counterexample:\n{lines}\n"));
        }
    }
    let text = || format!("{}{}", narrows_report::check(report), charts.concat());
    arguments.models.say(report.status(), text, || document(report))
}

fn counterexamples<'a>(report: &Report<'a>) -> impl Iterator<Item = (String, &'a Trace)> {
    report.answers().filter_map(|answer| match &answer.verdict {
        Verdict::Fails { trace, .. } => Some((
            format!("{} {}", answer.question.kind(), answer.question.name()).trim_end().to_owned(),
            &**trace,
        )),
        _ => None,
    })
}
