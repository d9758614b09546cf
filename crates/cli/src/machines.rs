//! Synchronous models (SMV): reading them, and what commands do with them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use narrows_languages::promela;
use narrows_languages::smv::{self, Compiled, FormulaKind, Given, Options};
use narrows_model::Question;
use narrows_report::{MachineReport, json_diagnostics};
use narrows_source::{Diagnostic, Diagnostics, Sources, Span};
use narrows_symbolic::{Budget, Checked, Order, Way};

use crate::commands::figures;
use crate::commands::files::Writer;
use crate::input::{Models, Outcome, read_text, unreadable};
use crate::limits::Clock;
use crate::output::{self, Format};
use crate::portfolio::{self, Choice};

/// A synchronous model that can be used.
pub(crate) struct MachineModel {
    pub(crate) name: String,
    pub(crate) sources: Sources,
    pub(crate) compiled: Compiled,
    /// The values that the user gave to names.
    pub(crate) definitions: Vec<String>,
}

/// Returns whether a file is a synchronous model, by its name.
pub(crate) fn is_machine(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "smv")
}

/// Returns what else is asked of a model.
pub(crate) fn options(formulas: &[promela::Formula]) -> Options {
    let formula = |formula: &promela::Formula| {
        let kind = match formula.logic {
            promela::Logic::Ltl => FormulaKind::Linear,
            promela::Logic::Ctl => FormulaKind::Branching,
            // Commands ask for formulas alone.
            promela::Logic::Expression => return None,
        };
        Some(smv::Formula { kind, text: formula.text.clone(), origin: formula.origin.clone() })
    };
    Options { formulas: formulas.iter().filter_map(formula).collect(), ..Options::default() }
}

type Rejected = (Vec<Diagnostic>, Sources);

/// Reads and compiles a file, and shows what is wrong with it; `quiet` leaves warnings out. Definitions are values that
/// the user gives to names of `main`.
pub(crate) fn compile_file(
    path: &Path,
    definitions: &[String],
    mut options: Options,
    quiet: bool,
) -> std::io::Result<Result<MachineModel, Rejected>> {
    let mut sources = Sources::default();
    let name = path.display().to_string();
    let file = sources.add(name.clone(), read_text(path)?);
    for definition in definitions {
        // A name alone is one that is to be true.
        let (name, text) = definition.split_once('=').unwrap_or((definition, "TRUE"));
        let span = Span::new(sources.add("-D", definition.clone()), 0, name.len());
        let (name, text, origin) = (name.to_owned(), text.to_owned(), format!("-D {name}"));
        options.constants.push(Given { name, span, text, origin });
    }
    let mut diagnostics = Diagnostics::default();
    let compiled = smv::compile(&mut sources, file, &options, &mut diagnostics);
    let list = diagnostics.sorted();
    if compiled.is_none() || !quiet {
        output::diagnostics(&list, &sources);
    }
    Ok(match compiled {
        Some(compiled) => Ok(MachineModel { name, sources, compiled, definitions: definitions.to_vec() }),
        None => Err((list, sources)),
    })
}

fn report<'a>(model: &'a MachineModel, checked: &'a Checked, clock: &Clock) -> MachineReport<'a> {
    MachineReport {
        model: &model.name,
        machine: &model.compiled.system,
        sources: &model.sources,
        replies: &checked.results,
        size: checked.size.as_ref().map(|size| (size.states.to_string(), size.bits, size.diameter)),
        memory: checked.bytes,
        seconds: clock.finish(),
        limit: checked.limit,
        with_runs: true,
    }
}

/// Answers questions about a model.
pub(crate) fn check(
    model: &MachineModel,
    questions: &[Question],
    models: &Models,
    writer: &mut Writer<'_>,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    let clock = Clock::new(models, interrupted);
    let checked =
        portfolio::check(&model.compiled.system, questions, models.machine_engine()?, &clock.limits());
    let report = MachineReport { with_runs: false, ..report(model, &checked, &clock) };
    writer.add_machine(model, &report)?;
    Ok(models.outcome(report.status(), || report.text(), || report.document()))
}

/// Files with orders of variables.
pub(crate) struct OrderFiles<'a> {
    /// Where the first order comes from.
    pub(crate) read: Option<&'a Path>,
    /// Where the last one goes to.
    pub(crate) write: Option<&'a Path>,
}

/// Answers questions about a model by sets of states, with orders of variables from and to files.
pub(crate) fn check_ordered(
    model: &MachineModel,
    questions: &[Question],
    models: &Models,
    writer: &mut Writer<'_>,
    interrupted: &Arc<AtomicBool>,
    files: &OrderFiles<'_>,
) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        !matches!(models.machine_engine()?, Choice::Sat(_)),
        "SAT engines have no order of variables: --order and --write-order are for --engine symbolic"
    );
    let machine = &model.compiled.system;
    let order = match files.read {
        None => None,
        Some(path) => {
            let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
            let order = Order::read(machine, &text);
            let order = order.map_err(|wrong| anyhow::anyhow!("{}: {}", path.display(), wrong.join("\n")))?;
            Some(order)
        }
    };
    let clock = Clock::new(models, interrupted);
    let (checked, found) =
        narrows_symbolic::check_ordered(machine, questions, clock.symbolic(), order.as_ref());
    if let Some(path) = files.write {
        match found {
            Some(order) => std::fs::write(path, order.write(machine))
                .with_context(|| format!("can't write `{}`", path.display()))?,
            None => output::error("no order was written: not all states were found"),
        }
    }
    let report = MachineReport { with_runs: false, ..report(model, &checked, &clock) };
    writer.add_machine(model, &report)?;
    Ok(models.outcome(report.status(), || report.text(), || report.document()))
}

/// Counts the states of a model.
pub(crate) fn explore(
    model: &MachineModel,
    models: &Models,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        !matches!(models.machine_engine()?, Choice::Sat(_)),
        "states are counted by --engine symbolic alone: SAT engines look for single runs"
    );
    let clock = Clock::new(models, interrupted);
    let budget = Budget { depth: true, ..clock.symbolic() };
    let questions: Vec<Question> = model
        .compiled
        .system
        .questions()
        .into_iter()
        .filter(|question| matches!(question, Question::Deadlock | Question::Faults))
        .collect();
    let checked = narrows_symbolic::check(&model.compiled.system, &questions, budget);
    let report = report(model, &checked, &clock);
    Ok(models.outcome(report.status(), || report.text(), || report.document()))
}

/// A way between two predicates, as it was written.
pub(crate) struct WayText<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) counted: &'a [String],
}

/// Finds the least and the most steps of a way, prints them and returns the exit status.
pub(crate) fn bounds(
    path: &Path,
    definitions: &[String],
    text: &WayText<'_>,
    settings: &figures::Options,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<u8> {
    let ends = [(text.from, "--from"), (text.to, "--to")];
    let counted = text.counted.iter().map(|text| (text.as_str(), "--count"));
    let expressions =
        ends.into_iter().chain(counted).map(|(text, origin)| (text.to_owned(), origin.to_owned()));
    let options = Options { expressions: expressions.collect(), ..Options::default() };
    let name = path.display().to_string();
    let is_json = settings.format == Format::Json;
    let read = compile_file(path, definitions, options, settings.quiet);
    let model = match read {
        Err(error) => anyhow::bail!("{}", unreadable(path, &error)),
        Ok(Err((list, sources))) => {
            if is_json {
                output::print_json(&json_diagnostics(&name, &list, &sources, None))?;
            }
            return Ok(2);
        }
        Ok(Ok(model)) => model,
    };
    let found = &model.compiled.expressions;
    let way = Way {
        from: found[0],
        to: found[1],
        counted: found[2..].iter().copied().zip(text.counted.iter().cloned()).collect(),
        name: format!("{} → {}", text.from, text.to),
    };
    let clock = settings.clock("", interrupted);
    let checked = narrows_symbolic::bounds(&model.compiled.system, &way, clock.symbolic());
    let report = MachineReport { with_runs: settings.runs, ..report(&model, &checked, &clock) };
    if is_json {
        output::print_json(&report.document())?;
    } else {
        output::print(&report.text())?;
    }
    Ok(report.status())
}
