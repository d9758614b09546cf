//! The program `narrows`.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Finds the bottleneck in a concurrent design before it is built, and proves it
#[derive(Debug, Parser)]
#[command(name = "narrows", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a model step by step: choose, run at random, step back, replay
    Simulate(commands::simulate::Arguments),
}

#[expect(clippy::print_stderr, reason = "errors go to standard error")]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Simulate(arguments) => commands::simulate::run(arguments),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
