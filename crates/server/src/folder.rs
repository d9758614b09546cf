//! Files of the folder: what there is, their texts, and saving them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use narrows::editing::Document;
use narrows::{LANGUAGES, LoadError, Loaded, Loader};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Refused;
use crate::listen::Shared;

/// A file that can be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Its path below the folder, with `/` between names.
    pub path: String,
    /// How many bytes it has.
    pub size: u64,
}

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not there.
    #[error("there is no file `{0}`")]
    Missing(String),
    /// It is not in the folder, or is none of the files that are worked with.
    #[error("`{0}`: {1}")]
    Refused(String, String),
}

impl From<FolderError> for Refused {
    fn from(error: FolderError) -> Refused {
        match error {
            FolderError::Missing(_) => Refused::Missing(error.to_string()),
            FolderError::Refused(..) => Refused::Bad(error.to_string()),
        }
    }
}

/// The files that are worked with. Names are paths below the folder; nothing outside of it is read or
/// written, also not through links.
pub trait Folder: Loader + Send + Sync {
    /// Returns what the folder is called.
    fn name(&self) -> String;

    /// Lists the files with one of these endings, in order, and says whether there are more.
    ///
    /// # Errors
    ///
    /// The folder may be gone.
    fn list(&self, endings: &[&str]) -> Result<(Vec<FileEntry>, bool), FolderError>;

    /// Returns the text of a file.
    ///
    /// # Errors
    ///
    /// It may not be there, be outside, or be no text.
    fn read(&self, path: &str) -> Result<String, FolderError>;

    /// Replaces the text of a file, or makes one; nobody sees half of it.
    ///
    /// # Errors
    ///
    /// It may be outside, or may not be written.
    fn write(&self, path: &str, text: &str) -> Result<(), FolderError>;
}

/// A loader that knows the texts that are open in the browser before those on disk.
pub(crate) struct Open<'f> {
    pub(crate) texts: &'f [(String, String)],
    pub(crate) folder: &'f dyn Folder,
}

impl Loader for Open<'_> {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = normal(&format!("{folder}/{path}"));
        let open = |name: &str| self.texts.iter().find(|(known, _)| known == name);
        if let Some((name, text)) = beside.as_deref().and_then(open).filter(|_| !system) {
            return Ok(Loaded { name: name.clone(), text: text.clone() });
        }
        self.folder.load(path, from, system)
    }
}

/// Leaves `.` and `..` out of a path; `None` if it leads out of the folder.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// Returns how the names of files end that are worked with: models, studies, and what models include.
fn endings() -> Vec<&'static str> {
    let models = LANGUAGES.iter().flat_map(|language| language.endings()).copied();
    models.chain(["toml", "h", "inc"]).collect()
}

/// Tells texts apart: what was read must not have changed on disk when it is saved.
fn version(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What is in the folder, and what the server can do.
pub(crate) async fn list(State(shared): State<Arc<Shared>>) -> Result<Json<Value>, Refused> {
    let workers = shared.workers.clone();
    let listed = workers.work(move || {
        let (files, has_more) = shared.environment.folder.list(&endings())?;
        Ok::<_, Refused>(json!({
            "folder": shared.environment.folder.name(),
            "files": files,
            "has_more": has_more,
            "version": env!("CARGO_PKG_VERSION"),
            "bundled": crate::pages::is_bundled(),
        }))
    });
    Ok(Json(listed.await??))
}

#[derive(Deserialize)]
pub(crate) struct Asked {
    file: String,
}

/// The text of a file.
pub(crate) async fn read(
    State(shared): State<Arc<Shared>>,
    Json(asked): Json<Asked>,
) -> Result<Json<Value>, Refused> {
    let workers = shared.workers.clone();
    let text = workers.work(move || {
        let text = shared.environment.folder.read(&asked.file)?;
        let document = Document::new(asked.file, text);
        Ok::<_, Refused>(json!({
            "version": version(&document.text),
            "language": document.language(),
            "study": document.is_study() && !document.is_foreign(),
            "model": document.model(),
            "text": document.text,
        }))
    });
    Ok(Json(text.await??))
}

#[derive(Deserialize)]
pub(crate) struct Saved {
    file: String,
    text: String,
    /// Of the text on disk that this one was made of; of a new file there is none.
    version: Option<String>,
    /// Whether it is saved whatever is on disk.
    #[serde(default)]
    anyway: bool,
}

/// Saves a file, unless somebody else has changed it.
pub(crate) async fn save(
    State(shared): State<Arc<Shared>>,
    Json(saved): Json<Saved>,
) -> Result<Json<Value>, Refused> {
    let workers = shared.workers.clone();
    let done = workers.work(move || {
        let Saved { file, text, version: base, anyway } = saved;
        let known = endings();
        if !file.rsplit_once('.').is_some_and(|(_, ending)| known.contains(&ending.to_lowercase().as_str())) {
            let reason = format!("`{file}` is neither a model nor a study: end its name in .pml or .toml");
            return Err(Refused::Bad(reason));
        }
        let folder = &shared.environment.folder;
        // Between the look and the write somebody else may write still; that is a matter of milliseconds.
        let now = match folder.read(&file) {
            Ok(text) => Some(version(&text)),
            Err(FolderError::Missing(_)) => None,
            Err(error) => return Err(error.into()),
        };
        if now != base && !anyway {
            let reason = format!("`{file}` was changed on disk since it was opened");
            return Err(Refused::Conflict(reason));
        }
        folder.write(&file, &text)?;
        Ok(json!({ "version": version(&text) }))
    });
    Ok(Json(done.await??))
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn paths_stay_in_the_folder() {
        for (path, expected) in [
            ("/a.pml", Some("a.pml")),
            ("x/../a.pml", Some("a.pml")),
            ("x/./y//z.h", Some("x/y/z.h")),
            ("../a", None),
            ("x/../../a", None),
        ] {
            assert_eq!(normal(path).as_deref(), expected, "{path}");
        }
    }
}
