//! Processes that meet at gates (LOTOS): reading them, and what commands do with them.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use narrows_languages::lotos::{self, Options};
use narrows_lts::mu::{Checker, End, Run};
use narrows_lts::{Graph, linear, mu};
use narrows_model::behaviour::{Behaviour, Fault};
use narrows_performance::labelled::{self, Labelled, Unbuilt};
use narrows_report::{RecordedLabel, RecordedLabels, count, json_diagnostics, one_line};
use narrows_source::{Diagnostic, Diagnostics, Sources};
use serde_json::{Value, json};

use crate::commands::files::Writer;
use crate::commands::lts::{run_text, run_value};
use crate::input::{Models, Outcome, read_text};
use crate::limits::Clock;
use crate::output;

/// A model of processes that meet at gates.
pub(crate) struct BehaviourModel {
    pub(crate) name: String,
    pub(crate) sources: Sources,
    pub(crate) behaviour: Behaviour,
}

/// Returns whether a file is such a model, by its name.
pub(crate) fn is_behaviour(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "lotos" || extension == "lot")
}

type Rejected = (Vec<Diagnostic>, Sources);

/// Reads and compiles a file, and shows what is wrong with it; `quiet` leaves warnings out. The definitions are values of
/// the specification's parameters.
pub(crate) fn compile_file(
    path: &Path,
    definitions: &[String],
    quiet: bool,
) -> std::io::Result<Result<BehaviourModel, Rejected>> {
    let mut sources = Sources::default();
    let name = path.display().to_string();
    let file = sources.add(name.clone(), read_text(path)?);
    let mut diagnostics = Diagnostics::default();
    let split = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (name.trim().to_owned(), value.to_owned(), "-D".to_owned())
    };
    let options = Options { values: definitions.iter().map(split).collect() };
    let behaviour = lotos::compile(&mut sources, file, &options, &mut diagnostics);
    let list = diagnostics.sorted();
    if behaviour.is_none() || !quiet {
        output::diagnostics(&list, &sources);
    }
    Ok(match behaviour {
        Some(behaviour) => Ok(BehaviourModel { name, sources, behaviour }),
        None => Err((list, sources)),
    })
}

/// Returns the names of the parameters of a model; none if it can't be read as one.
pub(crate) fn parameters(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = read_text(path).with_context(|| format!("can't read {}", path.display()))?;
    Ok(lotos::parameters(&text))
}

/// Reads a model and makes its graph, for commands that take graphs. The definitions are values of its parameters.
pub(crate) fn read_graph(
    path: &Path,
    definitions: &[String],
    time: Option<Duration>,
    memory: u64,
) -> anyhow::Result<Graph> {
    let model =
        compile_file(path, definitions, true).with_context(|| format!("can't read {}", path.display()))?;
    let Ok(model) = model else { anyhow::bail!("{} is not a model that can be used", path.display()) };
    let interrupted = crate::limits::interrupt_flag()?;
    let clock = Clock::with(time, Some(memory), false, &model.name, &interrupted);
    let built = labelled::build(&model.behaviour, &clock.budget());
    clock.finish();
    match built {
        Ok(built) => Ok(built.graph),
        Err(Unbuilt::Limit(limit)) => {
            // Processes without end were warned of, if this had not been quiet.
            let _ = compile_file(path, definitions, false);
            let reason = limit.reason().replace("--time", "--time-limit");
            anyhow::bail!("{}: undecided: no end of its states is in sight, and {reason}", model.name)
        }
        Err(Unbuilt::Fault(fault)) => {
            show_fault(&model, &fault);
            anyhow::bail!("{}: there is no graph of all states", model.name)
        }
    }
}

/// Shows why a state has no steps, at its place.
pub(crate) fn show_fault(model: &BehaviourModel, fault: &Fault) {
    let diagnostic = fault_diagnostic(fault);
    output::diagnostics(&[diagnostic], &model.sources);
}

/// Says why a state has no steps.
pub(crate) fn fault_diagnostic(fault: &Fault) -> Diagnostic {
    lotos::fault(fault)
}

/// What is asked of a model beside whether it stops.
pub(crate) struct Asked<'a> {
    pub(crate) mu: &'a [String],
    pub(crate) ltl: &'a [String],
    /// What is answered at all; everything if it is empty.
    pub(crate) only: &'a [String],
}

enum Formula {
    Deadlock,
    Mu(String, mu::Formula),
    Linear(String, linear::Formula),
}

/// Answers questions about a model.
pub(crate) fn check(
    model: &BehaviourModel,
    asked: &Asked<'_>,
    models: &Models,
    writer: &mut Writer<'_>,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    let mut sources = Sources::default();
    let mut all = Diagnostics::default();
    let mut questions = vec![Formula::Deadlock];
    for text in asked.mu {
        let file = sources.add("--mu", text.as_str());
        let mut found = Diagnostics::default();
        questions
            .extend(mu::parse(file, text, &mut found).map(|formula| Formula::Mu(one_line(text), formula)));
        found.sorted().into_iter().for_each(|diagnostic| all.push(diagnostic));
    }
    for text in asked.ltl {
        let file = sources.add("--ltl", text.as_str());
        let mut found = Diagnostics::default();
        let formula = linear::parse(file, text, &mut found);
        questions.extend(formula.map(|formula| Formula::Linear(one_line(text), formula)));
        found.sorted().into_iter().for_each(|diagnostic| all.push(diagnostic));
    }
    if all.has_errors() {
        output::diagnostics(&all.sorted(), &sources);
        return Ok(
            models.outcome(2, String::new, || json_diagnostics(&model.name, &all.sorted(), &sources, None))
        );
    }
    questions.retain(|question| asked.only.is_empty() || asked.only.iter().any(|only| question.is(only)));
    anyhow::ensure!(!questions.is_empty(), "there is nothing to answer about `{}`", model.name);
    let clock = Clock::new(models, interrupted);
    let built = labelled::build(&model.behaviour, &clock.budget());
    let seconds = clock.finish();
    let built = match built {
        Ok(built) => built,
        Err(unbuilt) => return Ok(undecided(model, &questions, models, &unbuilt)),
    };
    for question in &questions {
        match question {
            Formula::Mu(_, formula) => mu::warn_of_unknown_labels(formula, &built.graph, &mut all),
            Formula::Linear(_, formula) => linear::warn_of_unknown_labels(formula, &built.graph, &mut all),
            Formula::Deadlock => {}
        }
    }
    if !models.quiet {
        output::diagnostics(&all.sorted(), &sources);
    }
    let mut report = Report::new(model, &built, seconds);
    let checker = Checker::new(&built.graph);
    for question in &questions {
        let (holds, run) = match question {
            Formula::Deadlock => match deadlock(&built.graph) {
                Some(run) => (false, Some(run)),
                None => (true, None),
            },
            Formula::Mu(_, formula) => {
                let answer = checker.check(formula)?;
                (answer.holds(), answer.run())
            }
            Formula::Linear(_, formula) => {
                let run = linear::counterexample(formula, &built.graph)
                    .map_err(|reason| anyhow::anyhow!("{}: {reason}", question.name()))?;
                (run.is_none(), run)
            }
        };
        report.add(question, holds, run.as_ref())?;
        if let Some(run) = run.filter(|_| !holds) {
            let recorded = recorded(&built.graph, &run, &models.definitions);
            writer.add_labels(&model.name, question.kind(), &recorded)?;
        }
    }
    Ok(models.outcome(report.status, || report.text(), || report.document()))
}

/// Returns a run of a graph as it is saved.
fn recorded(graph: &Graph, run: &Run, definitions: &[String]) -> RecordedLabels {
    let step = |((label, _), choice): (&(u32, u32), Option<usize>)| {
        let label = graph.label(*label).to_owned();
        RecordedLabel { label, choice }
    };
    let steps = run.steps.iter().zip(choices(graph, run)).map(step).collect();
    RecordedLabels { definitions: definitions.to_vec(), steps, cycle: run.cycle }
}

/// Returns which of the edges of its state each step of a run is.
fn choices(graph: &Graph, run: &Run) -> Vec<Option<usize>> {
    let mut state = run.start;
    let choice = |(label, target): &(u32, u32)| {
        let edges = graph.edges_from(state);
        state = *target;
        edges.iter().position(|edge| (edge.label, edge.target) == (*label, *target))
    };
    run.steps.iter().map(choice).collect()
}

/// Visits every state.
pub(crate) fn explore(
    model: &BehaviourModel,
    models: &Models,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    let clock = Clock::new(models, interrupted);
    let built = labelled::build(&model.behaviour, &clock.budget());
    let seconds = clock.finish();
    let built = match built {
        Ok(built) => built,
        Err(unbuilt) => return Ok(undecided(model, &[Formula::Deadlock], models, &unbuilt)),
    };
    let mut report = Report::new(model, &built, seconds);
    let run = deadlock(&built.graph);
    report.add(&Formula::Deadlock, run.is_none(), run.as_ref())?;
    let mut labels: Vec<(&str, u64)> = built.graph.labels().iter().map(|label| (label.as_str(), 0)).collect();
    for edge in built.graph.edges() {
        labels[edge.label as usize].1 += 1;
    }
    let _ = writeln!(report.details, "\n  {}", count(labels.len() as u64, "label"));
    for (label, number) in labels.iter().take(MOST_LABELS) {
        let _ = writeln!(report.details, "  {number:>9}  {}", one_line(label));
    }
    if labels.len() > MOST_LABELS {
        let _ = writeln!(report.details, "  … {} more", labels.len() - MOST_LABELS);
    }
    Ok(models.outcome(report.status, || report.text(), || report.document()))
}

/// So many labels are listed.
const MOST_LABELS: usize = 40;

/// Says that nothing was decided, and why.
fn undecided(model: &BehaviourModel, questions: &[Formula], models: &Models, why: &Unbuilt) -> Outcome {
    let reason = match why {
        Unbuilt::Limit(limit) => limit.reason().to_owned(),
        Unbuilt::Fault(fault) => {
            show_fault(model, fault);
            Behaviour::fault_text(fault)
        }
    };
    let text = || {
        let mut text = format!("{}\n", model.name);
        for question in questions {
            let _ = writeln!(text, "  undecided  {}: {reason}", question.title());
        }
        text
    };
    let document = || {
        let answers: Vec<Value> = questions
            .iter()
            .map(|question| {
                json!({ "kind": question.kind(), "name": question.name(), "verdict": "undecided", "reason": reason })
            })
            .collect();
        head(&model.name, &answers)
    };
    models.outcome(2, text, document)
}

fn head(model: &str, answers: &[Value]) -> Value {
    json!({
        "schema": 1,
        "tool": format!("narrows {}", env!("CARGO_PKG_VERSION")),
        "model": model,
        "answers": answers,
    })
}

/// Finds a shortest run to a state without steps that is not the end of a run that ends well.
fn deadlock(graph: &Graph) -> Option<Run> {
    let mut ended = vec![false; graph.states() as usize];
    for edge in graph.edges() {
        let label = graph.label(edge.label);
        if label == "exit" || label.starts_with("exit !") {
            ended[edge.target as usize] = true;
        }
    }
    // States are numbered level by level, and so the first one is among the nearest.
    let stuck = |state: &u32| graph.edges_from(*state).is_empty() && !ended[*state as usize];
    let end = (0..graph.states()).find(stuck)?;
    let mut before: Vec<Option<(u32, u32)>> = vec![None; graph.states() as usize];
    for (from, edge) in graph.all_edges() {
        let known = &mut before[edge.target as usize];
        if known.is_none() && edge.target != graph.initial() && from < edge.target {
            *known = Some((from, edge.label));
        }
    }
    let (mut steps, mut state) = (Vec::new(), end);
    while let Some((from, label)) = before[state as usize] {
        steps.push((label, state));
        state = from;
    }
    steps.reverse();
    Some(Run { start: graph.initial(), steps, cycle: None, end: End::Complete })
}

impl Formula {
    fn kind(&self) -> &'static str {
        match self {
            Formula::Deadlock => "deadlock",
            Formula::Mu(..) => "mu",
            Formula::Linear(..) => "ltl",
        }
    }

    fn name(&self) -> &str {
        match self {
            Formula::Deadlock => "",
            Formula::Mu(text, _) | Formula::Linear(text, _) => text,
        }
    }

    fn title(&self) -> String {
        format!("{} {}", self.kind(), self.name()).trim_end().to_owned()
    }

    fn is(&self, name: &str) -> bool {
        self.kind() == name || self.name() == name
    }
}

/// What is said about a model.
struct Report<'a> {
    model: &'a BehaviourModel,
    built: &'a Labelled,
    seconds: f64,
    status: u8,
    lines: String,
    details: String,
    answers: Vec<Value>,
}

impl<'a> Report<'a> {
    fn new(model: &'a BehaviourModel, built: &'a Labelled, seconds: f64) -> Report<'a> {
        let (lines, details) = (String::new(), String::new());
        Report { model, built, seconds, status: 0, lines, details, answers: Vec::new() }
    }

    fn add(&mut self, question: &Formula, holds: bool, run: Option<&Run>) -> anyhow::Result<()> {
        let verdict = if holds { "holds" } else { "fails" };
        self.status = self.status.max(u8::from(!holds));
        let absence = if holds && matches!(question, Formula::Deadlock) { "no " } else { "" };
        let _ = writeln!(self.lines, "  {verdict:9}  {absence}{}", question.title());
        let mut answer = json!({ "kind": question.kind(), "name": question.name(), "verdict": verdict });
        if let Some(run) = run {
            let graph = &self.built.graph;
            anyhow::ensure!(
                labelled::replay(&self.model.behaviour, graph, &run.steps).is_some(),
                "internal error: a run can't be replayed\nThis is a mistake in narrows, not in the model."
            );
            answer["run"] = run_value(graph, run);
            answer["run"]["choices"] = json!(choices(graph, run));
            let _ = write!(self.details, "\n{} {verdict}:\n{}", question.title(), run_text(graph, run));
        }
        self.answers.push(answer);
        Ok(())
    }

    fn text(&self) -> String {
        let (coverage, graph) = (&self.built.coverage, &self.built.graph);
        let states = count(u64::from(graph.states()), "state");
        let edges = count(graph.edges().len() as u64, "transition");
        let size = format!("  {states}, {edges}, depth {}, {:.2} s\n", coverage.depth, self.seconds);
        format!("{}\n{}{}\n{size}", self.model.name, self.lines, self.details)
    }

    fn document(&self) -> Value {
        let mut document = head(&self.model.name, &self.answers);
        document["states"] = json!(self.built.graph.states());
        document["transitions"] = json!(self.built.graph.edges().len());
        document["depth"] = json!(self.built.coverage.depth);
        document["seconds"] = json!(self.seconds);
        document
    }
}
