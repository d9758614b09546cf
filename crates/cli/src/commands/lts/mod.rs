//! `narrows lts`: a toolbox for labelled graphs.

mod check;
mod determinate;
mod info;
mod run_text;
mod steady;
mod transient;

use std::path::Path;

use anyhow::Context;
use clap::{Args, Subcommand};
use narrows_lts::{Graph, aut};

/// Look at labelled graphs (.aut), and change, compare and check them
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Info(info::Arguments),
    Steady(steady::Arguments),
    Transient(transient::Arguments),
    Determinate(determinate::Arguments),
}

impl Arguments {
    pub(crate) fn is_json(&self) -> bool {
        match &self.command {
            Command::Check(arguments) => arguments.is_json(),
            Command::Info(arguments) => arguments.is_json(),
            Command::Steady(arguments) => arguments.is_json(),
            Command::Transient(arguments) => arguments.is_json(),
            Command::Determinate(_) => false,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Steady(arguments) => steady::run(arguments),
        Command::Transient(arguments) => transient::run(arguments),
        Command::Determinate(arguments) => determinate::run(arguments),
    }
}

/// Reads a graph; `-` is standard input.
fn read(path: &Path) -> anyhow::Result<Graph> {
    let shown = path.display();
    let text = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin()).context("can't read standard input")?
    } else {
        std::fs::read_to_string(path).with_context(|| format!("can't read {shown}"))?
    };
    aut::read(&text).map_err(|wrong| anyhow::anyhow!("{shown}:{}: {}", wrong.line, wrong.message))
}
