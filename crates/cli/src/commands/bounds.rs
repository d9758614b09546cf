//! `narrows bounds`: the least and the most steps from one predicate to another.

use std::path::PathBuf;

use clap::Args;
use narrows_source::{Diagnostics, Sources, Span};
use narrows_study::{Ask, Question, Study, Text, View};

use super::figures::{Options, Way};
use crate::limits::interrupt_flag;
use crate::machines;

const EXAMPLES: &str = "\
Examples:
  narrows bounds bus.pml --from 'request' --to 'grant'
  narrows bounds bus.pml --from 'request' --to 'grant' --count 'owner == other'
  narrows bounds pci.smv --from 'req & !gnt' --to gnt --runs";

/// Find the least and the most steps from one predicate to another, over all runs
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The model
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Define a macro, as in C; in SMV, give a DEFINE or a FROZENVAR of `main` this value
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    definitions: Vec<String>,

    /// Where a way begins: any state in which this holds
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    from: String,

    /// Where it ends: the first state in which this holds
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    to: String,

    /// Count the states in which this holds, too, or how often a statement `proctype:label` is executed
    #[arg(long, value_name = "WHAT", allow_hyphen_values = true)]
    count: Vec<String>,

    #[command(flatten)]
    options: Options,
}

impl Arguments {
    pub(crate) fn is_json(&self) -> bool {
        self.options.is_json()
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    if machines::is_machine(&arguments.file) {
        let way = machines::WayText { from: &arguments.from, to: &arguments.to, counted: &arguments.count };
        let (file, definitions) = (&arguments.file, &arguments.definitions);
        return machines::bounds(file, definitions, &way, &arguments.options, &interrupt_flag()?);
    }
    let mut sources = Sources::default();
    let mut text = |option: &str, text: &str| {
        let file = sources.add(option, text);
        Text { text: text.to_owned(), span: Span::new(file, 0, text.len()) }
    };
    let (from, to) = (text("--from", &arguments.from), text("--to", &arguments.to));
    let mut questions =
        vec![Question::MinDelay(from.clone(), to.clone()), Question::MaxDelay(from.clone(), to.clone())];
    for counted in &arguments.count {
        let counted = text("--count", counted);
        questions.push(Question::MinCount(counted.clone(), from.clone(), to.clone()));
        questions.push(Question::MaxCount(counted, from.clone(), to.clone()));
    }
    let ask = |question: Question| Ask { view: Some(View::Untimed), ..Ask::plain(question) };
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
    let said = match options.prepare(name, study, Some(&arguments.file), sources, Diagnostics::default())? {
        Ok(loaded) => options.answer(loaded, Way::Whole { chain: None }, None, &interrupt_flag()?)?,
        Err(said) => said,
    };
    options.print(vec![said])
}
