//! `narrows lts steady`: throughputs in the long run.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use narrows_lts::Graph;
use narrows_performance::graphs::{AutomatonError, GraphAutomaton};
use narrows_performance::markov::{self, Accuracy, Aim, Interval, Vanished};
use narrows_report::{DIGITS, WIDEST, certain, with_head};
use narrows_source::csv_cell;
use serde_json::{Value, json};

use super::Given;
use crate::commands::figures::digits;
use crate::output;

/// Compute how often each action happens in the long run
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
}

/// What both commands about time take.
#[derive(Args)]
pub(super) struct Common {
    /// The graph, in the format AUT, with labels such as `rate 2.5` and `send; rate 2.5`; `-` for standard
    /// input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// Choose how the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,

    /// Print the probability of each state too
    #[arg(long)]
    pub(super) states: bool,

    /// Choose how wide an interval may be, compared with the number in it
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-6)]
    pub(super) accuracy: f64,

    /// Show up to this many significant digits, as far as they are certain
    #[arg(long, value_name = "N", default_value_t = DIGITS, value_parser = digits)]
    pub(super) digits: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// One column for each action, numbers with all digits
    Csv,
    /// One JSON document
    Json,
}

impl Common {
    pub(super) fn accuracy(&self) -> anyhow::Result<Accuracy<'static>> {
        if self.accuracy > 0.0 && self.accuracy < 1.0 {
            return Ok(Accuracy { relative: self.accuracy, ..Accuracy::default() });
        }
        Err(anyhow!("invalid accuracy `{}`: it must be above 0 and below 1", self.accuracy))
    }

    /// Writes what is known of a number.
    pub(super) fn shown(&self, interval: Interval) -> String {
        certain(interval.low, interval.high, self.digits)
    }

    /// Warns that some bounds are wider than wanted.
    pub(super) fn warn_of<'w>(&self, wide: impl Iterator<Item = &'w str>) {
        let mut wide: Vec<&str> = wide.collect();
        wide.dedup();
        if !wide.is_empty() {
            output::warning(&format!(
                "the accuracy {} was not reached, though all bounds hold: `{}`; --format csv shows both bounds",
                self.accuracy,
                wide.join("`, `")
            ));
        }
    }

    pub(super) fn trouble(&self, trouble: &AutomatonError) -> anyhow::Error {
        anyhow!("{}: {trouble}", self.file.display())
    }

    /// Makes the chain in which all choices of a state are alike, with a reward for each action.
    pub(super) fn chain(&self, graph: &Graph, timed: &GraphAutomaton) -> anyhow::Result<Vanished> {
        let actions = 0..timed.actions.len();
        if let Some(chain) = timed.chain() {
            let rewards = actions.map(|action| timed.reward(graph, action).rates).collect();
            let states = (0..timed.states.len() as u32).collect();
            return Ok(Vanished { chain, states, rewards, before: Vec::new() });
        }
        let rewards: Vec<markov::Reward> = actions.map(|action| timed.reward(graph, action)).collect();
        if let Some(zeno) = markov::find_zeno(&timed.automaton) {
            return Err(self.trouble(&AutomatonError::Zeno(timed.in_graph(&zeno.cycle))));
        }
        markov::uniform(&timed.automaton, &rewards)
            .map_err(|zeno| self.trouble(&AutomatonError::Zeno(timed.in_graph(&zeno.cycle))))
    }
}

/// How often one action happens.
struct Throughput {
    /// With all choices alike.
    uniform: Interval,
    /// Over all schedulers, if there are choices.
    least: Option<Interval>,
    greatest: Option<Interval>,
}

pub(super) fn run(arguments: &Arguments, given: &Given<'_>) -> anyhow::Result<u8> {
    let common = &arguments.common;
    let accuracy = common.accuracy()?;
    let graph = super::read(&common.file, given)?;
    let timed = GraphAutomaton::new(&graph).map_err(|trouble| common.trouble(&trouble))?;
    let chain = common.chain(&graph, &timed)?;
    let has_choices = timed.has_choices(&graph);
    let over = |action: usize, aim: Aim| {
        let reward = timed.reward(&graph, action);
        has_choices.then(|| markov::average(&timed.automaton, &reward, aim, accuracy)).transpose()
    };
    let mut found = Vec::new();
    for (action, uniform) in markov::long_run(&chain.chain, &chain.rewards, accuracy).into_iter().enumerate()
    {
        let ends = over(action, Aim::Least).and_then(|least| Ok((least, over(action, Aim::Greatest)?)));
        let (least, greatest) =
            ends.map_err(|zeno| common.trouble(&AutomatonError::Zeno(timed.in_graph(&zeno.cycle))))?;
        found.push(Throughput { uniform, least, greatest });
    }
    let shares = common.states.then(|| {
        let shares = markov::steady_bounds(&chain.chain, accuracy);
        let name = |state: &u32| timed.states[*state as usize];
        chain.states.iter().map(name).zip(shares).collect::<Vec<(u32, Interval)>>()
    });
    let report = Report { common, timed: &timed, found, shares };
    match common.format {
        Format::Text => output::print(&report.text())?,
        Format::Csv => output::print(&report.csv())?,
        Format::Json => output::print_json(&report.json())?,
    }
    let missed = |interval: &Interval| !accuracy.is_met(*interval);
    let all = |one: &Throughput| {
        [Some(one.uniform), one.least, one.greatest].into_iter().flatten().any(|i| missed(&i))
    };
    let named = report.found.iter().zip(&timed.actions).filter(|(one, _)| all(one));
    common.warn_of(named.map(|(_, action)| action.as_str()));
    Ok(0)
}

struct Report<'a> {
    common: &'a Common,
    timed: &'a GraphAutomaton,
    found: Vec<Throughput>,
    shares: Option<Vec<(u32, Interval)>>,
}

/// Puts columns below each other.
pub(super) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    text
}

impl Report<'_> {
    fn has_choices(&self) -> bool {
        self.found.iter().any(|one| one.least.is_some())
    }

    fn text(&self) -> String {
        let states = self.timed.states.len();
        let deciding = self.timed.deciding();
        let mut text = format!(
            "{}\n  {states} states are reached; in {deciding} of them no time passes\n\n",
            self.common.file.display(),
        );
        let mut rows = vec![vec!["action".to_owned(), "throughput".to_owned()]];
        if self.has_choices() {
            rows = vec![["action", "least", "greatest", "choices alike"].map(str::to_owned).to_vec()];
        }
        for (action, one) in self.timed.actions.iter().zip(&self.found) {
            let mut row = vec![action.clone()];
            row.extend([one.least, one.greatest].into_iter().flatten().map(|one| self.common.shown(one)));
            row.push(self.common.shown(one.uniform));
            rows.push(row);
        }
        if self.found.is_empty() {
            text += "  no rate has an action\n";
        } else {
            text += &align(&rows);
        }
        if let Some(shares) = &self.shares {
            let mut rows = vec![vec!["state".to_owned(), "probability".to_owned()]];
            rows.extend(
                shares.iter().map(|(state, share)| vec![state.to_string(), self.common.shown(*share)]),
            );
            let _ = write!(text, "\n{}", align(&rows));
        }
        text
    }

    fn csv(&self) -> String {
        let names = self.timed.actions.iter().map(|action| csv_cell(action));
        let mut text = format!("value,{}\n", names.collect::<Vec<_>>().join(","));
        let mut row = |name: &str, of: &dyn Fn(&Throughput) -> Option<f64>| {
            let cells: Option<Vec<String>> =
                self.found.iter().map(|one| of(one).map(|value| format!("{value:e}"))).collect();
            if let Some(cells) = cells {
                let _ = writeln!(text, "{name},{}", cells.join(","));
            }
        };
        row("low", &|one| Some(one.uniform.low));
        row("high", &|one| Some(one.uniform.high));
        if self.has_choices() {
            row("least low", &|one| Some(one.least?.low));
            row("least high", &|one| Some(one.least?.high));
            row("greatest low", &|one| Some(one.greatest?.low));
            row("greatest high", &|one| Some(one.greatest?.high));
        }
        if let Some(shares) = &self.shares {
            text += "\nstate,probability,low,high\n";
            for (state, share) in shares {
                let Interval { low, high } = share;
                let _ = writeln!(text, "{state},{:e},{low:e},{high:e}", share.middle());
            }
        }
        text
    }

    fn json(&self) -> Value {
        let ends = |interval: Interval| json!({ "low": interval.low, "high": interval.high });
        let one = |(action, one): (&String, &Throughput)| {
            let mut value = json!({ "action": action, "uniform": ends(one.uniform) });
            if let (Some(least), Some(greatest)) = (one.least, one.greatest) {
                value["least"] = ends(least);
                value["greatest"] = ends(greatest);
            }
            value
        };
        let throughputs: Vec<Value> = self.timed.actions.iter().zip(&self.found).map(one).collect();
        let mut content = json!({
            "states": self.timed.states.len(),
            "vanishing": self.timed.deciding(),
            "choices": self.has_choices(),
            "throughputs": throughputs,
            "answers": [],
        });
        if let Some(shares) = &self.shares {
            let list: Vec<Value> = shares
                .iter()
                .map(|(state, share)| {
                    let Interval { low, high } = share;
                    json!({ "state": state, "probability": share.middle(), "low": low, "high": high })
                })
                .collect();
            content["distribution"] = json!(list);
        }
        with_head(&self.common.file.display().to_string(), content)
    }
}
