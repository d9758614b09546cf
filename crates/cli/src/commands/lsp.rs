//! `narrows lsp`: the language server, for editors.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use narrows::{LoadError, Loaded, Loader};
use narrows_lsp::{Environment, serve_stdio};

use crate::input::Disk;
use crate::limits::{self, Clock};

/// Serve an editor: the Language Server Protocol over standard input and output
#[derive(Args)]
pub(crate) struct Arguments {
    /// Look for included files in this folder too
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,

    /// Use at most this much memory for a check, such as 4G or 500M [default: 80 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    memory: Option<u64>,

    /// What editors pass; there is no other way
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Finds included files on disk.
struct Files(Vec<PathBuf>);

impl Loader for Files {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError> {
        Disk { folders: &self.0 }.load(path, from, system)
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let memory = arguments.memory;
    let never = Arc::new(AtomicBool::new(false));
    serve_stdio(Environment {
        loader: Box::new(Files(arguments.include.clone())),
        budget: Box::new(move |seconds| {
            Clock::with(Some(Duration::from_secs_f64(seconds)), memory, true, "", &never).budget()
        }),
        stack: limits::stack(),
    })?;
    Ok(0)
}
