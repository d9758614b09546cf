//! `narrows measure`: the questions of a study.

use std::path::PathBuf;

use clap::Args;

use super::figures::{Options, Way};
use crate::input::expand;
use crate::limits::interrupt_flag;

const EXAMPLES: &str = "\
Examples:
  narrows measure examples/queues/tandem.toml
  narrows measure examples/queues          every study of a folder
  narrows measure study.toml --runs        with the runs that show the best and the worst case";

/// Answer the questions of a study: how long, how often, how fast
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Study files, or folders: every .toml file in them
    #[arg(required = true, value_name = "STUDY")]
    files: Vec<PathBuf>,

    /// Give a constant of the model another value than the study
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    definitions: Vec<String>,

    #[command(flatten)]
    options: Options,
}

impl Arguments {
    pub(crate) fn is_json(&self) -> bool {
        self.options.is_json()
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let interrupted = interrupt_flag()?;
    let mut said = Vec::new();
    for path in expand(&arguments.files, &["toml"])? {
        said.push(arguments.options.answer_study(&path, &arguments.definitions, Way::Whole, &interrupted)?);
    }
    arguments.options.print(said)
}
