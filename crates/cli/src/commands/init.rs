//! `narrows init`: writes a workflow that checks models and studies in CI.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::input::{expand, model_endings};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  narrows init                             the models and studies in this folder, on GitHub
  narrows init designs/dma designs/bus     those in two folders
  narrows init --ci gitlab designs         as a job of GitLab";

/// Write a workflow that checks models and studies in CI, with limits of time and memory
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folders with models and studies, relative to the root of the repository
    #[arg(value_name = "FOLDER", default_value = ".")]
    folders: Vec<PathBuf>,

    /// The CI service to write for
    #[arg(long, value_enum, default_value = "github")]
    ci: Service,
}

#[derive(Clone, Copy, ValueEnum)]
enum Service {
    /// .github/workflows/narrows.yml
    Github,
    /// .gitlab-ci.yml
    Gitlab,
}

impl Service {
    fn file(self) -> (&'static Path, &'static str) {
        match self {
            Service::Github => {
                (Path::new(".github/workflows/narrows.yml"), include_str!("../../templates/ci/github.yml"))
            }
            Service::Gitlab => (Path::new(".gitlab-ci.yml"), include_str!("../../templates/ci/gitlab.yml")),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let folders = &arguments.folders;
    let with = |endings: &[&str]| {
        let has = |folder: &&PathBuf| folder.is_dir() && expand(&[(*folder).clone()], endings).is_ok();
        let names: Vec<String> = folders.iter().filter(has).map(|folder| quoted(folder)).collect();
        names.join(" ")
    };
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        anyhow::bail!("there is no folder `{}`", missing.display());
    }
    let (models, studies) = (with(&model_endings()), with(&["toml"]));
    for (found, what) in [(&models, "model"), (&studies, "study")] {
        anyhow::ensure!(
            !found.is_empty(),
            "there is no {what} in `{}`; name the folders of your designs, or start one with `narrows new`",
            folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join("`, `")
        );
    }
    let (path, template) = arguments.ci.file();
    let text = template
        .replace("MODELS", &models)
        .replace("STUDIES", &studies)
        .replace("VERSION", env!("CARGO_PKG_VERSION"));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder `{}`", folder.display()))?;
    }
    match fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes())) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            anyhow::bail!(
                "`{}` exists already; delete it first, or copy what you need by hand",
                path.display()
            )
        }
        written => written.with_context(|| format!("can't write `{}`", path.display()))?,
    }
    output::print(&format!(
        "{}  the workflow\n\nNow set the variable NARROWS_URL of the project to the place of the release files, and \
         commit the workflow.\n",
        path.display()
    ))?;
    Ok(0)
}

/// Writes a path for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    // A leading hyphen would be taken for an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
