//! `narrows init`: writes a workflow that checks models and studies in CI.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use narrows::editing::Document;

use crate::input::{is_study, model_endings};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  narrows init                             the models and studies below this folder, on GitHub
  narrows init designs/dma designs/bus     those in two folders
  narrows init --ci gitlab designs         as a job of GitLab";

/// Write a workflow that checks models and studies in CI, with limits of time and memory
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folders with models and studies, in them or in their subfolders, relative to the root of the
    /// repository
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
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        anyhow::bail!("there is no folder `{}`", missing.display());
    }
    let mut found = Found::default();
    for folder in folders {
        found.look_into(folder)?;
    }
    let (models, studies) = (words(&found.models), words(&found.studies));
    for (found, what) in [(&models, "model"), (&studies, "study")] {
        anyhow::ensure!(
            !found.is_empty(),
            "there is no {what} in `{}` or in subfolders; name the folders of your designs, or start one \
             with `narrows new`",
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
        "{}  the workflow\n\nNow set the variable NARROWS_URL of the project to the place of the release \
         files, and commit the workflow.\n",
        path.display()
    ))?;
    Ok(0)
}

/// What a workflow names: folders, or files of a folder that has others of the same ending.
#[derive(Default)]
struct Found {
    models: Vec<PathBuf>,
    studies: Vec<PathBuf>,
}

impl Found {
    /// Looks into a folder and its subfolders, in the order of their names.
    fn look_into(&mut self, folder: &Path) -> anyhow::Result<()> {
        let unreadable = || format!("can't read `{}`", folder.display());
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(folder).with_context(unreadable)? {
            let entry = entry.with_context(unreadable)?;
            // A link may lead back to a folder above.
            let is_folder = entry.file_type().with_context(unreadable)?.is_dir();
            let name = entry.file_name();
            // `./a` is `a`.
            let path = if folder == Path::new(".") { PathBuf::from(&name) } else { entry.path() };
            if !is_folder {
                files.push(path);
            } else if !name.to_string_lossy().starts_with('.') && name != "target" {
                folders.push(path);
            }
        }
        files.sort();
        folders.sort();
        let endings = model_endings();
        let is_model =
            |path: &PathBuf| path.extension().is_some_and(|it| endings.iter().any(|one| it == *one));
        if files.iter().any(is_model) {
            add(&mut self.models, folder);
        }
        let (studies, foreign): (Vec<_>, Vec<_>) =
            files.into_iter().filter(|path| is_study(path)).partition(|path| holds_a_study(path));
        if foreign.is_empty() && !studies.is_empty() {
            add(&mut self.studies, folder);
        } else {
            for study in &studies {
                add(&mut self.studies, study);
            }
        }
        folders.iter().try_for_each(|folder| self.look_into(folder))
    }
}

/// Adds a path, unless it was found already: folders may be given twice, or within each other.
fn add(paths: &mut Vec<PathBuf>, path: &Path) {
    if !paths.iter().any(|known| known == path) {
        paths.push(path.to_owned());
    }
}

/// Whether a file in TOML is a study, and not the manifest of a package, say. One that can't be read is said
/// to be one, so that the workflow tells.
fn holds_a_study(path: &Path) -> bool {
    let name = path.display().to_string();
    fs::read_to_string(path).map_or(true, |text| !Document::new(name, text).is_foreign())
}

/// Writes paths for a shell, one beside the other.
fn words(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(" ")
}

/// Writes a path for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    // A leading hyphen would be taken for an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
