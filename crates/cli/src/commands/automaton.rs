//! `narrows automaton`: the Büchi automaton of a formula.

use clap::{Args, ValueEnum};
use narrows_languages::promela::{Context, atoms_as_text, parse_formula_text};
use narrows_logic::translate;
use narrows_report::{automaton, automaton_document, json_diagnostics};
use narrows_source::{Diagnostics, Sources};

use crate::output;

const EXAMPLES: &str = "\
Examples:
  narrows automaton '[] (request -> <> granted)'
  narrows automaton '[] (x < 10)' --negate --format never >> model.pml
  narrows automaton 'p U q' --format dot | dot -Tsvg > automaton.svg";

/// Show the automaton that accepts the runs on which a formula holds
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The formula, in Promela's syntax; its atoms may be any expressions
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    formula: String,

    /// Accept the runs on which the formula does not hold: a never claim that verifies it
    #[arg(long)]
    negate: bool,

    /// Choose how the automaton is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A never claim of Promela, for SPIN
    Never,
    /// The Hanoi Omega-Automata format, version 1
    Hoa,
    /// A graph for Graphviz
    Dot,
    /// One JSON document
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let parsed = parse_formula_text(
        &mut sources,
        "formula",
        &arguments.formula,
        &Context::default(),
        &mut diagnostics,
    );
    let messages = diagnostics.sorted();
    output::diagnostics(&messages, &sources);
    let Some(parsed) = parsed else {
        if arguments.format == Format::Json {
            output::print_json(&json_diagnostics("formula", &messages, &sources, None))?;
        }
        return Ok(2);
    };
    let mut formula = atoms_as_text(&parsed);
    if arguments.negate {
        formula = formula.negated();
    }
    let found = translate(&formula)?;
    let title = formula.map(&mut |atom| in_parentheses(atom)).to_string();
    match arguments.format {
        Format::Text => output::print(&automaton(&title, &found))?,
        Format::Never => output::print(&found.never_claim(&title))?,
        Format::Hoa => output::print(&found.hoa(&title))?,
        Format::Dot => output::print(&found.dot(&title))?,
        Format::Json => output::print_json(&automaton_document(&title, &found))?,
    }
    Ok(0)
}

/// An atom as it stands in a formula that can be read again.
fn in_parentheses(atom: &str) -> String {
    let is_name = atom.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name { atom.to_owned() } else { format!("({atom})") }
}
