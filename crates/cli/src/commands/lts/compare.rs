//! `narrows lts compare`: whether two graphs behave the same.

use std::path::PathBuf;

use clap::Args;
use narrows_lts::{Evidence, Verdict, compare};
use narrows_report::with_head;
use serde_json::{Value, json};

use super::{Given, files, relation};
use crate::output::{self, Format};

/// Say whether two graphs behave the same, and what tells them apart
#[derive(Args)]
pub(crate) struct Arguments {
    /// A graph, in the format AUT; `-` for standard input
    #[arg(value_name = "FILE")]
    first: PathBuf,

    /// Another one
    #[arg(value_name = "OTHER")]
    second: PathBuf,

    #[command(flatten)]
    relation: relation::Chosen,

    /// Choose how the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let (first, second) = files::read_both(&arguments.first, &arguments.second, given)?;
    let verdict = compare(&first, &second, arguments.relation.settings()).map_err(anyhow::Error::msg)?;
    if arguments.format == Format::Json {
        output::print_json(&document(arguments, &verdict))?;
    } else {
        output::print(&text(arguments, &verdict))?;
    }
    Ok(u8::from(verdict != Verdict::Equivalent))
}

fn text(arguments: &Arguments, verdict: &Verdict) -> String {
    let (first, second) = (arguments.first.display(), arguments.second.display());
    let name = arguments.relation.name();
    let evidence = match verdict {
        Verdict::Equivalent => return format!("equivalent ({name}): {first} and {second}\n"),
        Verdict::Different(evidence) => evidence,
    };
    let shown = match evidence {
        Evidence::Formula(formula) => format!("this holds in {first} and not in {second}:\n    {formula}\n"),
        Evidence::Trace { labels, is_first } => {
            let (has, lacks) = if *is_first { (first, second) } else { (second, first) };
            format!("{has} can do this, and {lacks} can't:\n    {}\n", labels.join("\n    "))
        }
        Evidence::None(reason) => format!("nothing is shown: {reason}\n"),
    };
    let (first, second) = (arguments.first.display(), arguments.second.display());
    format!("not equivalent ({name}): {first} and {second}\n  {shown}")
}

fn document(arguments: &Arguments, verdict: &Verdict) -> Value {
    let mut answer = json!({
        "kind": "equivalence",
        "name": arguments.relation.name(),
        "verdict": if *verdict == Verdict::Equivalent { "holds" } else { "fails" },
    });
    match verdict {
        Verdict::Equivalent => {}
        Verdict::Different(Evidence::Formula(formula)) => answer["formula"] = json!(formula),
        Verdict::Different(Evidence::Trace { labels, is_first }) => {
            answer["labels"] = json!(labels);
            let has = if *is_first { &arguments.first } else { &arguments.second };
            answer["only_in"] = json!(has.display().to_string());
        }
        Verdict::Different(Evidence::None(reason)) => answer["message"] = json!(reason),
    }
    let content = json!({ "other": arguments.second.display().to_string(), "answers": [answer] });
    with_head(&arguments.first.display().to_string(), content)
}
