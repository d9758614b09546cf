//! `narrows lts check`: whether a graph satisfies formulas.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use narrows_lts::mu::{Answer, Checker, Formula, Run, parse, warn_of_unknown_labels};
use narrows_lts::{Graph, aut};
use narrows_report::with_head;
use narrows_report::{count, json_diagnostics, one_line};
use narrows_source::{Diagnostics, Sources};
use serde_json::{Value, json};

use super::Given;
use super::run_text::run_text;
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  narrows lts check protocol.aut '[true* . \"ERROR\"] false'
  narrows lts check protocol.aut '<true* . \"RECV\"> @' '[true*] <true> true'
  narrows lts check protocol.aut -f safety.mcl -f liveness.mcl --format json
  narrows lts check protocol.aut -f safety.mcl --diagnostic why.aut";

/// Check formulas of the modal mu-calculus, and show why they hold or fail
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Formulas
    #[arg(value_name = "FORMULA", required_unless_present = "formula_files")]
    formulas: Vec<String>,

    /// Read a formula from this file
    #[arg(short = 'f', long = "formula-file", value_name = "FILE")]
    formula_files: Vec<PathBuf>,

    /// Save the part of the graph that shows why the formula holds or fails in this file
    #[arg(long, value_name = "FILE")]
    diagnostic: Option<PathBuf>,

    /// Choose how the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Show no warnings
    #[arg(long, short)]
    quiet: bool,
}

impl Arguments {
    /// Returns the formulas with the names of where they stand.
    fn texts(&self) -> anyhow::Result<Vec<(String, String)>> {
        let given = self.formulas.iter().map(|text| Ok(("formula".to_owned(), text.clone())));
        let read = self.formula_files.iter().map(|path| {
            let text = crate::input::read_text(path);
            Ok((path.display().to_string(), text.with_context(|| format!("can't read {}", path.display()))?))
        });
        given.chain(read).collect()
    }
}

/// A formula, and how it is called in the answer.
struct Question {
    name: String,
    formula: Formula,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let texts = arguments.texts()?;
    if arguments.diagnostic.is_some() {
        anyhow::ensure!(texts.len() == 1, "--diagnostic is for one formula, and there are {}", texts.len());
    }
    let mut sources = Sources::default();
    let mut all = Diagnostics::default();
    let mut questions = Vec::new();
    for (name, text) in texts {
        let mut diagnostics = Diagnostics::default();
        let file = sources.add(name.as_str(), text.as_str());
        if let Some(formula) = parse(file, &text, &mut diagnostics) {
            let name = if name == "formula" { one_line(text.trim()) } else { name };
            questions.push(Question { name, formula });
        }
        diagnostics.sorted().into_iter().for_each(|diagnostic| all.push(diagnostic));
    }
    let shown = arguments.file.display().to_string();
    if all.has_errors() {
        output::diagnostics(&all.sorted(), &sources);
        if arguments.format == Format::Json {
            output::print_json(&json_diagnostics(&shown, &all.sorted(), &sources, None))?;
        }
        return Ok(2);
    }
    let graph = super::read(&arguments.file, given)?;
    for question in &questions {
        warn_of_unknown_labels(&question.formula, &graph, &mut all);
    }
    if !arguments.quiet {
        output::diagnostics(&all.sorted(), &sources);
    }
    let report = answer(arguments, &graph, &questions)?;
    if arguments.format == Format::Json {
        output::print_json(&report.document(&shown, &graph))?;
    } else {
        output::print_report(&format!("{shown}\n{}", report.text))?;
    }
    Ok(u8::from(!report.all_hold))
}

/// What there is to say about all formulas.
#[derive(Default)]
struct Report {
    text: String,
    answers: Vec<Value>,
    all_hold: bool,
}

impl Report {
    fn document(&self, model: &str, graph: &Graph) -> Value {
        let (states, transitions) = (graph.states(), graph.edges().len());
        let content = json!({ "states": states, "transitions": transitions, "answers": self.answers });
        with_head(model, content)
    }
}

fn answer(arguments: &Arguments, graph: &Graph, questions: &[Question]) -> anyhow::Result<Report> {
    let checker = Checker::new(graph);
    let mut report = Report { all_hold: true, ..Report::default() };
    let mut details = String::new();
    for question in questions {
        let answer = checker.check(&question.formula)?;
        let (holds, run) = (answer.holds(), answer.run());
        let verdict = if holds { "holds" } else { "fails" };
        report.all_hold &= holds;
        let _ = writeln!(report.text, "  {verdict:9}  {}", question.name);
        let mut entry = json!({
            "kind": "mu",
            "name": question.name,
            "verdict": verdict,
            "satisfying": answer.count(),
        });
        if let Some(run) = &run {
            entry["run"] = run_value(graph, run);
            let _ = write!(details, "\n{} {verdict}:\n{}", question.name, run_text(graph, run));
        }
        if let Some(path) = &arguments.diagnostic {
            let saved = save_diagnostic(&answer, path)?;
            details += &saved.text;
            entry["diagnostic"] = saved.document;
        }
        report.answers.push(entry);
    }
    let edges = count(graph.edges().len() as u64, "edge");
    let states = count(u64::from(graph.states()), "state");
    let _ = writeln!(report.text, "{details}\n  {states}, {edges}");
    Ok(report)
}

pub(crate) fn run_value(graph: &Graph, run: &Run) -> Value {
    let steps =
        run.steps.iter().map(|(label, state)| json!({ "label": graph.label(*label), "state": state }));
    let mut value = json!({
        "start": run.start,
        "steps": steps.collect::<Vec<_>>(),
        "cycle": run.cycle,
    });
    if let Some(note) = run.note() {
        value["note"] = json!(note);
    }
    value
}

/// What is said of a diagnostic that was saved.
struct Saved {
    text: String,
    document: Value,
}

fn save_diagnostic(answer: &Answer<'_, '_>, path: &Path) -> anyhow::Result<Saved> {
    let evidence = answer.evidence()?;
    anyhow::ensure!(
        answer.is_confirmed_by(&evidence)?,
        "internal error: the diagnostic does not show the answer\nThis is a bug in narrows, not in the graph."
    );
    let shown = path.display();
    std::fs::write(path, aut::write(&evidence.graph)).with_context(|| format!("can't write {shown}"))?;
    let (states, edges) = (evidence.graph.states(), evidence.graph.edges().len());
    let text = format!(
        "\n{shown}: {} and {} that are enough for this answer; it was checked on them again\n",
        count(u64::from(states), "state"),
        count(edges as u64, "edge"),
    );
    let document = json!({
        "file": shown.to_string(),
        "states": states,
        "transitions": edges,
        "original": evidence.states,
    });
    Ok(Saved { text, document })
}
