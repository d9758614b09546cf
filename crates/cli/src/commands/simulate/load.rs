//! Reads the model and what it includes.

use std::path::{Path, PathBuf};

use narrows_languages::promela::{self, Options};
use narrows_model::System;
use narrows_source::{Diagnostics, Loaded, Loader, Sources, render};

/// Finds included files beside the file that includes them, then in the given directories.
struct Files<'a> {
    directories: &'a [PathBuf],
}

impl Loader for Files<'_> {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, String> {
        let beside = Path::new(from).parent().filter(|_| !system).map(Path::to_path_buf);
        for directory in beside.into_iter().chain(self.directories.iter().cloned()) {
            let candidate = directory.join(path);
            if candidate.is_file() {
                let text = std::fs::read_to_string(&candidate).map_err(|error| error.to_string())?;
                return Ok(Loaded { name: candidate.display().to_string(), text });
            }
        }
        Err("there is no such file".to_owned())
    }
}

/// Reads and compiles a model; the error is what to tell the user.
pub(super) fn load(
    path: &Path,
    definitions: &[String],
    directories: &[PathBuf],
    sources: &mut Sources,
) -> Result<System, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} can't be read: {error}", path.display()))?;
    let file = sources.add(path.display().to_string(), text);
    let definitions = definitions.iter().map(|definition| match definition.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (definition.clone(), None),
    });
    let options = Options { definitions: definitions.collect() };
    let mut diagnostics = Diagnostics::default();
    let system = promela::compile(sources, file, &Files { directories }, &options, &mut diagnostics);
    let rendered: Vec<String> =
        diagnostics.sorted().iter().map(|diagnostic| render(diagnostic, sources, false)).collect();
    system.filter(|_| !diagnostics.has_errors()).ok_or_else(|| rendered.join("\n\n"))
}
