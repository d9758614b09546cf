//! `narrows bounds`: the least and the most steps from one predicate to another.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use narrows::{Bounds, Choice, Named, StudyText};

use super::figures::{Options, Way, print};
use crate::limits::interrupt_flag;

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

impl EngineName {
    fn choice(self) -> Choice {
        match self {
            EngineName::Explicit => Choice::Automatic,
            EngineName::Symbolic => Choice::Symbolic,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let name = arguments.file.display().to_string();
    let named = |origin: &'static str, text: &String| Named { origin, text: text.clone() };
    let from = arguments.from.as_ref().map(|from| named("--from", from));
    let within = arguments.within.as_ref().map(|within| named("--within", within));
    let bounds = Bounds {
        is_anywhere: within.is_some(),
        from: within.or(from).unwrap_or_default(),
        to: named("--to", &arguments.to),
        counted: arguments.count.iter().map(|counted| named("--count", counted)).collect(),
    };
    let mut study = StudyText::bounds(&name, &bounds);
    for definition in &arguments.definitions {
        let (constant, value) = definition.split_once('=').unwrap_or((definition, "1"));
        study.define(constant, value);
    }
    let options = &arguments.options;
    let said = match options.prepare(&name, study, Some(&arguments.file))? {
        Ok(mut prepared) => {
            prepared.engine = arguments.engine.map_or(Choice::Automatic, EngineName::choice);
            options.answer(prepared, Way::Bounds, None, &interrupt_flag()?)?
        }
        Err(said) => said,
    };
    print(vec![said])
}
