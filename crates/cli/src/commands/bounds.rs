//! `narrows bounds`: the least and the most steps from one predicate to another.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use narrows::{PreparedStudy, Refusal, StudyText, Unanswered};
use narrows_report::json_diagnostics;
use narrows_source::{Diagnostic, Sources, Span};
use narrows_study::{Ask, Question, Study, Text, View};

use super::figures::{Options, TimeEngine, Way};
use crate::limits::interrupt_flag;
use crate::output::{self, Outcome};

const EXAMPLES: &str = "\
Examples:
  narrows bounds bus.pml --from 'request' --to 'grant'
  narrows bounds bus.pml --from 'request' --to 'grant' --count 'owner == other'
  narrows bounds ring.pml --engine symbolic --within 'want[0]' --to 'token == 0'
  narrows bounds pci.smv --within 'req & !gnt' --to gnt --runs
  narrows bounds link.lotos --from 'SEND !1' --to RECEIVE --count LOSE";

/// Find the least and the most steps from one predicate to another, over all runs
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Define a macro, as in C; in SMV, give a DEFINE or a FROZENVAR of `main` this value; in LOTOS, a
    /// parameter of the specification
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    definitions: Vec<String>,

    /// Begin where this predicate becomes true; in LOTOS, with an action that matches this pattern
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, required_unless_present = "within")]
    from: Option<String>,

    /// Begin in any state in which this holds; not in LOTOS, where actions happen and do not hold
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, conflicts_with = "from")]
    within: Option<String>,

    /// End in the first state in which this holds; in LOTOS, with the next action that fits this
    /// pattern
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    to: String,

    /// Count the states in which this holds, too, or how often a statement `proctype:label` is executed; in
    /// LOTOS, actions
    #[arg(long, value_name = "WHAT", allow_hyphen_values = true)]
    count: Vec<String>,

    /// Choose how a Promela model is answered [default: state by state]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<EngineName>,

    #[command(flatten)]
    options: Options,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// State by state
    Explicit,
    /// Sets of states, as binary decision diagrams; SMV models are always answered so
    Symbolic,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let mut sources = Sources::default();
    let mut text = |option: &str, text: &str| {
        let file = sources.add(option, text);
        Text { text: text.to_owned(), span: Span::new(file, 0, text.len()) }
    };
    let anywhere = arguments.within.is_some();
    let option = if anywhere { "--within" } else { "--from" };
    let from = arguments.within.as_ref().or(arguments.from.as_ref()).map_or("", String::as_str);
    let (from, to) = (text(option, from), text("--to", &arguments.to));
    let mut questions =
        vec![Question::MinDelay(from.clone(), to.clone()), Question::MaxDelay(from.clone(), to.clone())];
    for counted in &arguments.count {
        let counted = text("--count", counted);
        questions.push(Question::MinCount(counted.clone(), from.clone(), to.clone()));
        questions.push(Question::MaxCount(counted, from.clone(), to.clone()));
    }
    let ask = |question: Question| {
        let plain = Ask::plain(question);
        let name = if anywhere { plain.name.replacen("from ", "within ", 1) } else { plain.name.clone() };
        Ask { view: Some(View::Untimed), anywhere, name, ..plain }
    };
    let constant = |definition: &String| {
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        let span = Span::new(sources.add("-D", definition.clone()), 0, name.len());
        (Text { text: name.to_owned(), span }, value.to_owned())
    };
    let study = Study {
        constants: arguments.definitions.iter().map(constant).collect(),
        asks: questions.into_iter().map(ask).collect(),
        ..Study::default()
    };
    let name = arguments.file.display().to_string();
    let options = &arguments.options;
    let said = match options.prepare(&name, StudyText::of(&name, study, sources), Some(&arguments.file))? {
        Ok(prepared) if arguments.engine == Some(EngineName::Symbolic) => {
            by_sets(&prepared, options, &interrupt_flag()?)?
        }
        Ok(prepared) => {
            let whole = Way::Whole { chain: None, csv: None, against: None, engine: TimeEngine::Exact };
            options.answer(prepared, whole, None, &interrupt_flag()?)?
        }
        Err(said) => said,
    };
    options.print(vec![said])
}

/// Finds the least and the most by sets of states.
fn by_sets(
    prepared: &PreparedStudy,
    options: &Options,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Outcome> {
    let clock = options.clock(&prepared.name, interrupted);
    let found = prepared.bounds_by_sets(&clock.budget());
    let seconds = clock.finish();
    let (measured, coverage) = match found {
        Ok(found) => found,
        Err(Unanswered::Refused(refusal)) if refusal.span.is_some() => {
            let diagnostic = refused(&prepared.sources, &refusal);
            let document = json_diagnostics(&prepared.name, &[diagnostic], &prepared.sources, None);
            return Ok(Outcome { status: 2, text: String::new(), document });
        }
        Err(other) => return Err(other.into()),
    };
    Ok(options.report(prepared, &measured, &[], seconds, Some(&coverage), |figures| Outcome {
        status: figures.status(),
        text: figures.text(options.runs),
        document: figures.document(),
    }))
}

/// Says on standard error why a model can't be answered by sets of states, and returns that.
fn refused(sources: &Sources, refusal: &Refusal) -> Diagnostic {
    let known = refusal.span.filter(|span| sources.files().any(|(id, _)| id == span.file));
    // What has no place of its own is about the whole file.
    let file = sources.files().next().map(|(id, _)| id).unwrap_or_default();
    let span = known.unwrap_or_else(|| Span::new(file, 0, 0));
    let diagnostic = Diagnostic::error("N0002", span, "this is not a model for sets of states")
        .label(&refusal.reason)
        .help("leave --engine symbolic out: then states are visited one by one");
    output::diagnostics(std::slice::from_ref(&diagnostic), sources);
    diagnostic
}
