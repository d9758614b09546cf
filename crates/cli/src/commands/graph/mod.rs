//! `narrows graph`: the processes of a model as diagrams, or all its states as a labelled graph.

mod aiger;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use narrows::{
    GraphError, LabelStyle, Limit, Model, States, fault_diagnostic, graph_diagram, process_diagrams,
};
use narrows_lts::{Graph, aut};
use narrows_report::{Diagram, count, diagram_dot, diagram_svg};
use serde_json::{Value, json};

use crate::input::Models;
use crate::limits::{self, Clock, interrupt_flag};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  narrows graph peterson.pml -o peterson.svg
  narrows graph peterson.pml | dot -Tpdf > peterson.pdf
  narrows graph peterson.pml -o peterson.aut
  narrows graph counter.smv -o counter.aut --labels inputs
  narrows graph ring.lotos -o ring.aut
  narrows graph bus.smv -o bus.aig          as a circuit, for hardware model checkers
  narrows graph leader.pml -o leader.aut --labels channel --memory 4G --time 5m";

/// So many states may a drawing have.
const MAX_DRAWN: u32 = 1_000;

/// Draw the processes of a model, or write all its states as a labelled graph
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    models: Models,

    /// Write to this file: a drawing (.svg), a graph for Graphviz (.dot), states and steps (.aut), or of an
    /// SMV model a circuit (.aag, .aig) [default: print it]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Show the states of the whole model, and not the locations of its processes
    #[arg(long)]
    states: bool,

    /// Choose the labels of the steps between states
    #[arg(long, value_name = "STYLE", default_value = "text")]
    labels: Style,
}

/// What a label tells.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    /// Who does what: `Sender(1): link!data, x | Receiver(2): link?data, y`; in SMV, what changes:
    /// `x=1, y=FALSE`, else `i`
    Text,
    /// The model's label before a statement: `Process(0):critical`, else `i`
    Label,
    /// The message that is sent: `link !data !1`, or received from a buffer: `link ?data ?1`, else `i`
    Channel,
    /// In SMV: the inputs of a step: `request=TRUE`
    Inputs,
}

impl From<Style> for LabelStyle {
    fn from(style: Style) -> LabelStyle {
        match style {
            Style::Text => LabelStyle::Text,
            Style::Label => LabelStyle::Label,
            Style::Channel => LabelStyle::Channel,
            Style::Inputs => LabelStyle::Inputs,
        }
    }
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GraphFormat {
    Aut,
    Dot,
    Svg,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    arguments.models.ensure_one("narrows graph")?;
    if let Some((path, form)) = arguments.output.as_ref().and_then(|path| Some((path, aiger::form(path)?))) {
        return aiger::run(arguments, path, form);
    }
    let format = format_of(arguments)?;
    let interrupted = interrupt_flag()?;
    let models = &arguments.models;
    models.each(&[], |model| one(model, arguments, format, &Clock::new(models, &interrupted)))
}

fn one(model: &Model, arguments: &Arguments, format: GraphFormat, clock: &Clock) -> anyhow::Result<u8> {
    if !arguments.states
        && format != GraphFormat::Aut
        && let Some(diagrams) = process_diagrams(model)
    {
        let locations = diagrams.iter().map(|diagram| diagram.nodes.len()).sum::<usize>();
        let transitions = diagrams.iter().map(|diagram| diagram.edges.len()).sum::<usize>();
        let counts = [("proctype", diagrams.len()), ("location", locations), ("transition", transitions)];
        return write(&model.name, arguments, &drawn(&diagrams, &model.name, format), &counts);
    }
    let found = narrows::states(model, arguments.labels.into(), &clock.budget());
    clock.finish();
    let States { graph, faults } = match found? {
        Ok(found) => found,
        Err(GraphError::Limit(limit)) => return not_whole(&model.name, arguments, limit),
        Err(GraphError::Fault(fault)) => {
            output::diagnostics(&[fault_diagnostic(&fault)], &model.sources);
            return not_whole(&model.name, arguments, Limit::Fault);
        }
    };
    if faults > 0 {
        let steps = count(faults, "step");
        output::warning(&format!("{steps} that end in a fault lead nowhere, and are left out"));
    }
    write_graph(&model.name, &graph, arguments, format)
}

/// Tells from the name of a file what is written.
fn format_of(arguments: &Arguments) -> anyhow::Result<GraphFormat> {
    let Some(path) = &arguments.output else {
        return Ok(if arguments.states { GraphFormat::Aut } else { GraphFormat::Dot });
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("aut") => Ok(GraphFormat::Aut),
        Some("dot" | "gv") => Ok(GraphFormat::Dot),
        Some("svg") => Ok(GraphFormat::Svg),
        _ => anyhow::bail!(
            "can't tell what to write to `{}`: use a name with .aut, .dot, .svg, .aag or .aig",
            path.display()
        ),
    }
}

fn drawn(diagrams: &[Diagram], name: &str, format: GraphFormat) -> String {
    if format == GraphFormat::Svg { diagram_svg(diagrams, name) } else { diagram_dot(diagrams, name) }
}

/// Writes all states.
fn write_graph(name: &str, graph: &Graph, arguments: &Arguments, format: GraphFormat) -> anyhow::Result<u8> {
    let text = match format {
        GraphFormat::Aut => aut::write(graph),
        GraphFormat::Dot => diagram_dot(&[graph_diagram(name, graph)], name),
        GraphFormat::Svg => {
            let states = graph.states();
            anyhow::ensure!(
                states <= MAX_DRAWN,
                "a drawing of {} would be unreadable; write .aut or .dot",
                count(u64::from(states), "state")
            );
            diagram_svg(&[graph_diagram(name, graph)], name)
        }
    };
    let counts = [
        ("state", graph.states() as usize),
        ("transition", graph.edges().len()),
        ("label", graph.labels().len()),
    ];
    write(name, arguments, &text, &counts)
}

/// Says why there is no graph: a part of it must not be taken for the whole.
fn not_whole(name: &str, arguments: &Arguments, limit: Limit) -> anyhow::Result<u8> {
    let message = format!("nothing was written, since the graph would be incomplete: {}", limit.reason());
    output::error(&message);
    limits::remember(arguments.models.quiet, [limit]);
    let document = || {
        let mut document = head(name);
        document["complete"] = json!(false);
        document["reason"] = json!(limit.reason());
        document
    };
    arguments.models.say(2, String::new, || document().into())
}

fn head(name: &str) -> Value {
    let mut document = narrows_report::head(name);
    document.insert("answers".to_owned(), json!([]));
    Value::Object(document)
}

/// Writes the text to its file and says so, or prints it.
fn write(name: &str, arguments: &Arguments, text: &str, counts: &[(&str, usize)]) -> anyhow::Result<u8> {
    let written = match &arguments.output {
        Some(path) => {
            save(path, text)?;
            let counts: Vec<String> =
                counts.iter().map(|(thing, number)| count(*number as u64, thing)).collect();
            format!("{}: {}\n", path.display(), counts.join(", "))
        }
        None => text.to_owned(),
    };
    let document = || {
        let mut document = head(name);
        document["complete"] = json!(true);
        for (thing, number) in counts {
            document[format!("{thing}s")] = json!(number);
        }
        match &arguments.output {
            Some(path) => document["file"] = json!(path.display().to_string()),
            None => document["text"] = json!(text),
        }
        document
    };
    arguments.models.say(0, || written.clone(), || document().into())
}

fn save(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("can't write `{}`", path.display()))
}
