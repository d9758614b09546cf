//! `narrows bounds`: the least and the most steps from one predicate to another.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use narrows::{Bounds, Named, PreparedStudy, StudyText, Unanswered};
use narrows_report::json_diagnostics;

use super::figures::{Options, TimeEngine, Way, print};
use crate::input::not_for_sets;
use crate::limits::interrupt_flag;
use crate::output::Outcome;

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
        Ok(prepared) if arguments.engine == Some(EngineName::Symbolic) => {
            by_sets(&prepared, options, &interrupt_flag()?)?
        }
        Ok(prepared) => {
            let whole = Way::Whole { chain: None, csv: None, against: None, engine: TimeEngine::Exact };
            options.answer(prepared, whole, None, &interrupt_flag()?)?
        }
        Err(said) => said,
    };
    print(vec![said])
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
            let diagnostic = not_for_sets(&prepared.sources, &refusal);
            let document = json_diagnostics(&prepared.name, &[diagnostic], &prepared.sources, None);
            return Outcome::refused(document);
        }
        Err(other) => return Err(other.into()),
    };
    options.report(prepared, &measured, &[], seconds, Some(&coverage), |figures| {
        Outcome::new(figures.status(), || figures.text(options.runs), || figures.document())
    })
}
