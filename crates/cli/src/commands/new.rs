//! `narrows new`: starts a model and its study from a template.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::output;

const EXAMPLES: &str = "\
Examples:
  narrows new pipeline                     pipeline/pipeline.pml and pipeline/pipeline.toml
  narrows new request server               the same for clients and a server, in the folder server
  narrows bottleneck pipeline              what limits it";

/// Start a model and its study from a template
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What the design resembles
    #[arg(value_enum)]
    template: Template,

    /// Write the files into this folder [default: the name of the template]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Template {
    /// Two stages with a queue between them
    Pipeline,
    /// Stations that pass a token on
    Ring,
    /// Two masters and an arbiter that share a bus
    Bus,
    /// Clients that wait for a server
    Request,
}

/// A text of a template by the ending of its name.
macro_rules! template {
    ($name:literal) => {
        [
            (concat!($name, ".pml"), include_str!(concat!("../../templates/", $name, "/", $name, ".pml"))),
            (concat!($name, ".toml"), include_str!(concat!("../../templates/", $name, "/", $name, ".toml"))),
        ]
    };
}

impl Template {
    fn files(self) -> [(&'static str, &'static str); 2] {
        match self {
            Template::Pipeline => template!("pipeline"),
            Template::Ring => template!("ring"),
            Template::Bus => template!("bus"),
            Template::Request => template!("request"),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let [model, study] = arguments.template.files();
    let stem = Path::new(model.0).with_extension("");
    let folder = arguments.folder.as_deref().unwrap_or(&stem);
    fs::create_dir_all(folder).with_context(|| format!("can't make the folder `{}`", folder.display()))?;
    let paths = [model, study].map(|(name, _)| folder.join(name));
    if let Some(path) = paths.iter().find(|path| path.exists()) {
        anyhow::bail!("`{}` exists already; give another folder", path.display());
    }
    for (path, (_, text)) in paths.iter().zip([model, study]) {
        let written = fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("can't write `{}`", path.display()))?;
    }
    let [model, study] = paths.map(|path| path.display().to_string());
    output::print(&format!(
        "{model}  the model\n{study}  what takes time, and what is asked\n\nNow try\n  narrows check \
         {model}\n  narrows bottleneck {study}\n"
    ))?;
    Ok(0)
}
