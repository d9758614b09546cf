//! `narrows completions` and `narrows man`: what shells and `man` want to know about the program.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::output;

/// Print a script that completes commands and options in a shell
#[derive(Args)]
#[command(after_help = "Examples:
  narrows completions bash > ~/.local/share/bash-completion/completions/narrows
  narrows completions zsh > ~/.zfunc/_narrows
  narrows completions fish > ~/.config/fish/completions/narrows.fish")]
pub(crate) struct Arguments {
    /// The shell to write the script for
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages, one for each command
#[derive(Args)]
#[command(after_help = "Example:
  narrows man ~/.local/share/man/man1")]
pub(crate) struct Manual {
    /// Write the pages into this folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, mut program: Command) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "narrows", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

pub(crate) fn write_manual(arguments: &Manual, program: Command) -> anyhow::Result<u8> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder).with_context(|| format!("can't make the folder `{}`", folder.display()))?;
    clap_mangen::generate_to(program, folder)
        .with_context(|| format!("can't write into `{}`", folder.display()))?;
    Ok(0)
}
