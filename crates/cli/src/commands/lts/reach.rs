//! `narrows lts reach`: how likely a target is reached, when, and what that costs.

use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;
use clap::Args;
use narrows_lts::{Label, LabelPattern};
use narrows_performance::graphs::GraphReach;
use narrows_performance::markov::{Accuracy, Interval, Reach, Reached};
use narrows_report::{DIGITS, with_head};
use narrows_source::csv_cell;
use serde_json::{Value, json};

use super::Given;
use super::steady::{Common, Format, align};
use crate::commands::figures::digits;
use crate::output;

/// Compute how likely an action or a state is reached, how soon, and what is gained on the way
#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph, in the format AUT, with labels such as `rate 2.5` and `send; prob 0.5`; `-` for standard
    /// input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Reach an action that fits this pattern, such as `FAIL` or `SEND !1 !*`
    #[arg(long, value_name = "ACTION", required_unless_present = "to_state")]
    to: Vec<String>,

    /// Reach a state with one of these numbers
    #[arg(long, value_name = "NUMBER", num_args = 1.., value_delimiter = ',')]
    to_state: Vec<u32>,

    /// Also compute the probability to reach it before these times; without rates, within this many steps
    #[arg(long, value_name = "TIME", num_args = 1.., value_delimiter = ',')]
    before: Vec<f64>,

    /// Gain this much each time an action happens
    #[arg(long, value_name = "ACTION=AMOUNT")]
    event_reward: Vec<Amount>,

    /// Gain this much per time while an action is possible
    #[arg(long, value_name = "ACTION=AMOUNT")]
    rate_reward: Vec<Amount>,

    /// Choose how the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Choose how wide an interval may be, compared with the number in it
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-6)]
    accuracy: f64,

    /// Show up to this many significant digits, as far as they are certain
    #[arg(long, value_name = "N", default_value_t = DIGITS, value_parser = digits)]
    digits: usize,
}

/// What is gained with some actions.
#[derive(Clone)]
struct Amount {
    actions: LabelPattern,
    amount: f64,
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Amount, String> {
        let (actions, amount) =
            text.rsplit_once('=').ok_or_else(|| "write `ACTION=AMOUNT`, such as `SEND=2.5`".to_owned())?;
        let amount: f64 = amount.trim().parse().map_err(|_| format!("`{amount}` is not a number"))?;
        if !(amount >= 0.0 && amount.is_finite()) {
            return Err(format!("`{amount}` is not a number of at least 0"));
        }
        let actions = LabelPattern::new(actions.trim()).map_err(|wrong| wrong.to_string())?;
        Ok(Amount { actions, amount })
    }
}

/// One line of the answer.
struct Line {
    kind: &'static str,
    before: Option<f64>,
    found: Reached,
}

impl Line {
    fn name(&self) -> String {
        self.before.map_or_else(|| self.kind.to_owned(), |before| format!("{} before {before}", self.kind))
    }
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let Arguments { format, accuracy, digits, .. } = *arguments;
    let common = Common { file: arguments.file.clone(), format, states: false, accuracy, digits };
    let accuracy = common.accuracy()?;
    if let Some(time) = arguments.before.iter().find(|time| !(**time >= 0.0 && time.is_finite())) {
        anyhow::bail!("invalid time `{time}`: it must be at least 0 and finite");
    }
    let graph = super::read(&common.file, given)?;
    if let Some(state) = arguments.to_state.iter().find(|state| **state >= graph.states()) {
        anyhow::bail!("there is no state {state}: states are numbered from 0 to {}", graph.states() - 1);
    }
    let patterns: Vec<LabelPattern> = arguments
        .to
        .iter()
        .map(|text| LabelPattern::new(text))
        .collect::<Result<_, _>>()
        .map_err(|e| anyhow!("{e}"))?;
    let action_of = |label: &str| Label::parse(label).ok().and_then(|label| label.action.map(str::to_owned));
    let fits =
        |pattern: &LabelPattern, label: &str| action_of(label).is_some_and(|action| pattern.fits(&action));
    let amounts = arguments.event_reward.iter().chain(&arguments.rate_reward).map(|one| &one.actions);
    for pattern in patterns.iter().chain(amounts) {
        if !graph.labels().iter().any(|label| fits(pattern, label)) {
            anyhow::bail!("no action of the graph fits `{pattern}`; `narrows lts info` lists its labels");
        }
    }
    let is_target = |label: &str| patterns.iter().any(|pattern| fits(pattern, label));
    let way = GraphReach::new(&graph, is_target, |state| arguments.to_state.contains(&state));
    let way = way.map_err(|trouble| common.trouble(&trouble))?;
    let lines = lines(arguments, &way, accuracy).map_err(|trouble| common.trouble(&trouble))?;
    match format {
        Format::Text => output::print(&text(&common, &way, &lines))?,
        Format::Csv => output::print(&csv(&lines))?,
        Format::Json => output::print_json(&document(&common, &way, &lines))?,
    }
    let ends =
        |line: &Line| line.found.open.into_iter().flatten().chain([line.found.even]).collect::<Vec<_>>();
    let wide: Vec<String> = lines
        .iter()
        .filter(|line| ends(line).iter().any(|one| !accuracy.is_met(*one) && one.low.is_finite()))
        .map(Line::name)
        .collect();
    if !wide.is_empty() {
        output::warning(&format!("intervals are wider than wanted, though right: `{}`", wide.join("`, `")));
    }
    Ok(0)
}

fn lines(
    arguments: &Arguments,
    way: &GraphReach,
    accuracy: Accuracy<'_>,
) -> Result<Vec<Line>, narrows_performance::graphs::AutomatonError> {
    let mut lines =
        vec![Line { kind: "probability", before: None, found: way.solve(Reach::Ever, accuracy)? }];
    for time in &arguments.before {
        let found = way.solve(Reach::Before(*time), accuracy)?;
        lines.push(Line { kind: "probability", before: Some(*time), found });
    }
    let kind = if way.is_discrete { "expected steps" } else { "expected time" };
    lines.push(Line { kind, before: None, found: way.solve(Reach::Total(&way.time()), accuracy)? });
    if !arguments.event_reward.is_empty() || !arguments.rate_reward.is_empty() {
        let amounts = |list: &[Amount]| -> Vec<_> {
            let one = |one: &Amount| {
                let actions = one.actions.clone();
                (move |action: &str| actions.fits(action), one.amount)
            };
            list.iter().map(one).collect()
        };
        let reward = way.reward(&amounts(&arguments.event_reward), &amounts(&arguments.rate_reward));
        let found = way.solve(Reach::Total(&reward), accuracy)?;
        lines.push(Line { kind: "expected reward", before: None, found });
    }
    Ok(lines)
}

fn shown(common: &Common, interval: Interval) -> String {
    if interval.low.is_infinite() { "infinity".to_owned() } else { common.shown(interval) }
}

fn text(common: &Common, way: &GraphReach, lines: &[Line]) -> String {
    let (states, deciding) = way.size();
    let mut text = format!(
        "{}\n  {states} states come before the target; in {deciding} of them no time passes\n\n",
        common.file.display(),
    );
    let has_choices = lines.iter().any(|line| line.found.open.is_some());
    let head: &[&str] = if has_choices { &["", "least", "greatest", "choices alike"] } else { &[] };
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend((!head.is_empty()).then(|| head.iter().map(|cell| (*cell).to_owned()).collect()));
    for line in lines {
        let mut row = vec![line.name()];
        row.extend(line.found.open.into_iter().flatten().map(|interval| shown(common, interval)));
        row.push(shown(common, line.found.even));
        rows.push(row);
    }
    text += &align(&rows);
    text
}

fn csv(lines: &[Line]) -> String {
    let mut text = "value,low,high,least low,least high,greatest low,greatest high\n".to_owned();
    for line in lines {
        let ends = std::iter::once(line.found.even).chain(line.found.open.into_iter().flatten());
        let cells: Vec<String> =
            ends.flat_map(|one| [one.low, one.high]).map(|number| format!("{number:e}")).collect();
        let _ = writeln!(text, "{},{}", csv_cell(&line.name()), cells.join(","));
    }
    text
}

fn document(common: &Common, way: &GraphReach, lines: &[Line]) -> Value {
    let end = |number: f64| if number.is_infinite() { json!("infinity") } else { json!(number) };
    let ends = |one: Interval| json!({ "low": end(one.low), "high": end(one.high) });
    let one = |line: &Line| {
        let mut value = json!({ "kind": line.kind.replace(' ', "_"), "uniform": ends(line.found.even) });
        if let Some(before) = line.before {
            value["before"] = json!(before);
        }
        if let Some([least, greatest]) = line.found.open {
            value["least"] = ends(least);
            value["greatest"] = ends(greatest);
        }
        value
    };
    let (states, deciding) = way.size();
    let content = json!({
        "states": states,
        "vanishing": deciding,
        "discrete": way.is_discrete,
        "choices": lines.iter().any(|line| line.found.open.is_some()),
        "reached": lines.iter().map(one).collect::<Vec<_>>(),
        "answers": [],
    });
    with_head(&common.file.display().to_string(), content)
}
