//! `narrows lts steady`, `transient` and `reach`: numbers of graphs with rates.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use narrows::{RateError, RateOptions, Rates, Target, reach, steady, transient};
use narrows_lts::{LabelPattern, PatternError};
use narrows_report::DIGITS;
use serde_json::Value;
use thiserror::Error;

use super::Given;
use crate::commands::figures::digits;
use crate::output;

/// What all commands about rates take.
#[derive(Args)]
struct Common {
    /// The graph, in the format AUT, with labels such as `rate 2.5` and `send; prob 0.5`; `-` for standard
    /// input
    #[arg(value_name = "FILE")]
    file: PathBuf,

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One column for each action, numbers with all digits
    Csv,
    /// One JSON document
    Json,
}

/// Compute how often each action happens in the long run
#[derive(Args)]
pub(crate) struct Steady {
    #[command(flatten)]
    common: Common,

    /// Print the probability of each state too
    #[arg(long)]
    states: bool,
}

/// Compute how often each action happens at given times
#[derive(Args)]
pub(crate) struct Transient {
    #[command(flatten)]
    common: Common,

    /// Print the probability of each state too
    #[arg(long)]
    states: bool,

    /// Choose the times
    #[arg(long, value_name = "TIME", required = true, num_args = 1.., value_delimiter = ',')]
    time: Vec<f64>,
}

/// Compute the probability of reaching an action or a state, the mean time, and the reward on the way
#[derive(Args)]
pub(crate) struct Way {
    #[command(flatten)]
    common: Common,

    /// Reach an action that fits this pattern, such as `FAIL` or `SEND !1 !*`
    #[arg(
        long, value_name = "ACTION", required_unless_present = "to_state",
        value_parser = LabelPattern::new
    )]
    to: Vec<LabelPattern>,

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
}

/// What is gained with some actions.
#[derive(Clone)]
struct Amount(LabelPattern, f64);

#[derive(Debug, Error)]
enum AmountError {
    #[error("write `ACTION=AMOUNT`, such as `SEND=2.5`")]
    NoAmount,
    #[error("`{0}` is not a number of at least 0")]
    NoNumber(String),
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Amount, AmountError> {
        let (actions, amount) = text.rsplit_once('=').ok_or(AmountError::NoAmount)?;
        let number = amount.trim().parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
        let number = number.ok_or_else(|| AmountError::NoNumber(amount.to_owned()))?;
        Ok(Amount(LabelPattern::new(actions.trim())?, number))
    }
}

pub(super) fn run_steady(arguments: &Steady, given: &Given<'_>) -> anyhow::Result<u8> {
    let common = &arguments.common;
    let graph = super::read(&common.file, given)?;
    let rates = common.told(steady(&graph, &common.options(arguments.states)))?;
    let (report, name, digits) = (&rates.report, common.name(), common.digits);
    common.print(|| report.text(&name, digits), || report.csv(), || report.document(&name))?;
    common.warn_of(&rates.wide);
    Ok(0)
}

pub(super) fn run_transient(arguments: &Transient, given: &Given<'_>) -> anyhow::Result<u8> {
    let common = &arguments.common;
    let graph = super::read(&common.file, given)?;
    let rates = common.told(transient(&graph, &arguments.time, &common.options(arguments.states)))?;
    let (report, name, digits) = (&rates.report, common.name(), common.digits);
    common.print(|| report.text(&name, digits), || report.csv(), || report.document(&name))?;
    common.warn_of(&rates.wide);
    if report.has_choices {
        output::note("the graph leaves choices open; here the choices of a state are equally likely");
    }
    Ok(0)
}

pub(super) fn run_reach(arguments: &Way, given: &Given<'_>) -> anyhow::Result<u8> {
    let common = &arguments.common;
    let graph = super::read(&common.file, given)?;
    let amounts =
        |list: &[Amount]| list.iter().map(|Amount(actions, amount)| (actions.clone(), *amount)).collect();
    let target = Target {
        actions: arguments.to.clone(),
        states: arguments.to_state.clone(),
        before: arguments.before.clone(),
        event_rewards: amounts(&arguments.event_reward),
        rate_rewards: amounts(&arguments.rate_reward),
    };
    let rates = common.told(reach(&graph, &target, &common.options(false)))?;
    let (report, name, digits) = (&rates.report, common.name(), common.digits);
    common.print(|| report.text(&name, digits), || report.csv(), || report.document(&name))?;
    common.warn_of(&rates.wide);
    Ok(0)
}

impl Common {
    fn options(&self, states: bool) -> RateOptions {
        RateOptions { accuracy: self.accuracy, states }
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }

    /// Says which graph is wrong.
    fn told<T>(&self, found: Result<Rates<T>, RateError>) -> anyhow::Result<Rates<T>> {
        found.map_err(|error| match error {
            RateError::Graph(wrong) => anyhow::anyhow!("{}: {wrong}", self.file.display()),
            other => other.into(),
        })
    }

    fn print(
        &self,
        text: impl FnOnce() -> String,
        csv: impl FnOnce() -> String,
        document: impl FnOnce() -> Value,
    ) -> anyhow::Result<()> {
        match self.format {
            Format::Text => output::print(&text()),
            Format::Csv => output::print(&csv()),
            Format::Json => output::print_json(&document()),
        }
    }

    /// Warns that some bounds are wider than wanted.
    fn warn_of(&self, wide: &[String]) {
        if !wide.is_empty() {
            output::warning(&format!(
                "the accuracy {} was not reached, though all bounds hold: `{}`; --format csv shows both \
                 bounds",
                self.accuracy,
                wide.join("`, `")
            ));
        }
    }
}
