//! `narrows check`: every property, proved or refuted.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows_explicit::{Budget, Checked, Checkpoints, Options};
use narrows_languages::promela::{Formula, Logic};
use narrows_model::{Limit, Question, Trace, Verdict};
use narrows_report::{Chart, Report, document};

use super::figures;
use super::files::{Files, Writer};
use super::problems;
use super::selection::selected;
use super::storage::Storage;
use crate::behaviours::{self, Asked};
use crate::checkpoint::Checkpointing;
use crate::input::{Model, Models, Outcome};
use crate::limits::{Clock, interrupt_flag};
use crate::machines::{self, OrderFiles};
use crate::sets;

const EXAMPLES: &str = "\
Examples:
  narrows check peterson.pml
  narrows check bus.pml --ltl '[] (request -> <> grant)' --ctl 'AG EF idle'
  narrows check bus.pml --only safe        answer one question alone
  narrows check bus.pml --html bus.html    a page with every counterexample beside the source
  narrows check bus.pml --trace bus.json   save the first counterexample, for `narrows simulate`
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

    /// Count only runs that are fair to every process that could move
    #[arg(long, value_name = "KIND")]
    fair: Option<Fairness>,

    /// Visit every state, also where the order of steps does not matter
    #[arg(long)]
    no_reduction: bool,

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
    if let Some(studies) = arguments.models.studies()? {
        anyhow::ensure!(
            formulas(arguments).is_empty() && arguments.only.is_empty(),
            "formulas and names are for models: a study says itself what it asks"
        );
        return figures::Options::of(&arguments.models).answer_all(
            studies,
            &arguments.models.definitions,
            None,
            arguments.files.html(),
        );
    }
    if arguments.models.is_symbolic() {
        ensure_sets(arguments)?;
    }
    let interrupted = interrupt_flag()?;
    let writer = RefCell::new(arguments.files.writer());
    if arguments.checkpointing.is_wanted() {
        arguments.models.ensure_one("--checkpoint")?;
    }
    if wants_order(arguments) {
        arguments.models.ensure_one("an order of variables")?;
    }
    arguments.models.each(
        &formulas(arguments),
        |model| {
            anyhow::ensure!(!wants_order(arguments), "--order and --write-order are for SMV models");
            if arguments.models.is_symbolic() {
                return by_sets(model, arguments, &interrupted, &mut writer.borrow_mut());
            }
            let clock = Clock::new(&arguments.models, &interrupted);
            one(model, arguments, &clock, &mut writer.borrow_mut())
        },
        |model| {
            ensure_plain(arguments, "SMV")?;
            let questions = selected(model.compiled.system.questions(), &arguments.only)
                .with_context(|| format!("there is nothing to answer about `{}`", model.name))?;
            if wants_order(arguments) {
                let files =
                    OrderFiles { read: arguments.order.as_deref(), write: arguments.write_order.as_deref() };
                let writer = &mut writer.borrow_mut();
                return machines::check_ordered(
                    model,
                    &questions,
                    &arguments.models,
                    writer,
                    &interrupted,
                    &files,
                );
            }
            machines::check(model, &questions, &arguments.models, &mut writer.borrow_mut(), &interrupted)
        },
        |model| {
            ensure_plain(arguments, "LOTOS")?;
            anyhow::ensure!(!wants_order(arguments), "--order and --write-order are for SMV models");
            anyhow::ensure!(
                arguments.ctl.is_empty(),
                "formulas about LOTOS models are given with --mu or --ltl"
            );
            let asked = Asked { mu: &arguments.mu, ltl: &arguments.ltl, only: &arguments.only };
            behaviours::check(model, &asked, &arguments.models, &mut writer.borrow_mut(), &interrupted)
        },
    )
}

fn wants_order(arguments: &Arguments) -> bool {
    arguments.order.is_some() || arguments.write_order.is_some()
}

/// Makes sure that nothing is asked for that only other models have.
fn ensure_plain(arguments: &Arguments, language: &str) -> anyhow::Result<()> {
    let others = [
        (arguments.files.wants_trail(), "--spin-trail"),
        (language == "LOTOS" && arguments.files.wants_pictures(), "--html and --svg"),
        (arguments.storage.is_wanted(), "--bitstate and --hash-compact"),
        (arguments.checkpointing.is_wanted(), "--checkpoint"),
        (arguments.fair.is_some(), "--fair (SMV models say what is fair: JUSTICE, COMPASSION)"),
        (arguments.all > 1, "--all"),
        (arguments.chart, "--chart"),
    ];
    match others.iter().find(|(is_wanted, _)| *is_wanted) {
        Some((_, option)) => anyhow::bail!("{language} models are checked without {option}"),
        None => Ok(()),
    }
}

/// Makes sure that nothing is asked for that needs states one by one.
fn ensure_sets(arguments: &Arguments) -> anyhow::Result<()> {
    let others = [
        (arguments.storage.is_wanted(), "--bitstate and --hash-compact"),
        (arguments.checkpointing.is_wanted(), "--checkpoint"),
        (arguments.fair.is_some(), "--fair"),
        (arguments.all > 1, "--all"),
    ];
    match others.iter().find(|(is_wanted, _)| *is_wanted) {
        Some((_, option)) => anyhow::bail!("--engine symbolic goes without {option}"),
        None => Ok(()),
    }
}

fn formulas(arguments: &Arguments) -> Vec<Formula> {
    let formula =
        |logic, origin: &str, text: &String| Formula { logic, text: text.clone(), origin: origin.to_owned() };
    let ltl = arguments.ltl.iter().map(|text| formula(Logic::Ltl, "--ltl", text));
    let ctl = arguments.ctl.iter().map(|text| formula(Logic::Ctl, "--ctl", text));
    ltl.chain(ctl).collect()
}

fn one(
    model: &Model,
    arguments: &Arguments,
    clock: &Clock,
    writer: &mut Writer<'_>,
) -> anyhow::Result<Outcome> {
    let engine = arguments.models.engine(model)?;
    let evaluator = engine.evaluator();
    let questions = selected(Question::all(&model.system), &arguments.only)
        .with_context(|| format!("there is nothing to answer about `{}`", model.name))?;
    let options = Options {
        fair: arguments.fair.is_some(),
        runs: arguments.all,
        reduce: !arguments.no_reduction,
        ..Options::default()
    };
    let quiet = arguments.models.quiet;
    let checkpoint =
        arguments.checkpointing.open(&("check", &model.system, &questions, options.reduce), quiet)?;
    let checkpoints = checkpoint.as_ref().map(|checkpoint| checkpoint as &dyn Checkpoints);
    let budget = Budget { checkpoints, ..clock.budget() };
    let checked = match arguments.storage.lossy(budget.memory)? {
        Some(lossy) => narrows_explicit::check_lossy(&engine, &questions, &options, lossy, &budget),
        None => narrows_explicit::check(&engine, &questions, &options, &budget),
    };
    let seconds = clock.finish();
    let checked = checked.context("internal error: this is a mistake in narrows, not in the model")?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.finish(&limits(&checked))?;
    }
    let mut problems = problems(evaluator, &checked.findings);
    problems.retain(|problem| questions.iter().any(|question| question.kind() == problem.kind));
    let report = Report {
        model: &model.name,
        evaluator,
        sources: &model.sources,
        coverage: &checked.coverage,
        seconds,
        limit: checked.end.limit(),
        problems,
        answers: &checked.answers,
    };
    said(arguments, model, &report, writer)
}

/// Answers questions by sets of states.
fn by_sets(
    model: &Model,
    arguments: &Arguments,
    interrupted: &Arc<AtomicBool>,
    writer: &mut Writer<'_>,
) -> anyhow::Result<Outcome> {
    let questions = selected(Question::all(&model.system), &arguments.only)
        .with_context(|| format!("there is nothing to answer about `{}`", model.name))?;
    match sets::decide(model, &questions, &arguments.models, interrupted) {
        Ok(decided) => said(arguments, model, &decided.report(model), writer),
        Err(refused) => Ok(sets::refuse(model, &arguments.models, &refused)),
    }
}

/// Writes a report, and the files that were asked for.
fn said(
    arguments: &Arguments,
    model: &Model,
    report: &Report<'_>,
    writer: &mut Writer<'_>,
) -> anyhow::Result<Outcome> {
    writer.add(model, report)?;
    let mut charts = Vec::new();
    for (kind, trace) in counterexamples(report) {
        if arguments.chart {
            let lines = Chart::of(report.evaluator, trace).lines(None).join("\n");
            charts.push(format!("\nmessages of the {kind} counterexample:\n{lines}\n"));
        }
    }
    let text = || format!("{}{}", narrows_report::check(report), charts.concat());
    Ok(arguments.models.outcome(report.status(), text, || document(report)))
}

/// Returns every limit that was hit.
fn limits(checked: &Checked) -> Vec<Limit> {
    let undecided = checked.answers.iter().filter_map(|answer| match answer.verdict {
        Verdict::Undecided(limit) => Some(limit),
        _ => None,
    });
    undecided.chain(checked.end.limit()).collect()
}

fn counterexamples<'a>(report: &Report<'a>) -> impl Iterator<Item = (String, &'a Trace)> {
    report.answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Fails { trace, .. } => Some((
            format!("{} {}", answer.question.kind(), answer.question.name()).trim_end().to_owned(),
            &**trace,
        )),
        _ => None,
    })
}
