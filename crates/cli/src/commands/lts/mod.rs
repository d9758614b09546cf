//! `narrows lts`: a toolbox for labelled graphs.

mod check;
mod compare;
mod compose;
mod convert;
mod determinate;
mod files;
mod hide;
mod info;
mod limits;
mod min;
mod rates;
mod relation;
mod rename;
mod run_text;

use clap::{Args, Subcommand};
use files::read;

/// Inspect, minimise, compare, check and solve labelled graphs (.aut)
#[derive(Args)]
pub(crate) struct Arguments {
    /// In a LOTOS model, give a parameter of the specification this value
    #[arg(short = 'D', value_name = "NAME=VALUE", global = true)]
    definitions: Vec<String>,

    #[command(flatten)]
    limits: limits::Limits,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Info(info::Arguments),
    Steady(rates::Steady),
    Transient(rates::Transient),
    Reach(rates::Way),
    Determinate(determinate::Arguments),
    Min(min::Arguments),
    Compare(compare::Arguments),
    Hide(hide::Arguments),
    Rename(rename::Arguments),
    Compose(compose::Arguments),
    Convert(convert::Arguments),
}

impl Command {
    /// Returns the kind of the answers.
    fn kind(&self) -> &'static str {
        match self {
            Command::Check(_) => "mu",
            Command::Compare(_) => "equivalence",
            Command::Steady(_) | Command::Transient(_) => "throughput",
            Command::Reach(_) => "probability",
            _ => "graph",
        }
    }
}

impl Arguments {
    /// Returns the kind of the answers.
    pub(crate) fn kind(&self) -> &'static str {
        self.command.kind()
    }
}

/// What is given for all commands.
struct Given<'a> {
    /// Values of parameters.
    definitions: &'a [String],
    limits: &'a limits::Limits,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    arguments.limits.keep()?;
    let given = &Given { definitions: &arguments.definitions, limits: &arguments.limits };
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments, given),
        Command::Info(arguments) => info::run(arguments, given),
        Command::Steady(arguments) => rates::run_steady(arguments, given),
        Command::Transient(arguments) => rates::run_transient(arguments, given),
        Command::Reach(arguments) => rates::run_reach(arguments, given),
        Command::Determinate(arguments) => determinate::run(arguments, given),
        Command::Min(arguments) => min::run(arguments, given),
        Command::Compare(arguments) => compare::run(arguments, given),
        Command::Hide(arguments) => hide::run(arguments, given),
        Command::Rename(arguments) => rename::run(arguments, given),
        Command::Compose(arguments) => compose::run(arguments, given),
        Command::Convert(arguments) => convert::run(arguments, given),
    }
}
